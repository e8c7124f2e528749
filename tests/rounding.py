"""When numbers are those that were recorded, on whatever processor.

Processors differ in the last bits of every product and logarithm. What that leaves of a number
depends on the size of what it was computed from: next to nothing, unless large ones cancel.
"""

import numpy as np

# Of the largest number of a metric. A residual of numbers that lie on a line may reach the square
# root of a double's precision, 1.5e-8; numbers that cancel in single precision a few times 1e-7.
DOUBLE, SINGLE = 1e-7, 1e-6
DEVIATION = 1e-8  # from an identity between numbers about 1, which leaves nothing but rounding


def assert_as_recorded(ours, recorded, relative=1e-4, rounding=DOUBLE):
    """Equal to within a relative tolerance, and as far as rounding goes."""
    recorded = np.asarray(recorded, dtype=float)
    size = np.abs(recorded[np.isfinite(recorded)]).max(initial=0)
    np.testing.assert_allclose(np.asarray(ours, dtype=float), recorded, rtol=relative,
                               atol=max(DEVIATION, rounding * size))
