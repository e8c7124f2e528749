import mpmath
import numpy as np
import pytest

from icllib.theory import riccati, scaling_laws
from papers.solvable_attention.formulas import LawFormulas
from papers.solvable_attention.laws import (
    BALANCED, FiniteTime, VariedBySimulation, VariedInTheLimit, spread_tasks)


@pytest.mark.parametrize("beta, gamma", [(0.5, 0.0), (0.0, 0.5)])
def test_laws_at_a_finite_time_are_sums_over_tasks(beta, gamma):
    metrics, s = FiniteTime(beta, 300.0, gamma=gamma, tasks=3000, draws=1).measure(), np.arange(1, 3001)
    shares, psi, strength = riccati.task_shares(3000, 1.8), 100 * s**-beta, s**-gamma
    rate = psi * (1 + strength**2) * strength
    time = 300 / (2 * shares[0] * rate[0])

    def answers(shares):
        return strength / (1 + np.exp(-2 * shares * rate * time))  # Eq. 14 from Lambda_s / 2

    learned = answers(shares)
    expected = sum(shares[k] * ((learned[k] if k < 10 else 0) - strength[k]) ** 2 / 2 for k in range(3000))
    assert metrics["size_loss"][0] == pytest.approx(expected)
    seen = np.random.default_rng(0).multinomial(metrics["data"][0], shares) / metrics["data"][0]
    assert metrics["data_loss"][0, 0] == pytest.approx((shares * (answers(seen) - strength) ** 2).sum() / 2)


SMALL = VariedBySimulation(1.8, 0.5, 0.7, tasks=12, scale=0.02, steps=300, learning_rate=5e-3)
SHARES, PSI, STRENGTH = spread_tasks(SMALL)
F0 = STRENGTH / 3
RATE = SHARES * PSI * (1 + STRENGTH**2)


def answer(s, t):
    """Eq. 14 for one task: f = Lambda / (1 + Delta exp(-2 a Lambda t))."""
    delta = STRENGTH[s] / F0[s] - 1
    return STRENGTH[s] / (1 + delta * np.exp(-2 * RATE[s] * STRENGTH[s] * t))


def cost(s, f):
    return 0.5 * SHARES[s] * (f - STRENGTH[s]) ** 2


def test_losses_of_spread_tasks_are_sums_over_tasks():
    tasks, times, counts = range(12), [0.0, 0.1, 2.0], [1, 30]
    sizes = scaling_laws.size_losses(SHARES, STRENGTH, [0, 4, 12])
    assert sizes == pytest.approx([sum(cost(s, 0) for s in tasks[d:]) for d in (0, 4, 12)])
    ours = scaling_laws.time_losses(SHARES, STRENGTH, PSI, 4 * F0, 0.0, times)
    assert ours == pytest.approx([sum(cost(s, answer(s, t)) for s in tasks) for t in times])
    ours = scaling_laws.data_losses(SHARES, STRENGTH, F0, counts)
    assert ours == pytest.approx([sum(cost(s, F0[s]) * (1 - SHARES[s]) ** n for s in tasks) for n in counts])
    ours = scaling_laws.compute_losses(SHARES, STRENGTH, PSI, 4 * F0, 0.0, [3, 12], [0.6, 6.0])
    for row, size in zip(ours, (3, 12)):
        assert row == pytest.approx([
            sum(cost(s, answer(s, c / size) if s < size else 0) for s in tasks)
            for c in (0.6, 6.0)])


def test_gradient_descent_takes_each_task_with_its_own_context_and_strength():
    v0, w0 = np.random.default_rng(0).normal(0, 0.1, (2, 12, 2))
    together = riccati.gradient_descent_outputs(v0, w0, PSI, STRENGTH, SHARES, 2e-3, 40)
    assert together.shape == (41, 12)
    for s in range(12):
        matrix = PSI[s] * np.outer([1, STRENGTH[s]], [1, STRENGTH[s]]) + np.diag([1, 0])
        v, w = v0[s], w0[s]
        for step in range(41):
            f = v @ matrix @ w
            assert together[step, s] == pytest.approx(f, abs=1e-12)
            pull = 2e-3 * SHARES[s] * (f - STRENGTH[s])
            v, w = v - pull * matrix @ w, w - pull * matrix @ v
    kept = riccati.gradient_descent_outputs(v0, w0, PSI, STRENGTH, SHARES, 2e-3, 40, [7, 40])
    assert np.array_equal(kept, together[[7, 40]])


def test_half_times_are_when_half_is_learned():
    times = riccati.half_times(F0, STRENGTH, RATE)
    halves = riccati.closed_form(times, 4 * F0, 0.0, STRENGTH, RATE)[2]
    assert halves == pytest.approx(STRENGTH / 2)


def test_exponents_are_those_of_the_tables():
    """The numbers of Tables 1 and 2, worked out by hand at alpha = 1.8."""
    fixed = scaling_laws.theory_exponents(1.8)
    assert fixed == pytest.approx({"size": -0.8, "time": -4 / 9, "data": -4 / 9, "compute": -2 / 7})
    printed = scaling_laws.theory_exponents(1.8, 0.2, 0.5, large_strength=True)
    assert printed == pytest.approx({"size": -1.8, "time": -1.8 / 3.5, "data": -1.0, "compute": -0.4})
    generic = scaling_laws.theory_exponents(1.8, gamma=0.5)
    assert generic["time"] == pytest.approx(-0.7826, abs=1e-4)
    assert generic["compute"] == pytest.approx(-0.5455, abs=1e-4)


def test_the_best_allocation_balances_both_losses():
    """A fine grid over D of D^-x + (C / D)^-y."""
    law, split = (f(2.1, 0.3, 0.4) for f in (scaling_laws.theory_exponents,
                                             scaling_laws.allocation_exponents))
    sizes, budgets = np.geomspace(1, 1e4, 20_001), np.geomspace(1e4, 1e6, 5)
    losses = sizes ** law["size"] + (budgets[:, None] / sizes) ** law["time"]
    best = sizes[losses.argmin(axis=1)]
    assert scaling_laws.fit_exponent(budgets, best)[0] == pytest.approx(split["size"], abs=1e-3)
    slope = scaling_laws.fit_exponent(budgets, losses.min(axis=1))[0]
    assert slope == pytest.approx(law["compute"], abs=1e-3)
    assert split["size"] + split["time"] == pytest.approx(1)


def test_the_fit_sees_only_its_window():
    xs = np.geomspace(1, 100, 21)
    ys = np.where(xs > 10.1, xs**-1.0, xs**-0.3)
    assert scaling_laws.fit_exponent(xs, ys, (1, 10.1))[0] == pytest.approx(-0.3)
    assert scaling_laws.fit_exponent(xs, ys, (10.2, 1e3))[0] == pytest.approx(-1)


@pytest.mark.parametrize("alpha", [1.8, 2.1])
def test_laplace_ratio_by_quadrature(alpha):
    """Eq. 76 at psi-bar t = K (its prefactor corrected) over the integral, both in mpmath."""
    k = 50
    integrand = lambda s: s**-alpha * mpmath.exp(-k * s**-alpha)
    whole = mpmath.quad(integrand, [0, 1, 10, 100, mpmath.inf])
    laplace = mpmath.sqrt(2 * mpmath.pi) / (mpmath.e * alpha) * k ** (-1 + 1 / alpha)
    assert scaling_laws.laplace_ratio(alpha) == pytest.approx(float(laplace / whole), rel=1e-3)


def test_the_simulation_trains_on_its_data_sets_and_spends_compute_best():
    counts = np.array([5, 400])
    seen = np.random.default_rng(0).multinomial(counts, SHARES, (5, 2))
    ours = SMALL.data_losses(SHARES, PSI, STRENGTH, counts)
    for draw in range(5):
        for column in range(2):
            f = SMALL.train(seen[draw, column] / counts[column], PSI, STRENGTH)[-1]
            assert ours[draw, column] == pytest.approx(sum(cost(s, f[s]) for s in range(12)))
    outputs, budgets = SMALL.train(SHARES, PSI, STRENGTH), np.array([0.05, 0.4, 3.0, 12.0])
    by_size = SMALL.losses_by_size(SHARES, STRENGTH, outputs)
    for budget, loss in zip(budgets, SMALL.best_losses(by_size, budgets)):
        tried = []
        for size in range(1, 13):
            step = round(budget / size / 5e-3)
            if 1 <= step <= 300:
                tried.append(sum(cost(s, outputs[step, s] if s < size else 0) for s in range(12)))
        assert loss == pytest.approx(min(tried))


@pytest.mark.parametrize("start, near", [("proportional", 1e-3), ("printed", 1e-2)])
def test_the_limit_finds_the_best_size(start, near):
    """The last budget again, every size from 1 to 3,000 tried; from v = w = A (1, 1) if as printed."""
    run = VariedInTheLimit(2.1, 0.0, 0.5, tasks=4000, start=start)
    metrics, (shares, psi, strength) = run.measure(), spread_tasks(run)
    rest = 0.5 * shares * strength**2
    printed = [size * BALANCED**2 * np.outer([1, own], [1, own]).sum() for size, own in zip(psi, strength)]
    begin = strength / (strength / 2 if start == "proportional" else printed) - 1
    losses = []
    for size in range(1, 3001):
        time = metrics["compute"][-1] * metrics["unit"] / size
        left = begin * np.exp(-2 * shares * psi * (1 + strength**2) * strength * time)
        missing = np.where(np.arange(4000) < size, left / (1 + left), 1)
        losses.append((rest * missing**2).sum())
    assert metrics["compute_loss"][-1] == pytest.approx(losses[int(metrics["best_size"][-1]) - 1])
    assert metrics["compute_loss"][-1] == pytest.approx(min(losses), rel=near)


def test_the_loss_of_a_task_falls_twice_as_fast_as_equation_71_prints():
    losses = scaling_laws.time_losses(np.ones(1), 0.5, 0.8, 1.0, 0.0, [14, 15])  # a lambda = 1
    assert np.log(losses[0] / losses[1]) == pytest.approx(2, abs=1e-4)


@pytest.mark.parametrize("alpha", [1.8, 2.1])
def test_gradient_descent_learns_the_first_task_up_to_the_largest_stable_strength(alpha):
    strength = LawFormulas(alpha).largest_stable_strength() * np.array([0.98, 1.02])
    start, share = np.full((2, 2), BALANCED), riccati.task_shares(500, alpha)[0]
    with np.errstate(over="ignore", invalid="ignore"):  # beyond it training diverges
        f, = riccati.gradient_descent_outputs(start, start, 100, strength, share, 1e-3, 5000, [5000])
    assert (abs(f / strength - 1) < 1e-3).tolist() == [True, False]
