"""Every class of language models of `transformers` that can be built tiny, with SSA and prefixes.

    python tests/models/every_class.py [class ...]

writes book/howto/classes/<version of transformers>.csv: what works, or the line that refuses it. It
ends with status 1 where something neither works nor is refused.
"""

import csv
import sys
import tempfile
import warnings
from pathlib import Path

import torch
import transformers
from transformers.models.auto import modeling_auto

from icllib.errors import InputError
from icllib.models.language import prefix_attention
from icllib.models.signed_language import load_signed_averaging, use_signed_averaging

TOKENS = torch.tensor([[5, 9, 3, 7, 11, 4, 8, 2], [8, 2, 6, 13, 12, 10, 9, 3]])
PREFIX, NEW = 5, 4
TINY = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
        "max_position_embeddings": 64, "bos_token_id": 1, "eos_token_id": None, "pad_token_id": 0,
        "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4,
        "decoder_attention_heads": 4, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32,
        "embedding_size": 32, "moe_intermediate_size": 16, "n_routed_experts": 4, "num_experts": 4,
        "num_local_experts": 4, "num_experts_per_tok": 2, "shared_expert_intermediate_size": 16,
        "is_decoder": True}
MOST = 5_000_000  # parameters of what is tiny
TO_CAUSAL, TO_HIDDEN = (modeling_auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
                        modeling_auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES)


def classes() -> list[str]:
    """The names of the classes of decoders, and of encoders that tell hidden words."""
    found = {name for mapping in (TO_CAUSAL, TO_HIDDEN) for value in mapping.values()
             for name in ([value] if isinstance(value, str) else value)}
    return sorted(name for name in found if hasattr(transformers, name))


def is_causal(name: str) -> bool:
    return name in str(list(TO_CAUSAL.values()))


def built(name: str):
    """A model with random weights that works by itself, or the line that says why there is none."""
    kind = getattr(transformers, name)
    try:
        usual = kind.config_class()
        sizes = {own: value for own, value in TINY.items() if hasattr(usual, own)}
        sizes["is_decoder"] = is_causal(name)
        with torch.device("meta"):
            count = sum(one.numel() for one in kind(kind.config_class(**sizes)).parameters())
        if count > MOST:
            return f"{count / 1e6:.0f} million parameters"
        torch.manual_seed(0)
        model = kind(kind.config_class(**sizes)).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter += 0.05 * torch.randn_like(parameter)
        first = logits(model)
        if not torch.isfinite(first).all() or not torch.equal(first, logits(model)):
            return "logits that are not finite or not twice the same"
        with tempfile.TemporaryDirectory() as folder:  # what transformers itself does not keep
            model.save_pretrained(folder)
            if not torch.equal(logits(kind.from_pretrained(folder).eval()), first):
                return "saved and loaded by transformers alone it computes something else"
        return model
    except Exception as error:
        return f"{type(error).__name__}: {line(error)}"


@torch.no_grad()
def logits(model, tokens=TOKENS):
    return model(tokens).logits


def caches(model, lengths=None) -> str:
    """With which caches `generate` writes what it writes without."""
    if not model.can_generate() or not is_causal(type(model).__name__):
        return ""
    written = {}
    for cache in (None, "dynamic", "static"):
        options = {"use_cache": False} if cache is None else {"cache_implementation": cache}
        try:
            written[cache] = generated(model, options)
        except InputError:
            raise
        except Exception:  # a cache that the class does not offer
            continue
    if None not in written:
        return "not generated"
    wrong = [cache for cache, own in written.items() if not torch.equal(own, written[None])]
    if wrong and plain_caches_differ(model):
        return "generated"
    assert not wrong, f"another text with the cache {wrong[0]}"
    return ", ".join(cache for cache in written if cache) or "without cache"


def plain_caches_differ(model) -> bool:
    """Whether the class by itself writes another text with a cache."""
    plain = built(type(model).__name__)
    texts = [generated(plain, options) for options in ({"use_cache": False}, {})]
    return not torch.equal(*texts)


@torch.no_grad()
def generated(model, options):
    return model.generate(TOKENS, attention_mask=torch.ones_like(TOKENS), max_new_tokens=NEW,
                          do_sample=False, disable_compile=True, **options)


def same(model, again) -> None:
    """Equal state_dict, equal logits."""
    ours, theirs = model.state_dict(), again.state_dict()
    assert ours.keys() == theirs.keys(), f"other names: {sorted(ours.keys() ^ theirs.keys())[:3]}"
    for name, value in ours.items():
        assert torch.equal(value, theirs[name]), f"another {name}"
    assert torch.equal(logits(model), logits(again)), "other logits"


def with_ssa(name: str) -> str:
    model = built(name)
    before = logits(model)
    use_signed_averaging(model, n=2.5)
    assert not torch.allclose(logits(model), before, atol=1e-6), "SSA has no effect"
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        again = load_signed_averaging(folder).eval()
    same(model, again)
    return caches(again)


def with_prefix(name: str, signed=False) -> str:
    model = built(name)
    if signed:
        use_signed_averaging(model)
    causal = logits(model)
    changed = TOKENS.clone()
    changed[:, PREFIX - 1] = 40
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        load = load_signed_averaging if signed else getattr(transformers, name).from_pretrained
        again = load(folder).eval()
    with prefix_attention(model, PREFIX):
        opened = logits(model)
        assert not torch.allclose(opened[:, 0], causal[:, 0], atol=1e-6), "the prefix has no effect"
        assert not torch.equal(opened[:, 0], logits(model, changed)[:, 0]), "no look ahead"
        later = torch.cat((TOKENS[:, :-1], changed[:, PREFIX - 1 : PREFIX]), dim=1)
        seen = logits(model, later)[:, :-1] - opened[:, :-1]
        assert seen.abs().max() < 1e-4, "a later token is seen"
        kept = caches(model)
    with prefix_attention(again, PREFIX):
        same_in_block = torch.equal(logits(again), opened)
    assert same_in_block and torch.equal(logits(again), causal), "other logits when loaded"
    return kept


def line(error) -> str:
    """The start of an error in one line."""
    return " ".join(str(error).split())[:100]


def tried(what, *words, **named) -> str:
    """What works, or which line refuses it; "BROKEN" where neither is so."""
    try:
        return "yes" + (f" ({found})" if (found := what(*words, **named)) else "")
    except InputError as error:
        return f"refused: {line(error)}"
    except Exception as error:
        return f"BROKEN: {type(error).__name__}: {line(error)}"


def row(name: str) -> dict:
    """What is known of one class."""
    model = built(name)
    if isinstance(model, str):
        return {"class": name, "SSA": f"not built: {model}", "prefix": "", "both": ""}
    if not is_causal(name):
        return {"class": name, "SSA": tried(with_ssa, name), "prefix": "", "both": ""}
    return {"class": name, "SSA": tried(with_ssa, name), "prefix": tried(with_prefix, name),
            "both": tried(with_prefix, name, signed=True)}


def main(names):
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    rows = []
    for name in names or classes():
        rows.append(row(name))
        print(*rows[-1].values(), sep=" | ", flush=True)
    if not names:
        path = (Path(__file__).parents[2] / "book/howto/classes" / f"{transformers.__version__}.csv")
        path.parent.mkdir(exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, ["class", "SSA", "prefix", "both"], lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
    return any("BROKEN" in value for own in rows for value in own.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
