"""The embedding model, with the default model and with tiny ones."""

import sqlite3
from contextlib import closing

import numpy as np
import pytest
import tiny_checkpoints
from sentence_transformers import SentenceTransformer

import evaluate_qa
from evaluate_qa.files.rows import read_rows
from evaluate_qa.metrics.smile.encoder import Encoder
from evaluate_qa.metrics.smile.options import SmileLoading
from evaluate_qa.metrics.smile.scoring import score

TEXTS = [
    "Marie Curie",
    "",
    "it was marie curie who discovered radium in paris, the capital of france, in 1898.",
    "Paris",
    "radium 88",
    "it is not pierre",
    "日本 🎉",
    "the " * 40,
]


def encoder(folder, **options) -> Encoder:
    return Encoder("default", SmileLoading(model=folder, device="cpu", **options))


class Passes:
    """Records the shape (rows, tokens) of each batch of an encoder."""

    def __init__(self, encoder):
        self.shapes = []
        encoder.engine.model[0].register_forward_pre_hook(self._record)

    def _record(self, _, inputs):
        self.shapes.append(tuple(inputs[0]["input_ids"].shape))

    @property
    def rows(self):
        """Number of texts so far."""
        return sum(rows for rows, _ in self.shapes)


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return tiny_checkpoints.bert(tmp_path_factory.mktemp("bert") / "tiny")


CHECKPOINTS = {
    "normalised": {},
    "not normalised": {"normalize": False},
    "first token": {"pooling": "cls"},
    "dense": {"dense": 8, "normalize": False},
    "prompt": {"prompts": {"query": "who is ", "document": "in "}, "default": "query"},
}


@pytest.mark.parametrize("settings", CHECKPOINTS.values(), ids=CHECKPOINTS)
def test_vectors_equal_those_of_sentence_transformers(tmp_path, settings):
    folder = tiny_checkpoints.bert(tmp_path / "tiny", **settings)
    reference = SentenceTransformer(str(folder), device="cpu")
    one_by_one = np.stack([reference.encode(text, normalize_embeddings=True) for text in TEXTS])
    for options in ({}, {"batch_size": 1}, {"token_budget": 20}):
        vectors = encoder(folder, **options).vectors(TEXTS)
        assert vectors.dtype == np.float32
        assert np.abs(vectors - one_by_one).max() < 1e-5
        assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6
        # Different texts have different vectors.
        assert np.abs(vectors[0] - vectors[3]).max() > 1e-3


@pytest.mark.parametrize("make", [tiny_checkpoints.roberta, tiny_checkpoints.static])
def test_other_tokenizers_are_supported(tmp_path, make):
    folder = make(tmp_path / "tiny")
    expected = SentenceTransformer(str(folder), device="cpu").encode(TEXTS, normalize_embeddings=True)
    assert np.abs(encoder(folder).vectors(TEXTS) - expected).max() < 1e-5


def test_prompt_name_selects_a_prompt(tmp_path):
    folder = tiny_checkpoints.bert(tmp_path / "tiny", prompts={"query": "who is ", "document": "in "}, default="query")
    reference = SentenceTransformer(str(folder), device="cpu")
    chosen = encoder(folder, prompt_name="document")
    expected = reference.encode([f"in {text}" for text in TEXTS], prompt="", normalize_embeddings=True)
    assert np.abs(chosen.vectors(TEXTS) - expected).max() < 1e-5
    assert chosen.fingerprint != encoder(folder).fingerprint


def test_an_unknown_prompt_raises(tmp_path):
    folder = tiny_checkpoints.bert(tmp_path / "tiny", prompts={"query": "who is ", "document": "in "})
    with pytest.raises(
        ValueError, match=r"smile: prompt_name is 'passage'; the model's prompts are 'query', 'document'"
    ):
        encoder(folder, prompt_name="passage")


def test_batches_with_prompt_and_padding_stay_within_the_token_budget(tmp_path):
    folder = tiny_checkpoints.bert(tmp_path / "tiny", prompts={"query": "who is the "}, default="query")
    loaded = encoder(folder, token_budget=50)
    passes = Passes(loaded)
    loaded.vectors([f"curie {number}" for number in range(40)])
    assert passes.rows == 40
    assert all(rows * tokens <= 50 or rows == 1 for rows, tokens in passes.shapes)
    # [CLS] who is the curie 1 ##? [SEP]: at most 9 tokens, so a batch holds at least 5 texts.
    assert len(passes.shapes) <= 8


def test_long_texts_are_truncated_silently(tiny, capfd):
    loaded = encoder(tiny)
    passes = Passes(loaded)
    long = "marie curie discovered radium " * 5000
    # The model reads 64 tokens: [CLS], 62 words, [SEP].
    cut = " ".join(long.split()[:62])
    capfd.readouterr()
    vectors = loaded.vectors([long, cut])
    loaded.word_vectors([long.replace(" ", "")])
    assert np.abs(vectors[0] - vectors[1]).max() < 1e-6
    assert passes.shapes == [(2, 64)]
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_precision_rounds_little(tmp_path, dtype):
    folder = tiny_checkpoints.bert(tmp_path / "tiny", dense=8, normalize=False)
    full, half = encoder(folder), encoder(folder, dtype=dtype)
    vectors = half.vectors(TEXTS)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6
    difference = np.abs(vectors - full.vectors(TEXTS)).max()
    # bfloat16 has 8 significant bits, float16 has 11.
    assert 0 < difference < {"bfloat16": 0.03, "float16": 0.004}[dtype]
    assert half.fingerprint != full.fingerprint


@pytest.mark.parametrize("device", ["cuda:99", "hpu"])
def test_an_unavailable_device_raises(tiny, device):
    with pytest.raises(ValueError, match=f"smile: device is '{device}', which torch cannot use here"):
        Encoder("default", SmileLoading(model=tiny, device=device))


def test_word_vectors_are_sums_of_centered_pieces(tiny):
    loaded = encoder(tiny)
    model = SentenceTransformer(str(tiny), device="cpu")
    table = model[0].auto_model.get_input_embeddings().weight.detach().numpy()
    centred = table - table.mean(axis=0)
    vocabulary = model.tokenizer.get_vocab()
    # curies -> curie ##s
    expected = [centred[vocabulary["curie"]] + centred[vocabulary["##s"]], centred[vocabulary["paris"]]]
    assert np.abs(loaded.word_vectors(["curies", "Paris"]) - expected).max() < 1e-6
    assert loaded.word_vectors([]).shape == (0, tiny_checkpoints.WIDTH)


def test_word_vectors_of_a_byte_level_tokenizer_are_those_inside_a_text(tmp_path):
    folder = tiny_checkpoints.roberta(tmp_path / "tiny")
    loaded = encoder(folder)
    model = SentenceTransformer(str(folder), device="cpu")
    table = model[0].auto_model.get_input_embeddings().weight.detach().numpy()
    # "in paris" -> i n Ġparis, while "paris" at the start of a text is another piece.
    inside = model.tokenizer.get_vocab()["Ġparis"]
    assert inside in model.tokenizer("in paris")["input_ids"]
    assert np.abs(loaded.word_vectors(["paris"])[0] - (table[inside] - table.mean(axis=0))).max() < 1e-6


def test_word_vectors_need_input_embeddings(tmp_path):
    loaded = encoder(tiny_checkpoints.static(tmp_path / "static"))
    with pytest.raises(ValueError, match=r"needs the model's input embeddings of word pieces, but static@\w{8} has"):
        loaded.word_vectors(["paris"])


@pytest.fixture(scope="module")
def sample():
    rows = [row for _, row in read_rows(evaluate_qa.sample_path())]
    return {"predictions": [row["prediction"] for row in rows], "references": [row["references"] for row in rows]}


def smile(**options):
    return evaluate_qa.load("smile", device="cpu", **options)


def test_each_text_is_embedded_once_and_none_in_the_next_call(tiny, sample, tmp_path):
    metric = smile(model=tiny, cache_dir=str(tmp_path))
    metric.prepare(metric.options())
    passes = Passes(metric.model)
    first = metric.compute(**sample)
    (store,) = tmp_path.glob("vectors/*.sqlite")  # each text has one entry
    with closing(sqlite3.connect(store)) as connection:
        assert connection.execute("SELECT count(*) FROM entries").fetchone() == (passes.rows,)
    again = smile(model=tiny, cache_dir=str(tmp_path))
    again.prepare(again.options())
    passes = Passes(again.model)
    assert again.compute(**sample) == first
    assert passes.rows == 0
    smile(model=tiny, cache_dir=str(tmp_path), dtype="bfloat16").compute(**sample)
    assert len(list(tmp_path.glob("vectors/*.sqlite"))) == 2
    without = smile(model=tiny).compute(**sample)
    assert np.allclose(without["per_example"]["score"], first["per_example"]["score"], atol=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"w": 0},
        {"similarity": "cosine", "exact_match": "fraction"},
        {"combine": "harmonic"},
        {"ngram_candidates": 2},
    ],
    ids=str,
)
def test_skipping_ngrams_of_hopeless_pairs_changes_no_score(tiny, sample, options):
    metric = smile(model=tiny)
    passes = Passes(metric.model)
    found = metric.compute(**sample, **options)["per_example"]
    bounded, passes.shapes = passes.rows, []
    every = metric.features(options=metric.options(**options), **metric.check_columns(sample))
    assert bounded < passes.rows
    for name, values in vars(score(every, metric.options(**options))).items():
        if name not in ("best_ngram", "bin"):  # rounding decides between equally near n-grams, and at the edge of a bin
            assert np.allclose(np.array(found[name], dtype=float), values, rtol=0, atol=1e-6), name
