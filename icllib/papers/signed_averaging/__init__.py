"""Settings and measurements of "Scaled signed averaging".

A page's runs are listed by the function that has the page's name. What is here trains nothing:
it is exact or sampled in double precision, so it is the same in every profile.
"""

from icllib.papers.signed_averaging.appendix_j import AppendixJCheck, appendix_j_theory
from icllib.papers.signed_averaging.bounds import BoundsByRange
from icllib.papers.signed_averaging.corrections import Corrections, corrections
from icllib.papers.signed_averaging.quantifiers import (
    FIRST_COUNTED, LENGTHS, READ, BaseRates, quantifier_base_rates)
from icllib.papers.signed_averaging.scoring_function import (
    EXPONENTS, LIMIT, ScoringFunction, fig10_scoring_function)
