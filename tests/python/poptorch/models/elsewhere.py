# SPDX-License-Identifier: MIT
"""What a bundle does with the Python, torch and packages of another machine, in one command:

    python3 tests/python/poptorch/models/elsewhere.py made/openipu-*-linux-x86_64.tar.xz --seconds 420 --json results.json

Unpacks it, makes its modules for this Python, measures importing and capturing, tries today's models and torch's own list of
operators, and runs all tests, each against the bundle. With a folder of wheels, installs these into a virtual environment too.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)
import measures
import operators
import suites

_START = time.monotonic()


def say(text):
    print(f"[{time.monotonic() - _START:.0f} s] {text}", flush=True)


# ---- the bundle, and wheels


def unpacked(archive, folder):
    """The variables that its enable.sh sets."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder)
    sdk, = (os.path.join(folder, name) for name in os.listdir(folder))
    said = subprocess.run(["bash", "-euc", 'source "$0/enable.sh" && env -0', sdk], check=True, capture_output=True, text=True)
    return dict(entry.split("=", 1) for entry in said.stdout.split("\0") if "=" in entry)


def run(*command, whole=0, **settings):
    """Its output's last line, or so much of all; a failure as text."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **settings)
    except OSError as problem:
        return f"FAILED: {problem}"
    lines = done.stdout.strip().splitlines() or [""]
    if whole:
        return done.stdout[-whole:]
    return lines[-1] if done.returncode == 0 else f"FAILED ({done.returncode}): " + " | ".join(lines[-4:])[-500:]


def wheels(folder, scratch, jobs):
    """openipu and poptorch alone in a virtual environment; no SDK and no variable."""
    plain = {name: value for name, value in os.environ.items()
             if name not in ("PYTHONPATH", "LD_LIBRARY_PATH", "CPATH", "LIBRARY_PATH", "POPLAR_SDK_ENABLED")}
    place = os.path.join(scratch, "venv")
    python = os.path.join(place, "bin", "python")
    files = [file for name in ("openipu", "poptorch") for file in glob.glob(os.path.join(folder, name + "-*.whl"))]
    program = ("import poptorch, torch; print('PopTorch of wheels:', "
               "tuple(poptorch.inferenceModel(torch.nn.Linear(2, 2))(torch.ones(1, 2)).shape))")
    steps = [[sys.executable, "-m", "venv", "--system-site-packages", place],
             [python, "-m", "pip", "install", "--quiet", "--no-index", *files], [python, "-c", program],
             [python, "-m", "openipu", "build", "popart", "poptorch", "--jobs", str(jobs)], [python, "-c", program],
             [python, "-m", "openipu", "demo"], [os.path.join(place, "bin", "gc-info"), "-l"]]
    for step in steps:
        say("wheels: " + " ".join(step[1:4])[:60] + " ... " + run(*step, env=plain, cwd=scratch)[:300])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", nargs="?", help="none: what is on PYTHONPATH")
    parser.add_argument("--wheels", metavar="FOLDER", help="tries these too")
    parser.add_argument("--script", metavar="FILE", help="runs this too, and prints what it says")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="models and operators whose names hold this text")
    parser.add_argument("--seconds", type=int, default=420, help="no test begins later; all ends a little after")
    parser.add_argument("--json", help="writes all that was found into this file, with tracebacks")
    given = parser.parse_args()
    found = {}

    def keep(part, value):
        found[part] = value
        if given.json:
            with open(given.json, "w", encoding="utf-8") as file:
                json.dump(found, file, indent=1)

    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor() as pool:
        os.environ["OPENIPU_RUNTIME_DIR"] = os.path.join(scratch, "runtime")
        os.mkdir(os.environ["OPENIPU_RUNTIME_DIR"])
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        if given.bundle:
            os.mkdir(os.path.join(scratch, "bundle"))
            os.environ.update(unpacked(given.bundle, os.path.join(scratch, "bundle")))
            if run(sys.executable, "-c", "import popart, poptorch, pva, tensorflow, paddle").startswith("FAILED"):
                say("modules: " + run(sys.executable, "-m", "openipu", "build", "--jobs", str(given.jobs)))
        say("demo: " + run("openipu-demo", cwd=scratch))
        keep("measurements", {name: measures.measured(name, times) for name, times in
                              (("importing", 3), ("capturing", 1), ("capturing_bert", 1))})
        say(measures.shown(found["measurements"]))
        script = pool.submit(run, sys.executable, os.path.abspath(given.script), whole=5000) if given.script else None
        sys.path[:0] = os.environ.get("PYTHONPATH", "").split(os.pathsep)
        import trial  # now its packages are there
        say(trial.versions())
        keep("models", trial.tried(given.jobs, 120, given.only))
        say(trial.shown(found["models"]))
        if script:
            say(script.result())
        keep("operators", operators.tried(given.jobs, 90, given.only))
        say(operators.shown(found["operators"]))
        keep("tests", suites.run(given.jobs, 200, _START + given.seconds))
        say(suites.shown(found["tests"]))
        if given.wheels:
            wheels(os.path.abspath(given.wheels), scratch, given.jobs)


if __name__ == "__main__":
    main()
