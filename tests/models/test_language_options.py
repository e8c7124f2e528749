"""Every option of from_pretrained and save_pretrained, and every mask, works or is refused in a line."""

import copy
import inspect
import re
import socket
import subprocess
import sys

import huggingface_hub
import pytest
import torch
from transformers import (AutoModel, AutoModelForSequenceClassification, LlamaForCausalLM,
                          PreTrainedModel)

from claimbook.records.errors import InputError
from icllib.models.language import prefix_attention
from icllib.models.signed_language import HUB_OPTIONS, OPTIONS, load_signed_averaging
from random_language_models import TOKENS, make

LISTS = {"model_args", "kwargs", "self", "save_directory", "pretrained_model_name_or_path"}
FILES = "folder: expected files that save_pretrained wrote"
THERE = "folder: expected a folder that is there, or the name of a model on the hub, a connection"
TAKES = "options: expected some that `from_pretrained` of transformers takes"
# Of each option that load_signed_averaging knows: a value, and None where it works, or what is told.
LOADING = [
    ("cache_dir", "not/used", None), ("force_download", True, None), ("force_download", "yes", "True or False"),
    ("local_files_only", True, None), ("local_files_only", 1, "local_files_only: expected True or False"),
    ("token", "secret", None), ("revision", "other", None), ("revision", 2, "revision: expected text"),
    ("subfolder", "", None), ("subfolder", "no", "folder: expected a model saved with signed averaging"),
    ("subfolder", 3, "subfolder: expected text, got 3"),
    ("dtype", "auto", None), ("dtype", torch.float64, None), ("dtype", "float32", None), ("dtype", None, None),
    ("dtype", "float99", TAKES), ("dtype", torch.int64, TAKES), ("dtype", 3, TAKES),
    ("device_map", "cpu", None), ("device_map", "auto", None), ("device_map", {"": "cpu"}, None),
    ("device_map", None, None), ("device_map", "nowhere", TAKES),
    ("use_safetensors", True, None), ("use_safetensors", None, None),
    ("use_safetensors", False, f"{FILES}.*no file named .*pytorch_model.bin"),
    ("use_safetensors", "no", "use_safetensors: expected True or False, got 'no'"),
    ("variant", None, None), ("variant", "other", f"{FILES}, with the same .*variant.*no file named model.other"),
    ("variant", 3, "variant: expected text, got 3"),
    ("output_loading_info", False, None), ("output_loading_info", "all", "expected True or False, got 'all'")]
# What loads again as it was, and what is refused, at saving or loading.
SAVING = [
    ({"is_main_process": True}, None), ({"is_main_process": False}, "saved with signed averaging"),
    ({"state_dict": "all"}, None), ({"state_dict": "without n and b"}, "got none for .*signed_softmax_norm"),
    ({"state_dict": "empty"}, FILES), ({"max_shard_size": "10KB"}, None), ({"max_shard_size": 5}, None),
    ({"variant": "own"}, None), ({"token": "secret"}, None), ({"push_to_hub": False}, None),
    ({"repo_id": "own/name", "commit_message": "mine", "create_pr": True}, None),  # of a later upload
    ({"save_peft_format": False}, None), ({"save_original_format": False}, None),
    ({"distributed_checkpoint": True}, "requires an FSDP- or TP-sharded model")]
NEWER = {"distributed_checkpoint"}  # than the oldest version of transformers that is allowed


def options_of(method) -> set[str]:
    """What it takes: by its signature, its documentation and its code."""
    named = set(inspect.signature(method).parameters)
    told = set(re.findall(r"^ +(\w+) ?\(`", inspect.getdoc(method), re.MULTILINE))
    read = set(re.findall(r'kwargs\.(?:pop|get)\("([a-z]\w+)"', inspect.getsource(method)))
    return (named | told | read) - LISTS


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model with SSA, and the folder that it was saved to."""
    model, folder = make("llama").float(), tmp_path_factory.mktemp("saved")
    model.save_pretrained(folder)
    return model, folder


@torch.no_grad()
def same(model, again) -> bool:
    own, other = model.state_dict(), again.state_dict()
    return (own.keys() == other.keys() and all(torch.equal(own[name], other[name]) for name in own)
            and torch.equal(model(TOKENS).logits, again.eval()(TOKENS).logits))


def test_every_option_of_loading_is_in_the_table_or_refused_by_name(saved):
    known, found = {*HUB_OPTIONS, *OPTIONS}, options_of(PreTrainedModel.from_pretrained)
    assert {name for name, _, _ in LOADING} == known and len(found - known) > 15
    for name in found - known:
        with pytest.raises(InputError, match=f"options: expected some of .*, got {name}$"):
            load_signed_averaging(saved[1], **{name: None})


@pytest.mark.parametrize("name, value, told", LOADING)
def test_an_option_of_loading_works_or_is_refused(saved, name, value, told):
    model, folder = saved
    if told:
        with pytest.raises(InputError, match=told) as raised:
            load_signed_averaging(folder, **{name: value})
        assert "\n" not in str(raised.value)
    else:
        again = load_signed_averaging(folder, **{name: value}).cpu()  # "auto" is a GPU where there is one
        assert again.dtype == (value if isinstance(value, torch.dtype) else torch.float32)
        assert same(model, again.float())


def test_weights_of_pickle_load_where_they_are_asked_for(saved, tmp_path):
    model, folder = saved
    (tmp_path / "config.json").write_bytes((folder / "config.json").read_bytes())
    torch.save(model.state_dict(), tmp_path / "pytorch_model.bin")
    assert same(model, load_signed_averaging(tmp_path, use_safetensors=False))


@pytest.mark.parametrize("folder, told", [
    (None, "folder: expected a path or the name"), (3, "folder: expected a path or the name"),
    ("someone/model", f"{THERE}.*got someone/model: We couldn't connect"),
    ("no/such/folder", f"{THERE}.*got no/such/folder"), ("/no/such/folder", f"{THERE}.*got /no/such/folder")])
def test_what_is_no_folder_is_refused(folder, told):
    with pytest.raises(InputError, match=told):
        load_signed_averaging(folder, local_files_only=True)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_damaged_file_is_refused_in_a_line(saved, tmp_path, name):
    for file in saved[1].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes()[: 90 if file.name == name else None])
    with pytest.raises(InputError, match=FILES) as raised:
        load_signed_averaging(tmp_path)
    assert "\n" not in str(raised.value)


def test_every_option_of_saving_is_in_the_table():
    known, found = {name for own, _ in SAVING for name in own}, options_of(PreTrainedModel.save_pretrained)
    assert found <= known and known - found <= NEWER


@pytest.mark.parametrize("options, told", SAVING)
def test_what_is_saved_with_an_option_loads_as_it_was_or_is_refused(saved, tmp_path, options, told):
    if NEWER & options.keys() - options_of(PreTrainedModel.save_pretrained):
        pytest.skip("this version of transformers does not have it")
    model, options = saved[0], dict(options)
    every = model.state_dict()
    if "state_dict" in options:
        options["state_dict"] = {name: value for name, value in every.items() if options["state_dict"] == "all"
                                 or options["state_dict"] == "without n and b" and "signed" not in name}
    if told:
        with pytest.raises((InputError, ValueError), match=told):
            model.save_pretrained(tmp_path, **options)
            load_signed_averaging(tmp_path)
    else:
        model.save_pretrained(tmp_path, **options)
        assert same(model, load_signed_averaging(tmp_path, variant=options.get("variant")))


@pytest.mark.parametrize("kind, told", [
    (AutoModel, r"head than LlamaModel: lm_head.weight \(left out\)$"),
    (AutoModelForSequenceClassification, r"score.weight \(drawn anew\), lm_head.weight \(left out\)$")])
def test_a_head_that_another_class_lacks_or_adds_is_told_by_name(saved, kind, told):
    with pytest.warns(UserWarning, match=told):
        again = load_signed_averaging(saved[1], kind)
    inner = saved[0].model.state_dict()
    assert all(torch.equal(value, inner[name]) for name, value in again.base_model.state_dict().items())


@pytest.mark.parametrize("again", [False, True], ids=["new", "loaded"])
def test_an_upload_without_a_network_says_what_to_do(saved, tmp_path, monkeypatch, again):
    def no_network(*words, **named):
        raise socket.gaierror("no network")

    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", False)
    model = load_signed_averaging(saved[1]) if again else copy.deepcopy(saved[0])
    told = "expected a connection to the hub .*, got ConnectError: .*; save_pretrained without push_to_hub keeps"
    with pytest.raises(InputError, match=f"^push_to_hub: {told}"):
        model.push_to_hub("someone/model")
    with pytest.raises(InputError, match=f"^save_pretrained: {told}"):
        model.save_pretrained(str(tmp_path), push_to_hub=True)  # 5.4 takes no path
    with prefix_attention(model, 3), pytest.raises(InputError, match="push_to_hub: expected a call outside"):
        model.push_to_hub("someone/model")
    with pytest.raises(InputError, match=f"^push_to_hub: {told}"):
        model.push_to_hub("someone/model")  # after the block as before
    model.save_pretrained(tmp_path)
    assert same(model, load_signed_averaging(tmp_path))


def test_a_copy_saves_itself(saved, tmp_path):
    other = copy.deepcopy(saved[0])
    with torch.no_grad():
        next(other.parameters()).add_(1)
    other.save_pretrained(tmp_path)
    assert same(other, load_signed_averaging(tmp_path)) and not same(saved[0], other)


# ---- prefixes -------------------------------------------------------------------------------


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_a_prefix_is_the_same_whatever_attention_a_model_was_loaded_with(tmp_path, attention):
    model = make("llama", ssa=False)
    model.save_pretrained(tmp_path)
    again = LlamaForCausalLM.from_pretrained(tmp_path, attn_implementation=attention, dtype=torch.float64)
    with torch.no_grad(), prefix_attention(model, 3), prefix_attention(again, 3):
        torch.testing.assert_close(again(TOKENS).logits, model(TOKENS).logits, atol=1e-12, rtol=0)
    assert again.config._attn_implementation == attention


ELSEWHERE = """
import sys, torch
for name in ("outside-False", "within-False", "outside-True", "within-True"):
    model, tokens, expected = torch.load(f"{sys.argv[1]}/{name}.pt", weights_only=False)
    print(name, torch.equal(model(tokens).logits, expected))
"""


def test_a_pickled_model_computes_the_same_elsewhere(tmp_path):
    for ssa in (False, True):
        model = make("llama", ssa=ssa)
        torch.save((model, TOKENS, model(TOKENS).logits), tmp_path / f"outside-{ssa}.pt")
        with prefix_attention(model, 3):
            torch.save((model, TOKENS, model(TOKENS).logits), tmp_path / f"within-{ssa}.pt")
    done = subprocess.run([sys.executable, "-c", ELSEWHERE, str(tmp_path)], capture_output=True, encoding="utf-8")
    assert done.stdout.split() == ["outside-False", "True", "within-False", "True",
                                   "outside-True", "True", "within-True", "True"], done.stderr


ONES = torch.ones_like(TOKENS)
MASKS = {"a dictionary of 2D masks": {"full_attention": ONES}, "a dictionary of none": {"full_attention": None},
         "another name": {"other": ONES.bool()}, "a list": ONES.tolist(), "an array": ONES.numpy(),
         "3D": torch.ones(2, 6, 6).bool(), "1D": torch.ones(6), "another batch": torch.ones(6, 6).bool()}


@pytest.mark.parametrize("name", ["llama", "qwen"])
@pytest.mark.parametrize("ssa", [False, True])
@pytest.mark.parametrize("kind", MASKS)
def test_a_mask_of_another_form_is_refused_within_a_prefix(name, ssa, kind):
    model = make(name, ssa=ssa)
    with prefix_attention(model, 3), pytest.raises(InputError, match="attention_mask: expected .*, got ") as raised:
        model(TOKENS, attention_mask=MASKS[kind])
    assert "\n" not in str(raised.value)


OTHER_SIZES = {"fewer tokens": ONES[:, :4], "more tokens": torch.ones(2, 9), "fractions": torch.full((2, 6), 0.5),
               "numbers to add": torch.full((2, 6), -1e9), "a text": "causal",
               "more keys": torch.ones(2, 1, 6, 9).bool(), "fewer heads": torch.ones(2, 3, 6, 6).bool(),
               "more sequences": torch.ones(5, 1, 6, 6).bool()}


@pytest.mark.parametrize("name", ["llama", "qwen", "gpt2", "roberta"])
@pytest.mark.parametrize("kind", MASKS | OTHER_SIZES)
def test_a_mask_of_another_form_is_refused_with_signed_averaging(name, kind):
    model, mask = make(name), (MASKS | OTHER_SIZES)[kind]
    if (name, kind) == ("qwen", "a dictionary of none"):
        assert torch.equal(model(TOKENS, attention_mask=mask).logits, model(TOKENS).logits)
        return
    for part in (model, model.base_model):
        with pytest.raises(InputError, match="attention_mask: expected .*, got ") as raised:
            part(TOKENS, attention_mask=mask, **({"use_cache": False} if kind == "more tokens" else {}))
        assert "\n" not in str(raised.value)


def test_a_dictionary_of_masks_by_kind_of_layer_is_honored_or_refused_with_signed_averaging():
    model = make("qwen")  # whose layers have kinds
    full = torch.ones(2, 1, 6, 6).tril().bool()
    assert torch.equal(model(TOKENS, attention_mask={"full_attention": full}).logits,
                       model(TOKENS, attention_mask=full).logits)
    with pytest.raises(InputError, match="attention_mask: expected a boolean one of .*got torch.bool of .2, 6"):
        model(TOKENS, attention_mask={"full_attention": ONES.bool()})
    with pytest.raises(InputError, match="expected a tensor for each of full_attention, got a dictionary of other"):
        model(TOKENS, attention_mask={"other": full})
