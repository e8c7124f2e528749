"""Figure 1: a decoder and a perceptron, against pre-training tasks and context length."""

from dataclasses import replace

from icllib.evaluate import ErrorByLength
from icllib.models import MLP, SGPT, Transformer
from icllib.papers.context_scaling.common import LENGTHS, LINEAR_8
from icllib.training import Recipe, Run

# Per profile: the decoder of Figure 1, its recipe, the perceptron, its recipe, T, seeds.
# ASSUMED everywhere: steps and batch (Appendix A gives neither); the same number of steps for
# every T. paper: Adam at a constant 1e-4 with batch 64 (Garg et al., 2022) and AdamW at 1e-4
# with batch 128 (Tong and Pehlevan, 2024), the works whose code the paper follows.
FIGURE_1 = {
    "smoke": (Transformer(1, 2, 16), Recipe(LENGTHS, steps=4, batch=4),
              MLP(16), Recipe(LENGTHS, steps=4, batch=4), (100, 10**5, 10**6), 2),
    "quick": (Transformer(2, 4, 64),
              Recipe(LENGTHS, 3000, 16, learning_rate=2e-3, schedule="cosine", warmup=0.1),
              MLP(256),
              Recipe(LENGTHS, 12_000, 128, learning_rate=6e-3, schedule="cosine", warmup=0.05),
              (100, 10**3, 10**4, 10**5, 10**6), 3),
    "gpu": (Transformer(8, 8, 256),
            Recipe(LENGTHS, 20_000, 64, learning_rate=5e-4, schedule="cosine", warmup=0.1),
            MLP(1024),
            Recipe(LENGTHS, 100_000, 128, learning_rate=1e-3, schedule="cosine", warmup=0.05),
            (100, 10**3, 10**4, 10**5, 10**6), 3),
    "paper": (Transformer(8, 8, 256), Recipe(LENGTHS, 500_000, 64, learning_rate=1e-4),
              MLP(1024), Recipe(LENGTHS, 500_000, 128, learning_rate=1e-4, weight_decay=0.01),
              (100, 10**3, 10**4, 10**5, 10**6), 3),
}

# Per profile: SGPT and the learning rate at which it trains; all else is as for the decoder.
# Appendix A: 8 layers of width 256. ASSUMED: everything at quick, and the rate at gpu.
SGPTS = {
    "smoke": (SGPT(1, 16), 1e-4),
    "quick": (SGPT(4, 32), 4e-3),
    "gpu": (SGPT(8, 256), 5e-4),
    "paper": (SGPT(8, 256), 1e-4),
}


def transformers(profile: str, **recipe) -> dict:
    """The two models of the paper's comparisons by name, each with how it trains.

    recipe: what differs from the recipe of Figure 1, such as the context lengths.
    """
    decoder, decoder_recipe, *_ = FIGURE_1[profile]
    sgpt, rate = SGPTS[profile]
    decoder_recipe = replace(decoder_recipe, **recipe)
    return {"SGPT": (sgpt, replace(decoder_recipe, learning_rate=rate)),
            "GPT-2": (decoder, decoder_recipe)}


def fig01_scaling(profile: str) -> list[Run]:
    """Figure 1: a decoder and a perceptron, each at every T and seed."""
    decoder, decoder_recipe, mlp, mlp_recipe, task_counts, seeds = FIGURE_1[profile]
    measure = ErrorByLength(LENGTHS, prompts=64 if profile == "smoke" else 4096)
    return [
        Run(LINEAR_8, model, recipe, measure, seed, count)
        for model, recipe in ((decoder, decoder_recipe), (mlp, mlp_recipe))
        for count in task_counts
        for seed in range(seeds)
    ]
