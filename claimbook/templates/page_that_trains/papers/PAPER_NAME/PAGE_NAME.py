"""Fill in: what the page shows."""

from icllib.baselines import Ridge, Zero
from icllib.evaluate import ErrorByLength
from icllib.models import Transformer
from icllib.tasks import LinearRegression
from icllib.training import Recipe, Run

TASK = LinearRegression(dimension=2, noise_std=0.5)  # Fill in: where the paper says so, or ASSUMED and why
EVALUATION = ErrorByLength(lengths=(2, 5, 10), prompts=1024)
STEPS = {"smoke": 20, "cpu": 3_000, "gpu": 20_000, "paper": 200_000}


def runs(profile: str) -> list[Run]:
    """The runs of a profile, which train together, a seed each."""
    model = Transformer(layers=2, heads=2, width=32)
    recipe = Recipe(lengths=tuple(range(1, 11)), steps=STEPS[profile], batch=32, learning_rate=5e-3,
                    schedule="cosine", warmup=0.05)
    return [Run(TASK, model, recipe, EVALUATION, seed) for seed in range(3)]


def pilot(profile: str) -> list[Run]:
    """The first of them alone: what it trains is not trained again with the others."""
    return runs(profile)[:1]


def of_baselines() -> dict:
    """The errors of ridge regression with the best penalty, and of the answer 0: {name: {length: error}}."""
    errors = lambda predictor: EVALUATION.measure(TASK, predictor)["error"][0]
    return {name: dict(zip(EVALUATION.lengths, errors(predictor)))
            for name, predictor in {"ridge": Ridge.bayes(TASK), "zero": Zero()}.items()}
