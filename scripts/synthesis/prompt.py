"""What a model is asked for a synthetic answer: `prompt.jinja` beside this file, in our own words, or another file."""

from collections.abc import Mapping
from pathlib import Path

from evaluate_qa.metrics._shared.arguments import clean
from evaluate_qa.metrics._shared.chat_models import Conversation
from evaluate_qa.metrics.judge.prompts import Prompt, parse_prompt, read_prompt

_OWN = Path(__file__).with_name("prompt.jinja")
_SAMPLE = {"question": "a question", "answer": "an answer"}


def load_prompt(file: Path | None) -> Prompt:
    """Return the prompt of a file, by default our own.

    Raises:
        ValueError: there is no such file, or it is not as a prompt must be.
    """
    file = file or _OWN
    if not file.is_file():
        raise ValueError(f"--prompt is {str(file)!r}; expected a file")
    try:
        prompt = parse_prompt(file.name, read_prompt(file), frozenset({"system", "source"}), _SAMPLE)
        if "answer" not in prompt.places:
            raise ValueError("it has no place for the answer: {{ answer }}")
    except ValueError as error:
        raise ValueError(f"--prompt {str(file)!r} cannot be used: {error}") from error
    return prompt


def settings(prompt: Prompt) -> Mapping[str, str]:
    """Return what is kept of a prompt beside the answers: a hash, by which another one is noticed, and its text."""
    return {"prompt": prompt.hash, "prompt_text": prompt.text}


def conversation(prompt: Prompt, question: str, answer: str) -> Conversation:
    """Return the messages that ask for a synthetic answer: `answer`, a reference, as a sentence on `question`."""
    return prompt.conversation({"question": clean(question), "answer": clean(answer)})
