"""A teacher: its head, what a matcher learns from it, and whole runs of both with `evaluate-qa fit`."""

import json
import math
import random
import re
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest
from commands import run_command

from evaluate_qa.labeled_data.rows import LabeledRow
from evaluate_qa.metrics._shared.checkpoints import MINILM, find
from evaluate_qa.metrics._shared.matcher import Matcher, read, save
from evaluate_qa.training.balance import Balance, Balanced, ExamplePool
from evaluate_qa.training.epochs import Course, backward
from evaluate_qa.training.examples import Generator, Mixture, TrainingExample
from evaluate_qa.training.learner import Learner, TrainingBatch
from evaluate_qa.training.recipe import TrainingRecipe
from evaluate_qa.training.teacher import Teacher, sets_of

EXAMPLES = [
    TrainingExample("where is it?", "it is in paris.", "paris", 1.0),
    TrainingExample("who?", "ada did, they say, long ago.", "charles", 0.0),
    TrainingExample("", "", "four", 0.0),
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
    return TrainingBatch(learner.encode(examples), [e.label for e in examples], [e.language for e in examples])


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
    teacher = scattered(Teacher(str(folder), TrainingRecipe(device="cpu")))
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
    recipe = TrainingRecipe(device="cpu", max_tokens=20)
    teacher = scattered(Teacher(str(tiny), recipe))
    teacher.save(tmp_path / "teacher.safetensors")
    again = Teacher.read(tmp_path / "teacher.safetensors", recipe)
    assert np.array_equal(margins(again), margins(teacher))
    assert np.ptp(margins(again)) > 0
    long = [TrainingExample("where?", "it is in paris . " * 20, "paris", 1.0)]
    assert len(again.encode(long)[str(tiny)][0][0]) == 20


def test_it_learns_from_a_head_of_zeros(tiny):
    """A head that begins at 0 gives every answer a half, a loss of ln 2; sixty steps tell three examples apart."""
    recipe = TrainingRecipe(device="cpu", learning_rate=1e-3, label_smoothing=0.0)
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
    batch = TrainingBatch({}, [label for label, _ in rows], [language for _, language in rows])
    backward(pupil, batch, teachers, TrainingRecipe(label_smoothing=0.1, teacher_weight=0.5))
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
    pools = [ExamplePool(Generator(kept, mixture), "own") for kept in (rows, rows[-1:])]  # the second has none to give
    # Of 12 the first's share is √5 / (√5 + 1) = .69, 8 pairs; with the 6 labeled answers there are 14 examples.
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


@pytest.fixture
def fit(tmp_path, own):
    """Runs the command on the CPU with a recipe that has these fields."""

    def run(output, *arguments, code=0, **fields):
        recipe = tmp_path / f"{output.stem}.yaml"
        recipe.write_text(
            json.dumps({"data": [str(own)], "epochs": 1, "mixture": {"padded": 0}, **fields}, default=str)
        )
        return run_command("fit", "bem", "-o", output, "--recipe", recipe, "--device", "cpu", *arguments, code=code)

    return run


@pytest.mark.slow
def test_a_teacher_is_trained_and_a_matcher_learns_from_it(tiny, fit, tmp_path):
    teacher, further, matcher, alone = (
        tmp_path / f"{name}.safetensors" for name in ("teacher", "further", "matcher", "alone")
    )
    result = fit(teacher, kind="teacher", encoder=tiny, epochs=2)
    assert "teacher, on held-out questions" in result.output
    # A fifth of the thirteen questions, 3, are for the figures, with three answers each; 2 choose the epoch.
    assert re.search(r"own +│ +9 │ +0.67 │", result.output)
    assert [file.name for file in tmp_path.glob("*.safetensors")] == ["teacher.safetensors"]
    fit(further, kind="teacher", start=teacher)
    assert [sets_of(file) for file in (teacher, further)] == [["own"]] * 2
    before, after = (Teacher.read(file, TrainingRecipe(device="cpu")) for file in (teacher, further))
    assert not np.array_equal(margins(before), margins(after))
    short = {"frozen_layers": 5, "token_budget": 512}
    fit(matcher, teachers=[teacher, further], balance={"pairs": 8}, **short)
    assert set(read(matcher).weights) == {"bem"}
    # Without the teachers, the same run learns something else.
    fit(alone, **short)
    assert not np.array_equal(read(matcher).heads["bem"][0], read(alone).heads["bem"][0])


@pytest.mark.slow
def test_a_teacher_whose_figures_were_interrupted_is_not_trained_again(tiny, fit, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    output = tmp_path / "teacher.safetensors"
    with monkeypatch.context() as patched:
        patched.setattr(Teacher, "read", interrupted)
        result = fit(output, kind="teacher", encoder=tiny, code=130)
    assert "epoch 1: loss" in result.output
    result = fit(output, kind="teacher", encoder=tiny)
    assert "epoch 1: loss" not in result.output
    assert {file.name for file in tmp_path.iterdir()} == {"teacher.safetensors", "teacher.yaml", "own.jsonl"}


@pytest.mark.parametrize(
    ("arguments", "fields", "message"),
    [
        (
            [],
            {"kind": "teacher", "start": "m.safetensors"},
            "`start` is m.safetensors, which is not a teacher; give a file from a recipe with `kind: teacher`",
        ),
        (
            [],
            {"start": "t.safetensors"},
            "`start` is t.safetensors, which is a teacher, but the recipe trains a matcher; give a matcher or add "
            "`kind: teacher`",
        ),
        (
            [],
            {"kind": "teacher", "encoder": "tiny", "start": "t.safetensors"},
            "the recipe has both `start` and `encoder`, but the file to start from names its encoder; remove `encoder`",
        ),
        (
            [],
            {"kind": "teacher", "teachers": ["t.safetensors"]},
            "`teachers` is only for matchers, but the recipe trains a teacher; remove `teachers`",
        ),
        (
            [],
            {"kind": "teacher", "frozen_layers": 3},
            "`frozen_layers` is only for matchers, but the recipe trains a teacher; remove `frozen_layers`",
        ),
        (
            ["--leave-one-out"],
            {"kind": "teacher"},
            "--leave-one-out tests matchers, but the recipe trains a teacher; run without it",
        ),
        (
            ["--leave-one-out", "--data", "saf", "--data-dir", "."],
            {"teachers": ["t.safetensors"]},
            "the teacher t.safetensors was trained on saf/English, which --leave-one-out leaves out; train a teacher "
            "without it, or run without --leave-one-out",
        ),
    ],
)
def test_what_contradicts_is_refused(tiny, fit, saf_dir, monkeypatch, tmp_path, arguments, fields, message):
    monkeypatch.chdir(tmp_path)
    head = np.zeros((2, 1153), np.float32), np.zeros(2, np.float32)
    save(Matcher({}, {"bem": head}, {}), Path("m.safetensors"))
    Teacher(str(tiny), TrainingRecipe(device="cpu"), ["saf/English", "traps"]).save(Path("t.safetensors"))
    result = fit(Path("o.safetensors"), *arguments, code=1, **fields)
    assert result.output == f"evaluate-qa fit: {message}\n"


def test_a_teacher_of_another_encoder_is_refused(tiny, tmp_path):
    from safetensors.torch import save_file

    file = tmp_path / "t.safetensors"
    save_file({}, file, metadata={"encoder": str(tiny)})
    with pytest.raises(ValueError, match=r"does not fit the encoder .*, which has changed; train the teacher again"):
        Teacher.read(file, TrainingRecipe(device="cpu"))
