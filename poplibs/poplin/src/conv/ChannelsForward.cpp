// SPDX-License-Identifier: MIT
#include "base/Threads.hpp"
#include "conv/Channels.hpp"
#include <algorithm>

namespace poplin::conv {
namespace {

constexpr std::size_t ceilDiv(std::size_t a, std::size_t b) { return (a + b - 1) / b; }
constexpr std::size_t maxDepth = 576; // sums over so many inputs at a time: weights stay in cache
constexpr std::size_t keptWeights = 1 << 16; // floats that stay in second-level cache anyway
alignas(64) const float noInput[8192] = {};  // what outputs next to padding read

} // namespace

// Output positions that one thread does together.
struct ChannelsForward::Block {
  const float *x, *zeros;
  const openipu::KernelOperand &w, &y;
  std::span<const openipu::KernelOperand> extras;
  const float *weights; // packed, or where they are
  std::size_t group, begin, end, firstPanel, endPanel;

  struct Lists {
    std::vector<Tile> tiles;
    std::vector<const float *> rows;  // [step][row] of every tile
    std::vector<std::uint32_t> steps; // kernel positions of every tile that meet inputs
    std::vector<const float *> weights;
    std::vector<std::int64_t> targets;   // offset in y of every position
    std::vector<std::int64_t> extras[2]; // and in what is added
  };
  Lists &lists; // of the thread: they keep their memory
};

std::size_t ChannelsForward::panelWidth(std::size_t panel) const {
  return ceilDiv(std::min(width_, g_.out - panel * width_), kernels_.lanes) * kernels_.lanes;
}

ChannelsForward::ChannelsForward(const Geometry &g, const openipu::KernelArgs &args,
                                 Activation activation)
    : g_(g), x_(args.inputs[0], g.groups, 1), activation_(activation) {
  activationLoop(activation); // refuses what does not exist
  for (const auto &t : args.inputs.subspan(2)) {
    auto &extra = extras_.emplace_back();
    outputOffsets(g, {t.strides.begin() + 2, t.strides.end()}, extra.rows, extra.last);
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
  yDirect_ = y.type == poplar::TypeId::Float && yChannel_ == 1 && g.out % kernels_.lanes == 0;
  width_ = kernels_.vectors * kernels_.lanes;
  panels_ = ceilDiv(g.out, width_);
  steps_ = g.kernelPositions();
  positions_ = g.batch * g.outputPositions();
  unpacked_ = w.type == poplar::TypeId::Float && w.strides[1] == 1 && w.strides[2] >= 0 &&
              g.out % kernels_.lanes == 0 && positions_ <= 192 && !w.steady;
  blockRows_ = 96;
  panelsPerPiece_ = panels_;
  auto pieces = [&] {
    return g.groups * ceilDiv(positions_, blockRows_) * ceilDiv(panels_, panelsPerPiece_);
  };
  while (pieces() < 16 && panelsPerPiece_ > 1)
    panelsPerPiece_ = ceilDiv(panelsPerPiece_, 2);
  while (pieces() < 8 && blockRows_ > 24)
    blockRows_ /= 2;
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
  auto blocks = ceilDiv(positions_, blockRows_), across = ceilDiv(panels_, panelsPerPiece_);
  base::parallelFor(
      g_.groups * blocks * across, 1, [&](std::size_t begin, std::size_t end, unsigned) {
        thread_local Block::Lists lists;
        Block block{
            x, zeros, args.inputs[1], args.outputs[0], args.inputs.subspan(2), weights, 0, 0, 0,
            0, 0,     lists};
        for (auto i = begin; i < end; ++i) {
          block.group = i / (blocks * across);
          block.begin = i / across % blocks * blockRows_;
          block.end = std::min(positions_, block.begin + blockRows_);
          block.firstPanel = i % across * panelsPerPiece_;
          block.endPanel = std::min(panels_, block.firstPanel + panelsPerPiece_);
          runBlock(block);
        }
      });
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

// Pointers to the inputs of every output position, tile by tile.
void ChannelsForward::buildRows(Block &b) const {
  auto vectors = std::min<std::size_t>(kernels_.vectors, ceilDiv(g_.out, kernels_.lanes));
  auto most = kernels_.rowsFor[vectors];
  auto count = ceilDiv(b.end - b.begin, most), total = b.end - b.begin;
  b.lists.tiles.clear(), b.lists.rows.clear(), b.lists.steps.clear(), b.lists.targets.clear();
  for (auto &offsets : b.lists.extras)
    offsets.clear();
  auto lasts = tables_.last.outputs, perImage = tables_.rows.outputs * lasts;
  for (std::size_t t = 0; t < count; ++t) {
    auto first = b.begin + total * t / count, rows = b.begin + total * (t + 1) / count - first;
    const std::int64_t *rowTable[micro::maxRows], *lastTable[micro::maxRows];
    const float *image[micro::maxRows];
    for (std::size_t r = 0; r < rows; ++r) {
      auto n = (first + r) / perImage, position = (first + r) % perImage;
      auto row = rowOrder_[position / lasts], last = lastOrder_[position % lasts];
      rowTable[r] = &tables_.rows.offsets[row * tables_.rows.kernels];
      lastTable[r] = &tables_.last.offsets[last * tables_.last.kernels];
      image[r] = b.x + std::int64_t(n) * x_.batch + std::int64_t(b.group) * x_.group;
      b.lists.targets.push_back(std::int64_t(n) * yBatch_ + yRows_[row] + yLast_[last] +
                                std::int64_t(b.group * g_.out) * yChannel_);
      for (std::size_t e = 0; e < extras_.size(); ++e)
        b.lists.extras[e].push_back(std::int64_t(n) * b.extras[e].strides[0] +
                                    extras_[e].rows[row] + extras_[e].last[last] +
                                    std::int64_t(b.group * g_.out) * b.extras[e].strides[1]);
    }
    Tile tile{rows, b.lists.rows.size(), b.lists.steps.size(), 0};
    b.lists.rows.resize(tile.firstPointer + steps_ * rows);
    const float **to = b.lists.rows.data() + tile.firstPointer;
    std::uint32_t step = 0;
    for (std::size_t k1 = 0; k1 < tables_.rows.kernels; ++k1)
      for (std::size_t k2 = 0; k2 < tables_.last.kernels; ++k2, ++step) {
        std::int64_t best = -1;
        for (std::size_t r = 0; r < rows; ++r) {
          auto offset = rowTable[r][k1] + lastTable[r][k2];
          to[r] = offset >= 0 ? image[r] + offset : b.zeros;
          best = std::max(best, offset);
        }
        if (best >= 0) {
          b.lists.steps.push_back(step);
          to += rows;
        }
      }
    tile.steps = b.lists.steps.size() - tile.firstStep;
    b.lists.rows.resize(tile.firstPointer + tile.steps * rows);
    b.lists.tiles.push_back(tile);
  }
}

void ChannelsForward::runBlock(Block &b) const {
  buildRows(b);
  for (auto panel = b.firstPanel; panel < b.endPanel; ++panel)
    runPanel(b, panel);
}

// Inputs that are read once come from far: the next tile's come while this one is computed, a
// vector with each step if they lie side by side, else all before it.
const float *ChannelsForward::comingInputs(const Block &b, const Tile &next, std::size_t k,
                                           std::size_t depth) const {
  if (steps_ > 1 || next.steps == 0)
    return nullptr;
  const float *const *rows = b.lists.rows.data() + next.firstPointer;
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

// Weights that do not stay in the cache: the first tiles fetch those that follow these, each a
// part.
const float *ChannelsForward::comingWeights(const micro::Rows &work, std::size_t tile) const {
  if (g_.groups * panels_ * steps_ * g_.in * width_ <= keptWeights)
    return nullptr;
  auto each = work.steps * work.k, at = tile * each * kernels_.lanes;
  return at < each * work.ldb ? work.b[0] + work.bOffset + each * work.ldb + at : nullptr;
}

// Rows of what is added where they are, if they are whole vectors of floats, else copied.
micro::Finish ChannelsForward::finishTile(const Block &b, const Tile &tile, std::size_t panel,
                                          std::size_t position, const float **pointers) const {
  const auto columns = std::min(width_, g_.out - panel * width_), padded = panelWidth(panel);
  micro::Finish finish;
  for (std::size_t e = 0; e < extras_.size(); ++e) {
    const auto &t = b.extras[e];
    float *room = scratch(Slot::Extras, 2 * micro::maxRows * width_) + e * micro::maxRows * width_;
    for (std::size_t r = 0; r < tile.rows; ++r) {
      Strided from{t.data, t.type, 1, t.strides[1]};
      from = from.at(b.lists.extras[e][position + r], std::int64_t(panel * width_));
      const float *&to = pointers[e * micro::maxRows + r];
      to = static_cast<const float *>(from.data);
      if (t.type == poplar::TypeId::Float && t.strides[1] == 1 && columns == padded)
        continue;
      to = room + r * width_;
      pack(from, 1, columns, room + r * width_, width_);
    }
    finish.add[e] = pointers + e * micro::maxRows;
  }
  finish.relu = activation_ == Activation::Relu;
  finish.activation = finish.relu ? nullptr : activationLoop(activation_);
  return finish;
}

void ChannelsForward::runPanel(Block &b, std::size_t panel) const {
  auto columns = std::min(width_, g_.out - panel * width_), padded = panelWidth(panel);
  auto vectors = padded / kernels_.lanes, ldb = unpacked_ ? std::size_t(b.w.strides[2]) : padded;
  b.lists.weights.resize(b.lists.steps.size());
  for (std::size_t s = 0; s < b.lists.steps.size(); ++s)
    b.lists.weights[s] = unpacked_
                             ? b.weights + std::int64_t(b.group) * b.w.strides[0] +
                                   std::int64_t(panel * width_) + kernelOffsets_[b.lists.steps[s]]
                             : b.weights + (b.group * panels_ + panel) * steps_ * g_.in * width_ +
                                   b.lists.steps[s] * g_.in * padded;
  float *result = yDirect_ ? nullptr : scratch(Slot::Result, blockRows_ * width_);
  // Whole kernel positions together while they are shallow, else parts of one.
  auto stepsAtOnce = std::max<std::size_t>(1, maxDepth / std::max<std::size_t>(1, g_.in));
  auto depth = std::min<std::size_t>(g_.in, maxDepth);
  bool first = true;
  for (std::size_t s0 = 0; s0 == 0 || s0 < steps_; s0 += stepsAtOnce)
    for (std::size_t k = 0; k == 0 || k < g_.in; k += std::max<std::size_t>(1, depth)) {
      std::size_t position = 0;
      for (const auto &tile : b.lists.tiles) {
        float *targets[micro::maxRows];
        for (std::size_t r = 0; r < tile.rows; ++r, ++position)
          targets[r] = yDirect_ ? b.y.as<float>() + b.lists.targets[position] + panel * width_
                                : result + position * width_;
        auto from = std::min(s0, tile.steps), to = std::min(s0 + stepsAtOnce, tile.steps);
        if (from == to && !first)
          continue;
        bool last = to == tile.steps && (from == to || k + depth >= g_.in);
        micro::Rows work{b.lists.rows.data() + tile.firstPointer + from * tile.rows,
                         to - from,
                         tile.rows,
                         std::min(depth, g_.in - k),
                         b.lists.weights.data() + tile.firstStep + from,
                         ldb,
                         targets,
                         !first};
        work.aOffset = k, work.bOffset = k * ldb;
        if (panel == b.firstPanel && &tile != &b.lists.tiles.back())
          work.ahead = comingInputs(b, (&tile)[1], k, depth);
        if (!work.ahead && !unpacked_)
          work.ahead = comingWeights(work, std::size_t(&tile - b.lists.tiles.data()));
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
    to.data = Strided{b.y.data, b.y.type, 1, yChannel_}.at(b.lists.targets[i], panel * width_).data;
    unpack(result + i * width_, width_, 1, columns, to);
  }
}

} // namespace poplin::conv
