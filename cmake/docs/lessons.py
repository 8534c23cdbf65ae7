#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lessons are Python scripts in docs/lessons, cut into cells:

# %% [markdown]   prose: lines that begin with "# "
# %%              code
# %% solution     code that answers an exercise, folded away on the page

lessons.py page [LESSON...]           runs each, and writes its page with what it printed and drew
lessons.py check [LESSON...]          runs each, and compares what it prints with its page
lessons.py notebook FOLDER [LESSON...] writes each as a notebook
lessons.py notebooks FOLDER           compares notebooks of it, which Jupyter executed, with the pages
"""
import base64
import contextlib
import io
import json
import os
import pathlib
import re
import sys
import traceback

folder = pathlib.Path(__file__).resolve().parents[2] / "docs" / "lessons"


def cells(script):
    """(kind, text) of every cell."""
    parts = re.split(r"^# %%[ ]?(.*)\n", script.read_text(), flags=re.M)[1:]
    for kind, body in zip(parts[::2], parts[1::2]):
        body = body.strip("\n")
        if kind == "[markdown]":
            body = "\n".join(line[2:] for line in body.split("\n"))
        yield kind.strip("[]") or "code", body


class Run:
    """The cells of a lesson, executed one after the other as a notebook does."""

    def __init__(self, script):
        self.script, self.scope, self.pictures = script, {"__name__": "__main__"}, []

    def __call__(self, number, text):
        """What a cell prints, and the pictures that it shows."""
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
        drawn = []

        def show():
            for figure in map(pyplot.figure, pyplot.get_fignums()):
                memory = io.BytesIO()
                figure.savefig(memory, format="png", dpi=80, bbox_inches="tight")
                drawn.append(memory.getvalue())
            pyplot.close("all")

        pyplot.show = show
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(text, f"{self.script.name}, cell {number}", "exec"), self.scope)
        return printed.getvalue(), drawn


def executed(script):
    """(kind, text, what it printed, pictures) of every cell."""
    run = Run(script)
    for number, (kind, text) in enumerate(cells(script)):
        yield (kind, text, *(("", []) if kind == "markdown" else run(number, text)))


def title(code):
    """What a picture shows, in the words above it."""
    found = re.search(r'pyplot\.(?:sup)?title\("([^"]+)"', code)
    return found and found.group(1)


def as_page(script, results, save):
    """The page of a lesson. `save` takes a picture's name and bytes."""
    out, count = [], 0
    out.append(f"<!-- Made from {script.name} by cmake/docs/lessons.py page. Change the script. -->")
    for kind, text, printed, drawn in results:
        if kind == "markdown":
            out.append(text)
            continue
        part = [f"```python\n{text}\n```"]
        if printed:
            part.append(f"```text\n{printed.rstrip()}\n```")
        for picture in drawn:
            count += 1
            name = f"{script.stem}-{count}.png"
            save(name, picture)
            part.append(f"![{title(text) or f'Picture {count} of this lesson'}](pictures/{name})")
        if kind == "solution":
            part = ['<details markdown="1"><summary>Solution</summary>', *part, "</details>"]
        out += part
    return "\n\n".join(out) + "\n"


def notebook(script):
    """The lesson in Jupyter's format, not executed yet. Solutions are folded."""
    def cell(number, kind, text):
        folded = kind == "solution"
        lines = (f"# Solution. Try it yourself first.\n{text}" if folded else text).splitlines(keepends=True)
        made = {"cell_type": "markdown" if kind == "markdown" else "code", "id": f"cell-{number}",
                "metadata": {"jupyter": {"source_hidden": True}, "tags": ["solution"]} if folded else {}, "source": lines}
        return made if kind == "markdown" else made | {"execution_count": None, "outputs": []}
    return {"cells": [cell(n, *c) for n, c in enumerate(cells(script))], "nbformat": 4, "nbformat_minor": 5,
            "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}}


def of_notebook(script, path):
    """(kind, text, what it printed, pictures) of every cell, as Jupyter left them."""
    made = json.loads(path.read_text())["cells"]
    for (kind, text), cell in zip(cells(script), made):
        outputs = cell.get("outputs", [])
        printed = "".join("".join(o["text"]) for o in outputs if o.get("name") == "stdout")
        drawn = [base64.b64decode(o["data"]["image/png"]) for o in outputs if "image/png" in o.get("data", {})]
        yield kind, text, printed, drawn


def page(script):
    (folder / "pictures").mkdir(exist_ok=True)
    text = as_page(script, executed(script), lambda name, data: (folder / "pictures" / name).write_bytes(data))
    script.with_suffix(".md").write_text(text)
    return None


def check(script, results=None):
    drawn = []
    text = as_page(script, results or executed(script), lambda name, data: drawn.append(name))
    missing = [name for name in drawn if not (folder / "pictures" / name).exists()]
    if missing:
        return f"has no picture {missing[0]}: lessons.py page {script.name}"
    if not drawn:
        return "shows no picture"
    written = script.with_suffix(".md").read_text()
    for ours, theirs in zip(text.split("\n"), written.split("\n")):
        if ours != theirs:
            return f"prints what its page does not say:\n  now:  {ours}\n  page: {theirs}"
    return None if text == written else "is not what its page says: lessons.py page " + script.name


def scripts(names):
    return [folder / name for name in names] or sorted(folder.glob("[0-9]*.py"))


def main(command, *names):
    if command == "notebook":
        target, *names = names
        for script in scripts(names):
            pathlib.Path(target, script.stem + ".ipynb").write_text(json.dumps(notebook(script), indent=1) + "\n")
        return 0
    if command == "notebooks":
        problems = {s.name: check(s, of_notebook(s, pathlib.Path(names[0], s.stem + ".ipynb"))) for s in scripts(())}
        print("\n".join(f"{name} as a notebook: {problem or 'right'}" for name, problem in problems.items()))
        return any(problems.values())
    sys.path.insert(0, str(folder))
    failed = 0
    for script in scripts(names):
        sys.stdout.flush()
        child = os.fork()  # each lesson begins with a fresh Python
        if child == 0:
            try:
                problem = {"page": page, "check": check}[command](script)
            except BaseException:
                problem = "fails:\n" + traceback.format_exc()
            print(f"{script.name}: {problem or 'right'}", flush=True)
            sys.exit(bool(problem))
        failed += os.waitpid(child, 0)[1] != 0
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
