"""Makes pictures and clips with questions about them: what the demo model is trained and graded on.

Everything is drawn from one random.Random, so a seed gives the same scene anywhere. `make_picture`,
`make_pair`, `make_clip` and `make_talk` return a Scene: pictures as compact descriptions (raster.py draws
them) and questions with their one canonical answer. words.py holds every phrase in both languages.

`level`, 0 to 1, is how much a scene holds: training begins with one or two things and single letters. Glyphs
stand on a grid of GRID pixels, as on a typewriter: a patch then sees a letter in few positions.
"""

import dataclasses

import font
import raster
import words

PALETTE = {
    "red": (220, 40, 40), "orange": (250, 140, 20), "yellow": (245, 220, 50), "green": (40, 160, 60),
    "blue": (40, 80, 220), "purple": (140, 50, 170), "pink": (250, 140, 190), "brown": (130, 75, 35),
    "gray": (140, 140, 145), "black": (25, 25, 25),
}
COLOURS = list(PALETTE)
SHAPES = ["circle", "square", "triangle", "diamond", "cross", "ring"]
DARK = ["red", "green", "blue", "purple", "brown", "black"]  # legible as text on a light ground
LETTERS = [name for name in font.LATIN if not name.isdigit()]
DIGITS = [name for name in font.LATIN if name.isdigit()]
CHARACTERS = list(font.CHINESE)
GRID = 8
FORMS = SHAPES + ["bar", "line"]  # what an item can be; a line of text is one


@dataclasses.dataclass
class Picture:
    height: int
    width: int
    background: tuple
    shapes: list = dataclasses.field(default_factory=list)  # raster.SHAPE_COLUMNS each
    # glyph, x, y, scale, red, green, blue; and for targets.py slot, row, column, header
    glyphs: list = dataclasses.field(default_factory=list)
    # For targets.py: box of 4, colour, form, order, value, name. Here and above all but `glyph` counts from 1; 0 is
    # none.
    items: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Question:
    kind: str
    text: str
    answer: str
    judge: str = "exact"  # exact, number or box
    needs: object = None  # the question this one follows up


@dataclasses.dataclass
class Scene:
    pictures: list
    questions: list
    last: list = dataclasses.field(default_factory=list)  # questions that give other answers away


@dataclasses.dataclass
class Thing:
    colour: str
    shape: str
    box: tuple  # x0, y0, x1, y1
    cell: tuple  # row, column


def near(rng, colour, spread=14):
    return tuple(min(255, max(0, c + rng.randint(-spread, spread))) for c in PALETTE[colour])


def ground(rng):
    base = rng.randint(228, 250)
    return tuple(min(255, base + rng.randint(-6, 6)) for _ in range(3))


def paint(picture, shape, box, colour):
    x0, y0, x1, y1 = box
    size = x1 - x0
    kinds = {"circle": raster.CIRCLE, "ring": raster.CIRCLE, "triangle": raster.TRIANGLE,
             "diamond": raster.DIAMOND}
    if shape == "cross":
        third = size // 3
        picture.shapes.append((raster.RECTANGLE, x0 + third, y0, x1 - third, y1, *colour))
        picture.shapes.append((raster.RECTANGLE, x0, y0 + third, x1, y1 - third, *colour))
        return
    picture.shapes.append((kinds.get(shape, raster.RECTANGLE), x0, y0, x1, y1, *colour))
    if shape == "ring":
        inset = max(3, size // 4)
        picture.shapes.append((raster.CIRCLE, x0 + inset, y0 + inset, x1 - inset, y1 - inset,
                               *picture.background))


def add_item(picture, box, colour, form, order=0, value=0, name=0):
    picture.items.append((*box, COLOURS.index(colour) + 1, FORMS.index(form) + 1, order, value, name))


def pitch(text, scale):
    """Pixels from a glyph of this text to the next: whole steps of the grid."""
    return -(-font.width_of(text[0]) * scale // GRID) * GRID


def on_grid(value):
    return max(0, value) // GRID * GRID


def write(picture, text, x, y, scale, colour, slots=False, cell=(0, 0, 0)):
    """Writes text of one script; x and y are moved to the grid. For the targets, slots numbers the glyphs and cell is
    the row, column and header of a table's cell."""
    x, y = on_grid(x), on_grid(y)
    for index, name in enumerate(text):
        picture.glyphs.append((font.INDEX[name], x + index * pitch(text, scale), y, scale, *colour,
                               index + 1 if slots else 0, *cell))
    return x, y, x + text_width(text, scale), y + font.CELL * scale


def text_width(text, scale):
    return len(text) * pitch(text, scale)


# --- Objects ------------------------------------------------------------------------------------------

def place(rng, picture, pairs):
    """Things of these (colour, shape) pairs in distinct cells of a grid, in reading order."""
    height, width = picture.height, picture.width
    number = len(pairs)
    rows = columns = 1
    while rows * columns < number or (rows * columns < 2 * number and
                                      min(height // rows, width // columns) >= 72):
        if height * columns > width * rows or height // rows > width // columns:
            rows += 1
        else:
            columns += 1
    cells = sorted(rng.sample(range(rows * columns), number))
    tall, wide = height // rows, width // columns
    things = []
    for cell, (colour, shape) in zip(cells, pairs):
        row, column = divmod(cell, columns)
        side = min(tall, wide)
        size = rng.randint(max(16, side * 4 // 10), max(17, min(side * 8 // 10, 200)))
        slack_x, slack_y = wide - size - 2, tall - size - 2
        x0 = column * wide + 1 + slack_x // 2 + rng.randint(-(slack_x // 3), slack_x // 3)
        # Little jitter across rows: the reading order stays plain.
        y0 = row * tall + 1 + slack_y // 2 + rng.randint(-(slack_y // 4), slack_y // 4)
        things.append(Thing(colour, shape, (x0, y0, x0 + size, y0 + size), (row, column)))
    for order, thing in enumerate(things):
        paint(picture, thing.shape, thing.box, near(rng, thing.colour))
        add_item(picture, thing.box, thing.colour, thing.shape, order + 1)
    return things


def room_for(height, width):
    """How many things a picture holds without crowding."""
    return min(9, (height // 30) * (width // 30))


def pick_pairs(rng, most, level=1):
    """(colour, shape) pairs: half the time all distinct, else from few colours and shapes."""
    most = min(most, 2 + round(7 * level))
    if rng.random() < 0.55:
        number = rng.randint(1, min(6, most))
        every = [(c, s) for c in COLOURS for s in SHAPES]
        return rng.sample(every, number)
    number = rng.randint(1, most)
    colours, shapes = rng.sample(COLOURS, rng.randint(1, 3)), rng.sample(SHAPES, rng.randint(1, 2))
    return [(rng.choice(colours), rng.choice(shapes)) for _ in range(number)]


def box_answer(w, box, height, width, label):
    x0, y0, x1, y1 = box
    scaled = [round(v * 100 / full) * 10 for v, full in
              ((x0, width), (y0, height), (x1, width), (y1, height))]
    return '{"bbox_2d": [%d, %d, %d, %d], "label": "%s"}' % (*scaled, label)


def unique(things, key):
    seen = {}
    for thing in things:
        seen.setdefault(key(thing), []).append(thing)
    return [group[0] for group in seen.values() if len(group) == 1]


def direction(a, b):
    """Where a lies seen from b, or None where it is not plain."""
    dx = (a.box[0] + a.box[2] - b.box[0] - b.box[2]) / 2
    dy = (a.box[1] + a.box[3] - b.box[1] - b.box[3]) / 2
    if abs(dx) > 2 * abs(dy):
        return "left" if dx < 0 else "right"
    if abs(dy) > 2 * abs(dx):
        return "above" if dy < 0 else "below"
    return None


def object_questions(rng, w, picture, things):
    out = []
    by_shape, by_colour = unique(things, lambda t: t.shape), unique(things, lambda t: t.colour)
    single = unique(things, lambda t: (t.colour, t.shape))
    if by_shape:
        asked = rng.sample(by_shape, min(3, len(by_shape)))
        first = Question("attribute", w.ask_colour(asked[0].shape), w.colour(asked[0].colour))
        out.append(first)
        for other in asked[1:]:
            out.append(Question("followup", w.and_shape(other.shape), w.colour(other.colour), needs=first))
    if by_colour:
        asked = rng.sample(by_colour, min(3, len(by_colour)))
        first = Question("attribute", w.ask_shape(asked[0].colour), w.shape(asked[0].shape))
        out.append(first)
        for other in asked[1:]:
            out.append(Question("followup", w.and_colour(other.colour), w.shape(other.shape), needs=first))
    some = rng.choice(things)
    for colour, shape in ((None, None), (None, some.shape), (some.colour, None), (some.colour, some.shape),
                          (None, rng.choice(SHAPES))):
        count = sum((colour in (None, t.colour)) and (shape in (None, t.shape)) for t in things)
        out.append(Question("count", w.ask_count(colour, shape), str(count), "number"))
        if colour is None and rng.random() < 0.5:
            tint = rng.choice(things).colour
            count = sum(t.colour == tint and shape in (None, t.shape) for t in things)
            out.append(Question("followup", w.of_them(tint), str(count), "number", needs=out[-1]))
    present = {(t.colour, t.shape) for t in things}
    for _ in range(2):
        if rng.random() < 0.5:
            pair = rng.choice(sorted(present))
        else:  # mostly a colour and a shape that are there, but not together
            pair = ((rng.choice(things).colour if rng.random() < 0.7 else rng.choice(COLOURS)),
                    (rng.choice(things).shape if rng.random() < 0.7 else rng.choice(SHAPES)))
        out.append(Question("yesno", w.ask_exists(*pair), w.yes(pair in present)))
    pairs = [(a, b, direction(a, b)) for a in single for b in single if a is not b]
    pairs = [p for p in pairs if p[2]]
    for a, b, where in rng.sample(pairs, min(3, len(pairs))):
        if rng.random() < 0.6:
            out.append(Question("position", w.ask_where(a, b), w.side(where)))
        else:
            claim = where if rng.random() < 0.5 else rng.choice(["left", "right", "above", "below"])
            out.append(Question("position", w.ask_side(a, b, claim), w.yes(claim == where)))
    for thing in rng.sample(single, min(3, len(single))):
        label = w.thing(thing.colour, thing.shape)
        out.append(Question("box", w.locate(label),
                            box_answer(w, thing.box, picture.height, picture.width, label), "box"))
    last = []
    if len(things) <= 6:
        last.append(Question("description", w.describe(rng), w.listing(things)))
    return out, last


def object_scene(rng, w, height, width, level=1):
    picture = Picture(height, width, ground(rng))
    things = place(rng, picture, pick_pairs(rng, room_for(height, width), level))
    questions, last = object_questions(rng, w, picture, things)
    return Scene([picture], questions, last)


# --- Text -------------------------------------------------------------------------------------------

def random_text(rng, most):
    kind = rng.random()
    if kind < 0.3:
        fitting = [word for word in words.DRAWN if len(word) <= most]
        if fitting:
            return rng.choice(fitting)
    length = rng.randint(1, min(6, most))
    if kind < 0.65:
        return "".join(rng.choice(LETTERS) for _ in range(length))
    if kind < 0.85:
        return "".join(rng.choice(DIGITS) for _ in range(length))
    return "".join(rng.choice(LETTERS + DIGITS) for _ in range(length))


def text_scene(rng, w, height, width, level=1):
    picture = Picture(height, width, ground(rng))
    number = min(rng.choice([1, 1, 2, 3]), max(1, height // 48), 1 + round(2 * level))
    longest = 1 + round(5 * level)
    colours = rng.sample(DARK, number)
    tall = height // number
    texts = []
    for line, colour in enumerate(colours):
        chinese = rng.random() < 0.22
        names = CHARACTERS if chinese else LETTERS
        fits = min(longest, (width - GRID) // pitch(names, 2))
        text = ("".join(rng.choice(CHARACTERS) for _ in range(rng.randint(1, min(4, fits)))) if chinese
                else random_text(rng, fits))
        largest = 2
        while largest < 6 and (text_width(text, largest + 1) <= width - GRID and
                               font.CELL * (largest + 1) <= tall - GRID):
            largest += 1
        scale = rng.randint(min(3, largest), largest)
        x = rng.randint(0, max(0, width - text_width(text, scale)))
        y = line * tall + GRID - 1 + rng.randint(0, max(0, tall - font.CELL * scale - GRID))
        add_item(picture, write(picture, text, x, y, scale, near(rng, colour, 10), slots=True), colour, "line")
        texts.append(text)
    questions, last = [], []
    if number == 1:
        questions.append(Question("text", w.read(rng), texts[0]))
        questions.append(Question("attribute", w.text_colour(), w.colour(colours[0])))
        last.append(Question("description", w.describe(rng), w.the_text(texts[0])))
    else:
        for text, colour in zip(texts, colours):
            questions.append(Question("text", w.read_colour(colour), text))
        questions.append(Question("count", w.ask_lines(), str(number), "number"))
    return Scene([picture], questions, last)


# --- Charts and tables --------------------------------------------------------------------------------

def chart_scene(rng, w, height, width, level=1):
    picture = Picture(height, width, ground(rng))
    number = rng.randint(2, max(2, min(6, (width - 12) // 24, 3 + round(3 * level))))
    names, colours = rng.sample(LETTERS, number), rng.sample(COLOURS, number)
    values = [rng.randint(1, 9) for _ in range(number)]
    scale = 2 if min(height, width) < 200 else rng.randint(2, 4)
    left, label = 8, on_grid(height - 8 * scale)  # the labels' upper edge
    bottom = label - 3
    unit = (bottom - 6) // 10
    line = (150, 150, 155)
    for tick in range(1, 11):  # faint lines, each fifth darker
        shade = (150, 150, 155) if tick % 5 == 0 else (205, 205, 210)
        picture.shapes.append((raster.RECTANGLE, left, bottom - tick * unit, width - 2,
                               bottom - tick * unit + 1, *shade))
    wide = (width - left - 4) // number
    for i, (name, colour, value) in enumerate(zip(names, colours, values)):
        x0 = left + 2 + i * wide + wide // 6
        x1 = left + 2 + (i + 1) * wide - wide // 6
        picture.shapes.append((raster.RECTANGLE, x0, bottom - value * unit, x1, bottom,
                               *near(rng, colour)))
        add_item(picture, (x0, bottom - value * unit, x1, bottom), colour, "bar", i + 1, value,
                 font.INDEX[name] + 1)
        write(picture, name, (x0 + x1) // 2 - 5 * scale // 2 + GRID // 2, label, scale, (25, 25, 25))
    picture.shapes.append((raster.RECTANGLE, left - 2, 4, left, bottom + 2, *line))
    picture.shapes.append((raster.RECTANGLE, left - 2, bottom, width - 2, bottom + 2, *line))
    questions = []
    tallest, shortest = max(values), min(values)
    if values.count(tallest) == 1:
        at = values.index(tallest)
        questions.append(Question("chart", w.ask_tallest(), names[at]))
        questions.append(Question("chart", w.tallest_colour(), w.colour(colours[at])))
    if values.count(shortest) == 1:
        questions.append(Question("chart", w.ask_shortest(), names[values.index(shortest)]))
    questions.append(Question("chart", w.highest_value(), str(tallest), "number"))
    asked = rng.sample(range(number), min(3, number))
    for at in asked:
        questions.append(Question("chart", w.ask_value(names[at]), str(values[at]), "number"))
    at = rng.randrange(number)
    questions.append(Question("chart", w.bar_colour(names[at]), w.colour(colours[at])))
    questions.append(Question("count", w.ask_bars(), str(number), "number"))
    a, b = rng.sample(range(number), 2)
    questions.append(Question("chart", w.ask_taller(names[a], names[b]), w.yes(values[a] > values[b])))
    return Scene([picture], questions, [Question("description", w.describe(rng), w.the_chart(number))])


def table_scene(rng, w, height, width, level=1):
    picture = Picture(height, width, ground(rng))
    columns = rng.randint(2, max(2, min(4, width // 40 - 1, 2 + round(2 * level))))
    rows = rng.randint(2, max(2, min(5, (height - 4) // 24 - 1, 2 + round(3 * level))))
    names = rng.sample(LETTERS, columns)
    # Cells are whole steps of the grid, so that each digit stands alike in all of them.
    wide, tall = on_grid((width - 4) // (columns + 1)), on_grid((height - 4) // (rows + 1))
    longest = "00" if text_width("00", 2) + GRID <= wide and rng.random() < level else "0"
    scale = 1
    while scale < 4 and text_width(longest, scale + 1) + GRID <= wide and 8 * (scale + 1) <= tall:
        scale += 1
    scale = rng.randint(max(1, min(2, scale), scale - 1), scale)
    cells = [[rng.randint(0, 10 ** len(longest) - 1) for _ in range(columns)] for _ in range(rows)]
    ink, line = (25, 25, 25), (150, 150, 155)
    picture.shapes.append((raster.RECTANGLE, 2, 2, 2 + wide * (columns + 1), 2 + tall, 205, 215, 235))
    for i in range(columns + 2):
        x = 2 + i * wide
        picture.shapes.append((raster.RECTANGLE, x, 2, x + 1, 2 + tall * (rows + 1) + 1, *line))
    for i in range(rows + 2):
        y = 2 + i * tall
        picture.shapes.append((raster.RECTANGLE, 2, y, 2 + wide * (columns + 1), y + 1, *line))

    def put(text, row, column):
        x = column * wide + (wide - text_width(text, scale)) // 2 + GRID // 2
        write(picture, text, x, row * tall + max(4, (tall - 7 * scale) // 2) + GRID // 2, scale, ink,
              cell=(row + 1, column + 1, font.INDEX[names[column - 1]] + 1 if column else 0))
    for column in range(columns):
        put(names[column], 0, column + 1)
    for row in range(rows):
        put(str(row + 1), row + 1, 0)
        for column in range(columns):
            put(str(cells[row][column]), row + 1, column + 1)
    questions = []
    for at in rng.sample(range(rows * columns), min(4, rows * columns)):
        row, column = divmod(at, columns)
        questions.append(Question("table", w.ask_cell(row + 1, names[column]),
                                  str(cells[row][column]), "number"))
    questions.append(Question("table", w.ask_rows(), str(rows), "number"))
    questions.append(Question("table", w.ask_columns(), str(columns), "number"))
    return Scene([picture], questions,
                 [Question("description", w.describe(rng), w.the_table(rows, columns))])


# --- Clips, pairs, talk ---------------------------------------------------------------------------------

def make_clip(rng, w, height, width, frames):
    if rng.random() < 0.55:
        return motion_clip(rng, w, height, width, frames)
    return order_clip(rng, w, height, width, frames)


def motion_clip(rng, w, height, width, frames):
    background = ground(rng)
    way = rng.choice(["left", "right", "up", "down"])
    colour, shape = rng.choice(COLOURS), rng.choice(SHAPES)
    tint = near(rng, colour)
    size = rng.randint(min(height, width) // 5, min(height, width) // 3)
    along, across = (width, height) if way in ("left", "right") else (height, width)
    travel = rng.randint((along - size) // 2, along - size - 2)
    start = rng.randint(1, along - size - travel)
    fixed = rng.randint(1, across - size - 1)
    pictures = []
    for frame in range(frames):
        at = start + travel * frame // (frames - 1)
        if way in ("left", "up"):
            at = along - size - at
        x0, y0 = (at, fixed) if way in ("left", "right") else (fixed, at)
        picture = Picture(height, width, background)
        paint(picture, shape, (x0, y0, x0 + size, y0 + size), tint)
        pictures.append(picture)
    questions = [
        Question("motion", w.ask_motion(), w.way(way)),
        Question("attribute", w.ask_colour(shape), w.colour(colour)),
        Question("motion", w.what_moves(), w.a_thing(colour, shape)),
        Question("attribute", w.ask_shape(colour), w.shape(shape)),
    ]
    claim = way if rng.random() < 0.5 else rng.choice(["left", "right", "up", "down"])
    questions.append(Question("motion", w.moves_so(shape, claim), w.yes(way == claim)))
    last = [Question("description", w.describe(rng), w.moving(colour, shape, way))]
    return Scene(pictures, questions, last)


def order_clip(rng, w, height, width, frames):
    background = ground(rng)
    number = rng.randint(2, min(4, frames))
    colours = rng.sample(COLOURS, number)
    shape = rng.choice(SHAPES)
    size = rng.randint(min(height, width) // 3, min(height, width) * 2 // 3)
    x0, y0 = rng.randint(1, width - size - 1), rng.randint(1, height - size - 1)
    tints = [near(rng, colour) for colour in colours]
    pictures = []
    for frame in range(frames):
        picture = Picture(height, width, background)
        paint(picture, shape, (x0, y0, x0 + size, y0 + size), tints[frame * number // frames])
        pictures.append(picture)
    questions = [
        Question("order", w.colour_first(), w.colour(colours[0])),
        Question("order", w.colour_last(), w.colour(colours[-1])),
        Question("count", w.how_many_colours(), str(number), "number"),
        Question("attribute", w.what_shape(), w.shape(shape)),
    ]
    last = [Question("order", w.ask_order(), w.colours(colours))]
    return Scene(pictures, questions, last)


def make_pair(rng, w, first, second):
    """Two pictures of sizes (height, width)."""
    pictures = [Picture(*size, ground(rng)) for size in (first, second)]
    most = min(6, room_for(*first), room_for(*second))
    every = [(c, s) for c in COLOURS for s in SHAPES]
    pairs = rng.sample(every, rng.randint(1, most))
    if rng.random() < 0.5:  # the same things, or one of them repainted
        same = rng.random() < 0.5
        others = list(pairs)
        if not same:
            at = rng.randrange(len(others))
            others[at] = rng.choice([p for p in every if p not in pairs])
    else:
        others = rng.sample(every, rng.randint(1, most))
    things = [place(rng, pictures[0], pairs), place(rng, pictures[1], others)]
    questions = [Question("compare", w.ask_same(), w.yes(sorted(pairs) == sorted(others)))]
    difference = len(pairs) - len(others)
    questions.append(Question("compare", w.ask_more(),
                              w.which("same" if not difference else
                                      "first" if difference > 0 else "second")))
    for _ in range(2):
        pair = rng.choice(pairs + others)
        found = (pair in pairs, pair in others)
        questions.append(Question("compare", w.ask_which(*pair), w.which(
            "both" if all(found) else "first" if found[0] else "second")))
    side = rng.randrange(2)
    questions.append(Question("count", w.count_in(side), str(len(things[side])), "number"))
    side = rng.randrange(2)
    return Scene(pictures, questions, [Question("description", w.describe_one(side), w.listing(things[side]))])


def make_talk(rng, w):
    questions = []
    for _ in range(6):
        if rng.random() < 0.75:
            kind = rng.choice("+-*")
            if kind == "*":
                a, b = rng.randint(0, 9), rng.randint(0, 9)
                result = a * b
            else:
                a, b = rng.randint(0, 50), rng.randint(0, 49)
                if kind == "-" and b > a:
                    a, b = b, a
                result = a + b if kind == "+" else a - b
            questions.append(Question("arithmetic", w.ask_sum(a, kind, b), str(result), "number"))
        else:
            asked, answer = w.greeting(rng)
            questions.append(Question("greeting", asked, answer))
    return Scene([], questions)


def make_picture(rng, w, height, width, level=1):
    kind = rng.random()
    if kind < 0.44:
        return object_scene(rng, w, height, width, level)
    if kind < 0.74:
        return text_scene(rng, w, height, width, level)
    if kind < 0.88:
        return chart_scene(rng, w, height, width, level)
    return table_scene(rng, w, height, width, level)


def choose_turns(rng, scene, budget, cost):
    """Questions of the scene in the order of a talk, within a budget of tokens.

    cost(question) is the tokens of a question with its answer. A follow-up comes right after what it
    follows; what gives other answers away comes last, mostly.
    """
    firsts = [q for q in scene.questions if q.needs is None]
    rng.shuffle(firsts)
    if scene.last:
        if rng.random() < 0.25:
            firsts = scene.last + firsts
        elif rng.random() < 0.6:
            budget -= sum(map(cost, scene.last))
        else:
            scene = dataclasses.replace(scene, last=[])
    turns, used = [], 0
    for question in firsts:
        group = [question]
        group += [q for q in scene.questions if q.needs is question and rng.random() < 0.5]
        for member in group:
            price = cost(member)
            if used + price > budget and turns:
                break
            turns.append(member)
            used += price
    if scene.last and scene.last[0] not in turns:
        turns += scene.last
    return turns
