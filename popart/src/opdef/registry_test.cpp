// SPDX-License-Identifier: MIT
// Every operator of the table says all that is asked of it.
#include "base/Text.hpp"
#include "opdef/opdef.hpp"
#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <popart/opmanager.hpp>

using namespace popart;
using namespace popart::ops;

namespace {

std::string nameOf(const OpDef &op) {
  return (op.domain.empty() ? "ai.onnx" : op.domain) + "." + op.type;
}

TEST(Operators, EachHasADocLineThatIsASentence) {
  for (const auto &op : allOps()) {
    EXPECT_GE(op.doc.size(), 5u) << nameOf(op);
    EXPECT_TRUE(op.doc.ends_with(".")) << nameOf(op) << ": " << op.doc;
    EXPECT_LE(op.in.min, op.in.max) << nameOf(op);
  }
}

TEST(Operators, EachIsEitherDecomposedOrHasAShapeRuleAndALowering) {
  for (const auto &op : allOps()) {
    const int ways = bool(op.decompose) + bool(op.expr) + bool(op.lower);
    EXPECT_EQ(bool(op.decompose), !op.infer) << nameOf(op);
    if (op.infer && ways == 0) // known by name, refused with a reason
      EXPECT_FALSE(op.gradientError.empty()) << nameOf(op);
    else
      EXPECT_EQ(ways, 1) << nameOf(op);
  }
}

TEST(Operators, EachHasAGradientOrSaysWhyNot) {
  for (const auto &op : allOps()) {
    if (op.decompose)
      continue; // differentiated through its parts
    const int answers = bool(op.grad) + !op.noGradient.empty() + !op.gradientError.empty();
    EXPECT_EQ(answers, 1) << nameOf(op);
  }
}

// Facts are about nodes there can be, and do not contradict each other.
TEST(Operators, SayOfThemselvesWhatPassesAsk) {
  std::map<std::string, int> times;
  for (const auto &op : allOps()) {
    const bool facts = op.view || op.fresh || op.reduction || op.product || op.norm ||
                       op.collective || op.crosses || op.fetches || op.batch != Batch::Whole;
    EXPECT_FALSE(op.decompose && facts) << nameOf(op);
    EXPECT_FALSE(op.view && (op.fresh || op.isElementwise())) << nameOf(op);
    EXPECT_TRUE(op.view || !op.unwind) << nameOf(op); // a layout found without a copy
    EXPECT_FALSE(op.fetches && (op.view || op.isElementwise())) << nameOf(op);
    EXPECT_EQ(op.reduction, op.type.rfind("Reduce", 0) == 0) << nameOf(op);
    EXPECT_EQ(op.collective, op.type.rfind("Replicated", 0) == 0) << nameOf(op);
    EXPECT_FALSE((op.assigns || op.accumulates) && op.updates < 0) << nameOf(op);
    EXPECT_TRUE(op.epilogue.empty() || (op.product && findOp(op.epilogue))) << nameOf(op);
    EXPECT_FALSE(op.monotone && !op.isElementwise()) << nameOf(op);
    times["assigns"] += op.assigns;
    times["adds"] += op.adds;
    times["epilogue"] += !op.epilogue.empty();
    times["monotone"] += bool(op.monotone);
    times["view"] += op.view;
    times["norm"] += op.norm;
    times["product"] += op.product;
    times["images"] += op.batch == Batch::Images;
    times["fetches"] += op.fetches;
  }
  for (const char *fact :
       {"view", "norm", "product", "images", "fetches", "assigns", "adds", "epilogue", "monotone"})
    EXPECT_GT(times[fact], 1) << fact;
}

TEST(Operators, AreListedWithEveryVersionThatOnnxGaveThem) {
  const auto all = OpManager::getSupportedOperations(false);
  auto has = [&](const char *domain, const char *type, unsigned version) {
    return std::count(all.begin(), all.end(), OperatorIdentifier(domain, type, version)) == 1;
  };
  EXPECT_TRUE(has("ai.onnx", "Clip", 6) && has("ai.onnx", "Clip", 11) &&
              has("ai.onnx", "Clip", 13));
  EXPECT_TRUE(has("ai.onnx", "Abs", 6) && has("ai.graphcore", "Gelu", 1));
  EXPECT_FALSE(has("ai.onnx", "SequenceAt", 11)); // known by name only
  EXPECT_GT(OpManager::getSupportedOperations(true).size(), all.size());
}

TEST(Operators, ThoseOfAnOpsetThatAreMissingAreListed) {
  const auto missing = OpManager::getUnsupportedOperations(17);
  auto has = [&](const char *type) {
    return std::any_of(missing.begin(), missing.end(), [&](auto &id) { return id.type == type; });
  };
  EXPECT_TRUE(has("SequenceAt"));
  EXPECT_FALSE(has("Relu") || has("HannWindow"));
  EXPECT_TRUE(std::is_sorted(missing.begin(), missing.end()));
}

} // namespace
