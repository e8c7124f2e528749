"""Which floor does each precision put under the error?

    python benchmarks/precision.py [--steps 5000]

Trains one decoder to a low loss in fp32 on noiseless linear regression, then measures the same
parameters on the same prompts in fp32, TF32 and bf16 (the forward pass alone), also by how far
their answers are from those of fp32, and goes on training in each. Results go to the device's
file under benchmarks/results. On a GPU only: a CPU computes everything in fp32.
"""

import argparse

import torch
from bench import store

from claimbook.records import rounded
from claimbook.records.provenance import provenance
from icllib.evaluate import ErrorByLength
from icllib.models import Transformer
from icllib.streams import Stream
from icllib.tasks import LinearRegression
from icllib.training import Fleet, Recipe
from icllib.training.engine import run_steps
from icllib.training.run import Trained

TASK, LENGTHS = LinearRegression(dimension=1), tuple(range(1, 40))


class InPrecision(Trained):
    """A trained fleet whose forward pass runs in another precision."""

    def __init__(self, module, precision: str):
        super().__init__(module)
        self.precision = precision

    def predict(self, xs, ys, lengths):
        torch.set_float32_matmul_precision("highest" if self.precision == "fp32" else "high")
        with torch.autocast("cuda", torch.bfloat16, enabled=self.precision == "bf16"):
            return super().predict(xs, ys, lengths).float()


def error(module, precision: str) -> float:
    """Mean error over context lengths from 3 on."""
    measured = ErrorByLength(LENGTHS).measure(TASK, InPrecision(module, precision), "cuda")
    return float(measured["error"][0, 2:].mean())


@torch.no_grad()
def distance_to_fp32(module, precision: str) -> float:
    """Mean squared difference between the answers in a precision and in fp32."""
    stream = Stream.of([0], "evaluation", "cuda")
    prompt = TASK.sample(stream, torch.arange(1024, device="cuda")[None], max(LENGTHS) + 1)
    own, exact = (InPrecision(module, name).predict(prompt.xs, prompt.ys, LENGTHS)
                  for name in (precision, "fp32"))
    return float((own - exact).square().mean())


def trained(steps: int, precision: str, start=None) -> Fleet:
    """A decoder after so many steps, from the parameters of another if one is given."""
    recipe = Recipe(LENGTHS, steps, learning_rate=1e-4 if start else 5e-4, schedule="cosine",
                    warmup=0.1, precision=precision)
    model = Transformer(12, 8, 256, tokens="separate")
    fleet = Fleet([TASK], model, recipe, [0], [None], "cuda")
    if start is not None:
        fleet.module.load_state_dict(start.module.state_dict())
    run_steps(fleet)
    return fleet


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=5000)
    options = parser.parse_args()
    start = trained(options.steps, "fp32")
    made = {"provenance": provenance("bench", "cuda"), "steps": options.steps}
    for precision in ("fp32", "tf32", "bf16"):
        longer = trained(options.steps, precision, start)
        result = {"same_parameters": error(start.module, precision),
                  "distance_to_fp32": distance_to_fp32(start.module, precision),
                  "trained_on_evaluated_in_fp32": error(longer.module, "fp32")}
        print(precision, result, flush=True)
        store(f"precision {precision}", made | rounded(result))


if __name__ == "__main__":
    if not torch.cuda.is_available():
        raise SystemExit("precision.py: expected a GPU, found none")
    main()
