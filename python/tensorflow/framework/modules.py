# SPDX-License-Identifier: MIT
"""tf.Module: an object with variables and modules as its attributes, in lists and dictionaries too."""
from __future__ import annotations

from typing import Any, Callable

from . import nest
from .scopes import name_scope
from .variables import Variable


class Module:
    """The base of classes with variables."""
    def __init__(self, name: str | None = None) -> None:
        self._module_name = name or "".join(
            ("_" if c.isupper() and i else "") + c.lower() for i, c in enumerate(type(self).__name__))

    name = property(lambda self: self._module_name)

    @property
    def name_scope(self) -> Any:
        """The scope that its variables are named in."""
        return name_scope(self.name)

    @classmethod
    def with_name_scope(cls, method: Any) -> Callable:
        """A method whose variables are named in the module's scope."""
        def call(self, *args, **kwargs):
            with self.name_scope:
                return method(self, *args, **kwargs)
        return call

    def _found(self, seen):
        """Variables and modules below, each once, in the order of attributes' names."""
        for key in sorted(self.__dict__):
            for value in nest.flatten(self.__dict__[key]):
                if id(value) in seen:
                    continue
                if isinstance(value, (Variable, Module)) or hasattr(value, "trainable_variables"):
                    seen[id(value)] = value
                    yield value
                if isinstance(value, Module):
                    yield from value._found(seen)

    def _variables(self, attribute):
        out = []
        for value in self._found({id(self): self}):
            own = [value] if isinstance(value, Variable) else [] if isinstance(value, Module) else getattr(value, attribute)
            out += [v for v in own if not any(v is known for known in out)]
        return out

    @property
    def variables(self) -> tuple:
        """All variables, those of modules within included."""
        return tuple(self._variables("variables"))

    @property
    def trainable_variables(self) -> tuple:
        """The variables that are trained."""
        return tuple(v for v in self._variables("trainable_variables") if v.trainable)

    @property
    def non_trainable_variables(self) -> tuple:
        """The variables that are not trained."""
        return tuple(v for v in self.variables if not v.trainable)

    @property
    def submodules(self) -> tuple:
        """All modules within it."""
        return tuple(m for m in self._found({id(self): self}) if not isinstance(m, Variable))
