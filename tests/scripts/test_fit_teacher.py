"""A teacher: its head, what a matcher learns from it, and whole runs of both with `evaluate-qa fit`."""

import json
import math

import numpy as np
import pytest
from commands import run_command
from tiny_mpnet import save_tiny_mpnet

from evaluate_qa.metrics._shared.checkpoints import MINILM, find_checkpoint
from evaluate_qa.metrics._shared.matcher import read
from evaluate_qa.training.epochs import Course, backward, teachers_margins
from evaluate_qa.training.examples import TrainingExample
from evaluate_qa.training.learner import Learner, Teacher, TrainingBatch
from evaluate_qa.training.recipe import TrainingRecipe

EXAMPLES = [
    TrainingExample("where is it?", "it is in paris.", "paris", 1.0),
    TrainingExample("who?", "ada did, they say, long ago.", "charles", 0.0),
    TrainingExample("", "", "four", 0.0),
]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    """A folder with an MPNet of two small layers, as AutoModel loads it; its pairs have two separators."""
    words = "where who is it ? . in paris ada did , they say long ago charles four"
    return save_tiny_mpnet(tmp_path_factory.mktemp("tiny"), words, num_hidden_layers=2)


def margins(learner):
    (found,) = learner.margins(learner.encode(EXAMPLES), 512, bfloat16=False).values()
    return found


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
def test_margin_is_the_head_over_the_means_of_both_texts(tiny, family):
    """MPNet has two separators between texts. BERT has one, segments, and a pooler that the teacher ignores."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    folder = tiny if family == "mpnet" else find_checkpoint("fit", MINILM).folder
    teacher = scattered(Teacher(str(folder), TrainingRecipe(device="cpu")))
    weight, bias = (p.detach().numpy() for p in teacher.model(str(folder)).classifier.parameters())
    tokenizer, body = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    between = [tokenizer.sep_token_id] * (2 if family == "mpnet" else 1)
    for example, found in zip(EXAMPLES[:2], margins(teacher), strict=False):  # here without padding
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


def test_saved_teacher_is_read_with_its_encoder(tiny, tmp_path):
    recipe = TrainingRecipe(device="cpu", max_tokens=20)
    teacher = scattered(Teacher(str(tiny), recipe))
    teacher.save(tmp_path / "teacher.safetensors")
    again = Teacher.read(tmp_path / "teacher.safetensors", recipe)
    assert np.array_equal(margins(again), margins(teacher))
    assert np.ptp(margins(again)) > 0
    long = [TrainingExample("where?", "it is in paris . " * 20, "paris", 1.0)]
    assert len(again.encode(long)[str(tiny)][0][0]) == 20


def test_teacher_learns_from_a_head_of_zeros(tiny):
    """A head of zeros gives every answer .5, a loss of ln 2. Sixty steps separate three examples.

    The entropy of the smoothed labels .975 and .025 is .117, the lowest possible loss.
    """
    recipe = TrainingRecipe(device="cpu", learning_rate=1e-3)
    teacher = Teacher(str(tiny), recipe)
    course = Course(teacher, recipe)
    batch = TrainingBatch(teacher.encode(EXAMPLES), [example.label for example in EXAMPLES], [math.nan] * 3)
    losses = [course.step(batch, done=0.1).item() for _ in range(60)]
    assert losses[0] == pytest.approx(math.log(2), abs=1e-5)
    assert losses[-1] < 0.2


class ConstantLearner(Learner):
    """Returns the same margin for every example, in the languages that it reads."""

    encoder = save = None

    def __init__(self, margin, *languages):
        self.classifiers, self._margin, self._languages = {"": None}, margin, languages

    def reads(self, language):
        """Return whether the language is one of the given ones."""
        return language in self._languages

    def encode(self, examples):
        """Return empty inputs."""
        return {"": [((), ()) for _ in examples]}

    def margin(self, task, inputs, bfloat16):
        """Return the constant margins."""
        import torch

        return torch.full((len(inputs),), self._margin)


@pytest.mark.parametrize(
    ("teachers", "expected"),
    [
        # Labels smoothed by .05 are .975 and .025. A margin of ln 3 is a probability of .75, and the target is the mean
        # of both if they agree, (.975 + .75) / 2, else the label; .75 without a label; the label if it is not read.
        ([ConstantLearner(math.log(3), "en")], [0.8625, 0.025, 0.75, 0.975, math.nan]),
        # Both read English: the mean of ln 3 and −ln 3 is 0, a half. One reads German, with .25: against the label.
        (
            [ConstantLearner(math.log(3), "en"), ConstantLearner(-math.log(3), "en", "de")],
            [0.7375, 0.2625, 0.5, 0.975, 0.25],
        ),
    ],
)
def test_target_is_the_mean_of_label_and_teachers_that_agree(teachers, expected):
    import torch

    class Pupil(ConstantLearner):
        def margin(self, task, inputs, bfloat16):
            self.zeros = torch.zeros(len(inputs), requires_grad=True)
            return self.zeros

    rows = [(1.0, "en"), (0.0, "en"), (math.nan, "en"), (1.0, "de"), (math.nan, "de")]
    examples = [TrainingExample("", "", "", label, language) for label, language in rows]
    taught = teachers_margins(teachers, examples, TrainingRecipe())
    pupil = Pupil(0.0)
    backward(pupil, TrainingBatch(pupil.encode(examples), [label for label, _ in rows], taught))
    # The gradient of the mean cross-entropy at a margin of 0 is (1/2 − target) / n.
    assert (0.5 - pupil.zeros.grad * len(rows)).tolist() == pytest.approx(expected, nan_ok=True)


@pytest.fixture
def fit(tmp_path):
    """Runs the command on three answers to each of 13 questions, with a recipe that has these fields."""
    rows = [
        {"question": f"where is {n}?", "references": [f"in {n} streets"], "prediction": answer, "verdict": k < 2}
        for n in range(13)
        for k, answer in enumerate((f"in {n} streets", f"it is in {n} streets .", f"in paris, {n + 1}"))
    ]
    own = tmp_path / "own.jsonl"
    own.write_text("\n".join(map(json.dumps, rows)))

    def run(output, *arguments, code=0, **fields):
        recipe = tmp_path / f"{output.stem}.yaml"
        common = {"device": "cpu", "data": [str(own)], "epochs": 1, "mixture": {"padded": 0}, "token_budget": 512}
        common |= {"balance": {"rows": 9}}
        recipe.write_text(json.dumps({**common, **fields}, default=str))
        return run_command("fit", "bem", "-o", output, "--recipe", recipe, *arguments, code=code)

    return run


@pytest.mark.slow
def test_matcher_learns_from_a_teacher(tiny, fit, tmp_path):
    teacher, further, matcher, alone = (
        tmp_path / f"{name}.safetensors" for name in ("teacher", "further", "matcher", "alone")
    )
    result = fit(teacher, encoder=tiny, epochs=2)
    assert "teacher, on held-out questions" in result.output
    assert [file.name for file in tmp_path.glob("*.safetensors")] == ["teacher.safetensors"]
    fit(further, encoder=tiny, start=teacher)
    before, after = (Teacher.read(file, TrainingRecipe(device="cpu")) for file in (teacher, further))
    assert not np.array_equal(margins(before), margins(after))
    fit(matcher, teachers=[teacher, further], balance={"rows": 9, "pairs": 8})
    assert set(read(matcher).weights) == {"bem"}
    # Without the teachers, the same run learns something else.
    fit(alone)
    assert not np.array_equal(read(matcher).heads["bem"][0], read(alone).heads["bem"][0])


def test_teacher_of_another_encoder_is_refused(tiny, tmp_path):
    from safetensors.torch import save_file

    file = tmp_path / "t.safetensors"
    save_file({}, file, metadata={"encoder": str(tiny)})
    with pytest.raises(ValueError, match=r"does not fit the encoder .*, which has changed; train the teacher again"):
        Teacher.read(file, TrainingRecipe(device="cpu"))
