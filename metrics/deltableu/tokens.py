"""sacrebleu's tokenisers, and errors that say what to install where one is missing."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from sacrebleu.metrics.bleu import BLEU
from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS
from sacrebleu.utils import SACREBLEU_DIR

from .pieces import Pieces

# Where the tokenisers, or those of languages, come from that need more than sacrebleu; the others need sentencepiece.
_PACKAGES = {
    "ja": "'sacrebleu[ja]'",
    "ja-mecab": "'sacrebleu[ja]'",
    "ko": "'sacrebleu[ko]'",
    "ko-mecab": "'sacrebleu[ko]'",
}


@dataclass(frozen=True)
class Tokenizer:
    """One of sacrebleu's tokenisers.

    Attributes:
        signature: sacrebleu's name of it, with the version of its dictionary where it has one.
        split: Returns the tokens of a text.
    """

    signature: str
    split: Callable[[str], list[str]]


@lru_cache(maxsize=8)
def load_tokenizer(tokenize: str | None = None, lang: str = "") -> Tokenizer:
    """Return sacrebleu's tokeniser of that name, or if there is none, the one for the language.

    Args:
        tokenize: sacrebleu's name of the tokeniser, or None to choose by `lang`.
        lang: Two-letter code of the language, `""` for none.

    Raises:
        ImportError: a package that the tokeniser needs is not installed.
        OSError: the tokeniser's model cannot be had.
    """
    try:
        tokenizer = BLEU(tokenize=tokenize, trg_lang=lang).tokenizer
    except (ImportError, RuntimeError, OSError, SystemExit) as error:
        # sacrebleu reports missing packages as either of the first two, and leaves the interpreter when a download
        # meets a bad certificate.
        name = tokenize or f"for lang={lang!r}"
        package = _PACKAGES.get(tokenize or lang, "sentencepiece")
        if package != "sentencepiece" or isinstance(error, ImportError):
            cure = f"pip install {package}"
            raise ImportError(f"deltableu: tokenizer {name} needs a package that is missing; {cure}") from error
        raise OSError(_model_message(name, error)) from error
    signature = tokenizer.signature()
    return Tokenizer(signature, Pieces(tokenizer, signature).split)


def _model_message(name: str, error: BaseException) -> str:
    """Say which model was looked for, where, and how to supply it."""
    url = SPM_MODELS.get(name, {}).get("url", "")
    path = Path(SACREBLEU_DIR) / "models" / Path(url).name
    return (
        f"deltableu: tokenizer {name} has no model: {path} is absent or damaged, and {url} could not be downloaded "
        f"({error}); put the file there, or set the environment variable SACREBLEU to the folder that holds models/"
    )
