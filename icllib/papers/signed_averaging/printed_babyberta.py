"""Table 3 as printed, and the scores of ten public softmax BabyBERTas on the same probes.

The public scores are those that Huebner et al. provide with their scoring code UnMasked: ten
seeds, trained on the whole of AO-CHILDES, scored with each word masked in turn ("mlm"), 2,000
pairs a probe.
"""

import numpy as np
import pandas as pd
from scipy.special import stdtrit

NAMES = ("softmax", "SSA 1.5", "SSA 2")
TABLE_3 = {  # percent of pairs; by probe: in the order of NAMES
    "agr_subj_verb-across_PP": (56, 58.95, 65.95),
    "agr_subj_verb-across_RC": (55.5, 57.7, 61.55),
    "agr_subj_verb-in_Q+aux": (76.5, 79.0, 70.45),
    "anaphor_agr-pron_gender": (48.1, 51.45, 53.7),
    "arg_str-dropped_arg": (79.65, 74.65, 85.55),
    "arg_str-swapped_args": (83.3, 92.0, 88.0),
    "arg_str-transitive": (53.44, 53.85, 57.2),
    "binding-principle_a": (78.25, 87.9, 80.2),
    "case-subjective_pron": (85.55, 89.7, 91.75),
    "filler-gap-wh_Q_subject": (79.2, 83.3, 68.25),
    "irregular-verb": (70.05, 78.3, 69.2),
    "quantifiers-superlative": (71.2, 83.95, 65.25),
}
PUBLIC = {  # percent of pairs; by probe: ten seeds of softmax, in one order
    "agr_subj_verb-across_PP":
        (61.05, 70.4, 71.35, 66.15, 62.4, 64.25, 64.55, 68.35, 72.85, 64.65),
    "agr_subj_verb-across_RC":
        (59.45, 63.2, 63.4, 59.65, 58.85, 61.05, 60.5, 58.65, 64.85, 61.1),
    "agr_subj_verb-in_Q+aux":
        (89.25, 87.5, 87.5, 86.3, 89.7, 90.05, 85.8, 88.75, 90.85, 87.15),
    "anaphor_agr-pron_gender":
        (48.4, 48.8, 50.95, 48.2, 48.05, 48.5, 51.95, 49.15, 51.75, 50.5),
    "arg_str-dropped_arg":
        (81.35, 79.5, 75.75, 85.65, 65.2, 82.0, 81.5, 78.2, 79.9, 77.6),
    "arg_str-swapped_args":
        (93.9, 93.1, 93.65, 89.7, 90.9, 91.5, 93.25, 93.8, 91.0, 89.35),
    "arg_str-transitive":
        (58.8, 57.75, 58.9, 60.55, 59.3, 62.1, 59.85, 60.95, 60.05, 60.1),
    "binding-principle_a":
        (78.6, 84.15, 76.05, 80.55, 87.25, 86.0, 84.55, 84.05, 89.4, 86.65),
    "case-subjective_pron":
        (93.15, 90.1, 94.45, 85.9, 93.15, 91.95, 91.85, 92.2, 94.7, 86.85),
    "filler-gap-wh_Q_subject":
        (80.05, 74.8, 73.6, 81.6, 70.45, 64.35, 73.6, 79.65, 75.7, 82.9),
    "irregular-verb":
        (75.15, 70.2, 70.45, 73.85, 66.85, 67.2, 71.75, 72.9, 69.65, 70.6),
    "quantifiers-superlative":
        (72.2, 64.9, 58.0, 63.45, 69.4, 65.5, 79.5, 65.65, 64.55, 76.55),
}


def one_more_seed(samples) -> tuple[float, float, float]:
    """The mean, and the 95% prediction interval for one more sample of the same normal law."""
    samples = np.asarray(samples, dtype=float)
    count = len(samples)
    reach = stdtrit(count - 1, 0.975) * samples.std(ddof=1) * (1 + 1 / count) ** 0.5
    return samples.mean(), samples.mean() - reach, samples.mean() + reach


def public_scores() -> np.ndarray:
    """What one more public softmax model would score: (probes, 3), mean, low and high."""
    return np.array([one_more_seed(PUBLIC[probe]) for probe in TABLE_3])


def places() -> pd.DataFrame:
    """Whether each printed score lies below, within or above its interval: probes by models."""
    _, low, high = public_scores().T
    words = {name: np.select([scores < low, scores > high], ["below", "above"], "within")
             for name, scores in zip(NAMES, np.transpose(list(TABLE_3.values())))}
    return pd.DataFrame(words, index=list(TABLE_3))


def against_public() -> pd.DataFrame:
    """Each printed score, whether it lies in its interval or not, and the interval."""
    rows = {"public softmax": [f"{mean:.1f} [{low:.1f}, {high:.1f}]"
                               for mean, low, high in public_scores()]}
    for name, scores in zip(NAMES, zip(*TABLE_3.values())):
        rows[name] = [f"{score:g} {word}" for score, word in zip(scores, places()[name])]
    return pd.DataFrame(rows, index=list(TABLE_3))


def places_among_public() -> pd.DataFrame:
    """How many of each model's printed scores lie below, within and above the intervals."""
    return pd.DataFrame({where: (places() == where).sum()
                         for where in ("below", "within", "above")}).T


def mean_of_probes() -> pd.DataFrame:
    """The mean over all probes: as printed, and of the public softmax models."""
    rows = {f"{name}, paper": f"{np.mean(scores):.1f}"
            for name, scores in zip(NAMES, zip(*TABLE_3.values()))}
    mean, low, high = one_more_seed(np.mean([PUBLIC[probe] for probe in TABLE_3], axis=0))
    rows["softmax, public"] = f"{mean:.1f} [{low:.1f}, {high:.1f}]"
    return pd.DataFrame({"mean of the probes": rows})
