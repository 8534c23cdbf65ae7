# SPDX-License-Identifier: MIT
"""The reference's pages, made from the code when the site is built: one for each C++ header, from its comments (headers.py),
and one for each Python module, from its docstrings (packages.py).

`pages(root)` gives (path below docs/, Markdown) for each.
"""
import collections
import pathlib
import re
import sys
import textwrap

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import headers  # noqa: E402
import packages  # noqa: E402

about = {
    "poplar": "graphs, programs, devices and engines",
    "poputil": "what operator libraries share: mapping, broadcasting, options",
    "popops": "element-wise operators, reductions, slices, sorting", "poprand": "random numbers",
    "poplin": "matrix products, convolutions, factorisations", "popnn": "layers of neural networks",
    "popsparse": "sparse matrix products", "popfloat": "conversions of float formats", "gcl": "collectives between replicas",
    "popart": "models: building, training, custom operators", "popdist": "several processes", "pva": "reading profiles",
    "pvti": "tracing the host program", "gcipuinfo": "monitoring devices"}


index = """# Reference

Made from the code when the site is built: C++ from the comments in the installed headers, Python from docstrings,
commands from what they say themselves. Search finds every name.

## C++

| library | what for |
| --- | --- |
{cpp}

Begin with [Graph](cpp/poplar/poplar/Graph.hpp.md), [Program](cpp/poplar/poplar/Program.hpp.md) and
[Engine](cpp/poplar/poplar/Engine.hpp.md), with [popops::map](cpp/popops/popops/ElementWise.hpp.md),
[poplin::matMul](cpp/poplin/poplin/MatMul.hpp.md) and [convolution](cpp/poplin/poplin/Convolution.hpp.md), or with PopART's
[Builder](cpp/popart/popart/builder.hpp.md) and [sessions](cpp/popart/popart/session.hpp.md).

Functions of Poplar throw `poplar::poplar_error` or a class derived from it, those of PopLibs `poputil::poplibs_error`, those
of PopART `popart::error`. An entry names what is special to it.

## Python

| package | what for |
| --- | --- |
{python}

## Commands

[All commands](commands.md) with their options. [Tools](../tools.md) tells which is for what.

## Options

[Engines and targets](../engine-options.md), [convolutions and products](../convolution-options.md),
[popnn](../popnn-options.md), [other functions of PopLibs](../library-options.md),
[PopART sessions](../session-options.md), [PopTorch](../poptorch-options.md), [TensorFlow](../tensorflow-options.md),
[Paddle](../paddle.md#options-of-ipustrategy), and [variables](../variables.md) of the environment.
"""


_name = re.compile(r"(?<![\w`])(?:~?[A-Za-z_]\w*(?:::|\.))*[A-Za-z]\w*(?:\(\)|(?<=[a-z0-9])_[A-Za-z]\w*)|"
                   r"(?<![\w`])(?:[A-Za-z_]\w*::)+[A-Za-z_]\w*(?:\(\))?|"
                   r"(?<![\w`])[A-Z][A-Z0-9]*_[A-Z0-9_]+\b")
_document = re.compile(r"(?<![\w/])docs/([\w-]+)\.md")


def escaped(text, top=""):
    """Prose as Markdown: what stands between backticks stays, names that cannot be words become code, pages become links.
    `top`: the way from the page to docs/."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        parts = [text.replace("`", "'")]
    shown = []
    for number, part in enumerate(parts):
        if number % 2:
            shown.append(part)
            continue
        done, at = [], 0
        for found in re.finditer(f"{_document.pattern}|{_name.pattern}", part):
            done.append(plain(part[at:found.start()]))
            page = _document.fullmatch(found.group())
            done.append(f"[{page.group(1)}.md]({top}{page.group(1)}.md)" if page and top else f"`{found.group()}`")
            at = found.end()
        shown.append("".join([*done, plain(part[at:])]))
    return "`".join(shown)


def ended(words):
    """A sentence of what stands behind a declaration as a fragment."""
    words = words[:1].upper() + words[1:] if re.match(r"[a-z]+\b[^:(.=]", words + " ") else words
    return words if words[-1] in ".:;!?" else words + "."


def plain(text):
    return re.sub(r"([*_\[\]#|\\])", r"\\\1", text).replace("<", "&lt;").replace(">", "&gt;")


def markdown(text, language="text", top=""):
    """A comment as Markdown: indented lines are code, or a table drawn with blanks."""
    out, prose, code = [], [], []

    def flush():
        if prose:
            words = " ".join(prose)
            out.extend([escaped(ended(words), top), ""])
            prose.clear()
        while code and not code[-1]:
            code.pop()
        if code:
            shown = language if re.search(r"[;{}(]$", "\n".join(code), re.M) else "text"
            out.extend([f"```{shown}", *code, "```", ""])
            code.clear()

    for line in text.splitlines():
        if line.startswith("  "):
            if prose:
                flush()
            code.append(line)
        elif not line.strip() and code:
            code.append("")
        elif not line.strip():
            flush()
        else:
            if code:
                flush()
            prose.append(line.strip())
    flush()
    return "\n".join(dedented(out))


def dedented(lines):
    """Lines with the code between fences moved to the left."""
    result, block = [], None
    for line in lines:
        if line.startswith("```") and block is None:
            block = []
            result.append(line)
        elif line == "```" and block is not None:
            cut = min((len(b) - len(b.lstrip()) for b in block if b.strip()), default=0)
            result += [b[cut:] for b in block] + [line]
            block = None
        elif block is not None:
            block.append(line)
        else:
            result.append(line)
    return result


def declaration(source, entry):
    """How a declaration stands in its header, without comments and without its body."""
    lines, text = source.lines[entry.first:entry.first + 40], ""
    name = re.escape(entry.name)
    if not re.search(rf"(?<!\w){name}(?!\w)", "\n".join(lines[:max(1, entry.line - entry.first)])) or \
            re.fullmatch(r"[A-Z_0-9]+\(.*\);?", headers.code_of(lines[0]).strip()):
        return entry.code  # made by a macro
    depth = 0
    for number, line in enumerate(lines):
        code = headers.code_of(line)
        if number and line.strip().startswith("//"):
            continue
        for at, c in enumerate(code):
            depth += (c in "([") - (c in ")]")
            body = c == "{" and (entry.kind != "variable" or not re.search(r"[=,(]\s*$|\w$", text))
            first = c == ":" and entry.kind == "function" and text.rstrip().endswith(")") and code[at + 1:at + 2] == " "
            if depth == 0 and (c == ";" or body or first):
                return trimmed(text)
            text += c
        text += "\n"
    return trimmed(text)


def trimmed(text):
    lines = [line.rstrip() for line in text.strip("\n").splitlines()]
    lines = [line for line in lines if line.strip() and not line.strip().startswith("#")]
    cut = min((len(line) - len(line.lstrip()) for line in lines), default=0)
    return "\n".join(line[cut:] for line in lines)


def enumerators(entry):
    shown = [f"- `{name}`" + (f": {escaped(text)}" if text else "") for name, text in entry.values]
    plain = not any(text for _, text in entry.values)
    return ", ".join(f"`{name}`" for name, _ in entry.values) + "\n" if plain else "\n".join(shown) + "\n"


class HeaderPage:
    def __init__(self, reader, header, entries):
        self.reader, self.header, self.source, self.out = reader, header, reader.source(header), []
        self.include = header.split("/include/")[1]
        self.top = "../" * (3 + self.include.count("/"))
        self.out += [f"# {self.include}", "", markdown(self.source.opening(), "cpp", self.top), ""]
        if any(e.full() == "" for e in entries):
            return
        self.out += ["```cpp", f"#include <{self.include}>", "```", ""]
        self.groups = collections.OrderedDict()
        for entry in entries:
            self.groups.setdefault(entry.scope, collections.OrderedDict()).setdefault(entry.name, []).append(entry)
        self.done = set()
        for scope in list(self.groups):
            if scope not in self.done and not self._is_class(scope):
                self._scope(scope, 2)
        for scope in list(self.groups):
            if scope not in self.done:
                self._scope(scope, 2)

    def _is_class(self, scope):
        return scope in self.reader.bases

    def _scope(self, scope, level):
        self.done.add(scope)
        members = []
        for name, entries in self.groups[scope].items():
            code = declaration(self.source, entries[0])
            if self._is_class(scope) and entries[0].kind == "variable" and "\n" not in code:
                text = " ".join(self.reader.told(entries[0]).split())
                members.append(f"- `{code}`" + (f"  \n  {ended(escaped(text, self.top))}" if text else ""))
            else:
                if members:
                    self.out += [*dict.fromkeys(members), ""]
                    members = []
                self._name(scope, name, entries, level)
        if members:
            self.out += [*dict.fromkeys(members), ""]

    def _name(self, scope, name, entries, level):
        full = f"{scope}::{name}" if scope else name
        kind = entries[0].kind
        constructor = name == scope.rpartition("::")[2]
        if constructor or all(e.deleted for e in entries) or name.startswith("~") or name == "operator=":
            return
        if kind in ("class", "struct", "union"):
            self.out += [f"{'#' * level} {kind} {escaped(full)}", ""]
            self._told(entries)
            if full in self.groups:
                makers = [e for e in self.groups[full].get(name, []) if not e.deleted]
                if makers:
                    self._code(makers)
                self._scope(full, min(level + 1, 4))
            return
        self.out += [f"{'#' * level} {escaped(name if level > 2 else full)}", ""]
        self._told(entries)
        if kind == "enum":
            self.out += [enumerators(entries[0]), ""]

    def _code(self, entries):
        code = list(dict.fromkeys(declaration(self.source, e) for e in entries))
        if not all(re.fullmatch(r"(class|struct|union) \w+( final)?", c) for c in code):  # the heading says as much
            self.out += ["```cpp", *code, "```", ""]

    def _told(self, entries):
        """Declarations of one name, each text behind those that it is of."""
        by_text = collections.OrderedDict()
        for entry in entries:
            by_text.setdefault(entry.text, []).append(entry)
        if "" in by_text and len(by_text) == 1:
            by_text = {self.reader.told(entries[0]): entries}
        for text, own in by_text.items():
            self._code(own)
            if text and text != self.source.opening():
                self.out.append(markdown(text, "cpp", self.top) + "\n")

    def text(self):
        return "\n".join(self.out)


def cpp_pages(root):
    reader = headers.Reader(root)
    by_header = collections.defaultdict(list)
    for entry in reader.entries:
        by_header[entry.header].append(entry)
    for library, folder in headers.libraries.items():
        own = [h for h in by_header if h.startswith(f"{folder}/include/")]
        lines = [f"# {library}", "", f"{about[library].capitalize()}: `{library}` in C++.", ""]
        lines += ["| header | what |", "| --- | --- |"]
        for header in own:
            path = header.split("/include/")[1]
            page = f"{path}.md"
            told = reader.source(header).opening() or next((e.text for e in by_header[header] if e.text), "")
            opening = " ".join(told.split("\n\n")[0].split("\n  ")[0].split())
            first = re.split(r"(?<=\.)\s", opening)[0]
            lines.append(f"| [{path}]({page}) | {escaped(first)} |")
            yield f"reference/cpp/{library}/{page}", HeaderPage(reader, header, by_header[header]).text()
        yield f"reference/cpp/{library}/index.md", "\n".join(lines) + "\n"


def docstring(text, top):
    """A docstring as Markdown; blocks marked >>> or indented are code."""
    lines, fenced = [], False
    for line in text.splitlines():
        if line.strip().startswith("```"):
            fenced = not fenced
        lines.append(f"  {line}" if re.match(r"\s*(>>>|\.\.\.( |$))", line) or fenced and not line.startswith("```") else line)
    shown = markdown("\n".join(line for line in lines if not line.startswith("```")), "python", top)
    return re.sub(r"^```text\n(?=>>> |[\w.]+ = |import |from \w+ import |with |for \w+ in )", "```python\n", shown, flags=re.M)


def heading(name):
    return ("class " if name.kind == "class" else "") + f"`{name.full}`"


def anchor(name):
    """The place of a name's heading on its page."""
    return re.sub(r"[^\w -]", "", heading(name)).lower().replace(" ", "-")


def named(name, level, top):
    """A name of a Python module, with its members."""
    short = name.full.rpartition(".")[2]
    label = f' {{: data-toc-label="{short}" }}'  # the list of a page's parts is narrow
    out = [f"{'#' * level} {heading(name) + label if level == 2 else f'`{short}`'}", ""]
    if name.code and name.code != short:
        wrapped = [w for line in name.code.splitlines()
                   for w in textwrap.wrap(line, 88, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)]
        out += ["```python", *wrapped, "```", ""]
    out += [docstring(name.text, top), ""]
    for member in name.members:
        out += named(member, level + 1, top)
    return out


def python_pages(root):
    read = packages.Packages(root)
    listed = collections.defaultdict(list)
    for module, names in read.modules():
        if not names:
            continue
        package, page = module.split(".")[0], f"{module}.md"
        listed[package].append((module, page, names))
        count = f"{len(names)} name{'s' if len(names) > 1 else ''}."
        body = [f"# {module}", "", f"{count} A name that several modules have is on the page of one of them.", ""]
        for name in names:
            body += named(name, 2, "../../../")
        yield f"reference/python/{package}/{page}", "\n".join(body) + "\n"
    for package, pages_ in listed.items():
        lines = [f"# {package} in Python", "", f"`{package}`: {packages.about[package]}.", ""]
        for module, page, names in pages_:
            links = ", ".join(f"[`{n.full.rpartition('.')[2]}`]({page}#{anchor(n)})" for n in names)
            lines += [f"## [{module}]({page})", "", links, ""]
        yield f"reference/python/{package}/index.md", "\n".join(lines) + "\n"


def rows(language, texts):
    return "\n".join(f"| [{name}]({language}/{name}/index.md) | {text} |" for name, text in texts.items())


def pages(root):
    yield "reference/index.md", index.format(cpp=rows("cpp", about), python=rows("python", packages.about))
    yield from cpp_pages(root)
    yield from python_pages(root)


if __name__ == "__main__":
    for path_, text_ in pages(pathlib.Path(sys.argv[1]).resolve()):
        target = pathlib.Path(sys.argv[2]) / path_
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text_)
