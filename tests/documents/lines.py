# SPDX-License-Identifier: MIT
"""lines.py ROOT: lines of Markdown have at most 100 characters. Code, tables and pictures may be wider, and so may a line whose
links alone are too long. docs/tensorflow-names.md is exempt: a test writes its lists of names, one line for each module.
A cell of a table in docs/ and ARCHITECTURE.md has at most 200 characters, besides names in `...` and links: more is a
paragraph below the table. README.md is a front page, of at most 6 KB."""
import pathlib
import re
import subprocess
import sys

width = 100
exempt = {"docs/tensorflow-names.md"}
widest = 200
# Texts of SessionOptions.def; reasons that stand next to what they are for.
wide = {"docs/session-options.md", "docs/timing.md"}
root = pathlib.Path(sys.argv[1])


def prose(text):
    """(number, line) of all lines that are neither code nor a table nor a picture."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*```", line):
            code = not code
        elif not code and not re.match(r"\s*\||    |!\[|<!--", line):
            yield number, line


def too_long(line):
    return len(line) > width and len(re.sub(r"\]\([^)]*\)", "]", line)) > width


def cells(text):
    """(number, cell) of all tables, without what names and links take."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*```", line):
            code = not code
        elif not code and re.match(r"\s*\|", line):
            bare = re.sub(r"`[^`]*`", "", re.sub(r"\]\([^)]*\)", "]", line))
            yield from ((number, cell.strip()) for cell in bare.split("|"))


def main():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=root, text=True, stdout=subprocess.PIPE, check=True).stdout
    pages = [name for name in listed.split() if name not in exempt and (root / name).exists()]
    found = [f"{name}:{number}: {len(line)} characters" for name in pages
             for number, line in prose((root / name).read_text()) if too_long(line)]
    found += [f"{name}:{number}: a cell of {len(cell)} characters" for name in pages
              if name.startswith(("docs/", "ARCH")) and name not in wide
              for number, cell in cells((root / name).read_text()) if len(cell) > widest]
    size = (root / "README.md").stat().st_size
    if size > 6 * 1024:
        found.append(f"README.md has {size} bytes: move what is not for the first minutes to a page of docs/")
    print("\n".join(found))
    return bool(found or len(pages) < 30)


sys.exit(main())
