"""CausalLM is not optimal for in-context learning: a module for each page.

This file only imports the classes that records name, as "papers.causal_lm.<class>".
"""

from papers.causal_lm.fig01_dynamics import Dynamics
from papers.causal_lm.fig02_linear_attention import LayerErrors, StationaryErrors
from papers.causal_lm.fig03_layer_probes import LoopedErrors
from papers.causal_lm.fig04_causal_by_position import ByPositionErrors, ByPositionPropositions
from papers.causal_lm.fig05_masks import MaskCheck
from papers.causal_lm.layers import KaczmarzErrors
from papers.causal_lm.propositions import Propositions
from papers.causal_lm.what_fails import SelfAttention, StartingWeights, StepBounds
