"""Prefix attention for the decoders of `transformers`, which is imported on first use.

`transformers` builds a decoder's mask inside the model, by the name of its attention
implementation. So prefix attention is an implementation of its own: PyTorch's fused attention with
a causal mask that is opened within each sequence's prefix (prefixLM, Ding et al. Section 2.1). In a
model with scaled signed averaging the mask is the same, and the attention is the model's own.
"""

import inspect
from contextlib import contextmanager
from functools import partial
from numbers import Integral

import torch
from torch import Tensor

from claimbook.records.checks import each, whole
from claimbook.records.errors import InputError
from icllib.models import signed_fused, signed_language

# What `transformers` calls the implementation, and the one with scaled signed averaging.
NAME, SIGNED = signed_language.PREFIX_NAMES


@contextmanager
def prefix_attention(model, lengths):
    """Let the first lengths[b] tokens of sequence b attend to each other, both ways.

    Ding et al., Section 2.1. Later tokens stay causal and see the whole prefix. Every call of the
    model within the block counts, `generate` with its cache included.
    model: a causal decoder of `transformers`, with softmax or scaled signed averaging; lengths: one
    integer per sequence of the batch, or a single one for every sequence of any batch; 0 for
    causal. They count real tokens: padding before or after them is left out.
    Raises InputError for lengths that do not fit the batch, for a decoder with other masks, for one
    that makes its own attention, in a call for a ready-made mask or where another attention was set
    within, and where the model is saved: the lengths belong to a batch, so what is saved would be
    causal when it is loaded.
    """
    config = signed_language.config_of(model).get_text_config(decoder=True)
    lengths = lengths.tolist() if isinstance(lengths, Tensor) else lengths
    if isinstance(lengths, Integral):
        whole(0, lengths=lengths)
    else:
        lengths = list(each(partial(whole, 0), "lengths", lengths))
    before = config._attn_implementation, getattr(config, "prefix_lengths", None)
    register()
    name = SIGNED if before[0] in (signed_language.NAME, SIGNED) else NAME
    model.set_attn_implementation(name)
    if config._attn_implementation != name or not signed_language.attention_layers(model):
        model.set_attn_implementation(before[0])
        raise InputError("model: expected a decoder whose attention `transformers` can set, "
                         f"got {type(model).__name__}")
    config.prefix_lengths = lengths
    inside = signed_language.models_in(model)
    hooks = [module.register_forward_pre_hook(CheckCall(), with_kwargs=True) for module in inside]
    hooks += [layer.register_forward_pre_hook(partial(signed_language.check_set, (name,)))
              for layer in signed_language.attention_layers(model)
              if layer.config._attn_implementation == name]
    outside = [(module, way, vars(module).get(way)) for module in inside for way in signed_language.UPLOADS]
    for module, way, _ in outside:
        setattr(module, way, refuse_to_save)
    try:
        yield model
    finally:
        for hook in hooks:
            hook.remove()
        for module, way, own in outside:
            delattr(module, way)
            if own is not None:  # of scaled signed averaging, or of a block around this one
                setattr(module, way, own)
        model.set_attn_implementation(before[0])
        if before[1] is None:
            del config.prefix_lengths  # it would be saved with the model
        else:
            config.prefix_lengths = before[1]


def refuse_to_save(*words, **named):
    """Raises InputError: in place of `save_pretrained` and `push_to_hub` within prefix attention."""
    raise InputError("save_pretrained or push_to_hub: expected a call outside of prefix_attention, whose lengths "
                     "belong to a batch and are not saved, got one within")


class CheckCall:
    """`check_call`, in a model that may be pickled within the block and unpickled elsewhere."""

    def __call__(self, module, words, named):
        check_call(module, words, named)

    def __reduce__(self):
        return unpickled, ()


def unpickled() -> CheckCall:
    """What stands for the hook of a pickled model, with prefix attention known to `transformers`."""
    register()
    return CheckCall()


def check_call(module, words, named) -> None:
    """Raises InputError for a call with a mask, or masks by kind of layer, that prefixes did not make."""
    if torch.compiler.is_compiling():
        return
    signed_language.check_mask(module, words, named)
    given = inspect.signature(module.forward).bind_partial(*words, **named).arguments
    mask = given.get("attention_mask")
    if mask is None or isinstance(mask, Tensor) and mask.dim() == 2:
        return
    masks = mask if isinstance(mask, dict) else {"": mask}
    for kind, own in masks.items():
        if kind and kind not in signed_language.MASKED_KINDS and getattr(own, "ndim", 2) == 2:
            continue  # of layers without attention: none, or that of the real tokens
        if not getattr(own, "of_prefixes", False):
            got = tuple(own.shape) if isinstance(own, Tensor) else type(own).__name__
            raise InputError("attention_mask: expected (B, T), 1 for real tokens, within "
                             f"prefix_attention, got {got}{f' for {kind}' if kind else ''}")


def register() -> None:
    """Make the implementation known to `transformers`; once or often is the same."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.integrations.sdpa_attention import sdpa_attention_forward

    AttentionInterface.register(NAME, sdpa_attention_forward)
    AttentionMaskInterface.register(NAME, prefix_mask)
    AttentionInterface.register(SIGNED, signed_language.signed_attention)
    AttentionMaskInterface.register(SIGNED, signed_prefix_mask)


def signed_prefix_mask(*words, **options):
    """The same mask for scaled signed averaging: boolean, or in its kernel's blocks."""
    mask = signed_fused.in_blocks(signed_language.visible(prefix_mask(*words, **options)))
    mask.of_prefixes = True
    return mask


def prefix_mask(batch_size, q_length, kv_length, q_offset=0, mask_function=None,
                attention_mask=None, config=None, device="cpu", **options) -> Tensor:
    """The mask of one forward pass, True where a query sees a key: (B, 1, queries, keys).

    Called by `transformers`, whose mask interface says what the arguments are. attention_mask:
    (B, tokens so far), False where there is padding. Raises InputError as `prefix_attention`.
    """
    from transformers.masking_utils import causal_mask_function, or_masks, sdpa_mask

    if mask_function is not causal_mask_function:
        raise InputError("model: expected a decoder whose layers are plainly causal, "
                         f"got the mask {getattr(mask_function, '__qualname__', mask_function)}")
    ends = prefix_ends(config.prefix_lengths, batch_size, int(q_offset) + q_length,
                       attention_mask).to(device)

    def in_prefix(batch, head, query, key):  # later tokens see the prefix anyway
        return key < ends[batch]

    options["allow_is_causal_skip"] = False
    mask = sdpa_mask(batch_size, q_length, kv_length, q_offset,
                     mask_function=or_masks(causal_mask_function, in_prefix),
                     attention_mask=attention_mask, device=device, **options)
    mask.of_prefixes = True  # `generate` may hand it to the model ready-made
    return mask


def prefix_ends(lengths, batch_size: int, tokens: int, attention_mask) -> Tensor:
    """The column at which each prefix ends, padding before it counted: (B,).

    tokens: columns so far. Raises InputError where a prefix is longer than its sequence.
    """
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
