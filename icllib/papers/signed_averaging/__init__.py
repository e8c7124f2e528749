"""Settings and measurements of "Scaled signed averaging".

A page's runs are listed by the function that has the page's name. Where the paper is silent a
setting is marked ASSUMED, with the reason. What trains nothing is exact or sampled in double
precision, and so the same in every profile.
"""

from icllib.papers.signed_averaging.ablations import (
    attention_or_feed_forward, boundary_values, shift_ratios, table05_deviant_input,
    table06_depth_heads, training_laws)
from icllib.papers.signed_averaging.added_scorings import (
    added_on_affine_functions, added_on_every, added_records, added_rows, affine_table,
    alternatives_on_every, every_table, table01_scoring_functions)
from icllib.papers.signed_averaging.affine import (
    ASSUMED, FIRST_STDS, RATES, SIGMAS, SIZES, affine_run, decoder, learning_rates,
    scorings, scorings_on_affine_functions)
from icllib.papers.signed_averaging.affine_controls import (
    reached, reached_on_law, reached_on_own_law, ridge_errors, ridge_failure, ridge_over, ridge_rise)
from icllib.papers.signed_averaging.affine_measures import (
    DEVIANT, LearnedExponents, LineAnswers, ShiftedErrors)
from icllib.papers.signed_averaging.another_engine import PlainLoop, PointErrors
from icllib.papers.signed_averaging.appendix_j import AppendixJCheck, appendix_j_theory
from icllib.papers.signed_averaging.babyberta import table03_babyberta
from icllib.papers.signed_averaging.bounds import (
    BoundsByRange, printed_sentences, reversed_order, weight_at_gap)
from icllib.papers.signed_averaging.comparisons import (
    PRINTED, STATISTICS, EqualError, EqualSteps, beyond_spread, by_function, cells_with_ssa_below,
    draw_paths, errors_at, fig03_softmax_ssa, gates, geometric_rows, growth, mean_path, mean_ratio,
    nearer_row, path_tables, printed_steps, training_control, training_settings)
from icllib.papers.signed_averaging.corrections import Corrections, corrections
from icllib.papers.signed_averaging.deviant_sequences import DeviantNumbers, deviant_numbers
from icllib.papers.signed_averaging.grammar_probes import GrammarProbes, WordFrequencies
from icllib.papers.signed_averaging.not_run import fig06_07_llama, fig08_token_norms
from icllib.papers.signed_averaging.printed_ablations import TABLE_6
from icllib.papers.signed_averaging.printed_gpt2 import (
    PERPLEXITY, SHOTS, chance_level, gains, printed_scores, tables02_04_gpt2)
from icllib.papers.signed_averaging.quantifier_models import (
    AttentionMaps, QuantifierErrors, compared_on_every, compared_on_some, every_variant,
    fig02_attention_maps, fig04_every, fig05_some, some_variant)
from icllib.papers.signed_averaging.quantifier_alternatives import (
    scorings_on_every, temperatures_on_every)
from icllib.papers.signed_averaging.quantifiers import (
    LENGTHS, READ, BaseRates, quantifier_base_rates)
from icllib.papers.signed_averaging.scoring_function import (
    EXPONENTS, ScoringFunction, fig10_scoring_function)
from icllib.papers.signed_averaging.training_time import (
    TIMED, TOKEN_TABLE, TrainingTime, additional_parameters, learned_exponents, parameters,
    step_times)
from icllib.papers.signed_averaging.two_engines import (
    engine, error_rows, errors, every_ours, linear_ours, masks_ours, point_errors, ratio_table,
    two_engines)
from icllib.papers.signed_averaging.unlabeled import without_labels
from icllib.papers.signed_averaging.weight_sizes import WeightSizes, query_key_weights
