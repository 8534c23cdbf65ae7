# SPDX-License-Identifier: MIT
"""What the site has besides docs/: pages of the repository's top, the sources that pages link to, as text, the reference,
which is made from the code (reference.py), and a search that works when the pages are opened as files (site/offline.js).

A page's links are those of the repository, so that they work where the sources are read, too. A link to a page of the
top goes to its page here, one to another file to a copy of it, and one to a folder to a page that lists its files.
"""
import os
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File

root = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(root / "cmake/docs"))
import reference  # noqa: E402

pages = {"ARCHITECTURE.md": "architecture.md", "CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md",
         "README.md": "readme.md"}
_link = re.compile(r"(\]\()([^)\s]+)(\))")
_block = re.compile(r"^```.*?^```$", re.M | re.S)
_named = re.compile(r"(^<!-- file: (\S+) -->\n(?:^<!--[^\n]*-->\n)*```\w+)$", re.M)


class Made(File):
    """A page or a text of the site that does not stand in docs/."""

    def __init__(self, path, config, source=None, text=None):
        super().__init__(path, "", config["site_dir"], config["use_directory_urls"])
        self.text = source.read_text() if text is None else text
        self.abs_src_path = str(source or root / "mkdocs.yml")

    def copy_file(self, dirty=False):
        os.makedirs(os.path.dirname(self.abs_dest_path), exist_ok=True)
        pathlib.Path(self.abs_dest_path).write_text(self.text)


def outside(page, target):
    """The path from the top of what a link of a page (its path from the top) leads to, if that is not in docs/."""
    if "://" in target or target.startswith(("#", "mailto:")):
        return None
    path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target.split("#")[0]))
    return path if not path.startswith("docs/") and (root / path).exists() else None


def place(path):
    """Where the site has what stands at a path from the top."""
    if path in pages:
        return pages[path]
    return f"source/{path}/index.md" if (root / path).is_dir() else f"source/{path}.txt"


def prose(text):
    """Text without blocks of code."""
    return _block.sub("", text)


def listing(folder):
    files = sorted(f.relative_to(root / folder).as_posix() for f in (root / folder).rglob("*")
                   if f.is_file() and f.suffix not in (".png", ".pyc"))
    return f"# {folder}\n\n" + "".join(f"- [{name}]({name}.txt)\n" for name in files), files


def on_files(files, config):
    for file in [f for f in files if f.src_path.endswith((".awk", ".sh", ".py"))]:
        files.remove(file)
    tops = [(path, root / path) for path in pages]
    texts = [(f"docs/{f.src_path}", pathlib.Path(f.abs_src_path)) for f in files if f.src_path.endswith(".md")]
    wanted = {outside(page, target) for page, source in [*tops, *texts]
              for _, target, _ in _link.findall(prose(source.read_text()))}
    for path in sorted(wanted - {None} - pages.keys()):
        if (root / path).is_dir():
            text, names = listing(path)
            files.append(Made(place(path), config, text=text))
            wanted |= {f"{path}/{name}" for name in names}
    for path in sorted(p for p in wanted - {None} - pages.keys() if (root / p).is_file()):
        files.append(Made(place(path), config, root / path))
    for path, source in tops:
        files.append(Made(pages[path], config, source))
    for path, text in reference.pages(root):
        files.append(Made(path, config, text=text))
    for source in (root / "cmake/docs/site").iterdir():
        files.append(Made(f"assets/{source.name}", config, source))
    return files


def on_post_page(output, page, config):
    """A script of ours comes before the theme's, which asks it for the index."""
    script = posixpath.relpath("assets/offline.js", posixpath.dirname(page.file.url) or ".")
    return output.replace("</head>", f'<script src="{script}"></script></head>', 1)


def on_post_build(config):
    """The index as a script: pages that are opened as files cannot fetch it otherwise."""
    folder = pathlib.Path(config["site_dir"]) / "search"
    (folder / "search_index.js").write_text(f"window.__search_index = {(folder / 'search_index.json').read_text()};\n")


def on_page_read_source(page, config):
    return getattr(page.file, "text", None)


def on_page_markdown(markdown, page, config, files):
    """Links as the site has them: each is relative to the page, and a page of the top stands beside those of docs/. A block
    that is a file has its name above it."""
    here = page.file.src_path
    origin = next((top for top, name in pages.items() if name == here), f"docs/{here}")
    if here.startswith("source/"):
        return markdown
    markdown = _named.sub(r'\1 title="\2"', markdown)

    def moved(match):
        target, _, anchor = match.group(2).partition("#")
        path = outside(origin, match.group(2))
        if path is None and origin in pages and target and "://" not in target:
            path, place_ = "", posixpath.relpath(posixpath.normpath(target), "docs")
        elif path is None:
            return match.group(0)
        else:
            place_ = place(path)
        link = posixpath.relpath(place_, posixpath.dirname(here) or ".")
        return f"{match.group(1)}{link}{'#' + anchor if anchor else ''}{match.group(3)}"

    parts, end = [], 0
    for block in _block.finditer(markdown):
        parts += [_link.sub(moved, markdown[end:block.start()]), block.group(0)]
        end = block.end()
    return "".join([*parts, _link.sub(moved, markdown[end:])])
