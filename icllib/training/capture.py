"""On CUDA, a fleet's whole step as one graph: compiled, warmed up, captured."""

import sys

import torch

WARM_UP = 3  # eager steps before capture; their effect is undone


def captured_step(fleet):
    """The fleet's step as one CUDA graph with the module compiled; eager where that fails."""
    precise = fleet.recipe.precision in ("fp32", "fp64")
    torch.set_float32_matmul_precision("highest" if precise else "high")
    start = {name: tensor.clone() for name, tensor in fleet.tensors().items()}
    plain = fleet.forward
    try:
        fleet.forward = torch.compile(plain)
        return capture(fleet, start)
    except Exception as error:  # whatever the compiler or the driver objects to
        print(f"icllib: no captured step ({type(error).__name__}: {error}); going on eagerly",
              file=sys.stderr)
        fleet.forward = plain
        restore(fleet, start)
        return fleet.take_step


def capture(fleet, start: dict):
    """Warm up on a side stream, undo what that did, and record the graph."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(min(WARM_UP, fleet.recipe.steps - int(fleet.step))):
            fleet.take_step()
    torch.cuda.current_stream().wait_stream(side)
    restore(fleet, start)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        fleet.take_step()
    return graph.replay


def restore(fleet, start: dict) -> None:
    """Put every tensor back in place; optimizer state that was not there yet becomes zero."""
    for name, tensor in fleet.tensors().items():
        tensor.copy_(start[name]) if name in start else tensor.zero_()
