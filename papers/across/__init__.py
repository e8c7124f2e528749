"""Questions that no paper asks alone, put to kept models of all: a module for each page.

`runs` of a page's module lists the runs of a profile. This file imports the classes that records name.
"""

from papers.across.caps import LargestAnswers
from papers.across.fixed_point import ByLoop, HandSetLoops
from papers.across.kernels import KernelErrors
from papers.across.leaderboard import CourtErrors, Recurrent
from papers.across.nearest_algorithm import AlgorithmDistances, HandSetDistances, NarrowedInputs
from papers.across.one_pass import LabelInfluence
from papers.across.shifts import AtTemperatures, OtherInputs
from papers.across.time_law import LossByTask
