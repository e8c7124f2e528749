"""Settings and measurements of "Context-scaling versus task-scaling in in-context learning".

A page's runs are listed by the function that has the page's name. Where the paper is silent a
setting is marked ASSUMED, with the reason.
"""

from icllib.papers.context_scaling.common import ASSUMED, LENGTHS, LINEAR_8
from icllib.papers.context_scaling.scaling import fig01_scaling
