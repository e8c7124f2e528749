import json
import math

import pytest
import torch
from quantifier_prompts import by_quantifier, labels_of, numbers_of

from icllib.tasks import Quantifier
from papers.language_models import command, prompted, prompts
from papers.signed_averaging import affine, quantifiers
from papers.signed_averaging.affine import FIRST_COUNTED
from papers.signed_averaging.fig06_07_llama import SYSTEM


def test_no_training_sequence_is_asked_in_an_evaluation():
    asked = {prompt for prompt, _ in prompted.asked("every", 1, 10, 400)}
    trained = {user["content"] for _, user, _ in prompts.training_chats("every", 4000)}
    assert not asked & trained


SMALL = {"sigmas": (1, 10), "lengths": (4, 41), "sequences": 3}


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
    asked = prompted.asked(quantifier, 3, 41, 40)
    found = torch.tensor([numbers_of(prompt) for prompt, _ in asked])
    torch.testing.assert_close(found, xs, atol=0.0051, rtol=0)


def test_affine_functions_have_the_first_prompt_of_each_function_of_the_small_models():
    seen, law = Remembers(), affine.ShiftedErrors((7,))
    law.error((1, 7, 1), seen, 1, "cpu")
    xs, ys = (torch.cat(parts)[:: law.prompts, :5] for parts in zip(*seen.asked))
    asked = prompted.asked("affine", 7, 5, law.functions)
    found = torch.tensor([numbers_of(prompt) for prompt, _ in asked])
    torch.testing.assert_close(found[:, ::2], xs, atol=0.0051, rtol=0)
    torch.testing.assert_close(found[:, 1::2], ys[:, :4], atol=0.0051, rtol=0)
    assert [truth for _, truth in asked] == pytest.approx(ys[:, 4].tolist())


@by_quantifier
@pytest.mark.parametrize("sigma", SMALL["sigmas"])
def test_a_constant_model_has_the_base_rate_of_the_same_sequences(quantifier, sigma):
    wrong = 0
    for prompt, _ in prompted.asked(quantifier, sigma, 41, 400):
        labels = labels_of(quantifier, numbers_of(prompt))
        wrong += any(label != (quantifier == "some") for label in labels[FIRST_COUNTED - 1 :])
    cell = prompted.measure(quantifier, constant(quantifier), sigma, 41, 400)
    assert cell["wrong"] == pytest.approx(wrong / 400)
    assert abs(cell["wrong"] - 1 / 8) < 4 * math.sqrt(7 / 64 / 400)


def test_answers_that_cannot_be_read_count_and_are_wrong_or_zero():
    truths = [[True, True, False]] * 8
    answers = ["[True, True, False]", "[False, False, False]",  # the first two do not count
               "[True, True, True]", "[True, True]", "[True, True, False, False]", "False", "", "9"]
    assert prompted.quantifier_errors(truths, answers) == {
        "wrong": 6 / 8, "unparsed": 3 / 8, "wrong_length": 2 / 8}
    found = prompted.affine_errors([2.0, -3.0, 4.0], ["2.5", "it is -3", "4"])
    assert found == {"squared_error": pytest.approx((0.25 + 9) / 3), "unparsed": pytest.approx(1 / 3)}


def test_least_squares_is_right_up_to_rounding():
    for sigma in (1, 10):
        cell = prompted.measure("affine", prompts.least_squares_answer, sigma, 40)
        # Of x_k, with a slope of variance sigma^2, and of the answer: each 1/12 of a squared cent.
        floor = (sigma**2 + 1) * 1e-4 / 12
        assert floor / 2 < cell["squared_error"] < 4 * floor


def test_tables_are_heat_maps_or_means_over_the_queries():
    cells = [{"sigma": s, "length": n, "wrong": s / n} for s in (1, 2) for n in (4, 8)]
    assert prompted.error_table(cells).to_numpy().tolist() == [[0.25, 0.125], [0.5, 0.25]]
    cells = [{"sigma": s, "length": n, "squared_error": s * n, "unparsed": 0} for s in (1, 2) for n in (3, 5)]
    assert prompted.error_table(cells).squared_error.tolist() == [4, 8]


def test_an_interruption_keeps_finished_cells_and_the_next_call_makes_the_others(tmp_path, monkeypatch):
    out, calls = tmp_path / "out.json", []

    def stops_at_the_third(asked):
        calls.append(asked)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return solver("every")(asked)

    monkeypatch.setitem(prompted.SIZE, "every", SMALL)
    monkeypatch.setattr(prompted, "chat_model", lambda *given: stops_at_the_third)
    with pytest.raises(KeyboardInterrupt):
        prompted.main(tmp_path, "every", out)
    kept = json.loads(out.read_text("utf-8"))["cells"]
    assert [(cell["sigma"], cell["length"]) for cell in kept] == [(1, 4), (1, 41)]
    prompted.main(tmp_path, "every", out)
    cells = json.loads(out.read_text("utf-8"))["cells"]
    assert len(calls) == 5 and cells[:2] == kept
    assert [(cell["sigma"], cell["length"]) for cell in cells] == [(1, 4), (1, 41), (10, 4), (10, 41)]
    assert list(tmp_path.iterdir()) == [out]


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
    together, alone = (prompted.chat_model(folder, SYSTEM["every"], 6, batch)(asked) for batch in (3, 1))
    assert together == alone and len(set(alone)) > 1
    assert not any("<end>" in answer or "CONTEXT" in answer[:7] for answer in alone)


def test_an_answer_is_the_greedy_continuation_of_the_chat(folder):
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model, tokenizer = AutoModelForCausalLM.from_pretrained(folder), AutoTokenizer.from_pretrained(folder)
    ids = tokenizer("system : system user : CONTEXT assistant :", return_tensors="pt")["input_ids"]
    with torch.no_grad():
        for _ in range(5):
            following = model(ids).logits[0, -1].argmax()
            ids = torch.cat((ids, following.view(1, 1)), dim=1)
    expected = tokenizer.decode(ids[0, -5:], skip_special_tokens=True)
    assert prompted.chat_model(folder, "system", 5, 1)(["CONTEXT"]) == [expected]


@pytest.mark.parametrize("task", SYSTEM)
def test_a_chat_model_is_measured_on_each_task(folder, tmp_path, task, capsys, monkeypatch):
    monkeypatch.setitem(prompted.ROOM, task, 4)
    monkeypatch.setitem(prompted.SIZE, task, SMALL)
    out = tmp_path / "new" / f"{task}.json"
    prompted.main(folder, task, out, batch=2)
    content = json.loads(out.read_text("utf-8"))
    assert (content["model"], content["task"], len(content["cells"])) == ("tiny", task, 4)
    assert all(len(cell["answers"]) == 3 for cell in content["cells"])
    assert "sigma" in capsys.readouterr().out


@pytest.mark.parametrize("words, text, told", [
    (("nowhere", "every"), None, "expected one, or the name of a model"),
    (("tiny", "most"), None, "task: expected"),
    *((("tiny", "every"), text, told) for text, told in (
        ("{", "out.json: expected"), ('{"model": "tiny"}', "out.json: expected"),
        ('{"model": "another", "cells": []}', "expected a result of"), ("", "expected a result of")))])
def test_bad_input_ends_the_command_in_one_line_and_a_file_of_something_else_is_not_touched(
        tmp_path, monkeypatch, words, text, told):
    monkeypatch.chdir(tmp_path)
    if text is not None:
        (tmp_path / "out.json").write_text(text, "utf-8")
    monkeypatch.setattr("sys.argv", ["prompted", *words, "out.json"])
    with pytest.raises(SystemExit, match=told) as ended:
        command(prompted.main)
    assert "\n" not in ended.value.code
    assert [path.read_text("utf-8") for path in tmp_path.iterdir()] == [text] * (text is not None)
