"""How far two colors stand apart, by WCAG 2; colors are red, green and blue from 0 to 1."""

import numpy as np


def linear(rgb) -> np.ndarray:
    """Linear RGB of sRGB."""
    rgb = np.asarray(rgb, float)
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one, other) -> float:
    """The ratio of their luminances: 3 is asked of lines (1.4.11), 4.5 of text (1.4.3)."""
    darker, lighter = sorted(float(linear(rgb) @ [0.2126, 0.7152, 0.0722]) for rgb in (one, other))
    return (lighter + 0.05) / (darker + 0.05)
