# SPDX-License-Identifier: MIT
"""Things by their names: activations, initialisers, losses, metrics, optimisers, regularisers, layers."""
from __future__ import annotations

import re
import typing as _typing

from popart import _spelling
if _typing.TYPE_CHECKING:  # of annotations
    from typing import Any, Callable

custom = {}  # of keras.utils.custom_object_scope


def snake(name):
    """GlobalMaxPool -> global_max_pool"""
    name = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


def config_of(thing: Any) -> dict:
    """The arguments that its classes name in `_config`, which are attributes; those of bases first."""
    return {name: getattr(thing, name) for kind in reversed(type(thing).__mro__) for name in vars(kind).get("_config", ())}


class Registry:
    """Things of one kind by name: losses, optimizers and so on."""
    def __init__(self, kind: str) -> None:
        self.kind, self.named = kind, {}

    def add(self, *names: Any) -> Callable:
        """A decorator that adds a class or function under names."""
        def decorate(thing):
            for name in (thing.__name__, *names):
                self.named[name] = thing
            return thing
        return decorate

    def find(self, name: str, custom_objects: dict | None = None) -> Any:
        """The class or function of a name; ValueError, with near matches, if there is none."""
        for source in (custom_objects or {}, custom, self.named):
            if name in source:
                return source[name]
        raise ValueError(f"Unknown {self.kind}: {name}. docs/tensorflow.md lists those there are."
                         + _spelling.hint(name, self.named))

    def get(self, identifier: Any) -> Any:
        """A thing from its name or configuration, or the thing itself."""
        if identifier is None:
            return None
        if isinstance(identifier, dict):
            return self.deserialize(identifier)
        if isinstance(identifier, str):
            found = self.find(identifier)
            return found() if isinstance(found, type) else found
        if isinstance(identifier, type):
            return identifier()
        if callable(identifier) or hasattr(identifier, "get_config"):
            return identifier
        raise ValueError(f"Could not interpret {self.kind} identifier: {identifier!r}")

    def deserialize(self, config: dict | str, custom_objects: dict | None = None) -> Any:
        """A thing from its name or configuration."""
        if isinstance(config, str):
            found = self.find(config, custom_objects)
            return found() if isinstance(found, type) else found
        found = self.find(config["class_name"], custom_objects)
        return found.from_config(dict(config.get("config") or {})) if hasattr(found, "from_config") else found

    def serialize(self, thing: Any) -> dict | str | None:
        """The name or configuration of a thing."""
        if thing is None:
            return None
        if hasattr(thing, "get_config"):
            return {"class_name": type(thing).__name__, "config": thing.get_config()}
        if hasattr(thing, "__name__"):
            return thing.__name__
        raise ValueError(f"Cannot serialize {self.kind} {thing!r}")
