# SPDX-License-Identifier: MIT
"""An addition to the tree: the files it brings, the lines it adds to others, and a command that shows that it works."""
import dataclasses
import pathlib
import re
import textwrap


@dataclasses.dataclass
class Addition:
    row: str  # the first cell of its row in CONTRIBUTING.md
    files: dict  # path -> text
    lines: list = dataclasses.field(default_factory=list)  # (path, pattern of the line before them, text)
    targets: list = dataclasses.field(default_factory=list)  # what is built afterwards
    proof: str = ""  # a command in the top folder; {build} is the build folder, {python} the Python of tests
    shows: str = ""  # what it prints among other things
    built: bool = True  # False: it touches a header that all include; only the files it touches are looked at

    def touched(self):
        return [*self.files, *(path for path, _, _ in self.lines)]

    def apply(self, root):
        for path, text in self.files.items():
            file = pathlib.Path(root, path)
            assert not file.exists(), f"{path} exists already: the addition \"{self.row}\" wants another name"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(textwrap.dedent(text).lstrip("\n"))
        for path, before, text in self.lines:
            insert(pathlib.Path(root, path), before, text)


def insert(file, before, text):
    lines = file.read_text().splitlines(keepends=True)
    found = [i for i, line in enumerate(lines) if re.search(before, line)]
    assert found, f"{file}: no line matches {before!r}"
    like = re.match(r" *", lines[found[0]]).group()
    lines.insert(found[0] + 1, textwrap.indent(textwrap.dedent(text).strip("\n"), like) + "\n")
    file.write_text("".join(lines))
