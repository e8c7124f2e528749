"""The quantifiers without labels in the prompt: the numbers alone decide the answer.

In the paper's prompt x_1, y_1, x_2, y_2, ... the label y_(k-1) stands right before x_k, and
y_k = y_(k-1) AND (x_k > 0) under "every", OR under "some": nothing has to be aggregated. Here the
model reads x_1, x_2, ... and answers the same question.
"""

from dataclasses import replace

from icllib.evaluate import Together
from icllib.papers.signed_averaging import quantifier_models
from icllib.papers.signed_averaging.deviant_sequences import DeviantNumbers, chosen_cells
from icllib.papers.signed_averaging.quantifier_models import QuantifierErrors
from icllib.training import Run

# ASSUMED: without labels training takes twice as long to reach the gate of the claims.
SIZES = quantifier_models.SIZES | {
    "cpu": replace(quantifier_models.SIZES["cpu"], steps=2000, longer_every=50)}


def without_labels(profile: str) -> list[Run]:
    """Figures 4 and 5 as in the paper, and one large number, but no labels in the prompt."""
    size = SIZES[profile]
    shared = {"sequences": size.sequences, "own_prompts": size.own_prompts}
    evaluation = Together((QuantifierErrors(size.sigmas, size.lengths, **shared),
                           DeviantNumbers(**shared)))
    runs = [cell.run(size, seed) for cell in chosen_cells() for seed in range(size.seeds)]
    return [replace(run, model=replace(run.model, tokens="inputs"), evaluation=evaluation)
            for run in runs]
