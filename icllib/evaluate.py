"""What is measured on a predictor.

A predictor is anything with `predict(xs, ys, lengths) -> y_hat (..., K)`: y_hat[k] estimates
y[n], n = lengths[k], from the first n pairs and x[n] alone. Trained models and baselines are
predictors alike, so every comparison is one loop over the same prompts.
"""

from dataclasses import dataclass
from typing import ClassVar

import torch

from icllib.errors import InputError
from icllib.streams import Stream
from icllib.tasks import sample_each

CHUNK = 256  # prompts per forward pass


@dataclass(frozen=True)
class ErrorByLength:
    """Mean squared error at each context length, on the same unseen prompts for every predictor.

    Measures `error`, against noisy labels (the papers' number), and `excess`, against the labels
    without noise (their difference is the noise variance on average); for one-hot labels, whose
    error is the mean over classes, also `wrong`, the share of wrong largest entries. Each is
    (M, K).
    """

    lengths: tuple[int, ...]
    prompts: int = 2048
    seed: int = 0
    version: ClassVar[int] = 1

    def __post_init__(self):
        object.__setattr__(self, "lengths", tuple(self.lengths))
        if self.prompts < 1 or not self.lengths or min(self.lengths) < 1:
            raise InputError("prompts, lengths: expected at least 1 prompt and lengths >= 1, "
                             f"got {self.prompts} and {self.lengths}")

    def measure(self, tasks, predictor, device="cpu") -> dict:
        """The errors of M predictors that share one `predict`, each on its own task.

        tasks: M tasks of one shape, or one task for a single predictor.
        """
        tasks = tasks if isinstance(tasks, list) else [tasks]
        stream = Stream.of([self.seed] * len(tasks), "evaluation", device)
        sums = {}
        for start in range(0, self.prompts, CHUNK):
            ids = torch.arange(start, min(start + CHUNK, self.prompts), device=device)
            prompt = sample_each(tasks, stream, ids.expand(len(tasks), -1), max(self.lengths) + 1)
            with torch.no_grad():
                predictions = predictor.predict(prompt.xs, prompt.ys, self.lengths)
            for name, losses in self.losses(prompt, predictions).items():
                sums[name] = sums.get(name, 0) + losses.double().sum(dim=1)
        return {name: (total / self.prompts).cpu().numpy() for name, total in sums.items()}

    def losses(self, prompt, predictions) -> dict:
        """Every measure on every prompt: (M, B, K) each."""
        labels, means = (truth[:, :, list(self.lengths)] for truth in (prompt.ys, prompt.means))
        losses = {"error": (predictions - labels).square(),
                  "excess": (predictions - means).square()}
        if labels.dim() == 4:
            losses = {name: squares.mean(dim=-1) for name, squares in losses.items()}
            losses["wrong"] = predictions.argmax(dim=-1) != labels.argmax(dim=-1)
        return losses
