// SPDX-License-Identifier: MIT
#include "NormSpace.hpp"
#include "base/Arithmetic.hpp"
#include <cstdlib>
#include <numeric>

namespace poplin::norms {
namespace {

using rows::Dim;
using rows::Nest;

// [groups][channels of a group] or the other way round.
void addChannels(Nest &nest, Dim dim, NormGroups groups, std::size_t perGroup) {
  Dim group = dim, within = dim;
  group.size = groups.count;
  within.size = perGroup;
  group.strides[statKey] = 1;
  Dim &outer = groups.strided ? within : group, &inner = groups.strided ? group : within;
  outer.strides[paramKey] = std::int64_t(inner.size);
  inner.strides[paramKey] = 1;
  for (unsigned i = 0; i < maxData; ++i)
    outer.strides[i] *= std::int64_t(inner.size);
  nest.push_back(outer);
  nest.push_back(inner);
}

} // namespace

Space::Space(NormGroups groups, std::initializer_list<const openipu::KernelOperand *> data,
             bool parameters) {
  const auto &acts = **data.begin();
  elements = acts.elements;
  auto channels = acts.shape[1];
  keys[0] = groups.count ? acts.shape[0] * groups.count : channels;
  keys[1] = channels;
  Nest nest;
  for (std::size_t d = 0; d < acts.shape.size(); ++d) {
    Dim dim;
    dim.size = acts.shape[d];
    unsigned i = 0;
    for (const auto *operand : data)
      dim.strides[i++] = operand->strides[d];
    if (d == 0 && groups.count)
      dim.strides[statKey] = groups.count;
    if (d == 1 && groups.count) {
      addChannels(nest, dim, groups, channels / groups.count);
      continue;
    }
    if (d == 1)
      dim.strides[statKey] = dim.strides[paramKey] = 1;
    nest.push_back(dim);
  }
  std::erase_if(nest, [](const Dim &dim) { return dim.size == 1; });
  for (Dim &dim : nest)
    if (!parameters)
      dim.strides[paramKey] = 0;
  if (nest.size() > rows::maxDims)
    throw std::runtime_error("norms take at most 24 dimensions; join some with flatten()");
  rows::sortByStride(nest);
  std::vector<bool> channel;
  for (const Dim &dim : nest)
    channel.push_back(dim.strides[paramKey] != 0);
  takeRow(nest, channel, data.size());
  takeRepeat(nest);
  outer = std::move(nest);
}

// The innermost loop, and those around it that continue it in memory: loops without keys, or the
// two loops over channels.
void Space::takeRow(Nest &nest, const std::vector<bool> &channel, unsigned data) {
  key[0] = key[1] = {0};
  row.size = 1;
  row.strides.fill(1);
  bool first = true, rowIsChannel = false;
  while (!nest.empty()) {
    const Dim dim = nest.back();
    bool isChannel = channel[nest.size() - 1];
    bool plain = dim.strides[statKey] == 0 && dim.strides[paramKey] == 0;
    bool even = true;
    for (unsigned i = 0; i < data; ++i)
      even = even && dim.strides[i] == row.strides[i] * std::int64_t(row.size);
    bool alike = (plain && !varies[0] && !varies[1]) || (isChannel && rowIsChannel);
    if (!first && !(even && alike))
      break;
    if (first)
      row.strides = dim.strides;
    for (unsigned which : {0, 1}) {
      auto &keys = key[which];
      auto inner = keys.size();
      keys.resize(plain ? 1 : inner * dim.size);
      for (std::size_t i = 1; !plain && i < dim.size; ++i)
        for (std::size_t j = 0; j < inner; ++j)
          keys[i * inner + j] = keys[j] + std::uint32_t(i * dim.strides[statKey + which]);
      varies[which] = varies[which] || dim.strides[statKey + which] != 0;
    }
    row.size *= dim.size;
    rowIsChannel = isChannel;
    first = false;
    nest.pop_back();
  }
  for (unsigned which : {0, 1}) {
    identity[which] = true;
    for (std::size_t i = 0; i < key[which].size(); ++i)
      identity[which] = identity[which] && key[which][i] == i;
  }
}

void Space::takeRepeat(Nest &nest) {
  rows::join(nest, rows::maxOperands);
  for (auto i = nest.size(); i-- > 0;)
    if (nest[i].strides[statKey] == 0 && nest[i].strides[paramKey] == 0) {
      repeat = nest[i];
      nest.erase(nest.begin() + std::ptrdiff_t(i));
      return;
    }
}

Floats read(const rows::Data &data, const Space &space, const Block &block, unsigned operand,
            unsigned slot) {
  auto stride = space.row.strides[operand], ld = space.repeat.strides[operand];
  auto offset = block.offset[operand];
  if (data.direct(stride))
    return {data.floats() + offset, ld};
  float *to = rows::scratch(slot, block.rows * block.n);
  if (stride == 1 && ld == std::int64_t(block.n)) {
    data.load(offset, 1, block.rows * block.n, to);
  } else {
    for (std::size_t r = 0; r < block.rows; ++r)
      data.load(offset + std::int64_t(r) * ld, stride, block.n, to + r * block.n);
  }
  return {to, std::int64_t(block.n)};
}

Target target(const rows::Data &data, const Space &space, const Block &block, unsigned operand,
              unsigned slot) {
  if (data.direct(space.row.strides[operand]))
    return {data.floats() + block.offset[operand], space.repeat.strides[operand]};
  return {rows::scratch(slot, block.rows * block.n), std::int64_t(block.n)};
}

void write(const rows::Data &data, const Space &space, const Block &block, unsigned operand,
           const Target &from) {
  auto stride = space.row.strides[operand], ld = space.repeat.strides[operand];
  auto offset = block.offset[operand];
  if (data.direct(stride))
    return;
  if (stride == 1 && ld == std::int64_t(block.n))
    return data.store(offset, 1, block.rows * block.n, from.at);
  for (std::size_t r = 0; r < block.rows; ++r)
    data.store(offset + std::int64_t(r) * ld, stride, block.n, from.at + r * block.n);
}

const float *vector(const float *table, const Space &space, const Block &block, unsigned which,
                    unsigned slot) {
  table += block.offset[statKey + which];
  if (space.identity[which] && space.varies[which])
    return table + block.column;
  float *to = rows::scratch(slot, block.n);
  const auto *keys = space.key[which].data() + (space.key[which].size() > 1 ? block.column : 0);
  bool varies = space.key[which].size() > 1;
  for (std::size_t i = 0; i < block.n; ++i)
    to[i] = table[keys[varies ? i : 0]];
  return to;
}

void storeVector(const openipu::KernelOperand &to, const float *from) {
  rows::Data(to).store(0, to.elements > 1 ? to.strides[0] : 1, to.elements, from);
}

BlockWalk::BlockWalk(const Space &space) : space_(&space) {
  outer_ = space.elements ? rows::sizeOf(space.outer) : 0;
  blockColumns_ = std::max<std::size_t>(1, std::min(space.row.size, blockElements));
  blockRows_ = std::min(space.repeat.size, std::max<std::size_t>(1, blockElements / blockColumns_));
  blockRows_ = std::max<std::size_t>(1, blockRows_);
  rowBlocks_ = base::ceilDiv(space.repeat.size, blockRows_);
  columnBlocks_ = base::ceilDiv(space.row.size, blockColumns_);
}

std::size_t BlockWalk::grain() const {
  return std::max<std::size_t>(1, 2 * blockElements / (blockRows_ * blockColumns_));
}

static void place(Block &block, const Space &space, std::size_t row, std::size_t column) {
  for (unsigned i = 0; i < maxData; ++i)
    block.offset[i] +=
        std::int64_t(row) * space.repeat.strides[i] + std::int64_t(column) * space.row.strides[i];
  block.column = column;
}

Block BlockWalk::block(const std::array<std::int64_t, rows::maxOperands> &base,
                       std::size_t index) const {
  auto row = index / columnBlocks_ * blockRows_, column = index % columnBlocks_ * blockColumns_;
  Block block{base, std::min(blockRows_, space_->repeat.size - row), column,
              std::min(blockColumns_, space_->row.size - column)};
  place(block, *space_, row, column);
  return block;
}

Reduction::Reduction(const Space &space, unsigned which) : space_(&space), which_(which) {
  for (const Dim &dim : space.outer)
    (dim.strides[statKey + which] ? kept_ : reduced_).push_back(dim);
  byColumn_ = space.varies[which];
  // Few columns at a time when each has sums of its own, so that a block has many rows.
  blockColumns_ = std::max<std::size_t>(
      1, std::min<std::size_t>(space.row.size, byColumn_ ? 512 : blockElements));
  blockRows_ = std::max<std::size_t>(1, std::min(space.repeat.size, blockElements / blockColumns_));
  rowBlocks_ = base::ceilDiv(space.repeat.size, blockRows_);
  auto columns = base::ceilDiv(space.row.size, blockColumns_);
  columnBlocks_ = byColumn_ ? 1 : columns;
  columnTasks_ = byColumn_ ? columns : 1;
  keptSize_ = space.elements ? rows::sizeOf(kept_) : 0;
  units_ = rows::sizeOf(reduced_) * rowBlocks_ * columnBlocks_;
  // Enough tasks for many threads, none below eight blocks.
  shares_ = keptSize_ * columnTasks_ >= 32
                ? 1
                : std::clamp<std::size_t>(space.elements /
                                              std::max<std::size_t>(1, keptSize_ * columnTasks_) /
                                              (8 * blockElements),
                                          1, std::min<std::size_t>(units_ ? units_ : 1, 32));
}

std::size_t Reduction::grain() const {
  auto elements = space_->elements / std::max<std::size_t>(1, tasks());
  return std::max<std::size_t>(1, 2 * blockElements / std::max<std::size_t>(1, elements));
}

std::size_t Reduction::elements(std::size_t task) const {
  std::size_t count = 0;
  run(task, [&](const Block &block, bool) { count += block.rows * (byColumn_ ? 1 : block.n); });
  return count;
}

Block Reduction::block(const rows::Walk &kept, const rows::Walk &reduced, std::size_t column,
                       std::size_t unit) const {
  auto row = unit / columnBlocks_ * blockRows_;
  auto first = (byColumn_ ? column : unit % columnBlocks_) * blockColumns_;
  Block block{{},
              std::min(blockRows_, space_->repeat.size - row),
              first,
              std::min(blockColumns_, space_->row.size - first)};
  for (unsigned i = 0; i < rows::maxOperands; ++i)
    block.offset[i] = kept.offset[i] + reduced.offset[i];
  place(block, *space_, row, first);
  return block;
}

} // namespace poplin::norms
