"""Table 3: BabyBERTa with softmax and with SSA at a fixed exponent, and its grammar probes."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from claimbook.claims.rule import prediction_interval
from claimbook.records import Component
from claimbook.records.errors import InputError
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

    A sentence's score is the sum of the log probabilities of its tokens, each hidden in turn;
    equal scores count as wrong. Measures `accuracy`, in percent, (M, probes), and `held_out_loss`,
    the training loss on lines that training left out, (M,). Raises InputError for sizes below 1.
    """

    probes: tuple[DataFile, ...]  # two lines a pair, the second one grammatical
    pairs: int = 2000  # number of each probe's pairs, the first ones
    held_out: int = 1000  # sentences

    def check(self):
        if min(self.pairs, self.held_out) < 1 or not self.probes:
            raise InputError("probes, pairs, held_out: expected at least 1 of each, got "
                             f"{len(self.probes)}, {self.pairs}, {self.held_out}")

    def axes(self, metric: str) -> dict:
        return {"probe": list(PROBES)[: len(self.probes)]} if metric == "accuracy" else {}

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The accuracies and losses of M encoders that were trained on one task."""
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
            raise InputError(f"{probe.name}: expected {self.pairs} pairs of lines, "
                             f"got {len(lines)} lines")
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
    """A reference without grammar on the same probes: how frequent words are in the corpus.

    A sentence's score is the sum of the logarithms of its words' counts, each raised by one half;
    equal scores count as half right. Measures `accuracy`, in percent, (probes,).
    """

    task: MaskedSentences
    probes: tuple[DataFile, ...]
    tokens: int = 128  # longer sentences of the corpus are left out

    def axes(self, metric: str) -> dict:
        return {"probe": list(PROBES)[: len(self.probes)]}

    def measure(self) -> dict:
        """The accuracy on each probe."""
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
    """The sum of the log probabilities of all words, each when only it is hidden.

    sentences: (S, T), padded. Returns (M, S). The tokens of start and end are never hidden.
    """
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
TABLE_3 = {  # percent of pairs, by probe; columns as in NAMES
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
PUBLIC = {  # percent of pairs, by probe, of ten softmax models, which are in the same order
    "agr_subj_verb-across_PP": (61.05, 70.4, 71.35, 66.15, 62.4, 64.25, 64.55, 68.35, 72.85, 64.65),
    "agr_subj_verb-across_RC": (59.45, 63.2, 63.4, 59.65, 58.85, 61.05, 60.5, 58.65, 64.85, 61.1),
    "agr_subj_verb-in_Q+aux": (89.25, 87.5, 87.5, 86.3, 89.7, 90.05, 85.8, 88.75, 90.85, 87.15),
    "anaphor_agr-pron_gender": (48.4, 48.8, 50.95, 48.2, 48.05, 48.5, 51.95, 49.15, 51.75, 50.5),
    "arg_str-dropped_arg": (81.35, 79.5, 75.75, 85.65, 65.2, 82.0, 81.5, 78.2, 79.9, 77.6),
    "arg_str-swapped_args": (93.9, 93.1, 93.65, 89.7, 90.9, 91.5, 93.25, 93.8, 91.0, 89.35),
    "arg_str-transitive": (58.8, 57.75, 58.9, 60.55, 59.3, 62.1, 59.85, 60.95, 60.05, 60.1),
    "binding-principle_a": (78.6, 84.15, 76.05, 80.55, 87.25, 86.0, 84.55, 84.05, 89.4, 86.65),
    "case-subjective_pron": (93.15, 90.1, 94.45, 85.9, 93.15, 91.95, 91.85, 92.2, 94.7, 86.85),
    "filler-gap-wh_Q_subject": (80.05, 74.8, 73.6, 81.6, 70.45, 64.35, 73.6, 79.65, 75.7, 82.9),
    "irregular-verb": (75.15, 70.2, 70.45, 73.85, 66.85, 67.2, 71.75, 72.9, 69.65, 70.6),
    "quantifiers-superlative": (72.2, 64.9, 58.0, 63.45, 69.4, 65.5, 79.5, 65.65, 64.55, 76.55),
}


def public_scores() -> np.ndarray:
    """The score expected of one more public softmax model: (probes, 3), mean, low and high."""
    return np.array([prediction_interval(PUBLIC[probe]) for probe in TABLE_3])


def places() -> pd.DataFrame:
    """Whether each printed score lies below, within or above its interval: probes by models."""
    _, low, high = public_scores().T
    words = {name: np.select([scores < low, scores > high], ["below", "above"], "within")
             for name, scores in zip(NAMES, np.transpose(list(TABLE_3.values())))}
    return pd.DataFrame(words, index=list(TABLE_3))


def against_public() -> pd.DataFrame:
    """Each interval, and each printed score with "below", "within" or "above" it."""
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
    """The mean over all probes, of the printed scores and of the public softmax models."""
    rows = {f"{name}, paper": f"{np.mean(scores):.1f}"
            for name, scores in zip(NAMES, zip(*TABLE_3.values()))}
    mean, low, high = prediction_interval(np.mean([PUBLIC[probe] for probe in TABLE_3], axis=0))
    rows["softmax, public"] = f"{mean:.1f} [{low:.1f}, {high:.1f}]"
    return pd.DataFrame({"mean of the probes": rows})


# ---- data and runs --------------------------------------------------------------------------

# The part of AO-CHILDES that we have: 21 of its 37 corpora, 16% of its words.
CORPUS = DataFile("aochildes_partial.txt",
                  "089ef168047d7e5d38de464ebe96805fd921ccb79ecff521bebfcaf5632c3b35")
TOKENIZER = DataFile("tokenizer/babyberta.json",
                     "0ee1058f995fcc7e8cf40e2edf27b22daac38c3772a1a62c51a7d025cff7bcb0")
# Table 3's names and the files of Zorro (Huebner et al., 2021). ASSUMED: Zorro's later version.
PROBES = {name: DataFile(f"zorro/{file}.txt", sha256) for name, file, sha256 in (
    ("agr_subj_verb-across_PP", "agreement_subject_verb-across_prepositional_phrase",
     "bef90373f26b76e8bb8aed99ac6f03ce46328120fc1a35c26cfde1fd47c150c1"),
    ("agr_subj_verb-across_RC", "agreement_subject_verb-across_relative_clause",
     "2933b97d6812011d993f438b3d75d5394f39043b552847a78b94e59165945d2c"),
    ("agr_subj_verb-in_Q+aux", "agreement_subject_verb-in_question_with_aux",
     "95e264cc02cab96b27e0bcfa40dcbe32d9ddc97d481dc638e45847a2f898662e"),
    ("anaphor_agr-pron_gender", "anaphor_agreement-pronoun_gender",
     "c5f21030475f37f847c090d56e26e2d32530e4ca7e55ba3c02f62a8d38c16d72"),
    ("arg_str-dropped_arg", "argument_structure-dropped_argument",
     "77b79e08e9018f404a5319a6bdc788edf465ae324c380c1d42c0730b52b4d37f"),
    ("arg_str-swapped_args", "argument_structure-swapped_arguments",
     "0a7907d468a15cbfe0d30fa9d8ce3bb4c30ca9f63966f9cc9fd24f4cfeed09d9"),
    ("arg_str-transitive", "argument_structure-transitive",
     "c4e362226d927591573abc546326ca0e4053255e4b2aa0090e09a257c09fcaa3"),
    ("binding-principle_a", "binding-principle_a",
     "6fcf1c1a7ba111ecf977e8d7d0331bb770dc06f02c583c3243ee161b8b9b23f8"),
    ("case-subjective_pron", "case-subjective_pronoun",
     "742776364f52edc3d876fb9bc9bb4cde7614cab6f669bfc5369271094727f8a2"),
    ("filler-gap-wh_Q_subject", "filler-gap-wh_question_subject",
     "2bc857ae020ef26b320f9e01f37ad7c43334faf4cb816503625227bb1f2b6dd7"),
    ("irregular-verb", "irregular-verb",
     "bdd5c4a10ed981db4080004a07f998a60c55a5ebfaf0db2f834ca507c6674f40"),
    ("quantifiers-superlative", "quantifiers-superlative",
     "3be3cc13ce50314a085b4ccbb7e92742cae797b0ec7423a28605388d6adea559"))}
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
    """Claim 18: SSA's accuracy over softmax's where the paper prints a gain, by seed.

    accuracies: rows (scoring, seed), columns probes.
    """
    ratios = {}
    for probe, (softmax, *others) in TABLE_3.items():
        for name, score in zip(NAMES[1:], others):
            if score > softmax:
                ours = accuracies[probe][name] / accuracies[probe]["softmax"]
                ratios[f"{probe} n = {name.removeprefix('SSA ')}"] = ours
    return ratios


def reached(accuracies, *names) -> pd.Series:
    """The gate of both claims: the lowest mean over probes of these models, by seed."""
    return accuracies.mean(axis=1).unstack("scoring")[list(names)].min(axis=1, skipna=False)


def leads_of_named_probes(accuracies) -> dict[str, pd.Series]:
    """Claim 49: SSA 2's gain on each named probe, minus its largest gain on the others, by seed."""
    gains = accuracies.loc["SSA 2"] - accuracies.loc["softmax"]
    others = gains.drop(columns=list(NAMED)).max(axis=1)
    return {probe: gains[probe] - others for probe in NAMED}
