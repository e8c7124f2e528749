"""A transformer that learns in context, from nothing, in about a minute on one core of a CPU.

    python learner.py            # trains, prints how close it comes to ridge regression, draws
    python learner.py --seed 1   # another start and other data

It needs torch and matplotlib and nothing else. Read it from the top: the problem, the best possible
answer, the model, the training, the pictures.
"""

import argparse
import math
import time

import torch
from torch import nn
from torch.nn import functional as F

PAIRS = 10  # examples in the longest prompt
NOISE = 0.3  # standard deviation of the noise on every y
WIDTH, HEADS, LAYERS = 32, 4, 2
STEPS, BATCH, RATE = 3000, 64, 5e-3


# ---- the problem ----------------------------------------------------------------------------


def prompts(count: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Prompts of PAIRS + 1 points (x, y) on a noisy line y = a x + b: two tensors (count, points).

    Each prompt has a line of its own, a, b ~ N(0, 1). No line comes twice, so nothing can be
    learned by heart: who wants to know y at a new x must find the line in the prompt.
    """
    x = torch.randn(count, PAIRS + 1)
    a, b = torch.randn(2, count, 1)
    return x, a * x + b + NOISE * torch.randn(count, PAIRS + 1)


# ---- the best possible answer ---------------------------------------------------------------


def ridge(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """What ridge regression answers at every point from the points before it: (count, points).

    With penalty NOISE**2 it is the mean of y given the prompt, so no predictor has a smaller
    mean squared error.
    """
    features = torch.stack((x, torch.ones_like(x)), dim=-1).double()  # y = (x, 1) . (a, b)
    answers = [torch.zeros(len(x), dtype=torch.float64)]  # without an example: the mean of all lines
    for n in range(1, x.shape[1]):
        known, labels = features[:, :n], y[:, :n, None].double()
        gram = known.mT @ known + NOISE**2 * torch.eye(2)
        line = torch.linalg.solve(gram, known.mT @ labels)  # (count, 2, 1)
        answers.append((features[:, n : n + 1] @ line)[:, 0, 0])
    return torch.stack(answers, dim=1).float()


# ---- the model ------------------------------------------------------------------------------


def who_may_look_at_whom(pairs: int) -> torch.Tensor:
    """Which token may attend to which: (2 pairs + 1, 2 pairs + 1), True where allowed.

    First come the examples as tokens (x, y), then every x once more as a question. Question k may
    look at the examples before k and at itself, so a single pass asks for all prompt lengths.
    """
    allowed = torch.eye(2 * pairs + 1, dtype=torch.bool)
    allowed[:pairs, :pairs] |= torch.ones(pairs, pairs, dtype=torch.bool).tril()
    allowed[pairs:, :pairs] = torch.ones(pairs + 1, pairs, dtype=torch.bool).tril(-1)
    return allowed


class Block(nn.Module):
    """A layer of a transformer: tokens look at each other, then each thinks for itself."""

    def __init__(self):
        super().__init__()
        self.norm_attention, self.norm_perceptron = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.queries_keys_values = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)
        self.perceptron = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(),
                                        nn.Linear(4 * WIDTH, WIDTH))

    def forward(self, tokens, allowed):  # (count, T, WIDTH)
        count, length, _ = tokens.shape
        heads = self.queries_keys_values(self.norm_attention(tokens))
        q, k, v = heads.view(count, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)  # softmax(q . k) v
        tokens = tokens + self.out(seen.transpose(1, 2).reshape(count, length, WIDTH))
        return tokens + self.perceptron(self.norm_perceptron(tokens))


class Learner(nn.Module):
    """A transformer that answers every question of a prompt: (count, points) twice -> (count, points)."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Linear(3, WIDTH)  # of (x, y, 1) for an example, (x, 0, 0) for a question
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm, self.read = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, 1)

    def forward(self, x, y):
        pairs = x.shape[1] - 1
        examples = torch.stack((x, y, torch.ones_like(x)), dim=-1)[:, :pairs]
        questions = F.pad(x[..., None], (0, 2))
        tokens = self.embed(torch.cat((examples, questions), dim=1))
        allowed = who_may_look_at_whom(pairs)
        for block in self.blocks:
            tokens = block(tokens, allowed)
        return self.read(self.norm(tokens[:, pairs:]))[..., 0]


# ---- the training ---------------------------------------------------------------------------


def squared_errors(answers: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    """Mean squared error at every prompt length, 0 to PAIRS examples: (points,)."""
    return (answers - y).square().mean(dim=0)


def train(steps: int = STEPS, log=print) -> Learner:
    """A learner after so many steps, each on BATCH prompts that it never saw before."""
    learner = Learner()
    optimizer = torch.optim.AdamW(learner.parameters(), lr=RATE, weight_decay=0.0)
    rise = lambda step: min(1.0, (step + 1) / (0.05 * steps))  # a short warm-up
    fall = lambda step: 0.5 * (1 + math.cos(math.pi * step / steps))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: rise(step) * fall(step))
    for step in range(1, steps + 1):
        x, y = prompts(BATCH)
        loss = squared_errors(learner(x, y), y).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        if step % 500 == 0:
            log(f"step {step}: mean squared error {loss.item():.3f}")
    return learner


@torch.no_grad()
def compare(learner: Learner, count: int = 4096) -> tuple[torch.Tensor, torch.Tensor]:
    """The errors of the learner and of ridge regression on the same new prompts: (points,) each."""
    x, y = prompts(count)
    return squared_errors(learner(x, y), y), squared_errors(ridge(x, y), y)


# ---- the pictures ---------------------------------------------------------------------------


@torch.no_grad()
def curve(answer, x: torch.Tensor, y: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
    """What is answered at every place of a grid after one prompt of PAIRS examples."""
    xs = torch.cat((x[:PAIRS].expand(len(grid), -1), grid[:, None]), dim=1)
    ys = torch.cat((y[:PAIRS], torch.zeros(1))).expand(len(grid), -1)
    return answer(xs, ys)[:, -1]


def draw(learner: Learner, errors: torch.Tensor, best: torch.Tensor, path: str) -> None:
    """Left, the error against the number of examples; right, the answers to one new prompt."""
    import matplotlib.pyplot as plt

    _, (left, right) = plt.subplots(1, 2, figsize=(8, 2.5), layout="constrained")
    # The book's colors of transformers with softmax and of ridge regression.
    ours = dict(color="#c87400", label="transformer")
    known = dict(color="#24292f", ls="--", label="ridge regression")
    left.plot(errors, "s-", **ours)
    left.plot(best, **known)
    left.axhline(NOISE**2, color="grey", ls=":", label="noise")
    left.set(yscale="log", xlabel="examples in the prompt", ylabel="mean squared error")
    left.legend()
    x, y = (values[0] for values in prompts(1))
    grid = torch.linspace(-3, 3, 61)
    right.plot(x[:PAIRS], y[:PAIRS], "o", color="grey", label="the prompt")
    right.plot(grid, curve(learner, x, y, grid), **ours)
    right.plot(grid, curve(ridge, x, y, grid), **known)
    right.set(xlabel="x", ylabel="y")
    right.legend()
    plt.savefig(path, dpi=160)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--picture", default="learner.png")
    options = parser.parse_args()
    if options.steps < 1:
        parser.error(f"--steps: expected 1 or more, got {options.steps}")
    try:
        open(options.picture, "ab").close()  # before any work
    except OSError as error:
        parser.error(f"--picture: expected a file that can be written, got {error}")
    torch.manual_seed(options.seed)
    torch.set_num_threads(1)
    started = time.process_time()
    learner = train(options.steps)
    seconds = time.process_time() - started
    errors, best = compare(learner)
    ratio = (errors / best)[1:]
    print(f"{seconds:.0f} s of one core; error over that of ridge regression: "
          f"{ratio[-1]:.2f} at {PAIRS} examples, at most {ratio.max():.2f} from 1 example on")
    draw(learner, errors, best, options.picture)
    print(f"picture: {options.picture}")


if __name__ == "__main__":
    main()
