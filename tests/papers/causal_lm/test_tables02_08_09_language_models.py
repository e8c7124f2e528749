"""Printed scores of language models against the claims, and their cost against a counted model."""

import numpy as np
import pytest

from claimbook.claims import find_claim
from papers.causal_lm import tables02_08_09_language_models

PRINTED = {table.source: table for table in tables02_08_09_language_models.PRINTED}
WHERE = {14: {"MMLU ": "Table 2: T5, MMLU", "BBH ": "Table 2: T5, BBH"},
         32: {"": "Table 8: PaLM2, MMLU"},
         33: {"encoder ": "Table 9: PaLI-X, encoder", "decoder ": "Table 9: PaLI-X, decoder"}}


@pytest.mark.parametrize("number", WHERE)
def test_ratios_of_the_printed_scores_are_those_of_the_claims(number):
    ratios = {}
    for start, source in WHERE[number].items():
        table = PRINTED[source]
        for column, prefix, causal in zip(table.columns, table.rows["prefix"], table.rows["causal"]):
            ratios[start + column] = prefix / causal
    assert ratios == pytest.approx(find_claim(f"causal_lm.{number}").printed["value"], rel=5e-3)


def test_the_printed_lead_in_points_is_that_of_the_claim():
    growth = {}
    for start, source in WHERE[14].items():
        table = PRINTED[source]
        lead = np.subtract(table.rows["prefix"], table.rows["causal"])
        growth |= dict(zip((start + column for column in table.columns[1:]), np.diff(lead)))
    assert growth == pytest.approx(find_claim("causal_lm.44").printed["value"])


def test_ratios_with_the_block_causal_mask_are_those_of_the_claims():
    rows, ratios = PRINTED["Table 9: PaLI-X, encoder"].rows, {}
    for wide, narrow in (("prefix", "block-causal"), ("block-causal", "causal")):
        for shots, above, below in zip(("4 shots", "8 shots"), rows[wide], rows[narrow]):
            ratios[f"{wide} over {narrow} {shots}"] = above / below
    assert ratios == pytest.approx(find_claim("causal_lm.34").printed["value"], rel=5e-3)


@pytest.mark.parametrize("size, millions", [("Base", 109.6), ("Large", 341.2), ("XL", 1223.5)])
def test_parameters_are_those_of_a_llama_of_the_same_shape(size, millions):
    """A Llama has the same matrices: four of attention, three of a gated perceptron, no biases."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    decoder = tables02_08_09_language_models.DECODERS[size]
    config = LlamaConfig(vocab_size=32_128, hidden_size=decoder.width, tie_word_embeddings=True,
                         intermediate_size=decoder.feed_forward, num_attention_heads=2,
                         num_hidden_layers=decoder.layers)
    with torch.device("meta"):
        matrices = [p for p in LlamaForCausalLM(config).parameters() if p.dim() == 2]
    assert decoder.parameters() == sum(matrix.numel() for matrix in matrices)
    tokens = 10**6 * 2048 * 626
    assert tables02_08_09_language_models.pretraining_flops(decoder) == pytest.approx(6e6 * millions * tokens, rel=1e-3)
    prompts = (14_042 + 6_511) * 2_000
    assert tables02_08_09_language_models.evaluation_flops(decoder) == pytest.approx(2e6 * millions * prompts, rel=1e-3)
