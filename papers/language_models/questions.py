"""The evaluation of Table 2: few-shot questions to a decoder of `transformers`, under both masks.

Section 5.3 says "5-shot MMLU (57 tasks) and 3-shot BBH (23 tasks)" and no more. ASSUMED: MMLU in
the form of its authors (Hendrycks et al., 2021), where the letter with the highest likelihood is
the answer; BBH in that of Suzgun et al. (2022) without chains of thought, where the generated line
must be the target; and the mean over tasks, each of the same weight.
"""

import csv
import json
from pathlib import Path
from statistics import mean
from typing import NamedTuple

import torch
from torch import Tensor

from claimbook.records.checks import text
from claimbook.records.errors import DAMAGE, InputError
from claimbook.records.files import damage_told
from icllib.models.language import prefix_attention

LETTERS = ("A", "B", "C", "D")
MMLU_SHOTS, BBH_SHOTS = 5, 3  # Section 5.3
MOST_TOKENS = 16  # ASSUMED: of a generated answer; the targets of BBH are short


class Task(NamedTuple):
    """Prompts, each with its shots and one question, and their right answers."""

    prompts: list[str]
    answers: list[str]


def read_mmlu(folder) -> dict[str, Task]:
    """MMLU's tasks from the folder of its public archive, with dev/ and test/.

    Raises InputError if a task has too few shots or no test.
    """
    tasks = {}
    for path in task_files(Path(folder) / "dev", "*_dev.csv"):
        name = path.name.removesuffix("_dev.csv")
        examples = [mmlu_example(row) for row in rows_of(path)]
        questions = [mmlu_example(row) for row in rows_of(path.parents[1] / "test" /
                                                          f"{name}_test.csv")]
        about = name.replace("_", " ")
        start = f"The following are multiple choice questions (with answers) about {about}.\n\n"
        tasks[name] = few_shot(name, start, examples, questions, MMLU_SHOTS)
    return tasks


def read_bbh(folder) -> dict[str, Task]:
    """BBH's tasks from the folder of its public JSON files; the first examples are the shots.

    ASSUMED: which examples are shots. Raises InputError if a task has too few examples.
    """
    tasks = {}
    for path in task_files(Path(folder), "*.json"):
        with damage_told(path, "examples with input and target"):
            items = json.loads(path.read_text("utf-8"))["examples"]
            for item in items:
                text(input=item["input"], target=item["target"])
        examples = [(f"Q: {item['input']}\nA:", item["target"]) for item in items]
        tasks[path.stem] = few_shot(path.stem, "", examples, examples[BBH_SHOTS:], BBH_SHOTS)
    return tasks


def task_files(folder: Path, pattern: str) -> list[Path]:
    """The files of a benchmark; raises InputError for none."""
    paths = sorted(folder.glob(pattern))
    if not paths:
        raise InputError(f"folder: expected {folder}/{pattern}, found none")
    return paths


def rows_of(path: Path) -> list[list[str]]:
    """Question, four choices and the right letter; raises InputError for a missing or other file."""
    if not path.exists():
        raise InputError(f"folder: expected {path}, found none")
    try:
        with path.open(newline="", encoding="utf-8") as file:
            rows = list(csv.reader(file))
    except (csv.Error, *DAMAGE):
        rows = [[]]
    if any(len(row) != 6 or row[5] not in LETTERS for row in rows):
        raise InputError(f"{path}: expected a question, four choices and a letter in each row, "
                         "got others")
    return rows


def mmlu_example(row: list[str]) -> tuple[str, str]:
    """A question with its choices, and the right letter."""
    choices = [f"{letter}. {text}" for letter, text in zip(LETTERS, row[1:5])]
    return "\n".join([row[0], *choices, "Answer:"]), row[5]


def few_shot(name: str, start: str, examples, questions, shots: int) -> Task:
    """Every question after the same shots; raises InputError if there are too few of either."""
    if len(examples) < shots or not questions:
        raise InputError(f"{name}: expected {shots} shots and a question, got {len(examples)} and "
                         f"{len(questions)}")
    before = start + "".join(f"{question} {answer}\n\n" for question, answer in examples[:shots])
    return Task([before + question for question, _ in questions],
                [answer for _, answer in questions])


def most_likely(model, tokenizer, prompt: str, choices, prefix: bool) -> str:
    """The choice with the highest log-likelihood after the prompt."""
    return choices[int(log_likelihoods(model, tokenizer, prompt, choices, prefix).argmax())]


@torch.no_grad()
def log_likelihoods(model, tokenizer, prompt: str, choices, prefix: bool) -> Tensor:
    """The log-likelihood of each choice after the prompt: (choices,).

    prefix: the tokens of the prompt attend to each other both ways; else all is causal.
    """
    start = tokenizer(prompt).input_ids
    ends = [tokenizer(f" {choice}", add_special_tokens=False).input_ids for choice in choices]
    longest = max(map(len, ends))
    rows = torch.tensor([start + end + [0] * (longest - len(end)) for end in ends],
                        device=model.device)
    real = torch.tensor([[1] * (len(start) + len(end)) + [0] * (longest - len(end))
                         for end in ends], device=model.device)
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


def accuracy(answers: list[str], right: list[str]) -> float:
    """The share of right answers, in percent."""
    return 100 * mean(answer == truth for answer, truth in zip(answers, right, strict=True))


def table_2(model, tokenizer, mmlu: dict[str, Task], bbh: dict[str, Task], prefix: bool) -> dict:
    """One row of Table 2: the mean accuracy over the tasks of both benchmarks, in percent.

    model, tokenizer: a plainly causal decoder of `transformers`, fine-tuned with the mask that
    `prefix` says, and its tokenizer. mmlu, bbh: from `read_mmlu` and `read_bbh`.
    """
    letters = [accuracy([most_likely(model, tokenizer, prompt, LETTERS, prefix)
                         for prompt in task.prompts], task.answers) for task in mmlu.values()]
    lines = [accuracy([generated(model, tokenizer, prompt, prefix) for prompt in task.prompts],
                      task.answers) for task in bbh.values()]
    return {"MMLU": mean(letters), "BBH": mean(lines)}
