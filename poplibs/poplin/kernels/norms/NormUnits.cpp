// SPDX-License-Identifier: MIT
#include "NormUnits.hpp"
#include "base/Arithmetic.hpp"
#include "Transpose.hpp"
#include <cstdlib>

namespace poplin::norms {
namespace {

constexpr std::size_t columns = 128; // batch elements of a unit in mode Batch

} // namespace

Units::Units(NormGroups by, std::initializer_list<const openipu::KernelOperand *> data) {
  const auto &x = **data.begin();
  batch_ = x.shape[0];
  parameters = x.shape[1];
  positions_ = 1;
  for (unsigned d = 2; d < x.shape.size(); ++d)
    if (x.shape[d] != 1) {
      field_.push_back(d);
      positions_ *= x.shape[d];
    }
  std::stable_sort(field_.begin(), field_.end(), [&](unsigned a, unsigned b) {
    return std::abs(x.strides[a]) > std::abs(x.strides[b]);
  });
  choose(by, x);
  for (const auto *t : data)
    operands_.push_back(operandOf(*t, by));
  if (x.elements == 0)
    count = 0;
  auto share = x.elements / std::max<std::size_t>(1, shares());
  grain_ = std::max<std::size_t>(1, 16384 / std::max<std::size_t>(1, share));
}

void Units::choose(NormGroups by, const openipu::KernelOperand &x) {
  const unsigned side = kernels::normInnermost(x.shape, x.strides);
  if (by.count == 0) {
    rowIsBatch_ = side == 0 || positions_ == 1;
    count = statistics = parameters;
    repeat = rowIsBatch_ ? positions_ : batch_;
    n = rowIsBatch_ ? batch_ : positions_;
    outerParameter_ = 1;
    perStatistic = batch_ * positions_;
    return;
  }
  groups = by.count;
  perGroup_ = parameters / groups;
  perStatistic = perGroup_ * positions_;
  statistics = batch_ * groups;
  const bool byGroup = !by.strided || groups == 1;
  if (side == 0)
    mode = Mode::Batch;
  else if (side == 2 || (side == 3 && positions_ > 1))
    mode = Mode::Plain;
  else
    mode = positions_ == 1 && byGroup ? Mode::Layer : Mode::Channels;
  if (mode == Mode::Channels) {
    count = batch_;
    repeat = positions_;
    n = parameters;
    for (std::size_t c = 0; c < n; ++c)
      groupOf.push_back(std::uint32_t(byGroup ? c / perGroup_ : c % groups));
    return;
  }
  inner_ = groups;
  innerParameter_ = byGroup ? perGroup_ : 1;
  nextParameter_ = byGroup ? 1 : groups;
  channels = mode == Mode::Layer ? 1 : perGroup_;
  repeat = mode == Mode::Batch ? positions_ : 1;
  n = mode == Mode::Layer   ? perGroup_
      : mode == Mode::Plain ? positions_
                            : std::min(batch_, columns);
  count = groups * (mode == Mode::Batch && n ? base::ceilDiv(batch_, n) : batch_);
}

Units::Operand Units::operandOf(const openipu::KernelOperand &t, NormGroups by) const {
  const std::int64_t sN = t.strides[0], sC = t.strides[1];
  const std::int64_t sF = field_.empty() ? 1 : t.strides[field_.back()];
  bool joined = true;
  rows::Nest field;
  for (std::size_t i = 0; i < field_.size(); ++i) {
    rows::Dim dim;
    dim.size = t.shape[field_[i]];
    dim.strides[0] = t.strides[field_[i]];
    field.push_back(dim);
    if (i > 0)
      joined = joined && field[i - 1].strides[0] == dim.strides[0] * std::int64_t(dim.size);
  }
  auto add = [](rows::Nest &nest, std::size_t size, std::int64_t stride) {
    rows::Dim dim;
    dim.size = size;
    dim.strides[0] = stride;
    nest.push_back(dim);
  };
  Operand o;
  rows::Nest unit;
  std::int64_t next = sF; // from element to element of a row
  if (by.count == 0) {
    o.outer = sC;
    o.repeat = rowIsBatch_ ? sF : sN;
    next = rowIsBatch_ ? sN : sF;
    if (!rowIsBatch_)
      add(unit, batch_, sN);
    unit.insert(unit.end(), field.begin(), field.end());
    if (rowIsBatch_)
      add(unit, batch_, sN);
  } else if (mode == Mode::Channels) {
    o.outer = sN;
    o.repeat = sF;
    next = sC;
    unit = field;
    add(unit, parameters, sC);
  } else {
    o.outer = mode == Mode::Batch ? sN * std::int64_t(n) : sN;
    o.inner = sC * std::int64_t(innerParameter_);
    o.channel = sC * std::int64_t(nextParameter_);
    o.repeat = sF;
    add(unit, perGroup_, o.channel);
    unit.insert(unit.end(), field.begin(), field.end());
    if (mode == Mode::Batch)
      add(unit, n, sN);
    if (mode != Mode::Plain)
      next = mode == Mode::Batch ? sN : o.channel;
  }
  o.direct = t.type == openipu::TypeId::Float && (next == 1 || n == 1) && joined;
  o.row = unit.back();
  unit.pop_back();
  o.rows = std::move(unit);
  rows::join(o.rows, 1);
  if (t.type == openipu::TypeId::Float && o.row.strides[0] != 1 && !o.rows.empty() &&
      o.rows.back().strides[0] == 1) {
    o.turned = o.rows.back();
    o.rows.pop_back();
  }
  return o;
}

Units::View Units::view(unsigned operand, const rows::Data &data, std::size_t unit, unsigned slot,
                        bool load) const {
  const Operand &o = operands_[operand];
  auto offset = std::int64_t(unit / inner_) * o.outer + std::int64_t(unit % inner_) * o.inner;
  if (o.direct)
    return {data.floats() + offset, o.channel, o.repeat};
  const auto w = width(unit), rowSize = mode == Mode::Batch ? w : o.row.size;
  const auto step = o.turned.size * rowSize;
  float *to = rows::scratch(slot, channels * repeat * w);
  rows::Walk walk(o.rows, 1, 0);
  const auto all = load ? rows::sizeOf(o.rows) : 0;
  for (std::size_t i = 0; i < all; ++i, walk.next())
    if (o.turned.size > 1)
      transpose(data.floats() + offset + walk.offset[0], o.row.strides[0], to + i * step,
                std::int64_t(rowSize), o.turned.size, rowSize);
    else
      data.load(offset + walk.offset[0], o.row.strides[0], rowSize, to + i * rowSize);
  return {to, std::int64_t(repeat * w), std::int64_t(w)};
}

void Units::bringHome(unsigned operand, const rows::Data &data, std::size_t unit,
                      const View &from) const {
  const Operand &o = operands_[operand];
  if (o.direct)
    return;
  auto offset = std::int64_t(unit / inner_) * o.outer + std::int64_t(unit % inner_) * o.inner;
  const auto rowSize = mode == Mode::Batch ? width(unit) : o.row.size;
  rows::Walk walk(o.rows, 1, 0);
  const auto all = rows::sizeOf(o.rows);
  const auto step = o.turned.size * rowSize;
  for (std::size_t i = 0; i < all; ++i, walk.next())
    if (o.turned.size > 1)
      transpose(from.at + i * step, std::int64_t(rowSize), data.floats() + offset + walk.offset[0],
                o.row.strides[0], rowSize, o.turned.size);
    else
      data.store(offset + walk.offset[0], o.row.strides[0], rowSize, from.at + i * rowSize);
}

} // namespace poplin::norms
