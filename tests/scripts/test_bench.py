"""`python -m evaluate_qa.dev.bench`: all cases of a metric do the same work, and the command prints their ratios."""

import json

import pytest
from commands import run_program

from evaluate_qa.dev import bench
from evaluate_qa.dev.benchmarks import evqascore, measure
from evaluate_qa.dev.benchmarks.measure import Measurement
from evaluate_qa.dev.benchmarks.text import cases, deltableu_cases, shuffled
from evaluate_qa.metrics._shared.devices import multiplies_int8
from evaluate_qa.metrics.evqascore.clip_models import demo_folder

COLUMNS = {
    "predictions": ["Paris", "It is Lyon, as everybody knows.", "", "Paris"],
    "references": [["Paris", "Paris, France"], ["Paris"], ["x"], ["Paris"]],
    "questions": ["Capital?"] * 4,
}


@pytest.mark.parametrize("metric", ["smile", "bem", "nli_lex"])
def test_engines_score_alike(metric):
    listed = cases(metric, COLUMNS, "cpu")
    int8 = ["dtype=int8"] * multiplies_int8()
    assert [*listed][1:] == ["default", "engine=torch", "dtype=bfloat16", *int8]
    loop, default, with_torch = (prepare(job)() for prepare, job in list(listed.values())[:3])
    assert with_torch == pytest.approx(default, abs=1e-5)
    if metric != "smile":
        assert loop == pytest.approx(default, abs=1e-5)


def test_loop_of_smile_compares_the_texts_themselves():
    prepare, job = cases("smile", COLUMNS, "cpu")["sentence-transformers, row by row"]
    same, different, _, repeated = prepare(job)()
    assert same == repeated == pytest.approx(1)
    assert 0.2 < different < 0.9


@pytest.mark.parametrize(("lang", "tokenize"), [("en", "13a"), ("zh", "zh")])
def test_deltableu_scores_like_sacrebleu(shared, lang, tokenize):
    items = json.loads((shared / "oracles/deltableu_public.json").read_text())["items"]
    given = {"predictions": [item["hyp"][lang] for item in items], "references": [item["refs"][lang] for item in items]}
    made = shuffled(given, 500, 8)
    assert made == shuffled(given, 500, 8)
    assert [len(row) for row in made["references"]] == [8] * 500
    sacrebleu, ours = (prepare(job)() for prepare, job in deltableu_cases(made, tokenize).values())
    assert sacrebleu[0] > 0
    assert ours == pytest.approx(sacrebleu, abs=1e-9)


def test_every_step_reads_the_sampled_frames(tmp_path):
    video = evqascore.write_video(tmp_path / "made.mp4", 1.5, (96, 64))
    job = evqascore.Job(str(video), 30, model=str(demo_folder()), device="cpu")
    # The video has 45 frames; frames 0 and 30 are sampled.
    found = {name: prepare(job)() for name, (prepare, _) in evqascore.cases(job).items()}
    assert found == {"decode every frame": 45, "read and preprocess": 2, "default": 2}


def test_ratios_by_hand():
    # For 20 rows, the baseline takes 10 s, and torch 2 s.
    seconds = {"loop": (10.0, [1.0, 1.0]), "default": (4.0, [0.5, 0.25]), "engine=torch": (2.0, [0.5, 0.5])}
    measured = {name: Measurement(took, 8 * 10**8, result) for name, (took, result) in seconds.items()}
    baseline, default, torch = bench.ratios("bem", 20, measured)
    assert (baseline["to_baseline"], baseline["change"], default["change"]) == (1, None, 0)
    assert torch == {
        "metric": "bem",
        "case": "engine=torch",
        "seconds": 2.0,
        "rows_per_second": 10.0,
        "to_baseline": 5.0,
        "peak_bytes": 8 * 10**8,
        "change": 0.25,
    }
    cells = [next(iter(column.cells)) for column in bench.table("here", [torch]).columns]
    assert cells == ["bem", "engine=torch", "2.000", "10.0", "5.00", "800", "2.5e-01"]


@pytest.mark.parametrize("metric", ["deltableu", "evqascore"])
def test_command_prints_and_writes_ratios(tmp_path, monkeypatch, metric):
    encoder = evqascore.encoder_of(evqascore.Job("", model=str(demo_folder()), device="cpu"))
    monkeypatch.setattr(evqascore, "encoder_of", lambda _: encoder)
    monkeypatch.setattr(measure, "_in_own_process", measure._run)
    file = tmp_path / "here.json"
    result = run_program("bench", metric, "--rows", 2, "--rounds", 1, "--seconds", 1, "--json", file)
    assert "largest change" in result.output
    figures = json.loads(file.read_text())["figures"]
    assert [figures[0]["to_baseline"], figures[-1]["case"]] == [1, "default"]
    assert all(one["metric"] == metric and one["rows_per_second"] > 0 for one in figures)
