# SPDX-License-Identifier: MIT
"""The boxed table of what a validation or a test found, one column a loader."""
import shutil


def results_table(stage, results):
    """results: one dictionary a loader. Fits the terminal's width, several loaders a box if need be."""
    names = sorted({name for one in results for name in one})
    if not names:
        return ""
    wide = shutil.get_terminal_size((120, 30)).columns
    first = max(25, 4 + max(len(n) for n in names))
    column = 25
    at_once = max(1, (wide - first) // column)
    parts = []
    for start in range(0, len(results), at_once):
        part = results[start:start + at_once]
        rule = "─" * (first + column * len(part))
        titles = [f"DataLoader {i}" for i in range(start, start + len(part))]
        lines = ["".join([f"{stage} metric".center(first), *(t.center(column) for t in titles)]), rule]
        for name in names:
            lines.append("".join([name.center(first), *(_cell(one.get(name)).center(column) for one in part)]))
        parts.append("\n".join([rule, *(line.rstrip() for line in lines), rule]))
    return "\n".join(parts)


def _cell(value):
    return "" if value is None else f"{value}"
