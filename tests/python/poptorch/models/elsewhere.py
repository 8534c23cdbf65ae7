# SPDX-License-Identifier: MIT
"""What a bundle does with the Python, torch and packages of another machine, in one command:

    python3 tests/python/poptorch/models/elsewhere.py made/openipu-*-linux-x86_64.tar.xz --wheels made --json results.json

Unpacks it, makes its modules for this Python, runs the demo, measures importing and capturing. Then, side by side and each
against the bundle: today's models, the tests of PopTorch and pi_ml, torch's own list of operators, the other tests, and the
wheels in a virtual environment. The large wheel, openipu, is made of the bundle if it is not in the folder of wheels: it has
the same files, and this Python's modules. What a part finds is written at once, and a part that fails stops no other. After
--seconds what runs is ended, and what has not begun is named.
"""
import argparse
import glob
import json
import os
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import traceback
from concurrent.futures import ThreadPoolExecutor

FOLDER = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.abspath(os.path.join(FOLDER, *[os.pardir] * 4))
sys.path[:0] = [FOLDER, os.path.join(TOP, "cmake", "sdk")]
import bundle
import measures
import operators
import suites

_START = time.monotonic()


def say(text):
    print(f"[{time.monotonic() - _START:.0f} s] {text}", flush=True)


class Found:
    """What was found, part by part, in a file from the first part on."""

    def __init__(self, file, until):
        self.file, self.until, self.parts, self.lock = file, until, {}, threading.Lock()

    def keep(self, part, value):
        with self.lock:
            self.parts[part] = value
            if self.file:
                with open(self.file + ".part", "w", encoding="utf-8") as out:
                    json.dump(self.parts, out, indent=1)
                os.replace(self.file + ".part", self.file)

    def part(self, name, function, *arguments):
        """What a function gives; None if it fails, which is kept and said."""
        try:
            return function(*arguments)
        except Exception as problem:
            say(f"{name}: FAILED: {type(problem).__name__}: {problem}")
            self.keep(f"{name} failed", traceback.format_exc())

    def run(self, part, *command, seconds=150, **settings):
        """Whether a command ends well: its last line is said, and its output kept."""
        start = time.monotonic()
        try:
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                  timeout=max(1, min(seconds, self.until - start)), **settings)
            output, code = done.stdout, done.returncode
        except subprocess.TimeoutExpired as problem:
            output, code = (problem.stdout or b"").decode(errors="replace"), f"after {problem.timeout:.0f} s"
        except OSError as problem:
            output, code = str(problem), "not begun"
        self.keep(part, {"code": code, "seconds": round(time.monotonic() - start, 1), "output": output[-20000:]})
        lines = output.strip().splitlines() or [""]
        say(f"{part}: " + (lines[-1][:300] if code == 0 else f"FAILED ({code}): " + " | ".join(lines[-4:])[-500:]))
        return code == 0


# ---- the bundle, and wheels


def unpack(archive, folder):
    """Its variables are those of this process then, and its modules are there."""
    os.mkdir(folder)
    with tarfile.open(archive) as tar:
        tar.extractall(folder)
    sdk, = (os.path.join(folder, name) for name in os.listdir(folder))
    said = subprocess.run(["bash", "-euc", 'source "$0/enable.sh" && env -0', sdk], check=True, capture_output=True, text=True)
    os.environ.update(entry.split("=", 1) for entry in said.stdout.split("\0") if "=" in entry)
    say("unpacked")


def build(jobs, found):
    every = ("import popart, poptorch, pva, libpvti, gcipuinfo, popdist, pi_ml, keras, ipu_tensorflow_addons, paddle; "
             "print('imported')")
    if not found.run("import", sys.executable, "-c", every):
        found.run("modules", sys.executable, "-m", "openipu", "build", "--jobs", str(jobs), seconds=240)
        found.run("import again", sys.executable, "-c", every)


def measure(found):
    measured = {name: measures.measured(name, times) for name, times in
                (("importing", 3), ("capturing", 1), ("capturing_bert", 1))}
    found.keep("measurements", measured)
    say(measures.shown(measured))


def large_wheel(archive, scratch):
    """Made of the bundle, with the modules that were made."""
    sdk, = glob.glob(os.path.join(scratch, "bundle", "openipu-*"))
    bundle.Bundle(sdk).write_wheel(os.path.join(scratch, "wheels"), os.path.basename(archive).split("-")[1])


def wheels(folder, scratch, jobs, found):
    """openipu and poptorch alone in a virtual environment; no SDK and no variable."""
    plain = {name: value for name, value in os.environ.items()
             if name not in ("PYTHONPATH", "LD_LIBRARY_PATH", "CPATH", "LIBRARY_PATH", "POPLAR_SDK_ENABLED")}
    place = os.path.join(scratch, "venv")
    python = os.path.join(place, "bin", "python")
    made = glob.glob(os.path.join(scratch, "wheels", "openipu-*.whl"))
    files = (made or glob.glob(os.path.join(folder, "openipu-*.whl"))) + glob.glob(os.path.join(folder, "poptorch-*.whl"))
    program = ("import poptorch, torch; print('PopTorch of wheels:', "
               "tuple(poptorch.inferenceModel(torch.nn.Linear(2, 2))(torch.ones(1, 2)).shape))")

    def run(part, *command):
        return found.run(f"wheels: {part}", *command, seconds=240, env=plain, cwd=scratch)
    if not run("environment", sys.executable, "-m", "venv", "--system-site-packages", place):
        run("environment without pip", sys.executable, "-m", "venv", "--system-site-packages", "--without-pip", place)
    for packages in glob.glob(os.path.join(place, "lib", "python3*", "site-packages")):
        with open(os.path.join(packages, "outer.pth"), "w", encoding="utf-8") as file:  # this Python may be of one, too
            file.write("".join(f"{entry}\n" for entry in sys.path if entry.endswith("-packages")))
    run("pip", python, "-m", "pip", "install", "--quiet", "--no-index", *files)
    if not run("program", python, "-c", program):
        run("modules", python, "-m", "openipu", "build", *([] if made else ["popart"]), "poptorch", "--jobs", str(jobs))
        run("program again", python, "-c", program)
    run("demo", python, "-m", "openipu", "demo")
    run("gc-info", os.path.join(place, "bin", "gc-info"), "-l")


# ---- models, operators and tests, as many side by side as there are processors


def begin(pool, given, until):
    """{part: (what is under way, what shows it)}, in the order in which it begins."""
    sys.path[:0] = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    import trial  # now its packages are there
    say(trial.versions())
    files = [file for file in suites.files() if given.only in file]
    first = [file for file in files if os.path.relpath(file, suites.TESTS).split(os.sep)[0] in suites.FIRST]
    under_way = {"models": ([pool.submit(trial.in_process, name, 120, until) for name in trial.cases() if given.only in name],
                            trial.shown)}
    under_way["tests"] = [pool.submit(suites.run_file, file, 240, until) for file in first], suites.shown
    n = given.jobs
    under_way["operators"] = ([pool.submit(operators.in_process, given.only, i, n, 90, until) for i in range(n)],
                              lambda parts: operators.shown([row for part in parts for row in part]))
    rest = [file for file in files if file not in first]
    under_way["other tests"] = [pool.submit(suites.run_file, file, 120, until) for file in rest], suites.shown
    return under_way


def end(part, under_way, shown, found):
    results = [one.result() for one in under_way]
    found.keep(part, results)
    say(shown(results))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bundle", nargs="?", help="none: what is on PYTHONPATH")
    parser.add_argument("--wheels", metavar="FOLDER", help="tries these too")
    parser.add_argument("--script", metavar="FILE", help="runs this too, and prints what it says")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="models, operators and files of tests whose names hold this text")
    parser.add_argument("--seconds", type=int, default=480, help="what runs then is ended")
    parser.add_argument("--json", help="writes all that was found into this file, with tracebacks")
    given = parser.parse_args()
    found = Found(given.json, _START + given.seconds)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(given.jobs) as pool, \
            ThreadPoolExecutor(2) as beside:
        os.environ["OPENIPU_RUNTIME_DIR"] = os.path.join(scratch, "runtime")
        os.mkdir(os.environ["OPENIPU_RUNTIME_DIR"])
        os.environ.setdefault("HF_HUB_OFFLINE", "1")
        if given.bundle:
            found.part("bundle", unpack, given.bundle, os.path.join(scratch, "bundle"))
            found.part("modules", build, given.jobs, found)
            if given.wheels and not glob.glob(os.path.join(given.wheels, "openipu-*.whl")):
                found.part("large wheel", large_wheel, given.bundle, scratch)
        found.run("demo", "openipu-demo", cwd=scratch)
        found.part("measurements", measure, found)
        others = []
        if given.wheels:
            others.append(beside.submit(found.part, "wheels", wheels, os.path.abspath(given.wheels), scratch,
                                        max(1, given.jobs // 4), found))
        if given.script:
            others.append(beside.submit(found.run, "script", sys.executable, os.path.abspath(given.script), seconds=400))
        for part, (under_way, shown) in (found.part("models and tests", begin, pool, given, found.until) or {}).items():
            found.part(part, end, part, under_way, shown, found)
        for other in others:
            other.result()
    say("all has ended")


if __name__ == "__main__":
    main()
