"""A teacher: its head, what a matcher learns of it, and whole runs of `evaluate-qa fit teacher` and of its pupil."""

import json
import math
import random
import re
from dataclasses import fields

import numpy as np
import pytest
from typer.testing import CliRunner

from evaluate_qa.cli import app
from evaluate_qa.labeled_data.rows import LabeledRow
from evaluate_qa.metrics._shared.checkpoints import MINILM, find
from evaluate_qa.metrics._shared.matcher import read
from evaluate_qa.training.balance import Balance, Balanced, Pool
from evaluate_qa.training.epochs import Course, backward
from evaluate_qa.training.examples import Example, Generator, Mixture
from evaluate_qa.training.learner import Batch, Learner
from evaluate_qa.training.recipe import Recipe
from evaluate_qa.training.teacher import Teacher, sets_of

EXAMPLES = [
    Example("where is it?", "it is in paris.", "paris", 1.0),
    Example("who?", "ada did, they say, long ago.", "charles", 0.0),
    Example("", "", "four", 0.0),
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A folder with an MPNet of two small layers, as AutoModel loads it; its pairs have two separators."""
    from transformers import MPNetConfig, MPNetModel, MPNetTokenizer

    words = "where who is it ? . in paris ada did , they say long ago charles four"
    vocabulary = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>", *words.split()]
    folder = tmp_path_factory.mktemp("tiny")
    MPNetTokenizer(vocab={word: number for number, word in enumerate(vocabulary)}).save_pretrained(folder)
    sizes = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32}
    config = MPNetConfig(vocab_size=len(vocabulary), max_position_embeddings=66, pad_token_id=1, **sizes)
    MPNetModel(config).save_pretrained(folder)
    return folder


def batch_of(learner, examples):
    return Batch(learner.encode(examples), [e.label for e in examples], [e.language for e in examples])


def margins(learner, examples=EXAMPLES):
    import torch

    (name,) = learner.classifiers
    with torch.no_grad():
        return learner.margin(name, batch_of(learner, examples), half=False).numpy()


def scattered(teacher):
    """The teacher with a head of random numbers, which begins at 0."""
    import torch

    (name,) = teacher.classifiers
    torch.nn.init.normal_(teacher.model(name).classifier.weight, generator=torch.Generator().manual_seed(3))
    teacher.train(False)
    return teacher


def scaled(vector):
    return vector / np.sqrt((vector**2).mean() + 1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("family", ["mpnet", "bert"])
def test_the_margin_is_that_of_the_head_over_the_means_of_both_texts(tiny, family):
    """MPNet parts two texts by two separators; BERT by one, and has segments and a pooler, which is not read."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = tiny if family == "mpnet" else find("fit", MINILM).folder
    teacher = scattered(Teacher(str(folder), Recipe(device="cpu")))
    weight, bias = (p.detach().numpy() for p in teacher.model(str(folder)).classifier.parameters())
    tokenizer, body = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    between = [tokenizer.sep_token_id] * (2 if family == "mpnet" else 1)
    for example, found in zip(EXAMPLES[:2], margins(teacher), strict=False):  # alone here, with padding there
        texts = (example.answer, example.reference, example.question)
        a, r, q = (tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts)
        first = [tokenizer.cls_token_id, *a, *between]
        second = [*r, between[0], *q, between[0]]
        types = {} if family == "mpnet" else {"token_type_ids": torch.tensor([[0] * len(first) + [1] * len(second)])}
        with torch.no_grad():
            read = body(torch.tensor([first + second]), **types).last_hidden_state[0].numpy()
        u, v = read[1 : 1 + len(a)].mean(0), read[len(first) : len(first) + len(r)].mean(0)
        c, u, v = scaled(read[0]), scaled(u), scaled(v)
        logits = weight @ np.concatenate([c, abs(u - v), u * v, [10 * (u * v).mean()]]) + bias
        assert found == pytest.approx(logits[1] - logits[0], rel=1e-3, abs=1e-3)
    assert not any("pooler" in name or "word_embeddings" in name for name in teacher.parameters())


def test_what_is_written_is_read_again_with_its_encoder(tiny, tmp_path):
    recipe = Recipe(device="cpu", max_tokens=20)
    teacher = scattered(Teacher(str(tiny), recipe))
    teacher.save(tmp_path / "teacher.safetensors")
    again = Teacher.read(tmp_path / "teacher.safetensors", recipe)
    assert np.array_equal(margins(again), margins(teacher))
    assert np.ptp(margins(again)) > 0
    long = [Example("where?", "it is in paris . " * 20, "paris", 1.0)]
    assert len(again.encode(long)[str(tiny)][0][0]) == 20


def test_it_learns_from_a_head_of_zeros(tiny):
    """A head that begins at 0 gives every answer a half, a loss of ln 2; sixty steps tell three examples apart."""
    recipe = Recipe(device="cpu", learning_rate=1e-3, smoothing=0.0)
    teacher = Teacher(str(tiny), recipe)
    course, batch = Course(teacher, recipe), batch_of(teacher, EXAMPLES)
    losses = [course.step(batch, [], done=0.1).item() for _ in range(60)]
    assert losses[0] == pytest.approx(math.log(2), abs=1e-5)
    assert losses[-1] < 0.1


class Sure(Learner):
    """Says the same of every example, in the languages that it reads."""

    encoder = save = None

    def __init__(self, margin, *languages):
        self.classifiers, self._margin, self._languages = {"": None}, margin, languages

    def reads(self, language):
        """As `Learner.reads`."""
        return language in self._languages

    def margin(self, task, batch, half):
        """As `Learner.margin`."""
        import torch

        return torch.full((len(batch.labels),), self._margin)


@pytest.mark.parametrize(
    ("teachers", "expected"),
    [
        # Labels smoothed by a tenth are .95 and .05; a margin of ln 3 is a probability of .75, and half of what is
        # learned: (.95 + .75) / 2, (.05 + .75) / 2; .75 where there is no label; the label in a language not read.
        ([Sure(math.log(3), "en")], [0.85, 0.4, 0.75, 0.95, None]),
        # Both read English: the mean of ln 3 and −ln 3 is 0, a half. One reads German: (.95 + .25) / 2, and .25.
        ([Sure(math.log(3), "en"), Sure(-math.log(3), "en", "de")], [0.725, 0.275, 0.5, 0.6, 0.25]),
    ],
)
def test_what_is_learned_of_teachers(teachers, expected):
    import torch

    class Pupil(Sure):
        def margin(self, task, batch, half):
            self.margins = torch.zeros(len(batch.labels), requires_grad=True)
            return self.margins

    told = [(1.0, "en"), (0.0, "en"), (math.nan, "en"), (1.0, "de"), (math.nan, "de")]
    rows = [pair for pair, wanted in zip(told, expected, strict=True) if wanted is not None]
    wanted = [value for value in expected if value is not None]
    pupil = Pupil(0.0)
    batch = Batch({}, [label for label, _ in rows], [language for _, language in rows])
    backward(pupil, batch, teachers, Recipe(smoothing=0.1, teaching=0.5))
    # The gradient of the mean cross-entropy at a margin of 0 is (1/2 − target) / n.
    assert (0.5 - pupil.margins.grad * len(rows)).tolist() == pytest.approx(wanted)


def test_pairs_are_an_answer_and_another_to_its_question():
    def row(question, answer, label):
        return LabeledRow(question, question, ["four"], answer, label, frozenset(), language="de")

    long = "and so on " * 20
    rows = [row("a", "one", 0.0), row("a", "two", 1.0), row("a", " ", 0.0), row("a", long, 0.0), row("b", "two", 1.0)]
    mixture = Mixture(**{field.name: 0.0 for field in fields(Mixture)})
    found = Generator(rows, mixture).pairs(40, random.Random(0))
    assert {(e.question, e.answer, e.reference) for e in found} == {
        ("a", "one", "two"),
        ("a", "two", "one"),
        ("a", long, "one"),
        ("a", long, "two"),
    }
    assert len(found) == 40
    assert all(math.isnan(e.label) and e.language == "de" for e in found)
    pools = [Pool(Generator(kept, mixture), "own") for kept in (rows, rows[-1:])]  # the second has none to give
    # Of 12 the first's share is √5 / (√5 + 1) = .69, 8 pairs; with the 6 labelled answers there are 14 examples.
    epoch = Balanced(pools, Balance(pairs=12)).epoch(1)
    assert [sum(math.isnan(e.label) for e in epoch), len(epoch)] == [8, 14]
    assert epoch != Balanced(pools, Balance(pairs=12)).epoch(2)


@pytest.fixture
def own(tmp_path):
    """Rows of one's own: three answers to each of thirteen questions."""
    rows = [
        {"question": f"where is {n}?", "references": [f"in {n} streets"], "answer": answer, "verdict": k < 2}
        for n in range(13)
        for k, answer in enumerate((f"in {n} streets", f"it is in {n} streets .", f"in paris, {n + 1}"))
    ]
    file = tmp_path / "own.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)))
    return file


def fit(*arguments):
    return CliRunner().invoke(app, ["fit", *map(str, arguments)])


@pytest.mark.slow
def test_a_teacher_is_trained_and_a_matcher_learns_from_it(tiny, own, tmp_path):
    teacher, further, matcher = (tmp_path / f"{name}.safetensors" for name in ("teacher", "further", "matcher"))
    short = ["--data", own, "--epochs", 2, "--device", "cpu", "--mix", "padded=0"]
    result = fit("teacher", "-o", teacher, "--encoder", tiny, *short)
    assert result.exit_code == 0, result.output
    assert "teacher, on questions held out" in result.output
    # A fifth of the thirteen questions, 3, are for the figures, with three answers each; 2 choose the epoch.
    assert re.search(r"own +│ +9 │ +0.67 │", result.output)
    assert [file.name for file in tmp_path.glob("*.safetensors")] == ["teacher.safetensors"]
    result = fit("teacher", "-o", further, "--start", teacher, *short)
    assert result.exit_code == 0, result.output
    assert [sets_of(file) for file in (teacher, further)] == [["own"]] * 2
    before, after = (Teacher.read(file, Recipe(device="cpu")) for file in (teacher, further))
    assert not np.array_equal(margins(before), margins(after))
    shown = ["--frozen", 5, "--pairs", 8, "--token-budget", 512]
    result = fit("bem", "-o", matcher, "--teacher", teacher, "--teacher", further, *short, *shown)
    assert result.exit_code == 0, result.output
    assert set(read(matcher).weights) == {"bem"}
    # The same without what the teachers say learns something else.
    alone = fit("bem", "-o", tmp_path / "alone.safetensors", *short, *shown[:2], *shown[4:])
    assert alone.exit_code == 0, alone.output
    assert not np.array_equal(read(matcher).heads["bem"][0], read(tmp_path / "alone.safetensors").heads["bem"][0])


@pytest.mark.slow
def test_a_teacher_whose_figures_were_interrupted_is_not_trained_again(tiny, own, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    output = tmp_path / "teacher.safetensors"
    arguments = ["teacher", "-o", output, "--encoder", tiny, "--data", own, "--epochs", 1, "--device", "cpu"]
    with monkeypatch.context() as patched:
        patched.setattr(Teacher, "read", interrupted)
        result = fit(*arguments)
    assert result.exit_code != 0
    assert "epoch 1: loss" in result.output
    result = fit(*arguments)
    assert result.exit_code == 0, result.output
    assert "epoch 1: loss" not in result.output
    assert {file.name for file in tmp_path.iterdir()} == {"teacher.safetensors", "own.jsonl"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bem", "--pairs", 5], "which nobody labelled: give a --teacher that judges them"),
        (["bem", "--encoder", "tiny"], "--encoder tiny is a teacher's; expected: fit teacher"),
        (["teacher", "--leave-one-out"], "--leave-one-out trains matchers"),
        (["teacher", "--encoder", "{tiny}", "--teacher", "{teacher}"], "--average and --teacher are for matchers"),
        (["teacher", "--start", "{matcher}"], "no teacher of this version"),
        (["teacher", "--encoder", "{tiny}", "--start", "{teacher}"], "says which encoder it has; give no --encoder"),
        (["bem", "--start", "{teacher}"], "is a teacher"),
        (
            ["bem", "--data", "saf", "--leave-out", "saf/English", "--teacher", "{teacher}"],
            "was trained on saf/English",
        ),
        (
            ["bem", "--data", "saf", "--leave-one-out", "--leave-out", "saf", "--teacher", "{teacher}"],
            "trained on saf,",
        ),
        (["teacher", "--encoder", "no/such"], "no/such"),
        (["bem", "--pairs", -1], "pairs is -1; expected 0 or more"),
        (["teacher", "--frozen", 3], "frozen is 3, which is for matchers; all layers of a teacher are trained"),
    ],
)
def test_what_does_not_go_together_is_told(tiny, own, tmp_path, arguments, message):
    places = {"tiny": tiny, "teacher": tmp_path / "t.safetensors", "matcher": tmp_path / "m.safetensors"}
    places["matcher"].write_bytes(b"")
    Teacher(str(tiny), Recipe(device="cpu"), ["saf/English", "traps"]).save(places["teacher"])
    result = fit(*(str(part).format(**places) for part in arguments), "-o", tmp_path / "o.safetensors", "--data", own)
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())


def test_a_teacher_of_another_encoder_is_refused(tiny, tmp_path):
    from safetensors.torch import save_file

    file = tmp_path / "t.safetensors"
    save_file({}, file, metadata={"encoder": str(tiny)})
    with pytest.raises(ValueError, match=r"is of another encoder than .* is now; train the teacher again"):
        Teacher.read(file, Recipe(device="cpu"))
