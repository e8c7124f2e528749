"""Training a fleet: M members of one shape take every step together.

Losses are summed over the members, so no gradient flows between them. Every batch is drawn from
counter-based streams: member m at step s sees the same prompts whatever fleet it trains in and
at whatever step it resumed. On CUDA a whole step, sampling included, is one captured graph; on
the CPU the same step runs eagerly.
"""

import contextlib
import time
from functools import partial

import torch
from torch import Tensor, nn

from claimbook.records.checks import finite, instance, integer, text, tuple_of
from claimbook.records.errors import InputError, OutOfTime
from icllib import checks
from icllib.models.stacked import StackedLinear
from icllib.progress import Progress, tell
from icllib.protocols import Model, Task
from icllib.streams import Stream, constant
from icllib.tasks import Prompt, sample_each
from icllib.training.build import (
    build, check_gradients, check_hidden, check_labels, check_members, room_for, told)
from icllib.training.capture import captured_step
from icllib.training.cpu_step import compiled_step
from icllib.training.losses import forward_of, permuted_pairs, recipe_losses
from icllib.training.recipe import Recipe

READ_EVERY = 100  # steps between two looks at the losses, and on a GPU at the clock
SAVE_EVERY = 300.0  # seconds between two checkpoints


class Fleet:
    """M members in training: parameters, optimizer, step counter and which members are alive.

    tasks: one per member, of one shape; equal ones are sampled together. pretraining_tasks: per
    member, T stored prompts that are reshuffled each epoch, or None for fresh prompts at every
    step. learning_rates, models: per member, where they are not all the same; models may differ
    in the values that their parameters start from, not in shape. snapshots: after which steps to
    keep a copy of the module. loss, optimizer: see `train`. Raises InputError for a wrong number of
    values per member, for an invalid value, and for a module that is no fleet.
    """

    def __init__(self, tasks, model, recipe: Recipe, seeds, pretraining_tasks, device="cpu",
                 learning_rates=None, models=None, snapshots=(), loss=None, optimizer=None):
        checks.device(device)
        self.stream = Stream.of(seeds, "training", device)
        members = len(self.stream.seeds)
        models = [model] * members if models is None else models
        check_members(members, recipe, tasks, models, pretraining_tasks, learning_rates)
        if learning_rates is None:
            learning_rates = [recipe.learning_rate] * members
        tuple_of(lambda **step: integer(1, recipe.steps, **step), "snapshots", snapshots, 0)
        self.tasks, self.recipe, self.pretraining_tasks = tasks, recipe, pretraining_tasks
        self.arithmetic = recipe.precision_on(self.stream.seeds.device)
        self.module = build(models, seeds, tasks[0], recipe, device)
        self.forward = forward_of(self.module)
        self.parameters = [p for p in self.module.parameters() if p.requires_grad]
        self.rate = torch.zeros((), device=device)
        self.rates, self.loops = recipe.rates(device), recipe.loops_drawn()
        self.relative_rates = None
        if set(learning_rates) != {recipe.learning_rate}:
            self.relative_rates = torch.tensor(learning_rates, device=device) / recipe.learning_rate
        self.loss, self.own_rates = loss, None
        if optimizer is None:
            self.optimizer = torch.optim.AdamW(
                self.parameters, lr=self.rate, betas=recipe.betas, eps=recipe.epsilon,
                weight_decay=recipe.weight_decay, fused=True, capturable=self.rate.is_cuda)
        else:
            self.optimizer = own_optimizer(optimizer, self.parameters)
            self.own_rates = [group["lr"] / recipe.learning_rate for group in self.optimizer.param_groups]
        self.step = torch.zeros((), dtype=torch.int64, device=device)
        self.alive = torch.ones(len(seeds), dtype=torch.bool, device=device)
        self.losses = torch.zeros(READ_EVERY, len(seeds), device=device)
        self.stops, self.kept = tuple(snapshots), {}
        self.block, self.ids_of_block = None, None
        self.usable, self.in_bf16 = usable, in_bf16
        self.check()
        self.cpu_step = None if loss or optimizer else compiled_step(self)  # None: PyTorch's step

    @told()
    @torch.enable_grad()
    def check(self) -> None:
        """Raises InputError, on the first prompts, for a task that draws others when it is asked again,
        for labels that the loss cannot take, for answers that depend on hidden labels, for parameters
        without effect, and for members that mix."""
        if self.recipe.loss == "masked tokens":
            return
        prompt = self.sample()
        if not all(map(partial(torch.allclose, equal_nan=True), prompt, self.sample())):
            raise InputError("task: expected the same prompts for the same ids, got others: take every "
                             "random number from the stream")
        if self.recipe.loss == "cross-entropy" and not self.loss:
            check_labels(prompt.ys)
        check_hidden(self.module, prompt, self.recipe.layout)
        one_each = Prompt(*(values[:, :1] for values in prompt))
        check_gradients(self.losses_on(one_each), self.module)

    def take_step(self) -> None:
        """One step of every member; without random loops, nothing is read back from the device."""
        with self.module.repeated(self.loops[int(self.step)]) if self.loops else contextlib.nullcontext():
            if self.cpu_step:
                losses = self.cpu_step.losses(self.cpu_step.prompt())
                self.alive &= losses.isfinite()
                self.cpu_step.descend()
            else:
                losses = self.losses_on(self.sample())
                self.alive &= losses.isfinite()
                self.descend(torch.autograd.grad(losses.sum(), self.parameters))
        row = (self.step % READ_EVERY).view(1)
        self.losses.index_copy_(0, row, losses.detach()[None].to(self.losses.dtype))
        self.step += 1

    def losses_on(self, prompt) -> Tensor:
        """Each member's loss on its prompts: (M,)."""
        recipe = self.recipe
        with self.precision():
            weights = recipe.length_weights(self.step)
            return recipe_losses(self.forward, prompt, recipe, weights, self.loss)

    def descend(self, gradients) -> None:
        """One step of the optimizer; a member whose loss was not finite gets no more gradient."""
        gradients = self.usable(gradients, self.alive, self.recipe.clip)
        for parameter, gradient in zip(self.parameters, gradients):
            parameter.grad = gradient
        self.rate.copy_(self.rates.index_select(0, self.step.view(1))[0])
        for group, relative in zip(self.optimizer.param_groups, self.own_rates or ()):
            group["lr"] = relative * float(self.rate)
        if self.relative_rates is None:
            self.optimizer.step()
        else:
            self.step_at_own_rates()

    @torch.no_grad()
    def step_at_own_rates(self) -> None:
        """AdamW's step, decay included, is proportional to the rate: stretch each member's."""
        before = [parameter.clone() for parameter in self.parameters]
        self.optimizer.step()
        for parameter, old in zip(self.parameters, before):
            stretch = along_members(self.relative_rates, old)
            parameter.copy_(torch.lerp(old, parameter, stretch.to(old.dtype)))

    def sample(self, steps: int = 1):
        """The prompts of this step, (M, batch, ...), each member's from its own task.

        steps: of so many steps, side by side; on a CPU, within READ_EVERY and as all steps draw alike.
        """
        recipe = self.recipe
        prompt = sample_each(self.tasks, self.stream, self.ids(steps), recipe.points, recipe.dtype,
                             recipe.active(self.step))
        if not recipe.permute_pairs:
            return prompt
        draws = prompt_counts(self.stream, self.step, recipe.batch)
        return permuted_pairs(prompt, self.stream, draws, max(recipe.lengths))

    def ids(self, steps: int = 1) -> Tensor:
        """Which prompts this step, or several, train on: (M, steps batch). A CPU, where a permutation of a
        few numbers costs as much as one of thousands, finds those of many steps at once."""
        batch = self.recipe.batch
        if self.step.device.type != "cpu":
            return prompt_ids(self.stream, self.step, batch, self.pretraining_tasks)
        block, place = divmod(int(self.step), READ_EVERY)
        if self.block != block:
            ids = prompt_ids(self.stream, block, batch * READ_EVERY, self.pretraining_tasks)
            self.block, self.ids_of_block = block, ids
        return self.ids_of_block[:, place * batch : (place + steps) * batch]

    @contextlib.contextmanager
    def precision(self):
        """The arithmetic of the forward pass: bf16 where asked for, on a GPU that has it.
        Weights of linear layers are rounded together, where autocast would round one by one."""
        if self.arithmetic != "bf16":
            yield
            return
        layers = [own for own in self.module.modules() if isinstance(own, StackedLinear)]
        rounded = self.in_bf16([layer.weight for layer in layers])
        for layer, weight in zip(layers, rounded):
            layer.rounded_weight = weight
        try:
            with torch.autocast(self.step.device.type, torch.bfloat16):
                yield
        finally:
            for layer in layers:
                layer.rounded_weight = None

    # ---- state ----------------------------------------------------------------------------

    def tensors(self) -> dict[str, Tensor]:
        """Everything that training changes, by name."""
        state = {f"module.{name}": value for name, value in self.module.state_dict().items()}
        for index, parameter in enumerate(self.parameters):
            for name, value in self.optimizer.state[parameter].items():
                state[f"optimizer.{index}.{name}"] = value
        for step, snapshot in self.kept.items():
            state |= {f"snapshot.{step}.{name}": value for name, value in snapshot.items()}
        return state | {"step": self.step, "alive": self.alive, "losses": self.losses}

    def load(self, state: dict[str, Tensor]) -> None:
        """Take up a state that `tensors` gave."""
        self.module.load_state_dict({name.removeprefix("module."): value
                                     for name, value in state.items()
                                     if name.startswith("module.")})
        for name, value in state.items():
            if name.startswith("optimizer."):
                _, index, entry = name.split(".")
                own = self.optimizer.state[self.parameters[int(index)]]
                own.setdefault(entry, torch.empty_like(value, device=self.step.device)).copy_(value)
            elif name.startswith("snapshot."):
                _, step, entry = name.split(".", 2)
                self.kept.setdefault(int(step), {})[entry] = value.to(self.step.device)
        for name in ("step", "alive", "losses"):
            getattr(self, name).copy_(state[name])

    def keep_snapshot(self, step: int) -> None:
        """Copy the module as it is now, after this step."""
        copies = {name: value.detach().clone() for name, value in self.module.state_dict().items()}
        self.kept[step] = copies


def in_bf16(weights) -> list[Tensor]:
    """Weights rounded to bf16, with 8 significant bits; their gradients are rounded too."""
    return [weight.bfloat16() for weight in weights]


def usable(gradients, alive: Tensor, clip: float | None) -> list[Tensor]:
    """The gradients of members that are alive, clipped where asked for; 0 for the others."""
    gradients = gradients if clip is None else clipped(gradients, clip)
    own = (torch.where(along_members(alive, gradient), gradient, 0) for gradient in gradients)
    # The fused AdamW misreads a gradient of another memory layout, on a CPU without an error.
    return [gradient.contiguous() for gradient in own]


def clipped(gradients, max_norm: float) -> list[Tensor]:
    """Each member's gradient, all parameters together, scaled down to this norm if its is larger."""
    squares = sum(gradient.flatten(1).square().sum(dim=1) for gradient in gradients)
    scales = (max_norm / squares.sqrt()).clamp(max=1)  # (M,)
    return [gradient * along_members(scales, gradient) for gradient in gradients]


def own_optimizer(make, parameters) -> torch.optim.Optimizer:
    """The optimizer that a function makes of parameters. Raises InputError for one that cannot step or has not
    all of them, and where a member's step depends on the gradient of another."""
    after = []
    for factor in (1, 2):  # of the first member's gradient
        copies = [nn.Parameter(own.detach().clone()) for own in parameters]
        for own in copies:
            own.grad = torch.ones_like(own)
            own.grad[0] *= factor
        try:
            optimizer = make(copies)
            optimizer.step()
        except Exception as error:
            raise InputError("optimizer: expected a function of a list of parameters to an optimizer of PyTorch "
                             f"whose step needs nothing more, got {error!r:.200}") from error
        held = [own for group in optimizer.param_groups for own in group["params"]]
        if {*map(id, held)} != {*map(id, copies)}:
            raise InputError(f"optimizer: expected one of all {len(copies)} parameters, got one of {len(held)}")
        after.append([own[1:] for own in copies])
    if not all(map(torch.equal, *after)):
        raise InputError("optimizer: expected one that takes each number by itself, got one by which a member's "
                         "step depends on another's gradient; train its seeds one at a time")
    return make(parameters)


def along_members(values: Tensor, tensor: Tensor) -> Tensor:
    """One value per member, (M,), shaped to broadcast against (M, ...)."""
    return values.view(-1, *[1] * (tensor.dim() - 1))


def prompt_ids(stream: Stream, step, batch: int, pretraining_tasks) -> Tensor:
    """Which prompts a step trains on: (M, batch). With T stored tasks, one pass over a new permutation of
    range(T) per epoch; with None, ids that were never used before."""
    device, counts = stream.seeds.device, prompt_counts(stream, step, batch)
    if all(size is None for size in pretraining_tasks):
        return counts
    stored = constant(tuple(size is not None for size in pretraining_tasks), device)[:, None]
    sizes = tuple(size or 1 for size in pretraining_tasks)
    size = constant(sizes, device)[:, None]
    permuted = stream.permute(counts % size, counts // size, "order", sizes)
    return torch.where(stored == 1, permuted, counts)


def prompt_counts(stream: Stream, step, batch: int) -> Tensor:
    """How many prompts each member saw before each of this step's: (M, batch)."""
    counts = step * batch + torch.arange(batch, device=stream.seeds.device)
    return counts.expand(len(stream.seeds), -1)


# ---- the loop -------------------------------------------------------------------------------


def run_steps(fleet: Fleet, label: str = "", should_stop=lambda: False, save=lambda: None,
              log=lambda step, losses: None) -> None:
    """Step until the recipe's end; between steps look at the clock, save, log, show progress.

    should_stop: asked between steps; if so, `save` is called and OutOfTime raised.
    log: is handed the step and the losses since the last call, (READ_EVERY or fewer, M).
    """
    instance(Fleet, fleet=fleet)
    text(label=label)
    step, steps, on_gpu = int(fleet.step), fleet.recipe.steps, fleet.step.is_cuda
    # It takes a minute, and a captured step is the same at all times.
    compiles = on_gpu and step < steps and not should_stop() and not fleet.loops and not fleet.own_rates
    take_step = captured_step(fleet) if compiles else fleet.take_step
    progress = Progress(steps, label, unit_per_step=len(fleet.alive), start_at=step)
    stride, saved = READ_EVERY if on_gpu else 1, time.monotonic()  # no GPU waits at every step
    while step < steps:
        if should_stop():
            progress.close()
            save()
            raise OutOfTime(f"stopped at step {step} of {steps}")
        pause = min(step + stride - step % stride, *(stop for stop in (steps, *fleet.stops) if stop > step))
        for _ in range(step, pause):
            take_step()
        if on_gpu:
            torch.cuda.synchronize()  # else the clock tells when steps were asked for, not done
        step = pause
        if step in fleet.stops:
            fleet.keep_snapshot(step)
        if step % READ_EVERY == 0 or step == steps:
            latest = fleet.losses[: step % READ_EVERY or READ_EVERY]
            progress.update(step, latest)
            log(step, latest)
        if time.monotonic() - saved > SAVE_EVERY:
            save()
            saved = time.monotonic()
    progress.close()


def train(task: Task, model: Model, recipe: Recipe, seeds, pretraining_tasks=None, device="cpu",
          deadline=None, label="", loss=None, optimizer=None) -> nn.Module:
    """Train one member per seed on one task and return the stacked module.

    pretraining_tasks: one per seed, as Fleet has them; by default fresh prompts for all. deadline:
    a time.monotonic() after which OutOfTime is raised. loss: a function of answers and targets, (M, B, K)
    each, to losses of that shape, in place of the recipe's. optimizer: a function of a list of parameters,
    (M, ...) each, to a torch.optim.Optimizer in place of AdamW; its rates follow the recipe's schedule. Both
    train by PyTorch's step. Raises InputError as Fleet does.
    """
    text(label=label)
    if deadline is not None:
        finite(deadline=deadline)
    members = len(Stream.of(seeds, "training").seeds)
    pretraining_tasks = [None] * members if pretraining_tasks is None else pretraining_tasks
    with room_for(members, device), torch.inference_mode(False):  # with gradients in any case
        fleet = Fleet([task] * members, model, recipe, seeds, pretraining_tasks, device,
                      loss=loss, optimizer=optimizer)
        if len({*zip(seeds, pretraining_tasks)}) < members:
            raise InputError(f"seeds: expected different ones, since equal ones give the same model, got {seeds!r}")
        run_steps(fleet, label, lambda: deadline is not None and time.monotonic() > deadline)
    for seed, alive in zip(seeds, fleet.alive.tolist()):
        if not alive:
            tell_diverged(model, seed, recipe)
    return fleet.module


def tell_diverged(model, seed: int, recipe: Recipe) -> None:
    """Say that a member diverged, and at which learning rate."""
    tell(f"{type(model).__name__}, seed {seed}, learning rate {recipe.learning_rate:g}: diverged")
