"""The default device, found without importing torch, and the default number of threads."""

import importlib.metadata
import os
import sys
import types

import pytest

from evaluate_qa.metrics._shared import devices
from evaluate_qa.metrics._shared.devices import best_device, default_threads


@pytest.fixture
def machine(monkeypatch):
    """A machine with 64 logical CPUs on 32 cores, without OMP_NUM_THREADS."""
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(64)), raising=False)
    monkeypatch.setattr(devices, "_threads_per_core", lambda: 2)
    monkeypatch.setattr(devices, "_cpu_quota", lambda: None)
    return monkeypatch


@pytest.mark.parametrize(("cpus", "expected"), [(8, 4), (2, 1), (1, 1)])
def test_threads_follow_the_cpu_affinity(machine, cpus, expected):
    machine.setattr(os, "sched_getaffinity", lambda _: set(range(cpus)), raising=False)
    assert default_threads() == expected


@pytest.mark.parametrize(("quota", "expected"), [(0.5, 1), (1.5, 2), (4.0, 4), (100.0, 16)])
def test_threads_follow_a_containers_quota(machine, quota, expected):
    machine.setattr(devices, "_cpu_quota", lambda: quota)
    assert default_threads() == expected


@pytest.mark.parametrize(("given", "expected"), [("3", 3), ("24", 24), ("4,2", 4), ("0", 16), ("many", 16), ("", 16)])
def test_threads_follow_the_environment(machine, given, expected):
    machine.setenv("OMP_NUM_THREADS", given)
    assert default_threads() == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"cpu.max": "150000 100000\n"}, 1.5),
        ({"cpu.max": "max 100000\n"}, None),
        ({"cpu/cpu.cfs_quota_us": "200000\n", "cpu/cpu.cfs_period_us": "100000\n"}, 2.0),
        ({"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"}, None),
        ({"cpu.max": "nonsense"}, None),
        ({}, None),
    ],
)
def test_a_control_groups_quota_is_read(tmp_path, files, expected):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert devices._cpu_quota(tmp_path) == expected


@pytest.fixture
def torch_of(monkeypatch):
    """Simulate a version of torch that is not imported, on Linux with or without a driver."""

    def pretend(version, driver):
        monkeypatch.setattr(sys, "platform", "linux")
        monkeypatch.delitem(sys.modules, "torch", raising=False)
        monkeypatch.setattr(importlib.metadata, "version", lambda _: version)
        monkeypatch.setattr(devices, "_DRIVERS", (os.devnull if driver else "/no/such/driver",))

    return pretend


@pytest.mark.parametrize(("version", "driver"), [("2.13.0", False), ("2.13.0+cpu", True), ("2.13.0+cpu", False)])
def test_without_an_accelerator_torch_is_not_imported(torch_of, version, driver):
    torch_of(version, driver)
    assert best_device() == "cpu"
    assert "torch" not in sys.modules


@pytest.mark.parametrize(
    ("cuda", "mps", "expected"), [(True, False, "cuda"), (False, True, "mps"), (False, False, "cpu")]
)
def test_the_accelerator_of_torch_is_used(monkeypatch, cuda, mps, expected):
    torch = types.SimpleNamespace(
        cuda=types.SimpleNamespace(is_available=lambda: cuda),
        backends=types.SimpleNamespace(mps=types.SimpleNamespace(is_available=lambda: mps)),
    )
    monkeypatch.setitem(sys.modules, "torch", torch)
    assert best_device() == expected
