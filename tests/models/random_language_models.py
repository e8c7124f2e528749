"""Models of `transformers` with random weights, with scaled signed averaging or without."""

import torch
from transformers import (GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, Qwen3Config,
                          Qwen3ForCausalLM, RobertaConfig, RobertaForMaskedLM)

from icllib.models.signed_language import attention_layers, use_signed_averaging

IDS = {"vocab_size": 50, "bos_token_id": 1, "eos_token_id": None, "pad_token_id": 0}
SIZES = {"hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
NO_DROPOUT = {"resid_pdrop": 0.0, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
MAKE = {
    "gpt2": lambda: GPT2LMHeadModel(GPT2Config(**IDS, **NO_DROPOUT, n_embd=16, n_layer=2,
                                               n_head=4, scale_attn_by_inverse_layer_idx=True)),
    "llama": lambda: LlamaForCausalLM(LlamaConfig(**IDS, **SIZES, num_key_value_heads=2)),
    "qwen": lambda: Qwen3ForCausalLM(Qwen3Config(**IDS, **SIZES, num_key_value_heads=2, head_dim=4)),
    "roberta": lambda: RobertaForMaskedLM(RobertaConfig(
        **IDS, **SIZES, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)),
}
TOKENS = torch.tensor([[5, 9, 3, 7, 11, 4], [8, 2, 6, 13, 12, 10]])


def make(name, **options):
    """A model in double precision whose weights are large enough for scores far from 0."""
    torch.manual_seed(0)
    model = MAKE[name]().double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
        if options.get("ssa", True):
            use_signed_averaging(model)
            for layer in attention_layers(model):  # another n and b for every head
                for parameter in layer.signed_softmax_norm.parameters():
                    parameter += torch.randn_like(parameter)
    return model
