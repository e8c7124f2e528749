"""Section 5.3: training on wider inputs, and training without a curriculum."""

from icllib.papers.signed_averaging.affine import all_runs, base_runs, wider_inputs
from icllib.training import Run


def models_by_curriculum(profile: str) -> dict[str, list[Run]]:
    """The softmax model of Table 1, trained with and without a curriculum."""
    return {name: base_runs(profile, curriculum=curriculum)
            for name, curriculum in (("with", True), ("without", False))}


def runs(profile: str) -> list[Run]:
    """Section 5.3 and Appendix A.1: wider inputs in training, and no curriculum."""
    return list(dict.fromkeys(wider_inputs(profile) + with_and_without_curriculum(profile)))


def with_and_without_curriculum(profile: str) -> list[Run]:
    """A comparison that Appendix A.1 does not show."""
    return all_runs(models_by_curriculum(profile))
