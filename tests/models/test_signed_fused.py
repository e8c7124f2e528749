"""The kernel of scaled signed averaging against its dense path, and what happens without it."""

import contextlib
import sysconfig
import warnings
from collections import Counter, defaultdict
from pathlib import Path

import pytest
import torch
import torch.nn.attention.flex_attention as flex
from torch._inductor.cpp_builder import get_cpp_compiler
from torch._inductor.cpu_vec_isa import valid_vec_isa_list
from torch._inductor.exc import InvalidCxxCompiler
from torch.nn.attention.flex_attention import BlockMask, flex_attention

from icllib.models import signed_fused
from icllib.models.language import prefix_attention
from icllib.models.signed_fused import in_blocks, mixed_values, signed_score
from icllib.models.signed_language import signed_weights, use_signed_averaging
from random_language_models import MAKE

TOKENS, HEADS = 600, 3  # no multiple of a block, more than the shortest that is worth a kernel


def has_compiler() -> bool:
    """Whether PyTorch can compile a kernel here: it needs a C++ compiler, and the header of Python."""
    with contextlib.suppress(InvalidCxxCompiler):
        return bool(get_cpp_compiler()) and Path(sysconfig.get_path("include"), "Python.h").exists()
    return False


compiles = pytest.mark.skipif(not has_compiler(), reason="no C++ compiler: on Debian, apt-get install g++ python3-dev")
gpu = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")


def draw(dtype=torch.float32, tokens=TOKENS, device="cpu"):
    """q, k, v of two prompts, and n and b of each head."""
    generator = torch.Generator().manual_seed(0)
    size = 2, HEADS, tokens, 16
    q, k, v = (2 * torch.randn(size, generator=generator).to(device, dtype) for _ in range(3))
    n = torch.tensor([1.0, 1.5, 3.0], device=device)
    return q, k, v, n, torch.tensor([0.3, 1.0, 2.0], device=device)


def masks(tokens=TOKENS, device="cpu"):
    """Causal, causal behind padding, open in a prefix, and full: (2, 1, T, T) each."""
    causal = torch.ones(2, 1, tokens, tokens, dtype=torch.bool, device=device).tril()
    padded, prefix = causal.clone(), causal.clone()
    padded[1, ..., :70] = False
    padded[1, :, :70, :] = True  # as what sees nothing
    prefix[0, ..., :200], prefix[1, ..., :130] = True, True
    return {"causal": causal, "padded": padded, "prefix": prefix, "full": causal | True}


def dense(q, k, v, mask, scale, n, b):
    return signed_weights(q, k, mask, scale, n, b).to(v.dtype) @ v


@pytest.fixture(scope="module", autouse=True)
def instructions():
    """PyTorch takes the vector instructions that this processor has for usable, without a trial: that is
    a process of its own, and after 60 s of a loaded machine nothing more is compiled in this one."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(torch._inductor.config.cpp, "vec_isa_ok", True)
        valid_vec_isa_list.cache_clear()
        yield
    valid_vec_isa_list.cache_clear()


@pytest.fixture
def fresh(monkeypatch):
    """No kind of device has failed so far, and every shape has been met before."""
    monkeypatch.setattr(signed_fused, "failed", set())
    monkeypatch.setattr(signed_fused, "met", defaultdict(lambda: 1))


@pytest.mark.parametrize("device, kind", [
    pytest.param("cpu", "padded", marks=compiles),
    *(pytest.param("cpu", kind, marks=[compiles, pytest.mark.large]) for kind in ("causal", "prefix", "full")),
    *(pytest.param("cuda", kind, marks=gpu) for kind in masks(4))])
def test_the_kernel_equals_the_dense_path(device, kind, fresh):
    """On a GPU backward too."""
    inputs = [tensor.requires_grad_(device == "cuda") for tensor in draw(device=device)]
    mask = masks(device=device)[kind]
    with torch.set_grad_enabled(device == "cuda"):
        blocks = in_blocks(mask)
        own = mixed_values(*inputs[:3], blocks, 0.25, *inputs[3:])
    assert isinstance(blocks, BlockMask)
    expected = dense(*inputs[:3], mask, 0.25, *inputs[3:])
    torch.testing.assert_close(own, expected, atol=1e-5, rtol=0)
    if device == "cuda":
        weights = torch.randn_like(own)
        for grad, other in zip(*(torch.autograd.grad((mixed * weights).sum(), inputs) for mixed in (own, expected))):
            torch.testing.assert_close(grad, other, atol=1e-5 * float(other.abs().max()), rtol=0)


def test_gradients_of_the_score_are_those_of_the_dense_path(monkeypatch):
    """FlexAttention without a kernel differentiates the same function; a CPU must be let through."""
    monkeypatch.setattr(flex, "_validate_device", lambda *tensors: None)
    inputs = [tensor.double().requires_grad_() for tensor in draw(tokens=64)]
    q, k, v, n, b = inputs
    with torch.no_grad():
        q[:, :, 3] = 0  # scores of 0, where the slope is n b
    mask = masks(64)["prefix"]
    blocks = flex.create_block_mask(lambda batch, head, query, key: mask[batch, 0, query, key],
                                    2, None, 64, 64, device="cpu")
    own = flex_attention(q, k, v, score_mod=signed_score(n, b), block_mask=blocks, scale=0.25)
    weights = torch.randn(own.shape, dtype=own.dtype, generator=torch.Generator().manual_seed(1))
    expected = dense(q, k, v, mask, 0.25, n, b)
    torch.testing.assert_close(own, expected, atol=1e-10, rtol=0)
    for grad, other in zip(torch.autograd.grad((own * weights).sum(), inputs),
                           torch.autograd.grad((expected * weights).sum(), inputs)):
        assert other.abs().max() > 0.01
        torch.testing.assert_close(grad, other, atol=1e-5 * float(other.abs().max()), rtol=0)


def language_model(name):
    torch.manual_seed(0)
    model = MAKE[name]()
    if name == "roberta":
        model = type(model)(type(model.config)(**model.config.to_dict()
                                               | {"max_position_embeddings": TOKENS + 2}))
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    return use_signed_averaging(model, n=2.0).eval()


@compiles
@torch.no_grad()
@pytest.mark.parametrize("name, prefix", [
    ("llama", True), *(pytest.param(name, False, marks=pytest.mark.large) for name in ("roberta", "llama"))])
def test_a_model_of_transformers_computes_the_same_with_the_kernel(name, prefix, fresh, monkeypatch):
    model, found, calls = language_model(name), [], []
    tokens = torch.randint(2, 50, (2, TOKENS), generator=torch.Generator().manual_seed(0))
    padding = torch.ones_like(tokens)
    padding[0, :70] = 0
    real = padding.bool()
    inner = signed_fused.mixed_values
    monkeypatch.setattr(signed_fused, "mixed_values", lambda *words: calls.append(1) or inner(*words))
    for shortest in (signed_fused.SHORTEST, 10 * TOKENS):
        monkeypatch.setattr(signed_fused, "SHORTEST", shortest)
        with prefix_attention(model, [300, 17]) if prefix else contextlib.nullcontext():
            found.append(model(tokens * padding, attention_mask=padding).logits[real])
    assert len(calls) == 2 and not signed_fused.failed
    torch.testing.assert_close(*found, atol=1e-5 * float(found[1].abs().max()), rtol=0)


@torch.no_grad()
def test_a_shape_gets_a_kernel_when_it_is_met_again(monkeypatch):
    monkeypatch.setattr(signed_fused, "met", Counter())
    mask, short = masks()["causal"], masks(511)["causal"]
    assert in_blocks(mask) is mask and isinstance(in_blocks(mask), BlockMask)
    assert in_blocks(mask[:1]) is not in_blocks(mask[:1])
    assert in_blocks(short) is in_blocks(short) is short
    assert all(in_blocks(mask[:, :, -1:]).shape == (2, 1, 1, TOKENS) for _ in range(2))


def test_with_gradients_on_a_cpu_the_dense_path_is_taken(fresh):
    mask = masks()["causal"]
    assert in_blocks(mask) is mask
    model = language_model("gpt2")
    tokens = torch.randint(2, 50, (1, TOKENS))
    model(tokens, labels=tokens).loss.backward()
    assert model.transformer.h[0].attn.signed_softmax_norm.excess.grad.abs().min() > 0


@torch.no_grad()
def test_without_a_compiler_the_dense_path_is_taken_and_said_once(fresh, monkeypatch):
    def broken(*words, **named):
        raise torch._dynamo.exc.TorchDynamoException("no compiler\nat all")

    model, tokens = language_model("gpt2"), torch.randint(2, 50, (1, TOKENS))
    monkeypatch.setattr(signed_fused, "failed", {"cpu"})
    expected = model(tokens).logits
    monkeypatch.setattr(signed_fused, "failed", set())
    monkeypatch.setattr(signed_fused, "compiled", lambda: broken)
    with pytest.warns(UserWarning, match="whole maps .* want of a kernel on cpu: no compiler at all$"):
        found = model(tokens).logits
    torch.testing.assert_close(found, expected, atol=1e-5 * float(expected.abs().max()), rtol=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model(tokens)
