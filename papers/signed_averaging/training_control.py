"""A control for Table 1: equal steps or equal error."""

from papers.signed_averaging.affine import scorings_on_affine_functions

runs = scorings_on_affine_functions  # errors along training
