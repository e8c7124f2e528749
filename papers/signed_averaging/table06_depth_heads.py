"""Table 6 and Figure 11: do more layers and heads help outside the training distribution?"""

from functools import partial

from papers.signed_averaging.affine import SHAPES, models_of

runs = partial(models_of, SHAPES)
