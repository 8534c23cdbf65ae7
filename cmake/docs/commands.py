# SPDX-License-Identifier: MIT
"""commands.py write|check PAGE BIN: the page of all commands, from what each says with --help (its man page is the same).

`check` says what differs; a command that is not in BIN is passed over, one that the page lacks is not."""
import pathlib
import re
import subprocess
import sys

page, folder = pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
_ours = re.compile(r"(openipu|openipu-demo|popc|poprun|popvision|gc-[a-z]+|vipu[a-z-]*)")
opening = """# Commands

What each command says with `--help`; `man` shows the same once `enable.sh` was sourced.
[Tools](../tools.md) tells which command is for what.

<!-- Written by cmake/docs/commands.py write docs/reference/commands.md build/ci/bin; a test compares it. -->
"""


def said(tool):
    done = subprocess.run([tool, "--help"], capture_output=True, text=True, timeout=60, check=False)
    if done.returncode or not done.stdout.strip():
        sys.exit(f"{tool} --help says nothing (status {done.returncode}): {done.stderr}")
    return "\n".join(line.rstrip() for line in done.stdout.strip("\n").splitlines())


def section(tool):
    return f"\n## {tool.name}\n\n```text\n{said(tool)}\n```\n"


def main():
    tools = sorted(t for t in folder.iterdir() if _ours.fullmatch(t.name))
    if sys.argv[1] == "write":
        page.write_text(opening + "".join(map(section, tools)))
        return 0
    text = page.read_text()
    wrong = [t.name for t in tools if section(t) not in text]
    if wrong:
        print(f"{page} does not have what these say with --help: {', '.join(wrong)}.\n"
              f"Write it anew: cmake/docs/commands.py write {page} {folder}")
    print(f"{len(tools)} commands were looked at")
    return bool(wrong)


sys.exit(main())
