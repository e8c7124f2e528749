"""Few-shot tasks in words, their reference predictor, and the masks in training."""

import torch
from torch.nn.functional import one_hot

from icllib.streams import Stream
from icllib.tasks import BagOfWords
from icllib.training import Fleet
from papers.causal_lm import few_shot_tokens

TASK = BagOfWords(6, words=4, classes=3)


def test_a_text_has_the_class_of_the_largest_sum_over_its_words():
    stream, ids = Stream.of([3], "training"), torch.arange(5)[None]
    prompt = TASK.sample(stream, ids, 8, torch.float64)
    lexicon = stream.normal(ids, "lexicon", (3, 6), torch.float64)
    for text in range(5):
        for n in range(8):
            counts = prompt.xs[0, text, n].tolist()
            assert sum(counts) == 4 and set(counts) <= {0, 1, 2, 3, 4}
            words = [word for word, count in enumerate(counts) for _ in range(int(count))]
            sums = [sum(lexicon[0, text, c, word].item() for word in words) for c in range(3)]
            assert prompt.ys[0, text, n].tolist() == [float(s == max(sums)) for s in sums]


def test_ridge_by_class_is_scikit_learns():
    from sklearn.linear_model import Ridge

    torch.manual_seed(0)
    xs, classes = torch.randn(2, 9, 4).double(), torch.randint(3, (2, 9))
    ys = one_hot(classes, 3).double()
    ours = few_shot_tokens.RidgeByClass(0.7).predict(xs, ys, (5, 8))
    for prompt in range(2):
        for k, n in enumerate((5, 8)):
            fitted = Ridge(alpha=0.7, fit_intercept=False)
            fitted.fit(xs[prompt, :n].numpy(), (ys[prompt, :n] - 1 / 3).numpy())
            expected = fitted.predict(xs[prompt, n:n + 1].numpy())[0] + 1 / 3
            torch.testing.assert_close(ours[prompt, k], torch.from_numpy(expected))


def test_the_two_masks_differ_in_nothing_else():
    runs = few_shot_tokens.runs("smoke")
    prefix, causal = (Fleet([run.task], run.model, run.recipe, [run.seed], [None])
                      for run in (runs[0], runs[len(runs) // 2]))
    prompt = prefix.sample()
    assert all(torch.equal(a, b) for a, b in zip(prompt, causal.sample()))
    for (name, a), (_, b) in zip(*(fleet.module.state_dict().items() for fleet in (prefix, causal))):
        assert torch.equal(a, b), name
    assert {run.model.mask for run in runs} == {"prefix", "causal"}
