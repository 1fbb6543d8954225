"""Scores equal those of the released SMILE program (settings in `meta` of the oracles).

On the sample and, if the developers' data are available, on 500 rows.
"""

import hashlib
import json
import shutil
import unicodedata
from pathlib import Path

import pytest
from debian import install

import evaluate_qa

# WordNet's table of lexicographer files, which NLTK needs and Debian's package lacks.
_LEXICOGRAPHER_FILES = {
    "noun": "Tops act animal artifact attribute body cognition communication event feeling food group location motive "
    "object person phenomenon plant possession process quantity relation shape state substance time",
    "verb": "body change cognition communication competition consumption contact creation emotion motion perception "
    "possession social stative weather",
}


@pytest.fixture(scope="module")
def oracle(shared):
    return json.loads((shared / "oracles/smile_public.json").read_text())["rows"][::2]


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory):
    """NLTK's data folder with Debian's WordNet files, which are installed if possible."""
    source = Path("/usr/share/wordnet")
    files = [source / "data.noun", source / "index.sense"]
    if not all(path.exists() for path in files):
        install("wordnet-base", "wordnet-sense-index")
    if not all(path.exists() for path in files):
        pytest.skip("needs WordNet's files (Debian's packages wordnet-base and wordnet-sense-index)")
    folder = tmp_path_factory.mktemp("nltk_data") / "corpora/wordnet"
    shutil.copytree(source, folder, ignore=shutil.ignore_patterns("pixmaps", "bin", "wnres"))
    for name in ("noun.exc", "verb.exc", "adj.exc", "adv.exc"):
        (folder / name).touch()
    names = ["adj.all", "adj.pert", "adv.all"]
    names += [f"{pos}.{name}" for pos, rest in _LEXICOGRAPHER_FILES.items() for name in rest.split()] + ["adj.ppl"]
    number = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}
    lines = [f"{i:02d}\t{name}\t{number[name.split('.')[0]]}\n" for i, name in enumerate(names)]
    (folder / "lexnames").write_text("".join(lines))
    import nltk

    nltk.data.path.insert(0, str(folder.parent.parent))
    yield
    nltk.data.path.pop(0)


@pytest.fixture(scope="module")
def scored(oracle, wordnet):
    metric = evaluate_qa.load("smile")
    return metric.compute(
        predictions=[row["prediction"] for row in oracle],
        references=[row["reference"] for row in oracle],
        similarity="cosine",
        exact_match="fraction",
        lemmatizer="wordnet-noun",
        typed=False,
    )["per_example"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("component", "field"),
    [
        ("semantic", "sent"),
        ("ngram_similarity", "kwd_emb"),
        ("exact_match", "frac"),
        ("lexical", "kwd"),
        ("score", "avg"),
    ],
)
def test_every_component_of_every_row(oracle, scored, component, field):
    off = [
        (row["reference"], row[field], value)
        for row, value in zip(oracle, scored[component], strict=True)
        if abs(row[field] - value) > 1e-4
    ]
    assert len(oracle) == 250
    assert not off


@pytest.mark.slow
def test_the_best_ngram(oracle, scored):
    """Either of two equally near n-grams may be returned."""
    agree = sum(row["ngram"] == ngram for row, ngram in zip(oracle, scored["best_ngram"], strict=True))
    assert agree >= 248


@pytest.fixture(scope="module")
def sample_oracle():
    return json.loads(Path(__file__).with_name("smile_sample.json").read_text())


@pytest.fixture(scope="module")
def sample(sample_oracle):
    """The rows of the sample that the program scored; they must not have changed."""
    lines = evaluate_qa.sample_path().read_text(encoding="utf-8").split("\n")
    rows = [json.loads(lines[number]) for number in sample_oracle["row"]]
    digests = [hashlib.sha1(row["prediction"].encode()).hexdigest()[:10] for row in rows]
    assert digests == sample_oracle["prediction_sha1"]
    return rows


@pytest.fixture(scope="module")
def score_sample(sample, tmp_path_factory):
    """Score the sample with the program's options and more; each text is embedded once."""
    metric = evaluate_qa.load("smile", cache_dir=str(tmp_path_factory.mktemp("vectors")))
    return lambda **options: metric.compute(
        predictions=[row["prediction"] for row in sample],
        references=[row["references"][0] for row in sample],
        similarity="cosine",
        exact_match="fraction",
        lemmatizer="none",
        typed=False,
        **options,
    )["per_example"]


def read_alike(row):
    """Whether the program splits a row's texts into the same words as the metric.

    The program treats Chinese text as one word, and combining marks, such as Devanagari's vowels, as punctuation.
    """
    text = row["prediction"] + row["references"][0]
    return not any(unicodedata.name(c, "").startswith("CJK") or unicodedata.category(c)[0] == "M" for c in text)


@pytest.mark.parametrize(
    ("options", "component", "field"),
    [
        ({}, "semantic", "sent"),
        ({}, "ngram_similarity", "kwd_emb"),
        ({}, "exact_match", "frac"),
        ({}, "score", "avg"),
        ({"combine": "harmonic"}, "score", "hm"),
    ],
)
def test_every_component_on_the_sample(sample, sample_oracle, score_sample, options, component, field):
    """For negative similarities, the program's harmonic mean is negative; the metric's is 0."""
    expected = sample_oracle[field] if field != "hm" else [max(value, 0.0) for value in sample_oracle[field]]
    compared = [
        (row["id"], *values)
        for row, *values in zip(sample, expected, score_sample(**options)[component], strict=True)
        if component == "semantic" or read_alike(row)
    ]
    assert len(compared) >= 125
    assert not [(name, theirs, ours) for name, theirs, ours in compared if abs(theirs - ours) > 1e-4]
