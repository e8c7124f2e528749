"""Settings and measurements of "CausalLM is not optimal for in-context learning".

A page's runs are listed by the function that has the page's name.
"""

from icllib.papers.causal_lm.linear_attention import (
    SEEDS, LayerErrors, Propositions, StationaryErrors, fig02_linear_attention, propositions)
