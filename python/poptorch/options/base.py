# SPDX-License-Identifier: MIT
"""What all groups of options share: values by name, of a known type, that can be frozen, copied and told."""
import copy
import operator
import re
from typing import Any, TypeVar


Own = TypeVar("Own", bound="OptionSet")  # a setter gives the options back that it was called on


class Option:
    """An option: its value at first, and what it may be. Those that are None at first count as unset."""

    def __init__(self, default: Any, kinds: Any = None):
        self.default = default
        self.kinds = kinds if isinstance(kinds, tuple) else (kinds or type(default),)

    def checked(self, name: str, value: Any) -> Any:
        """The value as it is kept; TypeError if it is none."""
        if value is None and (self.default is None or type(None) in self.kinds):
            return None
        for kind in self.kinds:
            if isinstance(value, kind) and not (isinstance(value, bool) and bool not in self.kinds):
                return kind(value) if issubclass(kind, int) else value
        if int in self.kinds and not isinstance(value, bool) and hasattr(value, "__index__"):
            return operator.index(value)
        if float in self.kinds and not isinstance(value, bool) and hasattr(value, "__float__"):
            return float(value)
        wanted = " or ".join({"NoneType": "None"}.get(kind.__name__, kind.__name__) for kind in self.kinds)
        raise TypeError(f"The option {name} must be of type {wanted}, not {type(value).__name__} ({value!r}).")


class OptionSet:
    """Options as attributes. A class lists them in `declared`; groups within it in `groups`.

    What is unset reads as None and stays out of toDict. Frozen ones raise AttributeError when they are changed."""

    declared: "dict[str, Option]" = {}
    groups: "tuple[str, ...]" = ()

    def __init__(self):
        values = {name: copy.copy(option.default) for name, option in self.declared.items()}
        self.__dict__.update(_values=values, _frozen=False)

    def __getattr__(self, name):
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        snake = re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", name)  # as the methods that set them are written
        if snake in values:
            return values[snake]
        raise AttributeError(f"Invalid attribute {name!r}: {type(self).__name__} has "
                             f"{', '.join(sorted(self.declared)) or 'none'}.")

    def __setattr__(self, name, value):
        if name in self.__dict__:
            self.__dict__[name] = value
            return
        self.checkIsFrozen()
        if name not in self.declared:
            raise AttributeError(f"Invalid attribute {name!r}: {type(self).__name__} has "
                                 f"{', '.join(sorted(self.declared)) or 'none'}.")
        self._values[name] = self.declared[name].checked(name, value)

    def __getstate__(self):
        return self.__dict__.copy()

    def __setstate__(self, state):
        self.__dict__.update(state)

    def __repr__(self):
        changed = {name: value for name, value in self.toDict(merged=False).items()
                   if value != self.declared[name].default}
        parts = [f"{name}={value!r}" for name, value in changed.items()]
        parts += [text for text in map(repr, self._parts()) if not text.endswith("()")]
        return f"{type(self).__name__.strip('_')}({', '.join(parts)})"

    def _parts(self):
        return [self.__dict__[group] for group in self.groups]

    def checkIsFrozen(self) -> None:
        """AttributeError if nothing may be changed any more."""
        if self._frozen:
            raise AttributeError("Can't modify frozen Options: they were given to a model or a DataLoader. "
                                 "Change options.clone(), or change them before.")

    def freeze(self: Own) -> Own:
        """From now on nothing can be changed."""
        self.__dict__["_frozen"] = True
        for part in self._parts():
            part.freeze()
        return self

    @property
    def isFrozen(self) -> bool:
        return self._frozen

    def __deepcopy__(self, memo):
        """A copy that can be changed."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update(copy.deepcopy(self.__dict__, memo), _frozen=False)
        return made

    def clone(self: Own) -> Own:
        """A copy that can be changed."""
        return copy.deepcopy(self)

    def isDefault(self) -> bool:
        """Whether nothing differs from the values at first."""
        return all(self._values[name] == option.default for name, option in self.declared.items())

    def toDict(self, merged: bool = True) -> dict:
        """What is set, by attribute; merged: with the groups within."""
        out = {name: value for name, value in self._values.items() if value is not None}
        if merged:
            for part in self._parts():
                out.update(part.toDict())
        return out


def positive(name: str, value: Any) -> int:
    """The value, or ValueError if it is below 1."""
    value = Option(1).checked(name, value)
    if value < 1:
        raise ValueError(f"{name} must be greater than 0, not {value}.")
    return value


def seed(name: str, value: Any) -> int:
    """The value, or ValueError if a generator cannot begin with it."""
    value = Option(0).checked(name, value)
    if not 0 <= value < 2**64:
        raise ValueError(f"{name} must be a number from 0 to 2**64 - 1, not {value}.")
    return value


def member(name: str, kind: type, value: Any) -> Any:
    """A member of an enumeration, or TypeError."""
    if not isinstance(value, kind):
        raise TypeError(f"{name} takes a poptorch.{kind.__name__}, not {type(value).__name__} ({value!r}).")
    return value


def mapping(name: str, value: Any) -> dict:
    """A dict, or TypeError."""
    return Option({}).checked(name, value)


def texts(name: str, values: Any) -> "list[str]":
    """A list of str, or TypeError."""
    if isinstance(values, str) or not hasattr(values, "__iter__"):
        raise TypeError(f"{name} takes a list of str, not {type(values).__name__} ({values!r}).")
    return [Option("").checked(name, value) for value in values]
