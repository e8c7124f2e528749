"""Scaled signed averaging: a module for each page.

This file only imports the classes that records name, as "papers.signed_averaging.<class>".
"""

from papers.signed_averaging.affine import LearnedExponents, LineAnswers, PointErrors, ShiftedErrors
from papers.signed_averaging.another_engine import PlainLoop
from papers.signed_averaging.answer_sizes import AnswerSizes
from papers.signed_averaging.appendix_j_theory import AppendixJCheck, BoundsByRange, Corrections
from papers.signed_averaging.deviant_sequences import DeviantNumbers
from papers.signed_averaging.fig10_scoring_function import ScoringFunction
from papers.signed_averaging.learned_exponents import TrainingTime, UnfusedSoftmax
from papers.signed_averaging.quantifier_base_rates import BaseRates
from papers.signed_averaging.quantifiers import AttentionMaps, QuantifierErrors
from papers.signed_averaging.query_key_weights import WeightSizes
from papers.signed_averaging.table03_babyberta import GrammarProbes, WordFrequencies
