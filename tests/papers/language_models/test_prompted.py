import json
import math

import pytest
import torch
from quantifier_prompts import by_quantifier, labels_of, numbers_of

from claimbook.records.errors import InputError
from icllib.tasks import Quantifier
from papers.language_models import fine_tuning, prompted, prompts
from papers.signed_averaging import affine, quantifiers
from papers.signed_averaging.affine import FIRST_COUNTED
from papers.signed_averaging.fig06_07_llama import SYSTEM


def test_no_training_sequence_is_asked_in_an_evaluation():
    experiment = prompted.PromptedErrors("every", (1,), (10,), 400)
    asked = {question.prompt for question in experiment.questions(1, 10)}
    trained = {user["content"] for _, user, _ in fine_tuning.training_chats("every", 4000)}
    assert not asked & trained


SMALL = {"sigmas": (1, 10), "lengths": (4, 41), "sequences": 40}


def solver(quantifier):
    """A model that is always right."""
    return lambda asked: [str(labels_of(quantifier, numbers_of(prompt))) for prompt in asked]


def constant(quantifier):
    """A model that always gives the settled answer."""
    settled = quantifier == "some"
    return lambda asked: [str([settled] * len(numbers_of(prompt))) for prompt in asked]


class Remembers:
    """A predictor of the small models that keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def predict(self, xs, ys, lengths):
        self.asked.append((xs[0, ..., 0], ys[0]))
        return torch.zeros(*xs.shape[:2], len(lengths))


def test_the_quantifiers_have_the_sequences_of_the_small_models(quantifier="some"):
    seen, size = Remembers(), prompted.PAPER
    errors = quantifiers.QuantifierErrors(size.sigmas[:3], size.lengths, size.sequences)
    task = Quantifier(quantifier, input_std=3.0)
    errors.wrong_answers([task], seen, 2, max(size.lengths), "cpu")
    xs = torch.cat([xs for xs, _ in seen.asked])[:40, :41]
    asked = prompted.PromptedErrors(quantifier, **SMALL | {"sigmas": (3,)}).questions(3, 41)
    found = torch.tensor([numbers_of(question.prompt) for question in asked])
    torch.testing.assert_close(found, xs, atol=0.0051, rtol=0)


def test_affine_functions_have_the_first_prompt_of_each_function_of_the_small_models():
    seen, law = Remembers(), affine.ShiftedErrors((7,))
    law.error((1, 7, 1), seen, 1, "cpu")
    xs, ys = (torch.cat(parts)[:: law.prompts, :5] for parts in zip(*seen.asked))
    asked = prompted.PromptedErrors("affine", (7,), (5,), law.functions).questions(7, 5)
    found = torch.tensor([numbers_of(question.prompt) for question in asked])
    torch.testing.assert_close(found[:, ::2], xs, atol=0.0051, rtol=0)
    torch.testing.assert_close(found[:, 1::2], ys[:, :4], atol=0.0051, rtol=0)
    assert [question.truth for question in asked] == pytest.approx(ys[:, 4].tolist())


@by_quantifier
@pytest.mark.parametrize("sigma", SMALL["sigmas"])
def test_a_constant_model_has_the_base_rate_of_the_same_sequences(quantifier, sigma):
    experiment = prompted.PromptedErrors(quantifier, **SMALL | {"sequences": 400})
    wrong = 0
    for prompt, _ in experiment.questions(sigma, 41):
        labels = labels_of(quantifier, numbers_of(prompt))
        wrong += any(label != (quantifier == "some") for label in labels[FIRST_COUNTED - 1 :])
    cell = experiment.measure(constant(quantifier), sigma, 41)
    assert cell["wrong"] == pytest.approx(wrong / 400)
    assert abs(cell["wrong"] - 1 / 8) < 4 * math.sqrt(7 / 64 / 400)


def test_answers_that_cannot_be_read_or_have_another_length_are_wrong_and_counted():
    truths = [[True, True, False]] * 8
    answers = ["[True, True, False]", "[False, False, False]",  # the first two do not count
               "[True, True, True]", "[True, True]", "[True, True, False, False]", "False", "", "9"]
    assert prompted.quantifier_errors(truths, answers) == {
        "wrong": 6 / 8, "unparsed": 3 / 8, "wrong_length": 2 / 8}


def test_affine_errors_are_squares_and_count_unread_answers_as_zero():
    found = prompted.affine_errors([2.0, -3.0, 4.0], ["2.5", "it is -3", "4"])
    assert found == {"squared_error": pytest.approx((0.25 + 9) / 3), "unparsed": pytest.approx(1 / 3)}


def test_least_squares_is_right_up_to_rounding():
    experiment = prompted.PromptedErrors("affine", (1, 10), (4, 40), 100)
    for sigma in (1, 10):
        cell = experiment.measure(prompts.least_squares_answer, sigma, 40)
        # Of x_k, with a slope of variance sigma^2, and of the answer: each 1/12 of a squared cent.
        floor = (sigma**2 + 1) * 1e-4 / 12
        assert floor / 2 < cell["squared_error"] < 4 * floor


def test_tables_are_heat_maps_or_means_over_the_queries():
    cells = [{"sigma": s, "length": n, "wrong": s / n} for s in (1, 2) for n in (4, 8)]
    assert prompted.error_table(cells).to_numpy().tolist() == [[0.25, 0.125], [0.5, 0.25]]
    cells = [{"sigma": s, "length": n, "squared_error": s * n, "unparsed": 0} for s in (1, 2) for n in (3, 5)]
    assert prompted.error_table(cells).squared_error.tolist() == [4, 8]


def test_an_interruption_keeps_finished_cells_and_the_next_call_makes_the_others(tmp_path):
    out, experiment = tmp_path / "out.json", prompted.PromptedErrors("every", **SMALL)
    calls = []

    def stops_at_the_third(asked):
        calls.append(asked)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return solver("every")(asked)

    with pytest.raises(KeyboardInterrupt):
        prompted.measure_missing(experiment, "made", stops_at_the_third, out)
    kept = json.loads(out.read_text("utf-8"))["cells"]
    assert [(cell["sigma"], cell["length"]) for cell in kept] == [(1, 4), (1, 41)]
    cells = prompted.measure_missing(experiment, "made", stops_at_the_third, out)
    assert len(calls) == 5 and cells[:2] == kept and len(cells) == 4
    assert json.loads(out.read_text("utf-8"))["cells"] == cells
    assert list(tmp_path.iterdir()) == [out]
    before = out.read_bytes()
    assert prompted.measure_missing(experiment, "made", None, out) == cells  # nothing is asked
    assert out.read_bytes() == before


@pytest.mark.parametrize("text, words", [
    ("{", "out.json: expected"), ('{"cells": []}', "out.json: expected"),
    ('{"settings": {}, "cells": []}', "expected the settings")])
def test_a_file_of_something_else_is_not_touched(tmp_path, text, words):
    out = tmp_path / "out.json"
    out.write_text(text, "utf-8")
    with pytest.raises(InputError, match=words):
        prompted.measure_missing(prompted.PromptedErrors("every", **SMALL), "made", None, out)
    assert out.read_text("utf-8") == text


TEMPLATE = ("{% for m in messages %}{{ m['role'] + ' : ' + m['content'] + ' ' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ 'assistant :' }}{% endif %}")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A random Llama with a word-level tokenizer and a chat template."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    place = tmp_path_factory.mktemp("models") / "tiny"
    pieces = ["<unk>", "<end>", *"0123456789.,-[]:#", "True", "False", "CONTEXT", "Answer",
              "system", "user", "assistant"]
    words = Tokenizer(models.WordLevel({piece: k for k, piece in enumerate(pieces)}, "<unk>"))
    words.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Whitespace(), pre_tokenizers.Digits(individual_digits=True)])
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, unk_token="<unk>",
                                        eos_token="<end>", chat_template=TEMPLATE)
    tokenizer.save_pretrained(place)
    torch.manual_seed(0)
    LlamaForCausalLM(LlamaConfig(
        vocab_size=len(pieces), hidden_size=16, intermediate_size=32, num_hidden_layers=2,
        num_attention_heads=2, num_key_value_heads=1, initializer_range=1.0, bos_token_id=None,
        eos_token_id=1, pad_token_id=None)).save_pretrained(place)
    return place


def test_batches_with_padding_answer_as_single_prompts_do(folder):
    asked = [prompts.prompt_of(numbers) for numbers in ([1.5], [0.25, -3.0, 7.5], [2.0] * 9)]
    together = prompted.Chat(folder, SYSTEM["every"], room=6, batch=3)(asked)
    alone = prompted.Chat(folder, SYSTEM["every"], room=6, batch=1)(asked)
    assert together == alone and len(set(alone)) > 1
    assert not any("<end>" in answer or "CONTEXT" in answer[:7] for answer in alone)


def test_an_answer_is_the_greedy_continuation_of_the_chat(folder):
    model = prompted.Chat(folder, "system", room=5)
    ids = model.writer.tokenizer("system : system user : CONTEXT assistant :", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        for _ in range(5):
            following = model.writer.model(ids).logits[0, -1].argmax()
            ids = torch.cat((ids, following.view(1, 1)), dim=1)
    expected = model.writer.tokenizer.decode(ids[0, -5:], skip_special_tokens=True)
    assert model(["CONTEXT"]) == [expected]


@pytest.mark.parametrize("task", SYSTEM)
def test_the_command_measures_goes_on_and_leaves_a_finished_file(folder, tmp_path, task, capsys, monkeypatch):
    monkeypatch.setitem(prompted.ROOM, task, 4)
    out = tmp_path / "new" / f"{task}.json"
    command = ["--model", str(folder), "--task", task, "--out", str(out), "--sigmas", "1", "2",
               "--lengths", "3", "4", "--sequences", "3", "--batch", "2"]
    prompted.main(command)
    content = json.loads(out.read_text("utf-8"))
    assert content["settings"] == {"model": "tiny", "task": task, "sigmas": [1, 2],
                                   "lengths": [3, 4], "sequences": 3}
    assert len(content["cells"]) == 4
    assert all(len(cell["answers"]) == 3 for cell in content["cells"])
    shown = capsys.readouterr()
    assert "4 of 4: sigma 2, length 4" in shown.err and "sigma" in shown.out
    monkeypatch.delattr(prompted.Chat, "writer")  # a finished file needs no model
    before = out.read_bytes()
    prompted.main(command)
    assert out.read_bytes() == before


@pytest.mark.parametrize("change, words", [
    (["--lengths", "2"], "lengths: expected n >= 3"), (["--sequences", "0"], "sequences"),
    (["--sigmas", "31"], "sigmas"), (["--batch", "0"], "batch: expected"),
    (["--model", "nowhere"], "expected a folder with a config.json"),
    (["--out", "."], "expected a result of this command"), (["--task", "most"], "invalid choice")])
def test_bad_input_ends_the_command_before_any_work(folder, tmp_path, change, words, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["--model", str(folder), "--task", "every", "--out", "out.json", "--sigmas", "1",
               "--lengths", "3", "--sequences", "1", *change]
    with pytest.raises(SystemExit) as ended:
        prompted.main(command)
    assert ended.value.code == 2 and words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
