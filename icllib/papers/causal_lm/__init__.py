"""Settings and measurements of "CausalLM is not optimal for in-context learning".

A page's runs are listed by the function that has the page's name.
"""

from icllib.papers.causal_lm.failures import (
    STEP_SIZES, SelfAttention, StartingWeights, StepBounds, what_fails)
from icllib.papers.causal_lm.few_shot import (
    SHOTS, TEXTS, RidgeByClass, few_shot_tokens)
from icllib.papers.causal_lm.language import (
    DECODERS, PRINTED, SPEED, evaluation_flops, pretraining_flops, tables02_08_09_language_models)
from icllib.papers.causal_lm.layers import (
    Dynamics, MaskCheck, fig01_dynamics, fig05_masks)
from icllib.papers.causal_lm.linear_attention import (
    INPUT_MEANS, SEEDS, LayerErrors, Propositions, StationaryErrors, fig02_linear_attention,
    propositions, slope_over_layers)
from icllib.papers.causal_lm.lines import affine_functions
from icllib.papers.causal_lm.stationary import (
    ByPositionErrors, ByPositionPropositions, KaczmarzErrors, fig04_causal_by_position,
    figure_2_evidence, kaczmarz, kaczmarz_evidence, with_twice_the_pairs)
from icllib.papers.causal_lm.trained import (
    block_causal, fig03_layer_probes, fig06_training_sequences, learning_rates,
    table01_prefix_causal, table03_extra_loss, table07_permuted_pairs, tables04_06_fewer_pairs)
