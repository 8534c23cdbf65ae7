# SPDX-License-Identifier: MIT
"""picture.py DEMO PICTURE: the front page's picture shows what the demo prints today, but for what depends on the host and for
what it offers next."""
import html
import pathlib
import re
import subprocess
import sys
import tempfile


def lines(text):
    text = text.partition("Try next")[0]
    text = re.sub(r"\d+\.\d+ s\b|[\d,]+ (digits/s on this machine) \(\d+ threads?\)", r"\1", text)
    text = re.sub(r"[\d.]+ (% of the held-out digits)", r"\1", text)  # vector units round in different ways
    return [line.rstrip() for line in text.splitlines() if line.strip()]


def main(demo, picture):
    with tempfile.TemporaryDirectory() as folder:
        printed = lines(subprocess.run([demo], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout)
    text = re.sub(r"<[^>]*>", "", picture.read_text().replace("</text>", "\n"))
    shown = lines(html.unescape(text).replace("\N{NO-BREAK SPACE}", " "))
    wrong = [f"the demo prints, and the picture does not show: {line}" for line in printed if line not in shown]
    wrong += [f"the picture shows, and the demo does not print: {line}" for line in shown if line not in printed]
    if wrong:
        wrong.append("docs/transcript.awk says how to make it again.")
    print("\n".join(wrong))
    return bool(wrong or len(printed) < 15)


sys.exit(main(*[pathlib.Path(argument).resolve() for argument in sys.argv[1:]]))
