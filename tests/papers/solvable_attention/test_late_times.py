"""Laws at late times and balanced contexts: plain loops, integration and single tasks."""

import numpy as np
import pytest

from icllib.papers.solvable_attention.fig04_varied_laws import (
    BALANCE_STARTS, Balance, FEWER_STEPS, QueryFeature, balance_ratios, beta_changes,
    grouped_tasks, largest_eigenvalues)
from icllib.papers.solvable_attention.laws import (
    FiniteTime, LATER, late_exponents, outputs_at, way_table)
from icllib.results import Record
from icllib.theory import riccati


def test_grouped_tasks_sum_like_single_ones():
    ranks, share, weights = grouped_tasks(50_000, 1.8)
    singles = riccati.task_shares(50_000, 1.8)
    assert weights.sum() == pytest.approx(1) and len(ranks) < 2000
    assert share[:5] == pytest.approx(singles[:5])
    for scale in (0.1, 1e3, 1e7):
        expected = (singles * np.exp(-scale * singles)).sum()
        assert (weights * np.exp(-scale * share)).sum() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("psi", [0.01, 0.7, 30.0])
def test_along_an_eigenvector_a_task_is_learned_at_its_eigenvalue(psi):
    """Eq. 9 integrated with all of H, against the logistic of Eq. 14 written out."""
    values, vectors = np.linalg.eigh(psi * np.outer([1, 0.8], [1, 0.8]) + np.diag([1, 0]))
    assert largest_eigenvalues(np.array([psi]), 0.8) == pytest.approx(values[1])
    start, times = vectors[:, 1] * (0.4 / values[1]) ** 0.5, np.linspace(0, 5 / values[1], 9)
    flow = riccati.flow_outputs(start[None], start[None], psi, 0.8, np.array([0.6]), times)[:, 0]
    assert flow == pytest.approx(0.8 / (1 + np.exp(-2 * 0.6 * values[1] * 0.8 * times)), abs=1e-9)


@pytest.mark.parametrize("form", ["zeroth", "full"])
def test_the_query_feature_in_a_plain_sum(form):
    metrics, s = QueryFeature(1.0).measure(), np.arange(1, 10**6 + 1.0)
    psi = 100 / s
    trace = 2 * psi + 1
    size = 2 * psi if form == "zeroth" else (trace + np.sqrt(trace**2 - 4 * psi)) / 2
    for number in (0, 12):
        rate = s**-1.8 * size / size[0]  # 2 a_s Lambda over that of the first task
        left = np.exp(-rate * metrics["time"][number])
        missing = left / (1 + left)
        rest = (10**6) ** -0.8 / 0.8 / 4  # of tasks beyond, still at the start
        expected = ((s**-1.8 * missing**2).sum() + rest) / 2 / 1.8822  # zeta(1.8)
        assert metrics[f"{form}_loss"][number] == pytest.approx(expected, rel=2e-3)


def test_laws_at_a_finite_time_by_loops():
    shares, psi = riccati.task_shares(40, 1.8), 100 / np.arange(1, 41) ** 0.5
    seen = np.random.default_rng(1).multinomial(50, shares) / 50
    outputs = outputs_at(300.0, seen * psi, shares[0] * 100, 1.0)
    for s in range(40):
        time = 300 / (2 * shares[0] * 100 * 2)
        assert outputs[s] == pytest.approx(1 / (1 + np.exp(-2 * seen[s] * psi[s] * 2 * time)))
    metrics = FiniteTime(0.5, 300.0, tasks=3000, draws=2).measure()
    shares, psi = riccati.task_shares(3000, 1.8), 100 / np.arange(1, 3001) ** 0.5
    learned = outputs_at(300.0, shares * psi, shares[0] * 100, 1.0)
    expected = sum(shares[s] * ((learned[s] if s < 10 else 0) - 1) ** 2 / 2 for s in range(3000))
    assert metrics["size_loss"][0] == pytest.approx(expected)


def test_laws_at_a_finite_time_with_varied_strength_by_loops():
    metrics = FiniteTime(0.0, 300.0, gamma=0.5, tasks=3000, draws=1).measure()
    shares, strength = riccati.task_shares(3000, 1.8), np.arange(1, 3001) ** -0.5
    rate = shares * 100 * (1 + strength**2)
    time = 300 / (2 * rate[0] * strength[0])
    learned = strength / (1 + np.exp(-2 * rate * strength * time))  # Eq. 14 from Lambda_s / 2
    expected = sum(shares[s] * ((learned[s] if s < 10 else 0) - strength[s]) ** 2 / 2
                   for s in range(3000))
    assert metrics["size_loss"][0] == pytest.approx(expected)
    seen = np.random.default_rng(0).multinomial(metrics["data"][0], shares) / metrics["data"][0]
    found = strength / (1 + np.exp(-2 * seen * 100 * (1 + strength**2) * strength * time))
    assert metrics["data_loss"][0, 0] == pytest.approx(
        0.5 * (shares * (found - strength) ** 2).sum())


def late(time, size, data):
    xs = np.array([10, 100, 1000])
    return Record({"alpha": 1.8, "time": time}, {},
                  {"size": xs, "size_loss": (xs + 1.0) ** size, "data_exponents": data}, {})


def test_late_exponents_are_those_of_the_last_times_and_of_the_untrained():
    first, *others = LATER
    way = [late(first, -0.1, [0.0, 1e-17]),
           *(late(time, -0.2, [-0.3, -0.2]) for time in others[:-2]),
           late(LATER[-2], -0.7, [-0.4, -0.5]), late(LATER[-1], -0.8, [-0.6, -0.7])]
    assert late_exponents(way, "data") == {"alpha = 1.8, t = 1e8": [-0.4, -0.5],
                                           "alpha = 1.8, t = 1e10": [-0.6, -0.7]}
    sizes = late_exponents(way, "size")
    assert list(sizes.values()) == [pytest.approx([-0.7]), pytest.approx([-0.8])]
    assert list(late_exponents(way, "size", untrained=True).values()) == 2 * [
        pytest.approx([-0.1])]
    assert late_exponents(way, "data", untrained=True)["alpha = 1.8, t = 1e8"] == [0, 0]
    assert way_table(way).loc[(1.8, "D"), "t = 1e10"] == "-0.800"


@pytest.mark.parametrize("start", BALANCE_STARTS)
def test_unbalanced_contexts_cost_as_much_and_are_trained_task_by_task(start):
    run = Balance(-0.5, start, tasks=6, steps=30)
    shares, lengths, metrics = riccati.task_shares(6, 1.8), run.lengths(), run.measure()
    assert shares @ lengths == pytest.approx(100)
    assert lengths[3] / lengths[0] == pytest.approx(2)
    expected = 0
    for s in range(6):
        matrix = lengths[s] * np.outer([1, 0.5], [1, 0.5]) + np.diag([1, 0])
        v, w = (x[s] for x in run.vectors(lengths))
        if start == "equal answers":
            assert v @ matrix @ w == pytest.approx(0.25)
        for _ in range(30):
            pull = 1e-3 * shares[s] * (v @ matrix @ w - 0.5)
            v, w = v - pull * matrix @ w, w - pull * matrix @ v
        expected += 0.5 * shares[s] * (v @ matrix @ w - 0.5) ** 2
    assert metrics["loss"][-1] == pytest.approx(expected)


def test_balance_ratios_are_to_balanced_contexts_at_the_same_step():
    def run(beta, factor):
        return Record({"beta": beta, "start": "printed"}, {}, {
            "step": np.array([1, *FEWER_STEPS]), "loss": factor * np.array([9.0, 3, 2, 1])}, {})

    ratios = balance_ratios([run(0.0, 1.0), run(0.5, 2.0), run(-0.5, 0.25)])
    assert ratios["beta = 0.5, 1000 steps"] == [2.0]
    assert ratios["beta = -0.5, 5000 steps"] == [0.25]


def test_changes_with_beta_are_of_the_same_draws():
    flat = {"size_exponent": [-0.8, 0.01], "data_exponents": [-0.4, -0.5]}
    falling = {"size_exponent": [-0.7, 0.02], "data_exponents": [-0.3, -0.1]}
    changes = beta_changes(flat, falling)
    assert changes["model size D"] == pytest.approx([0.1])
    assert changes["data N"] == pytest.approx([0.1, 0.4])
