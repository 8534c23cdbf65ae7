# SPDX-License-Identifier: MIT
"""site.py ROOT: the site builds without warnings, every link within it leads to a page and a place there, it fetches nothing
from the network, blocks that are files have their names, and links between the repository's own pages hold where they are
read as files. In a browser, search works without a server and pages fit a phone (search.mjs). Skips what mkdocs and doxygen, or
node and chromium, are missing for."""
import html.parser
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

root = pathlib.Path(sys.argv[1])
themes = "/usr/share/mkdocs/themes"  # Debian's mkdocs-material is not on Python's path


class Page(html.parser.HTMLParser):
    """The links, the sources and the places of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.sources, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        has = dict(attrs)
        self.ids.add(has.get("id"))
        if tag == "a":
            self.links.append(has.get("href") or "")
        elif tag in ("img", "script", "link", "iframe"):
            self.sources.append(has.get("src") or has.get("href") or "")


def site_problems(folder):
    pages = {path: Page(path.read_text()) for path in folder.rglob("*.html") if path.name != "404.html"}
    if len(pages) < 300:
        yield f"only {len(pages)} pages were built"
    for path, page in sorted(pages.items()):
        name = path.relative_to(folder)
        for link in page.links + page.sources:
            where = urllib.parse.urlsplit(link)
            if where.scheme or where.netloc:
                if link in page.sources:
                    yield f"{name} fetches {link}"
                continue
            target = (path.parent / urllib.parse.unquote(where.path)).resolve() if where.path else path
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                yield f"{name} links to {link}, which is not there"
            elif where.fragment and target in pages and urllib.parse.unquote(where.fragment) not in pages[target].ids:
                yield f"{name} links to {link}, where no such heading is"


def number_problems(folder):
    """Exercises whose numbers begin again at 1 after a solution."""
    for lesson in (root / "docs/lessons").glob("[0-9]*.md"):
        page = (folder / "lessons" / f"{lesson.stem}.html").read_text()
        for number in re.findall(r"^([2-9])\. ", lesson.read_text().partition("\n## Exercises")[2], re.M):
            if f'<ol start="{number}">' not in page:
                yield f"lessons/{lesson.stem}.html: exercise {number} has another number"


def name_problems(folder):
    """Blocks of a page that are files, without their name above them."""
    for page, made in (("README.md", "readme.html"), ("docs/index.md", "index.html"), ("docs/howto/ci.md", "howto/ci.html")):
        for name in re.findall(r"^<!-- file: (\S+) -->$", (root / page).read_text(), re.M):
            if f'<span class="filename">{name}</span>' not in (folder / made).read_text():
                yield f"{made}: nothing says that a block is {name}"


def slug(heading):
    """A heading's place where a repository's pages are shown."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower().replace("`", "")).replace(" ", "-")


def prose(path):
    return re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S)


def file_problems():
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=root, text=True, stdout=subprocess.PIPE, check=True).stdout
    for name in listed.split():
        page = root / name
        if not page.exists():
            continue
        for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
            target, _, place = link.partition("#")
            if "://" in link:
                continue
            there = (page.parent / target).resolve() if target else page
            if not there.exists():
                yield f"{name} links to {link}, which is not there"
            elif place and place not in map(slug, re.findall(r"^#+ (.+)$", prose(there), re.M)):
                yield f"{name} links to {link}, where no such heading is"


def build(folder):
    command = ["mkdocs", "build", "--strict", "--config-file", root / "mkdocs.yml", "--site-dir", folder]
    environment = dict(os.environ, PYTHONPATH=themes, PYTHONDONTWRITEBYTECODE="1")
    done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return [f"mkdocs build --strict failed:\n{done.stdout}"] if done.returncode else []


def browsed(folder):
    """What a browser finds wrong with the site."""
    if not shutil.which("node") or not shutil.which(os.environ.get("CHROMIUM", "chromium")):
        print("node or chromium is not installed: no page was opened")
        return []
    done = subprocess.run(["node", root / "tests/documents/search.mjs", folder], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    return [f"search.mjs failed:\n{done.stdout}"] if done.returncode else []


def main():
    found = list(file_problems())
    if shutil.which("mkdocs") and shutil.which("doxygen") and os.path.isdir(themes):
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder)
            found += build(folder) or [*site_problems(made), *number_problems(made), *name_problems(made)] or browsed(folder)
    else:
        print("mkdocs or doxygen is not installed: the site was not built")
    print("\n".join(found))
    return bool(found)


sys.exit(main())
