"""README's lines for inspect_ai, mlflow and deepeval give the scores of one `compute`; inspect_ai reads `eval.yaml`."""

import json
import math
import os

import frameworks
import in_frameworks
import pytest
from hub_server import Blob, Hub, serve
from toy_sets import evouna_question, write_evouna

from evaluate_qa.loading import load_metric
from evaluate_qa.publishing.dataset import build

# The three frameworks start slowly on busy cores.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

SETTINGS = {
    # Report no usage.
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    # On busy cores, more threads would wait for the store longer than mlflow allows.
    "MLFLOW_GENAI_EVAL_MAX_WORKERS": "4",
    "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false",
}


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """The address of a Hub with a data set of one question."""
    folder = tmp_path_factory.mktemp("hub")
    question = evouna_question(golden_answer="Lutetia/Paris")
    write_evouna(folder, [question], [question])
    built = folder / "built"
    build("evouna", built, folder)
    files = {str(path.relative_to(built)): path.read_bytes() for path in built.rglob("*.*")}
    with serve(Hub()) as server:
        server.commit("datasets/org/evouna", {name: Blob(content, lfs=False) for name, content in files.items()})
        yield server.address


@pytest.fixture(scope="module")
def found(processes, one_line, hub, tmp_path_factory):
    lines = {"inspect_ai": one_line("inspect_ai"), "mlflow": one_line("mlflow"), "deepeval": one_line("deepeval")}
    lines["hub"] = one_line("inspect_ai on the Hub")
    folder = tmp_path_factory.mktemp("frameworks")
    settings = {
        "HF_ENDPOINT": hub,
        "HF_HUB_OFFLINE": "0",
        "HF_HOME": folder / "home",
        "XDG_CACHE_HOME": folder / "cache",
    }
    environment = os.environ | SETTINGS | settings | {"PYTHONPATH": frameworks.installed()}
    processes.run(in_frameworks.__file__, folder, json.dumps(lines), cwd=folder, env=environment, check=True)
    return {name: json.loads((folder / f"{name}.json").read_text()) for name in lines}


def computed(name, **options):
    """The result of one `compute`, and its rows by id."""
    rows = in_frameworks.sample()
    result = load_metric(name).compute(
        predictions=[row["prediction"] for row in rows],
        references=[row["references"] for row in rows],
        questions=[row["question"] for row in rows],
        **options,
    )
    values = zip(*result["per_example"].values(), strict=True)
    scores = [dict(zip(result["per_example"], value, strict=True)) for value in values]
    return result, {row["id"]: score for row, score in zip(rows, scores, strict=True)}


def test_inspect_shows_accuracy_and_standard_error(found):
    log, _ = found["inspect_ai"]
    accuracy = computed("bem")[0]["accuracy"]
    assert 0.3 < accuracy < 0.9
    # The standard error of a share p of n verdicts is the square root of p (1 - p) / (n - 1).
    error = math.sqrt(accuracy * (1 - accuracy) / (in_frameworks.NUMBER - 1))
    assert log["figures"] == {"bem": {"accuracy": pytest.approx(accuracy), "stderr": pytest.approx(error)}}


def test_inspect_logs_each_sample(found):
    log, _ = found["inspect_ai"]
    result, rows = computed("bem")
    assert log["samples"].keys() == rows.keys()
    values = set()
    for name, row in rows.items():
        logged = log["samples"][name]["bem"]
        values.add(logged["value"])
        assert logged["value"] == ("C" if row["verdict"] else "N" if row["not_attempted"] else "I")
        assert logged["metadata"]["score"] == pytest.approx(row["score"], abs=1e-6)
        assert logged["metadata"]["margin"] == pytest.approx(row["margin"], abs=1e-5)
        assert logged["metadata"]["signature"] == result["signature"]
        reason = (
            f"{'right' if row['verdict'] else 'wrong'}, score {logged['metadata']['score']:.3f}, nearest reference "
        )
        assert logged["explanation"].startswith(reason)
    assert values == {"C", "N", "I"}


def test_inspect_passes_options_to_the_metric(found):
    _, log = found["inspect_ai"]
    result, _ = computed("nli_lex", threshold=0.9)
    assert log["figures"]["nli_lex"]["accuracy"] == pytest.approx(result["accuracy"])
    assert log["scorers"]["nli_lex"]["threshold"] == 0.9


def test_inspect_shows_the_mean_score_of_a_metric_without_verdicts(found):
    _, log = found["inspect_ai"]
    result, rows = computed("deltableu")
    scores = [row["score"] for row in rows.values()]
    assert log["figures"]["deltableu"]["mean"] == pytest.approx(sum(scores) / len(scores), abs=1e-6)
    assert {name: sample["deltableu"]["value"] for name, sample in log["samples"].items()} == {
        name: pytest.approx(row["score"], abs=1e-6) for name, row in rows.items()
    }
    assert "deltableu|v:" in result["signature"]


def test_inspect_runs_a_data_set_from_the_hub(found):
    grades = [{"model_graded_fact": 0.0}, {"bem": 1.0}]
    assert found["hub"] == ["success", 1, "Lutetia or Paris", *grades]


def test_mlflow_has_scores_and_verdicts(found):
    result, rows = computed("bem")
    figures = found["mlflow"]["figures"]
    assert figures["bem/mean"] == pytest.approx(result["bem"], abs=1e-6)
    assert figures["bem_correct/mean"] == pytest.approx(result["accuracy"], abs=1e-6)
    logged = [{one["name"]: one for one in row} for row in found["mlflow"]["rows"]]
    scored = [row for row in logged if "bem_correct" in row]
    assert len(scored) == in_frameworks.NUMBER
    expected = sorted((row["score"], row["verdict"]) for row in rows.values())
    for (score, verdict), row in zip(expected, sorted(scored, key=lambda row: row["bem"]["value"]), strict=True):
        assert row["bem"]["value"] == pytest.approx(score, abs=1e-6)
        assert row["bem_correct"]["value"] == verdict
        reason = f"{'right' if verdict else 'wrong'}, score {row['bem']['value']:.3f}, nearest reference "
        assert row["bem"]["why"].startswith(reason)
        assert row["bem"]["metadata"]["signature"] == result["signature"]
        assert "margin" in row["bem"]["metadata"]


def test_mlflow_reports_a_row_without_a_reference(found):
    errors = [one["error"] for row in found["mlflow"]["rows"] for one in row if one["error"]]
    assert errors == ["bem: the expectations of a row have no references under 'expected_response'."]


def test_deepeval_fails_wrong_answers(found):
    rows = in_frameworks.sample()[:8]
    result = load_metric("bem").compute(
        predictions=[row["prediction"] for row in rows],
        references=[row["references"][0] for row in rows],
        questions=[row["question"] for row in rows],
    )["per_example"]
    wrong = {row["id"] for row, verdict in zip(rows, result["verdict"], strict=True) if not verdict}
    assert 0 < len(wrong) < 8
    assert found["deepeval"].keys() == wrong
    assert all("bem" in said for said in found["deepeval"].values())
