# SPDX-License-Identifier: MIT
"""python -m openipu [demo | build]"""
import argparse
import os
import sys
from typing import List, NoReturn

from openipu import building, places

_ABOUT = """Says which OpenIPU this is, like the command openipu.

  demo [FOLDER]      train a small network on digits on a simulated IPU, and show what it costs; FOLDER: MNIST's files
  build [PACKAGE...] [--jobs N]
                     make the modules of C++ for this Python, beside those for others: with g++, in some minutes
"""


def run(name: str, arguments: List[str]) -> NoReturn:
    """Becomes this command of OpenIPU."""
    program = places.program(name)
    if not program:
        sys.exit(f"openipu: there is no command {name} beside {places.PACKAGE}. Install the SDK or the wheel again.")
    os.execv(program, [program, *arguments])


def tool() -> NoReturn:
    """What the wheel's commands call: the one by whose name this was started."""
    run(os.path.basename(sys.argv[0]), sys.argv[1:])


def main() -> None:
    parser = argparse.ArgumentParser("python -m openipu", description=_ABOUT,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="store_true", help="the version, and nothing else")
    commands = parser.add_subparsers(dest="command", metavar="")
    commands.add_parser("demo", add_help=False).add_argument("folder", nargs="?")
    build = commands.add_parser("build")
    build.add_argument("packages", nargs="*", metavar="PACKAGE", help="whose modules; all if none is named")
    build.add_argument("--jobs", type=int, metavar="N", help="how many compilers run at a time")
    given = parser.parse_args()
    if given.command == "build" and given.jobs is not None and given.jobs < 1:
        parser.error(f"--jobs is {given.jobs}; it is how many compilers run at a time, 1 or more")
    if given.command == "build":
        try:
            building.build(given.packages, given.jobs)
        except building.BuildError as problem:
            sys.exit(f"openipu: {problem}")
    elif given.command == "demo":
        run("openipu-demo", [given.folder] if given.folder else [])
    else:
        run("openipu", ["--version"] if given.version else [])


if __name__ == "__main__":
    main()
