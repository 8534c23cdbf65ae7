# SPDX-License-Identifier: MIT
"""Models for inference: <prefix>.pdmodel (the program) and <prefix>.pdiparams (its parameters), in Paddle's formats."""
from __future__ import annotations

import os
from typing import Any, Sequence

import numpy as np
from popart import _files

from .. import current, scopes
from ..current import program_guard
from ..dtypes import VarType, to_numpy, to_type
from ..executor import Executor
from ..helper import LayerHelper
from ..operator import Operator
from ..paddle_core import read_parameters, saved_names, write_parameters
from ..program import Program
from ..variable import Variable
from ..typed import PathLike, ProgramLike, TensorLike


def _variables(what, values):
    values = values if isinstance(values, (list, tuple)) else [values]
    if not values or not all(isinstance(v, Variable) for v in values):
        raise ValueError(f"{what} must be a Variable or a non-empty list of them, not {values!r}.")
    return list(values)


def normalize_program(program: ProgramLike, feed_vars: Sequence, fetch_vars: Sequence) -> Program:
    """The program as it is saved: what the fetches need, in test mode, with operators that feed and fetch."""
    if not isinstance(program, Program):
        raise TypeError(f"program type must be paddle.static.Program, but received {type(program)}.")
    feeds, fetches = _variables("feed_vars", feed_vars), _variables("fetch_vars", fetch_vars)
    program = getattr(program, "org_program", program)
    copy = program.clone(for_test=True)
    block = copy.global_block()
    for var in (*feeds, *fetches):
        if not block.has_var(var.name):
            raise ValueError(f"The variable {var.name!r} is not in the program that is saved.")
    with program_guard(copy, Program()):
        scaled = [_scaled(block.var(v.name), i) for i, v in enumerate(fetches)]
    _prune(block, [v.name for v in feeds], [v.name for v in scaled])
    _add_feeds(block, [v.name for v in feeds], [v.name for v in scaled])
    return copy


def _scaled(var, i):
    if var.dtype == VarType.BOOL:
        return var
    helper = LayerHelper("scale", f"save_infer_model/scale_{i}")
    out = helper.block.create_var(f"save_infer_model/scale_{i}.tmp_0", dtype=var.dtype)
    helper.block.append_op("scale", {"X": var}, {"Out": out}, {"scale": 1.0, "bias": 0.0, "bias_after_scale": True})
    return out


def _prune(block, feeds, fetches):
    wanted = set(fetches)
    kept: "list[Operator]" = []
    for op in reversed(block.ops):
        if op.type not in ("feed", "fetch") and wanted & set(op.output_arg_names):
            kept.insert(0, op)
            wanted |= set(op.input_arg_names) - set(feeds)
    missing = [n for n in wanted if block.var(n).is_data and n not in feeds]
    if missing:
        raise ValueError(f"The fetches depend on the data {missing}, which feed_vars does not have.")
    block.ops = kept
    used = {n for op in kept for n in (*op.input_arg_names, *op.output_arg_names)} | set(feeds) | set(fetches)
    block.vars = {name: var for name, var in block.vars.items() if name in used}
    block.program._changed()


def _add_feeds(block, feeds, fetches):
    block.create_var("feed", type=VarType.FEED_MINIBATCH, persistable=True)
    block.create_var("fetch", type=VarType.FETCH_LIST, persistable=True)
    for i in reversed(range(len(feeds))):
        block._prepend_op("feed", {"X": "feed"}, {"Out": feeds[i]}, {"col": i})
    for i, name in enumerate(fetches):
        block.append_op("fetch", {"X": name}, {"Out": "fetch"}, {"col": i}, infer=False)


def serialize_program(feed_vars: Sequence, fetch_vars: Sequence, program: ProgramLike | None = None, **kwargs: Any) -> Any:
    """The bytes of a .pdmodel file."""
    return normalize_program(program or current.default_main_program(), feed_vars, fetch_vars).serialize_to_string()


def _parameter_bytes(program, scope):
    arrays = []
    for name in saved_names(program.serialize_to_string()):
        array = scope.array(name)
        if array is None:
            raise ValueError(f"The parameter {name!r} has no value, so the model cannot be saved: run the startup program "
                             "before.")
        arrays.append((name, int(to_type(array.dtype)), array))
    return write_parameters(arrays)


def serialize_persistables(feed_vars: Sequence, fetch_vars: Sequence, executor: Any, program: ProgramLike | None = None,
                           **kwargs: Any) -> Any:
    """The bytes of a .pdiparams file."""
    normal = normalize_program(program or current.default_main_program(), feed_vars, fetch_vars)
    return _parameter_bytes(normal, scopes.global_scope())


def save_to_file(path: PathLike, content: bytes) -> None:
    """Writes bytes to a file."""
    if not isinstance(content, bytes):
        raise ValueError("'content' type should be bytes.")
    with _files.writing(path) as file:
        file.write(content)


def load_from_file(path: PathLike) -> bytes:
    """The bytes of a file."""
    with open(path, "rb") as file:
        return file.read()


def save_inference_model(path_prefix: PathLike, feed_vars: Sequence, fetch_vars: Sequence, executor: Any,
                         **kwargs: Any) -> None:
    """Writes both files; the parameters are those of the scope (weights_to_host() brings an IPU's there)."""
    program, clip_extra = kwargs.pop("program", None), kwargs.pop("clip_extra", True)
    if kwargs:
        raise TypeError(f"save_inference_model has no argument {', '.join(kwargs)}.")
    if not isinstance(executor, Executor):
        raise TypeError(f"executor must be a paddle.static.Executor, not {executor!r}.")
    path = _prefix(path_prefix)
    normal = normalize_program(program or current.default_main_program(), feed_vars, fetch_vars)
    if clip_extra:
        for op in normal.global_block().ops:
            for name in ("op_role", "op_namescope", "op_device", "op_callstack"):
                op._remove_attr(name)
    parameters = _parameter_bytes(normal, scopes.global_scope())
    _files.make_folder_of(path)
    save_to_file(path + ".pdmodel", normal.serialize_to_string())
    save_to_file(path + ".pdiparams", parameters)


def _prefix(path):
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"'path_prefix' should be a string, not {path!r}.")
    path = os.path.normpath(os.fspath(path))
    if os.path.isdir(path):
        raise ValueError(f"'path_prefix' should not be a directory: {path}.")
    return path


def deserialize_program(data: TensorLike, where: str = "memory") -> Program:
    """The program that serialize_program made into bytes."""
    return Program.parse_from_string(data, where)


def deserialize_persistables(program: ProgramLike, data: TensorLike, executor: Any, where: str = "memory") -> None:
    """Puts the parameters into the scope."""
    scope = scopes.global_scope()
    for name, kind, shape, content in read_parameters(data, program.serialize_to_string(), where):
        scope.var(name).get_tensor().set(np.frombuffer(content, to_numpy(kind)).reshape(shape))


def _read(path, what):
    if not os.path.isfile(path):
        raise ValueError(f"(NotFound) The {what} {path} cannot be opened: there is no such file. "
                         "save_inference_model writes <prefix>.pdmodel and <prefix>.pdiparams.")
    return load_from_file(path)


def load_inference_model(path_prefix: PathLike, executor: Any, **kwargs: Any) -> list:
    """[program, names of the feeds, variables to fetch]; parameters go into the scope."""
    model_name, params_name = kwargs.pop("model_filename", None), kwargs.pop("params_filename", None)
    if kwargs:
        raise TypeError(f"load_inference_model has no argument {', '.join(kwargs)}.")
    if path_prefix is None:  # the files themselves
        program, parameters = deserialize_program(model_name), params_name
    else:
        path = os.path.normpath(os.fspath(path_prefix))
        names = (os.path.join(path, model_name or "__model__"), os.path.join(path, params_name or "__params__")) \
            if os.path.isdir(path) else (path + ".pdmodel", path + ".pdiparams")
        program = deserialize_program(_read(names[0], "program"), names[0])
        parameters = None
        if saved_names(program.serialize_to_string()):
            parameters, where = _read(names[1], "parameter file"), names[1]
    if parameters:
        deserialize_persistables(program, parameters, executor, where if path_prefix is not None else "memory")
    block = program.global_block()
    feeds = sorted((op.attr("col"), op.output("Out")[0]) for op in block.ops if op.type == "feed")
    fetches = sorted((op.attr("col"), op.input("X")[0]) for op in block.ops if op.type == "fetch")
    if not fetches:
        raise ValueError(f"The program of {path_prefix} fetches nothing: it was not saved by save_inference_model.")
    for _, name in feeds:
        block.var(name).is_data = True
    return [program, [name for _, name in feeds], [block.var(name) for _, name in fetches]]
