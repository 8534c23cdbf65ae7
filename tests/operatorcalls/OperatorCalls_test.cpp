// SPDX-License-Identifier: MIT
// Random calls of operators.
#include "../calls/Calls.hpp"
#include <poplin/Convolution.hpp>
#include <poplin/MatMul.hpp>
#include <poplin/TriangularSolve.hpp>
#include <popnn/GroupNorm.hpp>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/Pooling.hpp>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Encoding.hpp>
#include <popops/Fill.hpp>
#include <popops/Gather.hpp>
#include <popops/Pad.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/Scatter.hpp>
#include <popops/Sort.hpp>
#include <popops/TopK.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

using namespace poplar;
using calls::Calls;

namespace {

OptionFlags options(Calls &c) {
  static const char *const names[] = {"partialsType", "availableMemoryProportion", "pass",
                                      "accumType",    "planConstraints",           "nonsense"};
  static const char *const values[] = {"double", "float", "half", "-1", "1e999", "", "{", "true"};
  OptionFlags out;
  if (c.oneIn(6))
    out.set(names[c.below(std::size(names))], values[c.below(std::size(values))]);
  return out;
}

std::vector<std::ptrdiff_t> amounts(Calls &c) {
  static constexpr std::ptrdiff_t some[] = {
      -2, -1, 0, 0, 0, 1, 2, std::ptrdiff_t(1) << 62, std::numeric_limits<std::ptrdiff_t>::min()};
  std::vector<std::ptrdiff_t> out(c.below(4));
  for (auto &one : out)
    one = some[c.below(std::size(some))];
  return out;
}

popops::expr::Any expression(Calls &c, unsigned depth) {
  using namespace popops::expr;
  if (depth == 0 || c.oneIn(5))
    return c.oneIn(3) ? Any(Const(1.5f)) : Any(PlaceHolder(unsigned(c.below(4))));
  switch (c.below(4)) {
  case 0:
    return UnaryOp(UnaryOpType(c.below(20)), expression(c, depth - 1));
  case 1:
    return Cast(expression(c, depth - 1), c.type());
  case 2:
    return Select(expression(c, depth - 1), expression(c, depth - 1), expression(c, depth - 1));
  default:
    return BinaryOp(BinaryOpType(c.below(20)), expression(c, depth - 1), expression(c, depth - 1));
  }
}

const std::vector<calls::Choice> popopsCalls = {
    {"variable", [](Calls &c) { c.keep(c.variable()); }},
    {"large variable",
     [](Calls &c) {
       c.keep(c.graph.addVariable(c.usualType(), c.sizes(), VariableMappingMethod::LINEAR));
     }},
    {"add", [](Calls &c) { c.keep(popops::add(c.graph, c.tensor(), c.tensor(), c.step)); }},
    {"addInPlace", [](Calls &c) { popops::addInPlace(c.graph, c.tensor(), c.tensor(), c.step); }},
    {"map",
     [](Calls &c) {
       c.keep(popops::map(c.graph, expression(c, 4), c.someTensors(), c.step, {}, options(c)));
     }},
    {"reduce",
     [](Calls &c) {
       c.keep(popops::reduce(c.graph, c.tensor(), c.type(), c.sizes(3),
                             popops::Operation(c.below(6)), c.step, {}, options(c)));
     }},
    {"reduce with scale",
     [](Calls &c) {
       popops::ReduceParams params(popops::Operation(c.below(6)), c.oneIn(3), c.tensor());
       popops::reduceWithOutput(c.graph, c.tensor(), c.tensor(), c.sizes(3), params, c.step);
     }},
    {"cast", [](Calls &c) { c.keep(popops::cast(c.graph, c.tensor(), c.type(), c.step)); }},
    {"fill", [](Calls &c) { popops::fill(c.graph, c.tensor(), c.step, 2); }},
    {"iota", [](Calls &c) { popops::iota(c.graph, c.tensor(), c.number(), c.step); }},
    {"encodeOneHot",
     [](Calls &c) { popops::encodeOneHot(c.graph, c.tensor(), c.tensor(), c.step); }},
    {"pad", [](Calls &c) { c.keep(popops::pad(c.graph, c.tensor(), amounts(c), amounts(c))); }},
    {"pad with a value",
     [](Calls &c) {
       c.keep(popops::pad(c.graph, c.tensor(), amounts(c), amounts(c), c.tensor()));
     }},
    {"pad with itself",
     [](Calls &c) {
       c.keep(popops::pad(c.tensor(), amounts(c), amounts(c), popops::padding::Type::REFLECT));
     }},
    {"dynamicSlice",
     [](Calls &c) {
       c.keep(
           popops::dynamicSlice(c.graph, c.tensor(), c.tensor(), c.sizes(3), c.sizes(3), c.step));
     }},
    {"dynamicUpdate",
     [](Calls &c) {
       popops::dynamicUpdate(c.graph, c.tensor(), c.tensor(), c.tensor(), c.sizes(3), c.sizes(3),
                             c.step);
     }},
    {"multiSlice",
     [](Calls &c) {
       c.keep(popops::multiSlice(c.graph, c.tensor(), c.tensor(), c.sizes(3), c.sizes(3), c.step,
                                 popops::SlicePlan(), options(c)));
     }},
    {"multiUpdateAdd",
     [](Calls &c) {
       popops::multiUpdateAdd(c.graph, c.tensor(), c.tensor(), c.tensor(), c.tensor(), c.sizes(3),
                              c.sizes(3), c.step, popops::SlicePlan(), options(c));
     }},
    {"createSliceableTensor",
     [](Calls &c) {
       c.keep(popops::createSliceableTensor(c.graph, c.type(), c.sizes(), c.sizes(3), c.sizes(3),
                                            c.size()));
     }},
    {"createSliceTensor",
     [](Calls &c) {
       c.keep(popops::createSliceTensor(c.graph, c.tensor(), c.sizes(3), c.sizes(3), c.size()));
     }},
    {"createSliceableTensorFromSlice",
     [](Calls &c) {
       c.keep(popops::createSliceableTensorFromSlice(c.graph, c.tensor(), c.sizes(3), c.sizes(3)));
     }},
    {"embedding::plan",
     [](Calls &c) {
       popops::embedding::plan(c.graph, c.usualType(), c.size(), c.size(), c.sizes(3), options(c));
     }},
    {"gather",
     [](Calls &c) {
       c.keep(popops::gather(c.graph, c.tensor(), c.tensor(), c.dim(), c.step,
                             popops::GatherParams()));
     }},
    {"scatter",
     [](Calls &c) {
       popops::scatter(c.graph, c.tensor(), c.tensor(), c.tensor(), c.size(),
                       c.numbers<unsigned>(3), c.sizes(3), c.numbers<unsigned>(3), c.step);
     }},
    {"sort", [](Calls &c) { c.keep(popops::sort(c.graph, c.tensor(), c.dim(), c.step)); }},
    {"sortKeyValue",
     [](Calls &c) {
       c.keep(popops::sortKeyValue(c.graph, c.tensor(), c.tensor(), c.dim(), c.step));
     }},
    {"topK",
     [](Calls &c) {
       c.keep(popops::topK(c.graph, c.step, c.tensor(),
                           {c.number(), c.oneIn(2), popops::SortOrder::DESCENDING}));
     }},
    {"createTopKInput",
     [](Calls &c) {
       c.keep(popops::createTopKInput(c.graph, c.type(), c.sizes(),
                                      {c.number(), c.oneIn(2), popops::SortOrder::NONE}));
     }},
    {"scaledAddTo",
     [](Calls &c) {
       popops::scaledAddTo(c.graph, c.tensor(), c.tensor(), c.tensor(), c.step, {}, options(c));
     }},
    {"broadcastToMatch",
     [](Calls &c) {
       auto t = c.tensor();
       poputil::broadcastToMatch(t, c.sizes());
       c.keep(t);
     }},
    {"duplicate", [](Calls &c) { c.keep(poputil::duplicate(c.graph, c.tensor(), c.step)); }},
    {"mapTensorLinearly",
     [](Calls &c) {
       poputil::mapTensorLinearly(c.graph, c.tensor(), unsigned(c.below(9)), unsigned(c.below(9)));
     }},
    {"calcLinearTileMapping",
     [](Calls &c) { poputil::calcLinearTileMapping(c.graph, c.sizes(), c.number(), c.number()); }},
    {"splitRegions",
     [](Calls &c) {
       const std::size_t begin = c.below(9);
       poputil::splitRegions({{begin, begin + c.below(9)}}, c.number(), c.number());
     }},
    {"uniform",
     [](Calls &c) {
       c.keep(poprand::uniform(c.graph, nullptr, 0, c.tensor(), c.type(), 1, double(c.below(3)),
                               c.step));
     }},
};

poplin::ConvParams convParams(Calls &c) {
  poplin::ConvParams out(c.usualType(), c.size(), c.sizes(4), c.sizes(4), c.size(), c.size(),
                         c.size());
  if (c.oneIn(3))
    out.inputTransform.paddingLower = c.numbers<unsigned>(3);
  if (c.oneIn(3))
    out.outputTransform.stride = c.numbers<unsigned>(3);
  return out;
}
// Parameters that fit each other, more often.
poplin::ConvParams likelyConvParams(Calls &c) {
  const auto in = 1 + c.below(4), out = 1 + c.below(4), batch = 1 + c.below(3);
  poplin::ConvParams params(FLOAT, batch, {5}, {1 + c.below(5)}, in, out, 1);
  if (c.oneIn(4))
    params.inputTransform.dilation = {c.number()};
  if (c.oneIn(4))
    params.inputTransform.paddingUpper = {unsigned(c.below(4))};
  return params;
}

const std::vector<calls::Choice> layerCalls = {
    {"variable", [](Calls &c) { c.keep(c.variable()); }},
    {"large variable",
     [](Calls &c) {
       c.keep(c.graph.addVariable(c.usualType(), c.sizes(), VariableMappingMethod::LINEAR));
     }},
    {"matMul",
     [](Calls &c) {
       c.keep(poplin::matMul(c.graph, c.tensor(), c.tensor(), c.step, c.type(), {}, options(c)));
     }},
    {"matMulGrouped",
     [](Calls &c) {
       c.keep(poplin::matMulGrouped(c.graph, c.tensor(), c.tensor(), c.step, c.type()));
     }},
    {"createMatMulInputLHS",
     [](Calls &c) {
       c.keep(poplin::createMatMulInputLHS(c.graph, c.type(), c.sizes(4), c.sizes(4), "lhs",
                                           options(c)));
     }},
    {"createInput and convolution",
     [](Calls &c) {
       const auto params = likelyConvParams(c);
       auto in = poplin::createInput(c.graph, params, "in", options(c));
       auto weights = poplin::createWeights(c.graph, params, "weights");
       c.keep(poplin::convolution(c.graph, in, weights, params, c.oneIn(5), c.step));
     }},
    {"convolution",
     [](Calls &c) {
       c.keep(poplin::convolution(c.graph, c.tensor(), c.tensor(), convParams(c), c.oneIn(2),
                                  c.step, {}, options(c)));
     }},
    {"createWeights",
     [](Calls &c) { c.keep(poplin::createWeights(c.graph, convParams(c), "w", options(c))); }},
    {"triangularMask",
     [](Calls &c) {
       c.keep(poplin::triangularMask(c.graph, c.tensor(), c.oneIn(2), c.oneIn(2), c.step));
     }},
    {"pool",
     [](Calls &c) {
       const auto &t = c.tensor();
       const bool fits = t.valid() && t.rank() == 3 && c.oneIn(2);
       popnn::pooling::PoolParams params(
           popnn::PoolingType::MAX, fits ? std::vector<std::size_t>{t.dim(2)} : c.sizes(3),
           c.oneIn(2) ? std::vector<std::size_t>{1} : c.sizes(3), c.numbers<unsigned>(3),
           c.numbers<int>(3), c.numbers<int>(3), fits ? t.dim(1) : c.size(),
           fits ? t.dim(0) : c.size(), c.usualType());
       c.keep(popnn::pooling::pool(c.graph, params, t, c.step, {}, options(c)));
     }},
    {"nonLinearity",
     [](Calls &c) {
       c.keep(
           popnn::nonLinearity(c.graph, popnn::NonLinearityType(c.below(8)), c.tensor(), c.step));
     }},
    {"calcLoss",
     [](Calls &c) {
       c.step.add(popnn::calcLoss(c.graph, c.tensor(), c.tensor(), c.tensor(), c.tensor(),
                                  popnn::LossType(c.below(3))));
     }},
    {"groupNormStatistics",
     [](Calls &c) {
       popnn::gn::groupNormStatistics(c.graph, c.tensor(), 1e-3f, c.step, c.number(), c.oneIn(2),
                                      c.oneIn(2), c.type(), {}, options(c));
     }},
};

bool isOfTheInterface(const std::exception &error) {
  return dynamic_cast<const poplar_error *>(&error) ||
         dynamic_cast<const poputil::poplibs_error *>(&error);
}

} // namespace

TEST(RandomOperatorCalls, ElementwiseSlicesAndSorting) {
  calls::run(popopsCalls, 40, isOfTheInterface);
}

TEST(RandomOperatorCalls, ProductsAndLayers) { calls::run(layerCalls, 40, isOfTheInterface); }

static std::string rejection(const std::function<void()> &call) {
  try {
    call();
  } catch (const std::exception &error) {
    return isOfTheInterface(error) ? error.what() : "another exception";
  }
  return "nothing is thrown";
}

TEST(OperatorSizes, ThatWrapAreRefused) {
  Calls c(1, isOfTheInterface);
  const std::size_t huge = std::size_t(1) << 62;
  auto x = c.graph.addVariable(FLOAT, {4}, "x");
  c.graph.setTileMapping(x, 0);
  EXPECT_EQ(
      rejection([&] {
        popops::pad(c.graph, x, {std::numeric_limits<std::ptrdiff_t>::min()}, {0}, 0.0f);
      }),
      "popops::pad: an amount of -9223372036854775808 for dimension 0 of [4] is not possible; "
      "it must be between -2147483647 and 2147483647.");
  EXPECT_EQ(rejection([&] {
              poputil::calcLinearTileMapping(c.graph, {huge, 4}, 1, 1);
            }),
            "calcLinearTileMapping: sizes [4611686018427387904,4] are too large; those above 0 "
            "multiply to more than 1,152,921,504,606,846,975.");
  EXPECT_EQ(
      rejection([&] { popops::embedding::plan(c.graph, FLOAT, ~std::size_t(0), 1, {1}, {}); }),
      "popops::embedding::plan: sizes [1,18446744073709551615,1] are too large; those above 0 "
      "multiply to more than 1,152,921,504,606,846,975.");
  EXPECT_EQ(rejection([&] {
              poplin::createInput(c.graph, poplin::ConvParams(FLOAT, huge, {4}, {3}, 4, 4, 1),
                                  "in");
            }),
            "Bad parameters of a convolution: batch, groups, channels and fields "
            "[4611686018427387904,1,4,4] multiply to more than 1,152,921,504,606,846,975");
}

TEST(OperatorSizes, ConstantsThatNoDeviceHoldsAreRefusedBeforeTheyAreMade) {
  Calls c(1, isOfTheInterface);
  auto x = c.graph.addVariable(FLOAT, {4}, "x");
  c.graph.setTileMapping(x, 0);
  const auto message = rejection([&] { popops::pad(c.graph, x, {2147483647}, {0}, 0.0f); });
  EXPECT_EQ(message.rfind("Graph::addConstant: a constant of shape [2147483647] takes "
                          "8,589,934,588 bytes; all tiles of the target have ",
                          0),
            0u)
      << message;
}

TEST(OperatorExpressions, NestedTooDeepAreRefusedAtOnce) {
  using namespace popops::expr;
  Any e(_1);
  std::string message;
  try {
    for (unsigned i = 0; i < 20000; ++i)
      e = Any(Mul(e, Const(2.0f)));
  } catch (const poputil::poplibs_error &error) {
    message = error.what();
  }
  EXPECT_EQ(message, "popops::expr: an expression is nested more than 4000 deep. Split it: give a "
                     "part to popops::map and use the result as a tensor.");
}

TEST(OperatorExpressions, OfManyLevelsAndSharedPartsWork) {
  using namespace popops::expr;
  Calls c(1, isOfTheInterface);
  auto x = c.graph.addConstant<float>(FLOAT, {1}, 1.0f);
  c.graph.setTileMapping(x, 0);
  Any chain(_1), twice(_1); // 1 + 3000 * 1, and 1 * 2^60 by adding to itself
  for (unsigned i = 0; i < 3000; ++i)
    chain = Any(Add(chain, _1));
  for (unsigned i = 0; i < 60; ++i)
    twice = Any(Add(twice, twice));
  c.graph.createHostRead("chain", popops::map(c.graph, chain, {x}, c.program));
  c.graph.createHostRead("twice", popops::map(c.graph, twice, {x}, c.program));
  Engine engine(c.graph, c.program);
  engine.load(c.device);
  engine.run();
  float sum = 0, power = 0;
  engine.readTensor("chain", &sum, &sum + 1);
  engine.readTensor("twice", &power, &power + 1);
  EXPECT_EQ(sum, 3001);
  EXPECT_EQ(power, 0x1p60f);
}
