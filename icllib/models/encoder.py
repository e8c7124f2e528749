"""RoBERTa's encoder with its masked-language-modeling head, M models side by side."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding, gelu

from claimbook.records import Component
from claimbook.records.checks import Fraction, Size
from claimbook.records.errors import InputError
from icllib.checks import built_for
from icllib.models.products import affine
from icllib.models.scoring import Softmax
from icllib.models.stacked import Initializer, StackedLayerNorm, linear
from icllib.protocols import Scoring
from icllib.streams import Stream
from icllib.tasks.sentences import PAD


@dataclass(frozen=True)
class Encoder(Component):
    """A post-LN encoder that predicts hidden tokens: RoBERTa at BabyBERTa's size.

    Huebner et al. (2021); the settings are those of their public model. Raises InputError where
    the heads do not divide the width, or for a dropout outside [0, 1).
    """

    layers: Size = 8
    heads: Size = 8
    width: Size = 256
    feed_forward: Size = 1024
    scoring: Scoring = Softmax()  #: one of icllib/models/scoring.py
    dropout: Fraction = 0.1

    def check(self):
        if self.width % self.heads:
            raise InputError(f"heads: expected a divisor of the width {self.width}, got {self.heads}")

    def build(self, seeds, dimension: int, max_pairs: int, device="cpu") -> "StackedEncoder":
        """A fleet of encoders, one per seed.
        dimension: tokens of the vocabulary; max_pairs: the longest sentence, in tokens."""
        built_for(dimension, max_pairs)
        return StackedEncoder(self, seeds, dimension, max_pairs, device)

    def multiplications(self, dimension: int, lengths) -> float:
        """Multiply-adds of the forward pass on a sentence of max(lengths) tokens, all predicted.
        A CPU does less: it predicts the hidden tokens alone."""
        tokens = max(lengths)
        layer = 4 * self.width**2 + 2 * self.width * (self.feed_forward + tokens)
        return tokens * (self.layers * layer + self.width * (self.width + dimension))


class StackedEncoder(nn.Module):
    """M encoders side by side; words go in and come out by one table."""

    def __init__(self, settings: Encoder, seeds, vocabulary: int, tokens: int, device):
        super().__init__()
        width, draw = settings.width, Initializer(seeds, device)
        self.words = draw.normal("words", (vocabulary, width), 0.02)
        self.positions = draw.normal("positions", (tokens, width), 0.02)
        self.norm = StackedLayerNorm(width, draw)
        self.blocks = nn.ModuleList(EncoderBlock(settings, draw, f"block{layer}")
                                    for layer in range(settings.layers))
        self.head = linear(draw, "head", width, width)
        self.head_norm = StackedLayerNorm(width, draw)
        self.bias = draw.constant(0.0, (vocabulary,))
        self.dropout, self.stream = settings.dropout, Stream.of(seeds, "dropout", device)

    def forward(self, tokens: Tensor, places: Tensor, ids: Tensor | None = None) -> Tensor:
        """Logits of all words at some places: (M, B, T), (M, K) -> (M, K, vocabulary). places: among the B
        T tokens of a member. ids: (M, B), of the prompts, in training; without them nothing is dropped."""
        if tokens.shape[-1] > self.positions.shape[1]:
            raise InputError(f"tokens: expected at most {self.positions.shape[1]} in a sentence, "
                             f"got {tokens.shape[-1]}")
        drop = Dropout(self.stream, ids, self.dropout, self.positions.shape[1])
        mask = (tokens != PAD)[:, :, None, None]  # (M, B, 1, 1, T)
        hidden = self.embed(tokens) + self.positions[:, None, : tokens.shape[-1]]
        hidden = drop(self.norm(hidden), "words")
        for index, block in enumerate(self.blocks):
            hidden = block(hidden, mask, drop, str(index))
        return self.predict(hidden, places)

    def embed(self, tokens: Tensor) -> Tensor:
        """The words' vectors: (M, B, T) -> (M, B, T, width)."""
        members, vocabulary = self.words.shape[:2]
        first = torch.arange(members, device=tokens.device)[:, None, None] * vocabulary
        return embedding(tokens + first, self.words.flatten(0, 1))

    def predict(self, hidden: Tensor, places: Tensor) -> Tensor:
        """The head at K places: (M, B, T, width) -> (M, K, vocabulary)."""
        index = places[..., None].expand(*places.shape, hidden.shape[-1])
        read = self.head(hidden.flatten(1, 2).gather(1, index)[:, None])
        read = self.head_norm(gelu(read))[:, 0]  # (M, K, width)
        return affine(self.bias[:, None], read, self.words.mT)


class EncoderBlock(nn.Module):
    """Attention and a perceptron, each followed by layer normalization of the sum."""

    def __init__(self, settings: Encoder, draw: Initializer, name: str):
        super().__init__()
        width, self.heads = settings.width, settings.heads
        self.qkv = linear(draw, f"{name}.qkv", width, 3 * width)
        self.scoring = settings.scoring.build(draw, self.heads)
        self.project = linear(draw, f"{name}.project", width, width)
        self.attention_norm = StackedLayerNorm(width, draw)
        self.expand = linear(draw, f"{name}.expand", width, settings.feed_forward)
        self.contract = linear(draw, f"{name}.contract", settings.feed_forward, width)
        self.mlp_norm = StackedLayerNorm(width, draw)

    def forward(self, x: Tensor, mask: Tensor, drop: "Dropout", name: str) -> Tensor:
        """The stream after this layer: (M, B, T, width) -> the same."""
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(3, 0, 1, 4, 2, 5)
        weights = self.scoring.weights(q, k, mask).expand(*q.shape[:-1], q.shape[-2])
        weights = drop.of_weights(weights, f"{name}.weights")
        mixed = self.project((weights @ v).transpose(2, 3).flatten(3))
        x = self.attention_norm(x + drop(mixed, f"{name}.attention"))
        update = self.contract(gelu(self.expand(x)))
        return self.mlp_norm(x + drop(update, f"{name}.mlp"))


class Dropout:
    """Dropout from a stream: what is dropped depends on seed, prompt and place alone. Where a row has a
    number for every token, `most` of them are drawn, so that the padding of a batch has no effect."""

    def __init__(self, stream: Stream, ids: Tensor | None, share: float, most: int):
        self.stream, self.share, self.most = stream, share, most
        self.ids = ids if share else None

    def __call__(self, x: Tensor, name: str) -> Tensor:
        """x (M, B, T, width) with a share of it 0 and the rest scaled up."""
        return x if self.ids is None else x * self.kept(name, x.shape[2:])

    def of_weights(self, weights: Tensor, name: str) -> Tensor:
        """Attention weights (M, B, H, T, T) with a share of them 0 and the rest scaled up."""
        if self.ids is None:
            return weights
        heads, tokens = weights.shape[2:4]
        return weights * self.kept(name, (tokens, heads, self.most))[..., :tokens].transpose(2, 3)

    def kept(self, name: str, shape) -> Tensor:
        """Factors 0 and 1 / (1 - share): ``(M, B, *shape)``."""
        return (self.stream.uniform(self.ids, name, shape) >= self.share) / (1 - self.share)
