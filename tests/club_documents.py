"""Five small Markdown documents of a rowing club, and questions that need two of them; written for tests."""

from __future__ import annotations

from psirag.corpus import Corpus, Document

RULES = """# Club rules

The rules were adopted by the annual meeting.

## Membership

### Joining

Applicants need two sponsors. The board decides within six weeks.

### Classes of members

Full members may vote. Junior members are under eighteen and may not vote. Guests stay at most three weeks.

### Leaving

Members leave by writing to the secretary before the first of November.

## Fees

### Yearly fee

Full members pay 240 euros a year, junior members half of it.

### Penalty classes

Penalty A is 10 euros, penalty B is 35 euros and penalty C is 90 euros.

### Late payment

A fee that is paid after March costs ten per cent more.
"""
BOAT_HOUSE = """# Boat house

## Opening hours

The boat house opens at six and closes at sunset.

## Keys

### Handing out

The warden Ines Kolb hands out keys on Tuesdays.

### Lost keys

Whoever loses a key pays penalty C and signs the key book.

## Storage

### Racks

Racing shells lie on the upper racks, training boats on the lower ones.

### Private boats

Private boats need a sticker from the treasurer. Without one they are moved outside.

## Workshop

### Tools

Tools go back to the wall on the same day. A missing tool is penalty A.

### Paint

Paint and solvents stand in the steel cupboard.
"""
BOATS = """# Boats

## Fleet

### Eights

The club owns two eights, Heron and Kingfisher. Heron weighs 96 kilograms.

### Singles

There are nine singles, four of them for beginners.

## Damage

### Reporting

Damage is written into the damage book before the crew goes home. The coxswain does it, in singles the rower.

### Costs

Scratches are free. A broken rudder is penalty B. A collision with the bridge is decided by the board.

## Maintenance

### Oiling

Slides are cleaned weekly, riggers are oiled in April.
"""
SAFETY = """# Safety on the water

## Weather

### Wind

Above wind force five nobody rows. Singles stay ashore from force four.

### Ice and cold

Below four degrees of water temperature juniors do not row and singles are locked.

### Fog

In fog the coxswain sounds the horn every minute.

## Rescue

### Capsizing

Hold on to the boat. The launch Otter reaches every place of the course in eight minutes.

### Life jackets

Juniors and coxswains wear life jackets from October to April.

## Traffic

### Bridges

Boats pass the railway bridge through the middle arch and keep right.
"""
OFFICE = """# Office and people

## Board

### Chair

The chair is Marta Ruel. She signs contracts.

### Treasurer

The treasurer is Pavel Orth. He sees members on Mondays from five to seven.

### Secretary

The secretary is Lena Voss. Letters reach her at Weir Lane 4.

## Staff

### Coach

The coach is Tom Adair. He trains the eights on Saturdays.

### Warden

The warden lives above the workshop and can be rung until ten.

## Meetings

### Annual meeting

The annual meeting is held in January. It elects the board.
"""
TEXTS = (RULES, BOAT_HOUSE, BOATS, SAFETY, OFFICE)
TITLES = ("Club rules", "Boat house", "Boats", "Safety on the water", "Office and people")

# Question, the two documents it needs, the answer.
CROSS = (
    ("How many euros does a member pay for a lost key of the boat house?", (1, 0), "90 euros"),
    ("What does a broken rudder cost in euros by the penalty classes?", (2, 0), "35 euros"),
    ("To which address does a member write who wants to leave the club?", (0, 4), "Weir Lane 4"),
    ("On which day can one see the person who gives stickers for private boats?", (1, 4), "Mondays"),
    ("Who trains the crew of Heron?", (2, 4), "Tom Adair"),
    ("In which month is the board elected that decides about a collision with the bridge?", (2, 4), "January"),
    ("How many euros is a missing tool of the workshop?", (1, 0), "10 euros"),
    ("Until when can the person who hands out the keys be rung?", (1, 4), "ten"),
    ("Through which arch do boats pass the bridge, and who decides about a collision with it?", (3, 2), "the board"),
    ("Which members may not row in cold water, and how old are they?", (3, 0), "under eighteen"),
)


def club() -> Corpus:
    """The five documents."""
    documents = [Document(i, text, title) for i, (text, title) in enumerate(zip(TEXTS, TITLES, strict=True))]
    return Corpus(tuple(documents), kind="documents", name="club")
