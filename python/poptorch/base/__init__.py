# SPDX-License-Identifier: MIT
"""What every other folder uses: the capture that runs, types, nested structures, errors of C++, hooks, notices."""
