from icllib.models import Softmax
from papers.signed_averaging import affine, training_laws


def test_laws_of_training():
    laws, both = affine.wider_inputs("paper"), training_laws.with_and_without_curriculum("paper")
    assert {affine.law_of(run): run.task.input_std for run in laws} == affine.LAWS
    assert [bool(run.recipe.curriculum) for run in both] == [True] * 3 + [False] * 3
    assert list(dict.fromkeys(map(training_laws.curriculum_of, both))) == training_laws.CURRICULA
    assert {run.model.scoring for run in laws + both} == {Softmax()}
