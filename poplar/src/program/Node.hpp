// SPDX-License-Identifier: MIT
// What a poplar::program::Program points at: one immutable node of the program tree. Sequences
// under construction are the exception: add() changes a node that nobody else holds and copies one
// that somebody does.
#pragma once
#include "executable/Step.hpp"
#include "poplar/Program.hpp"
#include "poplar/Tensor.hpp"
#include <string>
#include <vector>

namespace poplar::openipu {

struct Tree {
  using Tensor = poplar::Tensor;
  using Part = program::Program;
  using Handle = std::string; // of a stream or remote buffer
  struct Moves {
    poplar::Tensor from, to; // what is not on the device stays empty
  };
};

struct Node {
  Node() = default;
  Node(const Node &) = default;
  Node(Node &&) = default;
  Node &operator=(const Node &) = default;
  Node &operator=(Node &&) = default;
  ~Node(); // however deep programs are nested, without recursion

  std::string name;
  std::uint64_t debugId = 0;
  std::uint64_t graph = 0;            // the number of the graph whose parts it uses; 0: not known
  executable::steps::Kind<Tree> kind; // compute sets and functions by their number in the graph
};

} // namespace poplar::openipu

namespace poplar::program {

using openipu::Node;
using openipu::Tree;
namespace steps = executable::steps;

template <class Kind> Node nodeOf(Kind kind, const DebugContext &context) {
  Node out;
  out.name = context.getPathName();
  out.debugId = context.getParentId();
  out.kind = std::move(kind);
  return out;
}

// The programs that a node holds, in order.
template <class Part> struct EachPart : steps::Nothing {
  explicit EachPart(Part each) : each(each) {}
  void part(auto &program) { each(program); }
  Part each;
};

} // namespace poplar::program
