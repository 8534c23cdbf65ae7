# SPDX-License-Identifier: MIT
"""Arguments of a constructor from a command line: add_argparse_args and from_argparse_args of trainers and data modules."""
from __future__ import annotations

import argparse
import inspect
from typing import Any, Dict


class FromArguments:
    """Of classes whose constructors name their arguments."""

    @classmethod
    def add_argparse_args(cls, parent_parser: argparse.ArgumentParser, **kwargs: Any) -> argparse.ArgumentParser:
        """Adds --NAME for every argument of the constructor, in a group of its own."""
        group = parent_parser.add_argument_group(kwargs.pop("title", cls.__name__), **kwargs)
        taken = parent_parser._option_string_actions
        for name, parameter in _named(cls).items():
            if f"--{name}" not in taken:
                default = None if parameter.default is parameter.empty else parameter.default
                group.add_argument(f"--{name}", dest=name, default=default, **_reading(parameter, default))
        return parent_parser

    @classmethod
    def from_argparse_args(cls, args: Any, **kwargs: Any) -> Any:
        """One of the arguments that a parser has read; kwargs win."""
        if isinstance(args, argparse.ArgumentParser):
            args = cls.parse_argparser(args)
        given = vars(args)
        return cls(**{**{name: given[name] for name in _named(cls) if name in given}, **kwargs})

    @classmethod
    def parse_argparser(cls, arg_parser: Any) -> argparse.Namespace:
        """What a parser reads; what was read already stays."""
        return arg_parser.parse_args() if isinstance(arg_parser, argparse.ArgumentParser) else arg_parser

    @classmethod
    def default_attributes(cls) -> Dict[str, Any]:
        """The arguments of the constructor with their defaults."""
        return {name: p.default for name, p in _named(cls).items() if p.default is not p.empty}


def _named(cls):
    return {name: p for name, p in list(inspect.signature(cls.__init__).parameters.items())[1:]
            if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}


def _reading(parameter, default):
    if parameter.annotation in (bool, "bool") or isinstance(default, bool) and "int" not in str(parameter.annotation):
        return {"type": _flag, "nargs": "?", "const": True}
    return {"type": _value(str(getattr(parameter.annotation, "__name__", parameter.annotation)), default)}


def _flag(text):
    if text.lower() in ("true", "yes", "y", "1", "on"):
        return True
    if text.lower() in ("false", "no", "n", "0", "off"):
        return False
    raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")


def _value(annotation, default):
    """Numbers where the argument may be one: 2 is a whole number, 0.5 and 1.0 are not."""
    texts = "str" in annotation and "int" not in annotation and "float" not in annotation

    def read(text):
        if texts or annotation == "_empty" and isinstance(default, str):
            return text
        if text in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[text]
        for kind in (int, float):
            try:
                return kind(text)
            except ValueError:
                pass
        return text
    return read
