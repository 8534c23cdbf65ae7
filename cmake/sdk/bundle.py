# SPDX-License-Identifier: MIT
"""bundle.py BUILD FOLDER: what a build folder installs, for any Linux that has glibc, libstdc++ and libgcc.

Into FOLDER: openipu-<version>-linux-x86_64.tar.xz, the SDK with every other library it needs in lib/bundled of its Poplar
part, and wheels: `openipu`, which has the libraries, tools and base packages, and those of the front ends. Libraries have
names of their own there, since a process may have the system's too, of another version (Debian's torch brings protobuf and
ONNX). lib/bundled/needs says which glibc and libstdc++ all this was linked with.

Needs readelf, patchelf, ldconfig, xz and a Debian that knows the package of each library, for its licence.
"""
import glob
import mmap
import os
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile

_HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(_HERE, "..", "..", "python", "tools"))
import wheel  # noqa: E402

_SYSTEM = re.compile(r"(ld-linux-x86-64|lib(c|m|mvec|pthread|dl|rt|resolv|util|stdc\+\+|gcc_s))\.so\.\d+")
_LATER = {"libpopdist_mpi.so"}  # loaded by poprun's processes; they have the system's Open MPI
_COMPILED_IN = ["nlohmann-json3-dev", "libcli11-dev", "pybind11-dev", "libprotobuf-dev"]  # headers, and what is made of them
_PACKAGES = ["openipu", "popart", "pva", "libpvti", "gcipuinfo", "popdist"]  # of the wheel `openipu`


def said(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def programs(folder):
    """Every ELF file below the folder."""
    for _, file in wheel.files_of(folder):
        if os.path.islink(file):
            continue
        with open(file, "rb") as content:
            if content.read(4) == b"\x7fELF":
                yield file


def needed(file):
    return re.findall(r"\(NEEDED\).*\[(.+)\]", said("readelf", "-dW", file))


def own_its_objects(file):
    """Static objects of inline functions are unique to a process, whatever scopes its libraries have (STB_GNU_UNIQUE): those
    of two versions of protobuf would mix. They become plain global ones, which libraries of one scope share."""
    unique, plain = 10, 1
    with open(file, "r+b") as library, mmap.mmap(library.fileno(), 0) as content:
        at, = struct.unpack_from("<Q", content, 0x28)
        size, count = struct.unpack_from("<HH", content, 0x3a)
        for header in range(at, at + size * count, size):
            kind, start, length = struct.unpack_from("<4xI16xQQ", content, header)
            for symbol in range(start, start + length, 24) if kind == 11 else ():  # SHT_DYNSYM
                if content[symbol + 4] >> 4 == unique:
                    content[symbol + 4] = plain << 4 | content[symbol + 4] & 15


def system_libraries():
    """{name: file} of what the loader finds here."""
    ldconfig = shutil.which("ldconfig", path="/sbin:/usr/sbin:" + os.environ.get("PATH", "")) or "ldconfig"
    return {name: file for name, file in re.findall(r"^\s*(\S+) \(libc6,x86-64.*\) => (\S+)$", said(ldconfig, "-p"), re.M)}


class Bundle:
    def __init__(self, sdk):
        self.sdk = sdk
        self.poplar, = glob.glob(os.path.join(glob.escape(sdk), "poplar-*"))
        self.popart, = glob.glob(os.path.join(glob.escape(sdk), "popart-*"))
        self.folder = os.path.join(self.poplar, "lib", "bundled")
        self.origins = {}  # name here: the system's file
        self.names = {}  # name there: name here

    def gather(self):
        """Copies what is needed and not there, and what that needs."""
        os.makedirs(self.folder)
        known = system_libraries()
        ours = {os.path.basename(file) for file in programs(self.sdk)}
        todo = list(programs(self.sdk))
        while todo:
            file = todo.pop()
            if os.path.basename(file) in _LATER:
                continue
            for name in needed(file):
                if name in ours or name in self.names or _SYSTEM.fullmatch(name):
                    continue
                if name not in known:
                    sys.exit(f"bundle.py: {file} needs {name}, which is not on this machine.")
                self.names[name] = name.replace(".so", "-openipu.so", 1)
                copy = os.path.join(self.folder, self.names[name])
                shutil.copyfile(os.path.realpath(known[name]), copy)
                os.chmod(copy, 0o755)
                subprocess.run(["strip", "--strip-unneeded", copy], check=True)
                own_its_objects(copy)
                self.origins[self.names[name]] = known[name]
                todo.append(copy)

    def rename(self):
        """Everybody asks for the new names; bundled libraries find each other where they lie."""
        for file in list(programs(self.sdk)):
            changes = [["--replace-needed", name, self.names[name]] for name in needed(file)
                       if self.names.get(name, name) != name]
            if os.path.dirname(file) == self.folder:
                changes += [["--set-soname", os.path.basename(file)], ["--set-rpath", "$ORIGIN"]]
            for change in changes:  # each by itself: patchelf 0.14 mixes up the texts of several
                subprocess.run(["patchelf", *change, file], check=True)

    def note_needs(self):
        highest = {"GLIBC": [0], "GLIBCXX": [0]}
        for file in programs(self.sdk):
            for kind, version in re.findall(r"Name: (GLIBC|GLIBCXX)_([\d.]+)", said("readelf", "-VW", file)):
                highest[kind] = max(highest[kind], [int(number) for number in version.split(".")])
        with open(os.path.join(self.folder, "needs"), "w") as file:
            for kind, name in (("GLIBC", "glibc"), ("GLIBCXX", "libstdc++")):
                file.write(f"{name} {'.'.join(map(str, highest[kind]))}\n")

    def add_licences(self, build):
        """Of each Debian package that a part comes from, and the texts that they refer to."""
        folder = os.path.join(self.poplar, "share", "openipu", "licences")
        os.makedirs(folder)
        packages = {}
        for file, package in packages_of(self.origins.values()).items():
            packages.setdefault(package, []).extend(name for name, origin in sorted(self.origins.items()) if origin == file)
        lines = []
        for package in [*packages, *(name for name in _COMPILED_IN if name not in packages)]:
            text = f"/usr/share/doc/{package}/copyright"
            shutil.copyfile(text, os.path.join(folder, package))
            with open(text, encoding="utf-8", errors="replace") as file:
                for common in set(re.findall(r"/usr/share/common-licenses/([\w.+-]*\w)", file.read())):
                    shutil.copyfile(f"/usr/share/common-licenses/{common}", os.path.join(folder, common))
            version = said("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", package)
            lines.append(f"{package}: {', '.join(packages.get(package, ['headers']))} (Debian's source package {version})\n")
        for text in glob.glob(os.path.join(glob.escape(build), "popvision/page/**/node_modules/uplot/LICENSE"), recursive=True):
            shutil.copyfile(text, os.path.join(folder, "uplot"))
            lines.append("uplot: in popvision's page\n")
        with open(os.path.join(folder, "README"), "w") as file:
            file.write("OpenIPU brings these parts of others along, unchanged but for names and search paths of libraries.\n"
                       "Each has its licence here, in a file of its name.\n\n" + "".join(lines))

    def wheel_files(self):
        """Both parts in one folder, without what only builds of C++ programs and readers need."""
        python = os.path.join(self.popart, "python")
        for package in _PACKAGES:
            yield from wheel.files_of(python, package)
        for file in sorted(glob.glob(os.path.join(glob.escape(python), "popart_core*"))):
            yield os.path.basename(file), file
        for part in (self.poplar, self.popart):
            for name in ("bin", "include", "lib", "share/openipu/licences"):
                for path, file in wheel.files_of(part, name):
                    if not re.match(r"lib/(cmake|pkgconfig)/", path):
                        yield os.path.join("openipu", path.replace("share/openipu/", "")), file

    def write_wheel(self, target, version):
        commands = {name: "openipu.__main__:tool" for name in os.listdir(os.path.join(self.poplar, "bin"))}
        wheel.write(target, list(self.wheel_files()), "openipu", version, "The libraries, tools and base packages of an SDK",
                    ["numpy"], [*_PACKAGES, "popart_core"], commands)


def packages_of(files):
    """{file: Debian's package}; a library in /usr/lib may be known as one in /lib."""
    spellings = {file: [os.path.realpath(file).replace("/usr/lib/", start, 1) for start in ("/usr/lib/", "/lib/")]
                 for file in sorted(files)}
    asked = [path for paths in spellings.values() for path in paths]
    answer = subprocess.run(["dpkg-query", "-S", *asked], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    known = {path: package for package, path in re.findall(r"^([^:,\s]+)\S* (/.*)$", answer, re.M)}
    found = {file: next((known[path] for path in paths if path in known), None) for file, paths in spellings.items()}
    if unknown := [file for file in found if not found[file]]:
        sys.exit(f"bundle.py: no Debian package has {', '.join(unknown)}, so the licence is not known.")
    return found


def pack(folder, archive):
    """The same bytes for the same files."""
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = 1704067200
        return None if os.path.basename(entry.name) == "__pycache__" else entry

    with open(archive, "wb") as out, subprocess.Popen(["xz", "-6", "-T2"], stdin=subprocess.PIPE, stdout=out) as compressor:
        with tarfile.open(fileobj=compressor.stdin, mode="w|", format=tarfile.GNU_FORMAT) as tar:
            tar.add(folder, os.path.basename(folder), filter=plain)
        compressor.stdin.close()
    if compressor.returncode:
        sys.exit("bundle.py: xz failed.")


def main(build, target):
    build = os.path.abspath(build)
    for tool in ("patchelf", "readelf", "strip", "xz"):
        if not shutil.which(tool):
            sys.exit(f"bundle.py: {tool} is missing (apt install patchelf binutils xz-utils).")
    with open(os.path.join(build, "CMakeCache.txt")) as cache:
        version = re.search(r"^CMAKE_PROJECT_VERSION:STATIC=(.+)$", cache.read(), re.M).group(1)
    os.makedirs(target, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target) as scratch:
        sdk = os.path.join(scratch, f"openipu-{version}-linux-x86_64")
        subprocess.run(["cmake", "--install", build, "--strip", "--prefix", sdk], check=True, stdout=subprocess.DEVNULL)
        bundle = Bundle(sdk)
        bundle.gather()
        bundle.rename()
        bundle.note_needs()
        bundle.add_licences(build)
        bundle.write_wheel(target, version)
        for file in glob.glob(os.path.join(glob.escape(sdk), "*.whl")):  # once is enough; the SDK's python folder has the same
            shutil.move(file, os.path.join(target, os.path.basename(file)))
        pack(sdk, os.path.join(target, os.path.basename(sdk) + ".tar.xz"))


if __name__ == "__main__":
    main(*sys.argv[1:])
