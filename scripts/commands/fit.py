"""`evaluate-qa fit`: train the matchers that come with BEM and NLI+lex, on data sets or on rows of one's own."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..terminal import open_console, options_of, told_errors

if TYPE_CHECKING:
    from rich.console import Console

    from ..training.job import Job

_ENCODER = "sentence-transformers/all-mpnet-base-v2"
# The highest learning rates: of matchers on sets, of those on one's own rows alone, and of teachers.
_RATE, _OWN_RATE, _TEACHERS_RATE = 1e-4, 3e-5, 5e-5

_data, _how, _out = map(options_of, ("Labelled answers", "Training", "Choosing among recipes"))


def fit(
    metric: Annotated[
        Literal["bem", "nli_lex", "both", "teacher"],
        typer.Argument(help="Whose head; both share an encoder. A teacher is larger, for others to learn from."),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="The matcher's or teacher's file, *.safetensors.")],
    data: Annotated[
        list[str] | None,
        _data(
            "evouna, efficientqa, semeval2013, saf, traps (their training parts), written, natural (both by a language "
            "model), or a file with the columns question, references, prediction and label; by default evouna. "
            "Repeatable."
        ),
    ] = None,
    data_dir: Annotated[
        Path | None, _data("Folder with the data sets' source files, instead of downloading them.")
    ] = None,
    limit: Annotated[int | None, _data("The first so many questions of each part only, to try it.")] = None,
    rows: Annotated[
        int | None,
        _data(
            "Answers an epoch draws of all sets, half of them right; by default all, and of a single set as they are."
        ),
    ] = None,
    temperature: Annotated[
        float, _data("A set's share in them is its size to this power: 0 for equal shares, 1 for shares by size.")
    ] = 0.5,
    epochs: Annotated[int, _how("Each with its own examples.")] = 5,
    seed: Annotated[int, _how("Of examples, batches and dropout.")] = 0,
    learning_rate: Annotated[
        float | None, _how("The highest; by default 1e-4, for your own rows alone 3e-5, for a teacher 5e-5.")
    ] = None,
    token_budget: Annotated[int, _how("Tokens of a batch.")] = 4096,
    max_tokens: Annotated[int, _how("Longer inputs are cut; at most 512, of a teacher what its encoder reads.")] = 384,
    mix: Annotated[
        list[str] | None, _how("name=share of a kind of made examples, such as near=0.5. Repeatable.")
    ] = None,
    teacher: Annotated[
        list[Path] | None, _how("A matcher, or what `fit teacher` wrote, to learn from beside the labels. Repeatable.")
    ] = None,
    pairs: Annotated[
        int,
        _how("With --teacher: pairs of answers an epoch draws that nobody labelled; it judges them in English."),
    ] = 0,
    encoder: Annotated[
        str | None, _how(f"The teacher's: a folder, or a name on the Hub; by default {_ENCODER} or that of --start.")
    ] = None,
    start: Annotated[
        Path | None,
        _how("A matcher to train on from; by default MiniLM, for your own rows alone the one that is installed."),
    ] = None,
    average: Annotated[list[Path] | None, _how("Do not train: take the mean of these matchers. Repeatable.")] = None,
    layer: Annotated[
        list[str] | None,
        _how("With --average: fit this final layer anew (lengths, …), the others stay the first's. Repeatable."),
    ] = None,
    device: Annotated[str | None, _how("cpu, cuda, mps; by default the best there is.")] = None,
    half: Annotated[bool, _how("Compute in bfloat16 where that is safe.", "--half")] = False,
    frozen: Annotated[int, _how("So many of a matcher's six layers, from below, stay as they are.")] = 0,
    leave_out: Annotated[
        list[str] | None, _out("Train without this set, such as evouna, saf or saf/German. Repeatable.")
    ] = None,
    leave_one_out: Annotated[
        bool,
        _out(
            "Train without each set in turn (or each --leave-out) and test on it; the figures go to OUTPUT's "
            ".left-out.json, run by run.",
            "--leave-one-out",
        ),
    ] = False,
    tested: Annotated[
        int | None, _out("Compute figures on at most so many answers of each set; by default all.")
    ] = None,
) -> None:
    """Train a matcher on the sets' train questions; choose its epoch and fit its final layers on their dev questions.

    It is used as any other model: evaluate.load("bem", model="mine.safetensors").

    fit teacher trains a larger encoder on the sets' English answers; fit both --teacher FILE --pairs 15000 then learns
    from what it says of their answers, also of pairs that nobody labelled.

    Of rows of your own two fifths of the questions are held out: half of them for dev, half for the figures that are
    printed. Each epoch's matcher is kept beside the output. What was interrupted resumes when it is run again.
    """
    console = open_console(stderr=True)
    with told_errors("fit"):
        from evaluate_qa.metrics._shared.matcher import find

        from ..files.claiming import claimed
        from ..options import parse_options
        from ..training.balance import Balance
        from ..training.examples import Mixture
        from ..training.job import Job
        from ..training.recipe import Recipe
        from ..training.sources import KNOWN

        data = data or ["evouna"]
        teaches = metric == "teacher"
        if encoder and not teaches:
            raise ValueError(f"--encoder {encoder} is a teacher's; expected: fit teacher")
        if encoder and start:
            raise ValueError(f"--start {start} says which encoder it has; give no --encoder")
        if teaches and leave_one_out:
            raise ValueError("--leave-one-out trains matchers; a teacher goes without what --leave-out names")
        own = not any(name in KNOWN for name in data) and start is None and not teaches
        if learning_rate is None:
            learning_rate = _TEACHERS_RATE if teaches else _OWN_RATE if own else _RATE
        tasks = ("bem", "nli_lex") if metric == "both" else (metric,)
        job = Job(
            data_dir=data_dir,
            output=output,
            recipe=Recipe(
                tasks,
                epochs,
                learning_rate,
                token_budget,
                max_tokens,
                seed=seed,
                device=device,
                half=half,
                frozen=frozen,
            ),
            mixture=Mixture(**parse_options(mix or [])),
            teachers=teacher or [],
            encoder=(encoder or _ENCODER) if teaches else None,
            start=find("fit") if own else start,
            average=average or [],
            limit=limit,
            data=data,
            balance=Balance(rows, temperature, pairs),
            left_out=() if leave_one_out else leave_out or (),
            tested=tested,
            layers=layer,
        )
        with claimed(output):
            if leave_one_out:
                _leave_one_out(job, leave_out or [], console)
            else:
                _train(job, console)


def _train(job: "Job", console: "Console") -> None:
    from ..training.report import tables, teachers_table
    from ..training.run import run, run_compared

    outcome = run(job, console.print)
    if job.encoder:
        console.print(teachers_table(outcome.figures["teacher"]))
    else:
        for table in tables("on questions held out, before → after", run_compared(job), outcome.figures):
            console.print(table)
        console.print(f"before: {job.compared}", markup=False, soft_wrap=True)
    console.print(f"written: {job.output}", markup=False, soft_wrap=True)
    job.forget(epochs=job.encoder is not None)


def _leave_one_out(job: "Job", names: list[str], console: "Console") -> None:
    from ..training.left_out import leave_one_out, left_out_file
    from ..training.report import left_out_tables, told_means

    record = leave_one_out(job, names, console.print)
    for table in left_out_tables(record):
        console.print(table)
    for line in told_means(record):
        console.print(line, markup=False)
    console.print(f"before: {job.compared}", markup=False, soft_wrap=True)
    console.print(f"written: {left_out_file(job.output)}", markup=False, soft_wrap=True)
