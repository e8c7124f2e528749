"""Context-scaling versus task-scaling in in-context learning: a module for each page.

Code that several pages use is in modules named after what they hold.

`runs` of a page's module lists the runs of a profile. This file only imports the classes that
records name, as "papers.context_scaling.<class>".
"""

from papers.context_scaling.estimators import EstimatorErrors, Identities
from papers.context_scaling.fig04_three_tasks import Baseline
from papers.context_scaling.normalization import PublicNormalizations
