"""Is the best mask prefix or leave-one-out?"""

from dataclasses import replace

from icllib.evaluate import ErrorByLength
from icllib.training import Run
from papers.across.shifts import KEPT_SEEDS, SEED
from papers.causal_lm.trained import SIZES, Cell, as_in_table_1

MASKS = ("prefix", "leave-one-out", "causal")


def runs(profile: str) -> list[Run]:
    """Table 1 of causal_lm under three masks, two of them kept, on new prompts; at smoke and cpu alone."""
    if profile not in ("smoke", "cpu"):
        return []
    size = SIZES[profile]
    rule = ErrorByLength(size.fewer_pairs, 8 if profile == "smoke" else 4096, seed=SEED)
    return [replace(cell.run(size, seed), evaluation=rule)
            for cell in as_in_table_1(MASKS) for seed in range(min(size.seeds, KEPT_SEEDS))]


def compared(task: str) -> dict[str, tuple[Cell, Cell]]:
    """The models of the leave-one-out mask, and those beside them, by the other mask and the sharing."""
    return {f"{mask}, {cell.sharing}": (cell, cell._replace(mask=mask)) for mask in ("prefix", "causal")
            for cell in as_in_table_1(["leave-one-out"]) if cell.task == task}
