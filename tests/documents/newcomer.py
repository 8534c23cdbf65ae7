# SPDX-License-Identifier: MIT
"""newcomer.py [--from-sources] PAGE...: does what each page says, as written, with an SDK that is enabled; or, from the
sources, also what builds and installs one, in this folder and a home of its own, and goes on with that SDK.

<!-- file: NAME -->             the block below is written to NAME
<!-- not executed: REASON -->   the block below is for people only
<!-- prints: PATTERN -->        what the commands below print has a match
A block of `sh` is run by bash in a folder of the page's own; "# prints TEXT" behind a command is
what must be among its output. Every block of sh, Python or C++ is a file, a command, or marked.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

_block = re.compile(r"((?:^<!--[^\n]*-->\n)*)^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)
_executed = ("sh", "python", "cpp")


def marks(text):
    return dict(re.findall(r"<!-- (file|not executed|prints): (.*?) -->", text))


class Terminal:
    """Runs commands one after the other. From the sources, what a block sets is there in the next one, too."""

    def __init__(self, home):
        self.home, self.environment = home, {**os.environ, **({"HOME": str(home)} if home else {})}

    def __call__(self, commands, folder):
        after = folder / ".environment"
        if self.home:
            commands += f"\nenv -0 >{after}\n"
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, text=True, env=self.environment,
                              timeout=7200 if self.home else 200, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if after.exists():
            self.environment = dict(line.split("=", 1) for line in after.read_text().split("\0") if line)
            after.unlink()
        return done.returncode, done.stdout


def problems(page, folder, run):
    """What does not hold of a page."""
    unused, commands = set(), 0
    for before, language, body in _block.findall(page.read_text()):
        said = marks(before)
        if run.home and said.get("not executed") == "builds everything":
            commands += 1
            status, output = run(body, pathlib.Path.cwd())
            if status:
                yield f"failed:\n{body}{output}"
            continue
        if "not executed" in said or language not in _executed:
            continue
        unused -= {name for name in unused if name in body}
        if "file" in said:
            (folder / said["file"]).write_text(body)
            unused.add(said["file"])
        elif language == "sh":
            commands += 1
            status, output = run(body, folder)
            if status:
                yield f"failed:\n{body}{output}"
            for text in re.findall(r"# prints (.+)", body):
                if text not in output:
                    yield f"should print {text}:\n{body}{output}"
            if "prints" in said and not re.search(said["prints"], output):
                yield f"should print what matches {said['prints']}:\n{body}{output}"
        else:
            yield f"a block is neither a file nor marked as not executed:\n{body}"
    if unused:
        yield f"nothing uses {', '.join(sorted(unused))}"
    print(f"{page.name}: {commands} blocks of commands")


def main(pages):
    found, whole = [], pages[:1] == ["--from-sources"]
    with tempfile.TemporaryDirectory() as home:
        run = Terminal(pathlib.Path(home) if whole else None)
        for page in map(pathlib.Path, pages[whole:]):
            with tempfile.TemporaryDirectory() as folder:
                found += [f"{page}: {problem}" for problem in problems(page, pathlib.Path(folder), run)]
    print("\n".join(found))
    return bool(found or not pages[whole:])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
