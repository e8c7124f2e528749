"""Prompted language models: a tiny one of `transformers`, and the command that asks it."""

import json

import pytest
import torch

from icllib.errors import InputError
from icllib.language_models import prompted, prompts

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
    together = prompted.Chat(folder, prompts.EVERY, room=6, batch=3)(asked)
    alone = prompted.Chat(folder, prompts.EVERY, room=6, batch=1)(asked)
    assert together == alone and len(set(alone)) > 1
    assert not any("<end>" in answer or "CONTEXT" in answer[:7] for answer in alone)


def test_an_answer_is_the_greedy_continuation_of_the_chat(folder):
    model = prompted.Chat(folder, "system", room=5)
    ids = model.tokenizer("system : system user : CONTEXT assistant :",
                          return_tensors="pt")["input_ids"]
    with torch.no_grad():
        for _ in range(5):
            following = model.model(ids).logits[0, -1].argmax()
            ids = torch.cat((ids, following.view(1, 1)), dim=1)
    expected = model.tokenizer.decode(ids[0, -5:], skip_special_tokens=True)
    assert model(["CONTEXT"]) == [expected]


@pytest.mark.parametrize("task", prompts.SYSTEM)
def test_the_command_measures_goes_on_and_leaves_a_finished_file(folder, tmp_path, task, capsys,
                                                                 monkeypatch):
    monkeypatch.setitem(prompted.ROOM, task, 4)
    out = tmp_path / "new" / f"{task}.json"
    command = ["--model", str(folder), "--task", task, "--out", str(out), "--sigmas", "1", "2",
               "--lengths", "3", "4", "--sequences", "3", "--batch", "2"]
    prompted.main(command)
    content = json.loads(out.read_text())
    assert content["settings"] == {"model": "tiny", "task": task, "sigmas": [1, 2],
                                   "lengths": [3, 4], "sequences": 3}
    assert len(content["cells"]) == 4
    assert all(len(cell["answers"]) == 3 for cell in content["cells"])
    shown = capsys.readouterr()
    assert "4 of 4: sigma 2, length 4" in shown.err and "sigma" in shown.out
    monkeypatch.delattr(prompted, "Chat")  # a finished file needs no model
    before = out.read_bytes()
    prompted.main(command)
    assert out.read_bytes() == before


@pytest.mark.parametrize("change, words", [
    (["--lengths", "2"], "lengths: expected n >= 3"), (["--sequences", "0"], "sequences"),
    (["--sigmas", "31"], "sigmas"), (["--batch", "0"], "batch: expected at least 1"),
    (["--model", "nowhere"], "expected a folder with a config.json"),
    (["--out", "."], "expected a result of this command"), (["--task", "most"], "invalid choice")])
def test_bad_input_ends_the_command_before_any_work(folder, tmp_path, change, words, capsys,
                                                    monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["--model", str(folder), "--task", "every", "--out", "out.json", "--sigmas", "1",
               "--lengths", "3", "--sequences", "1", *change]
    with pytest.raises(SystemExit) as ended:
        prompted.main(command)
    assert ended.value.code == 2 and words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_tokenizer_without_a_chat_template_is_refused(folder, tmp_path):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.chat_template = None
    tokenizer.save_pretrained(tmp_path)
    (tmp_path / "config.json").write_text((folder / "config.json").read_text())
    with pytest.raises(InputError, match="chat template"):
        prompted.Chat(tmp_path, prompts.EVERY, 4)
