"""Scaled signed averaging for the models of `transformers`, which is imported on first use.

`transformers` looks an attention function up by name, and every attention layer calls it with
itself as the first argument. So scaled signed averaging is such a function, and each layer holds
its own n and b. The name is saved with the model: where it is not known, loading stops, and where
it is, a layer without n and b does.
"""

import inspect
import os
import warnings
from contextlib import contextmanager
from functools import partial

import torch
from torch import Tensor, nn

from claimbook.records.checks import instance
from claimbook.records.errors import InputError
from icllib import attention
from icllib.models import signed_fused
from icllib.models.mixing import SignedLogOfHeads
from icllib.models.scoring import SignedAveraging

NAME = "icllib_signed_averaging"  # what `transformers` calls the function
PREFIX_NAMES = "icllib_prefix", "icllib_signed_prefix", "icllib_eager_prefix"  # and those of prefix attention
LEAST = 5, 4  # version of `transformers`; earlier ones leave out some layers' scale, or have no names
# What some models add to their scores or weights, and a cache that the function would have to fill.
REFUSED = ("position_bias", "softcap", "s_aux", "cache")
UPLOADS = "save_pretrained", "push_to_hub"  # methods that may need a network


class SignedHeads(SignedLogOfHeads):
    """n and b of a layer, (H,), in float32 or float64 whatever the model is cast to."""

    def __init__(self, heads: int, settings: SignedAveraging):
        super().__init__()
        self.start(settings.n, settings.b, settings.trainable,
                   lambda value: torch.full((heads,), value, dtype=torch.float32))

    def __setstate__(self, state):
        register_signed()  # a model may be unpickled where nothing was loaded before
        super().__setstate__(state)

    def _apply(self, convert, recurse=True):
        """Converts as any module does, but never to half precision, which would lose small steps of n and b."""
        def keep(tensor):
            converted = convert(tensor)
            return converted if converted.element_size() >= 4 else tensor.to(converted.device)

        return super()._apply(keep, recurse)


def use_signed_averaging(model, n: float = 1.5, b: float = 1.0, trainable: bool = True):
    """Put SSA, softmax(sgn(z) n log(1 + b abs(z))), in place of every softmax over scores z.

    Naim et al., Section 7 and Appendix B. Each attention layer gets one n and one b per head, as
    n = 1 + softplus(excess) and b = exp(log_b): entries `signed_softmax_norm.excess` and `.log_b`
    of its state_dict, (H,) each, parameters if they are trainable and buffers if not. By their
    name and their one axis they are left out of weight decay, by `transformers` too.
    model: of `transformers`, with any mask; it is changed in place and returned.
    Raises InputError for n < 1, or n = 1 if it is to be trained, for b <= 0, for a model that has
    n and b already or prefixes, and for one that makes its own attention; in a later call for
    scores or masks that are more than q . k and a choice of tokens, and where another attention was
    set since.
    """
    settings, config = SignedAveraging(n, b, trainable), config_of(model)
    layers = attention_layers(model)
    if any(hasattr(layer, "signed_softmax_norm") for layer in layers):
        raise InputError("model: expected one without n and b, got one that has them already")
    if config.get_text_config(decoder=True)._attn_implementation in PREFIX_NAMES:
        raise InputError("model: expected one outside of prefix_attention, got one within")
    set_attention(model, layers)
    for layer in layers:
        weight = next(layer.parameters())
        heads = getattr(layer, "num_heads", layer.config.num_attention_heads)
        norm = SignedHeads(heads, settings)
        on_meta = any(value.is_meta for value in norm.state_dict().values())  # while it is loaded
        layer.signed_softmax_norm = norm.to("meta" if on_meta else weight.device, weight.dtype)
        layer.register_forward_pre_hook(partial(check_set, (NAME, PREFIX_NAMES[1])))
    config.attn_implementation = NAME  # which is saved, unlike what `set_attention` sets
    config.signed_averaging_trainable = trainable
    return model


def load_signed_averaging(folder, kind=None, **options):
    """A model with SSA that `save_pretrained` put into a folder, n and b included.

    kind: the class of `transformers` to load, an automatic one too, or None for the one that was
    saved; options: of its `from_pretrained`. Raises InputError for a folder without SSA, for what
    `transformers` cannot load, and by name for weights that are missing, left over or of another
    shape; where another class is asked for, those of heads may be, and a warning names them.
    """
    import transformers

    check_version()
    register_signed()
    instance(str | os.PathLike, "a path or the name of a model on the hub", folder=folder)
    with told_in_a_line(folder):
        config, _ = transformers.PreTrainedConfig.get_config_dict(folder, **options)
    trainable = config.get("signed_averaging_trainable")
    if trainable is None:
        raise InputError(f"folder: expected a model saved with signed averaging, got {folder}")
    saved, with_info = saved_kind(config), options.pop("output_loading_info", False)
    kind = saved if kind is None else class_of(kind, saved.config_class)

    def start(self, config, *words, **named):
        kind.__init__(self, config, *words, **named)
        use_signed_averaging(self, trainable=trainable)

    # The class, whose n and b are there before weights are loaded. `transformers` looks up what to
    # rename in a file by the name of the class, and its layers' source by that of the module.
    strict = ["signed_softmax_norm", *(kind._keep_in_fp32_modules_strict or ())]
    with_ssa = type(kind.__name__, (kind,), {
        "__module__": kind.__module__, "__init__": start, "_keep_in_fp32_modules_strict": strict})
    with told_in_a_line(folder):
        model, found = with_ssa.from_pretrained(folder, output_loading_info=True,
                                                ignore_mismatched_sizes=True, **options)
    check_loaded(model, found, saved is kind)
    model.__class__ = kind
    return (model, found) if with_info else model


@contextmanager
def told_in_a_line(folder):
    """Raises InputError, with the first line that `transformers` says, where it cannot load."""
    from safetensors import SafetensorError

    try:
        yield
    except (InputError, torch.OutOfMemoryError):
        raise
    except (OSError, ValueError, TypeError, RuntimeError, ImportError, SafetensorError) as error:
        line = str(error).strip().partition("\n")[0]  # it goes on for paragraphs
        raise InputError(f"folder: expected one, or the name of a model on the hub, that `from_pretrained` of "
                         f"transformers loads with these options, got {folder}: {line}") from error


def saved_kind(config: dict):
    """The class of a saved model; raises InputError if it is not a model of `transformers`."""
    import transformers

    name = (config.get("architectures") or [None])[0]
    kind = getattr(transformers, str(name), None)
    if not (isinstance(kind, type) and issubclass(kind, transformers.PreTrainedModel)):
        raise InputError(f"folder: expected a model of transformers, got {name!r}")
    return kind


def class_of(kind, config):
    """A class of `transformers`, or what an automatic one stands for; raises InputError for another."""
    import transformers

    mapping = getattr(kind, "_model_mapping", {})
    found = mapping[config] if config in mapping else kind
    if not isinstance(found, type) or not issubclass(found, transformers.PreTrainedModel):
        raise InputError(f"kind: expected a class of `transformers` for {config.__name__}, got {kind!r}")
    return found


def check_loaded(model, found: dict, same_class: bool) -> None:
    """Raises InputError, by name, for weights that are missing, left over or of another shape.
    Those of another class's head may be, and a warning names them."""
    inner, kind, heads = f"{model.base_model_prefix}.", type(model).__name__, []
    shared = model.base_model is model  # whose names in the file may have the prefix or not
    for what, kinds, told in (("none", "missing_keys", "drawn anew"),
                              ("others", "mismatched_keys", "drawn anew, in another shape"),
                              ("too many", "unexpected_keys", "left out")):
        for key in sorted(found[kinds], key=str):
            name = key if isinstance(key, str) else key[0]
            head = not name.startswith(inner) and not (shared and kinds == "missing_keys")
            if same_class or not head or "signed_softmax_norm" in name:
                raise InputError(f"folder: expected the weights of {kind}, with n and "
                                 f"b, got {what} for {name}")
            heads.append(f"{name} ({told})")
    if heads:
        warnings.warn(f"the folder has another class's head than {kind}: {', '.join(heads)}", stacklevel=3)


def check_version() -> None:
    """Raises InputError for a version of `transformers` that would compute something else."""
    from transformers import __version__

    if tuple(map(int, __version__.split(".")[:2])) < LEAST:
        raise InputError(f"transformers: expected version {LEAST[0]}.{LEAST[1]} or later, got {__version__}")


def config_of(model):
    """A model's config; raises InputError if it is not a model of `transformers`."""
    if not hasattr(model, "config") or not hasattr(model, "set_attn_implementation"):
        raise InputError(f"model: expected one of `transformers`, got {type(model).__name__}")
    check_version()
    return model.config


def register_signed() -> None:
    """Make the name known to `transformers`; once or often is the same."""
    from transformers import AttentionInterface, AttentionMaskInterface

    AttentionInterface.register(NAME, signed_attention)
    AttentionMaskInterface.register(NAME, signed_mask)


def set_attention(model, layers) -> None:
    """Let the layers look up SSA; raises InputError, the model as before, where they do not."""
    register_signed()
    before = model.config._attn_implementation
    model.set_attn_implementation(NAME)
    if not layers or any(layer.config._attn_implementation != NAME for layer in layers):
        model.set_attn_implementation(before)
        raise InputError(f"model: expected attention that `transformers` can set, got {type(model).__name__}")


def check_set(names: tuple[str, ...], layer, inputs) -> None:
    """Raises InputError for a layer whose attention is none of these, since it was set anew."""
    if (got := layer.config._attn_implementation) not in names:
        raise InputError(f"model: expected its attention to stay {names[0]}, got {got}: "
                         f"set_attn_implementation({names[0]!r}) sets it back")


def models_in(model) -> list[nn.Module]:
    """The model and those within it, such as the one without a head, that can be called or saved."""
    return [module for module in model.modules() if hasattr(module, "save_pretrained")
            and not isinstance(module, torch._dynamo.OptimizedModule)]  # which hands on what it is asked


def attention_layers(model) -> list[nn.Module]:
    """The layers that look their attention up by name, in the model's order."""
    return [module for module in model.modules() if "ALL_ATTENTION_FUNCTIONS"
            in inspect.unwrap(type(module).forward).__code__.co_names]


def signed_mask(batch_size, q_length, kv_length, q_offset=0, **options):
    """The mask of one forward pass: None for none, boolean, or in blocks.
    Called by `transformers`, whose mask interface says what the arguments are. Boolean, because a
    mask applies after the transform, and a large negative score need not stay hidden. Plainly
    causal masks are made too: some decoders' layers do not say that they are causal."""
    from transformers.masking_utils import sdpa_mask

    check_padding(options.get("attention_mask"), batch_size)
    options["allow_is_causal_skip"] = False
    if q_length >= signed_fused.SHORTEST and signed_fused.has_kernel(torch.device(options["device"]).type):
        options["allow_is_bidirectional_skip"] = False
    mask = sdpa_mask(batch_size, q_length, kv_length, q_offset, **options)
    return mask if mask is None else signed_fused.in_blocks(visible(mask))


def check_padding(attention_mask, batch_size: int) -> None:
    """Raises InputError if it is not a row of tokens for each sequence of the batch."""
    if attention_mask is not None and (attention_mask.dim() != 2 or len(attention_mask) != batch_size):
        raise InputError(f"attention_mask: expected ({batch_size}, T), 1 for real tokens, or a boolean "
                         f"one of (B, 1 or H, queries, keys), got {tuple(attention_mask.shape)}")


def signed_attention(module, query: Tensor, key: Tensor, value: Tensor, attention_mask,
                     scaling=None, dropout=0.0, is_causal=None, **options):
    """What one layer computes: (B, T, H, d), and its attention map (B, H, T, S), or None.

    Called by `transformers`. query: (B, H, T, d); key, value: (B, H or fewer, S, d);
    attention_mask: what `signed_mask` gives, or None for no mask but the layer's own causal one.
    Scores and weights are float32, or float64 in a model of that. There is no map where a kernel
    computed the output, icllib/models/signed_fused.py. Raises InputError for other masks, for
    what else changes scores, and for a layer without n and b.
    """
    blocks, mask = attention_mask, getattr(attention_mask, "dense", attention_mask)
    ssa = check_signed_call(module, mask, options, (*query.shape[:3], key.shape[2]))
    n, b = ssa.n, ssa.b
    groups = query.shape[1] // key.shape[1]
    if groups > 1:
        key, value = (tensor.repeat_interleave(groups, dim=1) for tensor in (key, value))
    scale = query.shape[-1] ** -0.5 if scaling is None else scaling
    with torch.autocast(query.device.type, enabled=False):
        plain = not (dropout and module.training) and not options.get("output_attentions")
        if blocks is not mask and plain:
            mixed = signed_fused.mixed_values(query, key, value, blocks, scale, n, b)
            if mixed is not None:
                return mixed.transpose(1, 2).contiguous(), None
        causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
        if mask is None:
            mask = torch.ones(query.shape[2], key.shape[2], dtype=torch.bool, device=query.device)
            mask = mask.tril() if causal and len(mask) > 1 else mask  # one query, from a cache on, sees all
        weights = signed_weights(query, key, visible(mask), scale, n, b)
    weights = nn.functional.dropout(weights.to(value.dtype), dropout, module.training)
    return (weights @ value).transpose(1, 2).contiguous(), weights


def signed_weights(query: Tensor, key: Tensor, mask: Tensor, scale: float, n, b) -> Tensor:
    """The attention map, (B, H, T, S), of queries and keys in any precision."""
    q, k = (tensor.to(torch.promote_types(tensor.dtype, torch.float32)) for tensor in (query, key))
    scores = attention.signed_log(q * scale @ k.mT, n[:, None, None], b[:, None, None])
    return attention.softmax(scores, mask)


def check_signed_call(module, mask, options: dict, shape) -> SignedHeads:
    """The layer's n and b; raises InputError where this is not plain attention with both.
    shape: of the scores, (B, H, queries, keys)."""
    refused = [name for name in REFUSED if options.get(name) is not None]
    if refused:
        raise InputError(f"model: expected scores that are q . k alone, got {', '.join(refused)}")
    sequences, heads, *rest = shape
    if mask is not None and not (isinstance(mask, Tensor) and mask.dtype == torch.bool and mask.shape in (
            (own, each, *rest) for own in (1, sequences) for each in (1, heads))):
        raise InputError(f"attention_mask: expected a boolean one of ({sequences}, 1 or {heads}, "
                         f"{', '.join(map(str, rest))}), got {getattr(mask, 'dtype', type(mask).__name__)} of "
                         f"{tuple(mask.shape)}; True where a query sees a key")
    if not hasattr(module, "signed_softmax_norm"):
        raise InputError(f"model: expected n and b in {type(module).__name__}, got none: load "
                         "saved models with load_signed_averaging; let no two share a config")
    return module.signed_softmax_norm


def visible(mask: Tensor) -> Tensor:
    """The mask, but a row that sees nothing, as at padding, sees all: its output stays finite."""
    return mask | ~mask.any(-1, keepdim=True)
