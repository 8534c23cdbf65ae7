// SPDX-License-Identifier: MIT
// The largest or smallest element of each row, its index, and the K largest. The first of equal
// elements counts, and the first NaN before all numbers. Host: one pass. Tiles: ReduceMaxClass
// vertices.
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "LossPlan.hpp"
#include "openipu/Kernel.hpp"
#include "popnn/Loss.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/TileMapping.hpp"
#include <algorithm>
#include <numeric>

namespace popnn {
namespace {

using openipu::KernelArgs;
using openipu::TypeId;
using poplar::Tensor;

// Halves are compared through integers of the same order: no conversion needed.
struct HalfOrder {
  std::uint16_t bits;
  int key() const { return bits & 0x8000 ? -int(bits & 0x7fff) : int(bits); }
  bool isNan() const { return (bits & 0x7fff) > 0x7c00; }
  friend bool operator>(HalfOrder a, HalfOrder b) {
    return !a.isNan() && !b.isNan() && a.key() > b.key();
  }
  friend bool operator<(HalfOrder a, HalfOrder b) { return b > a; }
};

bool isNan(HalfOrder x) { return x.isNan(); }
template <class T> bool isNan(T x) { return x != x; }

template <class Body> void forType(TypeId type, const Body &body) {
  if (type == TypeId::Float)
    body(float{});
  else if (type == TypeId::Half)
    body(HalfOrder{});
  else if (type == TypeId::Int)
    body(std::int32_t{});
  else
    body(std::uint32_t{});
}

template <bool greatest, class T>
std::size_t best(const T *row, std::int64_t stride, std::size_t n) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    T x = row[std::int64_t(i) * stride], y = row[std::int64_t(at) * stride];
    if (isNan(x))
      return i;
    if (greatest ? x > y : x < y)
      at = i;
  }
  return at;
}

// Outputs: [values], indices.
template <bool greatest> void argBest(const KernelArgs &args) {
  const auto &in = args.inputs[0];
  const auto &indices = args.outputs[args.outputs.size() - 1];
  auto body = [&](std::size_t begin, std::size_t end, unsigned) {
    forType(in.type, [&](auto kind) {
      using T = decltype(kind);
      for (auto b = begin; b < end; ++b) {
        const T *row = in.as<const T>() + std::int64_t(b) * in.strides[0];
        auto at = best<greatest>(row, in.strides[1], in.shape[1]);
        indices.as<std::uint32_t>()[std::int64_t(b) * indices.strides[0]] = std::uint32_t(at);
        if (args.outputs.size() == 2)
          args.out<T>(0)[std::int64_t(b) * args.outputs[0].strides[0]] =
              row[std::int64_t(at) * in.strides[1]];
      }
    });
  };
  base::parallelFor(in.shape[0], std::max<std::size_t>(1, 16384 / (in.shape[1] + 1)),
                    std::ref(body));
}

// Outputs: values [batch][K], indices [batch][K].
void topKRows(const KernelArgs &args) {
  const auto &in = args.inputs[0], &values = args.outputs[0], &indices = args.outputs[1];
  auto k = values.shape[1];
  auto body = [&](std::size_t begin, std::size_t end, unsigned) {
    thread_local std::vector<std::uint32_t> order;
    forType(in.type, [&](auto kind) {
      using T = decltype(kind);
      for (auto b = begin; b < end; ++b) {
        const T *row = in.as<const T>() + std::int64_t(b) * in.strides[0];
        order.resize(in.shape[1]);
        std::iota(order.begin(), order.end(), 0u);
        auto before = [&](std::uint32_t i, std::uint32_t j) {
          T x = row[std::int64_t(i) * in.strides[1]], y = row[std::int64_t(j) * in.strides[1]];
          return x > y || (!(y > x) && i < j);
        };
        std::partial_sort(order.begin(), order.begin() + std::ptrdiff_t(k), order.end(), before);
        for (std::size_t i = 0; i < k; ++i) {
          auto column = std::int64_t(i);
          values.as<T>()[std::int64_t(b) * values.strides[0] + column * values.strides[1]] =
              row[std::int64_t(order[i]) * in.strides[1]];
          indices.as<std::uint32_t>()[std::int64_t(b) * indices.strides[0] +
                                      column * indices.strides[1]] = order[i];
        }
      }
    });
  };
  base::parallelFor(in.shape[0], std::max<std::size_t>(1, 4096 / (in.shape[1] + 1)),
                    std::ref(body));
}

const openipu::Registered registeredMax{{"popnn.argMax", argBest<true>, {}, {}, nullptr}};
const openipu::Registered registeredMin{{"popnn.argMin", argBest<false>, {}, {}, nullptr}};
const openipu::Registered registeredTopK{{"popnn.topK", topKRows, {}, {}, nullptr}};

void check(const Tensor &input, const char *api) {
  auto type = input.elementType();
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    throw poputil::poplibs_error(
        base::str(api, ": elements of type ", type, "; use FLOAT, HALF, INT or UNSIGNED_INT"));
  if (input.rank() != 2 || input.dim(1) == 0)
    throw poputil::poplibs_error(base::str(api, ": input of shape ", base::list(input.shape()),
                                           " must be [batch][n] with at least one element a row"));
}

Tensor make(poplar::Graph &graph, const poplar::Type &type, const std::vector<std::size_t> &shape,
            const poplar::DebugContext &context) {
  auto t = graph.addVariable(type, shape, context);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

std::pair<Tensor, Tensor> arg(poplar::Graph &graph, const Tensor &input, bool greatest,
                              bool wantValues, poplar::program::Sequence &prog,
                              const poplar::DebugContext &context, const char *api) {
  check(input, api);
  Tensor values;
  std::vector<openipu::Used> uses;
  if (wantValues)
    uses.push_back(openipu::out(
        values = make(graph, input.elementType(), {input.dim(0)}, {context, "values"})));
  auto indices = make(graph, poplar::UNSIGNED_INT, {input.dim(0)}, {context, "indices"});
  uses.push_back(openipu::out(indices));
  uses.push_back(openipu::in(input));
  if (input.numElements() != 0)
    prog.add(openipu::operation(
        graph, {greatest ? "popnn.argMax" : "popnn.argMin",
                std::move(uses),
                "",
                classPlan(graph, input, greatest ? ClassSearch::Max : ClassSearch::Min),
                {context, greatest ? "argMax" : "argMin"}}));
  return {values, indices};
}

} // namespace

Tensor argMax(poplar::Graph &graph, const Tensor &input, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input));
  return arg(graph, input, true, false, prog, {di}, "popnn::argMax").second;
}
Tensor argMin(poplar::Graph &graph, const Tensor &input, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input));
  return arg(graph, input, false, false, prog, {di}, "popnn::argMin").second;
}
std::pair<Tensor, Tensor> maxAndArgMax(poplar::Graph &graph, const Tensor &input,
                                       poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input));
  return arg(graph, input, true, true, prog, {di}, "popnn::maxAndArgMax");
}
std::pair<Tensor, Tensor> minAndArgMin(poplar::Graph &graph, const Tensor &input,
                                       poplar::program::Sequence &prog,
                                       const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input));
  return arg(graph, input, false, true, prog, {di}, "popnn::minAndArgMin");
}

Tensor topK(poplar::Graph &graph, const Tensor &input, Tensor &indices, unsigned K, bool sort,
            poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(input, K, sort));
  check(input, "popnn::topK");
  if (K == 0 || K > input.dim(1))
    throw poputil::poplibs_error(base::str("popnn::topK: ", K, " of rows of ", input.dim(1),
                                           " elements (shape ", base::list(input.shape()),
                                           "); give at least 1 and at most that many"));
  auto values = make(graph, input.elementType(), {input.dim(0), K}, {di, "values"});
  indices = make(graph, poplar::UNSIGNED_INT, {input.dim(0), K}, {di, "indices"});
  auto plan = classPlan(graph, input, ClassSearch::MaxN, K);
  if (sort && K > 1)
    plan.add(sortStep(graph, input, K));
  if (input.numElements() != 0)
    prog.add(openipu::operation(graph,
                                {"popnn.topK",
                                 {openipu::out(values), openipu::out(indices), openipu::in(input)},
                                 "",
                                 std::move(plan),
                                 {di, "topK"}}));
  values = values.expand({1});
  di.addOutput(values);
  return values;
}

} // namespace popnn
