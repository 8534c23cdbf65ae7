# SPDX-License-Identifier: MIT
"""What the Python packages show, and the text of each name: names from docs/reference/names.json, texts from the docstrings at
the definitions, read without importing anything."""
import ast
import dataclasses
import functools
import json
import pathlib

about = {
    "popart": "build, import, train and run models", "poptorch": "PyTorch on IPUs", "popdist": "several processes",
    "pva": "read profiles", "libpvti": "trace the host program", "gcipuinfo": "monitor devices",
    "pi_ml": "a trainer in the manner of PyTorch Lightning", "tensorflow": "TensorFlow and Keras on IPUs",
    "ipu_tensorflow_addons": "layers and optimisers for IPUs", "paddle": "Paddle on IPUs"}


@dataclasses.dataclass
class Name:
    """A public name: `where` it is defined, `code` how it is called, `text` its docstring, and members of a class."""
    full: str
    where: str
    code: str
    text: str
    members: list
    kind: str


@functools.lru_cache(None)
def definitions(path):
    """{qualified name: node} of a file."""
    found = {}

    def walk(node, prefix):
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                found.setdefault(prefix + child.name, child)
                if isinstance(child, ast.ClassDef):
                    walk(child, f"{prefix}{child.name}.")
            elif isinstance(child, (ast.If, ast.Try, ast.With)):
                walk(child, prefix)

    walk(ast.parse(path.read_text()), "")
    return found


def arguments(node, method):
    args = ast.parse(f"def f({ast.unparse(node.args)}): pass").body[0].args
    if method and (args.posonlyargs or args.args):
        (args.posonlyargs or args.args).pop(0)
    return ast.unparse(args)


def called(name, node, method=False):
    given = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"{name}({arguments(node, method)}){given}"


def decorators(node):
    return {ast.unparse(d).split("(")[0].rpartition(".")[2] for d in node.decorator_list}


class Packages:
    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.table = json.loads((self.root / "docs/reference/names.json").read_text())

    def modules(self):
        """(module, [Name]) in the order of the table."""
        for module, names in self.table.items():
            yield module, [self._bound(module, name, value) if isinstance(value, list) else self._read(module, name, value)
                           for name, value in names.items()]

    @staticmethod
    def _bound(module, name, value):
        code, text, members = value
        return Name(f"{module}.{name}", "C++", code, text,
                    [Name(f"{module}.{name}.{m}", "C++", *told, [], "function") for m, told in members.items()],
                    "class" if members or not code else "function")

    def _read(self, module, name, where):
        path, _, qualified = where.partition(":")
        node = definitions(self.root / path).get(qualified)
        full = f"{module}.{name}"
        if node is None:
            return Name(full, where, "", "", [], "gone")
        place = f"{path}:{node.lineno}"
        if not isinstance(node, ast.ClassDef):
            return Name(full, place, called(name, node), ast.get_docstring(node) or "", [], "function")
        maker = next((c for c in node.body if isinstance(c, ast.FunctionDef) and c.name == "__init__"), None)
        code = f"{name}({arguments(maker, True)})" if maker else ""
        text = "\n\n".join(filter(None, [ast.get_docstring(node), maker and ast.get_docstring(maker)]))
        if any("Enum" in ast.unparse(base) for base in node.bases):
            values = [t.id for c in node.body if isinstance(c, ast.Assign) for t in c.targets if isinstance(t, ast.Name)]
            text += "\n\nMembers: " + ", ".join(f"`{v}`" for v in values if not v.startswith("_")) if values and text else ""
        return Name(full, place, code, text, list(self._members(full, path, node)), "class")

    def _members(self, full, path, node):
        for child in node.body:
            if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)) or child.name.startswith("_"):
                continue
            marks = decorators(child)
            if marks & {"setter", "deleter", "overload"}:
                continue
            code = child.name if "property" in marks or "cached_property" in marks else \
                called(child.name, child, "staticmethod" not in marks)
            text = ast.get_docstring(child) or self._inherited(path, node, child.name, set())
            yield Name(f"{full}.{child.name}", f"{path}:{child.lineno}", code, text, [], "function")

    def _inherited(self, path, node, name, seen):
        """The docstring of the method that one of a class overrides."""
        for base in node.bases:
            simple = ast.unparse(base).rpartition(".")[2]
            if simple in seen:
                continue
            seen.add(simple)
            for other in self._classes(path.split("/")[1]).get(simple, []):
                for child in other.body:
                    if isinstance(child, ast.FunctionDef) and child.name == name and ast.get_docstring(child):
                        return ast.get_docstring(child)
                text = self._inherited(path, other, name, seen)
                if text:
                    return text
        return ""

    @functools.lru_cache(None)
    def _classes(self, package):
        found = {}
        folders = [package, "tensorflow"] if package == "ipu_tensorflow_addons" else [package]  # its classes derive from those
        for path in sorted(p for folder in folders for p in (self.root / "python" / folder).rglob("*.py")):
            for name, node in definitions(path).items():
                if isinstance(node, ast.ClassDef):
                    found.setdefault(name.rpartition(".")[2], []).append(node)
        return found

    def missing(self):
        """Names, and methods of classes, without a text."""
        for _, names in self.modules():
            for name in names:
                for one in [name, *name.members]:
                    if not one.text.strip() and not one.full.rpartition(".")[2].startswith("on_"):  # hooks: callbacks' base
                        yield one

    def untyped(self):
        """(name, arguments without a type, "its result" among them) of functions, methods and what makes objects."""
        for _, names in self.modules():
            for name in names:
                for one in [name, *name.members]:
                    if one.where != "C++" and "(" in one.code and (missing := _untyped(one)):
                        yield one, missing


def _untyped(name):
    node = ast.parse(f"def {name.code}: pass").body[0]
    given = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
    found = [a.arg for a in given if a is not None and a.annotation is None and a.arg != "self"]
    return found + ["its result"] * (node.returns is None and name.kind != "class")
