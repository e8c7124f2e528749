"""Settings and measurements of "A solvable attention for neural scaling laws".

A page's runs are listed by the function that has the page's name. Gradient descent on the paper's
models is a short recursion, so every figure runs at full size in every profile but "smoke".
"""

from icllib.papers.solvable_attention.architecture_tables import (
    LARGE, architecture_series, architecture_table, by_architecture, exponents_of, laws_of,
    read_out_table, strength_table)
from icllib.papers.solvable_attention.architectures import (
    ClosedFormModel, SharedReadOut, half_time, linear_attention_unit)
from icllib.papers.solvable_attention.balance import (
    Balance, balance_ratios, balance_table)
from icllib.papers.solvable_attention.curves import PANELS, law_curves, size_curves
from icllib.papers.solvable_attention.data import (
    DECOUPLED, DataPoint, Decoupling, fig01_data)
from icllib.papers.solvable_attention.errata_of_laws import LawFormulas
from icllib.papers.solvable_attention.errata_of_solution import (
    FirstOrderFormulas, SolutionFormulas, errata)
from icllib.papers.solvable_attention.late_times import (
    LATER, FiniteTime, QueryFeature, beta_changes, finite_time_table, late_exponents,
    query_feature_exponents, query_feature_table, way_table)
from icllib.papers.solvable_attention.laws import (
    ALPHAS, LawsBySimulation, LawsInTheLimit, closed_form_losses, fig03_scaling_laws)
from icllib.papers.solvable_attention.noisy import (
    CURVES, ApproximatelySparse, ApproximatelySparseLimit, by_context_length, curve_tables,
    draw_curves, fig06_approximately_sparse)
from icllib.papers.solvable_attention.perceptrons import (
    PerceptronData, PerceptronSize, PerceptronTime, other_architectures)
from icllib.papers.solvable_attention.perturbation import (
    FORMS, FirstOrder, appJ_first_order)
from icllib.papers.solvable_attention.softmax import (
    SIGN_LAWS, SoftmaxCurves, SoftmaxDataLimit, SoftmaxSizeLimit,
    fig08_softmax_laws, fig09_softmax_varied, fig10_softmax_adamw)
from icllib.papers.solvable_attention.softmax_laws import (
    cost_of_learned, draw_law, draw_power_law, first_below, law_curve, one_by_one,
    shifted_sizes)
from icllib.papers.solvable_attention.source_capacity import (
    SourceCapacityCurves, SourceCapacitySoftmax, coordinate_by_coordinate,
    fig05_source_capacity, least_curvature, stable_seeds)
from icllib.papers.solvable_attention.source_capacity_laws import (
    draw_softmax_and_limit, exponents_by_law, figure5, figure5_series, first_and_other_seeds,
    stability_table)
from icllib.papers.solvable_attention.tables import (
    ENVELOPE_BUDGETS, KINDS, LAWS, LETTERS, allocation_table, axis_names, cutoff_table,
    exponent_table, kind, large_strength_table, late_table, law_table, plateau_table,
    simulated_envelope, simulated_exponents, varied_exponents)
from icllib.papers.solvable_attention.theorem import (
    STARTS, ClosedFormCheck, IdempotentCheck, LossCurves, fig02_loss_curves, fig07_idempotent,
    thm31_closed_form)
from icllib.papers.solvable_attention.unseen import (
    UNSEEN, UnseenStrength, appA_unseen_strength)
from icllib.papers.solvable_attention.varied import (
    LIMIT_WINDOWS, VARIED, VariedBySimulation, VariedInTheLimit, fig04_varied_laws,
    linear_attention, table02_exponents)
