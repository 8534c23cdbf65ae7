# SPDX-License-Identifier: MIT
"""Program: blocks of variables and operators, as they stand in .pdmodel files."""
from __future__ import annotations

import warnings
from typing import Any, Iterator

from . import custom_operators, guards, scopes
from .dtypes import VarType
from .operator import Operator, attributes_from
from .paddle_core import infer_shapes, read_program, write_program
from .variable import Parameter, Variable


class Block:
    """Variables by name, and operators in order."""

    def __init__(self, program, idx, parent_idx=-1):
        self.program, self.idx, self.parent_idx = program, idx, parent_idx
        self.vars, self.ops = {}, []

    # ---- variables

    def create_var(self, name=None, shape=None, dtype=None, type=VarType.LOD_TENSOR, persistable=False,
                   stop_gradient=False, is_data=False, need_check_feed=False, lod_level=0, initializer=None):
        """initializer: an operator of this block makes its first value."""
        var = self._add(Variable(self, name, shape, dtype, type, persistable, stop_gradient, is_data, need_check_feed,
                                 lod_level))
        if initializer is not None:
            initializer(var, self)
        return var

    def create_parameter(self, name=None, shape=None, dtype=None, **kwargs):
        return self._add(Parameter(self, name, shape, dtype, **kwargs))

    def _add(self, var):
        self.program._changed()
        self.vars[var.name] = var
        return var

    def has_var(self, name):
        return name in self.vars

    def var(self, name):
        if name not in self.vars:
            raise ValueError(f"There is no variable {name!r} in this block. It has: {', '.join(sorted(self.vars)[:20])}.")
        return self.vars[name]

    def all_parameters(self):
        return [v for v in self.vars.values() if isinstance(v, Parameter)]

    def _remove_var(self, name):
        self.program._changed()
        self.vars.pop(name, None)

    # ---- operators

    def append_op(self, type, inputs=None, outputs=None, attrs=None, infer=True, stop_gradient=False):
        """Adds an operator; the shapes and types of its results follow from those of its inputs. stop_gradient is of the
        dynamic graph: in a program variables say it."""
        op = Operator(self, type, inputs, outputs, {**(attrs or {}), **guards.attributes(self.program)})
        self.program._changed()
        if infer:
            self._infer(op)
        self.ops.append(op)
        return op

    def _prepend_op(self, type, inputs=None, outputs=None, attrs=None):
        op = self.append_op(type, inputs, outputs, attrs, infer=False)
        self.ops.insert(0, self.ops.pop())
        return op

    def _remove_op(self, index):
        self.program._changed()
        del self.ops[index]

    def _infer(self, op):
        known = []
        for name in dict.fromkeys(op.input_arg_names):
            var = self.var(name)
            if var.dtype is None or var.shape is None:
                raise ValueError(f"({op.type}) the shape and type of its input {name!r} are not known.")
            known.append((name, int(var.dtype), list(var.shape)))
        own = custom_operators.of(op)
        for name, kind, shape in infer_shapes(op.described(), known) if own is None else own.infer(op, self):
            var = self.vars.get(name)
            if var is not None and name not in op.input_arg_names:
                var.shape, var.dtype = tuple(shape), VarType(kind)


class Program:
    """What runs: made by layers under program_guard, or read from a file."""

    def __init__(self):
        self.blocks = [Block(self, 0)]
        self.random_seed = 0
        self._version = 0  # counts changes: what was compiled of it is old then
        self._op_role = 0
        self.lr_scheduler = self._lr_variable = None
        self._file_version = 0
        self._op_versions = None
        self._cache = {}

    def _changed(self):
        self._version += 1
        self._cache.clear()

    def global_block(self) -> Block:
        """The outermost block."""
        return self.blocks[0]

    def current_block(self) -> Block:
        """The block that operators are added to now."""
        return self.blocks[0]

    def block(self, index: int) -> Any:
        """A block by its number."""
        return self.blocks[index]

    @property
    def num_blocks(self) -> int:
        """How many blocks there are."""
        return len(self.blocks)

    def list_vars(self) -> Iterator:
        """All variables of all blocks."""
        for block in self.blocks:
            yield from block.vars.values()

    def all_parameters(self) -> list:
        """All parameters of all blocks."""
        return [p for block in self.blocks for p in block.all_parameters()]

    # ---- values

    def state_dict(self, mode: str = "all", scope: Any = None) -> dict:
        """The values of a scope by name: of parameters ("param"), of the optimizer's variables ("opt"), or of all."""
        wanted = {"all": lambda v: True, "param": lambda v: isinstance(v, Parameter),
                  "opt": lambda v: not isinstance(v, Parameter)}
        if mode not in wanted:
            raise ValueError(f"`mode` string should be 'param', 'opt' or 'all', but received {mode}.")
        scope = scope or scopes.global_scope()
        out = {}
        for var in self.list_vars():
            if not var.persistable or var.type != VarType.LOD_TENSOR or not wanted[mode](var):
                continue
            found = scope.find_var(var.name)
            if found is None:
                raise ValueError(f"Can not find Variable '{var.name}' in the Scope. Run the startup program before.")
            out[var.name] = found.get_tensor()
        return out

    def set_state_dict(self, state_dict: dict, scope: Any = None) -> None:
        """Values for the variables of these names; a name that the program has not is left out with a warning."""
        variables = {v.name: v for v in self.list_vars() if v.persistable}
        for name, value in state_dict.items():
            if name not in variables:
                warnings.warn(f"set_state_dict: the program has no variable {name!r}.")
                continue
            variables[name].set_value(value, scope)

    # ---- as bytes

    def described(self) -> dict:
        """The program as a dict, for what writes programs to files."""
        out = {"blocks": [_described(block) for block in self.blocks], "version": self._file_version}
        if self._op_versions is not None:
            out["op_versions"] = self._op_versions
        return out

    def serialize_to_string(self) -> bytes:
        """The bytes of a .pdmodel file."""
        if "bytes" not in self._cache:
            self._cache["bytes"] = write_program(self.described())
        return self._cache["bytes"]

    class _Desc:
        def __init__(self, program):
            self.serialize_to_string = program.serialize_to_string

    @property
    def desc(self) -> Any:
        """What Paddle's own tools ask of a program's description: its blocks."""
        return Program._Desc(self)

    @staticmethod
    def parse_from_string(binary_str: bytes, where: str = "memory") -> Program:
        """A program of the bytes of a .pdmodel file; ValueError if they are damaged."""
        described = read_program(binary_str, where)
        program = Program()
        program.blocks = []
        for block in described["blocks"]:
            program.blocks.append(_block_from(program, block))
        program._file_version = described.get("version", 0)
        program._op_versions = described.get("op_versions")
        return program

    # ---- copies

    def clone(self, for_test: bool = False) -> Program:
        """A copy. for_test: the forward pass only, with batch norm and dropout as they are when nothing is trained."""
        out = Program()
        out.random_seed = self.random_seed
        out.blocks = []
        for block in self.blocks:
            own = Block(out, block.idx, block.parent_idx)
            own.vars = {name: var._copied(own) for name, var in block.vars.items()}
            own.ops = [op._copied(own) for op in block.ops if not (for_test and op.role & 0xff)]
            out.blocks.append(own)
        if for_test:
            for block in out.blocks:
                for op in block.ops:
                    if op.type in ("batch_norm", "dropout") or op.has_attr("is_test"):
                        op._set_attr("is_test", True)
        else:
            out.lr_scheduler, out._lr_variable = self.lr_scheduler, self._lr_variable
        out._file_version, out._op_versions = self._file_version, self._op_versions
        return out

    def __deepcopy__(self, memo):
        return self.clone()

    def to_string(self, throw_on_error: bool = False, with_details: bool = False) -> str:
        """The program as text."""
        lines = []
        for block in self.blocks:
            lines.append(f"{{ // block {block.idx}")
            lines += [f"    {var!r}" for var in block.vars.values()] + [f"    {op!r}" for op in block.ops] + ["}"]
        return "\n".join(lines)

    def __repr__(self):
        return self.to_string()


def _described(block):
    return {"idx": block.idx, "parent_idx": block.parent_idx, "vars": [v.described() for v in block.vars.values()],
            "ops": [op.described() for op in block.ops], "forward_block_idx": getattr(block, "forward_block_idx", -1)}


def _block_from(program, described):
    block = Block(program, described["idx"], described["parent_idx"])
    for var in described["vars"]:
        kind: "type[Variable]" = Parameter if var.get("is_parameter") else Variable
        block.vars[var["name"]] = kind._from(block, var)
    for op in described["ops"]:
        block.ops.append(Operator(block, op["type"], dict(op["inputs"]), dict(op["outputs"]),
                                  attributes_from(op["attrs"]), op.get("is_target")))
    return block
