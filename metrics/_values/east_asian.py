"""Rewrite numbers, dates and units in Chinese, Japanese and Korean with digits and English symbols.

"二百零八" becomes "208", "約1億2500万" becomes "about 125000000", and "昭和39年" becomes "1964年".
"""

import re
from collections.abc import Callable

_IDEOGRAPH = re.compile("[\u3001-\u9fff\uac00-\ud7a3]")
_BOUNDARY = re.compile(r"(?<=[\u3005-\u9fff\uac00-\ud7a3])(?=\d)|(?<=\d[a-zA-Z%])(?=[\u3005-\u9fff\uac00-\ud7a3])")
_DIGITS = dict(zip("〇零一二两三四五六七八九", "001223456789", strict=True))
_SMALL = {"十": 10, "百": 100, "千": 1000}
_LARGE = {"万": 10**4, "萬": 10**4, "만": 10**4, "亿": 10**8, "億": 10**8, "억": 10**8, "兆": 10**12}
# Korean numerals: those that are written like the Chinese ones, before some nouns, and native ones before counters. At
# the end of a text, numerals need no noun.
_END = r"[.\s]*(?:입니다|이에요|예요)?[.\s]*$"
_SINO = str.maketrans("일이삼사오육칠팔구십백천만억", "一二三四五六七八九十百千万億")
_SINO_NUMERALS = "[일이삼사오육칠팔구십백천만억]"
_SINO_NUMBER = re.compile(
    rf"(?<![가-힣])(?<!월\s)(?=[일이삼사오육칠팔구억]{{0,12}}[십백천만]){_SINO_NUMERALS}{{2,}}(?={_END})"
    r"|(?<=월\s)[일이삼사오육칠팔구십]+?(?=\s?일(?![가-힣]|\s?일))"
    rf"|(?<![가-힣])(?<!{_SINO_NUMERALS}\s){_SINO_NUMERALS}{{2,}}(?=\s?(?:원|년|월|일|명|분|미터|킬로|퍼센트))"
)
# Digits with Korean scales, and numerals with a space after 만 or 억: "2만 3천5백".
_DIGITS_SCALED = re.compile(r"(?<=\d)(?<!(?<!\S)만 \d)[천백](?=[\d만억\s]|원|명|개|년|킬로|미터|$)")
_SPACE_IN_NUMBER = re.compile(
    r"(?<=[\d일이삼사오육칠팔구십백천千百][만억])\s(?=\d{0,3}[일이삼사오육칠팔구]?[천백십千百]|\d{1,3}(?:,\d{3}|\d))"
)
_MONTHS = {"시": 10, "유": 6} | {name: number for number, name in enumerate("일이삼사오_칠팔구", 1)}
_MONTH = re.compile(r"(?<![가-힣])([일이삼사오유칠팔구시])월(?![가-힣])")
_NATIVE = {
    "": 0, "한": 1, "하나": 1, "두": 2, "둘": 2, "세": 3, "셋": 3, "네": 4, "넷": 4, "다섯": 5, "여섯": 6,
    "일곱": 7, "여덟": 8, "아홉": 9, "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40,
    "쉰": 50, "예순": 60, "일흔": 70, "여든": 80, "아흔": 90,
}  # fmt: skip
_NATIVE_NUMBER = re.compile(
    r"(?<![가-힣])(?<![일이삼사오육칠팔구십백천만억열물른흔쉰순든]\s)(?=[가-힣])"
    r"(열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔)?(?:"
    r"(한|두|세|네|다섯|여섯|일곱|여덟|아홉)?(?=\s?(?:개|명|시|살|마리|권|장|가지|달|칸|그루|송이|잔|병|켤레|곡|줄|통))"
    rf"|(하나|둘|셋|넷|다섯|여섯|일곱|여덟|아홉)(?={_END}))"
)
_NUMERALS = "".join((*_DIGITS, *_SMALL, *_LARGE))
# A single numeral is a number if it is before a character of `_COUNTED`, but not after `_NOT_AFTER`: 唯一 is "only".
_NOT_AFTER, _COUNTED = (
    "统統唯同单單",
    "年月日号號点點時时秒个個人名块本歳岁次回刻毛角斤일天度米元円世倍条座国匹枚台位种種週周公成",
)
_NUMBER = re.compile(
    rf"百分之(?P<percent>[\d.{_NUMERALS}]+)"
    rf"|(?P<number>\d[\d.,]*[百千万萬만亿億억兆][\d,百千万萬만亿億억]{{0,12}}|[{_NUMERALS}]{{2,20}}"
    rf"|(?<![{_NOT_AFTER}])[{_NUMERALS}](?=[{_COUNTED}]|$)|(?<=[時时点點])[{_NUMERALS}]{{1,3}}(?=分))"
)
_FIRST_YEAR = {"昭和": 1925, "平成": 1988, "令和": 2018}  # Years of Japanese eras count from the following one.
_ERA = re.compile(r"(昭和|平成|令和)(\d{1,2}|元)年")
_CLOCK = re.compile(
    r"(?:(上午|早上|凌晨|午前|오전|아침|새벽|朝の)|(下午|晚上|午後|夜の|오후|저녁))?\s?(\d\d?)\s?[点點時时시]"
    r"(?:\s?(\d\d?)\s?[分분]|\s?(半|반)|(差?[13]刻))?(?!間|间|간|\w*代)"
)
_QUARTERS = {"1刻": 15, "3刻": 45, "差1刻": -15}
_FRACTION = re.compile(r"([〇零一二三四五六七八九十])分[之の]([〇零一二三四五六七八九十])")
_DIGIT = "[〇零一二三四五六七八九]"
_DECIMAL = re.compile(rf"(?<![午上早晚]\w)((?:{_DIGIT}|[十百千万]){{1,9}})点({_DIGIT}{{1,9}})(?![十分刻])")
_WEEK = r"(?:星期|[礼禮]拜|[周週](?!.[\u4e00-\u9fff]))"
_WEEKDAYS = {
    f"{_WEEK}[一1]|月曜日?|월요일": "Monday", f"{_WEEK}[二2]|火曜日?|화요일": "Tuesday",
    f"{_WEEK}[三3]|水曜日?|수요일": "Wednesday", f"{_WEEK}[四4]|木曜日?|목요일": "Thursday",
    f"{_WEEK}[五5]|金曜日?|금요일": "Friday", f"{_WEEK}[六6]|土曜日?|토요일": "Saturday",
    f"{_WEEK}[日天]|日曜日?|일요일": "Sunday",
}  # fmt: skip
_COPULA = re.compile(
    r"(?:(?<=[\d時时点點分円人個个枚本匹台回月日年개명원시살마리권번칸])\s?(?:です|でした|だ|예요)|(?:である|입니다|이에요))[。.]?$"
)
_UNIT_NAMES = {
    "km": "公里|千米|キロメートル|킬로미터", "kg": "公斤|千克|キロ(?:グラム)?|킬로(?:그램)?", "m": "米|メートル|미터",
    "g": "克|グラム|그램", "l": "升|リットル|리터", "ml": "毫升|ミリリットル|밀리리터",
    "cm": "厘米|センチ(?:メートル)?|센티미터", "mm": "毫米|ミリメートル|밀리미터", "t": "吨|トン|톤",
    "months": "個月|个月|か月|ヶ月|개월",
    "hours": "小时|小時|時間|시간", "minutes": "分钟|分鐘|分間|분(?![의류])",
}  # fmt: skip
_HOW_MANY = re.compile(rf"(?:多少|几|幾|何|몇)\s?(?=[个個]?(?:{'|'.join(_UNIT_NAMES.values())}))")
_NAME_OF_UNIT = "|".join((*_UNIT_NAMES.values(), "斤"))
_PHRASES: tuple[tuple[str, str | Callable[[re.Match[str]], str]], ...] = (
    (rf"(?<=\d)[个個]半(?={_NAME_OF_UNIT})", " 1/2 "),
    (rf"(?<=\d)({_NAME_OF_UNIT})半", r" 1/2 \1"),
    (rf"[半반]\s?(?={_NAME_OF_UNIT})", "1/2 "),
    (r"(?<=月)\s?(\d\d?)[号號]", r"\1日"),
    (r"(?<=\d)\s?(時間|시간)\s?[半반]", r" 1/2 \1"),
    (r"(?:(\d+) )?1/2 斤", lambda match: f"{500 * int(match[1] or 0) + 250} g "),
    (r"(\d+)斤", lambda match: f"{500 * int(match[1])} g "),
    (r"([1-3])刻[钟鐘]", lambda match: f"{15 * int(match[1])} minutes "),
    (r"(\d+)[块元](\d)(?:毛|角|(?!\d))", r"\1.\2元"),
    (r"(?:负|負|零下|氷点下|マイナス|영하)\s?(?=\d)", "-"),
    (r"(?:およそ|ほぼ|大约|大約|大概|約|约|약)\s?(?=\d)", " about "),
    (r"(\d{1,2})[世세][紀纪기]", r" \1th century "),
    (r"(?:摄氏|攝氏|섭씨)\s?([-\d.]+)\s?[度도]|(?<=\d)\s?(?:摄氏度|攝氏度|度[CＣ])", r"\1 °C "),
    *((rf"(?:(?<=\d)|(?<=how many ))\s?[个個]?(?:{names})", f" {unit} ") for unit, names in _UNIT_NAMES.items()),
    (r"(?<=\d)\s?(?:[个個]?工作日|營業日|営業日|영업일)(?:以?[内內]|之[内內])?", " workdays "),
    (r"(?<=\d)\s?(?:パーセント|퍼센트)", "% "),
    (r"(?<=\d)\s?(?:度|도)(?!\w)", "° "),
    (r"(?<=\d)\s?円", " yen "),
    (r"(?:上午|凌晨|午前|오전)\s?(\d\d?:\d\d)", r"\1 am "),
    (r"(?:下午|晚上|午後|오후)\s?(\d\d?:\d\d)", r"\1 pm "),
    (r"(?<!\d)(\d)成(?!\w)", r"\g<1>0% "),
    *((day, f" {name} ") for day, name in _WEEKDAYS.items()),
)
_REWRITINGS = tuple((re.compile(pattern), replacement) for pattern, replacement in _PHRASES)


def in_western_notation(text: str) -> str:
    """Return a text with digits and English symbols for the numerals and units of Chinese, Japanese and Korean.

    >>> in_western_notation("二百零八块"), in_western_notation("昭和三十九年"), in_western_notation("下午3点半")
    ('208块', '1964年', '3:30 pm ')
    """
    if not _IDEOGRAPH.search(text):
        return text
    text = _MONTH.sub(lambda match: f"{_MONTHS[match[1]]}월", text)
    text = _FRACTION.sub(lambda match: f"{_whole(match[2])}/{_whole(match[1])}", text)
    text = _DECIMAL.sub(lambda match: f"{_whole(match[1])}.{match[2].translate(_TRANSLATION)}", text)
    text = _SPACE_IN_NUMBER.sub("", _DIGITS_SCALED.sub(lambda match: match[0].translate(_SINO), text))
    text = _SINO_NUMBER.sub(lambda match: match[0].translate(_SINO), text)
    text = _NATIVE_NUMBER.sub(lambda match: str(sum(_NATIVE[part or ""] for part in match.groups()) or ""), text)
    text = _NUMBER.sub(_in_digits, text)
    text = _ERA.sub(lambda match: f"{_FIRST_YEAR[match[1]] + int(match[2].replace('元', '1'))}年", text)
    text = _CLOCK.sub(_clock, text)
    text = _HOW_MANY.sub(" how many ", _COPULA.sub("", text))
    for pattern, replacement in _REWRITINGS:
        text = pattern.sub(replacement, text)
    return _BOUNDARY.sub(" ", text)


def _clock(match: re.Match[str]) -> str:
    """Return 3:30 pm for 下午3点半. An hour alone may be a number of points (点)."""
    early, late, hour, minutes, half, quarter = match.groups()
    if not (early or late or minutes or half or quarter) and not {"時", "시"} & {*match[0]}:
        return match[0]
    total = 60 * int(hour) + (30 if half else int(minutes or 0) + _QUARTERS.get(quarter, 0))
    return f"{total // 60}:{total % 60:02} {'am' if early else 'pm' if late else ''}".rstrip() + " "


def _in_digits(match: re.Match[str]) -> str:
    around = match.string[max(0, match.start() - 1) : match.start()] + match.string[match.end() : match.end() + 1]
    whole = _whole(match["percent"] or match["number"])
    # 七八 is seven or eight, and 几十 some tens.
    vague = not _VAGUE.isdisjoint(around) or match[0].translate(_TRANSLATION) in _NEIGHBORS
    return match[0] if vague else f"{whole}%" if match["percent"] else whole


def _whole(numerals: str) -> str:
    """Return 35000 for 三万五, in which the last digit counts tenths of the scale before it."""
    text = numerals.replace(",", "").translate(_TRANSLATION)
    if not set(text) & _SCALES:
        return text
    total = part = 0.0
    last = 1
    for digits, scale in _TERM.findall(text):
        if not scale and last >= _SMALL["百"] and len(digits) == 1:
            part += float(digits) * last / 10
        elif scale in _LARGE:
            total, part = total + (part + float(digits or (not part))) * _LARGE[scale], 0.0
        else:
            part += float(digits or bool(scale)) * _SMALL.get(scale, 1)
        last = (_LARGE.get(scale) or _SMALL.get(scale, 1)) if digits else 1  # 百一 is 101, and 一百一 110.
    return f"{total + part:.15g}"


_VAGUE, _NEIGHBORS = frozenset("几幾数數多余餘"), frozenset(f"{n}{n + 1}" for n in range(1, 9))
_TRANSLATION = str.maketrans(_DIGITS)
_SCALES = {*_SMALL, *_LARGE}
_TERM = re.compile(rf"(?=.)((?:\d+(?:\.\d+)?)?)([{''.join(_SCALES)}]?)")
