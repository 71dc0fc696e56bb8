"""Every phrase of the demo model's questions and answers, in English and in Chinese.

scenes.py asks through the class of a language; make_tokenizer.py gives each word of `units` one token.
Answers are graded by their exact text, so each has one wording only.
"""

DRAWN = ["OPEN", "STOP", "EXIT", "SALE", "TAXI", "HELP", "ZOO", "CAFE", "BUS", "HOTEL", "PARK", "SHOP",
         "FREE", "SLOW", "NORTH", "SOUTH", "EAST", "WEST", "MENU", "BANK", "TEA", "MILK", "RIVER", "TRAIN",
         "MUSEUM", "STREET", "WATER", "BREAD", "GARDEN", "PLEASE"]


class English:
    language = "en"

    def colour(self, name):
        return name

    def shape(self, name):
        return name

    def thing(self, colour, shape):
        return f"{colour} {shape}"

    def a_thing(self, colour, shape):
        return f"{'an' if colour[0] in 'aeiou' else 'a'} {colour} {shape}"

    def plural(self, shape):
        return {"cross": "crosses"}.get(shape, shape + "s")

    def yes(self, so):
        return "yes" if so else "no"

    def side(self, name):
        return name

    def way(self, name):
        return name

    def which(self, name):
        return {"same": "equal", "both": "both"}.get(name, f"the {name}")

    def ask_colour(self, shape):
        return f"What colour is the {shape}?"

    def and_shape(self, shape):
        return f"And the {shape}?"

    def ask_shape(self, colour):
        return f"What shape is the {colour} object?"

    def and_colour(self, colour):
        return f"And the {colour} object?"

    def ask_count(self, colour, shape):
        what = " ".join(filter(None, [colour, self.plural(shape) if shape else "objects"]))
        return f"How many {what} are there?"

    def of_them(self, colour):
        return f"How many of them are {colour}?"

    def ask_exists(self, colour, shape):
        return f"Is there {self.a_thing(colour, shape)}?"

    def ask_where(self, a, b):
        return f"Where is the {self.thing(a.colour, a.shape)}, seen from the {self.thing(b.colour, b.shape)}?"

    def ask_side(self, a, b, side):
        side = {"left": "left of", "right": "right of"}.get(side, side)
        return f"Is the {self.thing(a.colour, a.shape)} {side} the {self.thing(b.colour, b.shape)}?"

    def locate(self, label):
        return f"Locate the {label}."

    def describe(self, rng):
        return rng.choice(["Describe the picture.", "What is in the picture?", "What do you see?"])

    def describe_one(self, side):
        return f"Describe the {('first', 'second')[side]} picture."

    def listing(self, things):
        return ", ".join(self.a_thing(t.colour, t.shape) for t in things)

    def read(self, rng):
        return rng.choice(["Read the text.", "What does the text say?"])

    def read_colour(self, colour):
        return f"Read the {colour} text."

    def text_colour(self):
        return "What colour is the text?"

    def ask_lines(self):
        return "How many lines of text are there?"

    def the_text(self, text):
        return f"the text {text}"

    def the_chart(self, number):
        return f"a bar chart with {number} bars"

    def the_table(self, rows, columns):
        return f"a table with {rows} rows and {columns} columns"

    def ask_tallest(self):
        return "Which bar is the tallest?"

    def tallest_colour(self):
        return "What colour is the tallest bar?"

    def ask_shortest(self):
        return "Which bar is the shortest?"

    def highest_value(self):
        return "What is the highest value?"

    def ask_value(self, name):
        return f"What is the value of {name}?"

    def bar_colour(self, name):
        return f"What colour is bar {name}?"

    def ask_bars(self):
        return "How many bars are there?"

    def ask_taller(self, a, b):
        return f"Is bar {a} taller than bar {b}?"

    def ask_cell(self, row, column):
        return f"What is in row {row}, column {column}?"

    def ask_rows(self):
        return "How many rows are there?"

    def ask_columns(self):
        return "How many columns are there?"

    def ask_motion(self):
        return "Which way does it move?"

    def what_moves(self):
        return "What moves?"

    def moves_so(self, shape, way):
        return f"Does the {shape} move {way}?"

    def moving(self, colour, shape, way):
        return f"{self.a_thing(colour, shape)} moves {way}"

    def colour_first(self):
        return "Which colour comes first?"

    def colour_last(self):
        return "Which colour comes last?"

    def how_many_colours(self):
        return "How many colours are there?"

    def what_shape(self):
        return "What shape is it?"

    def ask_order(self):
        return "In which order do the colours come?"

    def colours(self, names):
        return ", ".join(names)

    def ask_same(self):
        return "Do both pictures show the same objects?"

    def ask_more(self):
        return "Which picture has more objects?"

    def ask_which(self, colour, shape):
        return f"Which picture has {self.a_thing(colour, shape)}?"

    def count_in(self, side):
        return f"How many objects are in the {('first', 'second')[side]} picture?"

    def ask_sum(self, a, kind, b):
        return f"What is {a} {kind} {b}?"

    def greeting(self, rng):
        return rng.choice([
            ("Hello", "Hello! Ask me about a picture."), ("Hello!", "Hello! Ask me about a picture."),
            ("Hi", "Hello! Ask me about a picture."), ("Thank you.", "You are welcome."),
            ("Goodbye.", "Goodbye!"), ("How are you?", "I am well, thank you."),
            ("Who are you?", "I am a small model that answers questions about pictures."),
            ("What can you do?", "I answer questions about pictures and short clips.")])


class Chinese(English):
    language = "zh"
    COLOURS = {"red": "红色", "orange": "橙色", "yellow": "黄色", "green": "绿色", "blue": "蓝色",
               "purple": "紫色", "pink": "粉色", "brown": "棕色", "gray": "灰色", "black": "黑色"}
    SHAPES = {"circle": "圆形", "square": "方形", "triangle": "三角形", "diamond": "菱形",
              "cross": "十字形", "ring": "圆环"}
    SIDES = {"left": "左边", "right": "右边", "above": "上边", "below": "下边"}
    WAYS = {"left": "向左", "right": "向右", "up": "向上", "down": "向下"}
    NUMBERED = ("第一张图", "第二张图")

    def colour(self, name):
        return self.COLOURS[name]

    def shape(self, name):
        return self.SHAPES[name]

    def thing(self, colour, shape):
        return self.COLOURS[colour] + self.SHAPES[shape]

    a_thing = thing

    def yes(self, so):
        return "是" if so else "不是"

    def side(self, name):
        return self.SIDES[name]

    def way(self, name):
        return self.WAYS[name]

    def which(self, name):
        return {"same": "一样多", "both": "两张都有", "first": "第一张", "second": "第二张"}[name]

    def ask_colour(self, shape):
        return f"{self.SHAPES[shape]}是什么颜色？"

    def and_shape(self, shape):
        return f"{self.SHAPES[shape]}呢？"

    def ask_shape(self, colour):
        return f"{self.COLOURS[colour]}的物体是什么形状？"

    def and_colour(self, colour):
        return f"{self.COLOURS[colour]}的物体呢？"

    def ask_count(self, colour, shape):
        return f"有几个{self.COLOURS[colour] if colour else ''}{self.SHAPES[shape] if shape else '物体'}？"

    def of_them(self, colour):
        return f"其中几个是{self.COLOURS[colour]}？"

    def ask_exists(self, colour, shape):
        return f"是不是有{self.thing(colour, shape)}？"

    def ask_where(self, a, b):
        return f"{self.thing(a.colour, a.shape)}在{self.thing(b.colour, b.shape)}的哪边？"

    def ask_side(self, a, b, side):
        return f"{self.thing(a.colour, a.shape)}是不是在{self.thing(b.colour, b.shape)}的{self.SIDES[side]}？"

    def locate(self, label):
        return f"定位{label}。"

    def describe(self, rng):
        return rng.choice(["描述这张图。", "图里有什么？", "你看到什么？"])

    def describe_one(self, side):
        return f"描述{self.NUMBERED[side]}。"

    def listing(self, things):
        return "，".join(self.thing(t.colour, t.shape) for t in things)

    def read(self, rng):
        return rng.choice(["读出文字。", "文字写的是什么？"])

    def read_colour(self, colour):
        return f"读出{self.COLOURS[colour]}的文字。"

    def text_colour(self):
        return "文字是什么颜色？"

    def ask_lines(self):
        return "有几行文字？"

    def the_text(self, text):
        return f"文字：{text}"

    def the_chart(self, number):
        return f"柱状图，{number}根柱子"

    def the_table(self, rows, columns):
        return f"表格，{rows}行{columns}列"

    def ask_tallest(self):
        return "哪根柱子最高？"

    def tallest_colour(self):
        return "最高的柱子是什么颜色？"

    def ask_shortest(self):
        return "哪根柱子最矮？"

    def highest_value(self):
        return "最大的值是多少？"

    def ask_value(self, name):
        return f"{name}的值是多少？"

    def bar_colour(self, name):
        return f"柱子{name}是什么颜色？"

    def ask_bars(self):
        return "有几根柱子？"

    def ask_taller(self, a, b):
        return f"柱子{a}是不是比柱子{b}高？"

    def ask_cell(self, row, column):
        return f"第{row}行{column}列是多少？"

    def ask_rows(self):
        return "有几行？"

    def ask_columns(self):
        return "有几列？"

    def ask_motion(self):
        return "它向哪里移动？"

    def what_moves(self):
        return "什么在移动？"

    def moves_so(self, shape, way):
        return f"{self.SHAPES[shape]}是不是{self.WAYS[way]}移动？"

    def moving(self, colour, shape, way):
        return f"{self.thing(colour, shape)}{self.WAYS[way]}移动"

    def colour_first(self):
        return "最先出现什么颜色？"

    def colour_last(self):
        return "最后出现什么颜色？"

    def how_many_colours(self):
        return "有几种颜色？"

    def what_shape(self):
        return "它是什么形状？"

    def ask_order(self):
        return "颜色按什么顺序出现？"

    def colours(self, names):
        return "，".join(self.COLOURS[name] for name in names)

    def ask_same(self):
        return "两张图的物体是不是一样？"

    def ask_more(self):
        return "哪张图的物体更多？"

    def ask_which(self, colour, shape):
        return f"哪张图有{self.thing(colour, shape)}？"

    def count_in(self, side):
        return f"{self.NUMBERED[side]}有几个物体？"

    def ask_sum(self, a, kind, b):
        return f"{a} {kind} {b} 是多少？"

    def greeting(self, rng):
        return rng.choice([
            ("你好", "你好！请问我关于图片的问题。"), ("你好！", "你好！请问我关于图片的问题。"),
            ("谢谢。", "不客气。"), ("再见。", "再见！"), ("你好吗？", "我很好，谢谢。"),
            ("你是谁？", "我是回答图片问题的小模型。"),
            ("你会做什么？", "我回答关于图片和短片的问题。")])


LANGUAGES = {"en": English(), "zh": Chinese()}

# Chinese is written without spaces: these are the pieces that get a token of their own.
CHINESE_UNITS = """红色 橙色 黄色 绿色 蓝色 紫色 粉色 棕色 灰色 黑色 圆形 方形 三角形 菱形 十字形 圆环 左边 右边
上边 下边 向左 向右 向上 向下 第一张图 第二张图 第一张 第二张 一样多 两张都有 是什么颜色 呢 的物体 是什么形状 有几个
物体 其中几个是 是不是有 是不是在 是不是 在 的 哪边 定位 描述 这张图 图里有什么 你看到什么 读出 文字 写的是什么
有几行 有几列 有几根 柱子 柱状图 根 表格 行 列 哪根 最高 最矮 最大 值 是多少 比 高 第 它向哪里移动 什么在移动 移动
最先出现 最后出现 什么颜色 有几种颜色 它 颜色按什么顺序出现 两张图 一样 哪张图 更多 有 你好 请问我 关于图片 问题 谢谢
不客气 再见 你好吗 我很好 你是谁 我是 回答 小模型 你会做什么 和短片 不是 是 我""".split()
