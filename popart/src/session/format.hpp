// SPDX-License-Identifier: MIT
// Files with compiled models: a header with a checksum, what a session must know to run the
// program (the Interface), weights, then the executable. Cache, exports and saved variables share
// this form; parts may be left out.
#pragma once
#include "lowering/programs.hpp"
#include "session/execution.hpp"
#include <iosfwd>
#include <optional>
#include <string_view>

namespace popart::session {

constexpr std::string_view fileMark("\x89PopART\n", 8); // every file begins with it

// What a training session needs before its first step and would otherwise learn from its ir.
struct Start {
  std::vector<std::pair<TensorId, TensorInfo>> inputs; // of the model, used or not
  Weights first;     // of variables that the model does not bring along; those left out are zero
  Weights constants; // Interface::held, in the device's types
};

struct Stored {
  std::string hash; // of what was compiled
  std::optional<lowering::Interface> interface;
  Weights variables;
  std::optional<Start> start;
  std::optional<poplar::Executable> executable;
};

// What to write; null: left out.
struct ToStore {
  std::string hash;
  const lowering::Interface *interface = nullptr;
  const Weights *variables = nullptr;
  const poplar::Executable *executable = nullptr;
  const Start *start = nullptr;
};
void writeStored(std::ostream &out, const ToStore &what);

// popart::error that says what is wrong: not such a file, of another version, truncated, damaged.
Stored readStored(std::istream &in);

// The part between header and executable; for tests of the reader.
std::string encodeMetadata(const ToStore &what);
bool decodeMetadata(std::string_view bytes, Stored &into); // whether an executable follows

} // namespace popart::session
