"""Settings and measurements of "CausalLM is not optimal for in-context learning".

A page's runs are listed by the function that has the page's name.
"""

from icllib.papers.causal_lm.few_shot import (
    MASKS, SHOTS, TEXTS, RidgeByClass, few_shot_tokens)
from icllib.papers.causal_lm.language import (
    DECODERS, PRINTED, SPEED, pretraining_flops, tables02_08_09_language_models)
from icllib.papers.causal_lm.linear_attention import (
    SEEDS, LayerErrors, Propositions, StationaryErrors, fig02_linear_attention, propositions)
