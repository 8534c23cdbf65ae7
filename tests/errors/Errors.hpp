// SPDX-License-Identifier: MIT
// Shared by the error tests: a device of four tiles, a few codelets, what a statement throws, and
// the proof that the process is usable afterwards.
#pragma once
#include <functional>
#include <gtest/gtest.h>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <string>

namespace errors {

// Scale: out = in * factor.  Sum: result = sum of in.  Rows: doubles each row.  Bump: x += 1.
void addCodelets(poplar::Graph &graph);

poplar::Device smallDevice();

// The graph of a test, with the codelets above and room for a program.
struct Fixture {
  Fixture();
  poplar::Tensor variable(const char *name, std::size_t elements,
                          poplar::Type type = poplar::FLOAT);     // on tile 0
  poplar::VertexRef scale(poplar::Tensor in, poplar::Tensor out); // on tile 0, in set
  poplar::Device device;
  poplar::Graph graph;
  poplar::ComputeSet set;
  poplar::program::Sequence program;
};

// `type: message` of the poplar_error that the statement throws.
std::string rejection(const std::function<void()> &statement);

// A good program still compiles, runs and gives the right numbers.
void expectStillUsable();

} // namespace errors

// The whole message, then a good program.
#define EXPECT_REJECTED(message, statement)                                                        \
  do {                                                                                             \
    EXPECT_EQ(errors::rejection([&] { statement; }), message);                                     \
    errors::expectStillUsable();                                                                   \
  } while (false)
