# SPDX-License-Identifier: MIT
"""Writes stubs (.pyi) of modules by looking at them: stubs.py FOLDER MODULE... Functions of C++ say their types
themselves (popart_core._forms); those of Python have annotations."""
import importlib
import inspect
import os
import re
import sys
import textwrap
import types

import popart_core as core

HEADER = '''# Written by the build.
from typing import Any, Callable, ClassVar, Iterator, MutableMapping, Optional, Union, overload

import numpy
import popart_core
import pva
'''


def names(module):
    """What a module shows: everything but Python's own double underscores."""
    return [n for n in dir(module) if not n.startswith("__") or n == "__version__"]


def quoted(doc, indent):
    if not doc:
        return ""
    text = inspect.cleandoc(doc).replace("\\", "\\\\").replace('"""', r"\"\"\"")
    if text.endswith('"'):
        text += " "
    return f'{indent}"""' + text.replace("\n", "\n" + indent if text else "\n") + '"""\n'


def bound(function):
    """The function of C++ behind a method, if it is one."""
    inner = getattr(function, "__func__", function)
    return inner if core._forms(inner) else None


def function_stub(name, function, indent="", decorator=""):
    forms = core._forms(function.__func__ if isinstance(function, staticmethod) else function)
    if not forms:
        plain = function.__func__ if isinstance(function, (staticmethod, classmethod)) else function
        forms = [str(inspect.signature(plain))]
    out = ""
    for i, form in enumerate(forms):
        form = re.sub(r": DebugContext = ", ": Union[DebugContext, str] = ", form)
        out += f"{indent}@overload\n" if len(forms) > 1 else ""
        out += f"{indent}{decorator}\n" if decorator else ""
        doc = quoted(inspect.getdoc(function), indent + "    ") if i == 0 else ""
        out += f"{indent}def {name}{form}:" + (f"\n{doc}{indent}    ...\n" if doc else " ...\n")
    return out


def property_stub(name, member):
    forms = core._forms(member.fget)
    kind = forms[0].rpartition(" -> ")[2] if forms else str(inspect.signature(member.fget)).rpartition(" -> ")[2]
    kind = kind if kind and not kind.startswith("(") else "Any"
    doc = quoted(member.__doc__, "        ")
    out = f"    @property\n    def {name}(self) -> {kind}:" + (f"\n{doc}        ...\n" if doc else " ...\n")
    if member.fset is not None:
        out += f"    @{name}.setter\n    def {name}(self, value: Any) -> None: ...\n"
    return out


def member_stub(cls, name, member):
    if isinstance(member, property):
        return property_stub(name, member)
    if isinstance(member, staticmethod):
        return function_stub(name, member, "    ", "@staticmethod")
    if isinstance(member, cls):  # an enumerator
        return f"    {name}: ClassVar[{cls.__name__}]\n"
    if isinstance(member, types.FunctionType):
        return function_stub(name, member, "    ")
    if isinstance(member, type):  # an enumeration or a class within this one
        return textwrap.indent(class_stub(member, cls.__module__).lstrip("\n"), "    ")
    if core._forms(member):
        return function_stub(name, member, "    ")
    return ""


SHOWN = ("__init__", "__getitem__", "__setitem__", "__delitem__", "__len__", "__iter__", "__enter__", "__exit__", "__int__")


def reference(cls, module):
    return cls.__name__ if cls.__module__ in (module, "builtins") else f"{cls.__module__}.{cls.__name__}"


def mapping_of(cls):
    """A map of C++ is a MutableMapping: popart adds what a dict has besides these."""
    if not {"__getitem__", "__setitem__", "__delitem__", "__len__", "__iter__"} <= set(cls.__dict__):
        return []
    key, value = re.fullmatch(r"\(self, \w+: (.+?), \w+: (.+)\) -> None", core._forms(cls.__setitem__)[0]).groups()
    return [f"MutableMapping[{key}, {value}]"]


def class_stub(cls, module):
    bases = [reference(b, module) for b in cls.__bases__ if b.__name__ not in ("object", "pybind11_object")] + mapping_of(cls)
    out = f"\nclass {cls.__name__}" + (f"({', '.join(bases)})" if bases else "") + ":\n" + quoted(cls.__doc__, "    ")
    for name, member in cls.__dict__.items():
        if not name.startswith("__") or name in SHOWN:
            out += member_stub(cls, name, member)
    return out + "    ...\n"


def order(classes):
    """Bases before what derives from them."""
    return sorted(classes, key=lambda cls: (len(cls.__mro__), cls.__name__))


def stub(module):
    out, classes, functions, rest = HEADER, [], "", ""
    for name in names(module):
        value = getattr(module, name)
        home = getattr(value, "__module__", None)
        if isinstance(value, types.ModuleType) and value.__name__ == f"{core.__name__}.{name}":
            rest += f"{name}: Any\n"  # a module within one of C++ has no file
        elif isinstance(value, types.ModuleType):
            rest += f"import {value.__name__} as {name}\n" if "." not in value.__name__ else (
                f"from {value.__name__.rpartition('.')[0]} import {value.__name__.rpartition('.')[2]} as {name}\n")
        elif home and home != module.__name__ and home != "builtins" and hasattr(sys.modules.get(home), value.__name__):
            rest += f"from {home} import {value.__name__} as {name}\n"
        elif isinstance(value, type):
            classes.append(value)
        elif callable(value):
            functions += "\n" + function_stub(name, value)
        else:
            rest += f"{name}: {type(value).__name__}\n"
    return out + rest + "".join(class_stub(c, module.__name__) for c in order(classes)) + functions


def main(folder, *modules):
    for name in modules:
        module = importlib.import_module(name)
        path = name.replace(".", "/") + ("/__init__" if hasattr(module, "__path__") else "")
        text = stub(module)
        if name == "pva":  # its own names, and nothing of popart
            text = re.sub(r"\bpva\.(?!_core)", "", text.replace("import numpy\nimport popart_core\nimport pva\n", ""))
        compile(text, path, "exec")
        with open(os.path.join(folder, path + ".pyi"), "w", encoding="utf-8") as out:
            out.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
