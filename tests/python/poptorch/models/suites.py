# SPDX-License-Identifier: MIT
"""All tests of Python, a process for each file, with the Python and packages that are here. What a file needs and is not
installed makes it "absent", by name."""
import os
import re
import subprocess
import sys
import tempfile
import time

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FIRST = ("poptorch", "pi_ml")  # folders; what else there is comes after them


def files():
    found = [os.path.join(where, name) for where, _, names in os.walk(TESTS) for name in names
             if name.startswith("test_") and name.endswith(".py")]

    def order(path):
        folder = os.path.relpath(path, TESTS).split(os.sep)[0]
        return folder not in FIRST, -os.path.getsize(path)
    return sorted((path for path in found if os.path.basename(path) != "test_packages.py"), key=order)  # trial.py has those


def run_file(path, limit, until):
    """What pytest says of a file: the lines of what failed, and how many did. until: of time.monotonic()"""
    name = os.path.relpath(path, TESTS)
    left = until - time.monotonic()
    if left < 10:
        return {"name": name, "end": "not run", "lines": [], "trace": ""}
    with tempfile.TemporaryDirectory() as scratch:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENIPU_RUNTIME_DIR": scratch, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=short", "-rfE", path]
        start = time.monotonic()
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=min(limit, left), env=environment,
                                  cwd=scratch)
        except subprocess.TimeoutExpired as problem:
            so_far = (problem.stdout or b"").decode(errors="replace")[-2000:]
            return {"name": name, "end": "failed" if limit <= left else "not run", "trace": so_far,
                    "lines": [f"more than {min(limit, left):.0f} s"]}
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    summary = [line for line in done.stdout.splitlines() if re.search(r"\d+ (passed|failed|error|skipped|deselected)", line)]
    absent = re.search(r"No module named '([\w.]+)'", done.stdout) if done.returncode == 2 else None
    end = "absent" if absent else "failed" if done.returncode not in (0, 5) else "passed"
    return {"name": name, "end": end, "lines": [absent.group(0)] if absent else [*lines, *summary[-1:]],
            "seconds": round(time.monotonic() - start, 1), "trace": (done.stdout + done.stderr)[-20000:]}


def shown(reports, width=150):
    lines = []
    for report in reports:
        if report["end"] == "failed":
            lines.append(f"  {report['name']}: {report['lines'][-1] if report['lines'] else report['trace'][-width:]}"[:width])
            lines += ["    " + line.split("::", 1)[-1][:width] for line in report["lines"][:-1][:6]]
    for end in ("absent", "not run"):
        named = [r["name"] + (f" ({r['lines'][0].split()[-1]})" if r["lines"] else "") for r in reports if r["end"] == end]
        if named:
            lines.append(f"  {end}: {' '.join(named)}"[:600])
    passed = sum(r["end"] == "passed" for r in reports)
    return "\n".join([f"test files: {passed} of {len(reports)} pass", *lines])
