// SPDX-License-Identifier: MIT
// Executables and weights in files: compiled here, run in another process.
#include "base/Text.hpp"
#include "session/cache.hpp"
#include "session/convert.hpp"
#include "session/impl.hpp"
#include "session/log.hpp"
#include <fstream>
#include <openipu/TargetDifferences.hpp>
#include <openipu/UnusableExecutable.hpp>
#include <popart/error.hpp>

namespace popart {

namespace fs = std::filesystem;

namespace {

void checkExportable(const Session::Impl &impl, const char *what) {
  if (!impl.device->isHwCompatible())
    throw error(base::str(what, ": executables for a device of type ", impl.device->getType(),
                          " cannot be saved; only those for ipu and offline-ipu."));
  if (!impl.options.compileEngine)
    throw error(base::str(what, ": compileEngine is false, so there is no executable."));
}

session::ToStore contents(Session::Impl &impl, bool metadata, bool variables) {
  session::ToStore out;
  out.hash = impl.hash();
  if (metadata)
    out.interface = &impl.io;
  if (variables)
    out.variables = &impl.hostWeights;
  out.executable = &*impl.executable;
  return out;
}

void checkCompiled(const Session::Impl &impl, const char *what) {
  checkExportable(impl, what);
  if (!impl.executable)
    throw runtime_error(base::str(what, ": nothing is compiled yet. Call prepareDevice() first."));
}

void save(Session::Impl &impl, std::ostream &out, const char *what, bool metadata, bool variables) {
  checkCompiled(impl, what);
  session::writeStored(out, contents(impl, metadata, variables));
  if (!out)
    throw error(base::str(what, ": writing failed."));
}

void take(Session::Impl &impl, std::istream &in, const std::string &from) {
  session::Stored stored;
  try {
    stored = session::readStored(in);
  } catch (const error &e) {
    throw UnusableExecutable(from, e.what());
  }
  if (!stored.executable || !stored.interface)
    throw UnusableExecutable(from, base::str("the file holds no ",
                                             stored.executable ? "PopART metadata" : "executable"));
  if (const auto differ = openipu::targetDifferences(*stored.executable, impl.target());
      !differ.empty())
    throw UnusableExecutable(from,
                             base::str("it was compiled for another device.\n", differ,
                                       "Compile it again, or take a device of the other kind"));
  if (stored.hash != impl.hash())
    throw UnusableExecutable(from, "it was compiled from another model or with other options");
  impl.io = std::move(*stored.interface);
  impl.executable = std::move(stored.executable);
  impl.fromFile = true;
  impl.life.happened(session::Event::HasProgram);
  impl.fitHostWeights();
  for (auto &[id, bytes] : stored.variables) {
    auto it = impl.hostWeights.find(id);
    if (it == impl.hostWeights.end() || it->second.size() != bytes.size())
      throw error(base::str("The variable \"", id, "\" of ", from, " has ", bytes.size(),
                            " bytes; the session has no such variable."));
    it->second.assign(std::move(bytes));
  }
  impl.source->deliver(impl.hostWeights, impl.replicas());
}

} // namespace

void Session::compileAndExport(const std::string &file) {
  const auto turn = impl_->turns.change("compileAndExport");
  checkExportable(*impl_, "compileAndExport");
  impl_->compile();
  std::error_code none;
  const auto path =
      fs::is_directory(file, none) ? fs::path(file) / "executable.popef" : fs::path(file);
  session::makeFolderOf(path); // as PopART's documentation says
  session::writeWhole(path, [&](std::ostream &out) { compileAndExport(out); });
}
void Session::compileAndExport(std::ostream &out) {
  const auto turn = impl_->turns.change("compileAndExport");
  checkExportable(*impl_, "compileAndExport");
  impl_->compile();
  save(*impl_, out, "compileAndExport", true, false);
}

void Session::saveExecutable(const std::string &path, bool savePopartMetadata, bool saveVariables) {
  const auto turn = impl_->turns.change("saveExecutable");
  const auto file = (fs::path(path) / "executable.popef").string();
  checkCompiled(*impl_, "saveExecutable"); // before a folder is made for nothing
  session::makeFolderOf(file);
  saveExecutableToFile(file, savePopartMetadata, saveVariables);
}
void Session::saveExecutableToFile(const std::string &file, bool savePopartMetadata,
                                   bool saveVariables) {
  const auto turn = impl_->turns.change("saveExecutableToFile");
  session::writeWhole(file, [&](std::ostream &out) {
    save(*impl_, out, "saveExecutable", savePopartMetadata, saveVariables);
  });
}
void Session::saveExecutableToStream(std::ostream &out, bool savePopartMetadata,
                                     bool saveVariables) {
  const auto turn = impl_->turns.change("saveExecutableToStream");
  save(*impl_, out, "saveExecutable", savePopartMetadata, saveVariables);
}
void Session::saveVariables(const std::string &path) {
  const auto turn = impl_->turns.change("saveVariables");
  session::ToStore what;
  what.hash = impl_->hash();
  what.variables = &impl_->hostWeights;
  const auto file = fs::path(path) / "variables.popef";
  session::makeFolderOf(file);
  session::writeWhole(file, [&](std::ostream &out) { session::writeStored(out, what); });
}

void Session::loadExecutableFromFile(const std::string &file) {
  const auto turn = impl_->turns.change("loadExecutableFromFile");
  std::error_code missing;
  if (fs::is_directory(file, missing))
    throw error(base::str("The executable ", file,
                          " is a folder. Name the file in it, such as executable.popef."));
  if (fs::exists(file, missing) && !fs::is_regular_file(file, missing)) // a pipe may wait for ever
    throw error(
        base::str("The executable ", file, " is no ordinary file. Copy it into one first."));
  std::ifstream in(file, std::ios::binary);
  if (!in)
    throw error(base::str("The executable ", file, " cannot be opened."));
  take(*impl_, in, file);
  session::log().info("Loading serialized PopART executable from ", file);
}
void Session::loadExecutableFromStream(std::shared_ptr<std::istream> in) {
  const auto turn = impl_->turns.change("loadExecutableFromStream");
  if (!in)
    throw error("loadExecutableFromStream: there is no stream.");
  take(*impl_, *in, "the stream");
}

} // namespace popart
