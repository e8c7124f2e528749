import pytest

from icllib.theory import riccati


def test_forward_euler_by_a_plain_loop():
    """Eq. 12 task by task, in v and w: eta and rho along (1, Lambda) carry all of g and h."""
    strength, share, psi, step = 0.5, 0.3, 40, 1e-3
    g, h, rate = 0.7, 0.2, share * psi * (1 + strength**2)
    found = riccati.forward_euler([g, 9.0], [h, 0.0], strength, rate, step, 50)
    assert found.shape == (51, 2)
    for f in found[:, 0]:
        assert f == pytest.approx((g - h) / 4)
        pull = step * rate * ((g - h) / 4 - strength)  # g' = -2 a (f - Lambda) g
        g, h = g - 2 * pull * g, h + 2 * pull * h


def test_forward_euler_goes_to_the_closed_form_with_small_steps():
    start, errors = (8.0, 0.05), []
    for steps in (100, 1000):
        found = riccati.forward_euler(*start, 0.5, 60.0, 0.02 / steps, steps)[-1]
        errors.append(abs(float(found - riccati.closed_form(0.02, *start, 0.5, 60.0)[2])))
    assert errors[1] < 1e-2 and errors[0] / errors[1] == pytest.approx(10, rel=0.2)
