// SPDX-License-Identifier: MIT
// popops.map: evaluates expressions in one pass. The first output is walked in memory order, in
// blocks that stay in the first-level cache; each operator is a vectorised loop over a block.
// Operands that lie well are read where they are, and results are written where the outputs are;
// others go through a register (a block of memory per thread): halves, broadcasts, strided rows.
#include "popops/kernels/Map.hpp"
#include "base/Arithmetic.hpp"
#include "base/Half.hpp"
#include "base/Threads.hpp"
#include "elementwise/Loops.hpp"
#include "elementwise/MapNans.hpp"
#include "elementwise/MapRows.hpp"
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

using kernels::keepsHalves;
using kernels::MapProgram;
using kernels::MapStep;
using openipu::KernelArgs;
using openipu::KernelOperand;
using Operands = std::span<const KernelOperand>;

constexpr std::size_t alignment = 64;
constexpr std::size_t maxRow = 256;     // shorter rows are put together to blocks
constexpr std::size_t maxPeriod = 2048; // elements after which broadcasts repeat, to keep them
constexpr std::size_t tileRows = 16, tileColumns = 256; // of operands that lie across the rows
// Nanoseconds of one thread, about: an operator on an element, a byte of memory, and what is worth
// waking threads for.
constexpr double operatorTime = 0.035, byteTime = 0.025, worthThreads = 25000;

[[noreturn]] void damaged(const char *what) {
  throw std::runtime_error(std::string("popops.map: ") + what +
                           ": the executable is damaged, or was written by another version. "
                           "Compile it again.");
}

template <base::HalfOverflow overflow>
void roundLoop(void *y, const void *a, const void *, const void *, std::size_t n) {
  if (y != a)
    std::memcpy(y, a, n * sizeof(float));
  base::limitToHalf(static_cast<float *>(y), n, overflow);
  base::roundToHalf(static_cast<float *>(y), n);
}
BlockLoop roundLoopFor(base::HalfOverflow overflow) {
  using enum base::HalfOverflow;
  return overflow == Largest ? roundLoop<Largest>
         : overflow == Nan   ? roundLoop<Nan>
                             : roundLoop<Infinite>;
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

BlockLoop loopOf(const MapStep &step) {
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
    return roundLoopFor(base::HalfOverflow::Infinite);
  default:
    return copyLoop(step.type);
  }
}

bool isOperand(const MapStep &step, std::size_t value) {
  if (step.kind == MapStep::Joined)
    return false;
  return step.a == value || (step.b == value && step.kind != MapStep::Unary) ||
         (step.c == value && step.kind == MapStep::Ternary);
}

// The memory between the first and the last element.
std::pair<const std::byte *, const std::byte *> reachOf(const KernelOperand &operand) {
  std::int64_t first = 0, last = 0;
  for (std::size_t d = 0; d < operand.shape.size(); ++d) {
    const std::int64_t reach = operand.strides[d] * (std::int64_t(operand.shape[d]) - 1);
    (reach < 0 ? first : last) += reach;
  }
  const auto size = std::int64_t(sizeOf(operand.type));
  return {operand.data + first * size, operand.data + (last + 1) * size};
}
bool mayOverlap(const KernelOperand &a, const KernelOperand &b) {
  const auto x = reachOf(a), y = reachOf(b);
  return x.first < y.second && y.first < x.second;
}

struct Free {
  void operator()(std::byte *p) const { ::operator delete(p, std::align_val_t(alignment)); }
};
using Memory = std::unique_ptr<std::byte, Free>;
Memory allocate(std::size_t bytes) {
  return Memory(static_cast<std::byte *>(::operator new(bytes, std::align_val_t(alignment))));
}

// The expressions on one list of operands.
class Map {
public:
  Map(const MapProgram &program, Operands outputs, Operands inputs)
      : program_(program), outputs_(outputs), inputs_(inputs) {
    check();
    elements_ = outputs[0].elements;
    if (!elements_)
      return;
    std::vector<const KernelOperand *> operands;
    for (const auto &output : outputs)
      operands.push_back(&output);
    for (const auto &input : inputs)
      operands.push_back(&input);
    walk_ = walkTogether(operands);
    joinProducts();
    allotRegisters();
    chooseBlocks();
    placeInputs();
    placeOutputs();
    fillConstants();
  }

  void run(base::HalfOverflow overflow) {
    if (!elements_)
      return;
    if (std::exchange(overflow_, overflow) != overflow)
      for (auto &code : code_)
        if (code.rounds)
          code.loop = roundLoopFor(overflow);
    const double time = double(elements_) * timePerElement_;
    if (blocks_ == 1 || time < worthThreads)
      return work(0, blocks_);
    const auto grain = std::size_t(worthThreads / 4 * double(blocks_) / time);
    base::parallelFor(blocks_, std::max<std::size_t>(1, grain),
                      [&](std::size_t begin, std::size_t end, unsigned) { work(begin, end); });
  }

private:
  // How an input gets to the operators.
  struct Source {
    std::int64_t stride; // within a row
    TypeId type;
    bool direct = false; // read where it is
    bool once = false;   // the same in every block: loaded at the start
    bool tiled = false;  // lies across the rows: loaded for several rows at once
  };
  // Where a result goes.
  struct Target {
    std::uint16_t value;
    std::int64_t stride; // within a row
    TypeId type;
    std::size_t size;
    bool direct = false; // written where the output is
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
    bool rounds; // to half
  };
  // What one thread has at hand while it works.
  struct Frame {
    std::byte *registers;
    std::byte **at;         // of each value
    std::int64_t *starts;   // of each operand: element where `row` begins
    const std::byte **held; // of each input: the one element that its register is full of
    std::size_t row = std::size_t(-1), tile = std::size_t(-1);
  };

  // ---- preparing

  std::size_t firstStep() const { return program_.inputs + program_.constants.size(); }
  std::size_t numValues() const { return firstStep() + program_.steps.size(); }
  TypeId typeOf(std::size_t value) const {
    if (value < program_.inputs)
      return inputs_[value].type;
    value -= program_.inputs;
    return value < program_.constants.size()
               ? program_.constants[value].type
               : program_.steps[value - program_.constants.size()].result;
  }

  void check() {
    for (auto list : {outputs_, inputs_})
      for (const auto &operand : list)
        if (!std::ranges::equal(operand.shape, outputs_[0].shape))
          damaged("the shapes of the operands differ");
    for (std::size_t i = 0; i < program_.steps.size(); ++i)
      checkStep(program_.steps[i], firstStep() + i);
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      auto &result = program_.results[o];
      const TypeId type = outputs_[o].type;
      if (result >= numValues() || !mayGive(typeOf(result), type))
        damaged("a result is missing or has another type than the output");
      const auto known = program_.results.begin();
      // A step of its own must write each output.
      if (result < firstStep() || std::find(known, known + long(o), result) != known + long(o)) {
        program_.steps.push_back({MapStep::Copy, 0, type, type, result, 0, 0});
        result = std::uint16_t(numValues() - 1);
      }
    }
  }
  // Halves are computed as floats, and left so for who rounds them elsewhere.
  static bool mayGive(TypeId result, TypeId output) {
    return result == output || (result == TypeId::Half && output == TypeId::Float);
  }
  void checkStep(const MapStep &step, std::size_t index) const {
    const std::uint16_t operands[] = {step.a, step.b, step.c};
    if (step.kind > MapStep::Copy)
      damaged("a step is of no kind");
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

  // A product of floats that only the next step takes, to add or to subtract it, is done with it.
  void joinProducts() {
    using enum expr::BinaryOpType;
    auto &steps = program_.steps;
    joined_.assign(steps.size(), nullptr);
    std::vector<unsigned> uses(numValues(), 0);
    for (std::size_t i = 0; i < steps.size(); ++i)
      for (std::size_t v = 0; v < numValues(); ++v)
        uses[v] += isOperand(steps[i], v);
    for (auto result : program_.results)
      uses[result] += 2;
    const auto isFloat = [](const MapStep &s, expr::BinaryOpType op) {
      return s.kind == MapStep::Binary && s.op == unsigned(op) && s.type == TypeId::Float;
    };
    for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
      const auto value = std::uint16_t(firstStep() + i);
      const MapStep product = steps[i], sum = steps[i + 1];
      const bool adds = isFloat(sum, ADD), first = sum.a == value;
      if (joined_[i] || !isFloat(product, MULTIPLY) || !(adds || isFloat(sum, SUBTRACT)) ||
          uses[value] != 1 || first == (sum.b == value))
        continue;
      joined_[i + 1] = joinedLoop(adds ? Joined::Add : first ? Joined::From : Joined::Take);
      steps[i + 1] = {MapStep::Ternary,     sum.op, sum.type, sum.result, product.a, product.b,
                      first ? sum.b : sum.a};
      steps[i].kind = MapStep::Joined;
    }
  }

  // Steps' results share registers when their lives do not overlap; a result may take the place of
  // an operand that is not used again. Inputs, constants and what is written keep theirs.
  void allotRegisters() {
    constexpr auto never = std::size_t(-1);
    const std::size_t first = firstStep();
    std::vector<std::size_t> lastUse(numValues(), 0);
    for (std::size_t i = 0; i < program_.steps.size(); ++i)
      for (auto value : {program_.steps[i].a, program_.steps[i].b, program_.steps[i].c})
        lastUse[value] = i;
    for (auto result : program_.results)
      lastUse[result] = never;
    std::vector<std::uint16_t> free;
    home_.resize(numValues());
    for (std::size_t v = 0; v < program_.inputs; ++v)
      home_[v] = numRegisters_++;
    for (std::size_t i = 0; i < program_.steps.size(); ++i) {
      const auto &step = program_.steps[i];
      if (step.kind == MapStep::Joined)
        continue;
      for (std::size_t v = first; v < first + i; ++v)
        if (lastUse[v] == i && isOperand(step, v) &&
            computeSize(typeOf(v)) == computeSize(step.result))
          free.push_back(home_[v]), lastUse[v] = never;
      if (free.empty())
        free.push_back(numRegisters_++);
      home_[first + i] = free.back();
      free.pop_back();
      code_.push_back({joined_[i] ? joined_[i] : loopOf(step), std::uint16_t(first + i), step.a,
                       step.b, step.c, step.kind == MapStep::RoundToHalf});
      timePerElement_ += operatorTime * (isSlow(step) ? 8 : 1);
      for (std::size_t v = first; v < first + i; ++v)
        if (lastUse[v] == i)
          free.push_back(home_[v]), lastUse[v] = never;
    }
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
    if (rows > 1 && inner <= maxRow) {
      const std::size_t period = longestPeriod();
      rowsPerBlock_ = std::max<std::size_t>(1, block_ / (inner * period)) * period;
    }
    if (rowsPerBlock_ > 1) {
      block_ = rowsPerBlock_ * inner;
      blocks_ = base::ceilDiv(rows, rowsPerBlock_);
    } else {
      byColumns_ = rows >= 16 &&
                   std::any_of(walk_.operands.begin() + long(outputs_.size()), walk_.operands.end(),
                               [](const auto &o) { return isFarApart(o); });
      if (byColumns_)
        block_ = tileColumns;
      blocksPerRow_ = base::ceilDiv(inner, block_);
      blocks_ = rows * blocksPerRow_;
    }
    const std::size_t held = block_ * (byColumns_ ? tileRows : 1);
    registerBytes_ = base::roundUp(held * widest, alignment);
  }

  // Rows after which an operand repeats: blocks of a multiple of them find it in its register.
  std::size_t periodOf(const Walk::Operand &operand) const {
    std::size_t outermost = 0;
    while (outermost + 1 < walk_.sizes.size() && operand.strides[outermost] == 0)
      ++outermost;
    std::size_t rows = 1;
    for (std::size_t d = outermost; d + 1 < walk_.sizes.size(); ++d)
      rows *= walk_.sizes[d];
    return rows;
  }
  // Of the operands that repeat soon. Periods are products of the last dimensions: shorter ones
  // divide longer ones.
  std::size_t longestPeriod() const {
    std::size_t longest = 1;
    for (const auto &operand : walk_.operands)
      if (const auto rows = periodOf(operand); rows * walk_.inner() <= maxPeriod)
        longest = std::max(longest, rows);
    return longest < walk_.rows() ? longest : 1;
  }

  // An operand that lies across the rows (a transposed one): each element of a row on a cache line
  // of its own. Pieces of several rows one after the other use these lines while they are there.
  static bool isFarApart(const Walk::Operand &operand) {
    return std::abs(operand.strides.back()) >= 16;
  }

  const Walk::Operand &walkOf(std::size_t input) const {
    return walk_.operands[outputs_.size() + input];
  }
  bool isDense(const Walk::Operand &operand) const {
    return operand.flat || (rowsPerBlock_ == 1 && operand.strides.back() == 1);
  }
  void placeInputs() {
    for (std::size_t i = 0; i < program_.inputs; ++i) {
      const auto &operand = walkOf(i);
      Source source{operand.strides.back(), inputs_[i].type};
      const bool half = source.type == TypeId::Half;
      source.direct = !half && isDense(operand);
      source.once = !source.direct &&
                    (operand.one || (rowsPerBlock_ > 1 && rowsPerBlock_ % periodOf(operand) == 0));
      source.tiled = !half && byColumns_ && isFarApart(operand) &&
                     operand.strides[operand.strides.size() - 2] == 1;
      if (!source.once)
        timePerElement_ += byteTime * double(sizeOf(source.type));
      sources_.push_back(source);
    }
  }
  // A result is not written over an input that later steps read.
  bool isReadLater(std::size_t output) const {
    for (std::size_t i = 0; i < program_.inputs; ++i)
      for (std::size_t k = program_.results[output] - firstStep() + 1; k < program_.steps.size();
           ++k)
        if (sources_[i].direct && isOperand(program_.steps[k], i) &&
            mayOverlap(outputs_[output], inputs_[i]))
          return true;
    return false;
  }
  void placeOutputs() {
    for (std::size_t o = 0; o < outputs_.size(); ++o) {
      const auto &operand = walk_.operands[o];
      const TypeId type = outputs_[o].type;
      Target target{program_.results[o], operand.strides.back(), type, sizeOf(type)};
      target.direct = type != TypeId::Half && isDense(operand) && !isReadLater(o);
      timePerElement_ += byteTime * double(target.size);
      big_ |= elements_ * target.size > (1 << 20);
      targets_.push_back(target);
    }
    // A single operator on tensors that lie well needs no blocks at all.
    plain_ = code_.size() == 1 && targets_[0].direct && program_.constants.empty() &&
             walk_.sizes.size() == 1 &&
             std::ranges::all_of(sources_, [](const auto &s) { return s.direct; });
  }

  void fillConstants() {
    for (const auto &constant : program_.constants) {
      alignas(8) std::byte value[8];
      const float number = float(constant.number);
      if (constant.type == TypeId::Float || constant.type == TypeId::Half)
        std::memcpy(value, &number, sizeof number);
      else
        std::memcpy(value, &constant.integer, sizeof constant.integer);
      constants_.push_back(allocate(registerBytes_));
      rows::gather(computeSize(constant.type), value, 0, constants_.back().get(), block_);
    }
  }

  // ---- running

  // Registers and tables, kept by each thread from call to call.
  Frame makeFrame() const {
    thread_local Memory memory;
    thread_local std::size_t size = 0;
    const std::size_t need =
        numRegisters_ * registerBytes_ +
        (numValues() + walk_.operands.size() + program_.inputs) * sizeof(std::int64_t);
    if (need > size) [[unlikely]] {
      memory = allocate(need);
      size = need;
    }
    Frame frame{memory.get(), {}, {}, {}};
    frame.at = reinterpret_cast<std::byte **>(frame.registers + numRegisters_ * registerBytes_);
    frame.starts = reinterpret_cast<std::int64_t *>(frame.at + numValues());
    frame.held = reinterpret_cast<const std::byte **>(frame.starts + walk_.operands.size());
    for (std::size_t v = 0; v < numValues(); ++v)
      frame.at[v] = v >= program_.inputs && v < firstStep()
                        ? constants_[v - program_.inputs].get()
                        : frame.registers + home_[v] * registerBytes_;
    std::fill_n(frame.held, program_.inputs, nullptr);
    return frame;
  }

  void work(std::size_t begin, std::size_t end) const {
    const std::size_t inner = walk_.inner();
    if (plain_)
      return workPlain(begin * block_, std::min(end * block_, inner));
    Frame frame = makeFrame();
    const std::size_t most = std::min(block_, inner * walk_.rows());
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (sources_[i].once && rowsPerBlock_ > 1)
        loadRows(i, 0, most / inner, frame.at[i]);
      else if (sources_[i].once)
        rows::load(sources_[i].type, element(inputs_[i], walkOf(i).start), 0, frame.at[i], most);
    for (std::size_t block = begin; block < end; ++block)
      if (rowsPerBlock_ > 1)
        manyRows(block, frame);
      else
        partOfRow(block, frame);
  }
  void workPlain(std::size_t from, std::size_t to) const {
    auto there = [&](std::uint16_t v) {
      return v < program_.inputs ? element(inputs_[v], walkOf(v).start + std::int64_t(from))
                                 : nullptr;
    };
    const auto &code = code_[0];
    code.loop(element(outputs_[0], walk_.operands[0].start + std::int64_t(from)), there(code.a),
              there(code.b), there(code.c), to - from);
  }

  static std::byte *element(const KernelOperand &operand, std::int64_t index) {
    return operand.data + index * std::int64_t(sizeOf(operand.type));
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
  void useTiles(std::size_t row, std::size_t from, std::size_t n, Frame &frame) const {
    const std::size_t rows = walk_.sizes[walk_.sizes.size() - 2], inDimension = row % rows;
    const std::size_t inTile = inDimension % tileRows, first = row - inTile;
    const std::size_t count = std::min(tileRows, rows - (inDimension - inTile));
    const std::size_t tile = from / block_ * walk_.rows() + first;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      if (!sources_[i].tiled)
        continue;
      auto *start = frame.registers + home_[i] * registerBytes_;
      const std::size_t size = sizeOf(sources_[i].type);
      if (tile != frame.tile)
        rows::gatherAcross(size,
                           element(inputs_[i], walk_.rowStart(outputs_.size() + i, first) +
                                                   std::int64_t(from) * sources_[i].stride),
                           sources_[i].stride, start, count, n, tileColumns);
      frame.at[i] = start + inTile * tileColumns * size;
    }
    frame.tile = tile;
  }

  void goToRow(std::size_t row, Frame &frame) const {
    if (row == frame.row)
      return;
    const std::size_t last = walk_.sizes.size() - 2; // not there when there is one row
    const bool next = row != 0 && row == frame.row + 1 && row % walk_.sizes[last] != 0;
    for (std::size_t k = 0; k < walk_.operands.size(); ++k)
      frame.starts[k] =
          next ? frame.starts[k] + walk_.operands[k].strides[last] : walk_.rowStart(k, row);
    frame.row = row;
  }

  void partOfRow(std::size_t block, Frame &frame) const {
    const auto [row, part] =
        byColumns_ ? inTileOrder(block) : std::pair{block / blocksPerRow_, block % blocksPerRow_};
    const auto from = std::int64_t(part * block_);
    const std::size_t n = std::min(block_, walk_.inner() - std::size_t(from));
    goToRow(row, frame);
    Ahead ahead;
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      const auto &source = sources_[i];
      if (source.once || source.tiled)
        continue;
      auto *data = element(inputs_[i], frame.starts[outputs_.size() + i] + from * source.stride);
      if (source.direct)
        frame.at[i] = data;
      else if (source.stride != 0)
        rows::load(source.type, data, source.stride, frame.at[i], n);
      else if (std::exchange(frame.held[i], data) != data)
        rows::load(source.type, data, 0, frame.at[i], std::min(block_, walk_.inner()));
      if (big_ && source.direct)
        ahead.add(data + n * sizeOf(source.type), n * sizeOf(source.type));
    }
    if (byColumns_)
      useTiles(row, std::size_t(from), n, frame);
    for (std::size_t o = 0; o < targets_.size(); ++o)
      if (targets_[o].direct) {
        auto *to = element(outputs_[o], frame.starts[o] + from);
        frame.at[targets_[o].value] = to;
        if (big_)
          ahead.add(to + n * targets_[o].size, n * targets_[o].size);
      }
    execute(frame.at, n, ahead.count && (byColumns_ || code_.size() > 1) ? &ahead : nullptr);
    for (std::size_t o = 0; o < targets_.size(); ++o)
      if (const auto &target = targets_[o]; !target.direct)
        rows::store(target.type, frame.at[target.value],
                    element(outputs_[o], frame.starts[o] + from * target.stride), target.stride, n,
                    overflow_);
  }

  void manyRows(std::size_t block, Frame &frame) const {
    const std::size_t inner = walk_.inner(), row = block * rowsPerBlock_;
    const std::size_t rows = std::min(rowsPerBlock_, walk_.rows() - row), n = rows * inner;
    for (std::size_t i = 0; i < sources_.size(); ++i)
      if (sources_[i].direct)
        frame.at[i] = element(inputs_[i], walkOf(i).start + std::int64_t(row * inner));
      else if (!sources_[i].once)
        loadRows(i, row, rows, frame.at[i]);
    for (std::size_t o = 0; o < targets_.size(); ++o)
      if (targets_[o].direct)
        frame.at[targets_[o].value] =
            element(outputs_[o], walk_.operands[o].start + std::int64_t(row * inner));
    execute(frame.at, n);
    for (std::size_t o = 0; o < targets_.size(); ++o)
      if (!targets_[o].direct)
        storeRows(o, row, rows, frame.at[targets_[o].value]);
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

  // Whole rows one after the other, from `row` on.
  void loadRows(std::size_t i, std::size_t row, std::size_t count, std::byte *to) const {
    const auto stride = sources_[i].stride;
    const auto type = sources_[i].type;
    const std::size_t inner = walk_.inner(), size = computeSize(type);
    if (walkOf(i).flat) // rows follow each other
      return rows::load(type, element(inputs_[i], walkOf(i).start + std::int64_t(row * inner)), 1,
                        to, count * inner);
    walk_.eachStretch(outputs_.size() + i, row, count,
                      [&](std::int64_t start, std::int64_t step, std::size_t rows) {
                        const auto *from = element(inputs_[i], start);
                        if (stride == 0 && type != TypeId::Half)
                          rows::repeatEach(size, from, step, to, rows, inner);
                        else
                          for (std::size_t r = 0; r < rows; ++r)
                            rows::load(type, element(inputs_[i], start + std::int64_t(r) * step),
                                       stride, to + r * inner * size, inner);
                        to += rows * inner * size;
                      });
  }
  void storeRows(std::size_t o, std::size_t row, std::size_t count, const std::byte *from) const {
    const auto &target = targets_[o];
    const std::size_t inner = walk_.inner(), size = computeSize(target.type);
    if (walk_.operands[o].flat)
      return rows::store(target.type, from,
                         element(outputs_[o], walk_.operands[o].start + std::int64_t(row * inner)),
                         1, count * inner, overflow_);
    walk_.eachStretch(o, row, count, [&](std::int64_t start, std::int64_t step, std::size_t rows) {
      for (std::size_t r = 0; r < rows; ++r, from += inner * size)
        rows::store(target.type, from, element(outputs_[o], start + std::int64_t(r) * step),
                    target.stride, inner, overflow_);
    });
  }

  MapProgram program_;
  Operands outputs_, inputs_;
  std::size_t elements_ = 0;
  Walk walk_;
  std::vector<Source> sources_;
  std::vector<Target> targets_;
  std::vector<Code> code_;
  std::vector<BlockLoop> joined_;   // by step, of those that took the product before them
  std::vector<std::uint16_t> home_; // register of each value
  std::vector<Memory> constants_;
  std::uint16_t numRegisters_ = 0;
  double timePerElement_ = 0;
  std::size_t block_ = 0, blocks_ = 0, blocksPerRow_ = 1, rowsPerBlock_ = 1, registerBytes_ = 0;
  base::HalfOverflow overflow_ = base::HalfOverflow::Infinite; // of this run
  bool plain_ = false;
  bool big_ = false;       // not in a cache: fetch ahead
  bool byColumns_ = false; // blocks in the order of tiles
};

class Maps {
public:
  explicit Maps(const KernelArgs &args) {
    const auto program = MapProgram::read(args.attributes);
    const std::size_t results = program.results.size(), inputs = program.inputs;
    if (!results || args.outputs.size() % results ||
        args.inputs.size() != args.outputs.size() / results * inputs)
      damaged("the number of operands is wrong");
    for (std::size_t i = 0; i < args.outputs.size() / results; ++i)
      maps_.emplace_back(program, args.outputs.subspan(i * results, results),
                         args.inputs.subspan(i * inputs, inputs));
  }
  void run(const KernelArgs &args) {
    for (auto &map : maps_)
      map.run(args.rounding.overflow);
  }

private:
  std::vector<Map> maps_;
};

openipu::Kernel mapKernel() {
  auto kernel = openipu::stateful<Maps>(kernels::map, openipu::alwaysGivesFloats, nansOfMap);
  kernel.limitsHalves = true;
  return kernel;
}
const openipu::Registered registered{mapKernel()};
const openipu::Overwriting overwriting{kernels::map, kernels::mapMayOverwrite};

} // namespace
} // namespace popops
