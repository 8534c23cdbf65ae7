# SPDX-License-Identifier: MIT
"""What the installed C++ headers declare, and the text that each declaration has.

Doxygen says what is declared, and where; the text is the plain comment that stands there. A comment above a declaration
holds for what follows it, too, up to an empty line or a comment of another's own; one behind a declaration is of that alone.
Overloads share their texts, constructors have that of their class, and what a class overrides has that of its base.
"""
import collections
import dataclasses
import pathlib
import re
import subprocess
import tempfile
import xml.etree.ElementTree as xml

libraries = {  # name on the site: its headers' folders
    "poplar": "poplar", "poputil": "poplibs/poputil", "popops": "poplibs/popops", "poprand": "poplibs/poprand",
    "poplin": "poplibs/poplin", "popnn": "poplibs/popnn", "popsparse": "poplibs/popsparse", "popfloat": "poplibs/popfloat",
    "gcl": "poplibs/gcl", "popart": "popart", "popdist": "popdist", "pva": "pva", "pvti": "pvti", "gcipuinfo": "gcipuinfo"}
# Namespaces and classes that headers need and users do not.
_inner = re.compile(r"(^|::)(detail|internal|std|codelet|openipu|layout)(::|$)|^@|::@")
_plain = re.compile(r"^(~.*|operator(=|==|!=|<|<=|>|>=| ?\[\]| ?\(\)|->|\*| .*))$")


_standard = set("begin end cbegin cend size empty data front back clear hash swap get release value_type size_type iterator "
                "const_iterator initializer_list operator<< operator>>".split())  # as in the standard library


@dataclasses.dataclass
class Entry:
    """A declaration: `scope` is a namespace or class, `text` its comment ("" without one), `line` where it stands."""
    header: str
    line: int
    kind: str
    scope: str
    name: str
    code: str
    text: str
    values: list = dataclasses.field(default_factory=list)  # enumerators: (name, text)
    title: str = ""  # of the header's section it stands in
    inherited: bool = False
    bases: list = dataclasses.field(default_factory=list)

    def full(self):
        return f"{self.scope}::{self.name}" if self.scope else self.name


class Source:
    """The lines of a header, and the comments in it."""

    def __init__(self, path):
        self.lines = path.read_text().splitlines()

    def opening(self):
        """What the header says of itself: the comment at its top, without the licence."""
        block = re.match(r"/\*(.*?)\*/", "\n".join(self.lines[1:]), re.S)  # headers that C and assembly read, too
        if block:
            return said([f"// {line.strip().removeprefix('*').strip()}" for line in block[1].splitlines()])
        found = []
        for line in self.lines[1:]:
            if not line.startswith("//"):
                break
            found.append(line)
        return said(found)

    def begins(self, index):
        """Where the declaration begins whose name stands on a line."""
        depth = 0
        while index > 0 and not re.fullmatch(r"[A-Z_0-9]+\(.*\);?", code_of(self.lines[index]).strip()):
            depth += self.lines[index].count(")") - self.lines[index].count("(")
            above = code_of(self.lines[index - 1]).strip()
            comment = self.lines[index - 1].strip().startswith("//")
            if comment or not above or above.startswith("#") and not above.endswith("\\") or \
                    depth <= 0 and re.search(r"([;{}]|^(public|protected|private|signals):)$", above):
                break
            if depth <= 0 and re.search(r"[^:]:$", above) or re.fullmatch(r"[A-Z_0-9]+\(.*\)", above):
                break
            if above.endswith(",") and "(" not in above and "<" not in above and depth <= 0 and \
                    not re.search(r"\b(template|typename|class)\b", above):
                break  # an enumerator
            index -= 1
        return index

    def above(self, index):
        """The comment that ends on the line above."""
        end = index
        while index > 0 and re.match(r"\s*//", self.lines[index - 1]):
            index -= 1
        block = self.lines[index:end]
        if index == 1 and re.match(r"//", self.lines[0]) or index == 0:
            return ""
        return said(block)

    def behind(self, index):
        """The comment behind a declaration that begins on a line, with lines of comment that go on in its column."""
        for number in range(index, min(index + 12, len(self.lines))):
            line = self.lines[number]
            code = code_of(line)
            if len(code) < len(line) and code.strip():
                found, column = [line[len(code):]], len(code)
                for more in self.lines[number + 1:]:
                    if more[:column].strip() or not more[column:].startswith("//"):
                        break
                    found.append(more[column:])
                return said(found)
            if re.search(r"[;{}]\s*$", code):
                break
        return ""

    def section(self, index):
        """The heading, // ---- NAME, that stands over a line."""
        for line in reversed(self.lines[:index]):
            found = re.match(r"\s*// ----+ (.*)", line)
            if found:
                return found.group(1).rstrip(" -")
            if re.match(r"(class|struct|namespace|};|} // )", line):
                break
        return ""


def code_of(line):
    """A line without the comment behind it."""
    if re.search(r"\S\s*/\*.*\*/\s*$", line):
        return line[:line.index("/*")]
    for found in re.finditer("//", line):
        if line[:found.start()].count('"') % 2 == 0:
            return line[:found.start()]
    return line


def said(block):
    """The words of lines of comment, without a heading among them."""
    lines = [re.sub(r"^\s*(//+|/\*) ?|\s*\*/$", "", line).rstrip() for line in block if not re.match(r"\s*// ----", line)]
    return "\n".join(lines).strip("\n")


def doxygen(root, folder):
    paths = [str(root / at / "include") for at in libraries.values()]
    settings = f"""
INPUT = {" ".join(paths)}
INCLUDE_PATH = {" ".join(paths)}
STRIP_FROM_PATH = {root}
OUTPUT_DIRECTORY = {folder}
RECURSIVE = YES
EXTRACT_ALL = YES
FILE_PATTERNS = *
EXTENSION_MAPPING = no_extension=C++
MACRO_EXPANSION = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
HAVE_DOT = NO
CLASS_GRAPH = NO
INCLUDE_GRAPH = NO
INCLUDED_BY_GRAPH = NO
SEARCHENGINE = NO
QUIET = YES
WARNINGS = NO
"""
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, stdout=subprocess.DEVNULL)


def words(element):
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def option_texts(root):
    """The words of session options, which stand in their tables: {"popart::SessionOptions::name": text}."""
    def told(words_):
        text = " ".join("".join(re.findall(r'"((?:[^"\\]|\\.)*)"', words_)).replace("\\", "").split())
        return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"docs/\1", text)  # links of the options' page

    folder, found = root / "popart/internal/openipu", {}
    table, text = (folder / "SessionOptions.def").read_text(), r'((?:"(?:[^"\\]|\\.)*"\s*)+)[,)]'
    for name, words_ in re.findall(rf"^OPTION(?:_CPP)?\((\w+), \w+, \w+,\s*{text}", table, re.M):
        found[f"popart::SessionOptions::{name}"] = told(words_)
    for owner, name, words_ in re.findall(rf"^OPTION_PART\((\w+), (\w+), \w+, \w+,\s*{text}", table, re.M):
        found[f"popart::{owner[0].upper()}{owner[1:]}::{name}"] = told(words_)
    locations = (folder / "LocationSettings.def").read_text()
    for owner, name, words_ in re.findall(rf"^LOCATION_MEMBER\((\w+), (\w+), {text}", locations, re.M):
        found[f"popart::{owner}::{name}"] = told(words_)
    return found


class Reader:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.sources, self.entries, self.bases = {}, [], {}
        self.tables = option_texts(self.root)
        with tempfile.TemporaryDirectory() as folder:
            doxygen(self.root, folder)
            index = xml.parse(f"{folder}/xml/index.xml").getroot()
            for compound in index.iter("compound"):
                if compound.get("kind") in ("class", "struct", "union", "namespace", "file"):
                    self._compound(xml.parse(f"{folder}/xml/{compound.get('refid')}.xml").getroot().find("compounddef"))
        self.entries.sort(key=lambda e: (e.header, e.line))
        unique = {(e.header, e.line, e.full(), e.code): e for e in self.entries}
        self.entries = list(unique.values())
        self._groups()
        self._shared()

    def source(self, header):
        if header not in self.sources:
            self.sources[header] = Source(self.root / header)
        return self.sources[header]

    def _add(self, header, line, kind, scope, name, code, **more):
        source = self.source(header)
        first = source.begins(line - 1)
        if f"{scope}::{name}" in self.tables:
            self.entries.append(Entry(header, line, kind, scope, name, code, self.tables[f"{scope}::{name}"], **more))
            self.entries[-1].first = first
            return
        text = source.above(first)
        behind = source.behind(line - 1 if kind == "variable" else first)
        text = "\n\n".join(filter(None, [text, behind]))
        made = re.fullmatch(r"\w+", name) and not re.search(rf"\b{name}\b", "".join(source.lines[first:line + 12]))
        self.entries.append(Entry(header, line, kind, scope, name, code, text, title=source.section(first), **more))
        self.entries[-1].first, self.entries[-1].made = first, bool(made)

    def _compound(self, compound):
        kind, name = compound.get("kind"), words(compound.find("compoundname"))
        if kind != "namespace" and kind != "file" and compound.get("prot") not in (None, "public") or _inner.search(name):
            return
        where = compound.find("location")
        scope, _, short = name.rpartition("::") if "<" not in name else (name.split("<")[0].rpartition("::")[0], "", name)
        if where is not None and "/vendored/" in where.get("file"):
            return
        if kind in ("class", "struct", "union") and where is not None and "<" not in name:
            bases = [words(b) for b in compound.findall("basecompoundref") if b.get("prot") == "public"]
            self.bases[name] = bases
            self._add(where.get("file"), int(where.get("line")), kind, scope, short,
                      f"{kind} {short}" + (" : " + ", ".join(bases) if bases else ""), bases=bases)
        if "<" in name:
            return
        for member in compound.iter("memberdef"):
            self._member(name if kind != "file" else "", member, kind)

    def _member(self, scope, member, of):
        kind, name = member.get("kind"), words(member.find("name"))
        if member.get("prot") != "public" or kind == "friend" or _inner.search(name) or "@" in name:
            return
        where = member.find("location")
        header, line = where.get("declfile") or where.get("file"), int(where.get("declline") or where.get("line"))
        if kind == "variable" and "{ return" in words(member) or "{ const" in words(member):
            return  # Doxygen takes the names `and` and `or` for operators
        if "/vendored/" in header:  # the standard library's any and optional
            return
        if kind == "define" and (re.match("OPENIPU_|IPU_", name) or re.search("_HPP$|_H$|_H_$", name) or
                                 self._undefined(header, name)):
            return
        values = []
        if kind == "enum":
            values = self._values(header, line, member)
        self._add(header, line, kind, scope, name, self._code(member, kind, name), values=values,
                  inherited=member.find("reimplements") is not None)
        self.entries[-1].deleted = "= delete" in words(member.find("argsstring")).replace("=delete", "= delete")

    def _undefined(self, header, name):
        return any(re.match(rf"#\s*undef {name}\b", line) for line in self.source(header).lines)

    def _values(self, header, line, member):
        source, found = self.source(header), []
        names = [words(v.find("name")) for v in member.findall("enumvalue")]
        number = line - 1
        for name in names:
            for at in range(number, min(number + 60, len(source.lines))):
                if re.search(rf"\b{name}\b", code_of(source.lines[at]).split("enum")[-1]):
                    number = at
                    break
            alone = re.match(rf"\s*{name}\b[^,]*,?\s*(//|$)", source.lines[number])
            text = [source.above(number), source.behind(number)] if alone and number > line - 1 else []
            text = text if alone else []
            if alone and not code_of(source.lines[number]).strip().endswith((",", name)) and len(text) > 1:
                text = text[:1] + [source.behind(number)]
            found.append((name, " ".join(filter(None, text)).replace("\n", " ")))
        return found

    @staticmethod
    def _code(member, kind, name):
        template = member.find("templateparamlist")
        shown = ""
        if template is not None:
            params = []
            for param in template.findall("param"):
                text = words(param.find("type"))
                if param.find("declname") is not None:
                    text += " " + words(param.find("declname"))
                if param.find("defval") is not None:
                    text += " = " + words(param.find("defval"))
                params.append(text)
            shown = f"template <{', '.join(params)}> "
        args = words(member.find("argsstring"))
        kind_ = words(member.find("type"))
        if kind == "typedef":
            return f"{shown}{words(member.find('definition')) or f'using {name} = {kind_}'}"
        if kind == "enum":
            return f"enum {'class ' if member.get('strong') == 'yes' else ''}{name}"
        if kind == "define":
            params = [words(p.find("defname")) for p in member.findall("param")]
            return f"#define {name}" + (f"({', '.join(params)})" if params else "")
        if kind == "variable":
            value = words(member.find("initializer"))
            return f"{kind_} {name}{args}" + (f" {value}" if value and len(value) < 60 else "")
        static = "static " if member.get("static") == "yes" and "::" in words(member.find("definition")) else ""
        return f"{shown}{static}{kind_} {name}{args}".strip()

    def _groups(self):
        """A comment above a declaration holds for the next ones up to an empty line or a comment."""
        last = {}
        for entry in self.entries:
            source, before = self.source(entry.header), last.get(entry.header)
            if entry.full() in self.tables:
                last.pop(entry.header, None)
                continue
            if not entry.text and before is not None and before.scope == entry.scope and before.above_text and \
                    before.kind not in ("class", "struct", "union"):
                between = source.lines[before.line:entry.first]
                if not any(not line.strip() or re.match(r"\s*//", line) for line in between) and entry.first >= before.first:
                    entry.text = entry.above_text = before.above_text
                    entry.leader = getattr(before, "leader", before)
                    last[entry.header] = entry
                    continue
            entry.above_text = source.above(entry.first)
            last[entry.header] = entry

    def _shared(self):
        """Overloads share texts; what only macros name has that of the header."""
        for entry in self.entries:
            if not entry.text and entry.made:
                entry.text = self.source(entry.header).opening()
        texts = collections.defaultdict(str)
        for entry in self.entries:
            texts[entry.full()] = texts[entry.full()] or entry.text or self._opening(entry)
        self.texts = texts

    def _opening(self, entry):
        """A class, enumeration or function that its header is named for has the header's opening words."""
        stem = re.sub(r"\W|_", "", pathlib.Path(entry.header).name.rpartition(".")[0] or pathlib.Path(entry.header).name)
        return self.source(entry.header).opening() if stem.lower() == entry.name.lower() else ""

    def _of_base(self, scope, name):
        for base in self.bases.get(scope, []):
            base = base.split("<")[0]
            for candidate in (base, f"{scope.rpartition('::')[0]}::{base}"):
                text = self.texts.get(f"{candidate}::{name}") or self._of_base(candidate, name)
                if text:
                    return text
        return ""

    def told(self, entry):
        """The text that a declaration shares: that of an overload, of its class, or of a base."""
        return self.texts[entry.full()] or self._of_base(entry.scope, entry.name)

    def needs_no_text(self, entry):
        owner = entry.scope.rpartition("::")[2]
        return entry.name == owner or bool(_plain.match(entry.name)) or entry.deleted or \
            entry.name in _standard or entry.code.endswith((" override", " final")) or entry.name.startswith("openipu") or \
            self._named(entry)

    def _named(self, entry):
        """Whether the text of a member's class speaks of it."""
        return entry.kind == "variable" and len(entry.name) > 2 and \
            bool(re.search(rf"\b{entry.name}\b", self.texts.get(entry.scope, "")))

    def missing(self):
        """Declarations that neither have a text nor share one."""
        found = {}
        for entry in self.entries:
            if not self.told(entry) and not self.needs_no_text(entry):
                found.setdefault(entry.full(), entry)
        return list(found.values())


Entry.deleted = Entry.made = False
