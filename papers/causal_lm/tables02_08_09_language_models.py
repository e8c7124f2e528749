"""Tables 2, 8 and 9: printed scores of language models with both masks, and what running them would cost."""

from typing import NamedTuple


class PrintedTable(NamedTuple):
    """Scores as printed: one row per mask, one number per column."""

    source: str
    score: str
    columns: tuple[str, ...]
    rows: dict[str, tuple[float, ...]]


SIZES, SHOTS = ("Base", "Large", "XL"), ("4 shots", "8 shots")
PRINTED = (
    PrintedTable("Table 2: T5, MMLU", "5-shot accuracy, %", SIZES,
            {"prefix": (28.8, 32.0, 39.5), "causal": (28.0, 26.9, 30.5)}),
    PrintedTable("Table 2: T5, BBH", "3-shot accuracy, %", SIZES,
            {"prefix": (27.4, 32.2, 35.8), "causal": (24.8, 29.8, 32.0)}),
    PrintedTable("Table 8: PaLM2, MMLU", "5-shot accuracy, %", ("small", "middle", "large"),
            {"prefix": (46.6, 64.8, 81.4), "causal": (43.3, 61.0, 78.0)}),
    PrintedTable("Table 9: PaLI-X, encoder", "CIDEr", SHOTS,
            {"prefix": (106.7, 107.5), "block-causal": (104.8, 106.0),
             "causal": (102.3, 104.9)}),
    PrintedTable("Table 9: PaLI-X, decoder", "CIDEr", SHOTS,
            {"prefix": (103.9, 104.2), "causal": (102.4, 92.9)}),
)
STEPS = 1_000_000  # Section 5.3
# ASSUMED, since the paper says only "the T5 recipe": the sequences per step and tokens per
# sequence of T5X's public decoder-only example with a prefix objective on C4.
SEQUENCES, TOKENS = 2048, 626
VOCABULARY = 32_128  # public code, gins/
SPEED = 4e14  # ASSUMED: FLOPs per second of one H200, 40% of its dense bf16 peak of 9.9e14
# All of MMLU (14,042 questions) and BBH (6,511). ASSUMED: tokens of a prompt.
PROMPTS, PROMPT_TOKENS = 20_553, 2_000


class T5Decoder(NamedTuple):
    """A decoder-only T5: gated perceptrons, no biases, separate input and output embeddings."""

    layers: int
    width: int
    feed_forward: int

    def parameters(self) -> int:
        """Weights of the matrix products, the output embedding among them; that of the input is looked up."""
        layer = 4 * self.width**2 + 3 * self.width * self.feed_forward
        return self.layers * layer + VOCABULARY * self.width


# The paper gives names only. The shapes are those of its public code, gins/.
DECODERS = {"Base": T5Decoder(12, 768, 2048), "Large": T5Decoder(24, 1024, 2816),
            "XL": T5Decoder(24, 2048, 5120)}


def pretraining_flops(decoder: T5Decoder) -> float:
    """6 N D for one mask: N parameters, D tokens, forward and backward."""
    return 6.0 * decoder.parameters() * STEPS * SEQUENCES * TOKENS


def evaluation_flops(decoder: T5Decoder) -> float:
    """2 N D for one mask: a forward pass over all few-shot prompts."""
    return 2.0 * decoder.parameters() * PROMPTS * PROMPT_TOKENS


def runs(profile: str) -> list:
    """Nothing to run."""
    return []
