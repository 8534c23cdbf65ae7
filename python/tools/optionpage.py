# SPDX-License-Identifier: MIT
"""The tables of docs/session-options.md from popart/internal/openipu/SessionOptions.def: optionpage.py PAGE DEF writes them in place."""
import json
import re
import sys

SECTIONS = {"Done": ("Done", "what it does"), "Refused": ("Refused", "why"), "WithoutEffect": ("Accepted without effect", "why")}
KEYS = {"Program": "yes", "Model": "yes", "Own": "yes", "None": ""}


def rows(text):
    """(name, key, use, words) of every option that the table tells of."""
    text = re.sub(r"^\s*(//|#).*$", "", text, flags=re.M)
    for match in re.finditer(r'\bOPTION(?:_CPP|_PART)?\(([\w, ]+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)\)', text):
        *name, key, use = [word.strip() for word in match.group(1).split(",")]
        words = "".join(json.loads(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', match.group(2)))
        yield ".".join(name), key, use, words


def tables(text):
    """{title of a section: its table}"""
    out = {}
    for use, (title, column) in SECTIONS.items():
        lines = [f"| option | {column} | in the key |", "|---|---|---|"]
        lines += [f"| `{name}` | {words} | {KEYS[key]} |" for name, key, of, words in rows(text) if of == use]
        out[title] = "\n".join(line.replace("|  |", "| |") for line in lines)
    return out


def page_with(page, text):
    for title, table in tables(text).items():
        page = re.sub(rf"(?ms)(^## {title}\n.*?)^\|.*?(?=^[^|])", lambda m: m.group(1) + table + "\n", page, count=1)
    return page


if __name__ == "__main__":
    page, table = sys.argv[1:]
    with open(page, encoding="utf-8") as file, open(table, encoding="utf-8") as words:
        written = page_with(file.read(), words.read())
    with open(page, "w", encoding="utf-8") as file:
        file.write(written)
