"""Write the names of places and languages in many languages into metrics/_values/place_names.tsv.

`python -m evaluate_qa.dev.place_names` needs the package babel, which has names from Unicode's CLDR. CLDR only knows
cities with a time zone of their own; the others are in `_CITIES`, with rivers, lakes, seas and mountains.
"""

import re
from collections import defaultdict
from pathlib import Path

from evaluate_qa.metrics._values import places
from evaluate_qa.metrics._values.word_tables import word_set

_LOCALES = word_set("en de fr es it pt nl pl ru tr ja zh ko ar hi")
_LANGUAGES = word_set(
    "am ar bg bn ca cs cy da de el en es et eu fa fi fr ga gl he hi hr hu hy id is it ja ka kk ko la lt lv mn ms my nb "
    "ne nl no pl pt ro ru sk sl sq sr sv sw ta te th tr uk ur vi zh"
)
_NO_STATES = word_set("EU EZ UN XA XB ZZ QO")
_ALIASES = {
    "US": "USA|U.S.|U.S.A.|US|America|United States of America",
    "GB": "UK|U.K.|Great Britain|Britain|United Kingdom of Great Britain and Northern Ireland",
    "AE": "UAE|the Emirates", "CD": "DRC|DR Congo|Democratic Republic of the Congo|Democratic Republic of Congo|Zaire",
    "CG": "Republic of the Congo|Congo Republic", "MM": "Burma", "NL": "Holland|the Netherlands", "IR": "Persia",
    "CZ": "Czech Republic", "TH": "Siam", "LK": "Ceylon", "KR": "Republic of Korea|韩国|大韩民国|대한민국",
    "CN": "People's Republic of China|PRC|中华人民共和国", "MK": "Macedonia", "SZ": "Swaziland", "TR": "Turkey|Turkiye",
    "CI": "Ivory Coast", "TL": "East Timor", "VA": "Vatican", "CV": "Cabo Verde", "DE": "Federal Republic of Germany",
}  # fmt: skip
# Zones of cities that have the same name in all languages with Latin letters, and are kept all the same.
_KEPT = word_set(
    "Chicago Denver Detroit Phoenix Toronto Vancouver Los_Angeles Sydney Melbourne Perth Brisbane Adelaide Nairobi "
    "Lagos Accra Dakar Karachi Manila Jakarta Dubai Madrid Berlin Oslo Helsinki Lima Bangkok Anchorage Santiago"
)
_IN_PARENTHESES = re.compile(r"\s*[(（].+[)）]$")
_CITY = re.compile(r"(?:Africa|America(?:/Argentina(?=/Buenos))?|Asia|Australia|Europe)/[^/]+")
_CITIES = """
Beijing|Peking|Pékin|Pekín|Pechino|Pequim|Pekin|Пекин|北京|베이징|بكين|बीजिंग
Saint Petersburg|St. Petersburg|St Petersburg|Sankt Petersburg|Saint-Pétersbourg|San Petersburgo|San Pietroburgo|\
São Petersburgo|Sint-Petersburg|Petersburg|Санкт-Петербург|Петербург|サンクトペテルブルク|圣彼得堡|상트페테르부르크
Munich|München|Múnich|Monaco di Baviera|Munique|Monachium|Мюнхен|Münih|ミュンヘン|慕尼黑|뮌헨|ميونخ
Cologne|Köln|Colonia|Colônia|Keulen|Kolonia|Кёльн|Кельн|ケルン|科隆|쾰른
Milan|Mailand|Milano|Milán|Milão|Milaan|Mediolan|Милан|ミラノ|米兰|밀라노|ميلانو
Florence|Florenz|Firenze|Florencia|Florença|Florencja|Флоренция|Floransa|フィレンツェ|佛罗伦萨|피렌체
Venice|Venedig|Venezia|Venecia|Venise|Veneza|Venetië|Wenecja|Венеция|Venedik|ヴェネツィア|ベネチア|威尼斯|베네치아
Naples|Neapel|Napoli|Nápoles|Napels|Neapol|Неаполь|ナポリ|那不勒斯|나폴리
Turin|Torino|Turín|Turim|Turijn|Turyn|Турин|トリノ|都灵|토리노
Genoa|Genua|Genova|Génova|Gênes|Gênova|Генуя|ジェノヴァ|热那亚|제노바
Kraków|Krakow|Cracow|Krakau|Cracovie|Cracovia|Cracóvia|Краков|クラクフ|克拉科夫|크라쿠프
Gdańsk|Gdansk|Danzig|Гданьск
Kyoto|Kioto|Киото|京都|교토|كيوتو
Osaka|Осака|大阪|오사카
Barcelona|Barcelone|Barcellona|Барселона|バルセロナ|巴塞罗那|바르셀로나|برشلونة
Seville|Sevilla|Séville|Siviglia|Sevilha|Севилья|セビリア|塞维利亚|세비야
Geneva|Genf|Genève|Ginebra|Ginevra|Genebra|Genewa|Женева|Cenevre|ジュネーヴ|ジュネーブ|日内瓦|제네바
Antwerp|Antwerpen|Anvers|Amberes|Anversa|Antuérpia|Антверпен
The Hague|Den Haag|La Haye|La Haya|L'Aia|Haia|Haga|Гаага|Lahey|ハーグ|海牙|헤이그
Gothenburg|Göteborg|Gotemburgo|Гётеборг
Nuremberg|Nürnberg|Núremberg|Norimberga|Neurenberg|Norymberga|Нюрнберг|ニュルンベルク|纽伦堡|뉘른베르크
Hamburg|Hambourg|Hamburgo|Amburgo|Гамбург|ハンブルク|汉堡|함부르크
Frankfurt|Frankfurt am Main|Francfort|Fráncfort|Francoforte|Франкфурт|フランクフルト|法兰克福|프랑크푸르트
Mumbai|Bombay|Bombaim|Мумбаи|ムンバイ|孟买|뭄바이|मुंबई
Chennai|Madras|Ченнаи|चेन्नई
New Delhi|Neu-Delhi|Nueva Delhi|Nuova Delhi|Nova Délhi|Nova Deli|Нью-Дели|Yeni Delhi|ニューデリー|新德里|뉴델리|नई दिल्ली
Guangzhou|Canton|Гуанчжоу|广州|廣州|광저우
Nanjing|Nanking|Нанкин|南京|난징
Mecca|Mekka|La Mecque|La Meca|La Mecca|Meca|Мекка|Mekke|メッカ|麦加|메카|مكة|مكة المكرمة
Alexandria|Alexandrie|Alejandría|Alessandria d'Egitto|Александрия|İskenderiye|アレクサンドリア|亚历山大|الإسكندرية
Ankara|Анкара|アンカラ|安卡拉|앙카라|أنقرة
Rio de Janeiro|Río de Janeiro|Рио-де-Жанейро|リオデジャネイロ|里约热内卢|리우데자네이루
Marseille|Marseilles|Marsella|Marsiglia|Marselha|Марсель|マルセイユ|马赛|마르세유
Edinburgh|Édimbourg|Edimburgo|Edynburg|Эдинбург|エディンバラ|爱丁堡|에든버러
Ottawa|Оттава|オタワ|渥太华|오타와
Canberra|Канберра|キャンベラ|堪培拉|캔버라
Brasília|Brasilia|Бразилиа|ブラジリア|巴西利亚|브라질리아
Washington D.C.|Washington DC|Вашингтон|ワシントンD.C.|华盛顿
Cairo|Kairo|Le Caire|El Cairo|Il Cairo|Kair|Каир|Kahire|カイロ|开罗|카이로|القاهرة
San Francisco|Сан-Франциско|サンフランシスコ|旧金山|샌프란시스코
Busan|Pusan|부산|釜山
Danube|Donau|Dunaj|Danubio|Danúbio|Дунай|ドナウ川|多瑙河
Rhine|Rhein|Rhin|Рейн|ライン川|莱茵河|Rijn
Volga|Wolga|Wołga|Волга|ヴォルガ川|伏尔加河
Nile|Nilo|Nijl|River Nile|Нил|ナイル川|尼罗河|나일강|النيل|نهر النيل
Amazon|Amazonas|Amazone|Amazonka|Amazon River|Río Amazonas|Rio Amazonas|Rio delle Amazzoni|Амазонка|\
アマゾン川|亚马孙河|亚马逊河|아마존강|نهر الأمازون
Yangtze|Yangtze River|Yangzi|Jangtse|Янцзы|长江|長江|揚子江|扬子江|양쯔강
Yellow River|Gelber Fluss|Fleuve Jaune|Río Amarillo|Fiume Giallo|Хуанхэ|黄河|黃河|황허강
Ganges|Ganga|Gange|Ганг|गंगा|ガンジス川|恒河|갠지스강
Thames|River Thames|Themse|Tamise|Támesis|Tamigi|Tâmisa|Темза|テムズ川|泰晤士河|템스강
Seine|Senna|Sekwana|Сена|セーヌ川|塞纳河|센강
Tagus|Tajo|Tejo|Тежу
Vistula|Wisła|Weichsel|Vistule|Vístula|Vistola|Висла|Вісла
Dnieper|Dnipro|Dnjepr|Dniepr|Днепр|Дніпро
Lake Biwa|琵琶湖|비와호
Lake Geneva|Genfersee|Lac Léman|Lago Lemano|Женевское озеро
Lake Constance|Bodensee|Lac de Constance|Lago di Costanza|Боденское озеро
North Sea|Nordsee|Mer du Nord|Mar del Norte|Mare del Nord|Mar do Norte|Noordzee|Morze Północne|\
Северное море|北海|북해
Baltic Sea|Ostsee|Mer Baltique|Mar Báltico|Mar Baltico|Oostzee|Östersjön|Morze Bałtyckie|Балтийское море|\
波罗的海|バルト海|발트해
Mediterranean Sea|Mediterranean|Mittelmeer|Méditerranée|Mer Méditerranée|Mediterráneo|Mar Mediterráneo|\
Mar Mediterraneo|Mar Mediterrâneo|Middellandse Zee|Morze Śródziemne|Средиземное море|Akdeniz|地中海|지중해
Black Sea|Schwarzes Meer|Mer Noire|Mar Negro|Mar Nero|Zwarte Zee|Morze Czarne|Чёрное море|Черное море|Karadeniz|\
黑海|黒海|흑해
Mont Blanc|Monte Bianco|Монблан|モンブラン|勃朗峰|몽블랑
Kilimanjaro|Mount Kilimanjaro|Kilimandscharo|Kilimandjaro|Kilimangiaro|Килиманджаро|キリマンジャロ|\
乞力马扎罗山|킬리만자로산
Mount Everest|Everest|Mt. Everest|Эверест|エベレスト|エベレスト山|珠穆朗玛峰|에베레스트산|Monte Everest
Mount Fuji|Mt. Fuji|Fujisan|Fuji|富士山|후지산|Фудзияма
"""


def names() -> dict[str, set[str]]:
    """Return the names of each country (`c`), city (`p`) and language (`l`), such as `c/DE`."""
    found = _in_cldr()
    states = {name for key, listed in found.items() if key[0] == "c" for name in listed}
    for key in [key for key in found if key[0] == "p"]:
        city = key.rpartition("/")[2]
        found[key].add(city.replace("_", " "))
        spelled = {places.plain_name(name) for name in found[key] if name[0] < "\u0300"}
        if found[key] & states or not (len(spelled) > 1 or city in _KEPT):  # Singapore is a country, too.
            del found[key]
    for code, listed in _ALIASES.items():
        found[f"c/{code}"] |= {*listed.split("|")}
    for line in _CITIES.replace("\\\n", "").strip().splitlines():
        first, *others = line.split("|")
        same = [key for key, known in found.items() if key[0] == "p" and first in known]
        found[same[0] if same else f"p/{first}"] |= {first, *others}
    return {key: {places.plain_name(name) for name in listed} for key, listed in found.items()}


def _in_cldr() -> defaultdict[str, set[str]]:
    from babel import Locale

    found = defaultdict[str, set[str]](set)
    for locale in map(Locale.parse, _LOCALES):
        zones = locale.time_zones.items()
        cities = {zone: entry["city"] for zone, entry in zones if "city" in entry and _CITY.fullmatch(zone)}
        for kind, listed in (("c", locale.territories), ("l", locale.languages), ("p", cities)):
            for code, name in listed.items():
                if kind == "p" or code in _LANGUAGES or (re.fullmatch("[A-Z]{2}", code) and code not in _NO_STATES):
                    found[f"{kind}/{code}"] |= {name, _IN_PARENTHESES.sub("", name)}
    return found


def main() -> None:
    """Write the file, below its comments."""
    file = Path(places.__file__).with_name("place_names.tsv")
    comments = [line for line in file.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    lines = (f"{key}\t{'|'.join(sorted(listed))}" for key, listed in sorted(names().items()))
    file.write_text("\n".join([*comments, *lines, ""]), encoding="utf-8")


if __name__ == "__main__":
    main()
