"""The prompt for synthetic answers: `prompt.jinja` in this folder, or the user's file."""

from pathlib import Path

from evaluate_qa.metrics._shared.arguments import clean
from evaluate_qa.metrics._shared.chat_models import Conversation
from evaluate_qa.metrics.judge.prompts import Prompt, parse_prompt, read_prompt

_OWN = Path(__file__).with_name("prompt.jinja")
_SAMPLE = {"question": "a question", "answer": "an answer"}


def load_prompt(file: Path | None) -> Prompt:
    """Return the prompt of a file (default: our own); raise ValueError if it is missing or not a valid prompt."""
    file = file or _OWN
    if not file.is_file():
        raise ValueError(f"--prompt is {str(file)!r}; expected a file")
    try:
        prompt = parse_prompt(file.name, read_prompt(file), frozenset({"system", "source"}), _SAMPLE)
        if "answer" not in prompt.places:
            raise ValueError("it does not contain {{ answer }}")
    except ValueError as error:
        raise ValueError(f"--prompt {str(file)!r} cannot be used: {error}") from error
    return prompt


def conversation(prompt: Prompt, question: str, answer: str) -> Conversation:
    """Return the messages that ask for a sentence that answers the question with a reference."""
    return prompt.conversation({"question": clean(question), "answer": clean(answer)})
