"""The evaluation of Table 2 on made questions, with a random decoder and letters as tokens."""

import csv
import json

import pytest
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

from papers.language_models import questions

CHARACTERS = sorted(set("The following are multiple choice questions (with answers) about "
                        "small sums.\n0123456789+=?ABCD: QAnswer#notrueyes"))


@pytest.fixture(scope="module")
def asked():
    """A decoder of 2 layers with large random weights, and a tokenizer of one token a character."""
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    words = Tokenizer(models.WordLevel({one: k for k, one in enumerate(CHARACTERS)}, "#"))
    words.pre_tokenizer = pre_tokenizers.Split(Regex(r"[\s\S]"), "isolated")
    words.decoder = decoders.Fuse()
    torch.manual_seed(0)
    config = LlamaConfig(vocab_size=len(CHARACTERS), hidden_size=16, intermediate_size=32,
                         num_hidden_layers=2, num_attention_heads=2, pad_token_id=0,
                         eos_token_id=None, initializer_range=0.4)
    return (LlamaForCausalLM(config).eval(), PreTrainedTokenizerFast(tokenizer_object=words, unk_token="#"))


@pytest.fixture
def folders(tmp_path):
    """Two tasks of MMLU and one of BBH in the files of their archives."""
    sums = [[f"{i}+{j}=?", *(str(i + j + k) for k in range(4)), "ABCD"[(i + j) % 4]]
            for i in range(3) for j in range(4)]
    for split, rows in (("dev", sums[:5]), ("test", sums[5:])):
        (tmp_path / "mmlu" / split).mkdir(parents=True)
        for task in ("small_sums", "sums"):
            path = tmp_path / "mmlu" / split / f"{task}_{split}.csv"
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file).writerows(rows)
    (tmp_path / "bbh").mkdir()
    examples = [{"input": f"{i}=2?", "target": "yes" if i == 2 else "no"} for i in range(6)]
    (tmp_path / "bbh" / "twos.json").write_text(json.dumps({"examples": examples}), "utf-8")
    return tmp_path / "mmlu", tmp_path / "bbh"


def following(model, tokens, length):
    """Log-probabilities of the next token, where the first `length` tokens see each other."""
    places = torch.arange(len(tokens))
    sees = (places[None] <= places[:, None]) | (places < length)[None]
    with torch.no_grad():
        logits = model(torch.tensor([tokens]), attention_mask=sees[None, None]).logits
    return logits[0, -1].log_softmax(-1)


def test_prompts_are_shots_and_a_question(folders):
    mmlu, bbh = questions.read_mmlu(folders[0]), questions.read_bbh(folders[1])
    assert list(mmlu) == ["small_sums", "sums"] and len(mmlu["sums"]) == 7
    prompt = mmlu["small_sums"][0][0]
    assert prompt.startswith("The following are multiple choice questions (with answers) about "
                             "small sums.\n\n0+0=?\nA. 0\nB. 1\nC. 2\nD. 3\nAnswer: A\n\n0+1=?")
    assert prompt.endswith("\nAnswer: B\n\n1+1=?\nA. 2\nB. 3\nC. 4\nD. 5\nAnswer:")
    assert [answer for _, answer in mmlu["sums"]] == ["C", "D", "A", "C", "D", "A", "B"]
    assert [answer for _, answer in bbh["twos"]] == ["no"] * 3
    assert bbh["twos"][0][0] == ("Q: 0=2?\nA: no\n\nQ: 1=2?\nA: no\n\nQ: 2=2?\nA: yes\n\n" "Q: 3=2?\nA:")


@pytest.mark.parametrize("prefix", [True, False])
def test_choices_are_scored_one_token_at_a_time(asked, prefix):
    model, tokenizer = asked
    for prompt in ("Q: 1=2?\nA:", "Answer:", "0+1=?\nA. 0"):
        start, scores = tokenizer(prompt).input_ids, {}
        for choice in ("no", "yes", "A", "answers"):
            tokens, score = list(start), 0.0
            for token in tokenizer(f" {choice}").input_ids:
                score += float(following(model, tokens, len(start) * prefix)[token])
                tokens.append(token)
            scores[choice] = score
        found = questions.log_likelihoods(model, tokenizer, prompt, list(scores), prefix)
        assert found.tolist() == pytest.approx(list(scores.values()), abs=1e-4)


@pytest.mark.parametrize("prefix", [True, False])
def test_a_line_is_generated_one_token_at_a_time(asked, prefix):
    model, tokenizer = asked
    for prompt in ("Q: 1=2?\nA:", "Answer:"):
        start = tokenizer(prompt).input_ids
        tokens = list(start)
        for _ in range(questions.MOST_TOKENS):
            tokens.append(int(following(model, tokens, len(start) * prefix).argmax()))
        text = "".join(CHARACTERS[token] for token in tokens[len(start) :])
        assert questions.generated(model, tokenizer, prompt, prefix) == (text.strip().split("\n")[0].strip())


def test_a_row_of_table_2_is_the_mean_over_tasks(asked, folders):
    mmlu, bbh = questions.read_mmlu(folders[0]), questions.read_bbh(folders[1])
    by_mask = {}
    for prefix in (True, False):
        letter = lambda prompt: questions.LETTERS[int(
            questions.log_likelihoods(*asked, prompt, questions.LETTERS, prefix).argmax())]
        found = {name: [letter(prompt) for prompt, _ in task] for name, task in mmlu.items()}
        made = {name: [(prompt, right) for (prompt, _), right in zip(task, found[name][:3] + ["?"] * 4)]
                for name, task in mmlu.items()}
        made["sums"] = [(prompt, right) for (prompt, _), right in zip(mmlu["sums"], found["sums"])]
        lines = [questions.generated(*asked, prompt, prefix) for prompt, _ in bbh["twos"]]
        right = {"twos": [(prompt, line) for (prompt, _), line in zip(bbh["twos"], [*lines[:2], "another"])]}
        row = questions.table_2(*asked, made, right, prefix)
        assert row == pytest.approx({"MMLU": (300 / 7 + 100) / 2, "BBH": 200 / 3})
        by_mask[prefix] = found, lines
    assert by_mask[True] != by_mask[False]  # else the masks would not matter here
