"""Table 3: BabyBERTa with softmax and with SSA at a fixed exponent, and its grammar probes."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from claimbook.claims.rule import prediction_interval
from claimbook.records import Component
from claimbook.records.checks import Size
from claimbook.records.errors import InputError
from claimbook.records.files import damage_told
from icllib.data import DataFile
from icllib.models import Encoder, SignedAveraging, Softmax
from icllib.streams import Stream
from icllib.tasks import MaskedSentences
from icllib.tasks.sentences import MASK, SPECIAL, encode, padded
from icllib.training import Recipe, Run
from icllib.training.losses import masked_losses

CHUNK = 512  # sentences per forward pass


# ---- measures -------------------------------------------------------------------------------


@dataclass(frozen=True)
class GrammarProbes(Component):
    """How often the grammatical one of two sentences is the more likely one (Huebner et al., 2021).

    Measures `accuracy`, in percent, (M, probes), by `pseudo_log_likelihoods`, of which equal ones count as
    wrong; and `held_out_loss`, that on lines that training left out, (M,).
    """

    probes: tuple[DataFile, ...]  # two lines a pair, the second one grammatical
    pairs: Size = 2000  # number of each probe's pairs, the first ones
    held_out: Size = 1000  # sentences

    def axes(self, metric: str) -> dict:
        return {"probe": list(PROBES)[: len(self.probes)]} if metric == "accuracy" else {}

    def measure(self, tasks, predictor, device="cpu") -> dict:
        task, module = tasks[0], predictor.module
        with torch.no_grad():
            accuracy = torch.stack([100 * self.right_pairs(task, module, probe, device)
                                    for probe in self.probes], dim=1)
            loss = self.held_out_losses(task, module, device)
        return {"accuracy": accuracy.cpu().numpy(), "held_out_loss": loss.cpu().numpy()}

    def right_pairs(self, task: MaskedSentences, module, probe: DataFile, device) -> Tensor:
        """The share of a probe's pairs that each encoder gets right: (M,)."""
        lines = probe.read().splitlines()
        if len(lines) < 2 * self.pairs:
            raise InputError(f"{probe.name}: expected {self.pairs} pairs of lines, got {len(lines)} lines")
        sentences = padded(encode(task.tokenizer, lines[: 2 * self.pairs], task.dimension))
        scores = pseudo_log_likelihoods(module, sentences.to(device))
        wrong, right = scores.unflatten(1, (-1, 2)).unbind(dim=-1)
        return (right > wrong).double().mean(dim=1)

    def held_out_losses(self, task: MaskedSentences, module, device) -> Tensor:
        """The mean loss on lines that training left out, the same for every encoder: (M,)."""
        members, tokens = module.positions.shape[:2]
        stream = Stream.of([0] * members, "evaluation", device)
        ids = torch.arange(self.held_out, device=device).expand(members, -1)
        parts = ids.split(CHUNK // 8, dim=1)  # a GPU predicts every token of them
        batches = [task.sample_held_out(stream, part, tokens) for part in parts]
        losses = [masked_losses(module, batch._replace(ids=None)) for batch in batches]
        counts = [batch.counted.sum(dim=1) for batch in batches]
        return sum(map(torch.mul, losses, counts)) / sum(counts)


@dataclass(frozen=True)
class WordFrequencies(Component):
    """A reference without grammar on the same probes: `accuracy`, in percent, (probes,).

    A sentence's score is the sum of the logarithms of its words' counts, plus 0.5; equal ones are half right.
    """

    task: MaskedSentences
    probes: tuple[DataFile, ...]
    tokens: int = 128  # longer sentences of the corpus are left out

    def axes(self, metric: str) -> dict:
        return {"probe": list(PROBES)[: len(self.probes)]}

    def measure(self) -> dict:
        corpus, size = self.task.sentences(self.tokens, "cpu"), self.task.dimension
        counts = torch.bincount(corpus[corpus >= SPECIAL], minlength=size)
        logs = (counts.double() + 0.5).log()
        return {"accuracy": [100 * self.right_pairs(probe, logs) for probe in self.probes]}

    def right_pairs(self, probe: DataFile, logs: Tensor) -> float:
        """The share of a probe's pairs that the words' scores get right."""
        sentences = padded(encode(self.task.tokenizer, probe.read().splitlines(), len(logs)))
        scores = torch.where(sentences >= SPECIAL, logs[sentences], 0).sum(dim=1)
        gains = scores[1::2] - scores[::2]
        right = (gains > 1e-9).double() + 0.5 * (gains.abs() <= 1e-9)
        return float(right.mean())


def pseudo_log_likelihoods(module, sentences: Tensor) -> Tensor:
    """The sum of the log probabilities of all words, each when only it is hidden: (S, T) -> (M, S)."""
    rows, places = (sentences >= SPECIAL).nonzero(as_tuple=True)
    members = len(module.positions)
    totals = torch.zeros(members, len(sentences), device=sentences.device)
    for row, place in zip(rows.split(CHUNK), places.split(CHUNK)):
        tokens = sentences[row]
        index = torch.arange(len(row), device=row.device)
        targets = tokens[index, place]
        tokens[index, place] = MASK
        flat = index * tokens.shape[1] + place
        logits = module(tokens.expand(members, -1, -1), flat.expand(members, -1))
        chosen = logits.log_softmax(dim=-1)[:, index, targets]
        totals.index_add_(1, row, chosen)
    return totals


# ---- printed and public scores --------------------------------------------------------------

NAMES = ("softmax", "SSA 1.5", "SSA 2")
# By probe the printed scores, and those of ten public softmax models in one order, all in percent of pairs,
# and its file of Zorro (Huebner et al., 2021). ASSUMED: Zorro's later version.
with damage_told(Path(__file__).with_suffix(".csv"), "a table of scores"):
    TABLE = pd.read_csv(Path(__file__).with_suffix(".csv"), index_col="probe")
PRINTED = TABLE[list(NAMES)]
PUBLIC = TABLE.filter(like="public")


def public_scores() -> np.ndarray:
    """The score expected of one more public softmax model: (probes, 3), mean, low and high."""
    return np.array([prediction_interval(scores) for scores in PUBLIC.to_numpy()])


def places() -> pd.DataFrame:
    """Whether each printed score lies below, within or above its interval: probes by models."""
    _, low, high = public_scores().T
    return PRINTED.apply(lambda scores: np.select([scores < low, scores > high], ["below", "above"], "within")
                         ).rename_axis(None)


def against_public() -> pd.DataFrame:
    """Each interval, and each printed score with "below", "within" or "above" it."""
    intervals = [f"{mean:.1f} [{low:.1f}, {high:.1f}]" for mean, low, high in public_scores()]
    words = PRINTED.map("{:g} ".format).rename_axis(None) + places()
    return pd.concat([pd.Series(intervals, words.index, name="public softmax"), words], axis=1)


def mean_of_probes() -> pd.DataFrame:
    """The mean over all probes, of the printed scores and of the public softmax models."""
    rows = {f"{name}, paper": f"{mean:.1f}" for name, mean in PRINTED.mean().items()}
    mean, low, high = prediction_interval(PUBLIC.mean())
    rows["softmax, public"] = f"{mean:.1f} [{low:.1f}, {high:.1f}]"
    return pd.DataFrame({"mean of the probes": rows})


# ---- data and runs --------------------------------------------------------------------------

# The part of AO-CHILDES that we have: 21 of its 37 corpora, 16% of its words.
CORPUS = DataFile("aochildes_partial.txt", "089ef168047d7e5d38de464ebe96805fd921ccb79ecff521bebfcaf5632c3b35")
TOKENIZER = DataFile("tokenizer/babyberta.json",
                     "0ee1058f995fcc7e8cf40e2edf27b22daac38c3772a1a62c51a7d025cff7bcb0")
PROBES = {probe: DataFile(*named) for probe, *named in TABLE[["file", "sha256"]].itertuples()}
# Artificial data for tests and the profile smoke, made by data/made/make.py
MADE = MaskedSentences(
    DataFile("made/sentences.txt",
             "f108117f2f641337666989dcb7dfee37716f2d0ebfbc6747264a957d5958dc2a"),
    DataFile("made/tokenizer.json",
             "b37cb534da9787368665f4b357f059f7cd74405a69f7de4f087889572579b101"), dimension=30)
MADE_PROBE = DataFile("made/agreement.txt",
                      "47a8e46cd130504c86f2bd3df9e754c05c787a50ba7e8bf80872f26bb612f14e")
# ASSUMED: b = 1, where SSA starts in the other experiments.
SCORINGS = dict(zip(NAMES, (Softmax(), SignedAveraging(n=1.5, b=1.0, trainable=False),
                            SignedAveraging(n=2.0, b=1.0, trainable=False))))
NAMED = ("agr_subj_verb-across_RC", "arg_str-dropped_arg", "arg_str-swapped_args",
         "arg_str-transitive")  # relative clauses and argument structure, Section 7.2
ASSUMED = ("model.scoring.b", "task.held_out", "evaluation.held_out", "seed")


def runs(profile: str) -> list:
    """Table 3: the runs of a profile, then the scores of word frequencies."""
    task = MADE if profile == "smoke" else MaskedSentences(CORPUS, TOKENIZER)
    # What the paper does not say is from the public code of Huebner et al. (2021).
    encoder = {
        "smoke": Encoder(layers=1, heads=2, width=8, feed_forward=16),
        "cpu": Encoder(layers=4, heads=4, width=128, feed_forward=512, dropout=0.0),
    }.get(profile, Encoder())
    recipe = Recipe(
        lengths={"cpu": (16,)}.get(profile, (128,)),  # tokens; 97% of sentences have at most 16
        steps={"smoke": 3, "cpu": 12_000, "gpu": 80_000, "paper": 260_000}[profile],
        batch=16,
        learning_rate={"cpu": 1e-3}.get(profile, 1e-4),
        schedule="linear",  # ASSUMED: to 0 at the last step; the public code stops before that
        warmup={"paper": 24_000 / 260_000}.get(profile, 0.1),
        clip=1.0,
        loss="masked tokens",
    )
    probes = [MADE_PROBE] * len(PROBES) if profile == "smoke" else tuple(PROBES.values())
    evaluation = GrammarProbes(probes, pairs={"smoke": 4, "cpu": 1000}.get(profile, 2000),
                               held_out={"smoke": 4}.get(profile, 1000))
    trained = [Run(task, replace(encoder, scoring=scoring), recipe, evaluation, seed)
               for scoring in SCORINGS.values() for seed in range(3)]
    return [*trained, WordFrequencies(task, probes)]


# ---- evidence of claims ---------------------------------------------------------------------


def scoring_of(run) -> str:
    """Which of NAMES a run's scoring function has."""
    return next(name for name, scoring in SCORINGS.items() if scoring == run.model.scoring)


def probe_ratios(accuracies) -> dict[str, pd.Series]:
    """Claim 18: SSA's accuracy, rows (scoring, seed), over softmax's where a gain is printed, by seed."""
    return {f"{probe} n = {name.removeprefix('SSA ')}": accuracies[probe][name] / accuracies[probe]["softmax"]
            for probe, scores in PRINTED.iterrows() for name in NAMES[1:] if scores[name] > scores["softmax"]}


def reached(accuracies, *names) -> pd.Series:
    """The gate of both claims: the lowest mean over probes of these models, by seed."""
    return accuracies.mean(axis=1).unstack("scoring")[list(names)].min(axis=1, skipna=False)


def leads_of_named_probes(accuracies) -> dict[str, pd.Series]:
    """Claim 49: SSA 2's gain on each named probe, minus its largest gain on the others, by seed."""
    gains = accuracies.loc["SSA 2"] - accuracies.loc["softmax"]
    others = gains.drop(columns=list(NAMED)).max(axis=1)
    return {probe: gains[probe] - others for probe in NAMED}
