# SPDX-License-Identifier: MIT
"""What the lessons share: C++ programs, built and run from Python in a folder of their own."""
import atexit
import os
import pathlib
import shutil
import subprocess
import tempfile

folder = pathlib.Path(tempfile.mkdtemp(prefix="lesson-"))
atexit.register(shutil.rmtree, folder, ignore_errors=True)


def write(name, text):
    """A file in the lesson's folder."""
    (folder / name).write_text(text)


def run(command, **environment):
    """Runs a shell command in the lesson's folder, and shows what it prints."""
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=os.environ | environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    print(done.stdout, end="")
    if done.returncode:
        raise RuntimeError(f"{command.split()[0]} failed with exit status {done.returncode}")


def cpp(source, arguments="", libraries="poplin popnn poprand popops poputil poplar", **environment):
    """Builds a C++ program with the SDK, runs it, and shows what it prints."""
    made = folder / "program.cpp"
    if not made.exists() or made.read_text() != source:
        write("program.cpp", source)
        run("g++ -std=c++17 -O1 program.cpp -o program " + " ".join(f"-l{name}" for name in libraries.split()))
    run(f"./program {arguments}", **environment)


def report(name="report"):
    """Engine options that write a profile into a folder here: lesson.cpp(source, **lesson.report())."""
    return {"POPLAR_ENGINE_OPTIONS": f'{{"autoReport.all":"true","autoReport.directory":"{folder / name}"}}'}


def profile(name="report"):
    """The profile that a program wrote into the folder."""
    import pva
    found = sorted((folder / name).rglob("profile.pop"))
    return pva.openReport(str(found[0]))
