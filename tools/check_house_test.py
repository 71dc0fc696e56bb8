#!/usr/bin/env python3
"""Tests tools/check_house: a small tree without fault passes, and each planted violation is found.

Run by ctest (tests/house). Every rule of check_house has at least one violation here, and a test
fails if a rule has none.
"""

import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
CHECK = os.path.join(HERE, "check_house")

ROOMS = """# The rooms of this small tree.
room(base)
room(tensor USES base LINKS cuda)
room(ops USES base tensor)
room(ask USES base)
room(app USES base tensor
         ask ops LINKS fmt)
"""
MAP = """# The map

| step | room | uses | what |
|---|---|---|---|
| 0 | `base` | – | the ground |
| 1 | `tensor` | base | numbers |
| 1 | `ask` | base | nouns |
| 2 | `ops` | base tensor | sums |
| 3 | `app` | base tensor ask ops | everything |

`tensor/device.h` `allocate` takes memory; `base/check.{h,cpp}` fails; see `app/main.cpp:run` and
`start()`. Run `make check`. Names to fill in: `ops/NAME/NAME.h`, `v1/chat`, `application/json`.
"""
OPENING = "// What lives here.\n"
GOOD = {
    "cmake/rooms.cmake": ROOMS,
    "docs/house.md": MAP,
    "Makefile": "# Targets.\ncheck:\n\ttrue\n",
    "src/base/check.h": OPENING + "#pragma once\nstruct Basement {};\n",
    "src/base/check.cpp": OPENING + '#include "base/check.h"\n',
    "src/tensor/device.h": OPENING + '#include "base/check.h"\nvoid* allocate(long n);\n',
    "src/tensor/device_cuda.cpp": OPENING + "#ifdef SAKER_X\n#endif\nvoid* a = cudaMalloc(1'000);\n",
    "src/ask/channel.h": OPENING + "std::shared_ptr<int> channel;  // getenv in a comment\n",
    "src/app/main.cpp": OPENING + '#include "ops/add/add.h"\n#include "tensor/device.h"\n'
                        'int run();\nint start() { return getenv("KEY") != nullptr; }\n',
    "src/ops/add/add.h": OPENING + "#if HWY_ONCE && !defined(NDEBUG)\n#endif\n",
    "src/ops/add/add.cpp": OPENING + '#include "tensor/device.h"\nconst char* s = "cudaMalloc";\n',
    "src/ops/add/add_ref.cpp": OPENING,
    "src/ops/add/add_cpu.cpp": OPENING + '#include "ops/add/add_cpu.cpp"\n',
    "src/ops/add/add_cases.h": OPENING,
    "src/ops/add/add_cuda.h": OPENING,
    "src/ops/add/add_cuda.cu": OPENING + '#include "ops/add/add_cuda.h"\n',
    "src/ops/add/add_test.cpp": OPENING,
    "tests/golden/model.json": "{}",
}

# rule -> [(path, text or None to remove the file, words that the report must hold)]
PLANTED = {
    "staircase": [
        ("src/base/up.h", OPENING + '#include "tensor/device.h"\n', "room base may use no other room"),
        ("src/ask/side.cpp", OPENING + '  #  include "ops/add/add.h"\n', "room ask may use base"),
        ("src/attic/a.h", OPENING, "is no room"),
        ("src/app/lost.cpp", OPENING + '#include "base/nowhere.h"\n', "is no file"),
        ("cmake/rooms.cmake", ROOMS.replace("room(base)", "room(base USES app)"), "no line above"),
    ],
    "circles": [
        ("src/base/check.h", OPENING + '#include "base/check.h"\n#include "base/ring.h"\n', None),
    ],
    "ops": [
        ("src/ops/add/add_ref.cpp", None, "lacks add_ref.cpp"),
        ("src/ops/mul/mul.h", OPENING, "src/ops/mul: lacks mul.cpp"),
    ],
    "cuda": [
        ("src/app/reach.cpp", OPENING + '#include "ops/add/add_cuda.h"\n', "another folder"),
        ("tests/golden/reach.cpp", OPENING + '#include "ops/add/add_cuda.h"\n', "another folder"),
    ],
    "allocation": [
        ("src/ops/add/add_cuda.cu", OPENING + "void f() { cudaMallocAsync(&p, n, s); }\n", "memory"),
        ("bench/b.cpp", OPENING + "void f() { cudaHostAlloc(&p, n, 0); }\n", "memory"),
    ],
    "environment": [
        ("src/ops/add/add_cpu.cpp", OPENING + 'auto v = std::getenv("FAST");\n', "environment"),
    ],
    "ownership": [
        ("src/app/main.cpp", OPENING + "int run, start;\nauto p = std::make_shared<int>(1);\n",
         "ownership"),
    ],
    "conditionals": [
        ("src/app/opt.cpp", OPENING + "#ifdef USE_FAST\n#endif\n", "USE_FAST"),
        ("src/app/opt.cpp", OPENING + "#if defined(NDEBUG) && SAKER_BUILT_CUDA\n#endif\n",
         "SAKER_BUILT_CUDA"),
        ("src/app/opt.cpp", OPENING + "#if 0\n#endif\n", "switched off"),
    ],
    "comments": [
        ("src/app/bare.cpp", "int x;\n", "does not open"),
        ("tools/bare", "#!/bin/sh\nexit 0\n", "does not open"),
    ],
    "names": [
        ("src/app/engine_utils.h", OPENING, "'utils'"),
        ("src/app/common/x.json", "{}", "'common'"),
        ("src/app/page.h", OPENING + "class PageManager {};\n", "PageManager"),
    ],
    "unfinished": [
        ("src/app/later.cpp", OPENING + "// TO" "DO: finish\n", "later"),
        ("tests/golden/path.cpp", OPENING + 'auto p = "/ho' 'me/somebody/model";\n', "one machine"),
    ],
    "documents": [
        ("docs/path.md", "See `engine/loop.cpp`.\n", "`engine/loop.cpp` does not exist"),
        ("docs/path.md", "See `src/app/gone`.\n", "does not exist"),
        ("docs/path.md", "See `app/main.cpp` `Main::gone`.\n", "has no `Main::gone`"),
        ("docs/path.md", "See `app/main.cpp:gone`.\n", "has no `gone`"),
        ("docs/path.md", "See `base/check.{h,cu}`.\n", "`base/check.cu` does not exist"),
        ("README.md", "Call `vanished()`.\n", "`vanished()` is no function"),
        ("README.md", "Run `make nothing`.\n", "no target"),
    ],
    "map": [
        ("docs/house.md", None, "is missing"),
        ("docs/house.md", MAP.replace("| 1 | `ask` | base | nouns |\n", ""), "no row for room ask"),
        ("docs/house.md", MAP.replace("| 2 | `ops` | base tensor |", "| 2 | `ops` | base |"), "says"),
        ("docs/house.md", MAP.replace("| 2 | `ops`", "| 4 | `ops`"), "step 4"),
        ("docs/house.md", MAP + "\n| 1 | `attic` | base | old |\n", "row for attic"),
    ],
}


def run_check(tree, *options):
    with tempfile.TemporaryDirectory() as root:
        for path, text in tree.items():
            if text is None:
                continue
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as f:
                f.write(text)
        return subprocess.run([sys.executable, CHECK, "--root", root, *options],
                              capture_output=True, text=True, check=False)


class CheckHouse(unittest.TestCase):
    def test_a_tree_without_fault_passes(self):
        done = run_check(GOOD)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 violations", done.stdout)

    def test_each_planted_violation_is_found(self):
        for rule, plants in PLANTED.items():
            for path, text, words in plants:
                with self.subTest(rule=rule, path=path, words=words):
                    tree = {**GOOD, path: text}
                    if rule == "circles":
                        tree["src/base/ring.h"] = OPENING + '#include "base/check.h"\n'
                    done = run_check(tree)
                    self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                    self.assertIn(f"[{rule}]", done.stdout)
                    self.assertIn(f"  {rule}: ", done.stdout)  # the reason
                    if words:
                        self.assertIn(words, done.stdout)
                    # And that rule alone: a fault is not reported under another's name.
                    others = [r for r in PLANTED if r != rule and f"[{r}]" in done.stdout]
                    if path == "cmake/rooms.cmake":
                        others.remove("map")  # the page no longer says the same, and is told so
                    self.assertEqual(others, [], done.stdout)

    def test_every_rule_has_a_planted_violation(self):
        loader = importlib.machinery.SourceFileLoader("check_house", CHECK)
        sys.dont_write_bytecode = True
        module = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("check_house", loader))
        loader.exec_module(module)
        self.assertEqual({name for name, _, _ in module.RULES}, set(PLANTED))

    def test_sizes_only_warn(self):
        done = run_check({**GOOD, "src/app/long.cpp": OPENING + "int x;\n" * 600})
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("note: src/app/long.cpp: 601 lines", done.stdout)


if __name__ == "__main__":
    unittest.main()
