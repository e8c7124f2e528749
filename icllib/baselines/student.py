"""The student network: trained from scratch on each prompt."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from claimbook.records.checks import Positive, Size
from icllib.baselines.prefixes import ByLength
from icllib.models.stacked import Initializer, StackedLinear
from icllib.streams import Stream


@dataclass(frozen=True)
class StudentNetwork(ByLength):
    """A two-layer ReLU network, trained by Adam only on the pairs in context.

    Context-scaling paper, Figure 4B, with the settings of Garg et al. (2022). ASSUMED, as in their
    public code: biases, the initialization of torch.nn.Linear, min(batch, n) different pairs per
    step, and the same ones for all prompts. Also ASSUMED: all prompts start from the same network,
    so that an answer does not depend on which prompts are around it; between seeds the mean error
    over 200 prompts varies by a third of its standard error. Raises InputError for settings that
    are not positive.
    """

    width: Size = 100  #: r, the teacher's (Section 4)
    steps: Size = 5000  #: Garg et al.
    batch: Size = 10  #: Garg et al.
    learning_rate: Positive = 5e-3  #: Garg et al.
    seed: int = 0

    def batches(self, n: int, device="cpu") -> Tensor:
        """Which of n pairs each step trains on: (steps, min(batch, n))."""
        steps = torch.arange(self.steps, device=device)[None]
        order = Stream.of([self.seed], "student", device).uniform(steps, f"batch/{n}", (n,))
        return order[0].argsort(dim=-1)[:, :self.batch]

    @torch.enable_grad()
    def _estimate(self, xs, ys, query):
        xs, ys = xs.reshape(-1, *xs.shape[-2:]), ys.reshape(-1, ys.shape[-1])  # P networks
        network = Students(self, len(xs), xs.shape[-1], xs.device).to(xs.dtype)
        optimizer = torch.optim.Adam(network.parameters(), self.learning_rate, fused=True)
        for chosen in self.batches(xs.shape[1], xs.device):
            errors = network(xs[:, chosen]) - ys[:, chosen]
            optimizer.zero_grad()
            errors.square().mean(dim=1).sum().backward()
            optimizer.step()
        answers = network(query.reshape(len(xs), 1, -1))
        return answers.detach().view(query.shape[:-1])


class Students(nn.Module):
    """P networks of one shape side by side, all with the same initial weights."""

    def __init__(self, settings: StudentNetwork, count: int, dimension: int, device):
        super().__init__()
        draw = Initializer([settings.seed] * count, device)
        width = settings.width
        bound = 1 / math.sqrt(dimension)  # U(+-1/sqrt(fan_in)), as torch.nn.Linear starts
        self.hidden = StackedLinear(draw.uniform("student/hidden", (dimension, width), bound),
                                    draw.uniform("student/bias", (width,), bound))
        bound = 1 / math.sqrt(width)
        self.read_out = StackedLinear(draw.uniform("student/read_out", (width, 1), bound),
                                      draw.uniform("student/read_out/bias", (1,), bound))

    def forward(self, xs: Tensor) -> Tensor:
        """(P, B, d) -> (P, B)."""
        return self.read_out(torch.relu(self.hidden(xs)))[..., 0]
