"""A solvable attention for neural scaling laws: a module for each page.

This file only imports the classes that records name, as "papers.solvable_attention.<class>".
"""

from papers.solvable_attention.appA_unseen_strength import UnseenStrength
from papers.solvable_attention.errata import FirstOrderFormulas, SolutionFormulas
from papers.solvable_attention.fig01_data import DataPoint, Decoupling
from papers.solvable_attention.fig02_loss_curves import LossCurves
from papers.solvable_attention.fig03_scaling_laws import LawsBySimulation
from papers.solvable_attention.fig04_varied_laws import Balance, QueryFeature
from papers.solvable_attention.fig05_source_capacity import SourceCapacityCurves, SourceCapacitySoftmax
from papers.solvable_attention.fig06_approximately_sparse import (
    ApproximatelySparse, ApproximatelySparseLimit)
from papers.solvable_attention.fig07_idempotent import IdempotentCheck
from papers.solvable_attention.formulas import FirstOrder, LawFormulas
from papers.solvable_attention.laws import FiniteTime, LawsInTheLimit, VariedBySimulation, VariedInTheLimit
from papers.solvable_attention.other_architectures import (
    ClosedFormModel, PerceptronData, PerceptronSize, PerceptronTime, SharedReadOut)
from papers.solvable_attention.softmax import SoftmaxCurves, SoftmaxDataLimit, SoftmaxSizeLimit
from papers.solvable_attention.thm31_closed_form import ClosedFormCheck
