"""README's lines for inspect_ai, mlflow and deepeval, run in them: figures and rows are those of one `compute`."""

import json
import math
import os
from collections import defaultdict

import frameworks
import in_frameworks
import pytest

from evaluate_qa.loading import load_metric

# On busy cores the three frameworks take long to start.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]

SETTINGS = {
    # Neither of them reports what it is used for.
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "MLFLOW_DISABLE_TELEMETRY": "true",
    # On busy cores more threads have to wait for the store longer than mlflow lets them.
    "MLFLOW_GENAI_EVAL_MAX_WORKERS": "4",
    "MLFLOW_ENABLE_ASYNC_TRACE_LOGGING": "false",
}


@pytest.fixture(scope="module")
def found(processes, one_line, tmp_path_factory):
    """What the frameworks logged, by their names."""
    lines = {"inspect_ai": one_line("inspect_ai"), "mlflow": one_line("mlflow"), "deepeval": one_line("deepeval")}
    folder = tmp_path_factory.mktemp("frameworks")
    environment = os.environ | SETTINGS | {"PYTHONPATH": frameworks.installed()}
    processes.run(in_frameworks.__file__, folder, json.dumps(lines), cwd=folder, env=environment, check=True)
    return {name: json.loads((folder / f"{name}.json").read_text()) for name in lines}


def computed(name, **options):
    """The result of one call, with rows by the sample's ids."""
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
    log, _ = found["inspect_ai"]["logs"]
    accuracy = computed("bem")[0]["accuracy"]
    assert 0.3 < accuracy < 0.9
    # Of n verdicts with the share p right: the square root of p (1 - p) / (n - 1).
    error = math.sqrt(accuracy * (1 - accuracy) / (in_frameworks.NUMBER - 1))
    assert log["figures"] == {"bem": {"accuracy": pytest.approx(accuracy), "stderr": pytest.approx(error)}}


def test_inspect_logs_each_sample(found):
    log, _ = found["inspect_ai"]["logs"]
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
        told = f"{'right' if row['verdict'] else 'wrong'}, score {logged['metadata']['score']:.3f}, nearest reference "
        assert logged["explanation"].startswith(told)
    assert values == {"C", "N", "I"}


def test_inspect_shows_groups_and_clusters(found):
    _, log = found["inspect_ai"]["logs"]
    result, rows = computed("nli_lex", threshold=0.9)
    kinds = defaultdict(list)
    for sample in in_frameworks.sample():
        kinds[sample["kind"]].append(rows[sample["id"]]["verdict"])
    figures = log["figures"]["nli_lex"]
    mean, error = figures.pop("accuracy"), figures.pop("stderr")
    assert mean == pytest.approx(result["accuracy"])
    assert figures == {kind: pytest.approx(sum(verdicts) / len(verdicts)) for kind, verdicts in kinds.items()}
    # Of C clusters: the deviations from the mean summed in each, squared, summed, times C / (C - 1), over n squared.
    squares = sum(sum(verdict - mean for verdict in verdicts) ** 2 for verdicts in kinds.values())
    assert error == pytest.approx(math.sqrt(squares * len(kinds) / (len(kinds) - 1)) / len(rows))
    assert log["scorers"]["nli_lex"]["threshold"] == 0.9


def test_inspect_takes_the_score_where_there_is_no_verdict(found):
    _, log = found["inspect_ai"]["logs"]
    result, rows = computed("deltableu")
    scores = [row["score"] for row in rows.values()]
    assert log["figures"]["deltableu"]["mean"] == pytest.approx(sum(scores) / len(scores), abs=1e-6)
    assert {name: sample["deltableu"]["value"] for name, sample in log["samples"].items()} == {
        name: pytest.approx(row["score"], abs=1e-6) for name, row in rows.items()
    }
    assert "deltableu|v:" in result["signature"]


def test_inspect_scores_samples_together(found):
    together = found["inspect_ai"]["together"]
    assert sum(together) == in_frameworks.NUMBER
    assert len(together) < in_frameworks.NUMBER / 2


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
        told = f"{'right' if verdict else 'wrong'}, score {row['bem']['value']:.3f}, nearest reference "
        assert row["bem"]["why"].startswith(told)
        assert row["bem"]["metadata"]["signature"] == result["signature"]
        assert "margin" in row["bem"]["metadata"]


def test_mlflow_tells_of_a_row_without_a_reference(found):
    errors = [one["error"] for row in found["mlflow"]["rows"] for one in row if one["error"]]
    assert errors == ["bem: a row's expectations have no 'expected_response', which is the reference"]


def test_deepeval_asserts_what_is_right(found):
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
