"""A decoder's training step in compiled code, on one core of a CPU: built, called, or left out.

cpu_step.cpp computes what autograd would, a few prompts at a time. The machine's own compiler
makes it for its own processor, once; PyTorch's step remains where there is none, and for models
that the compiled code does not know.
"""

import ctypes
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor

from claimbook.records.processor import processor_name
from icllib.models.layout import IN_A_ROW, joint_tokens, lay_out, separate_tokens
from icllib.models.mixing import Average, FusedSoftmax, GaussianAttention, SignedSoftmax
from icllib.models.scalable import ScaledSoftmax
from icllib.models.scoring import Relu
from icllib.models.transformer import StackedTransformer
from icllib.streams import constant

SOURCE = Path(__file__).with_suffix(".cpp")
# An infinity must stay one, so that a member that diverges is seen: no -ffast-math.
OPTIONS = ("-std=c++17", "-O3", "-march=native", "-fno-math-errno", "-fno-trapping-math",
           "-ffp-contract=fast", "-shared", "-fPIC")
COMPILERS = "c++", "g++", "clang++"
# By the class of a scoring's module, its place in cpu_step.cpp's list and its parameters.
SCORINGS = {FusedSoftmax: (0, ("temperature",)), SignedSoftmax: (1, ("excess", "log_b")),
            ScaledSoftmax: (2, ("s",)), GaussianAttention: (3, ()), Average: (5, ())}
RELU = 4
ROWS_TOGETHER = 64  # at least so many tokens go through the layers at a time, measured


# ---- the compiled library -------------------------------------------------------------------


@cache
def library():
    """The compiled code, or None where it cannot be made; says so, once."""
    compiler = os.environ.get("CXX") or next(filter(shutil.which, COMPILERS), None)
    try:
        if compiler is None:
            raise OSError("no C++ compiler")
        loaded = ctypes.CDLL(str(compiled(compiler)))
    except (OSError, subprocess.SubprocessError) as error:
        reason = " ".join((getattr(error, "stderr", None) or str(error)).split())[:200]
        print("icllib: training takes twice as long as it could: the step for this processor was not "
              f"compiled ({reason}); install g++ or clang++, or name a compiler in $CXX", file=sys.stderr)
        return None
    loaded.scratch.restype, loaded.loss_and_gradients.restype = ctypes.c_long, ctypes.c_double
    return loaded


def compiled(compiler: str) -> Path:
    """The library of this source, compiler and processor, made if it is not there yet.

    Raises OSError or SubprocessError where it cannot be.
    """
    command = [*shlex.split(compiler), *OPTIONS]
    version = subprocess.run([*shlex.split(compiler), "--version"], capture_output=True, check=True).stdout
    made_of = [SOURCE.read_bytes(), version, *map(str.encode, (*command, processor_name()))]
    name = hashlib.sha256(b"\0".join(made_of)).hexdigest()[:16]
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    path = Path(base) / "icllib" / f"cpu_step-{name}.so"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            own = Path(folder) / path.name
            subprocess.run([*command, "-o", own, SOURCE], capture_output=True, check=True, text=True)
            os.replace(own, path)
    return path


class Sizes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in (
        "layers", "shared_layers", "heads", "width", "mixed_width", "inputs", "outputs", "prompts",
        "together", "tokens", "queries", "places", "attention", "perceptron", "normalize_stream",
        "final_norm", "probes", "scoring", "cross_entropy")]


class Layout(ctypes.Structure):
    _fields_ = [(name, ctypes.c_void_p) for name in ("read", "place", "seen", "sees_itself", "weights")]


class Descent(ctypes.Structure):
    _fields_ = [("tensors", ctypes.c_int), ("members", ctypes.c_int)] + [
        (name, ctypes.c_double) for name in ("clip", "beta1", "beta2", "epsilon", "decay", "correction1",
                                            "correction2")]


def addresses(tensors, member: int = 0):
    """An array of pointers to one member's part of each tensor; None stays."""
    own = [None if tensor is None else tensor[member].data_ptr() for tensor in tensors]
    return (ctypes.c_void_p * len(own))(*own)


# ---- a fleet's step -------------------------------------------------------------------------


class Pass(NamedTuple):
    """What the compiled code is told of one pass: context lengths that share their tokens."""

    tokens: object  # xs, ys -> (M, B, T, inputs)
    targets: Tensor  # which points
    zeros: int  # outputs at pairs, whose target is 0
    sizes: Sizes
    layout: Layout
    kept: tuple  # the tensors that the layout points to
    scratch: int


class CpuStep:
    """Losses, gradients and AdamW of a fleet of decoders, computed by the library."""

    def __init__(self, fleet, loaded):
        self.fleet, self.library, self.passes = fleet, loaded, {}
        fleet.stream = replace(fleet.stream, generator=partial(philox, loaded))
        self.settings, module = fleet.module.settings, fleet.module
        parameters, members = fleet.parameters, len(fleet.alive)
        sizes = [parameter.numel() for parameter in parameters]
        self.flat = torch.zeros(sum(sizes))
        self.gradients = [part.view_as(own) for part, own in zip(self.flat.split(sizes), parameters)]
        gradient_of = {id(own): part for own, part in zip(parameters, self.gradients)}
        named = list(model_tensors(module))
        self.parameters = [addresses(named, member) for member in range(members)]
        self.gradients_of = [addresses([gradient_of.get(id(own)) for own in named], member)
                             for member in range(members)]
        self.counts = torch.zeros(len(parameters))
        for parameter, count in zip(parameters, self.counts):
            fleet.optimizer.state[parameter] = {"step": count, "exp_avg": torch.zeros_like(parameter),
                                                "exp_avg_sq": torch.zeros_like(parameter)}
        moments = [[fleet.optimizer.state[own][name] for own in parameters] for name in ("exp_avg", "exp_avg_sq")]
        self.kept = parameters, self.gradients, *moments
        self.tensors = [addresses(own) for own in self.kept]
        self.lengths = (ctypes.c_long * len(sizes))(*(size // members for size in sizes))
        relative = fleet.relative_rates
        self.relative = torch.ones(members) if relative is None else relative.float().contiguous()
        self.memory = torch.empty(0)

    def losses(self, prompt) -> Tensor:
        """Each member's loss on its prompts, (M,); its gradients are then in `gradients`."""
        recipe, step = self.fleet.recipe, self.fleet.step
        weights = recipe.length_weights(step)
        own = (1.0,) * len(recipe.layout[0]) if weights.dim() == 0 else tuple(weights.tolist())
        totals = [0.0] * len(self.parameters)
        self.flat.zero_()
        for part in self.passes_of(own, prompt.xs):
            tokens, targets = part.tokens(prompt.xs, prompt.ys), prompt.ys.index_select(2, part.targets)
            if part.zeros:
                targets = torch.cat((torch.zeros_like(prompt.ys[:, :, : part.zeros]), targets), dim=2)
            tokens, targets = tokens.contiguous(), targets.contiguous()
            for member, (values, gradients) in enumerate(zip(self.parameters, self.gradients_of)):
                totals[member] += self.library.loss_and_gradients(
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
        by = Descent(len(self.lengths), len(self.relative), float("inf") if recipe.clip is None else recipe.clip,
                     *recipe.betas, recipe.epsilon, recipe.weight_decay, *corrections)
        rates = fleet.rates[step] * self.relative
        self.library.descend(ctypes.byref(by), *self.tensors, self.lengths,
                             ctypes.c_void_p(fleet.alive.data_ptr()), ctypes.c_void_p(rates.data_ptr()))

    def passes_of(self, weights: tuple, xs: Tensor) -> list[Pass]:
        """The passes of a loss in which the context lengths have these weights."""
        if weights not in self.passes:
            recipe, settings = self.fleet.recipe, self.settings
            counted = [own for own in zip(*recipe.layout, weights) if own[2]]
            left, made = iter(counted), []
            for lengths in settings.passes([length for length, _, _ in counted]):
                made.append(self.make(*zip(*(next(left) for _ in lengths)), len(weights), xs))
            self.passes[weights] = made
            needed = max(part.scratch for part in made)
            if len(self.memory) < needed:
                self.memory = torch.empty(needed)
        return self.passes[weights]

    def make(self, lengths, points, weights, queries: int, xs: Tensor) -> Pass:
        """One pass."""
        fleet, settings, module = self.fleet, self.settings, self.fleet.module
        recipe, pairs = fleet.recipe, max(lengths)
        layout = lay_out(settings, lengths, points, xs.device, recipe.loss_on_pairs)
        seen, sees_itself = rows_of(layout.mask)
        if settings.tokens == "separate":
            tokens = lambda xs, ys: separate_tokens(xs, ys, pairs)
        elif settings.tokens == "inputs":
            tokens = lambda xs, ys: xs[:, :, : pairs + 1]
        else:
            tokens = lambda xs, ys: joint_tokens(xs, ys, pairs, layout.points)
        zeros = pairs if recipe.loss_on_pairs else 0
        outputs = module.classes or 1
        scale = xs.shape[1] * (queries + zeros) * outputs
        weights = torch.tensor([1.0] * zeros + list(weights)) / scale
        kept = *(own.int().contiguous() for own in (layout.read, layout.places, seen, sees_itself)), weights
        count, prompts = len(layout.places), xs.shape[1]
        sizes = Sizes(settings.layers, settings.shared_layers, settings.heads, settings.width,
                      settings.mixed_width, module.embed.weight.shape[1], outputs, prompts,
                      min(prompts, max(1, ROWS_TOGETHER // count)), count, len(layout.read),
                      0 if module.positions is None else module.positions.shape[1], settings.attention,
                      settings.perceptron, settings.normalize_stream, settings.final_norm, len(module.probes),
                      scoring_of(module)[0], recipe.loss == "cross-entropy")
        pointers = Layout(*(own.data_ptr() for own in kept))
        scratch = self.library.scratch(ctypes.byref(sizes))
        return Pass(tokens, constant(points, xs.device), zeros, sizes, pointers, kept, scratch)


def scoring_of(module) -> tuple[int, tuple]:
    """A decoder's scoring and the names of its parameters, as the library has them; None if it has not."""
    if not module.settings.attention:
        return 0, ()
    own = module.blocks[0].scoring
    if module.settings.scoring == Relu():
        return RELU, ()
    return SCORINGS.get(type(own))


def model_tensors(module):
    """A decoder's tensors in the order of cpu_step.cpp's ModelPart; None for what it has not."""
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
    """How many first tokens each token sees, and whether it sees itself behind them."""
    seen = mask.long().cumprod(1).sum(1)
    return seen, mask.diagonal() & (torch.arange(len(mask)) >= seen)


def is_known(fleet) -> bool:
    """Whether the library can train this fleet."""
    module, recipe = fleet.module, fleet.recipe
    return (type(module) is StackedTransformer and fleet.step.device.type == "cpu"
            and recipe.dtype == torch.float32 and recipe.loss != "masked tokens"
            and scoring_of(module) is not None)


def compiled_step(fleet) -> CpuStep | None:
    """The compiled step of a fleet, or None where PyTorch's must do."""
    loaded = library() if is_known(fleet) else None
    return loaded and CpuStep(fleet, loaded)


def philox(loaded, counter, key):
    """icllib.streams.philox by the library: the same words."""
    parts = torch.broadcast_tensors(*counter, *key)
    shape = (1, 1, 1, *parts[0].shape)[-3:]
    parts = [part.expand(shape) for part in parts]
    steps = (ctypes.c_long * 18)(*(step for part in parts for step in part.stride()))
    out = torch.empty(*parts[0].shape, 4, dtype=torch.int64)
    loaded.philox((ctypes.c_void_p * 6)(*(part.data_ptr() for part in parts)), steps,
                  (ctypes.c_long * 3)(*shape), ctypes.c_void_p(out.data_ptr()))
    return out.unbind(-1)
