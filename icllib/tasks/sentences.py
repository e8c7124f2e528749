"""Masked language modeling: sentences of a corpus, some of whose tokens are hidden."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from claimbook.records import Component
from claimbook.records.checks import Fraction, Share, Size, integer, positive
from claimbook.records.errors import InputError
from icllib.data import DataFile
from icllib.streams import Stream

MASK, PAD, SPECIAL = 0, 1, 5  # ids of BabyBERTa's tokenizer; the first five stand for no word


class MaskedBatch(NamedTuple):
    """Sentences with hidden tokens, and what was hidden."""

    tokens: Tensor  #: (M, B, T) what the model reads, PAD after the end of a sentence
    places: Tensor  #: (M, K) where to predict: places among the B T tokens of a member
    targets: Tensor  #: (M, K) the tokens that were there
    counted: Tensor  #: (M, K) False where a member has less than K hidden tokens
    ids: Tensor  #: (M, B) of the prompts


@dataclass(frozen=True)
class MaskedSentences(Component):
    """Sentences in random order, each time with other tokens hidden (Huebner et al., 2021).

    Each pass over the corpus has another order, and each prompt id another sentence and mask. Each
    token is hidden with probability `hidden`; if that hides none, one token is hidden (ASSUMED: the
    public code draws again). A hidden token is replaced by the mask, or with probability `replaced`
    by a random token. Raises InputError for sizes and probabilities out of range.
    """

    corpus: DataFile  #: one sentence a line
    tokenizer: DataFile  #: JSON of the package `tokenizers`
    dimension: int = 8192  #: tokens of the vocabulary
    words: Size = 3  #: least number, with punctuation marks; shorter sentences are left out
    held_out: Size = 100  #: one line in `held_out` is not trained on
    hidden: Fraction = 0.15
    replaced: Share = 0.1

    def check(self):
        integer(SPECIAL + 1, dimension=self.dimension)  # a word at least
        positive(hidden=self.hidden)

    def sample(self, stream: Stream, ids: Tensor, n: int, dtype=torch.float32) -> MaskedBatch:
        """Sentences of at most n tokens; ids (M, B) name them."""
        return self.masked(stream, ids, self.sentences(n, ids.device))

    def sample_held_out(self, stream: Stream, ids: Tensor, n: int) -> MaskedBatch:
        """Sentences of at most n tokens from held-out lines, which may also occur among those of training."""
        return self.masked(stream, ids, self.sentences(n, ids.device, True))

    def sentences(self, n: int, device, held_out: bool = False) -> Tensor:
        """All sentences of one kind with at most n tokens: (sentences, longest)."""
        return encoded_corpus(self, n, str(device))[held_out]

    def masked(self, stream: Stream, ids: Tensor, sentences: Tensor) -> MaskedBatch:
        """The sentences that these ids name, with their masks."""
        size = len(sentences)
        chosen = stream.permute(ids % size, ids // size, "sentence", [size] * len(ids))
        tokens = sentences[chosen]
        if ids.device.type == "cpu":  # a captured CUDA graph has one shape
            tokens = tokens[..., : int((tokens != PAD).sum(dim=-1).max())]
        hidden = self.hide(stream, ids, tokens)
        read = torch.where(hidden, self.replacements(stream, ids, tokens), tokens)
        tokens, hidden = tokens.flatten(1), hidden.flatten(1)
        places = hidden.int().argsort(dim=-1, descending=True, stable=True)
        if ids.device.type == "cpu":
            places = places[:, : int(hidden.sum(dim=-1).max())]
        return MaskedBatch(read, places, tokens.gather(1, places), hidden.gather(1, places), ids)

    def hide(self, stream: Stream, ids: Tensor, tokens: Tensor) -> Tensor:
        """Which tokens are hidden, at least one in each sentence: (M, B, T)."""
        chances = stream.uniform(ids, "hidden", tokens.shape[2:]).where(tokens >= SPECIAL, 2.0)
        return chances <= chances.amin(dim=-1, keepdim=True).clamp(min=self.hidden)

    def replacements(self, stream: Stream, ids: Tensor, tokens: Tensor) -> Tensor:
        """What hidden tokens read as: (M, B, T)."""
        shape = tokens.shape[2:]
        others = SPECIAL + stream.integers(ids, "others", self.dimension - SPECIAL, shape)
        return others.where(stream.uniform(ids, "replaced", shape) < self.replaced, MASK)


@lru_cache(maxsize=4)
def encoded_corpus(task: MaskedSentences, n: int, device: str) -> tuple[Tensor, Tensor]:
    """The sentences to train on and those held out, padded: (sentences, longest) each."""
    lines = [line for line in task.corpus.read().splitlines() if len(line.split()) >= task.words]
    sentences = [tokens for tokens in encode(task.tokenizer, lines, task.dimension)
                 if len(tokens) <= n and max(tokens) >= SPECIAL]
    held_out = sentences[:: task.held_out]
    trained = [tokens for index, tokens in enumerate(sentences) if index % task.held_out]
    if not trained or not held_out:
        raise InputError(f"{task.corpus.name}: expected sentences of {task.words} words or more "
                         f"and at most {n} tokens to train on, got {len(trained)}")
    return tuple(padded(part).to(device) for part in (trained, held_out))


def encode(tokenizer: DataFile, lines: list[str], vocabulary: int) -> list[list[int]]:
    """The token ids of each line, those of its start and end included."""
    from tokenizers import Tokenizer

    text = tokenizer.read()
    try:
        encoder = Tokenizer.from_str(text)
    except Exception as error:  # the package has no kinds
        raise InputError(f"{tokenizer.name}: expected the JSON of a tokenizer, got another file ({error})") from None
    encoder.no_padding()
    encoder.no_truncation()
    special = [encoder.token_to_id(name) for name in ("<mask>", "<pad>", "<unk>", "<s>", "</s>")]
    if special != list(range(SPECIAL)) or encoder.get_vocab_size() > vocabulary:
        raise InputError(f"{tokenizer.name}: expected at most {vocabulary} tokens that begin with "
                         "<mask>, <pad>, <unk>, <s>, </s>, got "
                         f"{encoder.get_vocab_size()} with these at {special}")
    return [encoding.ids for encoding in encoder.encode_batch(lines)]


def padded(sentences: list[list[int]]) -> Tensor:
    """Sentences of unequal length as one tensor: (sentences, longest)."""
    return pad_sequence([torch.tensor(tokens) for tokens in sentences], batch_first=True, padding_value=PAD)
