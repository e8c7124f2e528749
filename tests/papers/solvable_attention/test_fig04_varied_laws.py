import numpy as np
import pytest

from icllib.theory import riccati
from papers.solvable_attention.fig04_varied_laws import BALANCE_STARTS, Balance, QueryFeature, grouped_tasks


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
