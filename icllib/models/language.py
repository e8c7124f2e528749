"""Prefix attention for the decoders of `transformers`, which is imported on first use.

`transformers` builds a decoder's mask inside the model, by the name of its attention
implementation. So prefix attention is an implementation of its own: PyTorch's fused attention with
a causal mask that is opened within each sequence's prefix (prefixLM, Ding et al. Section 2.1). In a
model with scaled signed averaging the mask is the same, and the attention is the model's own.
"""

import inspect
from contextlib import ExitStack, contextmanager
from functools import partial
from numbers import Integral

import torch
from torch import Tensor

from claimbook.records.checks import count, tuple_of
from claimbook.records.errors import InputError
from icllib.models import signed_fused, signed_language

# What `transformers` calls the implementation, that with signed averaging, and that with a map of weights.
NAME, SIGNED, EAGER = signed_language.PREFIX_NAMES
MASKED_KINDS = {"full_attention", "sliding_attention", "chunked_attention"}  # of layers, as configs name them
KEEPING = *signed_language.UPLOADS, "__deepcopy__"  # methods that keep a model beyond a block


@contextmanager
def prefix_attention(model, lengths):
    """Let the first lengths[b] tokens of sequence b attend to each other, both ways.

    Ding et al., Section 2.1. Later tokens stay causal and see the whole prefix. Every call of the
    model within the block counts, `generate` with its cache included.
    model: a causal decoder of `transformers`, with softmax or scaled signed averaging, compiled too; one
    that was loaded with "eager" attention keeps it; lengths: one integer per sequence of the batch, or a
    single one for every sequence of any batch; 0 for causal. They count real tokens, without padding.
    Raises InputError for lengths that do not fit the batch, for a decoder with other masks or an attention
    of its own, and within the block for a ready-made mask, another attention, another model with the same
    config, and where the model is saved or copied.
    """
    config = signed_language.config_of(model).get_text_config(decoder=True)
    lengths = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    if isinstance(lengths, Integral):
        count(lengths=lengths)
    else:
        lengths = list(tuple_of(count, "lengths", lengths))
    before = config._attn_implementation, getattr(config, "prefix_lengths", None)
    if before[1] is not None:  # a block around this one
        any(map(check_own, signed_language.attention_layers(model)))
    register()
    name = {signed_language.NAME: SIGNED, SIGNED: SIGNED, "eager": EAGER, EAGER: EAGER}.get(before[0], NAME)
    checkpointed = any(getattr(part, "gradient_checkpointing", False) for part in model.modules())
    if checkpointed and name == NAME and before[0] not in ("sdpa", NAME):
        raise InputError("model: expected sdpa or eager attention where gradients are checkpointed, since layers are "
                         f"computed again after the block, got {before[0]}")
    model.set_attn_implementation(name)
    if config._attn_implementation != name or not signed_language.attention_layers(model):
        model.set_attn_implementation(before[0])
        raise InputError(f"model: expected a decoder whose attention `transformers` can set, got {type(model).__name__}")
    with ExitStack() as afterwards:  # all of it, whatever fails
        afterwards.callback(put_back, config, "prefix_lengths", before[1])  # it would be saved with the model
        afterwards.callback(model.set_attn_implementation, before[0])
        config.prefix_lengths = lengths
        for module in signed_language.models_in(model):
            afterwards.callback(module.register_forward_pre_hook(check_call, with_kwargs=True).remove)
            for way in KEEPING:  # of scaled signed averaging, or of a block around this one
                afterwards.callback(put_back, module, way, vars(module).get(way))
                setattr(module, way, refuse_to_keep)
        for layer in signed_language.attention_layers(model):
            if layer.config._attn_implementation == name:
                check = partial(signed_language.check_set, (name,))
                afterwards.callback(layer.register_forward_pre_hook(check).remove)
                afterwards.callback(put_back, layer, "in_prefixes", getattr(layer, "in_prefixes", None))
                layer.in_prefixes = True
        yield model


def put_back(place, name: str, value) -> None:
    """Give an object's attribute its value of before; none where that is None."""
    vars(place).pop(name, None)
    if value is not None:
        setattr(place, name, value)


def refuse_to_keep(*words, **named):
    """Raises InputError: in place of what saves or copies a model, within prefix attention."""
    raise InputError("save_pretrained or push_to_hub or deepcopy: expected a call outside of prefix_attention, whose "
                     "lengths belong to a batch and are not kept, got one within")


def check_call(module, words, named) -> None:
    """Raises InputError for a call with a mask, or masks by kind of layer, that prefixes did not make."""
    if torch.compiler.is_compiling():
        return
    mask = inspect.signature(module.forward).bind_partial(*words, **named).arguments.get("attention_mask")
    if mask is None or isinstance(mask, Tensor) and mask.dim() == 2:
        return
    for kind, own in (mask if isinstance(mask, dict) else {"": mask}).items():
        plain = kind and kind not in MASKED_KINDS  # of layers without attention: none, or that of real tokens
        if not (plain and getattr(own, "ndim", 2) == 2 or getattr(own, "of_prefixes", False)):
            raise InputError("attention_mask: expected (B, T), 1 for real tokens, within prefix_attention, got "
                             f"{tuple(own.shape) if isinstance(own, Tensor) else type(own).__name__}")


def register() -> None:
    """Make the implementation known to `transformers`; once or often is the same."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    for name, attention, mask in ((NAME, sdpa_attention_forward, prefix_mask),
                                  (EAGER, eager_attention, eager_prefix_mask),
                                  (SIGNED, signed_language.signed_attention, signed_prefix_mask)):
        AttentionInterface.register(name, partial(of_its_block, attention))
        AttentionMaskInterface.register(name, mask)


def of_its_block(attention, layer, *words, **options):
    """What a layer computes; raises InputError for a layer whose model is not that of the block."""
    check_own(layer)
    return attention(layer, *words, **options)


def check_own(layer) -> None:
    """Raises InputError for a layer of a model that has the config of another's block."""
    if not getattr(layer, "in_prefixes", False):
        raise InputError("model: expected that of prefix_attention, got another with the same config; copy it first")


def eager_attention(layer, *words, **options):
    """The attention that a layer would take by the name "eager": its module's own."""
    return inspect.unwrap(type(layer).forward).__globals__["eager_attention_forward"](layer, *words, **options)


def eager_prefix_mask(*words, dtype=torch.float32, **options) -> Tensor:
    """The mask of `prefix_mask` as what eager attention adds to its scores: 0, or the lowest number."""
    seen = prefix_mask(*words, **options)
    mask = torch.zeros_like(seen, dtype=dtype).masked_fill_(~seen, torch.finfo(dtype).min)
    mask.of_prefixes = True
    return mask


def signed_prefix_mask(*words, **options):
    """The mask of `prefix_mask` for scaled signed averaging: boolean, or in its kernel's blocks."""
    mask = signed_fused.in_blocks(signed_language.visible(prefix_mask(*words, **options)))
    mask.of_prefixes = True
    return mask


def prefix_mask(batch_size, q_length, kv_length, q_offset=0, mask_function=None,
                attention_mask=None, config=None, device="cpu", **options) -> Tensor:
    """The mask of one forward pass, True where a query sees a key: (B, 1, queries, keys).
    Called by `transformers`, whose mask interface says what the arguments are. attention_mask:
    (B, tokens so far), False where there is padding."""
    from transformers.masking_utils import causal_mask_function, or_masks, sdpa_mask

    if mask_function is not causal_mask_function:
        raise InputError("model: expected a decoder whose layers are plainly causal, "
                         f"got the mask {getattr(mask_function, '__qualname__', mask_function)}")
    ends = prefix_ends(config.prefix_lengths, batch_size, int(q_offset) + q_length, attention_mask).to(device)

    in_prefix = lambda batch, head, query, key: key < ends[batch]  # later tokens see the prefix anyway
    options["allow_is_causal_skip"] = False
    mask = sdpa_mask(batch_size, q_length, kv_length, q_offset,
                     mask_function=or_masks(causal_mask_function, in_prefix),
                     attention_mask=attention_mask, device=device, **options)
    mask.of_prefixes = True  # `generate` may hand it to the model ready-made
    return mask


def prefix_ends(lengths, batch_size: int, tokens: int, attention_mask) -> Tensor:
    """The column at which each prefix ends, padding before it counted: (B,).
    tokens: columns so far."""
    lengths = [lengths] * batch_size if isinstance(lengths, Integral) else lengths
    if len(lengths) != batch_size:
        raise InputError(f"lengths: expected {batch_size}, one for each sequence of the batch, "
                         f"got {len(lengths)}")
    signed_language.check_padding(attention_mask, batch_size)
    real = torch.ones(batch_size, tokens, dtype=torch.bool)
    if attention_mask is not None:
        real = attention_mask[:, :tokens].bool().cpu()
    counts = real.sum(-1).tolist()
    if any(length > count for length, count in zip(lengths, counts)):
        raise InputError(f"lengths: expected at most the sequences' own {counts}, got {lengths}")
    return real.int().argmax(-1) + torch.tensor(lengths)
