# SPDX-License-Identifier: MIT
"""Writes the table of docs/session-options.md as C++: optiondocs.py PAGE FILE."""
import json
import re
import sys

SECTIONS = {"Done": "{}.", "Refused": "Refused unless left as it is: {}.", "Accepted without effect": "Without effect: {}."}


def rows(page):
    section, before = None, ""
    for line in open(page, encoding="utf-8"):
        if line.startswith("## "):
            section = SECTIONS.get(line[3:].strip())
        row = re.match(r"\| `([\w.]+)` \| (.*) \|$", line.rstrip())
        if section and row:
            name, text = row.group(1), row.group(2).replace("`", "")
            before = before if text == "the same" else text
            text = section.format(before)
            yield name, text[0].upper() + text[1:]


def main(page, file):
    with open(file, "w", encoding="utf-8") as out:
        out.write('// Written by the build from docs/session-options.md.\n#include "optiondocs.hpp"\n\n'
                  "const std::vector<std::pair<std::string, std::string>> &optionDocs() {\n"
                  "  static const std::vector<std::pair<std::string, std::string>> all = {\n")
        for name, text in rows(page):
            out.write(f"      {{{json.dumps(name)}, {json.dumps(text, ensure_ascii=False)}}},\n")
        out.write("  };\n  return all;\n}\n")


main(*sys.argv[1:])
