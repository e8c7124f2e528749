"""Settings and measurements of "Context-scaling versus task-scaling in in-context learning".

A page's runs are listed by the function that has the page's name. Where the paper is silent a
setting is marked ASSUMED, with the reason.
"""

from icllib.papers.context_scaling.common import (
    ASSUMED, LENGTHS, LINEAR_8, LINEAR_ASSUMED, RELU_8, SGPT_ASSUMED, TASKS, evaluation)
from icllib.papers.context_scaling.estimators import (
    ESTIMATORS, FAMILIES, FEW_DIMENSIONS, MANY_PAIRS, EstimatorErrors, Identities, best_step,
    consistency, estimator_curves, estimators, exponential_limit, identities_and_errors, measured,
    one_step_and_ridge, one_step_error, over_ridge_errors, rate, rates)
from icllib.papers.context_scaling.every_length import (
    MOST_RATIO, every_length, ridge_errors, worst_from_ten)
from icllib.papers.context_scaling.learned import (
    at_papers_dimension, best_ridge, of_baseline, over_ridge, over_zero, seen_twice, worst, zero)
from icllib.papers.context_scaling.noise import (
    PENALTY_PAIRS, both_settings, errors_at_one_level, errors_at_two_levels,
    fig02_one_noise_level, fig03_two_noise_levels, one_noise_level, over_one_penalty, penalties,
    two_noise_levels)
from icllib.papers.context_scaling.perceptrons import (
    FIGURE_5_LENGTHS, FIGURE_5_TASKS, KERNELS, bayes_floor, both_beside, errors_by_count,
    feature_parts, feature_ratios, features_learned, fig05_one_layer, fig06_scalar_against_row,
    fig07_features, fig07_features_alone, fig07_prompt_alone, fig07_prompt_and_features,
    over_margins, reads)
from icllib.papers.context_scaling.scaling import (
    SGPTS, context_ratios, fig01_against_context, fig01_against_tasks,
    fig01_decoders, fig01_perceptrons, fig01_scaling, fig08_against_context, fig08_against_tasks,
    fig08_sgpt_scaling, fig08_transformers, log_slope, optimizer_steps, ratios_by_length,
    scaling_tasks, slopes_over_tasks, tasks_ratio)
from icllib.papers.context_scaling.sizes import (
    against_best, best_over_ridge, best_size, by_size, over_axis, sizes)
from icllib.papers.context_scaling.three_tasks import (
    NETWORKS, SPARSE, TREES, Baseline, fig04_three_tasks, figure_4_baselines, figure_4_curve,
    figure_4_curves, figure_4_settings, figure_4_tasks)
from icllib.papers.context_scaling.untrained import (
    UNTRAINED_LENGTHS, untrained_lengths, untrained_ratios)
from icllib.papers.context_scaling.variants import (
    DEPTHS, FORMS, at_pairs, by_depth, normalization, one_layer_against_tasks,
    one_layer_and_deep, one_layer_over_deep, perceptrons_by_width, reviewer_curves,
    what_would_a_reviewer_ask, with_and_without_normalization)
