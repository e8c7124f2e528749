"""Which single change helps most away from the law of training?"""

from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from icllib.evaluate import ErrorByLength
from icllib.training import Run
from papers.across.shifts import SEED, heated_lines, line_rule, linear_models, on_tasks, table_1_models
from papers.causal_lm.trained import SIZES
from papers.context_scaling.scaling import LINEAR_8
from papers.signed_averaging.affine import law_of, softmax_and_ssa, wider_inputs
from papers.signed_averaging.answer_sizes import faster_read_out, without_norm

# The change: with it, without it. On lines the shift is to three times the slopes and shifts, on linear
# functions of context scaling to three times the weights, of causal_lm to 8 pairs where training has 20.
CHANGES = {
    "SSA for softmax": ("SSA", "softmax"),
    "no final LayerNorm": ("no LayerNorm", "softmax"),
    "a faster read-out": ("faster read-out", "softmax"),
    "a temperature after training": ("heated", "softmax"),
    "wider inputs in training": ("wider inputs", "softmax"),
    "SGPT for GPT-2": ("SGPT", "GPT-2"),
    "a prefix mask": ("prefix", "causal"),
    "pairs permuted in training": ("causal, permuted", "causal"),
    "no loss on the pairs": ("causal, shared, no extra loss", "causal, shared")}
SHIFTED = 3  # sigma of lines, and the factor of weights
FEWEST = 3  # seeds that permuted and other variants have at most


def models(profile: str) -> dict[str, list[Run]]:
    """Kept models by name; where weights are kept none is trained."""
    lines = lambda runs: [replace(run, evaluation=line_rule(profile), along=None) for run in runs]
    softmax_of = lambda runs: lines(runs[: len(runs) // 2])
    size = SIZES[profile]
    prompts = 8 if profile == "smoke" else 4096
    fewer = ErrorByLength((size.fewer_pairs[-1], size.pairs), prompts, seed=SEED)
    plain, permuted = (table_1_models(profile, fewer, permuted=on) for on in (False, True))
    shared = plain["causal, shared"][:FEWEST]
    weights = on_tasks({"larger": replace(LINEAR_8, weight_std=SHIFTED * LINEAR_8.weight_std)}, profile)
    both = softmax_and_ssa(profile)
    return {"softmax": softmax_of(both), "SSA": lines(both[len(both) // 2 :]),
            "no LayerNorm": softmax_of(without_norm(profile)),
            "faster read-out": softmax_of(faster_read_out(profile)), "heated": heated_lines(profile),
            "wider inputs": lines([run for run in wider_inputs(profile) if law_of(run) == "N(0, 10)"]),
            **linear_models(profile, weights), "prefix": plain["prefix, unshared"],
            "causal": plain["causal, unshared"], "causal, permuted": permuted["causal, unshared"][:FEWEST],
            "causal, shared": shared,
            "causal, shared, no extra loss": [
                replace(run, recipe=replace(run.recipe, loss_on_pairs=False),
                        model=replace(run.model, probes=False)) for run in shared]}


def runs(profile: str) -> list[Run]:
    """All models of the page."""
    return [run for own in models(profile).values() for run in own]


def errors_of(page, records: dict) -> dict[str, pd.DataFrame]:
    """The error in distribution and under the shift: by model a row a seed, columns "trained", "shifted"."""
    found = {}
    for name, own in records.items():
        errors = page.values("error", own)
        if name == "heated":  # by the temperature that is best under the shift
            by_sigma = errors.unstack("sigma")
            best = by_sigma[SHIFTED].groupby(level="seed").idxmin()
            by_sigma = by_sigma.loc[best].droplevel("temperature")
            pair = by_sigma[1], by_sigma[SHIFTED]
        elif name in ("GPT-2", "SGPT"):
            pair = errors.droplevel("length"), page.values("larger_error", own).droplevel("length")
        else:
            columns = errors.unstack()
            pair = (columns[1], columns[SHIFTED]) if SHIFTED in columns else (
                columns[columns.columns.max()], columns[columns.columns.min()])
        found[name] = pd.DataFrame(dict(zip(("trained", "shifted"), pair))).reset_index(drop=True)
    return found


def bought(errors: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Of each change, by seed: "in distribution", the error with it over that without; and "bought", the same
    of the error under the shift over that in distribution."""
    found = {}
    for change, (new, old) in CHANGES.items():
        ratio = (errors[new] / errors[old]).dropna()
        found[change] = pd.DataFrame({"in distribution": ratio["trained"],
                                      "bought": ratio["shifted"] / ratio["trained"]})
    return pd.concat(found, names=["change", "seed"])


def among_seeds(errors: dict[str, pd.DataFrame]) -> dict[str, pd.Series]:
    """What another seed buys: of the models without each change, each over the one before it."""
    found = {}
    for change, (_, old) in CHANGES.items():
        spread = errors[old]["shifted"] / errors[old]["trained"]
        found[change] = spread / np.roll(spread, 1)
    return found


def noise_floor(ratios: pd.Series) -> float:
    """The factor within which a mean of so many ratios lies in 95% of cases where nothing is changed."""
    logs = np.log(ratios)
    return float(np.exp(stdtrit(len(logs) - 1, 0.975) * np.sqrt((logs**2).mean() / len(logs))))
