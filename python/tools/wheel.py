# SPDX-License-Identifier: MIT
"""wheel.py NAME VERSION SUMMARY FROM TO DISTRIBUTION [NEEDED...]: a wheel of the package in the folder FROM/NAME, for
virtual environments. DISTRIBUTION: what pip calls it. NEEDED: what must be installed for it.

The wheel has what the folder has, modules of C++ for one Python or several too. pip takes it for every Python 3: where a
module for that one is missing, the package says how to make it. The libraries are in the wheel `openipu` or in an SDK.
"""
import base64
import glob
import hashlib
import os
import stat
import sys
import zipfile

_text = """Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: {summary}
License: MIT
Requires-Python: >=3.9
{needs}Description-Content-Type: text/plain

{summary}. Part of OpenIPU, an independent project that is not made, endorsed or supported by Graphcore or by the authors
of the packages whose names it uses for compatibility.
"""


def files_of(folder, name="."):
    """(path seen from the folder, file) of all files below folder/name, in order."""
    for root, folders, files in os.walk(os.path.normpath(os.path.join(folder, name))):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for file in sorted(files):
            path = os.path.join(root, file)
            yield os.path.relpath(path, folder), path


def metadata(distribution, version, summary, needed):
    needs = "".join(f"Requires-Dist: {other}\n" for other in needed)
    return _text.format(name=distribution, version=version, summary=summary + " (OpenIPU)", needs=needs)


def write(target, files, distribution, version, summary, needed, top_level, commands=()):
    """A wheel in the folder target, in place of those of the same version. commands: {name: function} for bin folders."""
    stem = f"{distribution.replace('-', '_')}-{version}"
    binary = any(path.endswith(".so") for path, _ in files)
    tag = "py3-none-linux_x86_64" if binary else "py3-none-any"
    info = f"{stem}.dist-info"
    texts = {"METADATA": metadata(distribution, version, summary, needed),
             "WHEEL": f"Wheel-Version: 1.0\nGenerator: openipu\nRoot-Is-Purelib: {str(not binary).lower()}\nTag: {tag}\n",
             "top_level.txt": "".join(f"{name}\n" for name in top_level)}
    if commands:
        texts["entry_points.txt"] = "[console_scripts]\n" + "".join(f"{name} = {commands[name]}\n" for name in sorted(commands))
    os.makedirs(target, exist_ok=True)
    for old in glob.glob(os.path.join(glob.escape(target), f"{stem}-*.whl")):
        os.remove(old)
    record = []
    with zipfile.ZipFile(os.path.join(target, f"{stem}-{tag}.whl"), "w", zipfile.ZIP_DEFLATED) as archive:
        def add(path, data, mode=0o644):
            entry = zipfile.ZipInfo(path, (2024, 1, 1, 0, 0, 0))  # the same bytes every time
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (stat.S_IFREG | mode) << 16
            archive.writestr(entry, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record.append(f"{path},sha256={digest},{len(data)}\n")

        for path, file in files:
            with open(file, "rb") as content:
                add(path, content.read(), 0o755 if os.access(file, os.X_OK) or path.endswith(".so") else 0o644)
        for name, text in texts.items():
            add(f"{info}/{name}", text.encode())
        archive.writestr(zipfile.ZipInfo(f"{info}/RECORD", (2024, 1, 1, 0, 0, 0)), "".join(record) + f"{info}/RECORD,,\n")


def main():
    name, version, summary, source, target, distribution, *needed = sys.argv[1:]
    files = list(files_of(source, name))
    if not files:
        sys.exit(f"wheel.py: there is no package {name} in {source}.")
    write(target, files, distribution, version, summary, needed, [name])


if __name__ == "__main__":
    main()
