# SPDX-License-Identifier: MIT
"""newcomer.py PAGE...: does what each page says, as written, with an SDK that is enabled.

<!-- file: NAME -->             the block below is written to NAME
<!-- not executed: REASON -->   the block below is for people only
<!-- prints: PATTERN -->        what the commands below print has a match
A block of `sh` is run by bash in a folder of the page's own; "# prints TEXT" behind a command is
what must be among its output. Every block of sh, Python or C++ is a file, a command, or marked.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

_block = re.compile(r"((?:^<!--[^\n]*-->\n)*)^```(\w*)[^\n]*\n(.*?)^```$", re.M | re.S)
_executed = ("sh", "python", "cpp")


def marks(text):
    return dict(re.findall(r"<!-- (file|not executed|prints): (.*?) -->", text))


def run(commands, folder):
    done = subprocess.run(["bash", "-euo", "pipefail", "-c", commands], cwd=folder, text=True, timeout=200,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.returncode, done.stdout


def problems(page, folder):
    """What does not hold of a page."""
    unused, commands = set(), 0
    for before, language, body in _block.findall(page.read_text()):
        said = marks(before)
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
    found = []
    for page in map(pathlib.Path, pages):
        with tempfile.TemporaryDirectory() as folder:
            found += [f"{page}: {problem}" for problem in problems(page, pathlib.Path(folder))]
    print("\n".join(found))
    return bool(found or not pages)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
