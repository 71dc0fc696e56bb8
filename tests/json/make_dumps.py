#!/usr/bin/env python3
"""Writes dumps.json beside this file: JSON texts with what Python's json.dumps makes of them.

src/json/json_test.cpp expects parse_json and dump_json to give the same bytes. Run by hand after
adding a case; the file is committed, so that the test needs no Python.
"""

import json
import os
import random
import struct

TEXTS = [
    "null", "true", "false", "0", "-0", "0.0", "-0.0", "1", "-1", "1.0", "1e0", "1E5", "1e+5", "10e-1",
    "0.1", "-0.1", "0.2", "0.3", "1e16", "1e15", "9999999999999998.0", "1e17", "123456789012345680.0",
    "1e-4", "1e-5", "0.00012345", "0.000099999", "1e22", "1e23", "9007199254740993",
    "-9007199254740993", "9007199254740993.0", "9223372036854775807", "-9223372036854775808",
    "9223372036854775808", "18446744073709551615", "2.2250738585072014e-308",
    "2.2250738585072011e-308", "4.9e-324", "5e-324", "2e-324", "1e-400", "-1e-400",
    "1.7976931348623157e308", "123456.789", "3.141592653589793", "2.718281828459045235360287",
    "0.30000000000000004", "100", "100.0", "1e2", "5e6", "5000000.0", "1e-06", "1e-6", "0.5", "6.02214076e23",
    "1.0e-10", "8.5e-05", "0.1e1", "0.000001", "12345678901234567890.5",
    '""', '"a"', r'"\"\\\/\b\f\n\r\t"', r'"\u0000\u001f\u007f\u0080"', r'"\u00e9 \u4f60\u597d \ud83d\ude00"',
    '"é 你好 😀 \u2028\u2029"', '"<tag> & \'quote\'"',
    # Integers of any size, as ids and hashes in tool calls are; a point or an exponent makes a float.
    "18446744073709551616", "-9223372036854775809", "123456789012345678901",
    "-123456789012345678901234567890", '{"id":123456789012345678901}', "-0", "[-0,-0.0,0e0,-0e-0]",
    "1" + "0" * 400, "9" * 4300, "-" + "9" * 4300, "123456789012345678901.0", "1E20", "1e+20",
    "100000000000000000000", "[1,1.0,1e0,10,10.0,1e1]", "1E-2", "12e-1", "0.10",
    '{"min":-123456789012345678901,"enum":[1,340282366920938463463374607431768211456,1.5,"x",null]}',
    '{"z":{"b":1,"a":99999999999999999999},"y":[],"a":{}}', '"\x7f \\u007f \u2028 \\u2029 \\/ /"',
    "[]", "[ ]", "{}", "{ }", "[[]]", "[{}]", '{"a":{}}', '{"":1}', "[1,2,3]", '[1,[2,[3,[]]],{"a":[]}]',
    '{"b":1,"a":2,"c":[true,false,null]}', ' \t\r\n{ "z" : [ 1 , 2.5 , "x" ] , "y" : { "k" : -0.0 } } \n',
    '{"name":"f","parameters":{"type":"object","properties":{"city":{"type":"string",'
    '"description":"Größe"}},"required":["city"]}}',
]


def random_doubles(count):
    rng = random.Random(20260101)
    out = []
    while len(out) < count:
        kind = len(out) % 4
        if kind == 0:    # any bits
            d = struct.unpack("<d", struct.pack("<Q", rng.getrandbits(64)))[0]
        elif kind == 1:  # everyday sizes
            d = rng.uniform(-1, 1) * 10 ** rng.randint(-6, 18)
        elif kind == 2:  # few digits
            d = rng.randint(-99999, 99999) * 10.0 ** rng.randint(-12, 25)
        else:            # f32 values, as weights and scores are
            d = struct.unpack("<f", struct.pack("<f", rng.uniform(-100, 100)))[0]
        if d == d and abs(d) != float("inf"):
            out.append(d)
    return out


def main():
    doubles = random_doubles(800)
    texts = TEXTS + ["[" + ", ".join(form % d for d in doubles) + "]"
                     for form in ("%r", "%.17g", "%.30e")]
    # Halfway between two doubles, and a digit to either side: where a hasty parser goes wrong.
    halves = ["9007199254740993.0", "9007199254740993.00000000000000001", "9007199254740992.99999999999",
              "1.00000000000000011102230246251565404236316680908203125",
              "1.00000000000000011102230246251565404236316680908203124",
              "1.00000000000000011102230246251565404236316680908203126",
              "2.2250738585072011e-308", "6929495644600919.5", "3.518437208883201171875e13"]
    texts.append("[" + ",".join(halves) + "]")
    cases = [[t, json.dumps(json.loads(t), ensure_ascii=False),
              json.dumps(json.loads(t), ensure_ascii=False, indent=2) if len(t) < 2000 else None]
             for t in texts]
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "dumps.json")
    with open(path, "w", encoding="utf-8") as f:
        f.write('{"cases": [\n' + ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases) + "\n]}\n")


if __name__ == "__main__":
    main()
