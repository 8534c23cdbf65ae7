# SPDX-License-Identifier: MIT
"""wheel.py NAME VERSION SUMMARY FROM TO DISTRIBUTION [NEEDED...]: a wheel of the package in the folder FROM/NAME, for
virtual environments. DISTRIBUTION: what pip calls it. NEEDED: what must be installed for it.

The wheel has what the SDK's python folder has, a module of C++ too; the libraries stay in the SDK, which must be enabled.
"""
import base64
import hashlib
import os
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
of the packages whose names it uses for compatibility. The SDK's enable.sh must be sourced before it is imported.
"""


def files_of(folder, name):
    for root, folders, files in os.walk(os.path.join(folder, name)):
        folders[:] = sorted(f for f in folders if f != "__pycache__")
        for file in sorted(files):
            path = os.path.join(root, file)
            yield os.path.relpath(path, folder), path


def main():
    name, version, summary, source, target, distribution, *needed = sys.argv[1:]
    needs = "".join(f"Requires-Dist: {other}\n" for other in needed)
    stem = f"{distribution.replace('-', '_')}-{version}"
    summary += " (OpenIPU)"
    files = list(files_of(source, name))
    if not files:
        sys.exit(f"wheel.py: there is no package {name} in {source}.")
    binary = any(path.endswith(".so") for path, _ in files)
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    tag = f"{python}-{python}-linux_x86_64" if binary else "py3-none-any"
    info = f"{stem}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: openipu\nRoot-Is-Purelib: {str(not binary).lower()}\nTag: {tag}\n"
    contents = [(path, open(whole, "rb").read()) for path, whole in files]
    metadata = _text.format(name=distribution, version=version, summary=summary, needs=needs)
    contents += [(f"{info}/METADATA", metadata.encode()),
                 (f"{info}/WHEEL", wheel.encode()), (f"{info}/top_level.txt", f"{name}\n".encode())]
    record = [f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
              for path, data in contents] + [f"{info}/RECORD,,"]
    contents.append((f"{info}/RECORD", ("\n".join(record) + "\n").encode()))
    os.makedirs(target, exist_ok=True)
    with zipfile.ZipFile(os.path.join(target, f"{stem}-{tag}.whl"), "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in contents:
            entry = zipfile.ZipInfo(path, (2024, 1, 1, 0, 0, 0))  # the same bytes every time
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, (0o755 if path.endswith(".so") else 0o644) << 16
            archive.writestr(entry, data)


main()
