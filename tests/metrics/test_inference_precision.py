"""`dtype="auto"`: what is chosen, that it is remembered, and that scores and signature are those of the choice."""

import json

import pytest
import torch
from huggingface_hub import constants
from test_contract import assert_same

from evaluate_qa.metrics._shared import inference
from evaluate_qa.metrics._shared.arguments import ModelOptions
from evaluate_qa.metrics._shared.inference import chosen, fastest, measured, processor, settled

OTHER = {"float32": "bfloat16", "bfloat16": "float32"}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """Where Hugging Face's cache is, and a process that has not decided yet."""
    monkeypatch.setattr(constants, "HF_HOME", str(tmp_path))
    inference._fastest.cache_clear()
    yield tmp_path
    inference._fastest.cache_clear()


@pytest.mark.parametrize(
    ("half", "expected"),
    [
        ([5, 5, 5], "bfloat16"),  # half of float32's median, 10
        ([1, 8.9, 99], "bfloat16"),  # the median counts: 8.9 < 9
        ([1, 9, 99], "float32"),  # 9 is not below 0.9 · 10
        ([10, 10, 10], "float32"),
        ([30, 30, 30], "float32"),
    ],
)
def test_a_half_precision_must_be_worth_it(half, expected):
    assert chosen({"float32": [10, 2, 50], "bfloat16": half}) == expected


def test_the_same_work_is_timed_in_turns():
    state = torch.random.get_rng_state()
    seconds = measured("cpu", ("float32", "bfloat16"))
    assert [len(rounds) for rounds in seconds.values()] == [5, 5]
    assert all(time > 0 for rounds in seconds.values() for time in rounds)
    assert torch.equal(torch.random.get_rng_state(), state)  # what a user draws stays the same


def test_the_choice_is_remembered(home):
    dtype = fastest("cpu")
    (file,) = home.glob("evaluate_qa/precision-*.json")
    said = json.loads(file.read_text())
    assert said["dtype"] == dtype == chosen({name: [seconds] for name, seconds in said["seconds"].items()})
    assert (said["device"], said["processor"]) == ("cpu", processor().name)
    assert (said["torch"], said["threads"]) == (torch.__version__, torch.get_num_threads())

    file.write_text(json.dumps(said | {"dtype": OTHER[dtype]}))
    assert fastest("cpu") == dtype  # this process has decided
    inference._fastest.cache_clear()
    assert fastest("cpu") == OTHER[dtype]  # another one reads the file
    assert list(home.glob("evaluate_qa/*")) == [file]


def test_other_numbers_of_threads_decide_for_themselves(home):
    inference._fastest("cpu", 1)
    inference._fastest("cpu", 2)
    assert len(list(home.glob("evaluate_qa/*.json"))) == 2


@pytest.fixture
def file(home, measured_once):
    """Where the choice for this machine will be looked for."""
    (home / "evaluate_qa").mkdir()
    return home / "evaluate_qa" / measured_once


@pytest.fixture(scope="module")
def measured_once(tmp_path_factory):
    """The name of that file, which the first choice tells."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(constants, "HF_HOME", str(home := tmp_path_factory.mktemp("home")))
        inference._fastest.cache_clear()
        fastest("cpu")
    return next(home.glob("evaluate_qa/*.json")).name


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"dtype": "int4"}', '{"dtype": ["float32"]}', "\udcff"])
def test_a_damaged_file_is_written_anew(file, damage):
    file.write_bytes(damage.encode(errors="surrogateescape"))
    assert fastest("cpu") == json.loads(file.read_text())["dtype"]


def test_a_cache_that_takes_no_file_is_done_without(home, monkeypatch):
    (home / "file").touch()
    monkeypatch.setattr(constants, "HF_HOME", str(home / "file"))
    assert fastest("cpu") in OTHER


def test_only_auto_is_settled(home):
    given = ModelOptions(dtype="float16", batch_size=3)
    assert settled(given) is given
    assert settled(ModelOptions(device="cpu", dtype="auto", batch_size=3)) == ModelOptions(
        device="cpu", dtype=fastest("cpu"), batch_size=3
    )


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_scores_and_signature_are_those_of_the_choice(file, name, load, metric, case, dtype):
    if not case.model or name == "judge":
        pytest.skip("it has no such option")
    file.write_text(json.dumps({"dtype": dtype}))
    inference._fastest.cache_clear()
    of_choice, of_auto = (load(device="cpu", dtype=one).compute(**case.columns) for one in (dtype, "auto"))
    assert of_auto["signature"] == of_choice["signature"]
    assert ("|dtype:bfloat16" in of_auto["signature"]) == (dtype == "bfloat16")
    assert_same(of_auto, of_choice)


def test_the_judge_does_not_measure(load, name):
    if name == "judge":
        with pytest.raises(ValueError, match="dtype is 'auto'; expected one of float32, float16, bfloat16"):
            load(dtype="auto")
