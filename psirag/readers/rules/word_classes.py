"""Everyday classes of common nouns: colours, materials, trades …, asked for by name ("What colour …?")."""

from __future__ import annotations

import re
from functools import lru_cache

CLASSES = {
    "colour color shade tint": (
        "red orange yellow green blue purple violet pink brown black white grey gray golden silver crimson"
        " scarlet turquoise beige ivory indigo"
    ),
    "material metal substance stone wood fabric": (
        "wood wooden oak pine balsa stone brick marble granite sandstone limestone iron steel copper bronze brass"
        " gold silver tin lead aluminium titanium concrete glass clay plaster paper leather wool cotton silk linen"
        " hemp plastic rubber wax ivory bamboo straw canvas velvet slate timber"
    ),
    "instrument": (
        "piano violin viola cello guitar flute oboe clarinet bassoon horn trumpet trombone tuba harp organ drum"
        " drums zither accordion saxophone harpsichord lute mandolin banjo harmonica bagpipes synthesizer keyboard"
        " theremin sitar bass recorder fiddle"
    ),
    "science subject field discipline": (
        "physics chemistry biology mathematics medicine law philosophy theology history geography geology"
        " astronomy economics engineering literature psychology sociology botany zoology music art architecture"
        " linguistics hydraulics peace"
    ),
    "sport game": (
        "football rugby cricket tennis hockey baseball basketball boxing athletics swimming rowing sailing"
        " cycling skiing gymnastics chess golf wrestling judo fencing javelin discus hurdles marathon billiards"
        " snooker"
    ),
    "animal creature bird breed beast fish": (
        "dog cat horse cow pig sheep goat donkey mule camel elephant lion tiger bear wolf fox rabbit hare mouse"
        " rat monkey ape whale dolphin seal shark eel salmon trout cod eagle hawk owl raven crow parrot pigeon"
        " duck goose swan hen snake lizard tortoise turtle frog bee ant spider deer bull ox stallion pony goat"
    ),
    "food drink fruit spirit flavour ingredient dish beverage": (
        "bread butter cheese milk cream egg sugar salt pepper rice pasta meat beef pork ham chicken fish apple"
        " pear plum apricot cherry lemon orange banana grape tomato potato onion garlic basil chocolate vanilla"
        " honey jam coffee tea beer wine brandy whisky gin rum vodka cake soup"
    ),
    "disease illness condition ailment sickness": (
        "cancer tuberculosis pneumonia malaria cholera typhoid plague smallpox influenza aids diabetes stroke"
        " leukaemia anaemia fever syphilis polio scurvy dysentery epilepsy depression"
    ),
    "country nation state": (
        "afghanistan albania algeria argentina armenia australia austria bangladesh belarus belgium bolivia brazil"
        " bulgaria cambodia cameroon canada chile china colombia croatia cuba cyprus czechia czechoslovakia denmark"
        " ecuador egypt england estonia ethiopia finland france georgia germany ghana greece guatemala haiti hungary"
        " iceland india indonesia iran iraq ireland israel italy jamaica japan jordan kenya korea laos latvia lebanon"
        " libya lithuania luxembourg madagascar malaysia malta mexico monaco mongolia morocco mozambique myanmar nepal"
        " netherlands zealand nigeria norway pakistan panama paraguay peru philippines poland portugal romania russia"
        " scotland senegal serbia singapore slovakia slovenia africa spain sudan sweden switzerland syria taiwan"
        " tanzania thailand tunisia turkey uganda ukraine kingdom states uruguay venezuela vietnam wales yugoslavia"
        " zambia zimbabwe"
    ),
    "continent": "africa america antarctica asia australia europe",
    "language": (
        "english french german italian spanish portuguese dutch latin greek russian polish czech hungarian"
        " swedish norwegian danish finnish turkish arabic hebrew persian hindi sanskrit chinese japanese korean"
        " yiddish welsh"
    ),
    "relative": (
        "father mother brother sister son daughter uncle aunt cousin nephew niece grandfather grandmother husband"
        " wife widow twin"
    ),
    "bone organ limb": (
        "hip leg arm hand foot finger toe knee ankle wrist shoulder elbow rib skull jaw nose heart lung liver"
        " kidney eye ear back neck thumb collarbone"
    ),
    "vehicle craft": (
        "car train ship boat bicycle plane aeroplane balloon airship lorry bus tram carriage cart raft canoe"
        " yacht sledge rocket motorcycle wagon ferry submarine"
    ),
    "weapon tool": ("sword knife axe gun pistol rifle spear bow hammer saw chisel razor dagger brush needle scissors"),
}
TRADES = frozenset(
    "actor architect artist author baker banker barber bookseller brewer butcher cabinetmaker canon captain"
    " carpenter chef clerk composer cook critic dentist diplomat doctor engineer farmer fisherman gardener"
    " general goldsmith journalist judge king lawyer mechanic merchant midwife miller monk musician notary nurse"
    " officer organist painter pharmacist physician pilot poet priest professor sailor scientist sculptor"
    " secretary servant shepherd singer soldier spy student surgeon surveyor tailor teacher thief vet waiter"
    " writer".split()
)
TRADE = "profession occupation trade job career vocation work"
AGENT = re.compile(r".{2,}(?:[^aeiou]er|[st]or|ist|eer|ess|[cg]ian|man|woman|smith|wright|monger|keeper)$")
NO_AGENT = frozenset(
    "river number letter paper weather order power water matter chapter tower computer newspaper character flower"
    " corner quarter winter summer september october november december danger center theater chamber border manner"
    " answer feature career master sister brother mother father daughter monster motor factor doctor sector tractor"
    " list mist wrist fist twist princess actress dress press address process success business access cancer pepper"
    " copper silver layer finger shoulder murder rubber timber amber butter after never other another either whether"
    " rather together under over ever former latter later earlier larger smaller greater longer shorter higher lower"
    " better upper outer inner german human roman woman man ocean".split()
) - frozenset("doctor actress princess master sister brother mother father daughter woman man character".split())


@lru_cache(maxsize=1 << 14)
def is_agent(word: str) -> bool:
    """Whether a noun means a person by what he or she does.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> is_agent("locksmith"), is_agent("cyclist"), is_agent("river")
    (True, True, False)
    """
    return word in TRADES or (AGENT.fullmatch(word) is not None and word not in NO_AGENT)


@lru_cache(maxsize=1 << 14)
def members(head: str) -> frozenset[str]:
    """The words of the class that a noun asks for; empty when it names none.

    Notes
    -----
    Source: ours.

    Examples
    --------
    >>> "blue" in members("colour"), members("thing")
    (True, frozenset())
    """
    if head in TRADE.split():
        return TRADES
    return next((frozenset(words.split()) for heads, words in CLASSES.items() if head in heads.split()), frozenset())
