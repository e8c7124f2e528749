"""Scaled signed averaging for the models of `transformers`, which is imported on first use.

`transformers` looks an attention function up by name, and every attention layer calls it with
itself as the first argument. So scaled signed averaging is such a function, and each layer holds
its own n and b.
"""

import inspect
import math

import torch
from torch import Tensor, nn

from icllib.errors import InputError
from icllib.models.mixing import SignedSoftmax
from icllib.models.scoring import SignedAveraging
from icllib.models.stacked import Initializer

NAME = "icllib_signed_averaging"  # what `transformers` calls the function
# What some models add to their scores or weights, and a cache that the function would have to fill.
REFUSED = ("position_bias", "softcap", "s_aux", "cache")


def use_signed_averaging(model, n: float = 1.5, b: float = 1.0, trainable: bool = True):
    """Put SSA, softmax(sgn(z) n log(1 + b abs(z))), in place of every softmax over scores z.

    Naim et al., Section 7 and Appendix B. Each attention layer gets one n and one b per head, as
    n = 1 + softplus(excess) and b = exp(log_b): entries `signed_softmax.excess` and `.log_b` of
    its state_dict, (1, H) each, parameters if they are trainable and buffers if not.
    model: of `transformers`, with any mask; it is changed in place and returned.
    Raises InputError for n < 1, or n = 1 if it is to be trained, for b <= 0, for a model that has
    n and b already or prefixes, and for one that makes its own attention; in a later call for
    scores or masks that are more than q . k and a choice of tokens.
    """
    scoring, config = SignedAveraging(n, b, trainable), config_of(model)
    layers = attention_layers(model)
    if any(hasattr(layer, "signed_softmax") for layer in layers):
        raise InputError("model: expected one without n and b, got one that has them already")
    if hasattr(config.get_text_config(decoder=True), "prefix_lengths"):
        raise InputError("model: expected one outside of prefix_attention, got one within")
    set_attention(model, layers)
    for layer in layers:
        weight = next(layer.parameters())
        heads = getattr(layer, "num_heads", layer.config.num_attention_heads)
        single = Initializer([0])  # M = 1
        ssa, kind = scoring.build(single, heads), torch.promote_types(weight.dtype, torch.float32)
        layer.signed_softmax = ssa.to(weight.device, kind)  # half precision would lose their steps
    return model


def config_of(model):
    """A model's config; raises InputError for what is no model of `transformers`."""
    if not hasattr(model, "config") or not hasattr(model, "set_attn_implementation"):
        raise InputError(f"model: expected one of `transformers`, got {type(model).__name__}")
    return model.config


def set_attention(model, layers) -> None:
    """Let the layers look up SSA; raises InputError, the model as before, where they do not."""
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import sdpa_mask

    AttentionInterface.register(NAME, signed_attention)
    AttentionMaskInterface.register(NAME, sdpa_mask)  # boolean: masks apply after the transform
    before = model.config._attn_implementation
    model.set_attn_implementation(NAME)
    if not layers or any(layer.config._attn_implementation != NAME for layer in layers):
        model.set_attn_implementation(before)
        raise InputError("model: expected attention that `transformers` can set, "
                         f"got {type(model).__name__}")


def attention_layers(model) -> list[nn.Module]:
    """The layers that look their attention up by name, in the model's order."""
    return [module for module in model.modules() if "ALL_ATTENTION_FUNCTIONS"
            in inspect.unwrap(type(module).forward).__code__.co_names]


def signed_attention(module, query: Tensor, key: Tensor, value: Tensor, attention_mask,
                     scaling=None, dropout=0.0, is_causal=None, **options):
    """What one layer computes: (B, T, H, d), and its attention map (B, H, T, S).

    Called by `transformers`. query: (B, H, T, d); key, value: (B, H or fewer, S, d);
    attention_mask: boolean (B, 1, T, S), or None for no mask but the layer's own causal one.
    Scores and weights are float32, or float64 in a model of that. Raises InputError for other
    masks, for what else changes scores, and for a layer without n and b.
    """
    ssa = check_call(module, attention_mask, options)
    groups = query.shape[1] // key.shape[1]
    if groups > 1:
        key, value = (tensor.repeat_interleave(groups, dim=1) for tensor in (key, value))
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    mask = visible(attention_mask, query.shape[2], key.shape[2], causal, query.device)
    # `weights` divides by sqrt(d), as a layer does that does not say how it scales
    scale = 1.0 if scaling is None else scaling * math.sqrt(query.shape[-1])
    with torch.autocast(query.device.type, enabled=False):
        q, k = (tensor.to(torch.promote_types(tensor.dtype, torch.float32))[None]
                for tensor in (query, key))  # M = 1
        weights = ssa.weights(q * scale, k, mask)[0]
    weights = nn.functional.dropout(weights.to(value.dtype), dropout, module.training)
    return (weights @ value).transpose(1, 2).contiguous(), weights


def check_call(module, attention_mask, options: dict) -> SignedSoftmax:
    """The layer's n and b; raises InputError where this is not plain attention with both."""
    refused = [name for name in REFUSED if options.get(name) is not None]
    if refused:
        raise InputError(f"model: expected scores that are q . k alone, got {', '.join(refused)}")
    if attention_mask is not None and attention_mask.dtype != torch.bool:
        raise InputError("attention_mask: expected a boolean one, True where a token is seen, "
                         f"got {attention_mask.dtype}")
    if not hasattr(module, "signed_softmax"):
        raise InputError("model: expected n and b in every attention layer, got none in "
                         f"{type(module).__name__}; does it share a config with another model?")
    return module.signed_softmax


def visible(attention_mask, queries: int, keys: int, causal: bool, device) -> Tensor:
    """Where a query sees a key: boolean, broadcasts to (B, H, queries, keys)."""
    mask = attention_mask
    if mask is None:
        mask = torch.ones(queries, keys, dtype=torch.bool, device=device)
        if causal and queries > 1:  # one query, from a cache on, sees all there is
            mask = mask.tril()
    # Padding may see nothing. It then sees all, so that what nobody reads is at least finite.
    return mask | ~mask.any(-1, keepdim=True)
