"""The settings of GPT-2's training script: the paper's, and those that are refused."""


import pytest
import torch

from papers.language_models.gpt2_model import Settings, build_gpt2


def test_the_defaults_are_the_papers():
    paper = Settings()
    assert (paper.layers, paper.heads, paper.width, paper.context) == (12, 12, 768, 1024)
    assert (paper.steps, paper.sequences, paper.weight_decay) == (50_000, 12, 0.1)
    assert (paper.beta1, paper.beta2) == (0.9, 0.95)
    assert (paper.learning_rate, paper.final_learning_rate) == (6e-4, 6e-5)


@pytest.mark.parametrize("scoring, parameters", [("softmax", 124_439_808), ("ssa", 124_440_096)])
def test_it_is_gpt2_with_124_million_parameters(scoring, parameters):
    with torch.device("meta"):
        assert sum(p.numel() for p in build_gpt2(Settings(scoring)).parameters()) == parameters
