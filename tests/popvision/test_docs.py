# SPDX-License-Identifier: MIT
"""docs/popvision.md: every wish has its row, and what it names is there."""
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "popvision.md").read_text()


def test_every_wish_has_a_row():
    table = TEXT[TEXT.index("| # | wish |"):]
    numbers = [int(n) for row in re.findall(r"^\| ([\d, ]+) \|", table, re.M) for n in row.split(",")]
    assert numbers == list(range(1, 29))


def test_files_that_it_names_exist():
    names = re.findall(r"`((?:docs|popvision|examples|tests|bench)/[^`\s]+)`", TEXT) + re.findall(r"\]\(([^)]+\.png)\)", TEXT)
    assert len(names) > 10
    for name in names:
        assert list(ROOT.glob(name)) or list((ROOT / "docs").glob(name)), name
