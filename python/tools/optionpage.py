# SPDX-License-Identifier: MIT
"""The tables of options in docs/, each from the table that the code reads: optionpage.py [PAGE...] writes them in place.

engine-options.md and session-options.md are made from the tables in C++ alone; the pages of front ends need their packages
(PYTHONPATH=build/ci/python). PAGE sessionoptions.hpp: the members of new session options in their header.
"""
import enum
import inspect
import json
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parents[2]


def table(columns, rows):
    """Cells of markdown."""
    lines = ["| " + " | ".join(line).replace("<", "&lt;") + " |" for line in (columns, *rows)]
    return "\n".join([lines[0], "|---" * len(columns) + "|", *lines[1:]]).replace("|  |", "| |")


def sentence(text):
    """A docstring as words within a table."""
    text = " ".join(text.split()).removesuffix(".")
    return text[0].lower() + text[1:] if re.match(r"([A-Z][a-z]+|A)(?!\w)", text) else text


# ---- Poplar

def engine_tables():
    return (root / "poplar/src/options/OptionTable.cpp").read_text()


def engine_rows(text):
    """{table: [(key, type, default, choices, effect)]} of the tables in C++."""
    named = dict(re.findall(r'constexpr const char \*(\w+) =\s*"(.*?)";', text))
    tables = {}
    for table_name, body in re.findall(r"(?ms)^constexpr OptionInfo (\w+)Table\[\] = \{$(.*?)^};$", text):
        rows = tables.setdefault(table_name, [])
        for key, kind, default, choices, effect in re.findall(
                r'\{"([\w.]+)", (\w+), "(.*?)",\s*"(.*?)",\s*((?:"(?:[^"\\]|\\.)*"\s*)+|\w+)\}', body):
            words = named.get(effect) or "".join(json.loads(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', effect))
            rows.append((key, kind, default, choices, words))
    return tables


def engine():
    tables = engine_rows(engine_tables())
    at_run = {key for key, *_ in tables["runtime"]}

    def values(kind, choices):
        words = {"Bool": "true, false", "Integer": "a whole number", "Number": "a number", "Text": "text",
                 "Regex": "a regular expression"}.get(kind)
        chosen = ", ".join(f"`{choice}`" for choice in choices.split("|") if choice)
        return chosen if kind == "Choice" else f"{words}, or {chosen}" if chosen else words

    def rows(effective):
        for key, kind, default, choices, effect in tables["engine"]:
            if effect.startswith("no effect") != effective:
                shown_default = f"`{default}`" if default else ""
                yield [f"`{key}`", values(kind, choices), shown_default, effect.removeprefix("no effect: "), yes(key in at_run)]
    return {title: table(["option", "values", "default", column, "for a run"], rows(effective))
            for title, column, effective in (("Acts", "what it does", True), ("Accepted without effect", "why", False))}


# ---- PopART

SECTIONS = {"Done": ("Done", "what it does"), "Refused": ("Refused", "why"),
            "WithoutEffect": ("Accepted without effect", "why")}


def session_rows(text):
    """(name, key, use, words) of every option that the .def tells of."""
    for name, key, use, words, _ in _session_rows(text):
        yield name, key, use, words


def _session_rows(text):
    """The same, and the member: "type = default", or "" where a struct has it."""
    text = re.sub(r"^\s*(//|#).*$", "", text, flags=re.M)
    for match in re.finditer(r'(?ms)^OPTION(?:_CPP|_PART)?\(([\w, ]+),\s*((?:"(?:[^"\\]|\\.)*"\s*)+)(?:,\s*(.*?))?\)$', text):
        *name, key, use = [word.strip() for word in match.group(1).split(",")]
        words = "".join(json.loads(part) for part in re.findall(r'"(?:[^"\\]|\\.)*"', match.group(2)))
        yield ".".join(name), key, use, words, " ".join((match.group(3) or "").split())


def session_table():
    return (root / "popart/internal/openipu/SessionOptions.def").read_text()


SESSION_HEADER = root / "popart/include/popart/sessionoptions.hpp"


def session_members(header):
    """{option: ("type = default", where its declaration ends)} of the struct SessionOptions."""
    start = header.index("\nstruct SessionOptions {")
    found = {}
    for line in re.finditer(r"(?m)^  ([\w:]+(?:<.*?>)?) ([^;()]*?(?:\([^;()]*\))?);.*\n", header[start:]):
        kind, names = line.groups()
        for name in re.split(r",\s*(?=\w+\s*(?:=|$|,))", names):
            name, _, default = (" ".join(part.split()) for part in name.partition("="))
            found[name] = kind + (f" = {default}" if default else ""), start + line.end()
    return found


def written_header():
    """The header with a member for each row of the table; one that it lacks stands behind that of the row before."""
    header, before = SESSION_HEADER.read_text(), None
    for name, _, _, _, member in _session_rows(session_table()):
        there = session_members(header)
        if not member:
            continue
        if name not in there:
            at = there[before][1]
            kind, _, default = member.partition(" = ")
            header = header[:at] + f"  {kind} {name}{default and ' = ' + default};\n" + header[at:]
        elif there[name][0] != member:
            sys.exit(f"{SESSION_HEADER.name} has {there[name][0]} for {name}, and the table {member}.")
        before = name
    return header


def session():
    rows = list(session_rows(session_table()))
    return {title: table(["option", column, "in the key"], [[f"`{name}`", words, yes(key != "None")]
                                                            for name, key, of, words in rows if of == use])
            for use, (title, column) in SECTIONS.items()}


def yes(so):
    return "yes" if so else ""


# ---- TensorFlow

def tensorflow():
    from tensorflow.framework import no_effect
    from tensorflow.ops import placement
    from tensorflow.python.ipu import config_table, flags
    rows = config_table.TABLE.values()

    def described(row):
        default = row.default.name if isinstance(row.default, enum.Enum) else repr(row.default)
        return [f"`{row.name}`", " or ".join(t.__name__ for t in row.types), f"`{default}`", sentence(row.__doc__)]
    return {
        "Attributes that act": table(["attribute", "type", "default", "what it does", "in the key"], [
            [*described(row), yes(row.in_key)] for row in rows if not row.without_effect]),
        "Attributes without effect": table(["attribute", "type", "default", "what it is", "why"], [
            [*described(row), row.without_effect] for row in rows if row.without_effect]),
        "Where tensors are kept": table(["argument", "what it does"], [
            [f"`{name}`", argument.words] for name, argument in placement.ARGUMENTS.items()]),
        "Arguments without effect": table(["argument", "why"], [
            [f"`{name}`", words] for name, words in no_effect.ARGUMENTS.items()]),
        "Flags": table(["flag", "default", "what it does"], [
            [f"`--{name}`", f"`{default!r}`", sentence(words)] for name, (default, words) in flags.FLAGS.items()]),
    }


# ---- Paddle

def paddle():
    from paddle.ipu import options
    from paddle.static import IpuStrategy
    strategy = IpuStrategy()
    rows = [(row.use, row.words, row.in_key) for row in options.OWN.values()]
    for field in (*options.SESSION.values(), *options.LOCATIONS.values()):
        use, in_key = session_use(field)
        rows.append((use, f"`{field}`", in_key))
    rows += [(row.use, row.words, row.in_key) for row in options.OTHERS.values()]
    return {"Options of IpuStrategy": table(["option", "default", "here", "in the key"], [
        [f"`{name}`", shown(strategy.get_option(name)), f"{use}: {words}", yes(in_key)]
        for name, (use, words, in_key) in zip(options.all_names(), rows)])}


def session_use(field):
    """What becomes of a session option, or of most members of a struct among them; whether it is in the key."""
    uses = {"Done": "acts", "WithoutEffect": "without effect", "Refused": "refused"}
    rows = [(use, key) for name, key, use, _ in session_rows(session_table()) if name.split(".")[0] == field]
    return next(word for use, word in uses.items() if use in [own for own, _ in rows]), any(key != "None" for _, key in rows)


def shown(default):
    if default == 2**64 - 1:
        return "`2**64 - 1`"
    return f"`{default!r}`" if isinstance(default, (bool, int, float, str, dict)) else ""


# ---- PopTorch

def poptorch():
    from poptorch import Options
    from poptorch.options.base import OptionSet, Own
    sections = {"Acts": "", "Refused": "Refused: ", "Accepted without effect": "Without effect: "}
    kinds = [("", Options), ("", Options.__mro__[1])]
    kinds += [(f"{name}.", type(getattr(Options(), name))) for name, own in vars(Options).items()
              if isinstance(own, property) and isinstance(getattr(Options(), name), OptionSet)]
    methods = [(prefix + name, own.__doc__) for prefix, kind in kinds for name, own in vars(kind).items()
               if inspect.isfunction(own) and own.__annotations__.get("return") is Own]  # others are questions
    rows = {title: [] for title in sections}
    for name, doc in methods:
        title = next(title for title in reversed(sections) if doc.startswith(sections[title]))
        words = sentence(doc.removeprefix(sections[title]))
        rows[title].append([f"`{name}`", re.sub(r"docs/(\S+\.md)", r"[\1](\1)", words)])
    return {title: table(["option", "why" if sections[title] else "what it does"], own) for title, own in rows.items()}


# ---- pages

PAGES = {"engine-options.md": engine, "session-options.md": session, "tensorflow-options.md": tensorflow, "paddle.md": paddle,
         "poptorch-options.md": poptorch}


def written(name):
    """The page as its tables want it."""
    page = (root / "docs" / name).read_text(encoding="utf-8")
    for title, text in PAGES[name]().items():
        place = rf"(?ms)(^## {title}\n[^|]*?)^\|.*?(?=^[^|]|\Z)"
        page, found = re.subn(place, lambda m: m.group(1) + text + "\n", page, count=1)
        assert found, f"{name} has no table below ## {title}"
    return page


if __name__ == "__main__":
    for chosen in sys.argv[1:] or [SESSION_HEADER.name, *PAGES]:
        if chosen == SESSION_HEADER.name:
            SESSION_HEADER.write_text(written_header(), encoding="utf-8")
            continue
        (root / "docs" / chosen).write_text(written(chosen), encoding="utf-8")
