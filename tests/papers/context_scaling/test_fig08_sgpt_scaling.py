import pandas as pd

from papers.context_scaling import scaling


def test_scaling_ratios_by_hand():
    errors = pd.DataFrame({(0, 10**4): (8.0, 9, 4), (0, 10**5): (6.0, 9, 2), (0, 10**6): (4.0, 9, 3)},
                          index=(10, 20, 40)).T.rename_axis(["seed", "T"])
    found = scaling.context_ratios(errors, "GPT-2 ")
    assert {part: own.tolist() for part, own in found.items()} == {
        "GPT-2 T = 1e5": [1 / 3], "GPT-2 T = 1e6": [0.75]}
    assert scaling.context_ratios(errors, n=20)["T = 1e5"].tolist() == [1.5]
