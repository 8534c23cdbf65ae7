# SPDX-License-Identifier: MIT
"""check.py ROOT [--build FOLDER]: applies every addition to a scratch copy of the tree at ROOT and compares the files it
touched with its row in CONTRIBUTING.md. With --build also builds all of them, in a copy of the build folder, and runs what
shows that each works; where the copy cannot be mounted over the tree the exit status is 77."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from additions import ALL


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--mounted", action="store_true", help="the scratch copy stands at ROOT")
    options = parser.parse_args()
    if options.mounted:
        sys.exit(prove(options.root, options.build))
    with tempfile.TemporaryDirectory(prefix="additions-", dir=options.build and options.build.parent) as folder:
        scratch = pathlib.Path(folder, "tree")
        copy(options.root, scratch)
        for addition in built(ALL) if options.build else ALL:
            addition.apply(scratch)
        problems = [problem for addition in ALL for problem in against(addition, table(options.root))]
        print("\n".join(problems))
        if problems or not options.build:
            sys.exit(bool(problems))
        sys.exit(mounted(options, scratch))


def built(additions):
    return [addition for addition in additions if addition.built]


def copy(root, scratch):
    """The files of the tree without build folders."""
    skip = lambda folder, names: [n for n in names if n in (".git", "node_modules") or
                                  pathlib.Path(folder) == root and n == "build"]
    shutil.copytree(root, scratch, symlinks=True, ignore=skip)


def table(root):
    """First cell -> second, of the table of additions."""
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", (root / "CONTRIBUTING.md").read_text(), re.M)
    return {first.strip(): second for first, second in rows}


def against(addition, rows):
    """What the row says too little or too much."""
    if addition.row not in rows:
        return [f"CONTRIBUTING.md has no row \"{addition.row}\""]
    named = re.findall(r"`([^`]+)`", re.sub(r"[;,] or [^;]*", "", rows[addition.row]))  # "or": another way to it
    found = [f"{addition.row}: {path} is touched, and its row does not say so" for path in addition.touched()
             if not any(matches(name, path) for name in named)]
    found += [f"{addition.row}: its row names {name}, which is not touched" for name in named
              if not any(matches(name, path) for path in addition.touched())]
    return found


def matches(name, path):
    """`arch/src/chips/` is all below it, `<library>` any one folder, `Chip.cpp` a file of that name anywhere."""
    pattern = re.sub(r"<[^>]+>|\\\*", "[^/]+", re.escape(name).replace(r"\<", "<").replace(r"\>", ">"))
    return re.search(rf"(^|/){pattern.rstrip('/')}($|/)", path) is not None


def mounted(options, scratch):
    """Builds where the paths inside the build folder are right: the copy stands at the tree's own place, for this
    process and those below it."""
    root, build = options.root.resolve(), options.build.resolve()
    private = ["unshare", "--mount"] if os.getuid() == 0 else ["unshare", "--mount", "--map-root-user"]
    if root not in build.parents or subprocess.run([*private, "true"], capture_output=True).returncode:
        print("a folder cannot be mounted over another here; nothing was built")
        return 77
    copied = scratch / build.relative_to(root)
    copied.parent.mkdir(parents=True)
    subprocess.run(["cp", "-a", build, copied], check=True)
    inside = 'mount --bind "$0" "$1" && cd "$1" && exec "$2" "$3" "$1" --build "$4" --mounted'
    return subprocess.run([*private, "bash", "-c", inside, scratch, root, sys.executable, os.path.realpath(__file__),
                           build]).returncode


def prove(root, build):
    os.chdir(root)
    for path in (path for addition in built(ALL) for path in addition.files if path.endswith(".cpp")):
        file = pathlib.Path(path)  # a file with this word stays out of unity groups, so that they are what they were
        file.write_text(file.read_text() + "#undef ADDITION\n")
    targets = sorted({target for addition in built(ALL) for target in addition.targets})
    subprocess.run(["cmake", "--build", build, "--parallel", "2", "--target", *targets], check=True)
    failed = 0
    for addition in filter(lambda a: a.proof, built(ALL)):
        run = subprocess.run(addition.proof.format(build=build, python=sys.executable), shell=True, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        works = run.returncode == 0 and addition.shows in run.stdout
        print(f"{addition.row}: {'works' if works else 'does not work'}")
        if not works:
            failed = 1
            print(run.stdout)
    return failed


main()
