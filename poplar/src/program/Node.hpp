// SPDX-License-Identifier: MIT
// What a poplar::program::Program points at: one immutable node of the program tree. Sequences
// under construction are the exception: add() changes a node that nobody else holds and copies one
// that somebody does.
#pragma once
#include "executable/Image.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include <string>
#include <vector>

namespace poplar::openipu {

struct Node {
  Node() = default;
  Node(const Node &) = default;
  Node(Node &&) = default;
  Node &operator=(const Node &) = default;
  Node &operator=(Node &&) = default;
  ~Node(); // however deep programs are nested, without recursion

  executable::StepKind kind = executable::StepKind::Sequence;
  std::string name;
  std::uint64_t debugId = 0;
  std::vector<program::Program> children;
  std::vector<Tensor> operands; // Copy: source, destination; others as in executable::Step
  std::string handle;           // stream or remote buffer
  std::uint32_t index = executable::none; // compute set, function, host function
  std::uint64_t graph = 0; // the number of the graph that index or handle belong to; 0: not known
  std::uint64_t count = 0;
  bool flag = false;
  std::vector<std::int64_t> cases;
  std::string text, attributes;
  executable::PrintFormat format;
  std::shared_ptr<const openipu::Plan> plan; // Kernel: made by the operator
};

} // namespace poplar::openipu

namespace poplar::program {
using openipu::Node;
}
