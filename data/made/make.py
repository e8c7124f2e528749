"""Makes the small corpus, tokenizer and grammar probe beside it, for tests and for `smoke`.

The only rule of its grammar is that a verb agrees with its subject. Nobody's data but ours.
"""

import json
import random
from pathlib import Path

NOUNS = {"dog": "dogs", "cat": "cats", "bird": "birds", "girl": "girls", "boy": "boys"}
VERBS = {"sees": "see", "likes": "like", "hears": "hear", "finds": "find"}
ADJECTIVES = ("big", "small", "red", "old")
SPECIAL = ("<mask>", "<pad>", "<unk>", "<s>", "</s>")
FOLDER = Path(__file__).parent


def sentence(choose: random.Random, plural: bool, verb: str) -> str:
    """A subject in the singular or plural, a verb and an object."""
    noun = choose.choice(list(NOUNS))
    words = ["the", NOUNS[noun] if plural else noun, verb, "a", choose.choice(list(NOUNS)), "."]
    if choose.random() < 0.5:
        words.insert(1, choose.choice(ADJECTIVES))
    return " ".join(words)


def pair(choose: random.Random) -> tuple[str, str]:
    """The same sentence with a wrong and with a right verb."""
    plural, state = choose.random() < 0.5, choose.getrandbits(32)
    verbs = choose.choice(list(VERBS.items()))
    wrong, right = (sentence(random.Random(state), plural, verbs[number])
                    for number in (not plural, plural))
    return wrong, right


def main() -> None:
    choose = random.Random(0)
    pairs = [pair(choose) for _ in range(400)]
    probes = [pair(choose) for _ in range(40)]
    words = sorted({word for _, right in pairs for word in right.split()})
    tokenizer = {
        "version": "1.0",
        "added_tokens": [{"id": number, "content": name, "single_word": False, "lstrip": False,
                          "rstrip": False, "normalized": False, "special": True}
                         for number, name in enumerate(SPECIAL)],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "WhitespaceSplit"},
        "post_processor": {"type": "RobertaProcessing", "sep": ["</s>", 4], "cls": ["<s>", 3],
                           "trim_offsets": True, "add_prefix_space": True},
        "model": {"type": "WordLevel", "unk_token": "<unk>",
                  "vocab": {word: number for number, word in enumerate((*SPECIAL, *words))}},
    }
    (FOLDER / "sentences.txt").write_text("".join(f"{right}\n" for _, right in pairs), "utf-8")
    (FOLDER / "agreement.txt").write_text("".join(f"{wrong}\n{right}\n" for wrong, right in probes), "utf-8")
    (FOLDER / "tokenizer.json").write_text(json.dumps(tokenizer, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
