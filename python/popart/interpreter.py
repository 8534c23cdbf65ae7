# SPDX-License-Identifier: MIT
"""Says which Python to use if this one cannot import the core. Runs in any Python 3."""
import glob
import os
import sys
from contextlib import contextmanager
from typing import Iterator, Optional


def _built_for() -> Optional[str]:
    """"3.11", from the name of the core's file."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for name in glob.glob(os.path.join(folder, "popart_core.cpython-*.so")):
        digits = os.path.basename(name).split("-")[1]
        return digits[0] + "." + digits[1:]
    return None


@contextmanager
def explained() -> Iterator[None]:
    try:
        yield
    except ImportError as problem:
        built, this = _built_for(), "%d.%d" % sys.version_info[:2]
        if built is None or (built == this and getattr(problem, "name", None) not in ("numpy", "popart_core")
                             and "numpy" not in str(problem)):
            raise
        why = "it has no numpy" if "numpy" in str(problem) else problem
        raise ImportError("popart cannot be imported by %s (Python %s): %s. It is built for Debian's Python with "
                          "numpy: use /usr/bin/python3 (%s)." % (sys.executable, this, why, built)) from problem
