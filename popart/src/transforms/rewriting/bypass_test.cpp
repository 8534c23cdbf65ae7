// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "transforms/rewriting/bypass.hpp"

using namespace popart;
using namespace popart::testing;

namespace {

const Patterns all(PatternsLevel::Default);

} // namespace

TEST(Bypass, DropsWhatChangesNothing) {
  Model m;
  const Value x = m.randomInput({2, 3, 4});
  Value y = m.b.op("Identity", {x});
  y = m.b.op("Dropout", {y});
  y = m.b.mul(m.b.exp(y), m.b.scalar(1, y));
  y = m.b.op("Sub", {y, m.constant({1, 1}, {0})});
  y = m.b.op("Cast", {y}, {{"to", std::string("FLOAT")}});
  y = m.b.op("Sum", {y});
  y = m.b.transpose(m.b.transpose(y, {2, 0, 1}), {1, 2, 0});
  y = m.b.op("Sum", {y, y});
  y = m.b.neg(m.b.reshape(m.b.reshape(y, {4, 6}), {3, 8}));
  const auto before = m.run(y);
  transforms::bypass(m.graph, all, false, {y});
  EXPECT_EQ(m.order(), "Exp Transpose Add Reshape Reshape Neg"); // two of them for nobody
  EXPECT_EQ(m.run(y), before);
}

TEST(Bypass, KeepsWhatIsSeenOrMatters) {
  Model m;
  const Value x = m.randomInput({2, 3});
  const Value anchor = m.b.op("Identity", {x});
  m.b.settings.recompute = ir::Recompute::Checkpoint;
  m.b.op("Identity", {x});
  m.b.settings.recompute = ir::Recompute::Undefined;
  m.b.op("Dropout", {x});                         // of a training
  m.b.mul(x, m.constant({1, 1, 1}, {1}));         // makes the rank three
  m.b.op("Mul", {x, m.constant({3}, {1, 1, 1})}); // could be weights
  m.b.op("Add", {x, m.b.scalar(0, x)});           // makes -0 into 0
  const std::size_t nodes = m.graph.nodes.size();
  EXPECT_EQ(transforms::bypass(m.graph, all, true, {anchor}), 0u) << m.order();
  EXPECT_EQ(m.graph.nodes.size(), nodes);
}

TEST(Bypass, ObeysPatterns) {
  const std::map<std::string, std::string> without{
      {"OpToIdentity", "Mul Add Transpose Neg"},
      {"PreUniRepl", "Sum Add Transpose Neg"},
      {"PostNRepl", "Identity Add Transpose Neg"},
      {"SumToAdd", "Sum Transpose Neg"},
      {"TransposeToIdentityOrReshapePattern", "Add Transpose Transpose Neg"}};
  for (const auto &[pattern, left] : without) {
    Model m;
    const Value x = m.randomInput({2, 3});
    Value y = m.b.mul(m.b.op("Identity", {x}), m.b.scalar(1, x));
    y = m.b.op("Sum", {m.b.op("Sum", {y}), x});
    y = m.b.neg(m.b.transpose(m.b.transpose(y, {1, 0}), {1, 0}));
    Patterns patterns = all;
    transforms::bypass(m.graph, patterns.enablePattern(pattern, false), false, {y});
    EXPECT_EQ(m.order(), left) << pattern;
  }
}
