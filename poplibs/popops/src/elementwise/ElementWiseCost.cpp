// SPDX-License-Identifier: MIT
#include "popops/ElementWiseCost.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <cstddef>

namespace popops::cost {
namespace {

using expr::BinaryOpType;
using expr::UnaryOpType;
using poplar::Type;

constexpr std::uint64_t supervisor = 11; // enter, start the workers, leave

using arch::Chip;

struct Loop {
  unsigned cycles = 0;
  unsigned elements = 0; // 0: a vector
  bool overhead = false; // of the loop itself, to be added
  bool exists() const { return cycles != 0; }
};
#define P(c, n) (Loop{c, n, false})
#define V(c) (Loop{c, 0, true})
#define E(c) (Loop{c, 1, true})
#define NO (Loop{})

enum Column { F, H, I, U, L, UL, S, B, numColumns };
int columnOf(const Type &type) {
  if (type == poplar::FLOAT)
    return F;
  if (type == poplar::HALF)
    return H;
  if (type == poplar::INT)
    return I;
  if (type == poplar::UNSIGNED_INT)
    return U;
  if (type == poplar::LONGLONG)
    return L;
  if (type == poplar::UNSIGNED_LONGLONG)
    return UL;
  if (type == poplar::SHORT || type == poplar::UNSIGNED_SHORT)
    return S;
  return type == poplar::BOOL ? B : numColumns;
}
std::uint64_t bytesOf(const Type &type) {
  constexpr std::uint64_t sizes[] = {4, 2, 4, 4, 8, 8, 2, 1, 1};
  return sizes[columnOf(type)];
}
std::uint64_t vectorWidth(const Chip &chip, const Type &type) {
  return chip.vectorWidth(bytesOf(type));
}

// [operator][in place or scalar][type]
struct Row {
  Loop plain[numColumns], other[numColumns];
};
const Row unaryRows[] = {
#define UNARY(name, result, f, fi, h, hi, i, u, l, ul, s, b, bi, expression)                       \
  {{f, h, i, u, l, ul, s, b}, {fi, hi, i, u, l, ul, s, bi}},
#include "popops/Operators.def"
};
const Row binaryRows[] = {
#define BINARY(name, result, f, fs, h, hs, i, is, u, us, l, ls, ul, uls, s, ss, b, bs, flops, e)   \
  {{f, h, i, u, l, ul, s, b}, {fs, hs, is, us, ls, uls, ss, bs}},
#include "popops/Operators.def"
};
const unsigned binaryFlops[] = {
#define BINARY(name, result, f, fs, h, hs, i, is, u, us, l, ls, ul, uls, s, ss, b, bs, flops, e)   \
  flops,
#include "popops/Operators.def"
};

Loop loopOf(UnaryOpType op, const Type &type, bool inPlace) {
  const int column = columnOf(type);
  if (column == numColumns)
    return {};
  const Row &row = unaryRows[unsigned(op)];
  return inPlace && row.other[column].exists() ? row.other[column] : row.plain[column];
}

Loop loopOf(BinaryOpType op, const Type &type, bool inPlace) {
  const int column = columnOf(type);
  if (inPlace && column <= H)
    switch (op) {
#define BINARY_IN_PLACE(name, f, h)                                                                \
  case BinaryOpType::name:                                                                         \
    return column == F ? f : h;
#include "popops/Operators.def"
    default:
      break;
    }
  return column == numColumns ? Loop{} : binaryRows[unsigned(op)].plain[column];
}

// One worker's loop over n elements.
std::uint64_t run(const Chip &chip, const Loop &loop, const Type &type, std::uint64_t n,
                  unsigned overhead) {
  const std::uint64_t elements = loop.elements ? loop.elements : vectorWidth(chip, type);
  return base::ceilDiv(n, elements) * (loop.cycles + (loop.overhead ? overhead : 0));
}

bool isFast(BinaryOpType op, const Type &type) {
  return (op == BinaryOpType::ADD || op == BinaryOpType::SUBTRACT ||
          op == BinaryOpType::MULTIPLY) &&
         (type == poplar::FLOAT || type == poplar::HALF);
}
constexpr unsigned unaryOverhead = 4;
unsigned binaryOverhead(BinaryOpType op, const Type &type) { return isFast(op, type) ? 2 : 5; }
unsigned scalarOverhead(BinaryOpType op, const Type &type) { return isFast(op, type) ? 1 : 4; }

// All workers with a share of the regions each: once `enter`, then piece(elements) for each region
// of the slowest worker.
template <class Piece>
std::uint64_t share(const Chip &chip, std::uint64_t n, unsigned regions, std::uint64_t enter,
                    Piece piece) {
  const auto pieces = chip.workerShare(std::max(regions, 1u));
  return chip.onWorkers(enter + pieces * piece(base::ceilDiv(chip.workerShare(n), pieces)));
}

} // namespace

std::uint64_t unaryCycles(const Chip &chip, UnaryOpType op, const Type &type, std::uint64_t n,
                          bool inPlace, unsigned regions) {
  const Loop loop = loopOf(op, type, inPlace);
  auto piece = [&](std::uint64_t m) { return run(chip, loop, type, m, unaryOverhead); };
  if (regions > 1)
    return share(chip, n, regions, 20, piece);
  const unsigned enter = inPlace ? 55 : op == UnaryOpType::EXPONENT ? 33 : 17;
  return supervisor + 9 + chip.onWorkers(enter + piece(chip.workerShare(n)));
}

std::uint64_t binaryCycles(const Chip &chip, BinaryOpType op, const Type &type, std::uint64_t n,
                           bool inPlace, unsigned regions) {
  const Loop loop = loopOf(op, type, inPlace);
  auto piece = [&](std::uint64_t m) { return run(chip, loop, type, m, binaryOverhead(op, type)); };
  if (regions > 1)
    return share(chip, n, regions, inPlace ? 20 : 5, piece);
  const unsigned enter = inPlace ? 58 : type == poplar::FLOAT ? 29 : 26;
  return supervisor + chip.onWorkers(enter + piece(chip.workerShare(n)));
}

std::uint64_t broadcastScalarCycles(const Chip &chip, BinaryOpType op, const Type &type,
                                    std::uint64_t n, bool, unsigned regions) {
  const Loop loop =
      columnOf(type) == numColumns ? Loop{} : binaryRows[unsigned(op)].other[columnOf(type)];
  auto piece = [&](std::uint64_t m) { return run(chip, loop, type, m, scalarOverhead(op, type)); };
  if (regions > 1)
    return share(chip, n, regions, 20, [&](std::uint64_t m) { return piece(m) + 28; });
  return supervisor + chip.onWorkers(20 + piece(chip.workerShare(n)));
}

// Cycles of one worker for one slice of the vector, b rows of data.
static std::uint64_t innerCore(BinaryOpType op, const Type &type, std::uint64_t len,
                               std::uint64_t b) {
  const bool half = type == poplar::HALF;
  if (op == BinaryOpType::DIVIDE)
    return len * (3 + 4 * (b - 1) + 6);
  if (!half)
    return 7 + len * (8 + 2 * b);
  if (op == BinaryOpType::MULTIPLY)
    return len % 4 ? 4 + len * (5 + 9 * b) : 3 + len / 4 * (7 + 2 * b) + 1;
  if (len % 8 == 0)
    return 2 + 4 + len / 8 * (15 + 2 * (b - 1)) + 1;
  if (len % 4 == 0)
    return 5 + len / 4 * (13 + 2 * (std::max<std::uint64_t>(b / 2, 1) - 1));
  return 5 + len * (5 + 9 * b);
}

std::uint64_t vectorInnerCycles(const Chip &chip, BinaryOpType op, const Type &type,
                                std::uint64_t slices, std::uint64_t len, std::uint64_t broadcast) {
  const bool half = type == poplar::HALF, multiply = op == BinaryOpType::MULTIPLY;
  const std::uint64_t b = std::max<std::uint64_t>(chip.workerShare(broadcast), 1);
  const std::uint64_t enter = !half ? 17 : multiply ? 24 : 19 + (len % 2 ? 7 : 0);
  const std::uint64_t perSlice = (slices > 1 ? 17 : 0) + innerCore(op, type, len, b);
  const auto byRow = 13 + chip.onWorkers(enter + slices * perSlice) + (multiply ? 12 : 6 + 18);
  if (slices > 1 || broadcast >= 3 * chip.workers)
    return byRow;
  // With few rows every worker takes a stretch of the vector instead (the 2D vertex).
  const std::uint64_t stretch = base::ceilDiv(chip.workerShare(len), 8) * 8;
  return std::min(byRow, chip.onWorkers(enter + 17 + innerCore(op, type, stretch, broadcast)));
}

std::uint64_t vectorOuterCycles(const Chip &chip, BinaryOpType op, const Type &type,
                                std::uint64_t rows, std::uint64_t columns) {
  if (columnOf(type) == numColumns)
    return 0;
  const Loop loop = binaryRows[unsigned(op)].other[columnOf(type)];
  const unsigned enter = columns % vectorWidth(chip, type) ? 25 : 7;
  auto worker = [&](std::uint64_t r, std::uint64_t c) {
    return 15 + r * (enter + run(chip, loop, type, c, scalarOverhead(op, type)));
  };
  const auto byColumn = worker(rows, chip.workerShare(columns)),
             byRow = worker(chip.workerShare(rows), columns);
  return supervisor + chip.onWorkers(std::min(byColumn, byRow));
}

std::uint64_t selectCycles(const Chip &chip, const Type &, std::uint64_t n, unsigned regions) {
  return share(chip, n, regions, 5, [](std::uint64_t m) { return 6 + 5 * m; });
}

std::uint64_t clampCycles(const Chip &chip, const Type &type, std::uint64_t n, unsigned regions) {
  return share(chip, n, regions, 5, [&](std::uint64_t m) {
    return 6 + (type == poplar::INT ? 7 * m : 2 * base::ceilDiv(m, vectorWidth(chip, type)));
  });
}

std::uint64_t scalarMultiplyCycles(const Chip &chip, std::uint64_t n) {
  const std::uint64_t perWorker = chip.workerShare(n),
                      loops = std::max<std::uint64_t>(perWorker / 4, 1);
  return chip.onWorkers(51 + 1 + 7 + 5 * (loops - 1) + perWorker % 4);
}

static std::uint64_t castCore(const Type &from, const Type &to, std::uint64_t n) {
  using namespace poplar;
  auto isByte = [](const Type &t) {
    return t == CHAR || t == SIGNED_CHAR || t == UNSIGNED_CHAR || t == QUARTER;
  };
  const std::uint64_t fours = n / 4, eights = base::ceilDiv(n, 8);
  auto further = [](std::uint64_t loops) { return loops ? loops - 1 : 0; };
  if (from == QUARTER && to == QUARTER)
    return 13 * eights;
  if (from == QUARTER && isByte(to))
    return 28 * eights;
  if (isByte(from) && to == QUARTER)
    return 37 * eights;
  if (from == UNSIGNED_CHAR && to == HALF)
    return 4 + 14 + 9 * further(fours) + n % 4;
  if (from == HALF && isByte(to) && to != QUARTER)
    return 8 + 19 + 16 * further(fours) + n % 4;
  if (to == LONGLONG || to == UNSIGNED_LONGLONG)
    return 3 + (from == UNSIGNED_INT || from == BOOL ? 4 : 5) * n;
  const bool fast = (from == FLOAT && to == HALF) || (from == HALF && to == FLOAT) ||
                    (from == HALF && to == QUARTER) || (from == QUARTER && to == HALF);
  if (!fast)
    return 19 + 2 * n;
  auto perWord = [](const Type &t) { return t == FLOAT ? 2u : t == HALF ? 4u : 8u; };
  const unsigned v = std::min(2 * perWord(from), perWord(to));
  const unsigned cycles = std::max(base::ceilDiv(v, perWord(from)), base::ceilDiv(v, perWord(to)));
  std::uint64_t remainder = 0;
  for (unsigned bit = 1; bit < v; bit *= 2)
    remainder += 1 + (n & bit ? 2 : 0);
  return 19 + cycles * (n / v) + remainder;
}

std::uint64_t castCycles(const Chip &chip, const Type &from, const Type &to, std::uint64_t n,
                         unsigned regions) {
  if (regions > 1)
    return share(chip, n, regions, 5, [&](std::uint64_t m) { return 11 + castCore(from, to, m); });
  return 12 + chip.onWorkers(castCore(from, to, chip.workerShare(n)) + 18);
}

static std::uint64_t fillCore(const Type &type, std::uint64_t n) {
  switch (type == poplar::QUARTER ? 1 : bytesOf(type)) {
  case 8:
    return 5 + n;
  case 4:
    return 23 + n / 2 + n % 2;
  case 2:
    return n == 1 ? 15 : n == 2 ? 21 : 26 + n / 4;
  default:
    return n < 64 ? 28 + n / 4 : 39 + n / 8;
  }
}

std::uint64_t fillCycles(const Chip &chip, const Type &type, std::uint64_t n, unsigned regions) {
  if (regions <= 1)
    return chip.workers * fillCore(type, n); // one worker works, the others wait
  const std::uint64_t less = type == poplar::HALF ? 2 : 3;
  return share(chip, n, regions, 5, [&](std::uint64_t m) { return fillCore(type, m) - less; });
}

std::uint64_t scaledAddCycles(const Chip &chip, const Type &a, const Type &b, const Type &scale,
                              std::uint64_t n, ScaledAdd form, bool constrained, unsigned regions) {
  using namespace poplar;
  const bool both = form == ScaledAdd::aAPlusbB || form == ScaledAdd::aAMinusbB;
  const bool minus = form == ScaledAdd::AMinusbB || form == ScaledAdd::aAMinusbB;
  const bool floating = a == FLOAT || a == HALF;
  const std::uint64_t width = vectorWidth(chip, a);
  auto worker = [&](std::uint64_t m) -> std::uint64_t {
    if (!floating)
      return 53 + 26 * base::ceilDiv(m, 3) + 6 + 8 + 6;
    if (both && a == HALF && scale == FLOAT)
      return 15 + 5 * base::ceilDiv(m, 2);
    const std::uint64_t vectors = m / width, further = vectors ? vectors - 1 : 0;
    if (a == HALF && b == FLOAT)
      return 16 + 9 + 5 * further + m % width;
    const unsigned c = constrained ? (vectors >= 16 ? 1 : 2) : a == b ? 3 : 4;
    return 15 + 6 + c * further + 2 + m % width + 1;
  };
  if (regions > 1)
    return share(chip, n, regions, 5, worker);
  if (!floating)
    return chip.workers * worker(chip.workerShare(n));
  const bool remainder = n % (chip.workers * width) != 0;
  return 21 + 11 + (remainder ? 13 : 7) + 12 + 6 + (both ? 12 : 0) + (minus ? 7 : 0) +
         chip.workers * worker(chip.workerShare(n));
}

std::uint64_t fusedCycles(const Chip &chip, unsigned ops, unsigned inputs, const Type &type,
                          std::uint64_t n, unsigned regions) {
  const std::uint64_t width = vectorWidth(chip, type);
  auto piece = [&](std::uint64_t m) { return inputs * (m / width + m % width) * ops; };
  return share(chip, n, regions, regions > 1 ? 13 : 20, piece);
}

static bool floating(const Type &type) { return type == poplar::FLOAT || type == poplar::HALF; }
unsigned flops(UnaryOpType op, const Type &type) {
  return floating(type) ? (op == UnaryOpType::GELU_ERF ? 8 : 1) : 0;
}
unsigned flops(BinaryOpType op, const Type &type) {
  return floating(type) ? binaryFlops[unsigned(op)] : 0;
}
bool supported(UnaryOpType op, const Type &type) { return loopOf(op, type, false).exists(); }
bool supported(BinaryOpType op, const Type &type) { return loopOf(op, type, false).exists(); }

} // namespace popops::cost
