"""The evaluation of Table 2: few-shot questions to a decoder of `transformers`, under both masks.

ASSUMED, as Section 5.3 names only the benchmarks: MMLU as its authors have it (Hendrycks et al., 2021), where
the most likely letter is the answer; BBH as Suzgun et al. (2022) without chains of thought, where the
generated line must be the target; and the mean over tasks, each of the same weight.
"""

from pathlib import Path
from statistics import mean

import pandas as pd
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from claimbook.records.errors import InputError
from claimbook.records.files import damage_told, read_object
from icllib.models.language import prefix_attention

LETTERS = ("A", "B", "C", "D")
MMLU_SHOTS, BBH_SHOTS = 5, 3  # Section 5.3
MOST_TOKENS = 16  # ASSUMED: of a generated answer; the targets of BBH are short


Task = list[tuple[str, str]]  # prompts, each with its shots and one question, and their right answers


def read_mmlu(folder) -> dict[str, Task]:
    """MMLU's tasks from the folder of its public archive, with dev/ and test/; InputError for another."""
    tasks = {}
    for path in task_files(folder, "dev/*_dev.csv"):
        name = path.name.removesuffix("_dev.csv")
        start = "The following are multiple choice questions (with answers) about {}.\n\n"
        tests = mmlu_examples(path.parents[1] / f"test/{name}_test.csv")
        tasks[name] = few_shot(start.format(name.replace("_", " ")), mmlu_examples(path)[:MMLU_SHOTS], tests)
    return tasks


def mmlu_examples(path: Path) -> list[tuple[str, str]]:
    """The questions of a file with their choices, and the right letters."""
    with damage_told(path, "a question, four choices and a letter in each row"):
        rows = pd.read_csv(path, header=None, dtype=str, keep_default_na=False).to_numpy()
        return [(f"{question}\nA. {a}\nB. {b}\nC. {c}\nD. {d}\nAnswer:", letter)
                for question, a, b, c, d, letter in rows]


def read_bbh(folder) -> dict[str, Task]:
    """BBH's tasks from the folder of its public JSON files; ASSUMED: the first examples are the shots."""
    tasks = {}
    for path in task_files(folder, "*.json"):
        with damage_told(path, "examples with input and target"):
            examples = [(f"Q: {item['input']}\nA:", item["target"]) for item in read_object(path)["examples"]]
        tasks[path.stem] = few_shot("", examples[:BBH_SHOTS], examples[BBH_SHOTS:])
    return tasks


def task_files(folder, pattern: str) -> list[Path]:
    """The files of a benchmark; raises InputError for none."""
    if not (paths := sorted(Path(folder).glob(pattern))):
        raise InputError(f"folder: expected {folder}/{pattern}, found none")
    return paths


def few_shot(start: str, shots, questions) -> Task:
    """Every question after the same shots."""
    before = start + "".join(f"{question} {answer}\n\n" for question, answer in shots)
    return [(before + question, answer) for question, answer in questions]


@torch.no_grad()
def log_likelihoods(model, tokenizer, prompt: str, choices, prefix: bool) -> Tensor:
    """The log-likelihood of each choice after the prompt, (choices,); prefix: whose tokens see each other."""
    start = tokenizer(prompt).input_ids
    ends = [tokenizer(f" {choice}", add_special_tokens=False).input_ids for choice in choices]
    rows = pad_sequence([torch.tensor(start + end) for end in ends], True, -1).to(model.device)
    real, rows = (rows >= 0).long(), rows.clamp(min=0)
    with prefix_attention(model, [len(start) * prefix] * len(ends)):
        logits = model(rows, attention_mask=real).logits
    logs = logits[:, :-1].float().log_softmax(-1).gather(2, rows[:, 1:, None])[..., 0]
    return (logs * real[:, 1:])[:, len(start) - 1 :].sum(-1)


@torch.no_grad()
def generated(model, tokenizer, prompt: str, prefix: bool) -> str:
    """The line that a model generates after the prompt, by greedy decoding."""
    tokens = torch.tensor([tokenizer(prompt).input_ids], device=model.device)
    with prefix_attention(model, [tokens.shape[1] * prefix]):
        longer = model.generate(tokens, attention_mask=torch.ones_like(tokens), do_sample=False,
                                max_new_tokens=MOST_TOKENS)
    text = tokenizer.decode(longer[0, tokens.shape[1] :], skip_special_tokens=True)
    return text.strip().split("\n")[0].strip()


def table_2(model, tokenizer, mmlu: dict[str, Task], bbh: dict[str, Task], prefix: bool) -> dict:
    """One row of Table 2: the mean accuracy over the tasks of both benchmarks, in percent; model: a plainly
    causal decoder of `transformers`, fine-tuned with the mask that `prefix` says."""
    letter = lambda prompt: LETTERS[log_likelihoods(model, tokenizer, prompt, LETTERS, prefix).argmax()]
    line = lambda prompt: generated(model, tokenizer, prompt, prefix)
    return {benchmark: 100 * mean(mean(answer(prompt) == right for prompt, right in task)
                                  for task in tasks.values())
            for benchmark, answer, tasks in (("MMLU", letter, mmlu), ("BBH", line, bbh))}
