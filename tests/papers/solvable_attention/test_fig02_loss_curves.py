from papers.solvable_attention.fig02_loss_curves import LossCurves


def test_forward_euler_shares_the_first_steps_of_gradient_descent():
    """At a long context, where the zeroth order is nearly exact, and a coarse step."""
    metrics = LossCurves(400, tasks=20, scale=0.05, learning_rate=2.5e-4, steps=60).measure()
    assert metrics["largest_log10_ratio_of_euler"] < metrics["largest_log10_ratio"] / 1.5
