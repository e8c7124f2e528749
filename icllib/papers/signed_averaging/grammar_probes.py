"""Table 3: encoders trained on child-directed speech, and what grammar they know."""

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor

from icllib.data import DataFile
from icllib.errors import InputError
from icllib.streams import Stream
from icllib.tasks import MaskedSentences
from icllib.tasks.sentences import MASK, SPECIAL, encode, padded
from icllib.training.losses import masked_losses

CHUNK = 512  # sentences per forward pass


@dataclass(frozen=True)
class GrammarProbes:
    """How often the grammatical one of two sentences is the likelier one (Huebner et al., 2021).

    A sentence's score is the sum of the log probabilities of its tokens, each hidden in turn;
    equal scores count as wrong. Measures `accuracy`, in percent, (M, probes), and
    `held_out_loss`, that of training on lines which it left out, (M,).
    Raises InputError for sizes below 1.
    """

    probes: tuple[DataFile, ...]  # two lines a pair, the second one grammatical
    pairs: int = 2000  # the first so many of each probe
    held_out: int = 1000  # sentences
    version: ClassVar[int] = 1

    def __post_init__(self):
        object.__setattr__(self, "probes", tuple(self.probes))
        if min(self.pairs, self.held_out) < 1 or not self.probes:
            raise InputError("probes, pairs, held_out: expected at least 1 of each, got "
                             f"{len(self.probes)}, {self.pairs}, {self.held_out}")

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
class WordFrequencies:
    """The same probes by a reference that knows no grammar: how frequent words are in the corpus.

    A sentence's score is the sum of the logarithms of its words' counts, each raised by one half;
    equal scores count as half right. Measures `accuracy`, in percent, (probes,).
    """

    task: MaskedSentences
    probes: tuple[DataFile, ...]
    tokens: int = 128  # longer sentences of the corpus are left out
    version: ClassVar[int] = 1

    def __post_init__(self):
        object.__setattr__(self, "probes", tuple(self.probes))

    def measure(self) -> dict:
        """The accuracies."""
        corpus, size = self.task.sentences(self.tokens, "cpu"), self.task.dimension
        counts = torch.bincount(corpus[corpus >= SPECIAL], minlength=size)
        logs = (counts.double() + 0.5).log()
        return {"accuracy": [100 * self.right_pairs(probe, logs) for probe in self.probes]}

    def right_pairs(self, probe: DataFile, logs: Tensor) -> float:
        """The share of a probe's pairs that these scores of words get right."""
        sentences = padded(encode(self.task.tokenizer, probe.read().splitlines(), len(logs)))
        scores = torch.where(sentences >= SPECIAL, logs[sentences], 0).sum(dim=1)
        gains = scores[1::2] - scores[::2]
        right = (gains > 1e-9).double() + 0.5 * (gains.abs() <= 1e-9)
        return float(right.mean())


def pseudo_log_likelihoods(module, sentences: Tensor) -> Tensor:
    """The sum of the log probability of every word when it alone is hidden.

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
