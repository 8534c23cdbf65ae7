// SPDX-License-Identifier: MIT
// Base's way to write files and to trust folders, for all Python packages (popart/_files.py), and
// executables in files that are open already. FileError is OSError there, UnsafeError
// PermissionError.
#include "base/DescriptorStream.hpp"
#include "base/FileCache.hpp"
#include "base/OutputFile.hpp"
#include "bind.hpp"
#include <cerrno>
#include <ext/stdio_filebuf.h>
#include <openipu/UnusableExecutable.hpp>
#include <popart/session.hpp>
#include <unistd.h>

namespace {

// Other threads run meanwhile: one of them may be the reader of a pipe that is written to.
template <class Work> auto orRaise(const Work &work) {
  const auto unlocked = [&] {
    const py::gil_scoped_release release;
    return work();
  };
  const auto raise = [](PyObject *type, const std::exception &e) {
    const auto text = py::reinterpret_steal<py::object>(
        PyUnicode_DecodeFSDefault(e.what())); // which quotes paths
    PyErr_SetObject(type, text.ptr());
    return py::error_already_set();
  };
  try {
    return unlocked();
  } catch (const base::UnsafeError &e) {
    throw raise(PyExc_PermissionError, e);
  } catch (const base::FileError &e) {
    throw raise(PyExc_OSError, e);
  }
}

class Output {
public:
  explicit Output(const std::string &path)
      : file_(orRaise([&] { return std::make_unique<base::OutputFile>(path); })) {}
  int fileno() const { return open().descriptor(); }
  void commit() {
    base::OutputFile &file = open();
    orRaise([&] { file.commit(); });
    discard();
  }
  void discard() { file_.reset(); }

private:
  base::OutputFile &open() const {
    if (!file_)
      throw py::value_error("The file is not open any more.");
    return *file_;
  }
  std::unique_ptr<base::OutputFile> file_;
};

// Without weights: whoever loads it has his own.
template <class S> void saveProgram(S &session, std::ostream &out) {
  session.saveExecutableToStream(out, true, false);
}

// Executables by name in a folder that is trusted.
class Cache {
public:
  Cache(const std::string &folder, const std::string &remedy)
      : files_(orRaise([&] { return base::FileCache(folder, {}, "", remedy); })) {}
  py::str pathOf(const std::string &name) const { // as os.fsdecode would
    return py::reinterpret_steal<py::str>(
        PyUnicode_DecodeFSDefault(files_.folder().pathOf(name).c_str()));
  }
  // (a descriptor, which is the caller's, or -1; why what is there is not used)
  std::pair<int, std::string> find(const std::string &name) const {
    std::string why;
    auto file = files_.find(name, why);
    return {file.release(), why};
  }
  template <class S> void store(const std::string &name, S &session) const {
    orRaise([&] { files_.store(name, [&](std::ostream &out) { saveProgram(session, out); }); });
  }

private:
  base::FileCache files_;
};

// To where the file stands; what the system says is OSError.
template <class S> void saveExecutable(S &session, int fd) {
  int error = 0;
  {
    const py::gil_scoped_release unlocked;
    base::DescriptorStream out(fd);
    try {
      saveProgram(session, out);
      out.flush();
    } catch (const popart::error &) {
      if (!out.error())
        throw;
    }
    error = out.error();
  }
  if (!error)
    return;
  errno = error;
  PyErr_SetFromErrno(PyExc_OSError);
  throw py::error_already_set();
}

// GCC's own: a stream onto an open file, which it closes.
struct OpenFile : std::istream {
  explicit OpenFile(int fd) : std::istream(nullptr), buffer(fd, std::ios::in | std::ios::binary) {
    rdbuf(&buffer);
  }
  __gnu_cxx::stdio_filebuf<char> buffer;
};

template <class S> void bindExecutables(py::module &m) {
  m.def("_save_executable", &saveExecutable<S>, py::arg("session"), py::arg("fd"),
        "Writes the executable to an open file, where that stands.");
  m.def(
      "_load_executable",
      [](S &session, int fd) {
        session.loadExecutableFromStream(std::make_shared<OpenFile>(::dup(fd)));
      },
      py::call_guard<py::gil_scoped_release>(), py::arg("session"), py::arg("fd"),
      "Takes the executable of an open file, from where that stands.");
  m.def(
      "_take_cached",
      [](S &session, int fd) -> std::string {
        try {
          session.loadExecutableFromStream(std::make_shared<OpenFile>(::dup(fd)));
        } catch (const popart::UnusableExecutable &e) {
          return e.why;
        }
        return "";
      },
      py::call_guard<py::gil_scoped_release>(), py::arg("session"), py::arg("fd"),
      "The same; \"\", or why that one is not for this session.");
}

} // namespace

void bindOutputs(py::module &m) {
  py::class_<Output>(m, "_Output", "A file that a user named, on its way.")
      .def(py::init<const std::string &>(), py::arg("path"))
      .def("fileno", &Output::fileno, "The open file.")
      .def("commit", &Output::commit, "Everything is written: it takes its place.")
      .def("discard", &Output::discard, "It never was.");
  m.def(
      "_open_in_place",
      [](const std::string &path, bool anew) {
        return orRaise([&] {
          return base::openInPlace(path, anew ? base::Begin::Anew : base::Begin::AtEnd).release();
        });
      },
      py::arg("path"), py::arg("anew"), "A file that grows where it is; the caller closes it.");
  py::class_<Cache>(m, "_Cache", "Executables by name in a folder that is trusted.")
      .def(py::init<const std::string &, const std::string &>(), py::arg("folder"),
           py::arg("remedy"))
      .def("path_of", &Cache::pathOf, py::arg("name"), "Where it is, for messages.")
      .def("find", &Cache::find, py::arg("name"), "(a descriptor or -1, why it is not used)")
      .def("store", &Cache::store<popart::InferenceSession>, py::arg("name"), py::arg("session"))
      .def("store", &Cache::store<popart::TrainingSession>, py::arg("name"), py::arg("session"));
  bindExecutables<popart::InferenceSession>(m);
  bindExecutables<popart::TrainingSession>(m);
}
