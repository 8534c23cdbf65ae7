// SPDX-License-Identifier: MIT
// The first block of a program as a model. Three kinds of runs use it: the CPU executor converts
// all operators, also gradients and updates; training on IPUs converts the forward pass and names
// the loss; inference has nothing else.
#pragma once
#include "core/HostOperators.hpp"
#include "openipu/Converted.hpp"

namespace paddleipu {

// A persistable variable in the caller's memory, in Paddle's type.
struct Variable {
  VarType::Type type = VarType::FP32;
  Shape shape;
  void *data = nullptr;
  std::shared_ptr<void> owner = nullptr;
};

struct ConversionSettings {
  bool whole = false;    // every operator, not the forward pass alone
  bool training = false; // the loss is named, and parameters with an optimiser are trained
  bool half = false;
  std::int64_t microBatch = 1; // what an unknown first dimension of a feed is
  std::int64_t ipus = 1;
  bool sharded = false;   // ipu_index counts
  bool pipelined = false; // ipu_stage counts
  bool averaged = false;  // operators are divided evenly between the IPUs
  float memoryProportion = 0;
  std::map<std::string, std::pair<std::string, std::int64_t>> custom; // operators of users
  HostOperators onHost; // those that the host computes, in programs as they are written
};

struct Conversion {
  popart::Converted converted;
  std::vector<Slot> inputs;           // in the order of the feeds
  std::vector<Slot> outputs;          // the fetches, then `created`
  std::vector<Slot> created;          // persistable variables that had no memory yet
  std::vector<std::string> variables; // those that are used
};

// Feeds with the shapes of what is fed; a feed without one (nullopt) has the program's.
using Feeds = std::vector<std::pair<std::string, std::optional<Shape>>>;
Conversion convert(const proto::ProgramDesc &program, const Feeds &feeds,
                   const std::vector<std::string> &fetches,
                   const std::map<std::string, Variable> &variables,
                   const ConversionSettings &settings);

// What an operator makes of inputs of these shapes, where -1 is an unknown extent.
std::vector<Slot> inferShapes(const proto::OpDesc &op, const std::map<std::string, Slot> &inputs);

} // namespace paddleipu
