"""What a fleet does without where a GPU, its memory or its software lacks something; GPUs are pretended."""

import collections
import contextlib
import functools
import os
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from claimbook.records import find_record
from claimbook.records.compute import records
from claimbook.records.errors import InputError, NoRoom
from icllib.models import MLP, Transformer
from icllib.tasks import LinearRegression
from icllib.training import Fleet, OutOfTime, Recipe, capture, engine, jobs, train
from icllib.training.checkpoint import checkpoints
from icllib.training.jobs import check_gpu, why_no_gpu
from small_fleet import RECIPE, metrics_of, runs

COMPILE = torch.compile
FEW_STEPS = runs(replace(RECIPE, steps=40))
OUT_OF_MEMORY = torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 MiB.")


class Graph:
    def replay(self):
        self.fleet.take_step()


@contextlib.contextmanager
def recorded(graph):
    """Capture: what is done within it has no effect."""
    fleet = Graph.recording
    before = {name: value.clone() for name, value in fleet.tensors().items()}
    yield
    capture.restore(fleet, before)


@pytest.fixture
def fleet(monkeypatch):
    """A fleet on a CPU that takes PyTorch's streams and graphs for a GPU's."""
    nothing = contextlib.nullcontext()
    stream = type("Stream", (), {"wait_stream": lambda self, other: None})
    monkeypatch.setattr(torch.cuda, "Stream", stream)
    for name in ("current_stream", "default_stream"):
        monkeypatch.setattr(torch.cuda, name, stream)
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: nothing)
    monkeypatch.setattr(torch.cuda, "set_stream", lambda stream: None)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Graph)
    monkeypatch.setattr(torch.cuda, "graph", recorded)
    monkeypatch.setattr(torch, "compile", lambda function, **options: function)
    Graph.recording = small_fleet("fp32")
    return Graph.recording


def small_fleet(precision, members=2, model=Transformer(1, 2, 8)):
    recipe = Recipe((2, 5), 9, 4, precision=precision)
    fleet = Fleet([LinearRegression(4)] * members, model, recipe, range(members), [100, *[7] * (members - 1)])
    fleet.cpu_step = None  # what a GPU captures is PyTorch's step
    return fleet


def fails(error):
    def function(*arguments, **options):
        raise error

    return function


def assert_takes_the_plain_steps(fleet, take_step):
    plain = small_fleet(fleet.recipe.precision)
    for _ in range(3):
        plain.take_step()
        take_step()
    expected = plain.tensors()
    assert all(torch.equal(value, expected[name]) for name, value in fleet.tensors().items())


NO_COMPILER = RuntimeError("Failed to find C compiler.\n  Please specify\n" + 900 * "x")
NO_CAPTURE = fails(RuntimeError("no capture"))


@pytest.mark.parametrize("lacking, told", [
    ({}, []),
    ({"compile": lambda function, **options: fails(NO_COMPILER)}, [
        "icllib: no compiled step (RuntimeError: Failed to find C compiler. P.*xx); capturing it as it is"]),
    ({"cuda.graph": NO_CAPTURE}, [
        "icllib: no compiled step (RuntimeError: no capture); capturing it as it is",
        "icllib: no captured step (RuntimeError: no capture); launching its kernels one by one"])])
def test_a_step_does_without_compiler_and_capture_and_says_so(fleet, capsys, monkeypatch, lacking, told):
    for name, own in lacking.items():
        monkeypatch.setattr(f"torch.{name}", own)
    take_step = capture.captured_step(fleet)
    assert take_step == fleet.take_step if "cuda.graph" in lacking else take_step.__self__.fleet is fleet
    assert_takes_the_plain_steps(fleet, take_step)
    for line, expected in zip(capsys.readouterr().err.splitlines(), told, strict=True):
        assert re.fullmatch(re.escape(expected).replace(r"\.\*", ".*"), line) and len(line) < 300


def test_a_lack_of_memory_is_no_reason_to_go_on_without_compiler(fleet, monkeypatch):
    monkeypatch.setattr(torch.cuda, "graph", fails(OUT_OF_MEMORY))
    with pytest.raises(torch.OutOfMemoryError):
        capture.captured_step(fleet)


def test_a_second_fleet_of_a_shape_compiles_nothing(fleet, monkeypatch):
    graphs = []

    def backend(graph, inputs, options=None):
        graphs.append(graph)
        return graph.forward

    torch.compiler.reset()
    monkeypatch.setattr(torch, "compile", functools.partial(COMPILE, backend=backend, fullgraph=True))
    for limit in ("recompile_limit", "accumulated_recompile_limit"):  # of PyTorch: 8 and 256
        monkeypatch.setattr(torch._dynamo.config, limit, 1)
    counts = []
    for members in (2, 2, 3, 4, 2):
        Graph.recording = own = small_fleet("fp32", members, MLP(4))
        assert capture.captured_step(own).__self__.fleet is own
        counts.append(len(graphs))
    torch.compiler.reset()
    first, again, second, third, last = counts
    assert 0 < first == again < second < third == last


@pytest.mark.parametrize("capability, expected", [
    ((7, 5), ["fp32", "fp32", "fp32", "fp64"]), ((8, 0), ["tf32", "bf16", "fp32", "fp64"])])
def test_a_gpu_before_ampere_computes_in_fp32(capability, expected, monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda device: capability)
    recipes = [Recipe((1,), 1, precision=name) for name in ("tf32", "bf16", "fp32", "fp64")]
    assert [recipe.precision_on(torch.device("cuda")) for recipe in recipes] == expected
    assert recipes[1].precision_on(torch.device("cpu")) == "fp32"


@pytest.mark.parametrize("precision, told", [("tf32", 1), ("bf16", 1), ("fp32", 0), ("fp64", 0)])
def test_a_precision_that_a_gpu_lacks_is_told(fleet, precision, told, capsys, monkeypatch):
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda device: "Tesla T4")
    set_to = []
    monkeypatch.setattr(torch, "set_float32_matmul_precision", set_to.append)
    Graph.recording = own = small_fleet(precision)
    capture.captured_step(own)
    line = f"icllib: Tesla T4 has no {precision}; training in fp32\n"
    assert capsys.readouterr().err == line * told
    assert set_to == ["highest"]


def no_room_for(members, step, monkeypatch, error=OUT_OF_MEMORY, seed=0):
    """At this step, memory runs out for more members than these, from this seed on."""
    taken = Fleet.take_step

    def take_step(fleet):
        first = int(fleet.stream.seeds[0])
        if len(fleet.alive) > members and int(fleet.step) == step and first >= seed:
            raise error
        taken(fleet)

    monkeypatch.setattr(Fleet, "take_step", take_step)


def counted_steps(monkeypatch):
    """The steps that are taken from now on, by the seeds of a fleet."""
    counts, taken = collections.Counter(), Fleet.take_step

    def take_step(fleet):
        counts[tuple(fleet.stream.seeds.tolist())] += 1
        taken(fleet)

    monkeypatch.setattr(Fleet, "take_step", take_step)
    return counts


def without_record(a_fleet):
    return [run for run in a_fleet if find_record(run, "test") is None]


def together(folders, monkeypatch, tmp_path):
    monkeypatch.setenv("CLAIMBOOK_RESULTS", str(tmp_path / "together"))
    jobs.train_fleets(FEW_STEPS, "smoke", tmp_path / "together" / "test" / "page")
    expected = metrics_of(FEW_STEPS)
    monkeypatch.setenv("CLAIMBOOK_RESULTS", str(folders.parents[1]))
    return expected


def assert_same_numbers(own, expected):
    for one, other in zip(own, expected, strict=True):
        np.testing.assert_allclose(one["error"], other["error"], rtol=1e-4)


def test_halves_go_on_where_there_was_no_room_for_the_whole(folders, monkeypatch, tmp_path, capsys):
    expected = together(folders, monkeypatch, tmp_path)
    no_room_for(1, 25, monkeypatch)
    monkeypatch.setattr(engine, "SAVE_EVERY", 0.0)
    jobs.train_fleets(FEW_STEPS, "smoke", folders)
    assert_same_numbers(metrics_of(FEW_STEPS), expected)
    assert [find_record(run, "test").provenance["fleet"] for run in FEW_STEPS] == [1, 1, 1]
    told = [line for line in capsys.readouterr().err.splitlines() if "no room" in line]
    assert told == [
        "icllib: no room for 3 models on cpu; 1 and then 2 go on from step 25",
        "icllib: no room for 2 models on cpu; 1 and then 1 go on from step 25"]
    assert not list((tmp_path / "checkpoints").rglob("*step*"))
    assert not list((tmp_path / "checkpoints").rglob("halved"))


def test_a_later_call_starts_with_the_halves(folders, monkeypatch, tmp_path):
    expected = together(folders, monkeypatch, tmp_path)
    monkeypatch.setattr(engine, "SAVE_EVERY", 0.0)
    with monkeypatch.context() as patch, pytest.raises(OutOfTime):
        no_room_for(2, 25, patch)
        no_room_for(1, 30, patch, OutOfTime())
        jobs.train_fleets(FEW_STEPS, "smoke", folders)
    rest = without_record(FEW_STEPS)
    assert rest == FEW_STEPS[1:] and checkpoints(jobs.checkpoint_folder(rest))
    taken = counted_steps(monkeypatch)
    jobs.train_fleets(jobs.to_train(FEW_STEPS, rest), "smoke", folders)
    assert taken == {(1, 2): 10}  # the first half is not trained again, the second goes on at step 30
    assert [find_record(run, "test").provenance["fleet"] for run in FEW_STEPS] == [1, 2, 2]
    assert_same_numbers(metrics_of(FEW_STEPS), expected)


@pytest.mark.parametrize("error", [
    OUT_OF_MEMORY, MemoryError(), RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when ..."),
    RuntimeError("DefaultCPUAllocator: can't allocate memory")], ids=["CUDA", "Python", "cuBLAS", "CPU"])
def test_one_model_without_room_says_so(error, folders, monkeypatch):
    no_room_for(0, 0, monkeypatch, error)
    with pytest.raises(NoRoom, match="room for 1 models on cpu, got less"):
        jobs.train_fleets(FEW_STEPS, "smoke", folders)
    with pytest.raises(InputError, match="room for 2 models on cpu, got less; use --members"):
        train(LinearRegression(2), MLP(8), replace(RECIPE, steps=2), [0, 1])


NO_DRIVER = ("Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU and "
             "installed a driver from http://www.nvidia.com/Download/index.aspx")
OLD_DRIVER = ("The NVIDIA driver on your system is too old (found version 12040). Please update your "
              "GPU driver by downloading and installing a new version from the URL")


@pytest.mark.parametrize("cuda, error, reason", [
    (None, None, rf"but PyTorch {re.escape(torch.__version__)} is a build for CPUs"),
    ("13.0", NO_DRIVER, "but PyTorch .* for CUDA 13.0 says: Found no NVIDIA driver on your system"),
    ("13.0", OLD_DRIVER, r"for CUDA 13.0 says: The NVIDIA driver on your system is too old \(found version 12040\)"),
    ("13.0", "No CUDA GPUs are available", "says: No CUDA GPUs are available")])
def test_profile_gpu_without_a_gpu_is_refused_with_the_reason(cuda, error, reason, folders, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(torch.version, "cuda", cuda)
    monkeypatch.setattr(torch.cuda, "init", fails(RuntimeError(error)))
    with pytest.raises(InputError, match=f"profile: expected a GPU .*{reason}; --on-cpu"):
        records(lambda profile: FEW_STEPS, "gpu", "test/page")
    assert without_record(FEW_STEPS) == FEW_STEPS


def test_without_a_gpu_records_that_are_there_are_given(folders, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    records(lambda profile: FEW_STEPS, "cpu", "test/page")
    records(lambda profile: FEW_STEPS, "gpu", "test/page")


def test_a_card_without_kernels_in_this_pytorch_is_refused_by_name(monkeypatch):
    for name, value in {"is_available": True, "device_count": 2, "get_device_name": "Tesla V100",
                        "get_arch_list": ["sm_75", "sm_80", "sm_90a", "compute_120"]}.items():
        monkeypatch.setattr(torch.cuda, name, lambda *_, value=value: value)
    capabilities = [(8, 9), (7, 5)]  # the first by a kernel of 8.0
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda index: capabilities[index])
    assert why_no_gpu() is None
    for capabilities[1] in ((12, 1), (13, 0)):  # compiled when it is used
        assert why_no_gpu() is None
    for capabilities[1] in ((7, 0), (6, 1), (10, 0)):
        with pytest.raises(InputError, match="no kernels for Tesla V100 of capability {}.{}, for sm_75, ".format(
                *capabilities[1])):
            check_gpu("gpu")


def test_without_a_c_compiler_pytorch_is_told_to_do_without(tmp_path):
    line = "import icllib, os; print(os.environ.get('TORCH_DISABLE_NATIVE_JIT'))"
    for compilers, told in (([], "1"), (["gcc"], "None")):
        for name in compilers:
            (tmp_path / name).symlink_to(sys.executable)
        own = {name: value for name, value in os.environ.items() if name not in ("CC", "TORCH_DISABLE_NATIVE_JIT")}
        done = subprocess.run([sys.executable, "-c", line], env=own | {"PATH": str(tmp_path)}, capture_output=True,
                              encoding="utf-8", check=True)
        assert done.stdout.strip() == told
