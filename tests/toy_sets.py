"""Small sets of sentence pairs and of judged answers, in files as the real ones."""

import gzip
import json

from evaluate_qa.datasets_scripts.evouna.rows import SYSTEMS
from evaluate_qa.dev.accelerator.sentence_pairs import PAIRS
from evaluate_qa.dev.accelerator.verdicts import REPORTED, TRAINED

NOUNS, PLACES = ["cat", "dog", "bird", "fish"], ["mat", "tree", "park", "pond"]
TEXTS = [(f"the {noun} is in the {place}", noun, place) for noun in NOUNS for place in PLACES]


def lines(file, rows):
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(gzip.compress("".join(f"{json.dumps(row)}\n" for row in rows).encode()))


def toy_sets(root):
    """Write all sets of pairs and of judged answers."""
    for name in " ".join(PAIRS.values()).split():
        rows = []
        for text, noun, place in TEXTS:
            wrong = "not_entailment" if name == "hans" else "contradiction"
            for hypothesis, label in ((f"a {noun}", "entailment"), (f"it is not in the {place}", wrong)):
                rows.append({"premise": f"{text} {name}", "hypothesis": hypothesis, "label": label})
        lines(root / "pairs" / f"{name}.jsonl.gz", rows)
    for name in (*TRAINED, *REPORTED):
        rows = []
        for n, (text, noun, place) in enumerate(TEXTS):
            row = {"question": f"where is {name} {noun} {n}", "references": [f"in the {place}"], "group": n}
            rows.append(row | {"prediction": f"on the {PLACES[n % 4 - 1]}", "label": 0})
            if name not in ("opentriviaqa_wrong", "halueval_qa_small", "stepverify"):
                rows += [row | {"prediction": text, "score": 1.0}, row | {"prediction": "who", "score": 0.5}]
        lines(root / "verdicts" / f"{name}.jsonl.gz", rows)


def evouna_question(**changed):
    """A question of EVOUNA's files, which every system answered with "Paris", judged correct; or with other fields."""
    question = {"question": "capital of france", "golden_answer": "Paris/the capital", "improper": False}
    for system in SYSTEMS:
        question |= {f"answer_{system}": "Paris", f"judge_{system}": True}
    return question | changed


def write_evouna(folder, nq, tq, split=None):
    """Write EVOUNA's files with these questions, and the file that splits them, if given; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("NQ", nq), ("TQ", tq), ("split", split)):
        if content is not None:
            (folder / f"{name}.json").write_text(json.dumps(content))
    return folder
