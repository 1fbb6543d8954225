"""Compare answers to yes-or-no questions: "It doesn't." means "No"."""

import re

from .._shared.abstentions import is_abstention
from .._shared.words import exact_words
from .calendar_names import WEEKDAYS
from .comparison import Comparison, Texts
from .directions import POLE, opposite
from .number_words import language_of
from .phrases import stem, takes_back
from .statements import ranks_first
from .text import plain
from .word_tables import pattern_of, word_set, words_of

_ENGLISH_YES, _NO = words_of("english_yes"), words_of("no")
_YES = _ENGLISH_YES | words_of("yes")
# Words that may deny a yes before them in other languages: "Конечно нет".
_DENIERS = words_of("denier")
_INTERJECTIONS = word_set("well oh actually obviously the")
# Words that mean yes or no only alone, or before a comma: "Right angles" and "No one" do not.
_ADJECTIVES = word_set("right sure true correct si claro cierto certo klar genau zeker верно nie doğru")
_DETERMINERS = word_set("no not never neither nie")
_DETERMINED = word_set("one only doubt problem worries longer matter wiem idea clue answer comment response")
_LONGEST_YES = 3  # Words of an answer that starts with an adjective and has no comma.
_WORD = re.compile(r"(?:[^\W\d_]|[\u0901-\u094d])+(?:['’]t)?")  # with the signs of Hindi
_PRONOUN_AND_VERB = re.compile(
    r"""
    (?:i\ think\ |(?:well|actually|of\ course|(?:un)?fortunately|sadly),?\ )?
    (?:it|he|she|they|that|there|this|we|you|i|one)
    (?:'s|’s|\ (?:really\ |certainly\ |surely\ |definitely\ )?
        (?:is|does|do|did|was|were|has|have|had|can|ca(?=n)|could|will|wo(?=n)|would|should|must|may|are))
    (?P<no>\ ?not|n't|n’t)?
    (?:\ indeed|\ be|\ true|\ correct|\ one|\ any|\ (?P<false>false|wrong|untrue|incorrect))?
    """,
    re.IGNORECASE | re.VERBOSE,
)
_PLAIN = re.compile(rf"\W*\w+\W*|\W*(?:\w+,?\ )?{_PRONOUN_AND_VERB.pattern}\W*", re.IGNORECASE | re.VERBOSE)
_PAUSE = re.compile(r"[,;:–—]")
_OF_COURSE = re.compile(rf"\s*(?:(?P<no>{pattern_of('of_course_not')})|{pattern_of('of_course')})\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:–—]|\.\s| because\b| since\b")
_TRUE_OR_FALSE = re.compile(r"\btrue or false\b|\bT/F\b", re.IGNORECASE)
_DENIED = re.compile(r"^is (?:it|this|that) (?:not true|false|untrue|wrong|incorrect)\b", re.IGNORECASE)
_JUDGED = re.compile(
    r"(?:statement|that|this|claim|it)(?: is|'s)?(?P<not> isn['’]t| not)? "
    r"(?:true|correct|right|(?P<no>false|wrong|incorrect|untrue))\b"
    r"|^\W*(?:T|true|(?P<f>F|false))(?:\W*$|[.,;:!*])",
    re.IGNORECASE,
)
_MYTH = re.compile(
    r"\W*(?:that|this|it)(?:['’]s| is| was)(?P<no> not|n['’]t)?(?: just| only| actually)? (?:"
    r"(?:an? |the )?(?:(?!not\b)[\w-]+ ){0,2}(?:myth|misconception|fallacy|wives['’] tale)|(?P<fact>the case|a fact))"
    r"(?=\W*$|[.,;:])",
    re.IGNORECASE,
)
_ASKS_STATE = re.compile(r"(?:is|are|was|were) (?!it true\b)")
_EMPHASIS = re.compile(
    r"\W*(?:it|he|she|they|that|we|you|i|one) (?:(?:did|does|do)(?P<no> not|n['’]t)? )?(?P<verb>[a-z]+)"
    r"(?: (?:it|them|that|him|her|so|\w+ly))?[.!]?$",
    re.IGNORECASE,
)
# A question with one verb, and the places where the verb may stand among the question's words.
_ASKS_DOING = re.compile(r"(?:did|does|do) (?!.*\b(?:to|or|that|which|before|after|almost|not|never)\b)", re.IGNORECASE)
_PLACES = slice(2, 5)
# Two of these in an English statement cancel each other.
_COUNTED_NEGATION = re.compile(
    r"\b(?:neither\b.{1,40}?\bnor|not|never|no|none|nobody|nothing|neither|nor|cannot|without|hardly)\b|n['’]t\b",
    re.IGNORECASE,
)
_NO_DOUBT = re.compile(r"\b(?:there(?:'s|’s| is) )?(?:no|without an?y?) (?:doubt|question)\b(?: that)?", re.IGNORECASE)
_PREAMBLE = re.compile(r"^\W*(?:sure|certainly|of course|okay)\b[^:.\n]{0,40}:\s*", re.IGNORECASE)
_MAY = re.compile(r"(?<=\w )May\b")  # the month
# With these words, a statement may be about another time or place than the question.
_ELSEWHEN = word_set("will in on from for by at until again later soon tomorrow nowhere than")
_REASON = re.compile(r" because\b| since\b|, as\b")
_CONDITION_AFTER = re.compile(r"\b(?:when|while|if|as)\b")
_BEFORE = re.compile(r"^(?:In|On|At|With|By|For|From|During|Under|Within)\b [^,.;]{1,60}, ")
# What may follow a statement, such as a place.
_PLACE = re.compile(
    r"(.+) (?:in|on|at|by|for|from|with|under|during|within|through|inside|near|if|when|while) ", re.DOTALL
)
_BUT = re.compile(r"\b(?:(?<!nothing )but|however|although|though|while|whereas|unless|only)\b|, not\b", re.IGNORECASE)
_IN_ENGLISH = re.compile(rf"\W*(?:{pattern_of('auxiliary')})\b", re.IGNORECASE)
_AUXILIARIES = words_of("omittable")
_NO_POLE = -1, 0
_DENIED_AUXILIARIES = frozenset(f"{word}nt" for word in (*_AUXILIARIES, "ca", "wo", "sha"))
_WAS = re.compile(r"\b(?:was|were|did|had|used)\b", re.IGNORECASE)
_PRONOUNS = word_set("it its they theyre he hes she shes there theres")
_BRIEF, _PAIR = 2, 2  # Words of a statement about a pronoun, and words that may change places: "A visa is required."
_START = 4  # Letters.
_REPEATED, _MORE = 0.8, 4  # Share of a question's words that a statement repeats, and the words it may add.
_MAY_BE_POLAR = re.compile(
    r"\W*\w+(?:\W*$|\s*[,.;:–，、。-]| (?:it|they|he|she|there|that|this|we|you|i|not|because)\b)", re.IGNORECASE
)
_NAME = re.compile(r"(?:right|si)\.?", re.IGNORECASE)  # of a side, or of silicon
_ASKS_NAME = re.compile(r"\W*(?:(?:in|on|at|to|from|with) )?(?:which|what|where)\b", re.IGNORECASE)
_UNCLEAR = re.compile(r"^no\.? ?\d|\byes and no\b", re.IGNORECASE)
_LETTER = re.compile(r"\W*(?:(?P<yes>y)|n)\W*", re.IGNORECASE)
# Questions to which an unsure answer, or none, may be right.
_ASKS_IT = re.compile(rf"\b(?:{pattern_of('unsure_question')})\b", re.IGNORECASE)
# Answers that choose neither.
_OPEN = re.compile(
    r"\W*(?:(?:yes|true|y)\W+(?:or\W+|and\W+)?(?:no|false|n)|(?:no|false|n)\W+(?:or\W+|and\W+)?(?:yes|true|y)|"
    r"hm+|maybe|perhaps|possibly)\W*",
    re.IGNORECASE,
)
_SIGNS = str.maketrans(dict.fromkeys("👍✅✓✔", "yes") | dict.fromkeys("👎❌✗✘", "no"))
_CONDITION = re.compile(r"\b(?:but|only|if|unless|except|after|before|until|when)\b", re.IGNORECASE)
_BARE, _REASONED = 2, 8  # Words of a reference that is just a yes or no, and of one with a reason.
_SMALL, _LIMITED = words_of("function") | words_of("statement"), words_of("limiting")


def means_yes_or_no(reference: str) -> bool:
    """Return whether a reference is a yes or no, which a reason may follow."""
    return _MAY_BE_POLAR.match(reference) is not None and polarity(reference) is not None


def compare_yes_or_no(texts: Texts) -> Comparison | None:
    """Compare references that mean yes or no; if a reason follows, only a difference is certain."""
    if _NAME.fullmatch(texts.reference) and _ASKS_NAME.match(texts.question):
        return None
    expected, words = polarity(texts.reference), len(texts.reference.split())
    brief = words <= _BARE or _PLAIN.fullmatch(texts.reference) is not None
    bare = brief or _just_states(texts.question, texts.reference, expected)
    polar = bare and (_IN_ENGLISH.match(texts.question) or not texts.question) and not _ASKS_IT.search(texts.question)
    if polar and _OPEN.fullmatch(texts.answer):
        return Comparison("yes_no", False)
    if polar and (letter := _LETTER.fullmatch(texts.answer)):
        return Comparison("yes_no", expected == bool(letter["yes"]))
    if any(_UNCLEAR.search(text) for text in (texts.reference, texts.answer)):
        return None
    said = says_yes(texts.question, texts.answer) if bare else polarity(texts.answer)
    if polar and said is None and is_abstention(texts.answer):
        return Comparison("yes_no", False)
    reasoned = not bare and (not _PLAIN.fullmatch(texts.answer) or _CONDITION.search(texts.reference))
    unclear = said is None or (said == expected and reasoned) or words > _REASONED or takes_back(texts.answer)
    in_words = polarity(texts.answer) is None  # without a yes or no
    if bare and not brief and texts.length > _BARE and (said == expected or in_words):
        just_states = in_words or _just_states(texts.question, texts.answer, said)
        unclear = unclear or not just_states or _CONDITION.search(texts.answer) is not None
    return Comparison("yes_no", None if unclear else said == expected)


def _just_states(question: str, text: str, said: bool | None) -> bool:
    """Return whether a yes or no is followed just by the question's statement: "Yes, it is.", "Yes, ice floats."."""
    statement = text.partition(", ")[2]
    return statement != "" and says_yes(question, statement) == said


def polarity(text: str) -> bool | None:
    """Return True for a text that means yes, False for one that means no, else None.

    >>> polarity("Yes, it does."), polarity("No, not at all"), polarity("It isn't."), polarity("Paris")
    (True, False, False, None)
    """
    words: list[str] = _WORD.findall(text.lower()) or _WORD.findall(text.translate(_SIGNS))
    if not words or text.lstrip()[:1].isdigit():
        return None
    if match := _OF_COURSE.match(text):
        return False if match["no"] else None if not _DENIERS.isdisjoint(words[:5]) else True
    first, second, *_ = [*words[words[0] in _INTERJECTIONS and len(words) > 1 :], ""]
    adjective = first in _ADJECTIVES and len(words) > _LONGEST_YES and not _PAUSE.search(text[:14])
    if first in _YES and not adjective:
        denied = first not in _ENGLISH_YES and not _DENIERS.isdisjoint(words[1:4])
        # "Correct, they are not."
        denied = denied or (first in _ADJECTIVES and any(word == "not" or word.endswith("n't") for word in words[1:]))
        return None if denied else second != "not"
    if first in _NO and not (first in _DETERMINERS and second in _DETERMINED):
        return first == "not" and second in {"false", "wrong"}
    if match := _PRONOUN_AND_VERB.fullmatch(_CLAUSE.split(text.strip(" .!\n"), maxsplit=1)[0]):
        return bool(match["no"]) == bool(match["false"])
    return None


def says_yes(question: str, answer: str) -> bool | None:
    """Return whether an answer affirms a yes-or-no question: by a word, or by repeating its statement.

    >>> says_yes("Does ice float?", "Ice floats."), says_yes("Do bats lay eggs?", "Bats don't lay eggs.")
    (True, False)
    """
    if (judged := _JUDGED.search(answer)) and _TRUE_OR_FALSE.search(question):
        return bool(judged["no"] or judged["f"]) == bool(judged["not"])
    if _DENIED.search(question):
        return None  # "It's not false." is a no to "Is it false?", and a yes to "Is it true?".
    answer = _PREAMBLE.sub("", _NO_DOUBT.sub("", answer))
    said = polarity(answer)
    if said is not None or not question:
        return said
    verdicts = (judge(question, answer) for judge in (_judges, _emphasizes, ranks_first, _states, _has_pole))
    return next((verdict for verdict in verdicts if verdict is not None), None)


def _judges(question: str, answer: str) -> bool | None:
    """Return whether an answer calls what a question asks a fact, or a myth."""
    match, asked = _MYTH.match(answer), question.lower()
    if not match or (_ASKS_STATE.match(asked) and not match["fact"]) or "not" in asked or "n't" in asked:
        return None  # "Is the tale made up?"
    return bool(match["fact"]) != bool(match["no"])


def _emphasizes(question: str, answer: str) -> bool | None:
    """Return whether an answer just repeats the verb of a question: "He did win it.", "She passed."."""
    match = _EMPHASIS.match(answer)
    if not match or not _ASKS_DOING.match(question):
        return None
    verb, asked = match["verb"].lower(), exact_words(question)[_PLACES]
    if opposite(verb, asked):
        return bool(match["no"])
    return None if {verb, stem(verb)}.isdisjoint([*asked, *map(stem, asked)]) else not match["no"]


def _states(question: str, answer: str) -> bool | None:
    """Return whether an answer states what a question asks, with as many negations; None if it is another statement."""
    if _ASKS_NAME.match(question) or (language_of(question) != "en" and not _IN_ENGLISH.match(question)):
        return None
    statement, question = (_MAY.sub("month", text) for text in (_BEFORE.sub("", answer), question))
    clause = _CLAUSE.split(statement, maxsplit=1)[0]
    if _BUT.search(_REASON.split(answer, maxsplit=1)[0]):
        return None
    cut = None if _CONDITION_AFTER.search(clause) else _PLACE.match(question)
    said = _repeats(question, clause, question)
    return _repeats(cut[1], clause, question) if said is None and cut else said


def _repeats(question: str, clause: str, whole: str) -> bool | None:
    """Return whether a clause affirms a question; None if it says something else.

    `question` is the `whole` question, or its beginning without a place or condition at its end.
    """
    named = [word for word in exact_words(question) if word not in _AUXILIARIES]
    asked, of_pole = [*map(stem, named)], {POLE[word]: stem(word) for word in named if word in POLE}
    words = [word for word in exact_words(clause) if word not in _AUXILIARIES]
    properties = [pole[0] for word in words if (pole := POLE.get(word) or POLE.get(stem(word)))]
    opposed = len(properties) > len({*properties}) and "nor" not in clause  # "It flows from south to north."
    if opposed or (_ELSEWHEN & {*exact_words(clause)}) - {*exact_words(whole)}:
        return None
    words = [word for word in words if not _COUNTED_NEGATION.fullmatch(word) and word not in _DENIED_AUXILIARIES]
    said = [word if word in asked or f"{word}e" not in asked else f"{word}e" for word in map(stem, words)]
    said = [
        word if word in asked else of_pole.get(POLE.get(full, _NO_POLE), word)
        for full, word in zip(words, said, strict=True)
    ]
    same_end = asked and any(end in said or opposite(end, (*words, *said)) for end in asked[-1:] + named[-1:])
    if not same_end or len(said) > len(asked) + _MORE:
        return None
    opposites = [word for word in asked if word not in said and opposite(word, (*words, *said))]
    stands_for_noun = words[0] in _PRONOUNS and words[0] not in asked
    repeated = sum(word in said for word in asked) + len(opposites) + stands_for_noun
    near = question == whole and (said[1:2] == asked[-1:] or opposite(asked[-1], (*words[1:2], *said[1:2])))
    brief = words[0] in _PRONOUNS and (len(said) <= _BRIEF or near)  # "They are immutable.", "It diverges to infinity."
    if repeated < _REPEATED * len(asked) and not brief:
        return None
    whole_question = [*map(stem, exact_words(whole))]
    new = [
        pair
        for pair in zip(words, said, strict=True)
        if pair[1] not in whole_question and pair[0] not in _PRONOUNS | _SMALL
    ]
    near = near and len(said) <= len(asked) + _BRIEF
    adds = not near and any(not opposite(word, asked) and not opposite(end, asked) for word, end in new)
    earlier = _WAS.search(clause) and not _WAS.search(whole)
    order = [whole_question.index(word) for word in said if whole_question.count(word) == 1]
    if adds or earlier or (order != sorted(order) and len(order) > _PAIR):
        return None  # "He failed to win.", "It was raining."
    negations = len(_COUNTED_NEGATION.findall(clause)) + len(opposites)
    return negations % 2 == len(_COUNTED_NEGATION.findall(whole)) % 2


def _has_pole(question: str, answer: str) -> bool | None:
    """Return whether an answer in another language has the question's word for "open" or "allowed", or its opposite."""
    words, asked = exact_words(answer), [word for word in exact_words(question) if word in POLE]
    if language_of(question, answer) == "en" or len(asked) != 1 or not (_NO | _DENIERS).isdisjoint(words):
        return None
    same, content = POLE[asked[0]] in map(POLE.get, words), {*exact_words(question)} - {*POLE} - _SMALL
    clause = {*exact_words(_CLAUSE.split(answer, maxsplit=1)[0])} - {*POLE} - _SMALL
    if opposite(asked[0], words):
        other_day = not {*map(WEEKDAYS.get, exact_words(plain(answer)))} <= {None, *map(WEEKDAYS.get, content)}
        about_it = not clause or {word[:_START] for word in words} & {word[:_START] for word in content}
        return None if same or other_day or not about_it or not _LIMITED.isdisjoint(words) else False
    return True if same and not {*words} - {*POLE} - _SMALL - content else None  # "open only on Sundays"
