"""Section 5.3: training on wider inputs, and training without a curriculum."""

from icllib.training import Run
from papers.signed_averaging.affine import SIZES, Size, affine_run, decoder, wider_inputs

# For the comparison with and without a curriculum. ASSUMED: at `cpu` a size that takes a minute on
# one core, and a learning rate at which all seeds leave the initial plateau of the loss; at four
# times this rate two of three do not.
CURRICULUM_SIZES = SIZES | {"cpu": Size(
    2, 4, 32, steps=2000, batch=16, learning_rate=1e-3, schedule="cosine", warmup=0.1, prompts=4,
    grid=(1, 2, 3, 5, 7, 10), line_prompts=16)}
CURRICULA = ["with a curriculum", "without a curriculum"]


def runs(profile: str) -> list[Run]:
    """Section 5.3 and Appendix A.1: wider inputs in training, and no curriculum."""
    return list(dict.fromkeys(wider_inputs(profile) + with_and_without_curriculum(profile)))


def with_and_without_curriculum(profile: str) -> list[Run]:
    """The softmax model of Table 1 (at `cpu` a smaller one), a comparison that the paper does not have."""
    size = CURRICULUM_SIZES[profile]
    return [affine_run(size, decoder(size), seed, curriculum=curriculum)
            for curriculum in (True, False) for seed in range(size.seeds)]
