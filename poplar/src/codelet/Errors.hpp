// SPDX-License-Identifier: MIT
// What codelet compilation and loading throw. The graph layer and the engine turn them into
// Poplar's types: CompileError -> graph_program_compilation_error, LinkError -> link_error(what,
// output), FileError -> file_load_error, GpError -> graph_object_load_error, TrapError ->
// application_runtime_error.
#pragma once
#include "base/Folder.hpp"
#include <stdexcept>
#include <string>

namespace poplar::codelet {

struct CompileError : std::runtime_error {
  CompileError(const std::string &what, std::string compilerOutput = {})
      : std::runtime_error(what), output(std::move(compilerOutput)) {}
  std::string output; // the compiler's full message; also part of what()
};

struct LinkError : std::runtime_error {
  LinkError(const std::string &what, std::string linkerOutput = {})
      : std::runtime_error(what), output(std::move(linkerOutput)) {}
  std::string output; // the undefined symbols, one per line
};

using base::FileError; // also of folders that other users may write to

struct GpError : std::runtime_error {
  GpError(std::string file, const std::string &what)
      : std::runtime_error(what), path(std::move(file)) {}
  std::string path;
};

// Raised inside a running codelet: a failed assert or a violation found by checked mode.
struct TrapError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

} // namespace poplar::codelet
