"""Tables 2 and 4: GPT-2 with softmax and with SSA on eleven benchmarks, as printed (not run)."""

from typing import NamedTuple

import numpy as np
import pandas as pd

SHOTS = {"0-shot": 0, "3-shot": 1}  # indices in Benchmark.scores
PERPLEXITY = {"softmax": 31.7, "SSA": 27.7}  # Section 7.2, on OpenWebText after 50,000 steps


class Benchmark(NamedTuple):
    """A benchmark and its printed scores.

    task: its name in the claim's parts; size: questions in the test set, or in the validation set
    if that is scored; answers: choices per question, 0 if free. Size and answers are those of the
    benchmark, not printed in the paper. scores: for each of SHOTS softmax, its standard error, SSA,
    its standard error, in percent.
    """

    task: str
    size: int
    answers: int
    scores: tuple[tuple[float, float, float, float], tuple[float, float, float, float]]


BENCHMARKS = {
    "ARC-Challenge": Benchmark("arc_challenge", 1172, 4,
                               ((20.8, 1.21, 23.2, 1.21), (23.40, 1.20, 25.92, 1.22))),
    "ARC-Easy": Benchmark("arc_easy", 2376, 4,
                          ((45.5, 1.02, 47.9, 1.03), (48.13, 1.03, 50.19, 1.03))),
    "HellaSwag": Benchmark("hellaswag", 10042, 4,
                           ((29.2, 0.46, 29.5, 0.45), (30.33, 0.46, 31.25, 0.45))),
    "LAMBADA": Benchmark("lambada", 5153, 0,
                         ((24.8, 0.61, 25.4, 0.60), (15.44, 0.54, 16.46, 0.51))),
    "BoolQ": Benchmark("boolq", 3270, 2, ((60.2, 0.85, 61.1, 0.86), (55.34, 0.85, 57.08, 0.87))),
    "CB": Benchmark("cb", 56, 3, ((22.5, 6.09, 58.5, 6.74), (37.94, 6.74, 51.34, 6.70))),
    "COPA": Benchmark("copa", 100, 2, ((62.3, 4.73, 64.9, 4.92), (63.31, 4.82, 72.69, 4.69))),
    "MultiRC": Benchmark("multirc", 4848, 2,
                         ((56.4, 0.71, 57.9, 0.71), (53.36, 0.71, 54.80, 0.72))),
    "RTE": Benchmark("rte", 277, 2, ((45.7, 3.01, 56.8, 3.00), (47.17, 3.00, 53.19, 3.01))),
    "WiC": Benchmark("wic", 638, 2, ((48.0, 1.98, 52.0, 1.98), (43.80, 1.98, 47.74, 1.97))),
    "WSC": Benchmark("wsc", 104, 2, ((31.8, 4.74, 41.3, 4.74), (35.55, 4.89, 45.21, 4.83))),
}


def printed_scores(shots: str) -> pd.DataFrame:
    """The printed scores and errors in percent, a row for each benchmark; shots: one of SHOTS."""
    rows = {name: benchmark.scores[SHOTS[shots]] for name, benchmark in BENCHMARKS.items()}
    return pd.DataFrame.from_dict(rows, orient="index",
                                  columns=["softmax", "softmax error", "SSA", "SSA error"])


def chance_level() -> pd.Series:
    """The score in percent of choosing among the offered answers at random; nan for LAMBADA."""
    return pd.Series({name: 100 / benchmark.answers if benchmark.answers else np.nan
                      for name, benchmark in BENCHMARKS.items()})


def sampling_error(scores: pd.Series) -> pd.Series:
    """100 sqrt(p (1 - p) / N): the standard error of one pass over N questions, in percent."""
    shares = scores / 100
    sizes = pd.Series({name: benchmark.size for name, benchmark in BENCHMARKS.items()})
    return 100 * np.sqrt(shares * (1 - shares) / sizes)


def gains(shots: str) -> pd.DataFrame:
    """SSA's gain over softmax, in points and relative to the printed errors, for each benchmark.

    "in joint": over sqrt(e1^2 + e2^2), as if the two scores were independent; "in sums": over e1 +
    e2. The last two columns are the printed errors over their `sampling_error`.
    """
    rows = printed_scores(shots)
    gain, errors = rows["SSA"] - rows["softmax"], rows[["softmax error", "SSA error"]]
    return pd.DataFrame({
        "gain": gain, "in joint": gain / np.hypot(*errors.T.values),
        "in sums": gain / errors.sum(axis=1),
        "softmax ratio": rows["softmax error"] / sampling_error(rows["softmax"]),
        "SSA ratio": rows["SSA error"] / sampling_error(rows["SSA"])})


def runs(profile: str) -> list:
    """Nothing to run."""
    return []
