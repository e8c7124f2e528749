"""Figure 8: how long the embeddings of words are (not run)."""

OPENWEBTEXT = 9_035_582_198  # tokens in train.bin, as the data preparation of nanoGPT gives it
COUNTED = 7e8  # token ids counted per second on one core, measured on artificial ids
READ = 1e9  # ASSUMED: bytes per second from disk


def counting_seconds(corpus_tokens: int = OPENWEBTEXT) -> float:
    """Seconds to read and count a corpus of 16-bit token ids on one core."""
    return corpus_tokens * (2 / READ + 1 / COUNTED)


def runs(profile: str) -> list:
    """Nothing to run."""
    return []
