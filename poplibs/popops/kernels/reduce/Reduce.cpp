// SPDX-License-Identifier: MIT
// popops.reduce: any number of reductions in one go. Work is cut into tasks whose size depends on
// the shapes alone, and partial results are combined in a fixed order, so results are the same on
// any number of threads.
#include "popops/kernels/Reduce.hpp"
#include "base/Arithmetic.hpp"
#include "base/Half.hpp"
#include "openipu/Kernel.hpp"
#include "reduce/Layout.hpp"
#include "reduce/Loops.hpp"
#include <algorithm>
#include <base/Error.hpp>
#include <base/Threads.hpp>
#include <cmath>
#include <memory>
#include <stdexcept>

namespace popops::reduction {

void expAll(float *x, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    x[i] = expf(x[i]);
}
void expShifted(const float *x, const float *shifts, float *y, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    y[i] = expf(x[i] - shifts[i]);
}

namespace {

constexpr std::size_t widestChunk = 2048; // columns of one task
constexpr std::size_t scratchElements = 8192;
constexpr std::size_t taskElements = 65536; // elements that are worth a task of their own
constexpr std::size_t enoughTasks = 64;     // with so many outputs, rows are not shared out
constexpr std::size_t shortRun = 64;
constexpr std::size_t rowsBeforeFlush = 256;

using Spec = kernels::ReduceSpec;
using Test = kernels::ReduceTest;
using openipu::KernelArgs;
using openipu::KernelOperand;
using openipu::TypeId;

// One reduction with its operands, ready to run.
struct Problem {
  Spec spec;
  Walk walk;
  std::int64_t inOffset = 0, outOffset = 0;
  KernelOperand in, out;
  float scale = 1;
  std::size_t chunk = 1, chunks = 1; // columns of a task, tasks per row of columns
  std::size_t rowsPerPiece = 1, pieces = 1;

  std::size_t tiles() const { return walk.keptCount * chunks; }
  std::size_t columnsOf(std::size_t tile) const {
    return std::min(chunk, walk.columns - tile % chunks * chunk);
  }
};

void cutIntoTasks(Problem &p) {
  const Walk &w = p.walk;
  std::size_t widest = w.rowsReduce ? std::max<std::size_t>(1, 16384 / w.segment) : widestChunk;
  p.chunk = std::max<std::size_t>(1, std::min({w.columns, widest, widestChunk}));
  p.chunks = w.columns == 0 ? 0 : base::ceilDiv(w.columns, p.chunk);
  p.rowsPerPiece = std::max<std::size_t>(1, w.rows());
  if (p.tiles() > 0 && p.tiles() < enoughTasks) {
    std::size_t share = w.rows() / (enoughTasks / p.tiles()) + 1;
    p.rowsPerPiece = std::max(share, taskElements / (p.chunk * w.segment) + 1);
  }
  p.pieces = std::max<std::size_t>(1, base::ceilDiv(w.rows(), p.rowsPerPiece));
}

std::int64_t offsetOf(const std::vector<Dim> &dims, std::size_t index, std::int64_t Dim::*stride) {
  std::int64_t offset = 0;
  for (auto dim = dims.rbegin(); dim != dims.rend(); ++dim) {
    offset += std::int64_t(index % dim->size) * ((*dim).*stride);
    index /= dim->size;
  }
  return offset;
}

// Rows of partials one after another: where each starts and how many units it has.
class Rows {
public:
  Rows(const Walk &walk, std::size_t first)
      : walk_(walk), segments_(walk.segments()), segment_(first % segments_),
        outer_(first / segments_), outerOffset_(offsetOf(walk.reduced, outer_, &Dim::in)) {}
  std::int64_t offset() const {
    return outerOffset_ + std::int64_t(segment_ * walk_.segment) * walk_.unitStride;
  }
  std::size_t units() const {
    return std::min(walk_.segment, walk_.units - segment_ * walk_.segment);
  }
  void next() {
    if (++segment_ < segments_)
      return;
    segment_ = 0;
    ++outer_;
    if (walk_.reduced.empty())
      return;
    const Dim &last = walk_.reduced.back();
    if (outer_ % last.size != 0)
      outerOffset_ += last.in;
    else if (outer_ < walk_.reducedCount)
      outerOffset_ = offsetOf(walk_.reduced, outer_, &Dim::in);
  }

private:
  const Walk &walk_;
  std::size_t segments_, segment_, outer_;
  std::int64_t outerOffset_;
};

// Elements of the input as the type that is computed with.
inline void load(const float *from, float *to, std::size_t n) { std::copy_n(from, n, to); }
inline void load(const std::uint16_t *from, float *to, std::size_t n) {
  base::halfToFloat(from, to, n);
}
template <class T> void load(const T *from, T *to, std::size_t n) { std::copy_n(from, n, to); }

template <class Op, class Source> class Runner {
  using E = typename Op::Element;
  using W = typename Op::Wide;
  static constexpr bool direct = std::is_same_v<E, Source> && !Op::shifted;

public:
  // shifts: one per output in the numbering of tasks (tile * chunk + column), for shifted Ops.
  Runner(const Problem &problem, const float *shifts)
      : p_(problem), w_(problem.walk), in_(problem.in.as<const Source>() + problem.inOffset),
        shifts_(shifts) {}

  // done(tile, results of its columns) once per tile, from any thread.
  template <class Done> void run(const Done &done) const {
    const std::size_t tiles = p_.tiles(), pieces = p_.pieces;
    std::vector<W> partials(pieces > 1 ? pieces * tiles * p_.chunk : 0);
    std::size_t perTask = p_.chunk * w_.segment * p_.rowsPerPiece;
    base::parallelFor(tiles * pieces, taskElements / (perTask + 1) + 1,
                      [&](std::size_t begin, std::size_t end, unsigned) {
                        W own[widestChunk];
                        for (std::size_t task = begin; task < end; ++task) {
                          std::size_t tile = task % tiles, piece = task / tiles;
                          W *results =
                              pieces > 1 ? &partials[(piece * tiles + tile) * p_.chunk] : own;
                          reduceTask(tile, piece, results);
                          if (pieces == 1)
                            done(tile, results);
                        }
                      });
    if (pieces > 1)
      combinePieces(partials, done);
  }

private:
  template <class Done> void combinePieces(std::vector<W> &partials, const Done &done) const {
    const std::size_t tiles = p_.tiles();
    base::parallelFor(tiles, 1, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t tile = begin; tile < end; ++tile) {
        W *results = &partials[tile * p_.chunk];
        for (std::size_t piece = 1; piece < p_.pieces; ++piece) {
          const W *more = &partials[(piece * tiles + tile) * p_.chunk];
          for (std::size_t c = 0; c < p_.columnsOf(tile); ++c)
            merge(results[c], more[c]);
        }
        done(tile, results);
      }
    });
  }

  void merge(W &into, W value) const {
    into = Op::template combine<W>(into, value);
    if constexpr (std::is_floating_point_v<W>)
      if (p_.spec.interTileHalf)
        into = nearestHalf(float(into));
  }

  void mergeInto(W *results, const E *sums, std::size_t n) const {
    if (!p_.spec.interTileHalf)
      return mergeAll<Op>(results, sums, n);
    for (std::size_t c = 0; c < n; ++c)
      merge(results[c], W(sums[c]));
  }

  void reduceTask(std::size_t tile, std::size_t piece, W *results) const {
    std::size_t kept = tile / p_.chunks, column = tile % p_.chunks * p_.chunk;
    std::size_t columns = p_.columnsOf(tile);
    const Source *base =
        in_ + offsetOf(w_.kept, kept, &Dim::in) + std::int64_t(column) * w_.columnIn;
    std::size_t first = piece * p_.rowsPerPiece;
    std::size_t last = std::min(w_.rows(), first + p_.rowsPerPiece);
    std::fill_n(results, columns, W(Op::identity()));
    if (first >= last || w_.elements() == 0)
      return;
    const float *shifts = Op::shifted ? shifts_ + tile * p_.chunk : nullptr;
    if (w_.rowsReduce)
      reduceRuns(base, first, last, columns, shifts, results);
    else
      addRows(base, first, last, columns, shifts, results);
  }

  // ---- the innermost dimension is reduced: a run per column
  void reduceRuns(const Source *base, std::size_t first, std::size_t last, std::size_t columns,
                  const float *shifts, W *results) const {
    Rows row(w_, first);
    E sums[widestChunk];
    for (std::size_t r = first; r < last; ++r, row.next()) {
      runsOfRow(base + row.offset(), row.units(), columns, shifts, sums);
      if (r == first && !p_.spec.interTileHalf)
        convert(sums, results, columns);
      else
        mergeInto(results, sums, columns);
    }
  }

  void runsOfRow(const Source *x, std::size_t units, std::size_t columns, const float *shifts,
                 E *sums) const {
    if constexpr (direct) {
      if (w_.unitStride == 1) {
        reduceAll(x, w_.columnIn, units, columns, sums);
        return;
      }
    }
    bool packed = w_.unitStride == 1 && (columns == 1 || w_.columnIn == std::int64_t(units));
    std::size_t together = packed ? scratchElements / units : 1;
    E scratch[scratchElements];
    for (std::size_t c = 0; c < columns; c += together) {
      std::size_t runs = std::min(together, columns - c);
      gather(x + std::int64_t(c) * w_.columnIn, w_.unitStride, runs * units, scratch);
      if constexpr (Op::shifted) {
        for (std::size_t run = 0; run < runs; ++run)
          for (std::size_t i = 0; i < units; ++i)
            scratch[run * units + i] -= shifts[c + run];
        expAll(scratch, runs * units);
      }
      reduceAll(scratch, std::int64_t(units), units, runs, sums + c);
    }
  }

  static void reduceAll(const E *x, std::int64_t stride, std::size_t units, std::size_t runs,
                        E *sums) {
    if (units < shortRun) {
      std::size_t done = 0;
      if (stride == std::int64_t(units))
        done = reducePairs<Op>(x, runs, units, sums);
      return reduceShortRuns<Op>(x + std::int64_t(done) * stride, stride, runs - done, units,
                                 sums + done);
    }
    for (std::size_t c = 0; c < runs; ++c)
      reduceRun<Op>(x + std::int64_t(c) * stride, units, sums + c);
  }

  static void gather(const Source *x, std::int64_t stride, std::size_t n, E *to) {
    if (stride == 1)
      return load(x, to, n);
    Source some[512];
    for (std::size_t begin = 0; begin < n; begin += 512) {
      std::size_t count = std::min<std::size_t>(512, n - begin);
      for (std::size_t i = 0; i < count; ++i)
        some[i] = x[std::int64_t(begin + i) * stride];
      load(some, to + begin, count);
    }
  }

  // ---- the innermost dimension stays: rows are added to a row of results
  void addRows(const Source *base, std::size_t first, std::size_t last, std::size_t columns,
               const float *shifts, W *results) const {
    E sums[widestChunk], scratch[4][direct ? 1 : widestChunk];
    std::vector<float> folded = foldedShifts(shifts, columns);
    bool plain = direct && (w_.columnIn == 1 || columns == 1);
    std::vector<E> gathered(direct && !plain ? 4 * columns * w_.segment : 0);
    Rows row(w_, first);
    for (std::size_t r = first; r < last;) {
      std::size_t stop = std::min(last, r + rowsBeforeFlush);
      std::fill_n(sums, columns * w_.segment, Op::identity());
      while (r < stop) {
        const E *x[4];
        std::size_t units[4], count = 0;
        for (; count < 4 && r < stop; ++count, ++r, row.next()) {
          units[count] = row.units();
          const Source *from = base + row.offset();
          if constexpr (direct)
            x[count] = plain ? from
                             : fetch(from, columns * units[count],
                                     &gathered[count * columns * w_.segment], nullptr);
          else
            x[count] = fetch(from, columns * units[count], scratch[count], folded.data());
        }
        addFetched(sums, x, units, count, columns);
      }
      flush(sums, columns, results);
    }
  }

  void addFetched(E *sums, const E *const *x, const std::size_t *units, std::size_t count,
                  std::size_t columns) const {
    std::size_t n = columns * w_.segment;
    bool full = count == 4;
    for (std::size_t i = 0; i < count; ++i)
      full = full && units[i] == w_.segment;
    if (full)
      return addFourRows<Op>(sums, x[0], x[1], x[2], x[3], n);
    for (std::size_t i = 0; i < count; ++i)
      addRow<Op>(sums, x[i], columns * units[i]);
  }

  const E *fetch(const Source *x, std::size_t n, E *to, const float *shifts) const {
    gather(x, n == 1 ? 1 : w_.columnIn, n, to);
    if constexpr (Op::shifted)
      expShifted(to, shifts, to, n);
    return to;
  }

  std::vector<float> foldedShifts(const float *shifts, std::size_t columns) const {
    std::vector<float> folded;
    if (shifts)
      for (std::size_t s = 0; s < w_.segment; ++s)
        folded.insert(folded.end(), shifts, shifts + columns);
    return folded;
  }

  // A segment of several rows becomes one row; that goes to the results.
  void flush(E *sums, std::size_t columns, W *results) const {
    for (std::size_t rows = w_.segment; rows > 1;) {
      std::size_t lower = (rows + 1) / 2;
      for (std::size_t i = 0; i < (rows - lower) * columns; ++i)
        sums[i] = Op::template combine<E>(sums[i], sums[i + lower * columns]);
      rows = lower;
    }
    mergeInto(results, sums, columns);
  }

  const Problem &p_;
  const Walk &w_;
  const Source *in_;
  const float *shifts_;
};

// ---- results to the output

// log(exp(a) + exp(b))
float logAdd(float a, float b) {
  const float most = std::max(a, b), least = std::min(a, b);
  return std::isinf(most) ? most : most + std::log1p(std::exp(least - most));
}

template <class Out, class Value>
void storeAs(Out *out, std::int64_t stride, const Value *values, std::size_t n, const Spec &spec,
             float scale) {
  if (stride == 1 && !spec.useScale && !spec.update) {
    return convert(values, out, n);
  }
  for (std::size_t i = 0; i < n; ++i, out += stride) {
    if constexpr (std::is_integral_v<Value>) {
      auto value = spec.useScale ? Out(double(Out(values[i])) * scale) : Out(values[i]);
      *out = spec.update ? Out(std::make_unsigned_t<Out>(*out) + std::make_unsigned_t<Out>(value))
                         : value;
    } else if (spec.op == Operation::LOG_ADD) { // logarithms: a factor is a summand
      const float value = float(values[i]) + (spec.useScale ? scale : 0.0f);
      *out = spec.update ? logAdd(*out, value) : value;
    } else {
      float value = float(values[i]) * (spec.useScale ? scale : 1.0f);
      *out = spec.update ? *out + value : value;
    }
  }
}

template <class Value>
void storeHalf(std::uint16_t *out, std::int64_t stride, const Value *values, std::size_t n,
               const Spec &spec, float scale) {
  float results[256];
  std::uint16_t halves[256];
  for (std::size_t begin = 0; begin < n; begin += 256, out += 256 * stride) {
    std::size_t count = std::min<std::size_t>(256, n - begin);
    for (std::size_t i = 0; i < count; ++i)
      halves[i] = out[std::int64_t(i) * stride];
    base::halfToFloat(halves, results, count);
    storeAs(results, 1, values + begin, count, spec, scale);
    base::floatToHalf(results, halves, count);
    for (std::size_t i = 0; i < count; ++i)
      out[std::int64_t(i) * stride] = halves[i];
  }
}

template <class Value> void store(const Problem &p, std::size_t tile, const Value *values) {
  std::size_t kept = tile / p.chunks, column = tile % p.chunks * p.chunk;
  std::int64_t at = p.outOffset + offsetOf(p.walk.kept, kept, &Dim::out) +
                    std::int64_t(column) * p.walk.columnOut;
  std::size_t n = p.columnsOf(tile);
  std::int64_t stride = p.walk.columnOut;
  if constexpr (std::is_floating_point_v<Value>) {
    if (p.out.type == TypeId::Half)
      storeHalf(p.out.as<std::uint16_t>() + at, stride, values, n, p.spec, p.scale);
    else
      storeAs(p.out.as<float>() + at, stride, values, n, p.spec, p.scale);
  } else if constexpr (sizeof(Value) == 1) {
    storeAs(p.out.as<std::uint8_t>() + at, stride, values, n, p.spec, p.scale);
  } else if (p.out.type == TypeId::Int) {
    storeAs(p.out.as<std::int32_t>() + at, stride, values, n, p.spec, p.scale);
  } else {
    storeAs(p.out.as<std::uint32_t>() + at, stride, values, n, p.spec, p.scale);
  }
}

// ---- which Runner

template <class Op, class Source> void runSimple(const Problem &p) {
  Runner<Op, Source>(p, nullptr).run([&](std::size_t tile, const typename Op::Wide *values) {
    store(p, tile, values);
  });
}

// log(sum(exp(x))) = m + log(sum(exp(x - m))) with m the maximum: two passes.
template <class Op, class Source> void runLogAdd(const Problem &p) {
  std::vector<float> maxima(p.tiles() * p.chunk);
  Runner<Max<float>, Source>(p, nullptr).run([&](std::size_t tile, const double *values) {
    for (std::size_t c = 0; c < p.columnsOf(tile); ++c)
      maxima[tile * p.chunk + c] = std::isfinite(values[c]) ? float(values[c]) : 0.0f;
  });
  Runner<Op, Source>(p, maxima.data()).run([&](std::size_t tile, const typename Op::Wide *values) {
    double results[widestChunk];
    for (std::size_t c = 0; c < p.columnsOf(tile); ++c)
      results[c] = maxima[tile * p.chunk + c] + std::log(double(values[c]));
    store(p, tile, results);
  });
}

// The sum is NaN if an element was found.
template <class Op, class Source> void runTest(const Problem &p) {
  Runner<Op, Source>(p, nullptr).run([&](std::size_t tile, const double *values) {
    std::uint8_t found[widestChunk];
    for (std::size_t c = 0; c < p.columnsOf(tile); ++c)
      found[c] = std::isnan(values[c]);
    store(p, tile, found);
  });
}

using Run = void (*)(const Problem &);

template <class Source> Run floatRun(const Spec &spec) {
  bool half = spec.inVertexHalf;
  if (spec.test != Test::None)
    return spec.test == Test::NaN ? runTest<FindNaN, Source> : runTest<FindNotFinite, Source>;
  switch (spec.op) {
  case Operation::ADD:
    return half ? runSimple<Rounded<Add<float>>, Source> : runSimple<Add<float>, Source>;
  case Operation::SQUARE_ADD:
    return half ? runSimple<Rounded<SquareAdd<float>>, Source>
                : runSimple<SquareAdd<float>, Source>;
  case Operation::MUL:
    return half ? runSimple<Rounded<Mul<float>>, Source> : runSimple<Mul<float>, Source>;
  case Operation::LOG_ADD:
    return half ? runLogAdd<Rounded<ExpAdd>, Source> : runLogAdd<ExpAdd, Source>;
  case Operation::MIN:
    return runSimple<Min<float>, Source>;
  case Operation::MAX:
    return runSimple<Max<float>, Source>;
  default:
    return nullptr;
  }
}

// Sums and products of integers wrap round, so they are computed without sign.
template <class T> Run integerRun(Operation op) {
  switch (op) {
  case Operation::ADD:
    return runSimple<Add<std::uint32_t>, std::uint32_t>;
  case Operation::SQUARE_ADD:
    return runSimple<SquareAdd<std::uint32_t>, std::uint32_t>;
  case Operation::MUL:
    return runSimple<Mul<std::uint32_t>, std::uint32_t>;
  case Operation::MIN:
    return runSimple<Min<T>, T>;
  case Operation::MAX:
    return runSimple<Max<T>, T>;
  default:
    return nullptr;
  }
}

Run runOf(const Spec &spec, TypeId type) {
  switch (type) {
  case TypeId::Float:
    return floatRun<float>(spec);
  case TypeId::Half:
    return floatRun<std::uint16_t>(spec);
  case TypeId::Int:
    return integerRun<std::int32_t>(spec.op);
  case TypeId::UnsignedInt:
    return integerRun<std::uint32_t>(spec.op);
  case TypeId::Bool:
    return spec.op == Operation::LOGICAL_AND  ? runSimple<And, std::uint8_t>
           : spec.op == Operation::LOGICAL_OR ? runSimple<Or, std::uint8_t>
                                              : nullptr;
  default:
    return nullptr;
  }
}

// What a load of the engine prepares: the walks through memory.
class Reductions {
public:
  explicit Reductions(const KernelArgs &args) {
    auto specs = kernels::readReductions(args.attributes);
    if (specs.size() != args.outputs.size() || args.inputs.size() < specs.size())
      damaged();
    for (std::size_t i = 0; i < specs.size(); ++i)
      add(specs[i], args.inputs[i], args.outputs[i]);
  }

  void run(const KernelArgs &args) {
    std::size_t nextScale = problems_.size();
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      Problem &p = problems_[i];
      p.in = args.inputs[i];
      p.out = args.outputs[i];
      if (p.spec.useScale)
        p.scale = *args.in<float>(nextScale++);
    }
    // Small ones share the threads as wholes; large ones have them all, one after another.
    base::parallelFor(small_.size(), 1, [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t i = begin; i < end; ++i)
        runs_[small_[i]](problems_[small_[i]]);
    });
    for (std::size_t i : large_)
      runs_[i](problems_[i]);
  }

private:
  [[noreturn]] static void damaged() {
    throw std::runtime_error("popops.reduce: the attributes do not fit the operands; the "
                             "executable is damaged. Compile it again.");
  }

  void add(const Spec &spec, const KernelOperand &in, const KernelOperand &out) {
    if (spec.reduced.size() != in.shape.size() || !runOf(spec, in.type))
      damaged();
    if (std::size_t(std::count(spec.reduced.begin(), spec.reduced.end(), false)) !=
        out.shape.size())
      damaged();
    Problem p;
    p.spec = spec;
    auto layout = layoutOf(in.shape, in.strides, out.strides, spec.reduced);
    p.walk = walkOf(layout);
    p.inOffset = layout.inOffset;
    p.outOffset = layout.outOffset;
    cutIntoTasks(p);
    (p.walk.elements() < taskElements / 2 ? small_ : large_).push_back(problems_.size());
    problems_.push_back(std::move(p));
    runs_.push_back(runOf(spec, in.type));
  }

  std::vector<Problem> problems_;
  std::vector<Run> runs_;
  std::vector<std::size_t> small_, large_;
};

const openipu::Registered registered{
    openipu::stateful<Reductions>(kernels::reduce, openipu::alwaysGivesFloats)};

} // namespace

} // namespace popops::reduction
