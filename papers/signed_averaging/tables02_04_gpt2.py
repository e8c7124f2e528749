"""Tables 2 and 4: GPT-2 with softmax and with SSA on eleven benchmarks, as printed (not run)."""

from pathlib import Path

import numpy as np
import pandas as pd

from claimbook.records.files import damage_told

SHOTS = ("0-shot", "3-shot")
PERPLEXITY = {"softmax": 31.7, "SSA": 27.7}  # Section 7.2, on OpenWebText after 50,000 steps
# Printed, in percent: for each of SHOTS the scores and their standard errors. Of the benchmark, not printed
# in the paper: size, the questions in the test set, or in the validation set if that is scored, and
# answers, the choices per question, 0 if free. task: its name in the claim's parts.
with damage_told(Path(__file__).with_suffix(".csv"), "a table of scores"):
    BENCHMARKS = pd.read_csv(Path(__file__).with_suffix(".csv"), index_col="benchmark").rename_axis(None)


def printed_scores(shots: str) -> pd.DataFrame:
    """The printed scores and errors in percent, a row for each benchmark; shots: one of SHOTS."""
    return BENCHMARKS.filter(like=shots).rename(columns=lambda name: name.removesuffix(f", {shots}"))


def chance_level() -> pd.Series:
    """The score in percent of choosing among the offered answers at random; nan for LAMBADA."""
    return 100 / BENCHMARKS["answers"].replace(0, np.nan)


def sampling_error(scores: pd.Series) -> pd.Series:
    """100 sqrt(p (1 - p) / N): the standard error of one pass over N questions, in percent."""
    shares = scores / 100
    return 100 * np.sqrt(shares * (1 - shares) / BENCHMARKS["size"])


def gains(shots: str) -> pd.DataFrame:
    """SSA's gain over softmax, in points, "in joint", over sqrt(e1^2 + e2^2), and "in sums", over e1 + e2, of
    the printed errors; and the printed errors over their `sampling_error`."""
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
