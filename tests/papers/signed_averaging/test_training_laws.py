from icllib.models import SignedAveraging, Softmax
from papers.signed_averaging import affine, training_laws


def test_laws_of_training():
    laws = affine.models_by_law("paper")
    stds = {name: runs[0].task.input_std for name, runs in laws.items()}
    assert stds == {"N(0, 1)": 1, "N(0, 10)": 10, "N(0, 100)": 100}
    both = training_laws.models_by_curriculum("paper")
    assert [bool(runs[0].recipe.curriculum) for runs in both.values()] == [True, False]
    assert all(run.model.scoring == Softmax() for runs in (laws | both).values() for run in runs)
    ssa = affine.models_by_scoring("paper")["SSA"]
    assert [run.model.scoring for run in ssa] == [SignedAveraging()] * 3
