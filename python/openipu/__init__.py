# SPDX-License-Identifier: MIT
"""OpenIPU: what its Python packages share with the libraries beside them.

`python -m openipu` says which one this is; `demo` shows it at work; `build` makes the modules of C++ for the Python that
runs it. In an SDK the libraries lie in its poplar-* and popart-* folders, in the wheel `openipu` in this package.
"""
