"""`python -m evaluate_qa.dev.bench bem|nli_lex`: all cases score the same, and the command prints them."""

import pytest

from evaluate_qa.dev.benchmarks.matchers import Job, cases, raw_forward, stock_forward

ANSWERS = ["Paris", "It is Lyon, as everybody knows.", "", "Paris"]


def job(metric):
    return Job(
        metric, ANSWERS, [["Paris", "Paris, France"], ["Paris"], ["x"], ["Paris"]], ["Capital?"] * 4, {"device": "cpu"}
    )


@pytest.mark.parametrize("metric", ["bem", "nli_lex"])
def test_the_metric_scores_as_the_loop_does(metric):
    listed = cases(job(metric))
    names = ["row-by-row loop", "raw forward", "raw forward, transformers"]
    assert list(listed) == [*names, metric, f"{metric}, engine=torch", f"{metric}, dtype=bfloat16"]
    loop, *ours = (
        prepare(argument)()
        for prepare, argument in (listed[name] for name in ("row-by-row loop", metric, f"{metric}, engine=torch"))
    )
    assert ours[0] == pytest.approx(loop, abs=1e-5)
    assert ours[1] == pytest.approx(loop, abs=1e-5)


def test_the_raw_forward_pass_runs_each_pair_once():
    # 4 distinct pairs: of the last row there is one already, and the first has two references.
    # [CLS] paris [SEP] paris [SEP] capital ? [SEP] is 8 tokens, with ", france" 10.
    one = Job("bem", ["Paris", "Paris"], [["Paris", "Paris, France"], ["Paris"]], ["Capital?"] * 2, {"device": "cpu"})
    assert raw_forward(one)() == stock_forward(one)() == 18
