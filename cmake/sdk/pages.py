# SPDX-License-Identifier: MIT
"""pages.py FOLDER VERSION TOOL...: man pages made from each tool's --help, and bash completions of their options."""
import os
import re
import subprocess
import sys

_option = re.compile(r"(?<![\w-])(--?[A-Za-z][\w-]*)")


def help_of(tool):
    found = subprocess.run([tool, "--help"], capture_output=True, text=True, timeout=60)
    if found.returncode or not found.stdout.strip():
        sys.exit(f"{tool} --help says nothing (status {found.returncode}): {found.stderr}")
    return found.stdout.rstrip("\n")


def escaped(line):
    line = line.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + line if line[:1] in (".", "'") else line


def man_page(name, version, text):
    """The first sentence of the help is what the tool does; the whole help stands below it."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lower().startswith("usage")]
    what = lines[0] if lines else name
    body = "\n".join(map(escaped, text.splitlines()))
    return (f'.TH {name.upper()} 1 "" "OpenIPU {version}" "OpenIPU"\n.SH NAME\n{escaped(name)} \\- {escaped(what)}\n'
            f".SH DESCRIPTION\n.nf\n{body}\n.fi\n")


def main():
    folder, version, *tools = sys.argv[1:]
    os.makedirs(os.path.join(folder, "man1"), exist_ok=True)
    completions = ["# Completions of the SDK's commands: their options, and files."]
    for tool in tools:
        name, text = os.path.basename(tool), help_of(tool)
        with open(os.path.join(folder, "man1", name + ".1"), "w") as page:
            page.write(man_page(name, version, text))
        options = " ".join(dict.fromkeys(_option.findall(text)))
        completions.append(f"complete -o default -W '{options}' {name}")
    with open(os.path.join(folder, "openipu"), "w") as file:
        file.write("\n".join(completions) + "\n")


main()
