"""Figure 5: softmax attention on features that are not sparse: the source-capacity condition.

All matrices of V G softmax(G^T W_K^T W_Q G) are trained by gradient descent on the mean loss over tasks with
weights P(s). A model of size D sees the first D coordinates; to later tasks it answers 0. Tokens g = (x, y)
of task s are jointly normal with a covariance C_s. A long context turns softmax attention into E[g e^(g.u)] /
E[e^(g.u)] = C_s u, so that f = v_s^T C_s W_K^T W_Q (x, 0) is linear.
"""

from dataclasses import dataclass, replace
from functools import cache, partial
from itertools import count, islice

import numpy as np
import pandas as pd
import torch
from torch import Tensor
from torch.nn.functional import pad

from claimbook.claims.sentences import with_interval
from claimbook.pages.plotting import series
from claimbook.records import Component
from claimbook.records.values import values
from icllib.streams import Stream
from icllib.tasks import SourceCapacityRegression
from icllib.theory import riccati, scaling_laws
from papers.solvable_attention.laws import ALPHAS
from papers.solvable_attention.softmax import BUDGETS, FIT_STEPS, exponents

SIZES = (2, 3, 5, 8, 13, 20, 32, 50, 80, 500)  # D of the law in compute; N_s is last
SEEDS = 48  # ASSUMED: exponents of the first three spread by up to 0.08, more than the tolerance


# ---- losses ---------------------------------------------------------------------------------


@dataclass
class Problem:
    """Tasks, most frequent first, and the number D of coordinates that the model sees."""

    shares: Tensor  # (S,): P(s)
    variances: Tensor  # (S, N_s): the diagonal of Sigma_s
    strengths: Tensor  # (S, N_s): Lambda_s
    size: int  # D

    def learned(self) -> "Problem":
        """The tasks that the model answers."""
        tasks = slice(self.size)
        return Problem(self.shares[tasks], self.variances[tasks], self.strengths[tasks], self.size)

    def loss_beyond(self) -> float:
        """The loss on the tasks that the model answers with 0."""
        untouched = self.shares * (self.variances * self.strengths.square()).sum(1) / 2
        return float(untouched[self.size :].sum())


def long_context_losses(weights, problem: Problem) -> Tensor:
    """Mean of (f - y)^2 / 2 of each task over all queries as psi -> infinity, exact, (D,). weights: W_K^T
    (D + 1, d_e), W_Q^T (D, d_e) and V (D, D + 1)."""
    keys, queries, value = weights
    unseen = problem.variances.shape[1] - problem.size
    per_feature = pad(value[:, :-1], (0, unseen)) + problem.strengths * value[:, -1:]
    with_features = problem.variances * per_feature
    with_label = (with_features * problem.strengths).sum(1, keepdim=True)
    covariance = torch.cat((with_features[:, : problem.size], with_label), 1)  # v_s^T C_s
    errors = pad(covariance @ keys @ queries.T, (0, unseen)) - problem.strengths
    return (problem.variances * errors.square()).sum(1) / 2


@dataclass
class Prompts:
    """One context for each task and the queries that are asked of it."""

    tokens: Tensor  # (D, psi, D + 1): the features seen, the label
    queries: Tensor  # (D, Q, D)
    targets: Tensor  # (D, Q)

    @classmethod
    def of(cls, problem: Problem, contexts: Tensor, queries: Tensor) -> "Prompts":
        """Prompts from all features of contexts (D, psi, N_s) and queries (D, Q, N_s)."""
        strengths, seen = problem.strengths[..., None], problem.size
        return cls(torch.cat((contexts[..., :seen], contexts @ strengths), 2),
                   queries[..., :seen].contiguous(), (queries @ strengths)[..., 0])


def softmax_losses(weights, prompts: Prompts) -> Tensor:
    """Mean of (f - y)^2 / 2 of each task over its queries: (D,); weights as above."""
    keys, queries, value = weights
    asked = prompts.queries  # the query is a token too, with label 0
    by_entry = asked @ queries @ keys.T  # the score per unit of each entry of a token
    of_itself = (by_entry[..., :-1] * asked).sum(2, keepdim=True)
    attention = torch.softmax(torch.cat((by_entry @ prompts.tokens.mT, of_itself), 2), 2)
    outputs = (attention[..., :-1] @ (prompts.tokens @ value[..., None])
               + attention[..., -1:] * (asked @ value[:, :-1, None]))[..., 0]
    return (outputs - prompts.targets).square().mean(1) / 2


def least_curvature(strength: float, share: float) -> float:
    """The Hessian's largest eigenvalue where a task of one coordinate is learned, at its smallest.

    With long contexts and variance 1 it is share [(1 + Lambda^2) ((k.q)^2 + p^2 q^2) + p^2 k^2] at f = p k.q
    x = Lambda x, least where its terms are equal. Gradient descent is unstable above 2 / learning rate.
    """
    return 3 * share * ((1 + strength**2) * strength**2) ** (2 / 3)


# ---- training and runs ----------------------------------------------------------------------


@dataclass(frozen=True)
class SourceCapacityCurves(Component):
    """Test losses of models of several sizes in the limit of long contexts: nothing is sampled."""

    alpha: float  # 1.8 or 2.1
    sizes: tuple[int, ...] = (500,)  # D; N_s for the law in time
    tasks: int = 500  # N_s. ASSUMED: not given; that of Figure 3
    tau: float = 3.0  # Appendix H.1
    learning_rate: float = 0.2  # Appendix H.1
    width: int = 64  # d_e. ASSUMED: not given; as in Figure 8; more than the tasks learned
    scale: float = 0.1  # ASSUMED: every entry starts at N(0, scale^2), as in Figure 8
    steps: int = 5000  # Appendix G
    seed: int = 0  # of strengths and start; see stable_seeds

    def axes(self, metric: str) -> dict:
        return {"size": self.sizes, "instant": None}

    def measure(self) -> dict:
        """Times, test losses on all tasks (sizes, times), and the exponents with half widths."""
        times = self.learning_rate * self.kept()[:-2]
        curves = np.array([self.train(size) for size in self.sizes])
        curves, ending = curves[:, :-2], curves[-1, -3:]
        inside = (FIT_STEPS[0] <= times) & (times <= FIT_STEPS[1])
        metrics = {"time": times, "loss": curves, "ending": ending,
                   "first_strength": self.problem(1).strengths[0, 0],
                   "time_exponent": exponents(times[inside], curves[-1:, inside])[0]}
        if len(self.sizes) > 1:
            envelope = scaling_laws.lower_envelope(self.sizes, times, curves, BUDGETS)
            metrics |= {"budget": BUDGETS, "envelope": envelope,
                        "compute_exponent": exponents(BUDGETS, [envelope])[0]}
        return metrics

    def kept(self):
        """The steps whose test loss is kept; two more than `steps`, to show oscillations."""
        spaced = np.unique(np.geomspace(1, self.steps, 60).round().astype(int))
        return np.append(spaced, [self.steps + 1, self.steps + 2])

    def problem(self, size: int) -> Problem:
        """All tasks, and a model of this size."""
        task = SourceCapacityRegression(self.tasks, self.alpha, self.tau, self.seed)
        ranks = torch.arange(self.tasks)
        strengths = task.strengths(Stream.of([self.seed], "training"), ranks[None] + 1)[0]
        places = (ranks - ranks[:, None]) % self.tasks + 1.0  # k of omega_k: 1 at coordinate s
        shares = torch.from_numpy(riccati.task_shares(self.tasks, self.alpha)).float()
        return Problem(shares, places**-self.tau, strengths, size)

    def start(self, size: int) -> list[Tensor]:
        """Weights at step 0; a smaller model has the first entries of a larger one."""
        random = np.random.default_rng(self.seed)
        normal = lambda rows, columns: torch.from_numpy(
            self.scale * random.standard_normal((rows, columns))).float()
        keys, label_key = normal(self.tasks, self.width), normal(1, self.width)
        queries = normal(self.tasks, self.width)
        value, label_value = normal(self.tasks, self.tasks), normal(self.tasks, 1)
        weights = (torch.cat((keys[:size], label_key)), queries[:size].clone(),
                   torch.cat((value[:size, :size], label_value[:size]), 1))
        return [tensor.requires_grad_() for tensor in weights]

    def is_stable(self) -> bool:
        """Whether gradient descent at this rate can learn the most frequent task."""
        strength = replace(self, tasks=1).problem(1).strengths[0, 0]  # that of any number of tasks
        share = riccati.task_shares(self.tasks, self.alpha)[0]
        return self.learning_rate * least_curvature(float(strength), share) < 2

    def losses(self, problem: Problem):
        """Functions of the weights: training and test losses of the tasks learned, (D,) each."""
        return [partial(long_context_losses, problem=problem)] * 2

    def train(self, size: int) -> list[float]:
        """Test losses on all tasks at the steps kept."""
        problem, found, kept = self.problem(size), [], set(self.kept())
        beyond, shares = problem.loss_beyond(), problem.learned().shares
        training, test = self.losses(problem.learned())
        weights = self.start(size)
        optimizer = torch.optim.SGD(weights, lr=self.learning_rate)
        for step in range(self.steps + 3):
            if step in kept:
                with torch.no_grad():
                    found.append(float(shares @ test(weights)) + beyond)
            optimizer.zero_grad()
            (shares @ training(weights)).backward()
            optimizer.step()
        return found


@dataclass(frozen=True)
class SourceCapacitySoftmax(SourceCapacityCurves):
    """Source and capacity with a finite context and the softmax itself, on a fixed training set."""

    sizes: tuple[int, ...] = (50,)
    tasks: int = 50  # ASSUMED: fewer than above, for time
    steps: int = 1000  # ASSUMED: fewer than above, for time
    context_length: int = 1000  # psi, Appendix H.1
    queries: int = 16  # ASSUMED: for each task, asked of one context
    tests: int = 64  # ASSUMED: new queries for each task, asked of another context

    def losses(self, problem: Problem):
        """Training and test loss as functions of the weights, from sampled prompts."""
        return [partial(softmax_losses, prompts=self.prompts(problem, *which))
                for which in ((self.queries, 1), (self.tests, 2))]

    def prompts(self, problem: Problem, queries: int, number: int) -> Prompts:
        """Random prompts; training and test set have different numbers."""
        random = np.random.default_rng([self.seed, number])
        tasks, coordinates = problem.variances.shape
        normal = lambda length: problem.variances.sqrt()[:, None] * torch.from_numpy(
            random.standard_normal((tasks, length, coordinates))).float()
        return Prompts.of(problem, normal(self.context_length), normal(queries))


@cache  # of every profile
def stable_seeds(number: int) -> tuple[int, ...]:
    """The first seeds with which curves are stable at either alpha."""
    stable = (seed for seed in count()
              if all(SourceCapacityCurves(alpha, seed=seed).is_stable() for alpha in ALPHAS))
    return tuple(islice(stable, number))


FAST, SPARSE = 10.0, 200.0  # tau of claim 45, and one at which all but the first eigenvalue are 0


def fast_decays(profile: str) -> list[SourceCapacityCurves]:
    """Claim 45: fast decays of the spectrum, and the slow one of the paper as the control."""
    size = {"tasks": 5, "sizes": (5,), "steps": 400} if profile == "smoke" else {"tasks": 50, "sizes": (50,)}
    return [SourceCapacityCurves(1.8, tau=tau, seed=seed, **size)
            for tau in (FAST, SPARSE, 3.0) for seed in stable_seeds(3)]


def apart(records) -> tuple[dict, dict]:
    """Claim 45: the largest ratio of the loss at tau = 10, and of that at 3, to that of sparse features."""
    losses = np.log(values(records, "loss", tau="tau", seed="seed").droplevel("size").unstack())
    largest = lambda tau: np.exp((losses.loc[tau] - losses.loc[SPARSE]).abs().max(axis=1))
    return {"tau = 10": largest(FAST)}, {"tau = 10": largest(3.0)}


def runs(profile: str) -> list[SourceCapacityCurves]:
    """All of the page."""
    return large(profile) + beside_softmax(profile) + unstable(profile) + fast_decays(profile)


def large(profile: str) -> list[SourceCapacityCurves]:
    """Figure 5 in the limit: for each seed both laws, and that in time at the other alpha."""
    small = profile == "smoke"
    size, sizes = ({"tasks": 60, "steps": 1000}, (10, 60)) if small else ({}, SIZES)
    return [SourceCapacityCurves(alpha, sizes=of_alpha, seed=seed, **size)
            for seed in stable_seeds(1 if small else SEEDS)
            for alpha, of_alpha in ((1.8, sizes), (2.1, sizes[-1:]))]


def few(profile: str) -> dict:
    """The size of the softmax models and of those beside them."""
    return ({"tasks": 5, "sizes": (5,), "steps": 400} if profile == "smoke" else
            {"tasks": 50, "sizes": (50,), "steps": 1000})


def beside_softmax(profile: str) -> list[SourceCapacityCurves]:
    """For each of some seeds the limit, then the softmax itself."""
    context = {"context_length": 20} if profile == "smoke" else {}
    return [run for seed in stable_seeds(1 if profile == "smoke" else 3)
            for run in (SourceCapacityCurves(1.8, seed=seed, **few(profile)),
                        SourceCapacitySoftmax(1.8, seed=seed, **context, **few(profile)))]


def unstable(profile: str) -> list[SourceCapacityCurves]:
    """Seeds whose strengths are too large for gradient descent to be stable."""
    return [SourceCapacityCurves(alpha, seed=seed, **few(profile)) for alpha in ALPHAS for seed in (1, 2)]


def coordinate_by_coordinate(law: str, alpha: float, tau: float = 3.0, tasks: int = 500) -> float:
    """The exponent in time or compute of a model that learns each coordinate independently: its loss on the
    k-th largest of task s falls as e^{-P(s) omega_k t}, or stays if it has no room."""
    ranks = np.arange(tasks)
    untrained = np.outer(riccati.task_shares(tasks, alpha), (ranks + 1.0) ** -tau)  # (tasks, k)
    coordinates = np.add.outer(ranks, ranks) % tasks

    def losses(size, times):
        room = (coordinates < size) & (ranks[:, None] < size)
        learned = untrained[room]
        return np.array([untrained[~room].sum() + learned @ np.exp(-learned * t) for t in times])

    if law == "time":
        xs = np.geomspace(*FIT_STEPS, 30)
        found = losses(tasks, xs)
    else:
        xs, times = BUDGETS, np.geomspace(1, 1000, 60)
        found = scaling_laws.lower_envelope(SIZES, times, [losses(n, times) for n in SIZES], xs)
    return scaling_laws.fit_exponent(xs, found)[0]


# ---- from records to figure and tables ------------------------------------------------------


def by_law(large, in_time, in_compute) -> dict[tuple[str, float], list]:
    """What functions find in the records of `large`: {(law, alpha): one for each seed, in their order}."""
    of = lambda alpha: [record for record in large if record.component.alpha == alpha]
    return {("time", alpha): [*map(in_time, of(alpha))] for alpha in ALPHAS} | {
        ("compute", 1.8): [*map(in_compute, of(1.8))]}


def figure5_series(large, softmax, limit, profile: str) -> list:
    """The figure's table: curves in time and compute, the softmax and its limit."""
    curves = by_law(large, lambda r: r["loss"][-1], lambda r: r["envelope"])
    tables = [series(law, "envelope" if law == "compute" else f"alpha = {alpha}",
                     large[0]["budget" if law == "compute" else "time"], own, profile)
              for (law, alpha), own in curves.items()]
    return tables + [series("softmax", f"{name}, seed {r.component.seed}", r["time"], r["loss"][-1], profile)
                     for name, runs in (("softmax", softmax), ("limit", limit)) for r in runs]


def first_and_other_seeds(laws: dict) -> pd.DataFrame:
    """Means with 95% intervals over the seeds of claim 16's first verdict, all others, and both."""
    groups = {"first three": slice(3), "the others": slice(3, None), "all": slice(None)}
    return pd.DataFrame({
        (law, alpha): {name: with_interval(values[seeds]) for name, seeds in groups.items()
                       if values[seeds]}
        for (law, alpha), values in laws.items()}).T.rename_axis(["law", "alpha"])


def stability_table(records) -> pd.DataFrame:
    """Whether gradient descent is stable at the most frequent task's strength; its last losses."""
    rows = {}
    for r in records:
        run = r.component
        share = riccati.task_shares(run.tasks, run.alpha)[0]
        curvature = run.learning_rate * least_curvature(r["first_strength"], share)
        ending = ", ".join(f"{loss:.4f}" for loss in r["ending"])
        rows[run.alpha, run.seed] = {
            "strength of the most frequent task": f"{r['first_strength']:.2f}",
            "learning rate x least curvature": f"{curvature:.2f}",
            "loss at step 1,000 and the next two": "diverged" if np.isnan(r["ending"]).all() else ending}
    return pd.DataFrame(rows).T.rename_axis(["alpha", "seed"]).sort_index()
