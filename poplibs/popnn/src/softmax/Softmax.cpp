// SPDX-License-Identifier: MIT
// Softmax over the innermost dimension and its gradient, for any strides.
//
// Host: rows that lie side by side are done one by one; if another dimension does, many rows are
// done at a time, as columns. Tiles: reduce MAX, subtract, exp, reduce ADD, inverse, multiply.
#include "Softmax.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Overwrite.hpp"
#include "poplin/Rows.hpp"
#include "poplin/Steps.hpp"
#include "popnn/LogSoftmax.hpp"
#include "popops/ReduceCost.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "SoftmaxLoops.hpp"

namespace popnn {
namespace {

namespace rows = poplin::rows;
using openipu::KernelArgs;
using openipu::KernelOperand;
using popops::expr::BinaryOpType;
using popops::expr::UnaryOpType;

// Rows of the innermost dimension of several operands; or, where that is faster, blocks of columns.
struct RowLoop {
  rows::Nest outer;
  rows::Dim row;    // the innermost dimension
  rows::Dim across; // dimension whose elements are columns, if byColumn
  bool byColumn = false;
  unsigned operands;
  std::size_t width = 1, blocks = 1, units = 0, grain = 1;

  explicit RowLoop(std::initializer_list<const KernelOperand *> all) : operands(all.size()) {
    const auto &first = **all.begin();
    auto rank = first.shape.size();
    unsigned i = 0;
    row.size = first.shape[rank - 1];
    for (const auto *operand : all)
      row.strides[i++] = operand->strides[rank - 1];
    outer = rows::nestOf(all);
    if (row.size != 1)
      outer.pop_back();
    rows::sortByStride(outer);
    rows::join(outer, operands);
    if (row.strides[0] != 1 && row.size > 1 && !outer.empty() && outer.back().strides[0] == 1) {
      byColumn = true;
      across = outer.back();
      outer.pop_back();
      width =
          std::min<std::size_t>(across.size, std::max<std::size_t>(16, 16384 / row.size / 16 * 16));
      blocks = base::ceilDiv(across.size, width);
    }
    units = row.size ? rows::sizeOf(outer) * blocks : 0;
    if (first.elements == 0)
      units = 0;
    grain = std::max<std::size_t>(1, 4096 / std::max<std::size_t>(1, row.size * width));
  }

  // body(offsets, columns)
  template <class Body> void run(const Body &body) const {
    auto range = [&](std::size_t begin, std::size_t end, unsigned) {
      rows::Walk walk(outer, operands, begin / blocks);
      for (auto unit = begin; unit < end; ++unit) {
        auto first = unit % blocks * width;
        auto offset = walk.offset;
        for (unsigned i = 0; i < operands; ++i)
          offset[i] += std::int64_t(first) * across.strides[i];
        body(offset, byColumn ? std::min(width, across.size - first) : 1);
        if ((unit + 1) % blocks == 0)
          walk.next();
      }
    };
    base::parallelFor(units, grain, std::ref(range));
  }
};

// n rows of `columns` elements of one operand, as floats.
struct Panel {
  float *at;
  std::int64_t ld;
};
bool direct(const rows::Data &data, const RowLoop &loop, unsigned i) {
  return data.direct(loop.across.strides[i]);
}
Panel panel(const rows::Data &data, const RowLoop &loop, unsigned i, std::int64_t offset,
            std::size_t columns, unsigned slot, bool load) {
  if (direct(data, loop, i))
    return {data.floats() + offset, loop.row.strides[i]};
  float *to = rows::scratch(slot, loop.row.size * columns);
  for (std::size_t r = 0; load && r < loop.row.size; ++r)
    data.load(offset + std::int64_t(r) * loop.row.strides[i], loop.across.strides[i], columns,
              to + r * columns);
  return {to, std::int64_t(columns)};
}
void bringHome(const rows::Data &data, const RowLoop &loop, unsigned i, std::int64_t offset,
               std::size_t columns, const Panel &from) {
  if (direct(data, loop, i))
    return;
  for (std::size_t r = 0; r < loop.row.size; ++r)
    data.store(offset + std::int64_t(r) * loop.row.strides[i], loop.across.strides[i], columns,
               from.at + std::int64_t(r) * from.ld);
}

class SoftmaxKernel {
public:
  explicit SoftmaxKernel(const KernelArgs &args)
      : loop_({&args.outputs[0], args.inputs.empty() ? &args.outputs[0] : &args.inputs[0]}) {
    openipu::AttributeReader in(args.attributes);
    form_.stable = in.get<bool>();
    form_.log = in.get<bool>();
    form_.scaling = in.get<float>();
  }

  void run(const KernelArgs &args) {
    rows::Data y(args.outputs[0]), x(args.inputs.empty() ? args.outputs[0] : args.inputs[0]);
    auto n = loop_.row.size;
    if (loop_.byColumn)
      return loop_.run([&](const auto &offset, std::size_t columns) {
        auto in = panel(x, loop_, 1, offset[1], columns, 0, true);
        auto out = panel(y, loop_, 0, offset[0], columns, 1, false);
        softmaxColumns(form_, in.at, out.at, {n, columns, in.ld, out.ld},
                       rows::scratch(2, 3 * columns));
        bringHome(y, loop_, 0, offset[0], columns, out);
      });
    loop_.run([&](const auto &offset, std::size_t) {
      const float *in = rows::read(x, offset[1], loop_.row.strides[1], n, 0);
      float *out = rows::target(y, offset[0], loop_.row.strides[0], n, 1);
      softmaxRow(form_, in, out, n);
      rows::write(y, offset[0], loop_.row.strides[0], n, out);
    });
  }

private:
  RowLoop loop_;
  RowForm form_;
};

class GradientKernel {
public:
  explicit GradientKernel(const KernelArgs &args)
      : loop_({&args.outputs[0], &args.inputs[0], &args.inputs[1]}) {}

  void run(const KernelArgs &args) {
    rows::Data dx(args.outputs[0]), y(args.inputs[0]), g(args.inputs[1]);
    auto n = loop_.row.size;
    if (loop_.byColumn)
      return loop_.run([&](const auto &offset, std::size_t columns) {
        auto a = panel(y, loop_, 1, offset[1], columns, 0, true);
        auto b = panel(g, loop_, 2, offset[2], columns, 1, true);
        auto out = panel(dx, loop_, 0, offset[0], columns, 2, false);
        softmaxGradientColumns(a.at, b.at, out.at, {n, columns, a.ld, b.ld, out.ld},
                               rows::scratch(3, 2 * columns));
        bringHome(dx, loop_, 0, offset[0], columns, out);
      });
    loop_.run([&](const auto &offset, std::size_t) {
      const float *a = rows::read(y, offset[1], loop_.row.strides[1], n, 0);
      const float *b = rows::read(g, offset[2], loop_.row.strides[2], n, 1);
      float *out = rows::target(dx, offset[0], loop_.row.strides[0], n, 2);
      softmaxGradientRow(a, b, out, n);
      rows::write(dx, offset[0], loop_.row.strides[0], n, out);
    });
  }

private:
  RowLoop loop_;
};

const openipu::Registered registered{
    openipu::stateful<SoftmaxKernel>("popnn.softmax", openipu::alwaysGivesFloats)};
const openipu::Registered registeredGradient{
    openipu::stateful<GradientKernel>("popnn.softmaxGradient", openipu::alwaysGivesFloats)};
// A row is done with before it is written.
const openipu::Overwriting inPlace{
    "popnn.softmax", [](std::string_view, std::size_t, std::size_t, std::size_t) { return true; }};
const openipu::Overwriting gradientInPlace{
    "popnn.softmaxGradient",
    [](std::string_view, std::size_t, std::size_t, std::size_t) { return true; }};

// ---- plans

// A value per row meets the row's elements: `op` where t lies. If rows are spread over tiles, the
// values come from elsewhere.
openipu::Superstep perRowStep(const poplar::Graph &graph, const poplar::Tensor &t, BinaryOpType op,
                              const char *opName, const char *name) {
  auto type = t.elementType();
  std::uint64_t length = t.dim(t.rank() - 1);
  const auto &chip = openipu::chipOf(graph);
  auto step = poplin::elementStep(
      graph, t, name, poplin::binaryVertex("BroadcastVectorOuterByRow1DInPlace", opName, type),
      [&](std::uint64_t n, std::uint32_t) {
        auto columns = std::min<std::uint64_t>(n, length);
        return popops::cost::vectorOuterCycles(chip, op, type, base::ceilDiv(n, columns), columns);
      },
      {0, 1, {}});
  bool spread = false;
  for (const auto &held : openipu::elementsByTile(graph, t))
    spread = spread || held.elements % length != 0;
  if (spread) {
    std::uint64_t size = graph.getTarget().getTypeSize(type), tiles = 0;
    for (const auto &work : step.tiles)
      tiles += work.count;
    auto rowsPerTile = base::ceilDiv(t.numElements() / length, tiles);
    for (auto &work : step.tiles)
      work.bytesIn = work.bytesOut = rowsPerTile * size;
  }
  return step;
}

openipu::Superstep unaryStep(const poplar::Graph &graph, const poplar::Tensor &t, UnaryOpType op,
                             const char *opName, const char *name, poplin::StepDetails details) {
  auto type = t.elementType();
  const auto &chip = openipu::chipOf(graph);
  return poplin::elementStep(
      graph, t, name, poplin::unaryVertex("UnaryOp1D", opName, type),
      [&](std::uint64_t n, std::uint32_t regions) {
        return popops::cost::unaryCycles(chip, op, type, n, false, regions);
      },
      std::move(details));
}

// One float per row, on the tiles that hold t.
openipu::Superstep reducedStep(const poplar::Graph &graph, const poplar::Tensor &t,
                               const char *vertex, const char *name,
                               std::uint64_t (*cycles)(const arch::Chip &, std::uint64_t)) {
  std::uint64_t length = t.dim(t.rank() - 1);
  const auto &chip = openipu::chipOf(graph);
  return poplin::elementStep(graph, t, name, vertex, [&](std::uint64_t n, std::uint32_t) {
    return cycles(chip, base::ceilDiv(n, length));
  });
}
std::uint64_t inverseCycles(const arch::Chip &chip, std::uint64_t n) {
  return popops::cost::unaryCycles(chip, UnaryOpType::INVERSE, poplar::FLOAT, n, true);
}
std::uint64_t logCycles(const arch::Chip &chip, std::uint64_t n) {
  return popops::cost::unaryCycles(chip, UnaryOpType::LOGARITHM, poplar::FLOAT, n, true);
}
std::uint64_t scaleCycles(const arch::Chip &chip, std::uint64_t n) {
  return popops::cost::broadcastScalarCycles(chip, BinaryOpType::MULTIPLY, poplar::FLOAT, n, true);
}
std::uint64_t castCycles(const arch::Chip &chip, std::uint64_t n) {
  return popops::cost::castCycles(chip, poplar::FLOAT, poplar::HALF, n);
}

openipu::Plan softmaxPlan(const poplar::Graph &graph, const std::vector<openipu::Used> &uses,
                          SoftmaxForm form) {
  const auto &out = uses[0].tensor;
  const auto &in = uses.back().tensor;
  std::size_t last = out.rank() - 1;
  poplin::StepDetails first{0, 1, {}};
  if (uses.size() > 1)
    first.needs = {{1, 0}};
  openipu::Plan plan;
  if (form.stable) {
    plan.append(popops::cost::reducePlan(graph, in, {last}, popops::Operation::MAX,
                                         in.elementType(), "Max"));
    plan.add(perRowStep(graph, out, BinaryOpType::SUBTRACT, "SUBTRACT", "SubMax"));
    plan.steps.back().needs = first.needs;
    first.needs.clear();
  }
  if (form.log)
    first.tempBytes = graph.getTarget().getTypeSize(out.elementType());
  plan.add(unaryStep(graph, out, UnaryOpType::EXPONENT, "EXPONENT", "Exp", first));
  plan.append(
      popops::cost::reducePlan(graph, out, {last}, popops::Operation::ADD, poplar::FLOAT, "Sum"));
  if (form.log) {
    plan.add(reducedStep(graph, out,
                         "popops::UnaryOp1DInPlace<popops::expr::UnaryOpType::LOGARITHM,float>",
                         "Log", logCycles));
    plan.add(perRowStep(graph, out, BinaryOpType::SUBTRACT, "SUBTRACT", "SubLog"));
    return plan;
  }
  plan.add(reducedStep(graph, out,
                       "popops::UnaryOp1DInPlace<popops::expr::UnaryOpType::INVERSE,float>", "Inv",
                       inverseCycles));
  if (form.scaling != 1)
    plan.add(reducedStep(
        graph, out, "popops::BroadcastScalar1DInPlace<popops::expr::BinaryOpType::MULTIPLY,float>",
        "Scale", scaleCycles));
  if (out.elementType() == poplar::HALF)
    plan.add(reducedStep(graph, out, "popops::Cast1D<float,half>", "Cast", castCycles));
  plan.add(perRowStep(graph, out, BinaryOpType::MULTIPLY, "MULTIPLY", "Mul"));
  return plan;
}

openipu::Plan gradientPlan(const poplar::Graph &graph, const poplar::Tensor &y,
                           const poplar::Tensor &inGradient) {
  auto type = y.elementType();
  const auto &chip = openipu::chipOf(graph);
  auto binary = [&](BinaryOpType op, const char *opName, const char *name,
                    poplin::StepDetails details) {
    return poplin::elementStep(
        graph, inGradient, name, poplin::binaryVertex("BinaryOp1D", opName, type),
        [&](std::uint64_t n, std::uint32_t regions) {
          return popops::cost::binaryCycles(chip, op, type, n, false, regions);
        },
        std::move(details));
  };
  auto size = graph.getTarget().getTypeSize(type);
  openipu::Plan plan;
  plan.add(binary(BinaryOpType::MULTIPLY, "MULTIPLY", "MulGrad", {size, 1, {{1, 0}, {2, 0}}}));
  plan.append(popops::cost::reducePlan(graph, inGradient, {std::size_t(y.rank() - 1)},
                                       popops::Operation::ADD, poplar::FLOAT, "Sum"));
  if (type == poplar::HALF)
    plan.add(reducedStep(graph, inGradient, "popops::Cast1D<float,half>", "Cast", castCycles));
  plan.add(perRowStep(graph, inGradient, BinaryOpType::MULTIPLY, "MULTIPLY", "MulSum"));
  plan.add(binary(BinaryOpType::SUBTRACT, "SUBTRACT", "Sub", {0, 1, {}}));
  return plan;
}

} // namespace

void checkSoftmax(const poplar::Tensor &t, const std::string &api) {
  if (t.elementType() != poplar::FLOAT && t.elementType() != poplar::HALF)
    throw poputil::poplibs_error(base::str(api, ": a tensor of type ", t.elementType(),
                                           " and shape ", base::list(t.shape()),
                                           "; softmax takes FLOAT and HALF"));
  if (t.rank() == 0)
    throw poputil::poplibs_error(api + ": a tensor of rank 0 has no dimension to take the softmax "
                                       "of; reshape it to [1]");
}

void addSoftmax(poplar::Graph &graph, std::vector<openipu::Used> uses, SoftmaxForm form,
                poplar::program::Sequence &prog, const poplar::DebugContext &context,
                const std::string &api) {
  checkSoftmax(uses[0].tensor, api);
  if (uses[0].tensor.numElements() == 0)
    return;
  openipu::AttributeWriter attributes;
  attributes.put(form.stable).put(form.log).put(form.scaling);
  auto plan = softmaxPlan(graph, uses, form);
  prog.add(openipu::operation(
      graph, {"popnn.softmax", std::move(uses), attributes.take(), std::move(plan), context}));
}

void addSoftmaxGradient(poplar::Graph &graph, const poplar::Tensor &y, const poplar::Tensor &g,
                        const poplar::Tensor &inGradient, poplar::program::Sequence &prog,
                        const poplar::DebugContext &context) {
  if (y.numElements() == 0)
    return;
  prog.add(openipu::operation(graph, {"popnn.softmaxGradient",
                                      {openipu::out(inGradient), openipu::in(y), openipu::in(g)},
                                      "",
                                      gradientPlan(graph, y, inGradient),
                                      context}));
}

void logSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  checkSoftmax(t, "popnn::logSoftmaxInPlace");
  if (!t.isParallelWriteable())
    throw poputil::poplibs_error(
        base::str("popnn::logSoftmaxInPlace: the tensor of shape ", base::list(t.shape()),
                  " cannot be written in place, for it has constant or repeated elements"));
  addSoftmax(graph, {openipu::inOut(t)}, {true, true, 1}, prog, {di, "logSoftmax"},
             "popnn::logSoftmaxInPlace");
}

poplar::Tensor logSoftmax(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(t));
  checkSoftmax(t, "popnn::logSoftmax");
  auto out = graph.clone(t, {di, "logSoftmax"});
  addSoftmax(graph, {openipu::out(out), openipu::in(t)}, {true, true, 1}, prog, {di, "logSoftmax"},
             "popnn::logSoftmax");
  di.addOutput(out);
  return out;
}

} // namespace popnn
