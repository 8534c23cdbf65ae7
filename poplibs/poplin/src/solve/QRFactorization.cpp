// SPDX-License-Identifier: MIT
// QR factorisation by Householder reflections. Host: 32 reflections at a time in the form
// I - V T V^T, applied to the rest of A and to Q by products. Device: a reflection per column, each
// tile updating its rows of A and Q, rowsPerIteration at a time.
#include "poplin/experimental/QRFactorization.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "openipu/Chip.hpp"
#include "openipu/Operation.hpp"
#include "poplin/Dense.hpp"
#include "poputil/DebugInfo.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include "poputil/TileMapping.hpp"
#include "solve/Solve.hpp"
#include <algorithm>
#include <cmath>

namespace poplin::experimental {

using openipu::inOut;
using openipu::out;
using poplar::Tensor;

namespace {

constexpr std::size_t panelWidth = 32;

// Reflections of columns [j0, j0 + width) of a[m][n], applied within these columns only.
struct Panel {
  std::size_t rows, width;
  std::vector<float> v; // [rows][width], rows counted from j0
  std::vector<float> t; // [width][width], upper triangular
};

// v and factor with (I - factor v v^T) x = (r, 0, ...). Zero below already: no reflection.
float makeReflection(const float *a, std::size_t m, std::size_t n, std::size_t j,
                     std::vector<double> &v) {
  double below = 0;
  for (auto i = j + 1; i < m; ++i)
    below += double(a[i * n + j]) * a[i * n + j];
  if (below == 0)
    return 0;
  const double head = a[j * n + j], length = std::sqrt(head * head + below);
  const double pivot = head + (head >= 0 ? length : -length);
  v.assign(m - j, 0);
  v[0] = 1;
  for (auto i = j + 1; i < m; ++i)
    v[i - j] = a[i * n + j] / pivot;
  return float(2 / (1 + below / (pivot * pivot)));
}

Panel factorPanel(float *a, std::size_t m, std::size_t n, std::size_t j0, std::size_t width) {
  Panel p{m - j0, width, std::vector<float>((m - j0) * width), std::vector<float>(width * width)};
  std::vector<double> v;
  for (std::size_t k = 0; k < width; ++k) {
    const auto j = j0 + k;
    const float factor = makeReflection(a, m, n, j, v);
    p.t[k * width + k] = factor;
    if (factor == 0)
      continue;
    for (auto c = j; c < j0 + width; ++c) {
      double dot = 0;
      for (auto i = j; i < m; ++i)
        dot += v[i - j] * a[i * n + c];
      for (auto i = j; i < m; ++i)
        a[i * n + c] -= float(factor * dot * v[i - j]);
    }
    for (auto i = j + 1; i < m; ++i)
      a[i * n + j] = 0;
    for (auto i = j; i < m; ++i)
      p.v[(i - j0) * width + k] = float(v[i - j]);
  }
  return p;
}

// T of the product of the reflections: column k is -t_k T (V^T v_k) above the diagonal.
void completeT(Panel &p) {
  const auto w = p.width;
  for (std::size_t k = 1; k < w; ++k) {
    std::vector<double> dots(k, 0);
    for (std::size_t r = 0; r < p.rows; ++r)
      for (std::size_t i = 0; i < k; ++i)
        dots[i] += double(p.v[r * w + i]) * p.v[r * w + k];
    for (std::size_t i = 0; i < k; ++i) {
      double sum = 0;
      for (auto l = i; l < k; ++l)
        sum += p.t[i * w + l] * dots[l];
      p.t[i * w + k] = float(-p.t[k * w + k] * sum);
    }
  }
}

// a[rows][columns] := (I - V T V^T)^T a
void applyFromLeft(const Panel &p, float *a, std::size_t lda, std::size_t columns) {
  const auto w = p.width;
  const auto v = solve::matrix(p.v.data(), w), t = solve::matrix(p.t.data(), w);
  std::vector<float> x(w * columns), y(w * columns);
  const auto xs = solve::matrix(x.data(), columns), ys = solve::matrix(y.data(), columns),
             rest = solve::matrix(a, lda);
  solve::multiply(w, columns, p.rows, v.transposed(), rest, xs);
  solve::multiply(w, columns, w, t.transposed(), xs, ys);
  solve::multiply(p.rows, columns, w, v, ys, rest, -1, 1);
}

// q[m][rows] := q (I - V T V^T)
void applyFromRight(const Panel &p, float *q, std::size_t ldq, std::size_t m) {
  const auto w = p.width;
  const auto v = solve::matrix(p.v.data(), w), t = solve::matrix(p.t.data(), w);
  std::vector<float> x(m * w), y(m * w);
  const auto xs = solve::matrix(x.data(), w), ys = solve::matrix(y.data(), w),
             rest = solve::matrix(q, ldq);
  solve::multiply(m, w, p.rows, rest, v, xs);
  solve::multiply(m, w, w, xs, t, ys);
  solve::multiply(m, p.rows, w, ys, v.transposed(), rest, -1, 1);
}

void run(const openipu::KernelArgs &args) {
  const dense::View aView(args.outputs[0]), qView(args.outputs[1]);
  const auto m = aView.shape[0], n = aView.shape[1];
  std::vector<float> a(m * n), q(m * m);
  dense::load(aView, a.data());
  for (std::size_t i = 0; i < m; ++i)
    q[i * m + i] = 1;
  for (std::size_t j = 0; j < std::min(m, n); j += panelWidth) {
    auto panel = factorPanel(a.data(), m, n, j, std::min({panelWidth, m - j, n - j}));
    completeT(panel);
    const auto next = j + panel.width;
    applyFromLeft(panel, a.data() + j * n + next, n, n - next);
    applyFromRight(panel, q.data() + j, m, m);
  }
  dense::store(a.data(), aView);
  dense::store(q.data(), qView);
}

const openipu::Registered registered{{"poplin.qrFactorization", run, {}, {}, nullptr}};

// Per column: the norm (one tile's squares, summed), the reflection sent to all tiles, and two
// multiply-adds for every element from the column on in A and in Q. Rows beyond rowsPerIteration
// wait for another pass over the tile's rows, which costs the loop's entry again.
openipu::Plan planFor(const poplar::Target &target, std::uint64_t m, std::uint64_t n,
                      std::uint64_t rowsPerIteration) {
  openipu::Plan plan;
  const auto columns = std::min(m, n), tiles = std::min<std::uint64_t>(m, target.getNumTiles());
  if (!columns)
    return plan;
  const auto rows = base::ceilDiv(m, tiles), passes = base::ceilDiv(rows, rowsPerIteration);
  const auto &chip = openipu::chipOf(target);
  const auto pairs = chip.workerShare((m + 1) / 2); // of floats, per worker
  openipu::TileWork norm, reflect, update;
  norm.cycles = chip.onWorkers(20 + pairs * 3);
  norm.bytesIn = m * 4;
  plan.add(onTiles("Norm", "poplin::PartialSquareElements", 1, norm, columns));
  reflect.cycles = chip.onWorkers(40 + pairs * 3);
  reflect.bytesOut = m * 4;
  plan.add(onTiles("Reflection", "poplin::Householder", 1, reflect, columns));
  update.cycles =
      passes * chip.onWorkers(30) + rows * (n / 2 + m) * 2; // 2 floats a worker cycle, twice
  update.bytesIn = m * 4;
  update.tempBytes = std::min(rows, rowsPerIteration) * (n + m) * 4;
  update.vertices = chip.workers;
  auto step = onTiles("Update", "poplin::Update", unsigned(tiles), update, columns);
  step.flops = 4 * m * (n / 2 + m);
  plan.add(step);
  return plan;
}

void checkMatrices(const Tensor &a, const Tensor &q) {
  const bool float32 = a.elementType() == poplar::FLOAT && q.elementType() == poplar::FLOAT;
  if (float32 && a.rank() == 2 && q.rank() == 2 && q.dim(0) == q.dim(1) && q.dim(0) == a.dim(0))
    return;
  throw poputil::poplibs_error(base::str("poplin::experimental::QRFactorization: A is ",
                                         a.elementType(), " ", base::list(a.shape()), " and Q ",
                                         q.elementType(), " ", base::list(q.shape()),
                                         " but they must be float matrices [m, n] and [m, m]."));
}

} // namespace

std::array<Tensor, 2> createQRFactorizationMatrices(poplar::Graph &graph, const poplar::Type &type,
                                                    std::size_t m, std::size_t n,
                                                    const poplar::DebugContext &debugContext) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(type, m, n));
  if (type != poplar::FLOAT)
    throw poputil::poplibs_error(base::str("poplin::experimental::createQRFactorizationMatrices: "
                                           "only float matrices can be factorised, not ",
                                           type, "."));
  std::array<Tensor, 2> matrices{graph.addVariable(type, {m, n}, {di, "A"}),
                                 graph.addVariable(type, {m, m}, {di, "Q"})};
  for (auto &t : matrices)
    poputil::mapTensorLinearly(graph, t, unsigned(t.dim(1)), unsigned(t.dim(1))); // whole rows
  return matrices;
}

void QRFactorization(poplar::Graph &graph, Tensor &A, Tensor &Q, poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext, const poplar::OptionFlags &options) {
  poputil::PoplibsOpDebugInfo di(debugContext, DI_ARGS(A, Q, options));
  checkMatrices(A, Q);
  std::size_t rowsPerIteration = 32;
  const poplibs::OptionSpec spec{
      {"rowsPerIteration", poplibs::OptionHandler::createWithInteger(rowsPerIteration)}};
  for (const auto &[name, value] : options)
    spec.parse(name, value);
  if (!rowsPerIteration)
    throw poplar::invalid_option("Invalid value '0' for option 'rowsPerIteration': at least one "
                                 "row must be updated at a time");
  prog.add(
      openipu::operation(graph, {"poplin.qrFactorization",
                                 {inOut(A), out(Q)},
                                 {},
                                 planFor(graph.getTarget(), A.dim(0), A.dim(1), rowsPerIteration),
                                 {di, "QR"}}));
}

} // namespace poplin::experimental
