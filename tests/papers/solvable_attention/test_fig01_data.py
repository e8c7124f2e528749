from papers.solvable_attention.fig01_data import Decoupling


def test_noise_on_the_features_couples_the_tasks():
    small = {"tasks": 4, "prompts": 20, "steps": 20, "shown": 2}
    for kind in ("fixed context", "varied context and strength"):
        assert Decoupling(kind, **small).measure()["deviation"] < 1e-12
        assert Decoupling(kind, **small, noise=1.0).measure()["deviation"] > 1e-4
