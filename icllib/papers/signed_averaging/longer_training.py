"""Softmax and SSA trained further than in Figure 3: does SSA's lead appear as models get better?"""

from dataclasses import replace

import numpy as np

from icllib.models import SignedAveraging, Softmax
from icllib.papers.signed_averaging.affine import FIRST_COUNTED, SIGMAS, SIZES, affine_run, decoder
from icllib.papers.signed_averaging.another_engine import PointErrors
from icllib.training import Along, Run

# Fixed before these models were trained, by a pilot of one softmax model that is not counted: the
# shape of Table 6 that is next to Figure 3's, and the steps after which its error in distribution
# was a quarter of that of Figure 3's models at most. All else is as there, the rate too.
DEEPER = {"smoke": replace(SIZES["smoke"], layers=1),
          "cpu": replace(SIZES["cpu"], layers=3, steps=30_000)}
STOPPED = (1 / 8, 1 / 4, 1 / 2, 0.6, 0.7, 0.8, 0.9, 1)  # shares of training at which errors are read
SCORINGS = {"softmax": Softmax(), "SSA": SignedAveraging()}


def runs(profile: str) -> list[Run]:
    """Pairs of models of one seed, with softmax and with SSA, so that both have the same prompts."""
    if profile not in DEEPER:
        return []
    return [run_of(profile, scoring, seed) for scoring in SCORINGS.values()
            for seed in range(DEEPER[profile].seeds)]


def run_of(profile: str, scoring, seed: int) -> Run:
    """One model, with its errors at every point along training."""
    size = DEEPER[profile]
    prompts = 2 if profile == "smoke" else 2048
    errors = PointErrors(SIGMAS, prompts)
    stops = tuple(sorted({max(1, round(size.steps * share)) for share in STOPPED}))
    run = affine_run(size, decoder(size, scoring), seed)
    return replace(run, evaluation=errors, along=Along(stops, errors))


def paths(records, first: int = FIRST_COUNTED) -> dict[str, np.ndarray]:
    """The errors along training, counted from the `first` point on: {name: (seeds, stops, 10)}."""
    found = {name: [] for name in SCORINGS}
    for record in records:
        name = "SSA" if "SignedAveraging" in record.run["model"]["scoring"]["type"] else "softmax"
        found[name].append(record["error_at_along"][..., first - 1:].mean(axis=-1))
    return {name: np.array(values) for name, values in found.items() if values}
