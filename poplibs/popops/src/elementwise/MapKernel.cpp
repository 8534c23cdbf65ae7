// SPDX-License-Identifier: MIT
// popops.map: evaluates an expression in one pass. The output is walked in memory order, in blocks
// that stay in the first-level cache; each operator is a vectorised loop over a block. Operands
// that lie well are read where they are, and the last operator writes where the output is; others
// go through a register (a block of memory per thread): halves, broadcasts and strided rows.
//
// outputs: y    inputs: one per place holder, all of y's shape (broadcast ones with stride zero)
#include "base/Half.hpp"
#include "base/Threads.hpp"
#include "elementwise/Loops.hpp"
#include "elementwise/MapProgram.hpp"
#include "openipu/Kernel.hpp"
#include "popops/Strided.hpp"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <utility>

namespace popops {
namespace {

using openipu::KernelArgs;
using openipu::KernelOperand;

constexpr std::size_t alignment = 64;
constexpr std::size_t maxRow = 256;                     // shorter rows are put together to blocks
constexpr std::size_t tileRows = 16, tileColumns = 256; // of operands that lie across the rows
// Element steps that are worth waking threads for.
constexpr std::size_t worthThreads = 1 << 17;

[[noreturn]] void damaged(const char *what) {
  throw std::runtime_error(std::string("popops.map: ") + what +
                           ": the executable is damaged, or was written by another version. "
                           "Compile it again.");
}

// ---- rows between memory and registers

template <class T>
void gatherAs(const std::byte *from, std::int64_t stride, std::byte *to, std::size_t n) {
  auto *source = reinterpret_cast<const T *>(from);
  auto *target = reinterpret_cast<T *>(to);
  if (stride == 1)
    std::memcpy(target, source, n * sizeof(T));
  else if (stride == 0)
    std::fill_n(target, n, *source);
  else
    for (std::size_t i = 0; i < n; ++i)
      target[i] = source[std::int64_t(i) * stride];
}
template <class T>
void scatterAs(const std::byte *from, std::byte *to, std::int64_t stride, std::size_t n) {
  auto *source = reinterpret_cast<const T *>(from);
  auto *target = reinterpret_cast<T *>(to);
  for (std::size_t i = 0; i < n; ++i)
    target[std::int64_t(i) * stride] = source[i];
}

void gather(std::size_t size, const std::byte *from, std::int64_t stride, std::byte *to,
            std::size_t n) {
  switch (size) {
  case 1:
    return gatherAs<std::uint8_t>(from, stride, to, n);
  case 2:
    return gatherAs<std::uint16_t>(from, stride, to, n);
  case 4:
    return gatherAs<std::uint32_t>(from, stride, to, n);
  default:
    return gatherAs<std::uint64_t>(from, stride, to, n);
  }
}
void scatter(std::size_t size, const std::byte *from, std::byte *to, std::int64_t stride,
             std::size_t n) {
  switch (size) {
  case 1:
    return scatterAs<std::uint8_t>(from, to, stride, n);
  case 2:
    return scatterAs<std::uint16_t>(from, to, stride, n);
  case 4:
    return scatterAs<std::uint32_t>(from, to, stride, n);
  default:
    return scatterAs<std::uint64_t>(from, to, stride, n);
  }
}

// `rows` rows of n elements where the elements of a column lie together: column by column.
template <class T>
void gatherAcrossAs(const std::byte *from, std::int64_t stride, std::byte *to, std::size_t rows,
                    std::size_t n) {
  auto *target = reinterpret_cast<T *>(to);
  for (std::size_t c = 0; c < n; ++c) {
    auto *column = reinterpret_cast<const T *>(from) + std::int64_t(c) * stride;
    for (std::size_t r = 0; r < rows; ++r)
      target[r * tileColumns + c] = column[r];
  }
}
void gatherAcross(std::size_t size, const std::byte *from, std::int64_t stride, std::byte *to,
                  std::size_t rows, std::size_t n) {
  switch (size) {
  case 1:
    return gatherAcrossAs<std::uint8_t>(from, stride, to, rows, n);
  case 2:
    return gatherAcrossAs<std::uint16_t>(from, stride, to, rows, n);
  case 4:
    return gatherAcrossAs<std::uint32_t>(from, stride, to, rows, n);
  default:
    return gatherAcrossAs<std::uint64_t>(from, stride, to, rows, n);
  }
}

void roundLoop(void *y, const void *a, const void *, const void *, std::size_t n) {
  if (y != a)
    std::memcpy(y, a, n * sizeof(float));
  base::roundToHalf(static_cast<float *>(y), n);
}

// Operators that cost many times an addition.
bool isSlow(const MapStep &step) {
  if (step.kind == MapStep::Binary)
    return step.op == unsigned(expr::BinaryOpType::POWER) ||
           step.op == unsigned(expr::BinaryOpType::ATAN2) ||
           step.op == unsigned(expr::BinaryOpType::REMAINDER);
  if (step.kind != MapStep::Unary)
    return false;
  const auto op = expr::UnaryOpType(step.op);
  using enum expr::UnaryOpType;
  return (step.type == TypeId::Float || step.type == TypeId::Half) && !keepsHalves(op) &&
         op != SQUARE && op != SQRT && op != INVERSE && op != IS_FINITE && op != IS_INF &&
         op != IS_NAN;
}

class Map {
public:
  explicit Map(const KernelArgs &args) : program_(MapProgram::read(args.attributes)), args_(&args) {
    check(args);
    if (!args.outputs[0].elements)
      return;
    std::vector<const KernelOperand *> operands{&args.outputs[0]};
    for (const auto &input : args.inputs)
      operands.push_back(&input);
    walk_ = walkTogether(operands);
    allotRegisters();
    chooseBlocks();
    placeInputs();
    fillConstants();
    args_ = nullptr;
  }

  void run(const KernelArgs &args) {
    const std::size_t elements = args.outputs[0].elements;
    if (!elements)
      return;
    if (blocks_ == 1 || elements * weight_ < worthThreads)
      return work(args, 0, blocks_);
    const std::size_t grain =
        std::max<std::size_t>(1, worthThreads / 2 / std::max<std::size_t>(1, block_ * weight_));
    base::parallelFor(blocks_, grain, [&](std::size_t begin, std::size_t end, unsigned) {
      work(args, begin, end);
    });
  }

private:
  // How an input gets to the operators.
  struct Source {
    std::int64_t stride;   // within a row
    std::uint8_t type;     // TypeId
    bool direct = false;   // read where it is
    bool once = false;     // the same in every block: loaded at the start
    bool tiled = false;    // lies across the rows: loaded for several rows at once
    std::uint16_t reg = 0; // if not direct
  };
  // Memory that the next block will read and write.
  struct Ahead {
    struct Stretch {
      const std::byte *from;
      std::size_t lines;
    } stretches[8];
    unsigned count = 0;
    void add(const std::byte *from, std::size_t bytes) {
      if (count < std::size(stretches))
        stretches[count++] = {from, bytes / 64};
    }
    void fetch(std::size_t part, std::size_t parts) const {
      for (unsigned i = 0; i < count; ++i)
        for (std::size_t line = stretches[i].lines * part / parts,
                         end = stretches[i].lines * (part + 1) / parts;
             line < end; ++line)
          __builtin_prefetch(stretches[i].from + 64 * line, 0, 2);
    }
  };
  struct Code {
    BlockLoop loop;
    std::uint16_t y, a, b, c;
  };

  std::size_t numValues() const {
    return program_.inputs + program_.constants.size() + program_.steps.size();
  }
  TypeId typeOf(std::size_t value) const {
    if (value < program_.inputs)
      return args_->inputs[value].type;
    value -= program_.inputs;
    return value < program_.constants.size()
               ? program_.constants[value].type
               : program_.steps[value - program_.constants.size()].result;
  }

  void check(const KernelArgs &args) {
    if (args.outputs.size() != 1 || args.inputs.size() != program_.inputs)
      damaged("the number of operands is wrong");
    for (const auto &input : args.inputs)
      if (!std::ranges::equal(input.shape, args.outputs[0].shape))
        damaged("the shapes of the operands differ");
    const std::size_t first = program_.inputs + program_.constants.size();
    for (std::size_t i = 0; i < program_.steps.size(); ++i)
      checkStep(program_.steps[i], first + i);
    if (program_.result >= numValues() || typeOf(program_.result) != args.outputs[0].type)
      damaged("the result is missing or has another type than the output");
    if (program_.result < first) // something must write the output
      program_.steps.push_back(
          {MapStep::Copy, 0, args.outputs[0].type, args.outputs[0].type, program_.result, 0, 0});
    else if (program_.result != numValues() - 1)
      damaged("the last step is not the result");
    program_.result = std::uint16_t(numValues() - 1);
  }
  void checkStep(const MapStep &step, std::size_t index) {
    const std::uint16_t operands[] = {step.a, step.b, step.c};
    const unsigned used = step.kind == MapStep::Ternary ? 3 : step.kind == MapStep::Binary ? 2 : 1;
    for (unsigned i = 0; i < used; ++i)
      if (operands[i] >= index)
        damaged("a step uses a value that does not exist yet");
    if (!loopOf(step))
      damaged("a step has no loop for its type");
    for (unsigned i = 0; i < used; ++i) {
      const bool condition =
          i == 2 && step.op == unsigned(expr::TernaryOpType::SELECT); // BOOL beside the others
      if (computeSize(typeOf(operands[i])) != (condition ? 1 : computeSize(step.type)))
        damaged("a step gets operands of another type");
    }
  }
  static BlockLoop loopOf(const MapStep &step) {
    switch (step.kind) {
    case MapStep::Unary:
      return unaryLoop(expr::UnaryOpType(step.op), step.type);
    case MapStep::Binary:
      return binaryLoop(expr::BinaryOpType(step.op), step.type);
    case MapStep::Ternary:
      return ternaryLoop(expr::TernaryOpType(step.op), step.type);
    case MapStep::Cast:
      return castLoop(step.type, step.result);
    case MapStep::RoundToHalf:
      return roundLoop;
    default:
      return copyLoop(step.type);
    }
  }

  // Steps' results share registers when their lives do not overlap; a result may take the place of
  // an operand that is not used again. Inputs and constants keep theirs.
  void allotRegisters() {
    const std::size_t first = program_.inputs + program_.constants.size();
    std::vector<std::size_t> lastUse(numValues(), 0);
    for (std::size_t i = 0; i < program_.steps.size(); ++i)
      for (auto value : {program_.steps[i].a, program_.steps[i].b, program_.steps[i].c})
        lastUse[value] = i;
    std::vector<std::uint16_t> free;
    home_.resize(numValues());
    for (std::size_t v = 0; v < program_.inputs; ++v)
      home_[v] = numRegisters_++;
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const auto &step = program_.steps[i];
      for (std::size_t v = first; v < first + i; ++v)
        if (lastUse[v] == i && isOperand(step, v) &&
            computeSize(typeOf(v)) == computeSize(step.result))
          free.push_back(home_[v]), lastUse[v] = std::size_t(-1);
      if (free.empty())
        free.push_back(numRegisters_++);
      home_[first + i] = free.back();
      free.pop_back();
      code_.push_back({loopOf(step), std::uint16_t(first + i), step.a, step.b, step.c});
      weight_ += isSlow(step) ? 8 : 1;
      for (std::size_t v = first; v < first + i; ++v)
        if (lastUse[v] == i)
          free.push_back(home_[v]), lastUse[v] = std::size_t(-1);
    }
  }
  static bool isOperand(const MapStep &step, std::size_t value) {
    return step.a == value || (step.b == value && step.kind != MapStep::Unary) ||
           (step.c == value && step.kind == MapStep::Ternary);
  }

  // A block is a part of a row, or several whole rows. All values of a block together should fit
  // the first-level cache.
  void chooseBlocks() {
    std::size_t widest = 1;
    for (std::size_t v = 0; v < numValues(); ++v)
      widest = std::max(widest, computeSize(typeOf(v)));
    const std::size_t live = numRegisters_ + program_.constants.size();
    block_ = live * widest <= 32 ? 1024 : live * widest <= 64 ? 512 : 256;
    const std::size_t inner = walk_.inner(), rows = walk_.rows();
    rowsPerBlock_ = rows > 1 && inner <= maxRow ? std::max<std::size_t>(1, block_ / inner) : 1;
    if (rowsPerBlock_ > 1) {
      block_ = rowsPerBlock_ * inner;
      blocks_ = (rows + rowsPerBlock_ - 1) / rowsPerBlock_;
    } else {
      byColumns_ = rows >= 16 && std::any_of(walk_.operands.begin() + 1, walk_.operands.end(),
                                             [](const auto &o) { return isFarApart(o); });
      if (byColumns_)
        block_ = tileColumns;
      blocksPerRow_ = (inner + block_ - 1) / block_;
      blocks_ = rows * blocksPerRow_;
    }
    const std::size_t held = block_ * (byColumns_ ? tileRows : 1);
    registerBytes_ = (held * widest + alignment - 1) / alignment * alignment;
  }

  // An operand that lies across the rows (a transposed one): each element of a row on a cache line
  // of its own. Pieces of several rows one after the other use these lines while they are there.
  static bool isFarApart(const Walk::Operand &operand) {
    return std::abs(operand.strides.back()) >= 16;
  }

  void placeInputs() {
    bool anyRegister = !program_.constants.empty();
    for (std::size_t i = 0; i < program_.inputs; ++i) {
      const auto &operand = walk_.operands[i + 1];
      Source source{operand.strides.back(), std::uint8_t(args_->inputs[i].type)};
      const bool half = args_->inputs[i].type == TypeId::Half;
      source.direct = !half && (operand.flat || (rowsPerBlock_ == 1 && source.stride == 1));
      source.once = !source.direct && (operand.one || (rowsPerBlock_ > 1 && isPeriodic(operand)));
      source.reg = home_[i];
      source.tiled = !half && byColumns_ && isFarApart(operand) &&
                     operand.strides[operand.strides.size() - 2] == 1;
      anyRegister |= !source.direct;
      sources_.push_back(source);
    }
    const bool half = args_->outputs[0].type == TypeId::Half;
    const auto &out = walk_.operands[0];
    writesThere_ = !half && (out.flat || (rowsPerBlock_ == 1 && out.strides.back() == 1));
    outSize_ = sizeOf(args_->outputs[0].type);
    outHalf_ = half;
    big_ = args_->outputs[0].elements * outSize_ > (1 << 20);
    // A single operator on tensors that lie well needs no blocks at all.
    plain_ = code_.size() == 1 && !anyRegister && writesThere_ && walk_.sizes.size() == 1;
  }
  static bool isPeriodic(const Walk::Operand &operand) {
    return std::all_of(operand.strides.begin(), operand.strides.end() - 1,
                       [](std::int64_t stride) { return stride == 0; });
  }

  void fillConstants() {
    constants_.resize(program_.constants.size());
    for (std::size_t i = 0; i < constants_.size(); ++i) {
      const auto &constant = program_.constants[i];
      constants_[i] = allocate(registerBytes_);
      alignas(8) std::byte value[8];
      const float number = float(constant.number);
      if (constant.type == TypeId::Float || constant.type == TypeId::Half)
        std::memcpy(value, &number, sizeof number);
      else
        std::memcpy(value, &constant.integer, sizeof constant.integer);
      gather(computeSize(constant.type), value, 0, constants_[i].get(), block_);
    }
  }

  struct Free {
    void operator()(std::byte *p) const { ::operator delete(p, std::align_val_t(alignment)); }
  };
  using Memory = std::unique_ptr<std::byte, Free>;
  static Memory allocate(std::size_t bytes) {
    return Memory(static_cast<std::byte *>(::operator new(bytes, std::align_val_t(alignment))));
  }
  // Registers and the table of values' places, kept by each thread from call to call.
  std::byte *scratch() const {
    thread_local Memory memory;
    thread_local std::size_t size = 0;
    const std::size_t need = numRegisters_ * registerBytes_ + numValues() * sizeof(void *);
    if (need > size) [[unlikely]] {
      memory = allocate(need);
      size = need;
    }
    return memory.get();
  }

  void work(const KernelArgs &args, std::size_t begin, std::size_t end) const {
    const std::size_t inner = walk_.inner();
    if (plain_) {
      const std::size_t at = begin * block_, n = std::min(end * block_, inner) - at;
      auto there = [&](std::uint16_t v) {
        return v < program_.inputs ? place(args.inputs[v], v + 1, at) : nullptr;
      };
      const auto &code = code_[0];
      return code.loop(place(args.outputs[0], 0, at), there(code.a), there(code.b), there(code.c),
                       n);
    }
    std::byte *registers = scratch();
    auto **at = reinterpret_cast<std::byte **>(registers + numRegisters_ * registerBytes_);
    for (std::size_t v = 0; v < numValues(); ++v)
      at[v] = v >= program_.inputs && v < program_.inputs + constants_.size()
                  ? constants_[v - program_.inputs].get()
                  : registers + home_[v] * registerBytes_;
    const std::size_t most = std::min(block_, inner * walk_.rows());
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (sources_[i].once)
        loadRows(args, i, 0, rowsPerBlock_ > 1 ? most / inner : 1, rowsPerBlock_ > 1 ? inner : most,
                 0, at[i]);
    std::size_t tile = std::size_t(-1);
    for (std::size_t block = begin; block < end; ++block)
      if (rowsPerBlock_ > 1)
        manyRows(args, block, at);
      else
        partOfRow(args, block, at, tile);
  }

  std::byte *place(const KernelOperand &operand, std::size_t k, std::int64_t element) const {
    return operand.data + (walk_.operands[k].start + element) * std::int64_t(sizeOf(operand.type));
  }

  // Row and part of the row of a block: down the rows of a tile, then along the row.
  std::pair<std::size_t, std::size_t> inTileOrder(std::size_t block) const {
    const std::size_t group = block / (tileRows * blocksPerRow_);
    const std::size_t rest = block - group * tileRows * blocksPerRow_;
    const std::size_t rows = std::min(tileRows, walk_.rows() - group * tileRows);
    return {group * tileRows + rest % rows, rest / rows};
  }

  // The rows around `row` of operands that lie across the rows, if they are not the ones loaded
  // last, and where this row is in them.
  void useTiles(const KernelArgs &args, std::size_t row, std::size_t from, std::size_t n,
                const std::byte *registers, std::byte **at, std::size_t &loaded) const {
    const std::size_t rows = walk_.sizes[walk_.sizes.size() - 2], inDimension = row % rows;
    const std::size_t inTile = inDimension % tileRows, first = row - inTile;
    const std::size_t count = std::min(tileRows, rows - (inDimension - inTile));
    const std::size_t tile = from / block_ * walk_.rows() + first;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (!sources_[i].tiled)
        continue;
      auto *start = const_cast<std::byte *>(registers) + home_[i] * registerBytes_;
      const std::size_t size = sizeOf(args.inputs[i].type);
      const auto *source = args.inputs[i].data + (walk_.rowStart(i + 1, first) +
                                                  std::int64_t(from) * sources_[i].stride) *
                                                     std::int64_t(size);
      if (tile != loaded)
        gatherAcross(size, source, sources_[i].stride, start, count, n);
      at[i] = start + inTile * tileColumns * size;
    }
    loaded = tile;
  }

  void partOfRow(const KernelArgs &args, std::size_t block, std::byte **at,
                 std::size_t &tile) const {
    auto [row, part] =
        byColumns_ ? inTileOrder(block) : std::pair{block / blocksPerRow_, block % blocksPerRow_};
    const std::size_t from = part * block_;
    const std::size_t n = std::min(block_, walk_.inner() - from);
    Ahead ahead;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const auto &source = sources_[i];
      if (source.direct)
        at[i] = args.inputs[i].data +
                (walk_.rowStart(i + 1, row) + std::int64_t(from) * source.stride) *
                    std::int64_t(sizeOf(args.inputs[i].type));
      else if (!source.once && !source.tiled)
        loadRows(args, i, row, 1, n, from, at[i]);
      if (big_ && source.direct)
        ahead.add(at[i] + n * sizeOf(args.inputs[i].type), n * sizeOf(args.inputs[i].type));
    }
    if (byColumns_)
      useTiles(args, row, from, n, scratch(), at, tile);
    const auto &out = args.outputs[0];
    const std::int64_t stride = walk_.operands[0].strides.back();
    std::byte *to =
        out.data + (walk_.rowStart(0, row) + std::int64_t(from) * stride) * std::int64_t(outSize_);
    if (writesThere_)
      at[program_.result] = to;
    if (big_ && writesThere_)
      ahead.add(to + n * outSize_, n * outSize_);
    execute(at, n, ahead.count && (byColumns_ || code_.size() > 1) ? &ahead : nullptr);
    if (!writesThere_)
      storeRow(at[program_.result], to, stride, n);
  }

  void manyRows(const KernelArgs &args, std::size_t block, std::byte **at) const {
    const std::size_t inner = walk_.inner(), row = block * rowsPerBlock_;
    const std::size_t rows = std::min(rowsPerBlock_, walk_.rows() - row), n = rows * inner;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (sources_[i].direct)
        at[i] = place(args.inputs[i], i + 1, std::int64_t(row * inner));
      else if (!sources_[i].once)
        loadRows(args, i, row, rows, inner, 0, at[i]);
    const auto &out = args.outputs[0];
    if (writesThere_)
      at[program_.result] = place(out, 0, std::int64_t(row * inner));
    execute(at, n);
    if (writesThere_)
      return;
    const std::size_t size = outHalf_ ? sizeof(float) : outSize_;
    if (walk_.operands[0].flat)
      return storeRow(at[program_.result], place(out, 0, std::int64_t(row * inner)), 1, n);
    for (std::size_t r = 0; r < rows; ++r)
      storeRow(at[program_.result] + r * inner * size,
               out.data + walk_.rowStart(0, row + r) * std::int64_t(outSize_),
               walk_.operands[0].strides.back(), inner);
  }

  // While the operators work on this block, the next one is fetched from memory little by little.
  void execute(std::byte **at, std::size_t n, const Ahead *ahead = nullptr) const {
    for (std::size_t k = 0; k < code_.size(); ++k) {
      if (ahead)
        ahead->fetch(k, code_.size());
      const auto &code = code_[k];
      code.loop(at[code.y], at[code.a], at[code.b], at[code.c], n);
    }
  }

  // `rows` rows of n elements from position `from` of the row on, one after the other.
  void loadRows(const KernelArgs &args, std::size_t i, std::size_t row, std::size_t rows,
                std::size_t n, std::size_t from, std::byte *to) const {
    const auto &operand = args.inputs[i];
    const std::int64_t stride = sources_[i].stride;
    if (walk_.operands[i + 1].flat) { // rows follow each other
      n *= rows;
      rows = 1;
    }
    if (operand.type != TypeId::Half) {
      const std::size_t size = sizeOf(operand.type);
      for (std::size_t r = 0; r < rows; ++r)
        gather(size,
               operand.data + (walk_.rowStart(i + 1, row + r) + std::int64_t(from) * stride) *
                                  std::int64_t(size),
               stride, to + r * n * size, n);
      return;
    }
    auto *halves = operand.as<const std::uint16_t>();
    auto *floats = reinterpret_cast<float *>(to);
    for (std::size_t r = 0; r < rows; ++r)
      loadHalves(halves + walk_.rowStart(i + 1, row + r) + std::int64_t(from) * stride, stride,
                 floats + r * n, n);
  }
  static void loadHalves(const std::uint16_t *from, std::int64_t stride, float *to, std::size_t n) {
    if (stride == 1)
      return base::halfToFloat(from, to, n);
    if (stride == 0) {
      std::fill_n(to, n, base::halfToFloat(*from));
      return;
    }
    std::uint16_t packed[256];
    for (std::size_t done = 0; done < n; done += 256) {
      const std::size_t part = std::min<std::size_t>(256, n - done);
      for (std::size_t i = 0; i < part; ++i)
        packed[i] = from[std::int64_t(done + i) * stride];
      base::halfToFloat(packed, to + done, part);
    }
  }
  void storeRow(const std::byte *from, std::byte *to, std::int64_t stride, std::size_t n) const {
    if (!outHalf_)
      return scatter(outSize_, from, to, stride, n);
    auto *floats = reinterpret_cast<const float *>(from);
    auto *halves = reinterpret_cast<std::uint16_t *>(to);
    if (stride == 1)
      return base::floatToHalf(floats, halves, n);
    std::uint16_t packed[256];
    for (std::size_t done = 0; done < n; done += 256) {
      const std::size_t part = std::min<std::size_t>(256, n - done);
      base::floatToHalf(floats + done, packed, part);
      for (std::size_t i = 0; i < part; ++i)
        halves[std::int64_t(done + i) * stride] = packed[i];
    }
  }

  MapProgram program_;
  const KernelArgs *args_; // while constructing
  Walk walk_;
  std::vector<Source> sources_;
  std::vector<Code> code_;
  std::vector<std::uint16_t> home_; // register of each value
  std::vector<Memory> constants_;
  std::uint16_t numRegisters_ = 0;
  std::size_t weight_ = 0;
  std::size_t block_ = 0, blocks_ = 0, blocksPerRow_ = 1, rowsPerBlock_ = 1, registerBytes_ = 0;
  std::size_t outSize_ = 0;
  bool writesThere_ = false, outHalf_ = false, plain_ = false;
  bool big_ = false;       // not in a cache: fetch ahead
  bool byColumns_ = false; // blocks in the order of tiles
};

const openipu::Registered registered{openipu::stateful<Map>("popops.map")};

} // namespace
} // namespace popops
