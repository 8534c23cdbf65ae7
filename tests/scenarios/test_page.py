# SPDX-License-Identifier: MIT
"""docs/scenarios.md and the tests say the same."""
import glob
import os
import re

SOURCE = os.environ.get("OPENIPU_SOURCE_DIR", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.."))


def rows():
    with open(os.path.join(SOURCE, "docs/scenarios.md")) as page:
        return re.findall(r"^\| (S-\d+) \| [^|]+ \| ([^|]+) \|$", page.read(), re.M)


def in_tests():
    """(file, test) by id, from the docstrings."""
    found = {}
    for path in glob.glob(os.path.join(SOURCE, "tests/scenarios/test_*.py")):
        with open(path) as file:
            for name, text in re.findall(r'^def (test_\w+)\([^)]*\):\n    """([^"]*)"""', file.read(), re.M):
                for scenario in re.findall(r"S-\d+", text):
                    found.setdefault(scenario, set()).add((os.path.relpath(path, SOURCE), name))
    return found


def test_every_scenario_stands_there_once():
    assert [scenario for scenario, _ in rows()] == [f"S-{i:02d}" for i in range(1, 106)]


def test_what_is_named_exists():
    for scenario, shown in rows():
        named = re.match(r"`([^`]+)`: (\S+)$", shown)
        if not named:
            assert shown.startswith(("not yet: ", "steps of a site")), f"{scenario}: {shown}"
            continue
        path, what = named.groups()
        with open(os.path.join(SOURCE, path)) as file:
            assert what in file.read(), f"{scenario}: {path} has no {what}"
        if path.startswith("tests/scenarios/"):
            assert (path, what) in in_tests()[scenario], f"{scenario} is not in the docstring of {what}"


def test_no_test_is_left_out():
    for scenario, tests in in_tests().items():
        shown = dict(rows())[scenario]
        assert any(f"`{path}`: {name}" == shown for path, name in tests), f"{scenario}: {tests}, but the page says {shown}"
