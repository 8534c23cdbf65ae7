// SPDX-License-Identifier: MIT
// Call forms of the operator libraries that existing programs use and that overload resolution
// could easily refuse: compiled, never run, under both ends of the supported C++ standards.
#include <gcl/Collectives.hpp>
#include <gcl/TileAllocation.hpp>
#include <popfloat/experimental/CastToHalf.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplin/codelets.hpp>
#include <poplin/Convolution.hpp>
#include <poplin/ConvUtil.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/codelets.hpp>
#include <popnn/Gru.hpp>
#include <popnn/Loss.hpp>
#include <popnn/Lstm.hpp>
#include <popnn/NonLinearity.hpp>
#include <popnn/SpatialSoftMax.hpp>
#include <popops/AllTrue.hpp>
#include <popops/Cast.hpp>
#include <popops/codelets.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/ElementWiseUtil.hpp>
#include <popops/Encoding.hpp>
#include <popops/Expr.hpp>
#include <popops/ExprOpUtils.hpp>
#include <popops/Fill.hpp>
#include <popops/Gather.hpp>
#include <popops/NormaliseImage.hpp>
#include <popops/Pad.hpp>
#include <popops/Rearrange.hpp>
#include <popops/Reduce.hpp>
#include <popops/ScaledAdd.hpp>
#include <popops/SelectScalarFromRows.hpp>
#include <popops/TopK.hpp>
#include <popops/Zero.hpp>
#include <poprand/RandomGen.hpp>
#include <poputil/Broadcast.hpp>
#include <poputil/DebugInfo.hpp>
#include <poputil/exceptions.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>
#include <poputil/VertexTemplates.hpp>

using namespace poplar;
using namespace poplar::program;
namespace pe = popops::expr;

void debugArguments(Graph &graph, Tensor a, Tensor b, Sequence &prog, const DebugNameAndId &dnai) {
  poplin::matMul(graph, a, b, prog, "m4");
  poplin::matMul(graph, a, b, prog, std::string("m4"));
  poplin::matMul(graph, a, b, prog, HALF, "m4");
  poplin::matMul(graph, a, b, prog, {dnai, "m4"});
  poplin::matMul(graph, a, b, prog, {dnai});
  poputil::PoplibsOpDebugInfo di(DebugContext("op"), DI_ARGS(a, b));
  popops::add(graph, a, b, prog, {di, "add"});
  di.addOutput(a);
}

void constants(Graph &graph, Tensor t, Sequence &prog) {
  popops::addInPlace(graph, t, 0.5f, prog, "n");
  popops::mul(graph, 2, t, prog);
  popops::mul(graph, t, 2.0, prog, "n");
  popops::divInPlace(graph, t, 2.0f, prog);
  popops::lt(graph, t, 3u, prog);
  popops::select(graph, t, t, t, prog);
  popops::shiftLeft(graph, t, 3, prog);
}

void expressions(Graph &graph, Tensor t, Sequence &prog, float alpha) {
  popops::map(
      graph, pe::Select(pe::Mul(pe::Const(alpha), pe::_1), pe::_1, pe::Lt(pe::_1, pe::Const(0.0f))),
      {t}, prog, "leaky");
  popops::mapInPlace(graph, (pe::_1 * pe::_4) - (pe::_2 * pe::_3), {t, t, t, t}, prog, "rotary");
  popops::map(graph, pe::UnaryOpType::EXPONENT, t, prog, "exp");
  popops::mapInPlace(graph, pe::BinaryOpType::ADD, t, t, prog);
  pe::Any tree = pe::Add(pe::_1, pe::Const(1));
  std::vector<pe::Any> trees{pe::Any(pe::_1), tree};
  trees.push_back(pe::Mul(tree, pe::Cast(pe::_2, HALF)));
  popops::map(graph, trees.back(), {t, t}, prog);
  popops::map(graph, 1.0f - pe::_1 + 2 * pe::_2, {t, t}, prog);
}

void reductions(Graph &graph, Tensor t, Tensor out, Sequence &prog) {
  popops::reduce(graph, t, {0}, popops::Operation::ADD, prog, "sum");
  popops::reduce(graph, t, FLOAT, {2, 1, 0}, popops::Operation::ADD, prog);
  popops::reduceWithOutput(graph, t, out, {0}, {popops::Operation::MAX}, prog, "max");
  std::vector<ComputeSet> css;
  popops::reduceWithOutput(graph, t, out, {0}, popops::ReduceParams(popops::Operation::ADD), css,
                           "sum");
  popops::reduce(graph, t, {0}, {popops::Operation::ADD, false, out}, prog);
}

void orders(Graph &graph, Tensor t, Sequence &prog) {
  Program cast = popops::cast(graph, t, t, "cast");
  popops::cast(graph, t, FLOAT, prog, "cast");
  popops::topK(graph, prog, t, popops::TopKParams(3, true, popops::SortOrder::ASCENDING), "top");
  popnn::spatialSoftMax2D(graph, prog, t, 1.0f);
  popops::pad(graph, t, {1}, {1}, 0);
  popops::pad(graph, t, {1}, {1}, 0.0f, popops::padding::MappingMethod::ZERO);
  popops::pad(graph, t, 1, 1, 0, 0.0f);
  Program loss = popnn::calcLoss(graph, t, t, t, t, t, popnn::CROSS_ENTROPY_LOSS, "loss");
  popops::fill(graph, t, prog, 1.0f, "ones");
  popops::zero(graph, t, prog);
  popnn::nonLinearity(graph, popnn::NonLinearityType::SOFTMAX, t, prog, "softmax");
  popnn::maxAndArgMax(graph, t, prog);
  popops::dynamicSlice(graph, t, t, {0}, {1}, prog, "slice");
  popops::scaledAddTo(graph, t, t, -0.1f, prog, "step");
  popops::scaledAddTo(graph, t, t, t, prog);
  popops::scaledAddTo(graph, t, 0.5f, t, 0.5f, prog);
  popops::allTrue(graph, t, prog, "all");
}

void units() {
  auto gate = BASIC_LSTM_CELL_FORGET_GATE;
  auto reset = BASIC_GRU_CELL_RESET_GATE;
  (void)gate;
  (void)reset;
  uint16_t h = popfloat::experimental::singleToHalf(1.0f);
  float f = popfloat::experimental::halfToSingle(h);
  (void)f;
}

void convolutions(Graph &graph, Sequence &prog) {
  poplin::ConvParams params(
      HALF, HALF, 1, {302, 499}, {3, 3}, 4, 4, 1,
      poplin::ConvParams::InputTransform({0, 0}, {0, 0}, {1, 1}, {1, 1}, {1, 1}, {false, false}),
      poplin::ConvParams::InputTransform({0, 0}, {0, 0}, {1, 1}, {0, 0}, {0, 0}, {false, false}),
      poplin::ConvParams::OutputTransform({0, 0}, {0, 0}, {1, 1}, {0, 0}, {0, 0}));
  OptionFlags options{{"pass", "INFERENCE_FWD"}, {"availableMemoryProportion", "0.4"}};
  auto in = poplin::createInput(graph, params, "in", options);
  auto w = poplin::createWeights(graph, params, "w", options);
  auto out = poplin::convolution(graph, in, w, params, false, prog, "conv", options);
  poplin::matmul::PlanningCache cache;
  poplin::matMul(graph, in, w, prog, HALF, "m", options, &cache);
}

void names(Graph &graph, ComputeSet cs, Tensor t, const Type &type) {
  graph.addVertex(cs, poputil::templateVertex("popops::Fill", type));
  graph.addVertex(cs,
                  poputil::templateVertex("popops::UnaryOp1D", pe::UnaryOpType::EXPONENT, type));
  graph.addVertex(cs, poputil::templateVertex("Mine", type, true, "x"));
  poputil::mapTensorLinearly(graph, t);
  poputil::mapTensorLinearly(graph, t, 4, 2);
  poputil::mapTensorLinearlyWithOffset(graph, t, 7);
  auto regions =
      poputil::splitRegionsBetweenWorkers(graph.getTarget(), graph.getTileMapping(t)[0], 2, 4);
  auto index = poputil::unflattenIndex(t.shape(), 5);
  (void)index;
  throw poputil::poplibs_error("wrong " + std::to_string(regions.size()));
}
