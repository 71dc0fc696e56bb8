#!/usr/bin/env python3
"""Tests tools/natural_order.py with the names of src/base/natural_order_test.cpp. Run by ctest (tests/house)."""
import pathlib
import random
import re
import unittest

from natural_order import natural_key

TEST = pathlib.Path(__file__).parent.parent / "src/base/natural_order_test.cpp"


class NaturalOrder(unittest.TestCase):
    def test_same_order_as_the_program(self):
        listed = TEST.read_text(encoding="utf-8").split("kInOrder = {")[1].split("};")[0]
        names = re.findall(r'"([^"]*)"', listed)
        self.assertGreater(len(names), 30)
        mixed = names[:]
        random.Random(1).shuffle(mixed)
        self.assertEqual(sorted(mixed, key=natural_key), names)

    def test_the_last_part_of_a_path_counts(self):
        paths = [pathlib.Path("clip10/2.png"), pathlib.Path("clip9/10.png")]
        self.assertEqual(sorted(paths[::-1], key=natural_key), paths)


if __name__ == "__main__":
    unittest.main()
