"""Parity with the released SMILE program: 500 rows of its output (settings in the oracle's `meta`)."""

import json
import shutil
from pathlib import Path

import evaluate
import evaluate_qa
import pytest
from debian import install

# WordNet's table of lexicographer files, which NLTK wants and Debian's package leaves out.
_LEXICOGRAPHER_FILES = {
    "noun": "Tops act animal artifact attribute body cognition communication event feeling food group location motive "
    "object person phenomenon plant possession process quantity relation shape state substance time",
    "verb": "body change cognition communication competition consumption contact creation emotion motion perception "
    "possession social stative weather",
}


@pytest.fixture(scope="module")
def oracle(shared):
    return json.loads((shared / "oracles/smile_public.json").read_text())["rows"]


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory):
    """NLTK's data folder with Debian's WordNet files, which are installed where that is possible."""
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
    metric = evaluate.load(evaluate_qa.path("smile"))
    return metric.compute(
        predictions=[row["prediction"] for row in oracle],
        references=[row["reference"] for row in oracle],
        similarity="cosine",
        exact_match="fraction",
        lemmatizer="wordnet-noun",
    )["per_example"]


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
    assert len(oracle) == 500
    assert not off


def test_the_best_ngram(oracle, scored):
    """Where two n-grams are equally near, either may be named: the words agree, the order of embedding does not."""
    agree = sum(row["ngram"] == ngram for row, ngram in zip(oracle, scored["best_ngram"], strict=True))
    assert agree >= 495


def test_the_semantic_score_needs_no_lemmatiser(oracle):
    metric = evaluate.load(evaluate_qa.path("smile"))
    rows = oracle[:50]
    scored = metric.compute(
        predictions=[row["prediction"] for row in rows],
        references=[row["reference"] for row in rows],
        similarity="cosine",
    )["per_example"]
    assert scored["semantic"] == pytest.approx([row["sent"] for row in rows], abs=1e-4)
