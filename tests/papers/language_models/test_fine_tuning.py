import ast

import pytest
import torch
from quantifier_prompts import by_quantifier, labels_of, numbers_of

from icllib.streams import Stream
from icllib.tasks import AffineFunctions
from papers.language_models import fine_tuning
from papers.signed_averaging.fig06_07_llama import SYSTEM


@by_quantifier
def test_training_chats_go_from_1_to_40_and_are_right(quantifier):
    chats, lengths = list(fine_tuning.training_chats(quantifier, 80)), []
    for system, user, assistant in chats:
        numbers = numbers_of(user["content"])
        lengths.append(len(numbers))
        assert ast.literal_eval(assistant["content"]) == labels_of(quantifier, numbers)
        assert system == {"role": "system", "content": SYSTEM[quantifier]}
        assert (user["role"], assistant["role"]) == ("user", "assistant")
    assert lengths == [n for n in range(1, 41) for _ in range(2)]
    assert len({user["content"] for _, user, _ in chats[6:]}) == 74  # all different


def test_affine_training_chats_end_in_the_value_at_the_last_input():
    stream = Stream.of([0], "training")
    for n, (_, user, assistant) in enumerate(fine_tuning.training_chats("affine", 40), 1):
        prompt = AffineFunctions().sample(stream, torch.tensor([[n - 1]]), n)
        assert len(numbers_of(user["content"])) == 2 * n - 1
        assert float(assistant["content"]) == pytest.approx(prompt.ys[0, 0, -1].item(), abs=0.0051)
