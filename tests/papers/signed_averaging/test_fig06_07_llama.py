"""What is not run on language models: the printed row, and what it would cost."""

import hashlib

import numpy as np
import pytest
import torch

from claimbook.claims import find_claim
from papers.signed_averaging import affine, fig06_07_llama

HASHES = {  # of Appendix K's texts
    "every": "4ba68c186ab5f66040b4be4db3df743ac1bd217fea4ca83d2a639df649d5c90b",
    "some": "898078ab7546b2735cd07cecfdbb3416d91d9ba0ae610f1e48e0d2bf6ea7fbcb",
    "affine": "dfadd682281f48f125eb6446a29356ee075a46264b47e77fbf9eecef5e2ebe73"}


def test_the_printed_row_is_that_of_the_claim():
    ratios = np.array(fig06_07_llama.TABLE_1_LLAMA) / affine.PRINTED["softmax"]
    printed = find_claim("signed_averaging.19").printed["value"]
    assert ratios == pytest.approx(list(printed.values()), rel=5e-3)


@pytest.mark.parametrize("model, width, feed_forward, layers, heads", [
    ("Llama 3.1 8B", 4096, 14336, 32, 32), ("Llama 3.3 70B", 8192, 28672, 80, 64)])
def test_parameters_are_those_of_llamas_of_the_published_shapes(model, width, feed_forward, layers, heads):
    from transformers import LlamaConfig, LlamaForCausalLM

    with torch.device("meta"):
        made = LlamaForCausalLM(LlamaConfig(
            vocab_size=128_256, hidden_size=width, intermediate_size=feed_forward,
            num_hidden_layers=layers, num_attention_heads=heads, num_key_value_heads=8))
    assert fig06_07_llama.PARAMETERS[model] == pytest.approx(made.num_parameters(), rel=1e-3)


def test_costs_are_sums_over_prompts():
    seconds = 0
    for length in (10, 20):
        prompt = len(fig06_07_llama.SYSTEM["every"]) // 3 + 5 * length
        for _ in range(2 * 100):  # sigmas, sequences
            seconds += 2 * 1e9 * (prompt + 2 * length) / 4e14
        seconds += 2 * 2 * (2 * length) * 2e9 / 2.4e12  # two sigmas, two batches
    found = fig06_07_llama.answering_hours("every", 1e9, (1, 2), (10, 20), 100)
    assert found == pytest.approx(seconds / 3600)
    read = sum(len(fig06_07_llama.SYSTEM["affine"]) // 3 + 5 * (2 * n - 1) + 5 for n in range(1, 41)) / 40
    found = fig06_07_llama.training_hours("affine", 1e9, 1000)
    assert found == pytest.approx(4e9 * 2000 * read / 4e14 / 3600)


@pytest.mark.parametrize("task", fig06_07_llama.SYSTEM)
def test_the_system_prompts_are_the_printed_ones(task):
    assert hashlib.sha256(fig06_07_llama.SYSTEM[task].encode()).hexdigest() == HASHES[task]
