"""What the chapter's runs share: tasks, context lengths and what the paper leaves open."""

from dataclasses import replace

from icllib.evaluate import ErrorByLength
from icllib.tasks import LinearRegression, ReluNetwork

# Figures 1, 7 and 8: d = 8, sigma = 0.22 (Appendix A). The paper follows Tong and Pehlevan
# (2024), whose noise variance is 0.05; 0.22 is its root, rounded.
LINEAR_8 = LinearRegression(dimension=8, noise_std=0.05**0.5, weight_std=8**-0.5)
RELU_8 = ReluNetwork(dimension=8)  # Figures 5 to 8, Appendix A
LENGTHS = (5, 10, 20, 30, 40)  # Figures 1 and 7, Appendix A
RELU_LENGTHS = (10, 20, 30, 40, 50, 60, 70, 80)  # Figure 7, Appendix A
FIGURE_4_COUNT = 2 * 10**6  # T, caption of Figure 4. ASSUMED for like tasks in figures without T
FIGURE_1_MOST = 10**6  # the largest T of Figure 1. ASSUMED for Figure 6 and panels against n
TASKS = {"linear": (LINEAR_8, LENGTHS), "ReLU network": (RELU_8, RELU_LENGTHS)}  # Figures 6 to 8

# Settings that the paper does not give, by name, for the table on the page.
ASSUMED = (
    "recipe.steps", "recipe.batch", "recipe.learning_rate", "recipe.schedule", "recipe.warmup",
    "recipe.weight_decay", "evaluation.prompts", "evaluation.seed", "seed",
)
LINEAR_ASSUMED = (*ASSUMED, "task.noise_std")
SGPT_ASSUMED = (*ASSUMED, "model.normalization", "model.mlp_skip")


def evaluation(lengths, profile: str, prompts: int = 4096, kind=ErrorByLength):
    """Errors on new prompts, by default as many as in Figure 1. kind: ErrorByLength or a relative."""
    return kind(lengths, prompts=64 if profile == "smoke" else prompts)


def own_evaluation(lengths, profile: str, prompts: int = 2**15, kind=ErrorByLength):
    """The same on prompts of each seed's own, so that intervals over seeds contain their spread."""
    return replace(evaluation(lengths, profile, prompts, kind), own_prompts=True)


def near_bound(lengths, profile: str) -> ErrorByLength:
    """Errors for ratios near the bound of a claim (4, 11 and 14), which prompts that all seeds share
    could take across it. At smoke and cpu, which do not decide them, as everywhere."""
    many = {"gpu": own_evaluation, "paper": own_evaluation}.get(profile)
    return many(lengths, profile, 2**17) if many else evaluation(lengths, profile)
