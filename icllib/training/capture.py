"""On CUDA, a fleet's whole step as one graph: warmed up, compiled, captured."""

import contextlib
import sys
from dataclasses import replace

import torch

from icllib.streams import philox, word_of

WARM_UP = 3  # compiled steps before capture; their effect is undone


def captured_step(fleet):
    """The fleet's step as one CUDA graph, compiled; without compiler or graph where that fails.

    The step keeps the fleet alive: a graph reads and writes the memory of its tensors.
    """
    precise = fleet.recipe.precision in ("fp32", "fp64")
    torch.set_float32_matmul_precision("highest" if precise else "high")
    torch.compiler.reset()  # else every fleet counts as one more recompilation
    start = {name: tensor.clone() for name, tensor in fleet.tensors().items()}
    warm_up(fleet, start, 1)  # what is made once must be there before it is compiled
    for name, context in (("compiled", compiled), ("captured", contextlib.nullcontext)):
        try:
            with context(fleet):
                return capture(fleet, start)
        except Exception as error:  # whatever the compiler or the driver objects to
            print(f"icllib: no {name} step ({type(error).__name__}: {error})", file=sys.stderr)
            torch.cuda.set_stream(torch.cuda.default_stream())  # a failed capture leaves its own
            restore(fleet, start)
    return fleet.take_step


@contextlib.contextmanager
def compiled(fleet):
    """Within it, random numbers and layers are compiled; a graph captured there stays so.

    Layers that are alike are compiled once for all, a module without such layers whole.
    """
    parts = getattr(fleet.module, "alike", [fleet.module])
    stream = fleet.stream
    torch.compiler.assume_constant_result(word_of)  # here: it takes seconds to import the compiler
    fleet.stream = replace(stream, generator=torch.compile(philox, dynamic=True))
    for part in parts:
        # Constants folded into Philox's counters become products that Triton refuses.
        part.forward = torch.compile(
            part.forward, options={"constant_and_index_propagation": False})
    try:
        yield
    finally:
        fleet.stream = stream
        for part in parts:
            del part.forward


def capture(fleet, start: dict):
    """Warm up, and record the graph."""
    warm_up(fleet, start, min(WARM_UP, fleet.recipe.steps - int(fleet.step)))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fleet.take_step()
    graph.fleet = fleet
    return graph.replay


def warm_up(fleet, start: dict, steps: int) -> None:
    """Take steps on a side stream, and undo them."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(steps):
            fleet.take_step()
    torch.cuda.current_stream().wait_stream(side)
    restore(fleet, start)


def restore(fleet, start: dict) -> None:
    """Put every tensor back in place; optimizer state that was not there yet becomes zero."""
    for name, tensor in fleet.tensors().items():
        tensor.copy_(start[name]) if name in start else tensor.zero_()
