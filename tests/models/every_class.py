"""Every class of language models of `transformers` that can be built tiny, with SSA and prefixes.

    python tests/models/every_class.py [class ...]

writes book/howto/classes/<version of transformers>.csv, or its lines of these classes: what works, or
the line that refuses it. It ends with status 1 where something neither works nor is refused.
"""

import csv
import signal
import sys
import tempfile
import warnings
from pathlib import Path

import torch
import transformers
from transformers.models.auto import modeling_auto

from claimbook.records.errors import InputError
from icllib.models.language import prefix_attention
from icllib.models.signed_language import load_signed_averaging, use_signed_averaging

TOKENS = torch.tensor([[5, 9, 3, 7, 11, 4, 8, 2], [8, 2, 6, 13, 12, 10, 9, 3]])
PREFIX, NEW = 5, 4
TINY = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 64,
        "bos_token_id": 1, "eos_token_id": None, "pad_token_id": 0, "d_model": 32, "encoder_layers": 2,
        "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
        "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "embedding_size": 32, "moe_intermediate_size": 16,
        "n_routed_experts": 4, "num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2,
        "shared_expert_intermediate_size": 16, "mamba_d_ssm": 64, "mamba_n_heads": 8, "mamba_d_head": 8,
        "mamba_d_state": 8, "mamba_chunk_size": 8, "mamba_num_heads": 8, "mamba_head_dim": 8,
        "ssm_state_size": 8, "chunk_size": 8}
LONGEST = 60  # seconds for a class, of its own layers or of ours
MOST = 2_500_000  # parameters of what is tiny
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
    reasons = []
    for groups in ({}, {"num_key_value_heads": TINY["num_attention_heads"]}):
        try:
            return built_of(getattr(transformers, name), TINY | groups)
        except TimeoutError:
            raise
        except Exception as error:
            reasons.append(line(error))
    return reasons[0]


def built_of(kind, tiny: dict):
    """A model of these sizes; raises what stops it."""
    usual = kind.config_class()
    sizes = {own: value for own, value in tiny.items() if hasattr(usual, own)}
    sizes["is_decoder"] = is_causal(kind.__name__)
    with torch.device("meta"):
        count = sum(one.numel() for one in kind(kind.config_class(**sizes)).parameters())
    if count > MOST:
        raise ValueError(f"{count / 1e6:.0f} million parameters")
    torch.manual_seed(0)
    model = kind(kind.config_class(**sizes)).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.05 * torch.randn_like(parameter)
        padded = torch.ones_like(TOKENS)
        padded[0, 0] = 0
        model(TOKENS, attention_mask=padded)  # a mask that is no plain causal one
    first = logits(model)
    if not torch.isfinite(first).all() or not torch.equal(first, logits(model)):
        raise ValueError("logits that are not finite or not twice the same")
    with tempfile.TemporaryDirectory() as folder:
        model.save_pretrained(folder)
        if not torch.equal(logits(kind.from_pretrained(folder).eval()), first):
            raise ValueError("saved and loaded by transformers alone it computes something else")
    return model


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
    right = [cache for cache in written if cache and (torch.equal(written[cache], written[None]))]
    for cache in set(written) - {None, *right}:
        plain = built(type(model).__name__)  # some classes by themselves write another text with it
        texts = [generated(plain, own) for own in ({"use_cache": False}, {"cache_implementation": cache})]
        assert not torch.equal(*texts), f"another text with the cache {cache}"
    return ", ".join(right) or "without cache"


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
    """The start of an error in one line, without what a page would take for HTML."""
    return " ".join(str(error).split())[:100].rstrip().replace("<locals>.", "")


def tried(what, *words, **named) -> str:
    """What works, or which line refuses it; "BROKEN" where neither is so."""
    try:
        return "yes" + (f" ({found})" if (found := what(*words, **named)) else "")
    except InputError as error:
        return f"refused: {line(error)}"
    except TimeoutError:
        raise
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


def too_long(*_):
    raise TimeoutError


def main(names):
    signal.signal(signal.SIGALRM, too_long)
    warnings.simplefilter("ignore")
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    path = Path(__file__).parents[2] / "book/howto/classes" / f"{transformers.__version__}.csv"
    rows = {}
    if names and path.exists():
        with path.open(encoding="utf-8") as file:
            rows = {own["class"]: own for own in csv.DictReader(file)}
    for name in names or classes():
        signal.alarm(LONGEST)
        try:
            rows[name] = row(name)
        except TimeoutError:
            rows[name] = {"class": name, "SSA": f"not built: more than {LONGEST} seconds",
                          "prefix": "", "both": ""}
        signal.alarm(0)
        print(*rows[name].values(), sep=" | ", flush=True)
    path.parent.mkdir(exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, ["class", "SSA", "prefix", "both"], lineterminator="\n")
        table.writeheader()
        table.writerows(rows[name] for name in sorted(rows))
    return any("BROKEN" in value for own in rows.values() for value in own.values())


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
