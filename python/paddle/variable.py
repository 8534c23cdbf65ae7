# SPDX-License-Identifier: MIT
"""Variable and Parameter: what a program says of a tensor. Arithmetic on them is in tensor/operators.py."""
from __future__ import annotations

from typing import Any

from . import scopes, unique_name
from .dtypes import VarType, name_of, to_type
from .typed import DTypeLike, ShapeLike, TensorLike


class Variable:
    """A tensor of a program; a dimension of -1 is not known yet."""

    def __init__(self, block: Any, name: str | None = None, shape: ShapeLike | None = None, dtype: DTypeLike | None = None,
                 type: VarType | int = VarType.LOD_TENSOR, persistable: bool = False, stop_gradient: bool = False,
                 is_data: bool = False, need_check_feed: bool = False, lod_level: int = 0) -> None:
        self.block, self.type = block, VarType(type)
        self.name = name if name is not None else unique_name.generate("_generated_var")
        if not isinstance(self.name, str):
            raise TypeError(f"The name of a variable must be a text, not {name!r}.")
        self.shape: Any = tuple(int(d) for d in shape) if shape is not None else None
        self.dtype = to_type(dtype) if dtype is not None else None
        self.persistable, self.stop_gradient = bool(persistable), bool(stop_gradient)
        self.is_data, self.need_check_feed, self.lod_level = is_data, need_check_feed, lod_level
        self._present = {"lod_level", "persistable", "need_check_feed", "stop_gradient", "is_parameter"}

    @classmethod
    def _from(cls, block, described):
        out = cls.__new__(cls)
        Variable.__init__(out, block, described["name"], described.get("shape"), described.get("dtype"),
                          described["type"], described.get("persistable", False), described.get("stop_gradient", False),
                          False, described.get("need_check_feed", False), described.get("lod_level", 0))
        out._present = {k for k in described} & out._present
        out._restored()
        return out

    def _restored(self):
        pass

    def described(self) -> dict:
        """The variable as a dict, for what writes programs to files."""
        out = {"name": self.name, "type": int(self.type)}
        if self.type == VarType.LOD_TENSOR:
            out["dtype"] = int(self.dtype if self.dtype is not None else VarType.FP32)
            out["shape"] = list(self.shape or ())
            if "lod_level" in self._present:
                out["lod_level"] = self.lod_level
        for key in ("persistable", "need_check_feed", "stop_gradient"):
            if key in self._present:
                out[key] = getattr(self, key)
        if "is_parameter" in self._present:
            out["is_parameter"] = isinstance(self, Parameter)
        return out

    def _copied(self, block):
        out = type(self).__new__(type(self))
        out.__dict__.update(self.__dict__)
        out.block = block
        return out

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    def dim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def op(self) -> Any:
        """The last operator that makes it."""
        for op in reversed(self.block.ops):
            if self.name in op.output_arg_names:
                return op
        return None

    def get_value(self, scope: Any = None) -> Any:
        """Its values in a scope."""
        found = (scope or scopes.global_scope()).find_var(self.name)
        if found is None:
            raise ValueError(f"Can not find Variable '{self.name}' in the Scope. Run the startup program before.")
        return found.get_tensor()

    def set_value(self, value: TensorLike, scope: Any = None) -> None:
        """Sets its value in a scope."""
        self.get_value(scope or scopes.global_scope()).set(value)

    def numpy(self) -> Any:
        """Refused: a variable of a program has no values of its own, Executor.run fetches them."""
        raise RuntimeError(f"The variable {self.name!r} of a program has no values of its own: fetch it with Executor.run.")

    def backward(self, *args: Any, **kwargs: Any) -> Any:
        """Refused: a program has gradients by append_backward or an optimizer."""
        raise RuntimeError("backward() is of the dynamic graph. In a program an optimizer's minimize() or "
                           "paddle.static.append_backward adds the backward pass.")

    def __repr__(self):
        kind = "persist " if self.persistable else ""
        what = "param" if isinstance(self, Parameter) else "var"
        shape = ", ".join(map(str, self.shape)) if self.shape is not None else "?"
        dtype = name_of(self.dtype) if self.dtype is not None else "?"
        return (f"{kind}{what} {self.name} : {self.type.name}.shape({shape}).dtype({dtype})"
                f".stop_gradient({self.stop_gradient})")

    def __iter__(self):
        raise TypeError(f"The variable {self.name!r} cannot be walked through; use paddle.unstack or paddle.split.")

    def __bool__(self):
        raise TypeError(f"The variable {self.name!r} has a value only when its program runs, so Python cannot decide by "
                        "it. Use paddle.where.")

    def __len__(self):
        return self.shape[0]


class Parameter(Variable):
    """A variable that is initialised by the startup program and trained."""

    def __init__(self, block, name=None, shape=None, dtype=None, trainable=True, optimize_attr=None, regularizer=None,
                 initializer=None, need_clip=True, do_model_average=False, is_distributed=False):
        """do_model_average and is_distributed are of averages and parameter servers, which are not there."""
        super().__init__(block, name, shape, dtype, persistable=True, stop_gradient=not trainable)
        if shape is None or dtype is None or any(d <= 0 for d in self.shape):
            raise ValueError(f"The parameter {self.name!r} needs a dtype and a shape without unknown or empty dimensions, "
                             f"not {shape}.")
        self.trainable = trainable
        self.optimize_attr = optimize_attr or {"learning_rate": 1.0}
        self.regularizer, self.initializer, self.need_clip = regularizer, initializer, need_clip

    def _restored(self):
        self.trainable = not self.stop_gradient
        self.optimize_attr, self.regularizer, self.initializer, self.need_clip = {"learning_rate": 1.0}, None, None, True
