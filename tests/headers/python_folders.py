#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Python packages have layers: folders import each other in one direction, and so do modules.

A folder is one right below a package, with all that is in it; a module that stands in the package itself is one too. An import
within a function counts like others, and its line says why it stands there in a comment (it loads something heavy, or
something that may be missing). What the package's __init__ hands out is for users: modules of the package do not import it.
"""
import ast
import functools
import pathlib
import sys

from folders import cycle

# Packages that are held to this, below the folder python.
PACKAGES = ("openipu", "poptorch", "paddle", "pi_ml", "pytorch_lightning", "popart", "popdist", "pva", "libpvti", "gcipuinfo",
            "keras", "ipu_tensorflow_addons", "tensorflow")


class Package:
    """The modules of a package, and what each imports of it."""

    def __init__(self, folder):
        self.name, self.wrong = folder.name, []
        files = {self._module(file.relative_to(folder.parent)): file for file in sorted(folder.rglob("*.py"))}
        self._files = files
        self.imports = {}  # {(module, module): lines}
        for module, file in files.items():
            self._read(module, file)

    @staticmethod
    def _module(path):
        parts = path.with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)

    def _read(self, module, file):
        text = file.read_text()
        lines = text.splitlines()
        for node, within in imports(ast.parse(text)):
            if within and "#" not in "".join(lines[node.lineno - 1:node.end_lineno]):
                self.wrong.append(f"{file}:{node.lineno}: an import within a function, and no comment says why")
            for to in self._targets(node, module, file.name == "__init__.py"):
                if to != module:
                    self.imports.setdefault((module, to), []).append(f"{file}:{node.lineno}")

    def _targets(self, node, module, is_folder):
        """The modules of the package that an import names."""
        if isinstance(node, ast.Import):
            return {found for alias in node.names if (found := self._known(alias.name))}
        base = node.module or ""
        if node.level:
            parts = module.split(".")
            parts = parts[:len(parts) - node.level + is_folder]
            base = ".".join([*parts, base] if base else parts)
        return {found for alias in node.names if (found := self._known(f"{base}.{alias.name}"))}

    def _known(self, name):
        """The module of this name, or the one that has the name. Modules of C++ are none."""
        if name in self._files:
            return name
        owner, _, last = name.rpartition(".")
        brought = {last} if last.startswith("_") else {last, "*"}  # a star brings no private names
        known = owner in self._files and (last == "*" or self._names(owner) & brought)
        return owner if known else None

    @functools.lru_cache(maxsize=None)
    def _names(self, module):
        """What a module binds, wherever in it; "*" if a star brings more."""
        found = set()
        for node in ast.walk(ast.parse(self._files[module].read_text())):
            if isinstance(node, (ast.Import, ast.ImportFrom)):
                found |= {(alias.asname or alias.name).split(".")[0] for alias in node.names}
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.add(node.name)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.id)
        return found

    def folders(self):
        """{(folder, folder): lines}; of a.b.c it is b."""
        found = {}
        for (one, other), lines in self.imports.items():
            one, other = ((name.split(".") + [""])[1] for name in (one, other))
            if one != other:
                found.setdefault((one, other), []).extend(lines)
        return found


def imports(tree, within=False):
    """(import, whether it stands in a function)."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, within
        yield from imports(node, within or isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)))


def main(root):
    wrong = []
    for name in PACKAGES:
        package = Package(root / "python" / name)
        wrong += package.wrong
        for edges in (package.folders(), package.imports):
            if found := cycle(edges):
                wrong.append(f"{name}: {' -> '.join(found)}")
                wrong += [f"    {a} -> {b} at {', '.join(edges[a, b][:4])}" for a, b in zip(found, found[1:])]
    print("\n".join(wrong) or "no cycles")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
