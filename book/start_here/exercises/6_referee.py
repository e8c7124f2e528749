# %% [markdown]
# # 6. Referee a claim
#
# Three papers say that their attention has a lower error than softmax. Each ran seeds and gives the ratio of the two
# errors, and the error of its softmax on the task of training over the best possible. Judge each claim: "holds",
# "fails", "undecided", or "not tested" where the models had not learned (more than 1.25 times the best).
# Form a 95% interval over seeds, of logarithms, since these are ratios. [The rules](../../verdicts.md) fill a page.

# %%
import claimbook

PAPERS = {
    "A": {"ratios": [0.62, 0.71, 0.66, 0.58, 0.69], "learned": [1.1, 1.1, 1.2, 1.1, 1.1]},
    "B": {"ratios": [0.93, 1.04, 0.81, 0.97, 1.02], "learned": [1.1, 1.2, 1.1, 1.1, 1.2]},
    "C": {"ratios": [0.41, 0.44, 0.40, 0.47, 0.43], "learned": [3.8, 3.9, 4.1, 3.7, 4.0]},
}

# %% tags=["answer"]
def referee(ratios, learned):
    """The verdict on "the ratio is below 1", in one of the four words."""
    raise NotImplementedError("write this")

# %%
for name, paper in PAPERS.items():
    judged = claimbook.decide(paper["ratios"], below=1, scale="log", gate=paper["learned"], gate_at_most=1.25)
    print(f"{name}: you say {referee(**paper)}; {judged!r}")
    assert referee(**paper) == judged.verdict, f"paper {name}"
