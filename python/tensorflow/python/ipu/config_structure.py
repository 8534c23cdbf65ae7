# SPDX-License-Identifier: MIT
"""Nested attributes with types and defaults: a misspelt name or a wrong type is an error at once."""
from __future__ import annotations

import enum
import json
from typing import Any

from popart import _spelling

from tensorflow.framework.logs import warning
from tensorflow.framework.typed import TensorLike


class Attribute:
    """One row of the table. act(options, value) applies it; without_effect: why nothing here depends on it."""

    def __init__(self, name, types, default, doc, deprecated=None, act=None, in_key=False, without_effect=None):
        self.name, self.default, self.__doc__, self.deprecated_msg = name, default, doc, deprecated
        self.act, self.in_key, self.without_effect = act, in_key, without_effect
        self.types = types if isinstance(types, tuple) else (types,)
        self.deprecated = deprecated is not None

    type = property(lambda self: self.types[0] if len(self.types) == 1 else self.types)

    def warn_if_deprecated(self):
        if self.deprecated:
            warning(f"{self.name} is deprecated: {self.deprecated_msg}")

    def check(self, value):
        fits = any(isinstance(value, t) and not (t is int and isinstance(value, bool)) or
                   t is float and isinstance(value, int) and not isinstance(value, bool) for t in self.types)
        if fits and isinstance(value, (list, tuple)):
            fits = all(isinstance(v, int) and not isinstance(v, bool) for v in value)
        if not fits:
            names = " or ".join(t.__name__ for t in self.types)
            raise TypeError(f"Trying to set {self.name} to {value!r}, but it must be of type {names}")

    def __repr__(self):
        return f"AttributeMetadata(name={self.name!r}, type={self.type}, default={self.default!r})"


class Category:
    """The attributes below one name."""

    def __init__(self, table, prefix=""):
        own = {}
        self.__dict__.update(_prefix=prefix, _own=own, _table=table)
        for name, row in table.items():
            if not name.startswith(prefix):
                continue
            first, _, rest = name[len(prefix):].partition(".")
            own.setdefault(first, Category(table, f"{prefix}{first}.") if rest else _copied(row.default))

    def _row(self, name):
        return self._table.get(self._prefix + name)

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._own:
            raise self._unknown(name)
        return self._own[name]

    def __setattr__(self, name, value):
        if name not in self._own:
            raise self._unknown(name)
        if isinstance(self._own[name], Category):
            raise AttributeError(f"{self._prefix}{name} is a category and cannot be assigned to. Set one of its attributes: "
                                 f"{', '.join(self._own[name]._own)}.")
        row = self._row(name)
        row.check(value)
        row.warn_if_deprecated()
        self._own[name] = float(value) if row.types == (float,) else value
        self._changed(row.name, value)

    def _changed(self, name, value):
        pass

    def _unknown(self, name):
        return ValueError(f"'{self._prefix}{name}' is not a valid attribute of this config."
                          + _spelling.hint(name, self._own, f"'{self._prefix}{{}}'"))

    def __dir__(self):
        return [*super().__dir__(), *self._own]

    def _values(self):
        """{full name: value} of everything below."""
        out = {}
        for name, value in self._own.items():
            if isinstance(value, Category):
                out.update(value._values())
            else:
                out[self._prefix + name] = value
        return out

    def _set(self, name, value):
        *path, last = name.split(".")
        owner = self
        for part in path:
            owner = getattr(owner, part)
        kind = self._table[name].types[0] if name in self._table else None
        if isinstance(kind, type) and issubclass(kind, enum.Enum) and isinstance(value, str):
            value = kind[value.split(".")[-1]]
        setattr(owner, last, value)


class _OnBoth:
    """A method of an object, or of a new one when it is called on the class."""

    def __init__(self, function):
        self._function = function

    def __get__(self, instance, owner):
        return self._function.__get__(owner() if instance is None else instance, owner)


class Structure(Category):
    """The whole, with its conversions."""

    def get_attribute_metadata(self, name: str) -> Attribute:
        """What is known of an option: its type, default and text."""
        if name not in self._table:
            raise ValueError(f"Could not get attribute metadata for '{name}': it is not a valid attribute of this config."
                             + _spelling.hint(name, self._table, "'{}'"))
        return self._table[name]

    def to_dict(self) -> dict:
        """All options and their values."""
        return {name: str(v) if isinstance(v, enum.Enum) else _copied(v) for name, v in self._values().items()}

    @_OnBoth
    def from_dict(self, values: TensorLike) -> Structure:
        """Takes over the values; called on the class, of a new one."""
        for name, value in values.items():
            self._set(name, value)
        return self

    def to_json(self) -> str:
        """All options and their values, as JSON."""
        return json.dumps(self.to_dict())

    @_OnBoth
    def from_json(self, text: str) -> Any:
        """Sets options from what to_json gave."""
        return self.from_dict(json.loads(text))


def _copied(value):
    return dict(value) if isinstance(value, dict) else list(value) if isinstance(value, list) else value
