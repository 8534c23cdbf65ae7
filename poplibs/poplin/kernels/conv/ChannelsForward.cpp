// SPDX-License-Identifier: MIT
#include "base/Arithmetic.hpp"
#include "base/Threads.hpp"
#include "conv/Channels.hpp"
#include <algorithm>
#include <map>

namespace poplin::conv {
namespace {

constexpr std::size_t maxDepth = 576; // sums over so many inputs at a time: weights stay in cache
// Pointers that are kept from run to run: few, or more of them if little is computed with each, so
// that to make them again would take a part of the time.
constexpr std::size_t fewPointers = 1 << 13, mostPointers = 1 << 20, muchWork = 4096;
constexpr std::size_t keptWeights = 1 << 16; // floats that stay in second-level cache anyway
alignas(64) const float noInput[8192] = {};  // what outputs next to padding read

} // namespace

// Output positions that one thread does together.
struct ChannelsForward::Block {
  const float *x, *zeros;
  const openipu::KernelOperand &w, &y;
  std::span<const openipu::KernelOperand> extras;
  const float *weights; // packed, or where they are
  std::size_t group = 0, begin = 0, end = 0, firstPanel = 0, endPanel = 0;

  Lists *lists = nullptr;
};

bool ChannelsForward::sumsOnto(std::size_t extra) const {
  return yDirect_ && !held_.empty() && held_[0] == extra;
}

std::size_t ChannelsForward::panelWidth(std::size_t panel) const {
  return base::ceilDiv(std::min(width_, g_.out - panel * width_), kernels_.lanes) * kernels_.lanes;
}

ChannelsForward::ChannelsForward(const Geometry &g, const openipu::KernelArgs &args,
                                 Activation activation)
    : g_(g), x_(args.inputs[0], g.groups, 1), activation_(activation) {
  activationLoop(activation); // refuses what does not exist
  for (const auto &t : args.inputs.subspan(2)) {
    auto &extra = extras_.emplace_back();
    outputOffsets(g, {t.strides.begin() + 2, t.strides.end()}, extra.rows, extra.last);
    extra.perChannel = isPerChannel(t);
  }
  const auto &w = args.inputs[1], &y = args.outputs[0];
  tables_ = tables(g, x_.field);
  bool dilated =
      std::any_of(g.dims.begin(), g.dims.end(), [](auto &d) { return d.in.dilation > 1; });
  rowOrder_ = order(tables_.rows, dilated);
  lastOrder_ = order(tables_.last, dilated);
  outputOffsets(g, {y.strides.begin() + 2, y.strides.end()}, yRows_, yLast_);
  yBatch_ = y.strides[0], yChannel_ = y.shape[1] > 1 ? y.strides[1] : 1;
  kernelOffsets_ = kernelOffsets(g, w);
  held_ = heldBy(args);
  yDirect_ = y.type == poplar::TypeId::Float && yChannel_ == 1 && g.out % kernels_.lanes == 0 &&
             held_.size() < 2;
  width_ = kernels_.vectors * kernels_.lanes;
  panels_ = base::ceilDiv(g.out, width_);
  steps_ = g.kernelPositions();
  positions_ = g.batch * g.outputPositions();
  unpacked_ = w.type == poplar::TypeId::Float && w.strides[1] == 1 && w.strides[2] >= 0 &&
              g.out % kernels_.lanes == 0 && positions_ <= 192 && !w.steady;
  joins_ = !unpacked_ && tables_.last.kernels > 1 && tables_.last.kernels * g.in <= maxDepth &&
           x_.field.back() == std::int64_t(g.in);
  if (joins_)
    findJoins();
  blockRows_ = 96;
  panelsPerPiece_ = panels_;
  auto pieces = [&] {
    return g.groups * base::ceilDiv(positions_, blockRows_) *
           base::ceilDiv(panels_, panelsPerPiece_);
  };
  while (pieces() < 16 && panelsPerPiece_ > 1)
    panelsPerPiece_ = base::ceilDiv(panelsPerPiece_, 2);
  while (pieces() < 8 && blockRows_ > 24)
    blockRows_ /= 2;
  // Blocks of about the same size, in whole tiles.
  const auto vectors =
      std::min<std::size_t>(kernels_.vectors, base::ceilDiv(g.out, kernels_.lanes));
  const auto tile = kernels_.rowsFor[vectors];
  const auto each = base::ceilDiv(positions_, base::ceilDiv(positions_, blockRows_));
  blockRows_ = base::roundUp(each, tile);
}

void ChannelsForward::run(const openipu::KernelArgs &args) {
  if (args.outputs[0].elements == 0)
    return;
  const float *x = x_.fetch(args.inputs[0], Slot::Operand);
  const float *weights = args.inputs[1].as<const float>();
  if (!unpacked_)
    weights = packedWeights(args);
  const float *zeros = noInput;
  if (g_.in > std::size(noInput)) {
    float *longer = scratch(Slot::Output, g_.in);
    std::fill_n(longer, g_.in, 0.f);
    zeros = longer;
  }
  auto blocks = base::ceilDiv(positions_, blockRows_),
       across = base::ceilDiv(panels_, panelsPerPiece_);
  const auto pointers = g_.groups * positions_ * (joins_ ? tables_.rows.kernels : steps_);
  const auto work = g_.in * g_.out * (joins_ ? tables_.last.kernels : 1);
  const bool lasting =
      zeros == noInput && pointers <= (work < muchWork ? mostPointers : fewPointers);
  if (lasting && builtFor_ != x)
    buildAll(args, x);
  base::parallelFor(
      g_.groups * blocks * across, 1, [&](std::size_t begin, std::size_t end, unsigned) {
        thread_local Lists own; // it keeps its memory
        Block block{x, zeros, args.inputs[1], args.outputs[0], args.inputs.subspan(2), weights};
        for (auto i = begin; i < end; ++i) {
          place(block, i / across);
          block.firstPanel = i % across * panelsPerPiece_;
          block.endPanel = std::min(panels_, block.firstPanel + panelsPerPiece_);
          block.lists = lasting ? &built_[i / across] : &own;
          if (!lasting)
            buildRows(block);
          runBlock(block);
        }
      });
}

void ChannelsForward::place(Block &block, std::size_t index) const {
  const auto blocks = base::ceilDiv(positions_, blockRows_);
  block.group = index / blocks;
  block.begin = index % blocks * blockRows_;
  block.end = std::min(positions_, block.begin + blockRows_);
}

void ChannelsForward::buildAll(const openipu::KernelArgs &args, const float *x) {
  built_.resize(g_.groups * base::ceilDiv(positions_, blockRows_));
  base::parallelFor(built_.size(), 4, [&](std::size_t begin, std::size_t end, unsigned) {
    Block block{x, noInput, args.inputs[1], args.outputs[0], args.inputs.subspan(2), nullptr};
    for (auto i = begin; i < end; ++i) {
      place(block, i);
      block.lists = &built_[i];
      buildRows(block);
    }
  });
  builtFor_ = x;
}

const float *ChannelsForward::packedWeights(const openipu::KernelArgs &args) {
  const auto &w = args.inputs[1];
  const auto size = g_.groups * steps_ * g_.in * panels_ * width_ + 1024;
  if (w.steady && kept_.data() && generation_ == args.generation)
    return kept_.data();
  float *packed = w.steady ? kept_.grow(size) : scratch(Slot::Weights, size);
  packWeights(w, packed);
  generation_ = args.generation;
  return packed;
}

// [group][panel][step][in][column of the panel]
void ChannelsForward::packWeights(const openipu::KernelOperand &w, float *packed) const {
  auto items = g_.groups * panels_ * steps_;
  auto grain = std::max<std::size_t>(1, 32768 / std::max<std::size_t>(1, g_.in * width_));
  base::parallelFor(items, grain, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i) {
      auto step = i % steps_, panel = i / steps_ % panels_, group = i / steps_ / panels_;
      auto columns = std::min(width_, g_.out - panel * width_), padded = panelWidth(panel);
      float *to =
          packed + (group * panels_ + panel) * steps_ * g_.in * width_ + step * g_.in * padded;
      if (padded != columns)
        std::fill_n(to, g_.in * padded, 0.f);
      auto offset = std::int64_t(group) * w.strides[0] +
                    std::int64_t(panel * width_) * w.strides[1] + kernelOffsets_[step];
      Strided from{w.data, w.type, w.strides[2], w.strides[1]};
      from.data = Strided{w.data, w.type, 1, 1}.at(offset, 0).data;
      pack(from, g_.in, columns, to, padded);
    }
  });
}

// Which outputs of the last dimension meet a whole row of the kernel, in neighbours in memory; and
// which of the others meet the same rows of the kernel: these have the same number.
void ChannelsForward::findJoins() {
  const auto across = tables_.last.kernels, down = tables_.rows.kernels;
  for (std::size_t o = 0; o < tables_.last.outputs; ++o) {
    bool whole = true;
    for (std::size_t k = 0; k < across; ++k)
      whole = whole && tables_.last.at(o, k) >= 0 &&
              tables_.last.at(o, k) == tables_.last.at(o, 0) + std::int64_t(k * g_.in);
    wholeRow_.push_back(whole);
  }
  std::map<std::vector<bool>, std::uint32_t> numbers;
  for (std::size_t o = 0; o < tables_.rows.outputs; ++o) {
    std::vector<bool> met;
    for (std::size_t k = 0; k < down; ++k)
      met.push_back(tables_.rows.at(o, k) >= 0);
    rowKind_.push_back(numbers.emplace(met, numbers.size()).first->second);
  }
}

// Pointers to the inputs of every output position, tile by tile.
void ChannelsForward::buildRows(Block &b) const {
  auto vectors = std::min<std::size_t>(kernels_.vectors, base::ceilDiv(g_.out, kernels_.lanes));
  auto most = kernels_.rowsFor[vectors];
  auto count = base::ceilDiv(b.end - b.begin, most), total = b.end - b.begin;
  auto &lists = *b.lists;
  lists.tiles.clear(), lists.steps.clear(), lists.targets.clear();
  for (auto &offsets : lists.extras)
    offsets.clear();
  std::size_t used = 0; // of the pointers
  const auto lasts = tables_.last.outputs, down = tables_.rows.outputs;
  auto n = b.begin / (down * lasts), row = b.begin / lasts % down, last = b.begin % lasts;
  for (std::size_t t = 0; t < count; ++t) {
    auto first = b.begin + total * t / count, rows = b.begin + total * (t + 1) / count - first;
    Position positions[micro::maxRows];
    bool joined = joins_;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto i = rowOrder_[row], j = lastOrder_[last];
      positions[r] = {b.x + std::int64_t(n) * x_.batch + std::int64_t(b.group) * x_.group,
                      &tables_.rows.offsets[i * tables_.rows.kernels],
                      &tables_.last.offsets[j * tables_.last.kernels]};
      joined = joined && wholeRow_[j] && rowKind_[i] == rowKind_[rowOrder_[first / lasts % down]];
      addTargets(b, n, i, j);
      if (++last == lasts) {
        last = 0;
        row = row + 1 == down ? (++n, 0) : row + 1;
      }
    }
    if (lists.rows.size() < used + steps_ * rows)
      lists.rows.resize(used + steps_ * rows);
    Tile tile{rows, used, lists.steps.size(), 0, joined};
    const float **to = lists.rows.data() + used;
    joined ? joinedPointers(b, positions, rows, to) : allPointers(b, positions, rows, to);
    tile.steps = lists.steps.size() - tile.firstStep;
    used += tile.steps * rows;
    lists.tiles.push_back(tile);
  }
  lists.rows.resize(used);
}

void ChannelsForward::addTargets(Block &b, std::size_t n, std::size_t row, std::size_t last) const {
  b.lists->targets.push_back(std::int64_t(n) * yBatch_ + yRows_[row] + yLast_[last] +
                             std::int64_t(b.group * g_.out) * yChannel_);
  for (std::size_t e = 0; e < extras_.size(); ++e)
    b.lists->extras[e].push_back(std::int64_t(n) * b.extras[e].strides[0] + extras_[e].rows[row] +
                                 extras_[e].last[last] +
                                 std::int64_t(b.group * g_.out) * b.extras[e].strides[1]);
}

void ChannelsForward::joinedPointers(Block &b, const Position *positions, std::size_t rows,
                                     const float **to) const {
  for (std::size_t k = 0; k < tables_.rows.kernels; ++k)
    if (positions[0].rows[k] >= 0) {
      for (std::size_t r = 0; r < rows; ++r)
        to[r] = positions[r].image + positions[r].rows[k] + positions[r].lasts[0];
      b.lists->steps.push_back(std::uint32_t(k * tables_.last.kernels));
      to += rows;
    }
}

void ChannelsForward::allPointers(Block &b, const Position *positions, std::size_t rows,
                                  const float **to) const {
  std::uint32_t step = 0;
  for (std::size_t k1 = 0; k1 < tables_.rows.kernels; ++k1)
    for (std::size_t k2 = 0; k2 < tables_.last.kernels; ++k2, ++step) {
      std::int64_t best = -1;
      for (std::size_t r = 0; r < rows; ++r) {
        auto offset = positions[r].rows[k1] + positions[r].lasts[k2];
        to[r] = offset >= 0 ? positions[r].image + offset : b.zeros;
        best = std::max(best, offset);
      }
      if (best >= 0) {
        b.lists->steps.push_back(step);
        to += rows;
      }
    }
}

void ChannelsForward::runBlock(Block &b) const {
  for (auto panel = b.firstPanel; panel < b.endPanel; ++panel)
    runPanel(b, panel);
}

// Inputs that are read once come from far: the next tile's come while this one is computed, a
// vector with each step if they lie side by side, else all before it.
const float *ChannelsForward::comingInputs(const Block &b, const Tile &next, std::size_t k,
                                           std::size_t depth) const {
  if (steps_ > 1 || next.steps == 0)
    return nullptr;
  const float *const *rows = b.lists->rows.data() + next.firstPointer;
  bool together = depth == g_.in;
  for (std::size_t r = 1; r < next.rows; ++r)
    together = together && rows[r] == rows[r - 1] + g_.in;
  if (together)
    return rows[0];
  for (std::size_t r = 0; r < next.rows; ++r)
    for (std::size_t i = 0; i < depth; i += 16)
      __builtin_prefetch(rows[r] + k + i);
  return nullptr;
}

// Weights that do not stay in the cache: the tiles fetch those that follow these, each a part.
const float *ChannelsForward::comingWeights(const micro::Rows &work, std::size_t tile,
                                            std::size_t tiles) const {
  if (g_.groups * panels_ * steps_ * g_.in * width_ <= keptWeights)
    return nullptr;
  const auto each = work.steps * work.k,
             part = base::ceilDiv(each * (work.ldb / kernels_.lanes), tiles);
  const auto at = tile * std::min(part, each) * kernels_.lanes;
  return at < each * work.ldb ? work.b[0] + work.bOffset + each * work.ldb + at : nullptr;
}

// Rows of what is added where they are, if they are whole vectors of floats, else copied.
micro::Finish ChannelsForward::finishTile(const Block &b, const Tile &tile, std::size_t panel,
                                          std::size_t position, const float **pointers) const {
  const auto columns = std::min(width_, g_.out - panel * width_), padded = panelWidth(panel);
  micro::Finish finish;
  for (std::size_t e = 0; e < extras_.size(); ++e) {
    if (sumsOnto(e))
      continue;
    const auto &t = b.extras[e];
    const auto *offsets = b.lists->extras[e].data() + position;
    const float **to = pointers + e * micro::maxRows;
    const bool direct = t.type == poplar::TypeId::Float && t.strides[1] == 1 && columns == padded;
    if (direct && extras_[e].perChannel && !finish.perColumn) {
      finish.perColumn = t.as<const float>() + offsets[0] + panel * width_;
      continue;
    }
    if (direct)
      for (std::size_t r = 0; r < tile.rows; ++r) {
        to[r] = t.as<const float>() + offsets[r] + panel * width_;
        comeNear(to[r], columns);
      }
    else
      for (std::size_t r = 0; r < tile.rows; ++r) {
        float *room =
            scratch(Slot::Extras, 2 * micro::maxRows * width_) + (e * micro::maxRows + r) * width_;
        const Strided from{t.data, t.type, 1, t.strides[1]};
        pack(from.at(offsets[r], std::int64_t(panel * width_)), 1, columns, room, width_);
        to[r] = room;
      }
    finish.add[e] = to;
  }
  setActivation(finish, activation_);
  return finish;
}

void ChannelsForward::runPanel(Block &b, std::size_t panel) const {
  auto columns = std::min(width_, g_.out - panel * width_), padded = panelWidth(panel);
  auto vectors = padded / kernels_.lanes, ldb = unpacked_ ? std::size_t(b.w.strides[2]) : padded;
  thread_local std::vector<const float *> weights; // by step of every tile
  weights.resize(b.lists->steps.size());
  for (std::size_t s = 0; s < b.lists->steps.size(); ++s)
    weights[s] = unpacked_ ? b.weights + std::int64_t(b.group) * b.w.strides[0] +
                                 std::int64_t(panel * width_) + kernelOffsets_[b.lists->steps[s]]
                           : b.weights + (b.group * panels_ + panel) * steps_ * g_.in * width_ +
                                 b.lists->steps[s] * g_.in * padded;
  float *result = yDirect_ ? nullptr : scratch(Slot::Result, blockRows_ * width_);
  // Whole kernel positions together while they are shallow, else parts of one.
  auto stepsAtOnce = std::max<std::size_t>(1, maxDepth / std::max<std::size_t>(1, g_.in));
  if (joins_)
    stepsAtOnce -= stepsAtOnce % tables_.last.kernels;
  auto depth = std::min<std::size_t>(g_.in, maxDepth);
  bool first = true;
  for (std::size_t s0 = 0; s0 == 0 || s0 < steps_; s0 += stepsAtOnce)
    for (std::size_t k = 0; k == 0 || k < g_.in; k += std::max<std::size_t>(1, depth)) {
      std::size_t position = 0;
      for (const auto &tile : b.lists->tiles) {
        float *targets[micro::maxRows];
        for (std::size_t r = 0; r < tile.rows; ++r, ++position)
          targets[r] = yDirect_ ? b.y.as<float>() + b.lists->targets[position] + panel * width_
                                : result + position * width_;
        const auto unit = tile.joined ? tables_.last.kernels : 1;
        auto from = std::min(s0 / unit, tile.steps),
             to = std::min((s0 + stepsAtOnce) / unit, tile.steps);
        if (from == to && !first)
          continue;
        bool last = to == tile.steps && (from == to || k + depth >= g_.in);
        micro::Rows work{b.lists->rows.data() + tile.firstPointer + from * tile.rows,
                         to - from,
                         tile.rows,
                         unit * std::min(depth, g_.in - k),
                         weights.data() + tile.firstStep + from,
                         ldb,
                         targets,
                         !first || (yDirect_ && !held_.empty())};
        work.aOffset = k, work.bOffset = k * ldb;
        if (panel == b.firstPanel && &tile != &b.lists->tiles.back())
          work.ahead = comingInputs(b, (&tile)[1], k, depth);
        if (!work.ahead && !unpacked_)
          work.ahead = comingWeights(work, std::size_t(&tile - b.lists->tiles.data()),
                                     b.lists->tiles.size());
        const float *added[2 * micro::maxRows];
        micro::Finish finish;
        if (last && (!extras_.empty() || activation_ != Activation::None)) {
          finish = finishTile(b, tile, panel, position - tile.rows, added);
          work.finish = &finish;
        }
        kernels_.rows[vectors][tile.rows](work);
      }
      first = false;
    }
  for (std::size_t i = 0; !yDirect_ && i < b.end - b.begin; ++i) {
    Strided to{nullptr, b.y.type, 0, yChannel_};
    to.data =
        Strided{b.y.data, b.y.type, 1, yChannel_}.at(b.lists->targets[i], panel * width_).data;
    unpack(result + i * width_, width_, 1, columns, to);
  }
}

} // namespace poplin::conv
