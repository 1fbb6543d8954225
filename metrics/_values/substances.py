"""Compare chemical elements and common substances: "Fe" is iron, and "CO₂" is carbon dioxide."""

import re
from collections import Counter
from functools import lru_cache

from .comparison import Texts
from .text import plain

_ELEMENTS = (
    "hydrogen H helium He lithium Li beryllium Be boron B carbon C nitrogen N oxygen O fluorine F neon Ne sodium Na "
    "magnesium Mg aluminum Al silicon Si phosphorus P sulfur S chlorine Cl argon Ar potassium K calcium Ca scandium Sc "
    "titanium Ti vanadium V chromium Cr manganese Mn iron Fe cobalt Co nickel Ni copper Cu zinc Zn gallium Ga "
    "germanium Ge arsenic As selenium Se bromine Br krypton Kr rubidium Rb strontium Sr yttrium Y zirconium Zr "
    "niobium Nb molybdenum Mo technetium Tc ruthenium Ru rhodium Rh palladium Pd silver Ag cadmium Cd indium In tin Sn "
    "antimony Sb tellurium Te iodine I xenon Xe cesium Cs barium Ba lanthanum La cerium Ce praseodymium Pr "
    "neodymium Nd promethium Pm samarium Sm europium Eu gadolinium Gd terbium Tb dysprosium Dy holmium Ho erbium Er "
    "thulium Tm ytterbium Yb lutetium Lu hafnium Hf tantalum Ta tungsten W rhenium Re osmium Os iridium Ir platinum Pt "
    "gold Au mercury Hg thallium Tl lead Pb bismuth Bi polonium Po astatine At radon Rn francium Fr radium Ra "
    "actinium Ac thorium Th protactinium Pa uranium U neptunium Np plutonium Pu americium Am curium Cm berkelium Bk "
    "californium Cf einsteinium Es fermium Fm mendelevium Md nobelium No lawrencium Lr rutherfordium Rf dubnium Db "
    "seaborgium Sg bohrium Bh hassium Hs meitnerium Mt darmstadtium Ds roentgenium Rg copernicium Cn nihonium Nh "
    "flerovium Fl moscovium Mc livermorium Lv tennessine Ts oganesson Og"
)
_OTHERS = {
    "hydrogen": "H2", "nitrogen": "N2", "oxygen": "O2", "fluorine": "F2", "chlorine": "Cl2", "aluminum": "aluminium",
    "sulfur": "sulphur", "cesium": "caesium", "water": "H2O", "carbon dioxide": "CO2", "carbon monoxide": "CO",
    "ozone": "O3", "ammonia": "NH3", "methane": "CH4", "hydrogen peroxide": "H2O2", "sodium chloride": "NaCl",
    "hydrochloric acid": "HCl", "sulfuric acid": "H2SO4", "nitric acid": "HNO3", "sodium hydroxide": "NaOH",
    "calcium carbonate": "CaCO3", "calcium oxide": "CaO", "sulfur dioxide": "SO2", "nitrous oxide": "N2O",
    "nitrogen dioxide": "NO2", "glucose": "C6H12O6", "hydrogen sulfide": "H2S", "iron oxide": "Fe2O3",
    "silicon dioxide": "SiO2", "ethanol": "C2H5OH", "sodium bicarbonate": "NaHCO3", "silver nitrate": "AgNO3",
    "tungsten": "wolfram",
}  # fmt: skip
_NAMES, _SYMBOLS = _ELEMENTS.split()[::2], _ELEMENTS.split()[1::2]
_NAME_OF = {
    text: name for name, other in (*zip(_NAMES, _SYMBOLS, strict=True), *_OTHERS.items()) for text in (other, name)
}
_ALSO = re.compile(r",? \(?(?:also|commonly|otherwise|better|a\.?k\.?a\.?|i\.e\.|known|or simply)\b.*", re.IGNORECASE)
_LEAD = re.compile(r"^(?:it(?:['’]s| is) )?(?:just |the element )?|(?: gas| atoms?)?[ .!]*$", re.IGNORECASE)
_KNOWN = frozenset(_SYMBOLS)
_ATOM, _FORMULA = re.compile(r"([A-Z][a-z]?)(\d*)"), re.compile(r"(?:[A-Z][a-z]?\d*){2,12}")
_LONGEST = 40  # Characters.


@lru_cache(maxsize=1 << 10)
def substance(text: str) -> str:
    """Return the name of the substance that a text names, by its name or formula; `""` for another text.

    >>> substance("It's CO₂."), substance("Fe"), substance("fe"), substance("iron ore")
    ('carbon dioxide', 'iron', '', '')
    """
    if len(text) > _LONGEST:
        return ""
    name = _LEAD.sub("", plain(text.strip()))
    return _NAME_OF.get(name) or _NAME_OF.get(name.lower() if len(name) > len("HCl2") else "", "")


def _atoms(text: str) -> Counter[str]:
    """Return the number of atoms of each element in a formula of several elements; nothing for another text."""
    formula = _LEAD.sub("", plain(text.strip()))
    atoms = Counter[str]()
    for symbol, count in _ATOM.findall(formula) if _FORMULA.fullmatch(formula) else ():
        atoms[symbol] += int(count or 1)
    return atoms if len(atoms) > 1 and atoms.keys() <= _KNOWN else Counter()


def compare_substance(texts: Texts) -> bool | None:
    """Return whether the answer names the reference's substance; None unless both are just substances.

    >>> compare_substance(Texts("Which metal?", "Fe", "iron")), compare_substance(Texts("Iron?", "iron", "Fe"))
    (True, None)
    """
    reference, said = substance(texts.reference), _ALSO.sub("", texts.answer)
    answer = substance(said)
    if not answer and (atoms := _atoms(said)) and (expected := _atoms(texts.reference)):
        return None if atoms == expected else False
    if not answer or (answer == reference and not texts.question_words.isdisjoint(texts.answer_words)):
        return None
    return answer == reference
