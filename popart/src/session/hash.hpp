// SPDX-License-Identifier: MIT
// The content hash of a session: everything its executable depends on and nothing else. Values of
// weights, of held constants, of changeable hyper-parameters and seeds do not enter.
#pragma once
#include "session/prepare.hpp"
#include "session/source.hpp"
#include <poplar/Target.hpp>

namespace popart::session {

// 128 bits, word by word; the same on every machine. Spreads well, is no defence against malice.
class Hasher {
public:
  void bytes(const void *data, std::size_t size);
  void text(std::string_view value) { bytes(value.data(), value.size()); }
  void number(std::uint64_t value);
  template <class Enum> void choice(Enum value) { number(static_cast<std::uint64_t>(value)); }
  void real(double value) { bytes(&value, sizeof value); }
  std::string hex() const; // 32 digits

private:
  std::uint64_t a_ = 0x243f6a8885a308d3ull, b_ = 0x13198a2e03707344ull;
};

struct HashInput {
  const Prepared &prepared;
  const SessionOptions &options;
  const Patterns &patterns;
  const Optimizer *optimizer; // null: inference
  const TensorId &loss;
  const poplar::Target &target;
};
std::string hashOf(const HashInput &input);

// A training session before anything is made of its model.
struct SourceInput {
  const Source &source;
  const DataFlow &flow;
  const SessionOptions &options;
  const Patterns &patterns;
  const Optimizer &optimizer;
  const TensorId &loss;
  const poplar::Target &target;
};
std::string hashOf(const SourceInput &input);

// The same for this build of the libraries alone: another might make something else of the model.
std::string withBuild(const std::string &hash);

// A model built from code, before anything is made of it: every constant enters, no variable does.
void add(Hasher &h, const ir::Graph &graph, const ir::ModelSettings &settings);

// What both have in common.
void add(Hasher &h, const DataFlow &flow);
void add(Hasher &h, const SessionOptions &options);
void add(Hasher &h, const Patterns &patterns);
void add(Hasher &h, const poplar::Target &target);

} // namespace popart::session
