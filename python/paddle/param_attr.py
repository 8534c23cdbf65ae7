# SPDX-License-Identifier: MIT
"""ParamAttr: what a user says of a parameter."""
from __future__ import annotations

from .regularizer import WeightDecayRegularizer
from .typed import InitializerLike, RateLike, RegularizerLike


class ParamAttr:
    """What a parameter is: name, first value, rate, regularizer, whether it is trained."""
    def __init__(self, name: str | None = None, initializer: InitializerLike = None, learning_rate: RateLike = 1.0,
                 regularizer: RegularizerLike = None, trainable: bool = True, do_model_average: bool = True,
                 need_clip: bool = True) -> None:
        self.name, self.initializer, self.learning_rate = name, initializer, learning_rate
        self.regularizer, self.trainable, self.need_clip = regularizer, trainable, need_clip
        self.do_model_average = do_model_average  # kept; averages of models are not there

    @staticmethod
    def _to_attr(arg):
        """What users may write for one: None, a name, an initializer, False (no parameter)."""
        if arg is None or arg is True:
            return ParamAttr()
        if isinstance(arg, ParamAttr) or arg is False:
            return arg
        if isinstance(arg, str):
            return ParamAttr(name=arg)
        if callable(arg):
            return ParamAttr(initializer=arg)
        if isinstance(arg, WeightDecayRegularizer):
            return ParamAttr(regularizer=arg)
        raise TypeError(f"{arg!r} cannot be cast to ParamAttr: a ParamAttr, a name, an initializer, a regularizer, None or "
                        "False.")
