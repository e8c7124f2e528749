"""What the chapter's runs share: the start of training and a distance between curves."""

import numpy as np


def start(scale: float, *shape: int):
    """v and w at time 0, all entries alike (Eq. 106)."""
    return np.full(shape, scale), np.full(shape, scale + 0.1 * scale)


def log10_gap(ours, reference) -> float:
    """The largest |log10 ratio| of two curves."""
    return float(np.abs(np.log10(ours / reference)).max())
