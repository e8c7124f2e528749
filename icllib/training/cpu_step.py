"""A decoder's training step and answers in compiled code, on one core of a CPU: built, called, or left out.

cpu_step.cpp computes what PyTorch would, a few prompts at a time. The machine's own compiler
makes it for its own processor, once; PyTorch's step remains where there is none, and for models
that the compiled code does not know.
"""

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Callable, NamedTuple

import torch
from torch import Tensor

from claimbook.records.processor import processor_name
from icllib.models.layout import joint_tokens, lay_out, separate_tokens
from icllib.models.mixing import Average, FusedSoftmax, GaussianAttention, ScaledSoftmax, SignedSoftmax
from icllib.models.scoring import Relu
from icllib.models.sgpt import StackedSGPT
from icllib.models.transformer import StackedTransformer
from icllib.progress import tell
from icllib.streams import constant
from icllib.tasks import Prompt

SOURCE = Path(__file__).with_suffix(".cpp")
# An infinity must stay one, so that a member that diverges is seen: no -ffast-math.
OPTIONS = ("-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math",
           "-ffp-contract=fast", "-shared", "-fPIC")
COMPILERS = "c++", "g++", "clang++"
# By the class of a scoring's module, its place in cpu_step.cpp's list and its parameters.
SCORINGS = {FusedSoftmax: (0, ("temperature",)), SignedSoftmax: (1, ("excess", "log_b")),
            ScaledSoftmax: (2, ("s",)), GaussianAttention: (3, ()), Average: (5, ())}
RELU = 4
NORMALIZATIONS = "l1", "absolute", "none"
STEPS_SAMPLED, MOST_SAMPLED = (10, 5, 2, 1), 2**17  # at a time: steps, and numbers of their inputs
MOST_TOGETHER = 320  # tokens that go through the layers at a time; twice the width, where that is less


@cache
def library():
    """The compiled code, or None where it cannot be made; says so, once."""
    try:
        if not compiler():
            raise OSError("no C++ compiler")
        loaded = ctypes.CDLL(str(compiled_library(compiler())))
    except (OSError, subprocess.SubprocessError) as error:
        reason = " ".join((getattr(error, "stderr", None) or str(error)).split())[:200]
        tell(f"training takes twice as long as it could: the step for this processor was not compiled ({reason}); "
             "install g++ or clang++, or name a compiler in $CXX")
        return None
    for kind in ("decoder", "sgpt"):
        getattr(loaded, f"{kind}_scratch").restype = ctypes.c_long
        getattr(loaded, f"{kind}_step").restype = ctypes.c_double
    return loaded


@cache
def made_before() -> bool:
    """Whether the compiled code was there before it was first asked for: who only measures does not wait for
    a compiler."""
    try:
        return (found := compiler()) is not None and library_path(found).exists()
    except (OSError, subprocess.SubprocessError):
        return False


def compiler() -> str | None:
    """The command that compiles C++ here, if there is one."""
    return os.environ.get("CXX") or next(filter(shutil.which, COMPILERS), None)


def library_path(compiler: str) -> Path:
    """Where the library of this source, compiler and processor is, or is to be."""
    command = shlex.split(compiler)
    version = subprocess.run([*command, "--version"], capture_output=True, check=True).stdout
    made_of = [SOURCE.read_bytes(), version, *map(str.encode, (*command, *OPTIONS, processor_name()))]
    name = hashlib.sha256(b"\0".join(made_of)).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "icllib" / f"cpu_step-{name}.so"


def compiled_library(compiler: str) -> Path:
    """The library, made if it is not there yet."""
    path = library_path(compiler)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            own = Path(folder) / path.name
            subprocess.run([*shlex.split(compiler), *OPTIONS, "-o", own, SOURCE], capture_output=True,
                           check=True, encoding="utf-8")
            os.replace(own, path)
    return path


class Sizes(ctypes.Structure):
    """The sizes of a pass through the layers, in the order of cpu_step.cpp."""

    _fields_ = [(name, ctypes.c_int) for name in (
        "layers", "shared_layers", "heads", "width", "mixed_width", "inputs", "outputs", "prompts",
        "together", "tokens", "queries", "places", "attention", "perceptron", "normalize_stream",
        "final_norm", "probes", "scoring", "cross_entropy")] + [("read_out_rate", ctypes.c_float)]


class CpuLayout(ctypes.Structure):
    """Where the arrays of a pass stand, in the order of cpu_step.cpp."""

    _fields_ = [(name, ctypes.c_void_p) for name in ("read", "place", "seen", "sees_itself", "weights")]


class Descent(ctypes.Structure):
    """The numbers of AdamW at a step, in the order of cpu_step.cpp."""

    _fields_ = [("tensors", ctypes.c_int), ("members", ctypes.c_int)] + [
        (name, ctypes.c_double) for name in ("clip", "beta1", "beta2", "epsilon", "decay", "correction1",
                                            "correction2")]


def addresses(tensors, member: int = 0):
    """An array of pointers to one member's part of each tensor; None stays."""
    own = [None if tensor is None else tensor[member].data_ptr() for tensor in tensors]
    return (ctypes.c_void_p * len(own))(*own)


class Pass(NamedTuple):
    """What the compiled code is told of one pass: context lengths that share their tokens."""

    tokens: Callable[[Tensor, Tensor], Tensor]  # xs, ys -> (M, B, T, inputs)
    targets: Tensor  # which points
    zeros: int  # outputs at pairs, whose target is 0
    sizes: Sizes
    layout: CpuLayout
    kept: tuple  # the tensors that the layout points to
    scratch: int


class Compiled:
    """A module that the library knows: its answers, and passes through its layers."""

    loss_on_pairs = cross_entropy = False
    probes = 0

    def __init__(self, module):
        self.module, self.settings, self.passes, self.memory = module, module.settings, {}, torch.empty(0)
        self.kind, self.library = "sgpt" if type(module) is StackedSGPT else "decoder", library()

    def __reduce__(self):
        return Compiled, (self.module,)  # the rest are addresses

    def tensors(self) -> list:
        """The module's tensors in the order of cpu_step.cpp's parts."""
        module = self.module
        if self.kind == "decoder":
            return list(decoder_tensors(module))
        return [module.embedding, module.read_out,
                *(own for block in module.blocks for own in (block.project, block.mlp))]

    def answers(self, xs: Tensor, ys: Tensor, lengths, points=None) -> Tensor:
        """What the module's forward pass answers, but for rounding: (M, B, K), or (M, B, K, classes)."""
        lengths, found, tensors = tuple(lengths), [], self.tensors()
        if getattr(self.module, "positions", None) is not None and max(lengths) > self.module.pairs:
            return self.module(xs, ys, lengths, points)  # which says what is wrong
        layout = lengths, lengths if points is None else tuple(points)
        scoring = None if self.kind == "sgpt" else scoring_of(self.module)
        for part in self.passes_of(layout, (1.0,) * len(lengths), xs, scoring):
            tokens = part.tokens(xs, ys).contiguous()
            if tokens.shape[-1] != part.sizes.inputs:
                return self.module(xs, ys, lengths, points)  # which says what is wrong
            own = torch.zeros(*tokens.shape[:2], part.sizes.queries, part.sizes.outputs)
            for member in range(len(xs)):
                getattr(self.library, f"{self.kind}_answers")(
                    ctypes.byref(part.sizes), ctypes.byref(part.layout), addresses(tensors, member),
                    *(ctypes.c_void_p(values.data_ptr()) for values in (tokens[member], own[member], self.memory)))
            found.append(own)
        answers = torch.cat(found, dim=2)
        return answers if getattr(self.module, "classes", None) else answers[..., 0]

    def passes_of(self, layout: tuple, weights: tuple, xs: Tensor, scoring=None) -> list[Pass]:
        """The passes in which these context lengths and points have these weights in the loss. scoring: the
        module's, where it may change."""
        key = layout, weights, xs.shape[1], getattr(self.module, "repeats", 1), scoring
        if key not in self.passes:
            is_sgpt = self.kind == "sgpt"
            counted = [own for own in zip(*layout, weights) if own[2]]
            left, made = iter(counted), []
            lengths = [length for length, _, _ in counted]
            for together in [lengths] if is_sgpt else self.settings.passes(lengths):
                make: Callable[..., Pass] = self.sgpt_pass if is_sgpt else self.decoder_pass
                made.append(make(*zip(*(next(left) for _ in together)), len(weights), xs))
            self.passes[key] = made
            needed = max(part.scratch for part in made)
            if len(self.memory) < needed:
                self.memory = torch.empty(needed)
        return self.passes[key]

    def decoder_pass(self, lengths, points, weights, queries: int, xs: Tensor) -> Pass:
        """A pass of a decoder: queries[k] of the loss has weights[k] and sees lengths[k] pairs."""
        settings, module, pairs = self.settings, self.module, max(lengths)
        layout = lay_out(settings, lengths, points, xs.device, self.loss_on_pairs)
        if settings.tokens == "separate":
            tokens = lambda xs, ys: separate_tokens(xs, ys, pairs)
        elif settings.tokens == "inputs":
            tokens = lambda xs, ys: xs[:, :, : pairs + 1]
        else:
            tokens = lambda xs, ys: joint_tokens(xs, ys, pairs, layout.points)
        zeros, outputs = pairs if self.loss_on_pairs else 0, module.classes or 1
        weights = torch.tensor([1.0] * zeros + list(weights)) / (queries + zeros) / outputs
        return self.make(
            tokens, points, zeros, (layout.read, layout.places, *rows_of(layout.mask), weights), xs,
            layers=len(module.blocks) * module.repeats, shared_layers=settings.shared_layers,
            heads=settings.heads, width=settings.width, mixed_width=settings.mixed_width,
            inputs=module.embed.weight.shape[1], outputs=outputs,
            places=0 if module.positions is None else module.positions.shape[1],
            attention=settings.attention, perceptron=settings.perceptron,
            normalize_stream=settings.normalize_stream, final_norm=settings.final_norm,
            probes=self.probes, scoring=scoring_of(module)[0], read_out_rate=settings.read_out_rate)

    def sgpt_pass(self, lengths, points, weights, queries: int, xs: Tensor) -> Pass:
        """A pass of an SGPT: the sequences of all context lengths one behind the other."""
        settings, last = self.settings, torch.tensor(lengths).add(1).cumsum(0) - 1
        order = torch.cat([torch.arange(length + 1) for length in lengths])
        is_query = torch.zeros(len(order), dtype=torch.bool).index_fill(0, last, True)

        def tokens(xs, ys):
            labels = ys.index_select(2, order).masked_fill(is_query, 0)
            return torch.cat((xs.index_select(2, order), labels[..., None]), dim=3)

        weights = torch.tensor(weights) / queries
        return self.make(tokens, points, 0, (last, order, order, order, weights), xs,
                         layers=settings.layers, width=settings.width, inputs=self.module.embedding.shape[1], outputs=1,
                         places=max(lengths) + 1, perceptron=settings.mlp_skip,
                         scoring=NORMALIZATIONS.index(settings.normalization), read_out_rate=1.0)

    def make(self, tokens, points, zeros: int, layout: tuple, xs: Tensor, **others) -> Pass:
        """One pass; layout: the tensors of Layout; others: the sizes that follow from no tensor."""
        prompts, (read, place, *_, weights) = xs.shape[1], layout
        together = max(1, min(2 * others["width"], MOST_TOGETHER) // len(place))
        sizes = Sizes(prompts=prompts, together=min(prompts, together), tokens=len(place),
                      queries=len(read), cross_entropy=self.cross_entropy, **others)
        kept = *(own.int().contiguous() for own in layout[:-1]), weights / prompts
        pointers = CpuLayout(*(own.data_ptr() for own in kept))
        return Pass(tokens, constant(points, xs.device), zeros, sizes, pointers, kept,
                    getattr(self.library, f"{self.kind}_scratch")(ctypes.byref(sizes)))


class CpuStep(Compiled):
    """Losses, gradients and AdamW of a fleet, computed by the library."""

    def __init__(self, fleet):
        super().__init__(fleet.module)
        self.fleet, self.layout = fleet, fleet.recipe.layout
        fleet.stream = replace(fleet.stream, generator=partial(library_philox, self.library))
        self.loss_on_pairs, self.cross_entropy = fleet.recipe.loss_on_pairs, fleet.recipe.loss == "cross-entropy"
        self.probes = len(getattr(fleet.module, "probes", ()))
        parameters, members = fleet.parameters, len(fleet.alive)
        sizes = [parameter.numel() for parameter in parameters]
        self.flat = torch.zeros(sum(sizes))
        self.gradients = [part.view_as(own) for part, own in zip(self.flat.split(sizes), parameters)]
        gradient_of = {id(own): part for own, part in zip(parameters, self.gradients)}
        self.step, named = getattr(self.library, f"{self.kind}_step"), self.tensors()
        self.parameters = [addresses(named, member) for member in range(members)]
        self.gradients_of = [addresses([gradient_of.get(id(own)) for own in named], member)
                             for member in range(members)]
        self.counts = torch.zeros(len(parameters))
        for parameter, count in zip(parameters, self.counts):
            fleet.optimizer.state[parameter] = {"step": count, "exp_avg": torch.zeros_like(parameter),
                                                "exp_avg_sq": torch.zeros_like(parameter)}
        moments = [[fleet.optimizer.state[own][name] for own in parameters]
                   for name in ("exp_avg", "exp_avg_sq")]
        self.kept = parameters, self.gradients, *moments
        self.of_descent = [addresses(own) for own in self.kept]
        self.lengths = (ctypes.c_long * len(sizes))(*(size // members for size in sizes))
        relative = fleet.relative_rates
        self.relative = torch.ones(members) if relative is None else relative.float().contiguous()
        self.prompts, self.sampled = None, range(0)  # at which steps
        recipe, points = fleet.recipe, fleet.recipe.points * fleet.tasks[0].dimension
        alike = not (recipe.dimensions or recipe.permute_pairs)
        self.together = next(steps for steps in STEPS_SAMPLED if steps == 1 or alike
                             and steps * members * recipe.batch * points <= MOST_SAMPLED)

    def prompt(self) -> Prompt:
        """The prompts of this step; those of several steps are drawn at once, which costs hardly more."""
        step, batch = int(self.fleet.step), self.fleet.recipe.batch
        if step not in self.sampled:
            self.sampled = range(step, step - step % self.together + self.together)
            self.prompts = self.fleet.sample(len(self.sampled))
        first = (step - self.sampled.start) * batch
        return Prompt(*(values[:, first : first + batch] for values in self.prompts))

    def losses(self, prompt) -> Tensor:
        """Each member's loss on its prompts, (M,); its gradients are then in `gradients`."""
        recipe, step = self.fleet.recipe, self.fleet.step
        weights = recipe.length_weights(step)
        own = (1.0,) * len(self.layout[0]) if weights.dim() == 0 else tuple(weights.tolist())
        totals = [0.0] * len(self.parameters)
        self.flat.zero_()
        for part in self.passes_of(self.layout, own, prompt.xs):
            tokens, targets = part.tokens(prompt.xs, prompt.ys), prompt.ys.index_select(2, part.targets)
            if part.zeros:
                targets = torch.cat((torch.zeros_like(prompt.ys[:, :, : part.zeros]), targets), dim=2)
            tokens, targets = tokens.contiguous(), targets.contiguous()
            for member, (values, gradients) in enumerate(zip(self.parameters, self.gradients_of)):
                totals[member] += self.step(
                    ctypes.byref(part.sizes), ctypes.byref(part.layout), values, gradients,
                    ctypes.c_void_p(tokens[member].data_ptr()), ctypes.c_void_p(targets[member].data_ptr()),
                    ctypes.c_void_p(self.memory.data_ptr()))
        return torch.tensor(totals)

    def descend(self) -> None:
        """One step of AdamW; a member that is not alive gets no more gradient."""
        fleet, recipe = self.fleet, self.fleet.recipe
        self.counts += 1
        step = int(fleet.step)
        corrections = (1 - beta ** (step + 1) for beta in recipe.betas)
        clip = float("inf") if recipe.clip is None else recipe.clip
        by = Descent(len(self.lengths), len(self.relative), clip, *recipe.betas, recipe.epsilon,
                     recipe.weight_decay, *corrections)
        rates = fleet.rates[step] * self.relative
        self.library.descend(ctypes.byref(by), *self.of_descent, self.lengths,
                             ctypes.c_void_p(fleet.alive.data_ptr()), ctypes.c_void_p(rates.data_ptr()))


def scoring_of(module):
    """A decoder's scoring and the names of its parameters, as the library has them; None for a decoder that
    it does not know."""
    settings = module.settings
    if settings.positions == "rotary" or settings.normalization != "layer" or settings.activation != "gelu":
        return None
    if not settings.attention:
        return 0, ()
    own = module.blocks[0].scoring
    if settings.scoring == Relu():
        return RELU, ()
    return SCORINGS.get(type(own))


def decoder_tensors(module):
    """A decoder's tensors in the order of cpu_step.cpp's DecoderPart; None for what it has not."""
    def of(part, *names):
        return [getattr(part, name, None) for name in names]

    yield from of(module.embed, "weight", "bias")
    yield module.positions
    yield from of(module.final_norm, "gain", "bias")
    yield from of(module.read_out, "weight", "bias")
    names = scoring_of(module)[1]
    for block in module.blocks:
        part = partial(getattr, block)
        yield from of(part("attention_norm", None), "gain", "bias")
        for linear in ("qkv", "project"):
            yield from of(part(linear, None), "weight", "bias")
        yield from (of(part("scoring", None), *names) + [None, None])[:2]
        yield from of(part("mlp_norm", None), "gain", "bias")
        for linear in ("expand", "contract"):
            yield from of(part(linear, None), "weight", "bias")
    for probe in module.probes:
        yield from of(probe, "weight", "bias")


def rows_of(mask: Tensor) -> tuple[Tensor, Tensor]:
    """How many first tokens each token sees; 1 where it sees itself behind them, -1 where it is one of them
    and does not see itself."""
    own, itself, places = mask.diagonal(), torch.eye(len(mask), dtype=torch.bool), torch.arange(len(mask))
    first, around = (rows.long().cumprod(1).sum(1) for rows in (mask, mask | itself))
    hidden = ~own & (around > places + 1)
    seen = torch.where(hidden, around, first)
    return seen, (own & (places >= seen)).long() - hidden.long()


def is_known(module) -> bool:
    """Whether the library knows this module, which is on a CPU, in single precision, and as it was built."""
    known = type(module) is StackedSGPT or type(module) is StackedTransformer and bool(scoring_of(module))
    if known and getattr(module.settings, "mask", "") == "leave-one-out":
        known = scoring_of(module)[0] in (0, 3)  # where a score of minus infinity has no weight and no slope
    return known and all(own.dtype == torch.float32 and own.device.type == "cpu" and own.is_contiguous()
                         for own in module.parameters())


def compiled_step(fleet) -> CpuStep | None:
    """The compiled step of a fleet, or None where PyTorch's must do."""
    return CpuStep(fleet) if is_known(fleet.module) and library() else None


def stands_in(module) -> bool:
    """Whether the library answers for a module: on one thread, without gradients, where nothing else is to see
    what passes through its layers."""
    if torch.is_grad_enabled() or torch.get_num_threads() > 1 or not is_known(module) or not made_before():
        return False
    seen = any(part._forward_hooks or part._forward_pre_hooks or "forward" in vars(part)
               for part in module.modules())
    alike = len({type(getattr(block, "scoring", None)) for block in module.blocks}) == 1
    return alike and not seen and library() is not None


def library_philox(loaded, counter, key):
    """icllib.streams.philox by the library: the same words."""
    parts = torch.broadcast_tensors(*counter, *key)
    out = torch.empty(*parts[0].shape, 4, dtype=torch.int64)
    shape = (1, 1, 1, *parts[0].shape)[-3:]
    parts = [part.expand(shape) for part in parts]
    steps = (ctypes.c_long * 18)(*(step for part in parts for step in part.stride()))
    loaded.philox((ctypes.c_void_p * 6)(*(part.data_ptr() for part in parts)), steps,
                  (ctypes.c_long * 3)(*shape), ctypes.c_void_p(out.data_ptr()))
    return out.unbind(-1)
