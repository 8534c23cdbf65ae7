# SPDX-License-Identifier: MIT
"""Functions that are used several times: equal parts of a program are found without being told."""
import functools


def outlined_function(func=None, unique_sharding=False, keep_input_layouts=None, name=None):
    def decorate(f):
        @functools.wraps(f)
        def call(*args, **kwargs):
            return f(*args, **kwargs)
        return call
    return decorate if func is None else decorate(func)


function = outlined_function
