"""The book's trainings by a plain loop: GPT-2 of `transformers`, AdamW, and PyTorch's random numbers.

Only the measurements and the test prompts are those of our engine.
"""

import math
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import binary_cross_entropy_with_logits, mse_loss

from claimbook.records import Component
from claimbook.records.checks import one_of
from claimbook.records.errors import InputError
from icllib.streams import Stream
from icllib.tasks import AffineFunctions, Quantifier
from icllib.training import Run
from icllib.training.cpu import one_core

STARTS = ("normal", "linear")


@dataclass(frozen=True)
class PlainLoop(Component):
    """One model with the settings of a run, trained by the loop below and measured as the run is.

    start: how read-in and read-out start, "normal" as GPT-2's other weights, N(0, 0.02^2), or "linear" as
    `nn.Linear`, U(+-1/sqrt(fan_in)). signs: labels are read as -1 and 1 in place of 0 and 1.
    """

    run: Run
    start: Literal[*STARTS] = "normal"
    signs: bool = False

    def check(self):
        if not isinstance(self.run, Run):
            raise InputError(f"run: expected a Run, got {self.run!r}")
        one_of(("constant", "cosine"), schedule=self.run.recipe.schedule)

    @property
    def seed(self) -> int:
        return self.run.seed

    def axes(self, metric: str) -> dict:
        return self.run.evaluation.axes(metric)

    def measure(self) -> dict:
        with one_core(), torch.random.fork_rng(devices=[]):
            torch.manual_seed(self.seed)
            decoder = Decoder(self.run, self.start, self.signs)
            train(decoder, self.run)
        metrics = self.run.evaluation.measure([self.run.task], Plain(decoder.eval(), self.seed))
        return {name: values[0] for name, values in metrics.items()}


def train(decoder: "Decoder", run: Run) -> None:
    """Train on fresh prompts, or on `pretraining_tasks` stored ones, reshuffled each epoch."""
    recipe, stored = run.recipe, None
    if (run.pretraining_tasks or math.inf) < recipe.steps * recipe.batch:
        stored, order = prompts(run.task, run.pretraining_tasks, recipe.points), []
    optimizer = torch.optim.AdamW(decoder.parameters(), betas=recipe.betas, eps=recipe.epsilon,
                                  weight_decay=recipe.weight_decay)
    for step in range(recipe.steps):
        if stored is None:
            xs, ys = prompts(run.task, recipe.batch, recipe.points)
        else:
            order = order or list(torch.randperm(run.pretraining_tasks).split(recipe.batch))
            xs, ys = (values[order[-1]] for values in stored)
            order.pop()
        lengths = recipe.lengths
        if curriculum := recipe.curriculum:
            count = curriculum.start + curriculum.increment * (step // curriculum.every)
            lengths = lengths[:count]
        places = lengths if recipe.queries == 1 else range(max(lengths), recipe.points)
        loss = binary_cross_entropy_with_logits if recipe.loss == "cross-entropy" else mse_loss
        optimizer.param_groups[0]["lr"] = rate(recipe, step)
        optimizer.zero_grad()
        loss(decoder(xs, ys, lengths, places), ys[:, list(places)]).backward()
        optimizer.step()


def rate(recipe, step: int) -> float:
    """The learning rate at a step: a linear rise, then constant or half a cosine down to 0."""
    warmup = round(recipe.warmup * recipe.steps)
    if step < warmup:
        return recipe.learning_rate * (step + 1) / warmup
    if recipe.schedule == "constant":
        return recipe.learning_rate
    return recipe.learning_rate * (1 + math.cos(math.pi * (step - warmup) / (recipe.steps - warmup))) / 2


def prompts(task, count: int, points: int) -> tuple[Tensor, Tensor]:
    """Inputs (count, points, d) and labels (count, points)."""
    xs = torch.randn(count, points, task.dimension)
    if isinstance(task, Quantifier):
        positive = (task.input_std * xs[..., 0] > 0).float()
        settled = positive.cummin if task.quantifier == "every" else positive.cummax
        return xs, settled(dim=1).values
    if isinstance(task, AffineFunctions):
        slope, intercept = task.function_std * torch.randn(2, count, 1)
        return xs, slope * xs[..., 0] + intercept
    if task.inputs == "uniform":
        xs = 2 * torch.rand(count, points, task.dimension) - 1
    weights = task.weight_std * torch.randn(count, task.dimension, 1)
    return xs, (xs @ weights)[..., 0] + task.noise_std * torch.randn(count, points)


class Decoder(nn.Module):
    """GPT-2 between a linear read-in and a linear read-out, without dropout."""

    def __init__(self, run: Run, start: str, signs: bool):
        super().__init__()
        from transformers import GPT2Config, GPT2Model  # an optional dependency, slow to import

        model, points = run.model, run.recipe.points
        self.model, self.signs = model, signs
        separate = model.tokens == "separate"
        places = model.positions_up_to or points
        self.gpt2 = GPT2Model(GPT2Config(
            vocab_size=1, n_positions=2 * places + 1 if separate else places,
            n_embd=model.width, n_layer=model.layers, n_head=model.heads,
            resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0, use_cache=False,
            bos_token_id=None, eos_token_id=None))
        self.read_in = nn.Linear(run.task.dimension + (not separate), model.width)
        self.read_out = nn.Linear(model.width, 1)
        for layer in (self.read_in, self.read_out) * (start == "normal"):
            nn.init.normal_(layer.weight, std=0.02)
            nn.init.zeros_(layer.bias)

    def forward(self, xs: Tensor, ys: Tensor, lengths, places) -> Tensor:
        """Predict y of the points `places` from the pairs before them, (B, N, d) -> (B, K); for a single
        context length there may be several queries, which see only the pairs."""
        ys = 2 * ys - 1 if self.signs else ys
        if self.model.tokens == "separate":  # x, y, x, y ..., a prediction at every x
            tokens = torch.stack((xs[..., 0], ys), dim=2).flatten(1)[:, : 2 * max(lengths) + 1, None]
            return self.answers(tokens)[:, [2 * length for length in lengths]]
        if len(lengths) == 1 and len(places) > 1:  # pairs, then queries side by side
            pairs, = lengths
            after = pairs + torch.arange(len(places)) % self.model.query_positions
            return self.answers(joint(xs, ys, pairs), position_ids=torch.cat(
                (torch.arange(pairs), after))[None], attention_mask=side_by_side(
                    xs, pairs, self.model.mask))[:, list(places)]
        return torch.stack([self.answers(joint(xs[:, : length + 1], ys, length))[:, -1]
                            for length in lengths], dim=1)

    def answers(self, tokens: Tensor, **layout) -> Tensor:
        """The output at every token: (B, T, inputs) -> (B, T)."""
        states = self.gpt2(inputs_embeds=self.read_in(tokens), **layout)
        return self.read_out(states.last_hidden_state)[..., 0]


def joint(xs: Tensor, ys: Tensor, pairs: int) -> Tensor:
    """Tokens (x, y) of the pairs and (x, 0) of the queries after them: (B, N, d + 1)."""
    labels = ys.new_zeros(xs.shape[:2])
    labels[:, :pairs] = ys[:, :pairs]
    return torch.cat((xs, labels[..., None]), dim=2)


def side_by_side(xs: Tensor, pairs: int, mask: str) -> Tensor:
    """The mask under which queries see only the pairs: (1, 1, N, N)."""
    sees = torch.zeros(xs.shape[1], xs.shape[1], dtype=torch.bool)
    sees[:, :pairs] = True
    if mask == "causal":
        sees[:pairs, :pairs] = torch.ones(pairs, pairs).tril().bool()
    return sees[None, None]


class Plain:
    """A trained decoder as a predictor, with the test prompts of our model of this seed."""

    members = 1

    def __init__(self, decoder: Decoder, seed: int):
        self.decoder, self.stream = decoder, Stream.of([seed], "training")

    def predict(self, xs, ys, lengths, points=None):
        lengths = tuple(dict.fromkeys(lengths))
        return self.decoder(xs[0], ys[0], lengths, lengths if points is None else points)[None]
