"""Context-scaling versus task-scaling in in-context learning: a module for each page.

This file only imports the classes that records name, as "papers.context_scaling.<class>".
"""

from papers.context_scaling.estimators import EstimatorErrors, Identities
from papers.context_scaling.fig04_three_tasks import Baseline
from papers.context_scaling.normalization import PublicNormalizations
