// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include "model.hpp"
#include "onnx/import.hpp"
#include "onnx/testmodels.hpp"
#include <popart/error.hpp>

using namespace popart;
using namespace popart::testing;

namespace {

std::string text(const std::string &body, int opset = 13) {
  return base::str("<ir_version: 8, opset_import: [\"\" : ", opset, "]>\n", body);
}
std::vector<Doubles> results(const std::string &body, const std::vector<Doubles> &inputs, Model &m,
                             int opset = 13) {
  m.graph = onnxmodel::importModel(parsed(text(body, opset)));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    m.feed(m.graph.inputs[i], inputs[i]);
  return m.run(m.graph.outputs);
}
std::string problem(const std::string &body) {
  try {
    onnxmodel::importModel(parsed(text(body)));
  } catch (const error &e) {
    return e.what();
  }
  return "accepted";
}

} // namespace

TEST(Sequences, ThatAreMadeAndReadInOneGraphLeaveNoNode) {
  Model m;
  const auto y = results(R"(g (float[2] a, float[2] b) => (float[2] x, float[3,2] s, float[6] c) {
      first = Constant <value = int64 {0}> ()
      last = Constant <value = int64 {-1}> ()
      two = SequenceConstruct(a, b)
      three = SequenceInsert(two, b, first)
      same = Identity(three)
      four = SequenceInsert(same, a)
      left = SequenceErase(four, last)
      x = SequenceAt(left, last)
      s = ConcatFromSequence <axis = 0, new_axis = 1> (left)
      c = ConcatFromSequence <axis = -1> (left)
    })",
                         {{1, 2}, {3, 4}}, m);
  expectNear(y[0], {3, 4});
  expectNear(y[1], {3, 4, 1, 2, 3, 4});
  expectNear(y[2], {3, 4, 1, 2, 3, 4});
  for (const auto &node : m.graph.nodes)
    EXPECT_EQ(node.def->type.find("Sequence"), std::string::npos) << node.def->type;
}

TEST(Sequences, SplitTensors) {
  Model m;
  const auto y = results(
      R"(g (float[2,5] x) => (float[2,1] a, float[2] b, float[2,3] c, int64 n, float[2,3] e) {
      one = Constant <value = int64 {1}> ()
      two = Constant <value = int64 {2}> ()
      sizes = Constant <value = int64[2] {2, 3}> ()
      chunks = SplitToSequence <axis = 1> (x, two)
      a = SequenceAt(chunks, two)
      n = SequenceLength(chunks)
      columns = SplitToSequence <axis = -1, keepdims = 0> (x)
      b = SequenceAt(columns, one)
      parts = SplitToSequence <axis = 1> (x, sizes)
      c = SequenceAt(parts, one)
      none = SequenceEmpty()
      some = SequenceInsert(none, c)
      zero = Constant <value = int64 {0}> ()
      e = SequenceAt(some, zero)
    })",
      {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}, m);
  expectNear(y[0], {4, 9});
  expectNear(y[1], {1, 6});
  expectNear(y[2], {2, 3, 4, 7, 8, 9});
  expectNear(y[3], {3});
  expectNear(y[4], {2, 3, 4, 7, 8, 9});
}

TEST(Sequences, AreMappedElementByElement) {
  Model m;
  const auto y = results(R"(g (float[2] a, float[3] b) => (float[5] c) {
      s = SequenceConstruct(a, b)
      t = SequenceMap (s, s) <body = f (float[N] x, float[N] y) => (float[N] z) { z = Mul(x, y) }>
      c = ConcatFromSequence <axis = 0> (t)
    })",
                         {{1, 2}, {3, 4, 5}}, m, 17);
  expectNear(y[0], {1, 4, 9, 16, 25});
}

TEST(Sequences, ThatCannotBeFollowedAreRefused) {
  EXPECT_EQ(problem(R"(g (float[2] a, int64 i) => (float[2] y) {
      s = SequenceConstruct(a, a)
      y = SequenceAt(s, i) })"),
            "SequenceAt: its position (\"i\") must be known when the model is compiled. Make it a "
            "constant or an initializer. (output \"y\")");
  EXPECT_EQ(problem(R"(g (float[2] a) => (float[2] y) {
      i = Constant <value = int64 {2}> ()
      s = SequenceConstruct(a, a)
      y = SequenceAt(s, i) })"),
            "SequenceAt: there is no position 2 in a sequence of 2. (output \"y\")");
  EXPECT_EQ(
      problem(R"(g (float[2] a, bool c) => (float[2] y) {
      s = SequenceConstruct(a, a)
      y = If (c) <then_branch = t () => (float[2] u) { i = Constant <value = int64 {0}> ()  u = SequenceAt(s, i) },
                  else_branch = e () => (float[2] v) { v = Identity(a) }> })"),
      "If: its condition (input 0, \"c\") must be known when the model is compiled, for its "
      "branches have sequences: \"s\" is a sequence, and compiled programs have fixed tensors: "
      "only operators of sequences can read it, in the graph that makes it. (SequenceAt, "
      "output \"u\") (output \"y\")");
}
