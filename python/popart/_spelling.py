# SPDX-License-Identifier: MIT
"""What a user may have meant by a name that there is not."""
import difflib
from typing import Iterable


def hint(name: object, known: Iterable[object], form: str = "{!r}") -> str:
    """" Did you mean 'relu'?" to end a message with, or nothing if no known name is near."""
    near = difflib.get_close_matches(str(name), [str(each) for each in known], 1)
    return f" Did you mean {form.format(near[0])}?" if near else ""
