"""A figure with formulas, drawn when this is imported: what is made for the first one serves forks too."""

import matplotlib.pyplot as plt

from claimbook.pages.plotting import as_svg

figure, axes = plt.subplots()
axes.loglog([1, 1000], [1, 1000], label=r"$x_1^2$")
axes.legend()
as_svg(figure)
