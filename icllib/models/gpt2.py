"""The way out: a decoder of a fleet as an ordinary module around `transformers`' GPT2Model, and back."""

from dataclasses import fields
from typing import Any, Literal

import torch
from torch import Tensor, nn

from claimbook.records.checks import instance, integer, one_of
from claimbook.records.errors import InputError
from icllib.models.layout import joint_tokens, lay_out, separate_tokens
from icllib.models.transformer import StackedTransformer, Transformer

LINEAR, NORM = ("weight", "bias"), ("gain", "bias")
BLOCK = {"attention_norm": ("ln_1", NORM), "qkv": ("attn.c_attn", LINEAR), "project": ("attn.c_proj", LINEAR),
         "mlp_norm": ("ln_2", NORM), "expand": ("mlp.c_fc", LINEAR), "contract": ("mlp.c_proj", LINEAR)}
KEPT = ("layers", "heads", "width", "tokens", "positions", "positions_up_to")  # what GPT-2 may choose


class GPT2Decoder(nn.Module):
    """`transformers`' GPT2Model between two linear layers, as in Garg et al. (2022)."""

    backbone: Any

    def __init__(self, read_in: nn.Linear, backbone: nn.Module, read_out: nn.Linear,
                 tokens: Literal["joint", "separate"]):
        super().__init__()
        self.read_in, self.backbone, self.read_out, self.tokens = read_in, backbone, read_out, tokens

    def forward(self, xs: Tensor, ys: Tensor) -> Tensor:
        """Answers at every point, from the pairs before it and its own x: (B, N, d), (B, N) -> (B, N).
        Labels and answers may be one-hot, (B, N, classes)."""
        points = tuple(range(xs.shape[1]))
        layout = lay_out(Transformer(1, 1, 1, tokens=self.tokens), points, points, xs.device)
        xs, ys = xs[None], ys[None]
        tokens = (separate_tokens(xs, ys, points[-1]) if self.tokens == "separate"
                  else joint_tokens(xs, ys, points[-1], layout.points))[0]
        places = torch.zeros_like(layout.places) if self.positionless else layout.places
        mask = torch.where(layout.mask, 0.0, torch.finfo(tokens.dtype).min).to(tokens.dtype)
        states = self.backbone(inputs_embeds=self.read_in(tokens), position_ids=places[None],
                               attention_mask=mask.expand(len(tokens), 1, -1, -1), use_cache=False).last_hidden_state
        answers = self.read_out(states[:, layout.read])
        return answers[..., 0] if answers.shape[-1] == 1 else answers

    @property
    def positionless(self) -> bool:
        """Whether there is one position for all, of zeros."""
        return self.backbone.config.n_positions == 1


def parts(decoder: GPT2Decoder) -> dict[str, Tensor]:
    """A decoder's parameters by the names that a fleet has for them, in a fleet's shapes but for the axis M."""
    found = {"embed.weight": decoder.read_in.weight.T, "embed.bias": decoder.read_in.bias,
             "read_out.weight": decoder.read_out.weight.T, "read_out.bias": decoder.read_out.bias,
             "positions": decoder.backbone.wpe.weight}
    modules = {"final_norm": (decoder.backbone.ln_f, NORM)}
    for place, block in enumerate(decoder.backbone.h):
        modules |= {f"blocks.{place}.{ours}": (block.get_submodule(theirs), names)
                    for ours, (theirs, names) in BLOCK.items()}
    for ours, (module, names) in modules.items():
        for name, own in zip(names, (module.weight, module.bias)):
            found[f"{ours}.{name}"] = own if names is LINEAR else own[None, None]
    return found


def to_gpt2(module: StackedTransformer, member: int = 0) -> GPT2Decoder:
    """A member of a fleet of decoders around a GPT2Model of `transformers`, its `backbone`: equal answers.

    Raises InputError for a decoder that GPT-2 cannot be: another scoring or mask, or a quirk of a paper.
    """
    from transformers import GPT2Config, GPT2Model

    instance(StackedTransformer, module=module)
    integer(0, len(module.read_out.bias) - 1, member=member)
    settings = module.settings
    plain = Transformer(**{name: getattr(settings, name) for name in KEPT})
    unlike = [field.name for field in fields(Transformer)
              if getattr(plain, field.name) != getattr(settings, field.name)]
    if unlike or settings.positions == "rotary" or settings.tokens == "inputs":
        raise InputError(f"module: expected GPT-2's architecture, got another by {', '.join(unlike) or 'tokens'}")
    per_point, width = module.embed.weight.shape[1], settings.width
    backbone = GPT2Model(GPT2Config(
        vocab_size=1, n_positions=1 if module.positions is None else module.positions.shape[1], n_embd=width,
        n_layer=settings.layers, n_head=settings.heads, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        bos_token_id=None, eos_token_id=None))
    decoder = GPT2Decoder(nn.Linear(per_point, width), backbone, nn.Linear(width, module.classes or 1),
                          settings.tokens)
    state = {name: values[member] for name, values in module.state_dict().items()}
    with torch.no_grad():
        for name, own in parts(decoder).items():
            own.copy_(state.get(name, torch.zeros(())))
    return decoder.to(module.read_out.bias).eval()


def from_gpt2(read_in: nn.Linear, backbone: nn.Module, read_out: nn.Linear,
              tokens: Literal["joint", "separate"] = "separate") -> StackedTransformer:
    """A fleet of one from `transformers`' GPT2Model and the linear layers before and after it.

    In Garg et al.'s code these are `_read_in`, `_backbone` and `_read_out`. tokens: as of `Transformer`. Raises
    InputError for a GPT-2 of another kind than theirs.
    """
    from transformers import GPT2Model

    instance(nn.Linear, read_in=read_in, read_out=read_out)
    instance(GPT2Model, backbone=backbone)
    for part in map(type, backbone.modules()):  # adapters, n and b of signed averaging
        if not part.__module__.startswith(("torch.", "transformers.")):
            raise InputError(f"backbone: expected a GPT2Model as it is, got one with {part.__name__}")
    one_of(("joint", "separate"), tokens=tokens)
    decoder = GPT2Decoder(read_in, backbone, read_out, tokens)
    config = decoder.backbone.config
    told = {"activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "n_inner": None, "scale_attn_weights": True,
            "scale_attn_by_inverse_layer_idx": False}
    for name, value in told.items():
        if (got := getattr(config, name)) != value and (name, got) != ("n_inner", 4 * config.n_embd):
            raise InputError(f"backbone: expected {name} {value!r}, got {got!r}")
    pairs = (config.n_positions - 1) // 2 if tokens == "separate" else config.n_positions - 1
    classes = read_out.out_features if read_out.out_features > 1 else None
    dimension = read_in.in_features - (0 if tokens == "separate" else classes or 1)
    model = Transformer(len(decoder.backbone.h), config.n_head, config.n_embd, tokens=tokens,
                        positions="none" if decoder.positionless else "learned")
    module = model.build([0], dimension, pairs, classes=classes)
    state = module.state_dict()
    for name, own in parts(decoder).items():
        if name in state:  # "positions" where there are some
            own = own[: state[name].shape[1]] if name == "positions" else own
            if own is None or own.shape != state[name].shape[1:] or own.is_meta or not own.isfinite().all():
                raise InputError(f"{name}: expected numbers {tuple(state[name].shape[1:])}, got {own!r:.200}")
            state[name] = own.detach()[None]
    module.load_state_dict(state)
    return module.to(read_out.bias)
