// SPDX-License-Identifier: MIT
// Pooling on the host. Windows are boxes, so they are taken apart: first the rows of the other
// field dimensions are joined, element by element, then windows along the last. Backwards is the
// same with the roles exchanged: every input position collects from the box of outputs that saw it.
// Neighbours in memory that are no field positions (channels or batch elements) are done together
// as lanes; without lanes, the positions of a row are (PoolLine.hpp).
#include "popnn/kernels/Pool.hpp"
#include "base/Arithmetic.hpp"
#include "PoolBoxes.hpp"
#include "PoolLine.hpp"
#include "PoolLoops.hpp"
#include "PoolSelect.hpp"
#include "poplin/Rows.hpp"
#include <optional>

namespace popnn {
namespace {

namespace rows = poplin::rows;
using openipu::KernelArgs;
using openipu::KernelOperand;
using Settings = kernels::PoolOf;

// Windows of one field dimension, both ways, and how many elements each output has.
struct Axis {
  std::vector<Window> ofOutput, ofInput;
  std::vector<float> inverseCount; // per output

  Axis(const Settings &s, std::size_t d)
      : ofOutput(s.output[d]), ofInput(s.input[d], Window{0, 0}), inverseCount(s.output[d], 0) {
    // Elements beyond a truncation are in no window.
    std::int64_t begin = std::max(0, -s.lower[d]);
    std::int64_t end = std::int64_t(s.input[d]) - std::max(0, -s.upper[d]);
    for (std::size_t o = 0; o < s.output[d]; ++o) {
      auto start = std::int64_t(o * s.stride[d]) - s.lower[d];
      auto first = std::max(start, begin), last = std::min(start + std::int64_t(s.kernel[d]), end);
      if (first >= last) {
        ofOutput[o] = {0, 0};
        continue;
      }
      ofOutput[o] = {std::uint32_t(first), std::uint32_t(last)};
      inverseCount[o] = 1.0f / float(last - first);
      for (auto i = first; i < last; ++i) {
        auto &window = ofInput[std::size_t(i)];
        if (window.last == 0)
          window.first = std::uint32_t(o);
        window.last = std::uint32_t(o) + 1;
      }
    }
  }
};

// An operand as [outer: batch and channels][field rows][width][lanes].
struct Side {
  rows::Data data;
  std::vector<std::int64_t> fieldStrides; // without the last
  std::int64_t xStride = 0, laneStride = 1;
  std::size_t width = 1;
};

// Which of batch and channels are lanes, and loops over the rest.
struct Planes {
  rows::Nest outer; // one stride per operand
  rows::Dim lane;
  std::size_t laneBlock = 1, laneBlocks = 1;

  explicit Planes(const std::vector<const KernelOperand *> &operands, std::size_t width) {
    for (unsigned d : {0u, 1u}) {
      rows::Dim dim;
      dim.size = operands[0]->shape[d];
      for (std::size_t i = 0; i < operands.size(); ++i)
        dim.strides[i] = operands[i]->strides[d];
      if (dim.size != 1)
        outer.push_back(dim);
    }
    rows::sortByStride(outer);
    rows::join(outer, unsigned(operands.size()));
    lane.strides.fill(1);
    if (!outer.empty() && outer.back().strides[0] == 1) {
      lane = outer.back();
      outer.pop_back();
    }
    laneBlock = std::min<std::size_t>(
        lane.size, std::max<std::size_t>(64, 16384 / std::max<std::size_t>(1, width) / 16 * 16));
    laneBlocks = base::ceilDiv(lane.size, laneBlock);
  }
};

Side side(const KernelOperand &operand, const Planes &planes, unsigned index) {
  Side s;
  s.data = rows::Data(operand);
  auto rank = operand.shape.size();
  for (std::size_t d = 2; d + 1 < rank; ++d)
    s.fieldStrides.push_back(operand.strides[d]);
  if (rank > 2) {
    s.xStride = operand.strides[rank - 1];
    s.width = operand.shape[rank - 1];
  }
  s.laneStride = planes.lane.strides[index];
  return s;
}

// A row of one operand as floats, and where to put one.
PoolRow readRow(const Side &s, std::int64_t offset, std::size_t lanes, unsigned slot) {
  if (s.data.direct(s.laneStride) || (lanes == 1 && !s.data.half))
    return {s.data.floats() + offset, s.xStride};
  float *to = rows::scratch(slot, s.width * lanes);
  if (s.laneStride == 1 && s.xStride == std::int64_t(lanes)) {
    s.data.load(offset, 1, s.width * lanes, to);
  } else if (lanes == 1) {
    s.data.load(offset, s.xStride, s.width, to);
  } else {
    for (std::size_t x = 0; x < s.width; ++x)
      s.data.load(offset + std::int64_t(x) * s.xStride, s.laneStride, lanes, to + x * lanes);
  }
  return {to, std::int64_t(lanes)};
}
PoolTarget targetRow(const Side &s, std::int64_t offset, std::size_t lanes, unsigned slot) {
  if (s.data.direct(s.laneStride) || (lanes == 1 && !s.data.half))
    return {s.data.floats() + offset, s.xStride};
  return {rows::scratch(slot, s.width * lanes), std::int64_t(lanes)};
}
void writeRow(const Side &s, std::int64_t offset, std::size_t lanes, const PoolTarget &from) {
  if (s.data.direct(s.laneStride) || (lanes == 1 && !s.data.half))
    return;
  if (s.laneStride == 1 && s.xStride == std::int64_t(lanes))
    return s.data.store(offset, 1, s.width * lanes, from.at);
  if (lanes == 1)
    return s.data.store(offset, s.xStride, s.width, from.at);
  for (std::size_t x = 0; x < s.width; ++x)
    s.data.store(offset + std::int64_t(x) * s.xStride, s.laneStride, lanes, from.at + x * lanes);
}

// For each row of the destination, the rows of the source that its windows cross.
struct RowTable {
  std::vector<std::int64_t> destination; // offset of each row
  std::vector<std::size_t> begin;        // of its source rows below
  std::vector<std::uint32_t> source;     // rows of the source, counted row-major
  std::vector<float> scale;              // per row of the destination: product of inverse counts

  RowTable(const std::vector<const std::vector<Window> *> &windows, const Side &to,
           const std::vector<std::size_t> &sourceShape,
           const std::vector<const std::vector<float> *> &inverse) {
    std::vector<std::size_t> index(windows.size(), 0);
    for (bool more = true; more;) {
      std::int64_t offset = 0;
      float product = 1;
      for (std::size_t d = 0; d < windows.size(); ++d) {
        offset += std::int64_t(index[d]) * to.fieldStrides[d];
        if (!inverse.empty())
          product *= (*inverse[d])[index[d]];
      }
      destination.push_back(offset);
      scale.push_back(product);
      begin.push_back(source.size());
      addBox(windows, index, sourceShape);
      more = false;
      for (std::size_t d = windows.size(); d-- > 0 && !more;) {
        more = ++index[d] < windows[d]->size();
        if (!more)
          index[d] = 0;
      }
    }
    begin.push_back(source.size());
  }

private:
  void addBox(const std::vector<const std::vector<Window> *> &windows,
              const std::vector<std::size_t> &index, const std::vector<std::size_t> &shape) {
    std::vector<std::uint32_t> at;
    for (std::size_t d = 0; d < windows.size(); ++d) {
      auto window = (*windows[d])[index[d]];
      if (window.first >= window.last)
        return;
      at.push_back(window.first);
    }
    for (bool more = true; more;) {
      std::uint32_t row = 0;
      for (std::size_t d = 0; d < at.size(); ++d)
        row = row * std::uint32_t(shape[d]) + at[d];
      source.push_back(row);
      more = false;
      for (std::size_t d = at.size(); d-- > 0 && !more;) {
        more = ++at[d] < (*windows[d])[index[d]].last;
        if (!more)
          at[d] = (*windows[d])[index[d]].first;
      }
    }
  }
};

// Offsets of the rows of an operand, row-major.
std::vector<std::int64_t> rowOffsets(const Side &s, const std::vector<std::size_t> &shape) {
  std::vector<std::int64_t> out{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    std::vector<std::int64_t> next;
    for (auto base : out)
      for (std::size_t i = 0; i < shape[d]; ++i)
        next.push_back(base + std::int64_t(i) * s.fieldStrides[d]);
    out = std::move(next);
  }
  return out;
}

std::vector<std::size_t> outerField(const KernelOperand &operand) {
  std::vector<std::size_t> shape;
  for (std::size_t d = 2; d + 1 < operand.shape.size(); ++d)
    shape.push_back(operand.shape[d]);
  return shape;
}

// What both directions share: axes, planes, and tables of rows.
struct Pooling {
  Settings settings;
  std::vector<Axis> axes;

  explicit Pooling(const KernelArgs &args) : settings(Settings::read(args.attributes)) {
    for (std::size_t d = 0; d < settings.input.size(); ++d)
      axes.emplace_back(settings, d);
  }
  std::vector<const std::vector<Window> *> outerWindows(bool ofOutput) const {
    std::vector<const std::vector<Window> *> out;
    for (std::size_t d = 0; d + 1 < axes.size(); ++d)
      out.push_back(ofOutput ? &axes[d].ofOutput : &axes[d].ofInput);
    return out;
  }
  std::vector<const std::vector<float> *> outerInverse() const {
    std::vector<const std::vector<float> *> out;
    for (std::size_t d = 0; d + 1 < axes.size(); ++d)
      out.push_back(&axes[d].inverseCount);
    return out;
  }
  const Axis &last() const { return axes.back(); }
  PoolLine line() const {
    const auto &s = settings;
    const auto d = s.input.size() - 1;
    return PoolLine({s.input[d], s.output[d], s.kernel[d], s.stride[d], s.lower[d],
                     std::max(0, -s.lower[d]),
                     std::int64_t(s.input[d]) - std::max(0, -s.upper[d])});
  }
};

// Positions of a row without lanes, side by side.
const float *sideBySide(PoolRow row, std::size_t n, unsigned slot) {
  if (row.ld == 1 || n == 1)
    return row.at;
  float *to = rows::scratch(slot, n);
  for (std::size_t i = 0; i < n; ++i)
    to[i] = row.at[std::int64_t(i) * row.ld];
  return to;
}

// Windows that do not overlap and have elements, along one dimension.
bool areApart(const std::vector<Window> &windows) {
  for (std::size_t o = 0; o < windows.size(); ++o)
    if (windows[o].first >= windows[o].last || (o && windows[o].first < windows[o - 1].last))
      return false;
  return true;
}
bool areBoxes(const Pooling &pooling) {
  std::size_t rows = 1;
  for (const auto kernel : pooling.settings.kernel)
    rows *= kernel;
  bool apart = rows / pooling.settings.kernel.back() <= maxBoxRows;
  for (const auto &axis : pooling.axes)
    apart = apart && areApart(axis.ofOutput);
  return apart && pooling.settings.type == PoolingType::MAX;
}
// Of a row of windows: where the rows lie that it stands on.
template <class Float> struct RowPointers {
  Float *rows[maxBoxRows];
  std::size_t count = 0;
  RowPointers(const RowTable &table, std::size_t row, const std::vector<std::int64_t> &offsets,
              Float *base) {
    for (auto i = table.begin[row]; i < table.begin[row + 1]; ++i)
      rows[count++] = base + offsets[table.source[i]];
  }
};

// Calls body(outer offsets, lanes, row, unit) for all rows of the destination; a unit is a row of a
// block of lanes of a plane.
struct RowWork {
  const Planes &planes;
  std::size_t rowsPerPlane, width;

  std::size_t units() const {
    return rows::sizeOf(planes.outer) * planes.laneBlocks * rowsPerPlane;
  }
  template <class Body> void run(unsigned operands, const Body &body) const {
    auto perOuter = planes.laneBlocks * rowsPerPlane;
    auto range = [&](std::size_t begin, std::size_t end, unsigned) {
      rows::Walk walk(planes.outer, operands, begin / perOuter);
      for (auto unit = begin; unit < end; ++unit) {
        auto within = unit % perOuter;
        auto first = within / rowsPerPlane * planes.laneBlock;
        auto offset = walk.offset;
        for (unsigned i = 0; i < operands; ++i)
          offset[i] += std::int64_t(first) * planes.lane.strides[i];
        body(offset, std::min(planes.laneBlock, planes.lane.size - first), within % rowsPerPlane,
             unit);
        if ((unit + 1) % perOuter == 0)
          walk.next();
      }
    };
    // About two microseconds: more than it takes to hand work to threads that wait for it.
    constexpr std::size_t worthwhile = 12288;
    auto elements = std::max<std::size_t>(1, width * planes.laneBlock);
    base::parallelFor(units(), std::max<std::size_t>(1, worthwhile / elements), std::ref(range));
  }
};

// Output: pooled. Input: activations.
class PoolForward {
public:
  explicit PoolForward(const KernelArgs &args)
      : pooling_(args), planes_({&args.outputs[0], &args.inputs[0]}, args.inputs[0].shape.back()),
        table_(pooling_.outerWindows(true), side(args.outputs[0], planes_, 0),
               outerField(args.inputs[0]), pooling_.outerInverse()),
        sources_(rowOffsets(side(args.inputs[0], planes_, 1), outerField(args.inputs[0]))),
        line_(pooling_.line()), boxes_(planes_.lane.size > 1 && areBoxes(pooling_)),
        empty_(args.outputs[0].elements == 0) {}

  void run(const KernelArgs &args) {
    if (empty_)
      return;
    Side to = side(args.outputs[0], planes_, 0), from = side(args.inputs[0], planes_, 1);
    RowWork{planes_, table_.destination.size(), from.width}.run(
        2, [&](const auto &offset, std::size_t lanes, std::size_t row, std::size_t) {
          auto at = offset[0] + table_.destination[row];
          auto out = targetRow(to, at, lanes, 0);
          if (boxes_ && from.data.direct(from.laneStride))
            poolBoxes(out, from, offset[1], lanes, row);
          else
            pool(out, from, offset[1], lanes, row);
          writeRow(to, at, lanes, out);
        });
  }

private:
  void poolBoxes(PoolTarget out, const Side &from, std::int64_t base, std::size_t lanes,
                 std::size_t row) const {
    const RowPointers<const float> in(table_, row, sources_, from.data.floats() + base);
    const auto &windows = pooling_.last().ofOutput;
    maxBoxes(out, {in.rows, in.count, from.xStride}, {windows.data(), windows.size(), lanes});
  }
  void pool(PoolTarget out, const Side &from, std::int64_t base, std::size_t lanes,
            std::size_t row) const {
    bool max = pooling_.settings.type == PoolingType::MAX;
    auto begin = table_.begin[row], end = table_.begin[row + 1];
    PoolRow joined{nullptr, 0};
    if (end - begin == 1) {
      joined = readRow(from, base + sources_[table_.source[begin]], lanes, 1);
    } else if (end > begin) {
      PoolTarget sum{rows::scratch(2, from.width * lanes), std::int64_t(lanes)};
      for (auto i = begin; i < end; ++i) {
        auto in = readRow(from, base + sources_[table_.source[i]], lanes, 1);
        max ? maxRow(sum, in, from.width, lanes, i == begin)
            : addRow(sum, in, from.width, lanes, 1.0f, i == begin);
      }
      joined = {sum.at, sum.ld};
    }
    const auto &last = pooling_.last();
    Windows windows{last.ofOutput.data(), last.ofOutput.size(), lanes};
    if (planes_.lane.size == 1 && end > begin)
      return poolLine(out, joined, max, row);
    if (end == begin) // nothing but padding
      windows.windows = nothing(windows.count);
    if (max)
      return maxWindows(out, joined, windows, 0);
    bool average = pooling_.settings.type == PoolingType::AVG;
    sumWindows(out, joined, windows,
               {nullptr, average ? last.inverseCount.data() : nullptr,
                average ? table_.scale[row] : 1.0f});
  }
  void poolLine(PoolTarget out, PoolRow joined, bool max, std::size_t row) const {
    const auto &inverse = pooling_.last().inverseCount;
    if (max && line_.arePairs() && joined.ld == 1 && out.ld == 1)
      return line_.largestOfPairs(joined.at, out.at);
    const float *parts = line_.split(joined.at, joined.ld, rows::scratch(4, line_.room()));
    float *to = out.ld == 1 ? out.at : rows::scratch(5, inverse.size());
    if (max)
      line_.largest(parts, to, 0);
    else
      line_.sum(parts, to);
    if (pooling_.settings.type == PoolingType::AVG)
      for (std::size_t o = 0; o < inverse.size(); ++o)
        to[o] *= table_.scale[row] * inverse[o];
    for (std::size_t o = 0; to != out.at && o < inverse.size(); ++o)
      out.at[std::int64_t(o) * out.ld] = to[o];
  }
  static const Window *nothing(std::size_t count) {
    thread_local std::vector<Window> none;
    none.assign(count, Window{0, 0});
    return none.data();
  }

  Pooling pooling_;
  Planes planes_;
  RowTable table_;
  std::vector<std::int64_t> sources_;
  PoolLine line_;
  bool boxes_, empty_;
};

// Output: gradient of the activations. Inputs: gradient of pooled, and for MAX activations and
// pooled.
class PoolBackward {
public:
  explicit PoolBackward(const KernelArgs &args)
      : pooling_(args), planes_(operands(args), args.outputs[0].shape.back()),
        table_(pooling_.outerWindows(false), side(args.outputs[0], planes_, 0),
               outerField(args.inputs[0]), {}),
        sources_(rowOffsets(side(args.inputs[0], planes_, 1), outerField(args.inputs[0]))),
        line_(pooling_.line()), apart_(planes_.lane.size > 1 && areBoxes(pooling_)),
        empty_(args.outputs[0].elements == 0) {
    const auto &windows = pooling_.last().ofOutput;
    for (std::size_t o = 1; o < windows.size(); ++o)
      disjoint_ = disjoint_ && windows[o].first >= windows[o - 1].last;
    if (pooling_.settings.type == PoolingType::AVG)
      weights_ = rowWeights();
    if (pooling_.settings.type != PoolingType::MAX)
      return;
    pooledRows_ = rowOffsets(side(args.inputs[2], planes_, 3), outerField(args.inputs[2]));
    inputRows_ = rowOffsets(side(args.inputs[1], planes_, 2), outerField(args.inputs[1]));
    if (apart_) {
      outputRows_ = rowOffsets(side(args.outputs[0], planes_, 0), outerField(args.outputs[0]));
      for (std::size_t row = 0; row < outputRows_.size(); ++row)
        if (table_.begin[row] == table_.begin[row + 1])
          unseen_.push_back(outputRows_[row]);
    }
    if (pooling_.settings.ties == Ties::All && !apart_)
      return;
    boxes_.emplace(pooling_.outerWindows(true), side(args.inputs[0], planes_, 1),
                   outerField(args.inputs[1]), std::vector<const std::vector<float> *>{});
  }

  void run(const KernelArgs &args) {
    if (empty_)
      return;
    Side dx = side(args.outputs[0], planes_, 0), g = side(args.inputs[0], planes_, 1);
    if (pooling_.settings.type != PoolingType::MAX)
      return spread(dx, g);
    Side in = side(args.inputs[1], planes_, 2), pooled = side(args.inputs[2], planes_, 3);
    const std::array sides{&dx, &g, &in, &pooled};
    if (arePairs(dx, g, in, pooled))
      return pairsToMaxima(dx, g, in, pooled);
    if (apart_ && std::all_of(sides.begin(), sides.end(),
                              [](const Side *s) { return s->data.direct(s->laneStride); }))
      return boxesToMaxima(dx, g, in, pooled);
    if (pooling_.settings.ties != Ties::All)
      compare(g, in, pooled);
    toMaxima(dx, g, in, pooled);
  }

private:
  static std::vector<const KernelOperand *> operands(const KernelArgs &args) {
    std::vector<const KernelOperand *> out{&args.outputs[0]};
    for (const auto &input : args.inputs)
      out.push_back(&input);
    return out;
  }
  unsigned numOperands() const { return pooling_.settings.type == PoolingType::MAX ? 4 : 2; }

  // 1 / elements of the window, without the last dimension, per row of pooled.
  std::vector<float> rowWeights() const {
    std::vector<float> out{1};
    for (std::size_t d = 0; d + 1 < pooling_.axes.size(); ++d) {
      std::vector<float> next;
      for (float outer : out)
        for (float inner : pooling_.axes[d].inverseCount)
          next.push_back(outer * inner);
      out = std::move(next);
    }
    return out;
  }

  // SUM and AVG.
  void spread(const Side &dx, const Side &g) {
    const auto &last = pooling_.last();
    bool average = !weights_.empty();
    RowWork{planes_, table_.destination.size(), dx.width}.run(
        2, [&](const auto &offset, std::size_t lanes, std::size_t row, std::size_t) {
          auto at = offset[0] + table_.destination[row];
          auto out = targetRow(dx, at, lanes, 0);
          auto begin = table_.begin[row], end = table_.begin[row + 1];
          PoolTarget sum{rows::scratch(2, g.width * lanes), std::int64_t(lanes)};
          if (begin == end)
            std::fill(sum.at, sum.at + g.width * lanes, 0.0f);
          for (auto i = begin; i < end; ++i) {
            auto source = table_.source[i];
            auto in = readRow(g, offset[1] + sources_[source], lanes, 1);
            addRow(sum, in, g.width, lanes, average ? weights_[source] : 1.0f, i == begin);
          }
          if (planes_.lane.size == 1)
            spreadLine(out, sum.at, average);
          else
            sumWindows(out, {sum.at, sum.ld}, {last.ofInput.data(), last.ofInput.size(), lanes},
                       {average ? last.inverseCount.data() : nullptr, nullptr, 1.0f});
          writeRow(dx, at, lanes, out);
        });
  }

  // A row without lanes. `sum` is used up.
  void spreadLine(PoolTarget out, float *sum, bool average) const {
    const auto &inverse = pooling_.last().inverseCount;
    for (std::size_t o = 0; average && o < inverse.size(); ++o)
      sum[o] *= inverse[o];
    float *parts = rows::scratch(4, line_.room());
    std::fill(parts, parts + line_.room(), 0.0f);
    line_.spread(sum, parts);
    line_.join(parts, out.at, out.ld);
  }

  // Where what was found out about a row is kept: packed by unit of work.
  float *foundRow(std::size_t plane, std::size_t firstLane, std::size_t row, std::size_t width) {
    auto laneSize = planes_.lane.size;
    return &found_[((plane * sources_.size()) * laneSize + firstLane * sources_.size()) * width +
                   0] +
           row * width * std::min(planes_.laneBlock, laneSize - firstLane);
  }

  // found = g / (how many elements of the window equal the maximum), or the first row of the input
  // that has one of them.
  void compare(const Side &g, const Side &in, const Side &pooled) {
    found_.resize(g.width * sources_.size() * rows::sizeOf(planes_.outer) * planes_.lane.size);
    const auto &last = pooling_.last();
    auto perOuter = planes_.laneBlocks * sources_.size();
    auto range = [&](std::size_t begin, std::size_t end, unsigned) {
      for (auto unit = begin; unit < end; ++unit) {
        auto plane = unit / perOuter, block = unit % perOuter / sources_.size(),
             row = unit % sources_.size();
        rows::Walk walk(planes_.outer, numOperands(), plane);
        auto first = block * planes_.laneBlock;
        auto lanes = std::min(planes_.laneBlock, planes_.lane.size - first);
        auto at = [&](unsigned i) {
          return walk.offset[i] + std::int64_t(first) * planes_.lane.strides[i];
        };
        PoolTarget count{foundRow(plane, first, row, g.width), std::int64_t(lanes)};
        const bool whichRow = pooling_.settings.ties == Ties::First;
        std::fill(count.at, count.at + g.width * lanes, whichRow ? -1.0f : 0.0f);
        auto best = readRow(pooled, at(3) + pooledRows_[row], lanes, 1);
        const Windows windows{last.ofOutput.data(), last.ofOutput.size(), lanes};
        for (auto i = boxes_->begin[row + 1]; i-- > boxes_->begin[row];) { // the first row is last
          const auto source = boxes_->source[i];
          const auto acts = readRow(in, at(2) + inputRows_[source], lanes, 2);
          whichRow ? markRow(count, acts, best, windows, float(source))
                   : countRow(count, acts, best, windows);
        }
        if (whichRow)
          continue;
        auto grad = readRow(g, at(1) + sources_[row], lanes, 3);
        for (std::size_t x = 0; x < g.width; ++x)
          for (std::size_t l = 0; l < lanes; ++l) {
            float &n = count.at[x * lanes + l];
            n = n > 0 ? grad.at[std::int64_t(x) * grad.ld + std::int64_t(l)] / n : 0.0f;
          }
      }
    };
    auto units = rows::sizeOf(planes_.outer) * perOuter;
    base::parallelFor(units, std::max<std::size_t>(1, 32768 / (g.width * planes_.laneBlock + 1)),
                      std::ref(range));
  }

  // Windows of 2 x 2 that do not overlap, in planes of rows of floats side by side.
  bool arePairs(const Side &dx, const Side &g, const Side &in, const Side &pooled) const {
    const auto &s = pooling_.settings;
    bool pairs = planes_.lane.size == 1 && line_.arePairs() && s.input.size() == 2 &&
                 s.kernel[0] == 2 && s.stride[0] == 2 && s.lower[0] == 0 && s.upper[0] <= 0;
    for (const Side *side : {&dx, &g, &in, &pooled})
      pairs = pairs && side->xStride == 1 && !side->data.half;
    return pairs;
  }
  void pairsToMaxima(const Side &dx, const Side &g, const Side &in, const Side &pooled) const {
    const std::size_t height = pooling_.settings.input[0], rows = 2 * pooling_.settings.output[0];
    RowWork{planes_, 1, height * dx.width}.run(
        4, [&](const auto &offset, std::size_t, std::size_t, std::size_t) {
          float *out = dx.data.floats() + offset[0];
          line_.equalInPairs({in.data.floats() + offset[2], pooled.data.floats() + offset[3],
                              g.data.floats() + offset[1], out, in.fieldStrides[0],
                              pooled.fieldStrides[0], g.fieldStrides[0], dx.fieldStrides[0], rows,
                              pooling_.settings.ties});
          for (auto y = rows; y < height; ++y)
            std::fill_n(out + std::int64_t(y) * dx.fieldStrides[0], dx.width, 0.0f);
        });
  }

  // Rows of windows, then rows of the gradient that no window stands on.
  void boxesToMaxima(const Side &dx, const Side &g, const Side &in, const Side &pooled) const {
    const auto count = sources_.size();
    RowWork{planes_, count + unseen_.size(), 2 * dx.width}.run(4, [&](const auto &offset,
                                                                      std::size_t lanes,
                                                                      std::size_t row,
                                                                      std::size_t) {
      float *out = dx.data.floats() + offset[0];
      if (row >= count)
        return clear(out + unseen_[row - count], dx, lanes);
      const RowPointers<const float> from(*boxes_, row, inputRows_, in.data.floats() + offset[2]);
      const RowPointers<float> to(*boxes_, row, outputRows_, out);
      const BoxGradient given{{from.rows, from.count, in.xStride},
                              {pooled.data.floats() + offset[3] + pooledRows_[row], pooled.xStride},
                              {g.data.floats() + offset[1] + sources_[row], g.xStride},
                              pooling_.settings.ties};
      const auto &windows = pooling_.last().ofOutput;
      maxGradientOfBoxes({to.rows, to.count, dx.xStride}, given,
                         {windows.data(), windows.size(), lanes}, dx.width);
    });
  }
  static void clear(float *row, const Side &dx, std::size_t lanes) {
    for (std::size_t x = 0; x < dx.width; ++x)
      std::fill_n(row + std::int64_t(x) * dx.xStride, lanes, 0.0f);
  }

  // The gradient of the windows whose first maximum is in this row of the input, in scratch memory.
  static PoolRow ofThisRow(PoolRow g, const float *rowOf, std::size_t row, std::size_t lanes,
                           std::size_t width) {
    float *out = rows::scratch(8, width * lanes);
    for (std::size_t x = 0; x < width; ++x)
      for (std::size_t l = 0; l < lanes; ++l)
        out[x * lanes + l] = ifEqual(rowOf[x * lanes + l], float(row),
                                     g.at[std::int64_t(x) * g.ld + std::int64_t(l)]);
    return {out, std::int64_t(lanes)};
  }
  // Scratch memory that may be used up.
  static PoolTarget used(PoolRow row) { return {const_cast<float *>(row.at), row.ld}; }
  void spreadLineToMaxima(const float *in, const float *pooled, const float *g, float *sums) const {
    if (pooling_.settings.ties == Ties::First)
      line_.spreadToFirst(in, pooled, const_cast<float *>(g), sums);
    else
      line_.spreadToEqual(in, pooled, g, sums);
  }

  void toMaxima(const Side &dx, const Side &g, const Side &in, const Side &pooled) {
    const auto &last = pooling_.last();
    const bool toFirst = pooling_.settings.ties == Ties::First;
    const auto perPlane = table_.destination.size(), perOuter = planes_.laneBlocks * perPlane;
    RowWork{planes_, perPlane, dx.width}.run(4, [&](const auto &offset, std::size_t lanes,
                                                    std::size_t row, std::size_t unit) {
      const auto to = offset[0] + table_.destination[row];
      const auto out = targetRow(dx, to, lanes, 0);
      const auto acts = readRow(in, offset[2] + inputRows_[row], lanes, 1);
      auto best = [&](std::size_t source) {
        return readRow(pooled, offset[3] + pooledRows_[source], lanes, 2);
      };
      auto grad = [&](std::size_t source) {
        if (found_.empty())
          return readRow(g, offset[1] + sources_[source], lanes, 3);
        const auto first = unit % perOuter / perPlane * planes_.laneBlock;
        float *found = foundRow(unit / perOuter, first, source, g.width);
        if (!toFirst)
          return PoolRow{found, std::int64_t(lanes)};
        const auto all = readRow(g, offset[1] + sources_[source], lanes, 3);
        return ofThisRow(all, found, row, lanes, g.width);
      };
      const auto begin = table_.begin[row], end = table_.begin[row + 1];
      const Windows windows{last.ofOutput.data(), last.ofOutput.size(), lanes};
      if (planes_.lane.size == 1) {
        const float *parts = line_.split(acts.at, acts.ld, rows::scratch(4, line_.room()));
        float *sums = rows::scratch(5, line_.room());
        std::fill(sums, sums + line_.room(), 0.0f);
        for (auto i = begin; i < end; ++i)
          spreadLineToMaxima(parts, sideBySide(best(table_.source[i]), pooled.width, 6),
                             sideBySide(grad(table_.source[i]), g.width, 7), sums);
        line_.join(sums, out.at, out.ld);
      } else if (disjoint_ && end == begin + 1 && !toFirst) {
        maxGradientOfDisjoint(out, acts, best(table_.source[begin]), grad(table_.source[begin]),
                              windows, dx.width);
      } else {
        for (std::size_t x = 0; x < dx.width; ++x)
          std::fill_n(out.at + std::int64_t(x) * out.ld, lanes, 0.0f);
        for (auto i = begin; i < end; ++i)
          toFirst
              ? firstGradientRow(out, acts, best(table_.source[i]), used(grad(table_.source[i])),
                                 windows)
              : maxGradientRow(out, acts, best(table_.source[i]), grad(table_.source[i]), windows);
      }
      writeRow(dx, to, lanes, out);
    });
  }

  Pooling pooling_;
  Planes planes_;
  RowTable table_;
  std::vector<std::int64_t> sources_, pooledRows_, inputRows_, outputRows_;
  std::vector<std::int64_t> unseen_; // rows of the gradient on which no window stands
  std::vector<float> weights_, found_;
  std::optional<RowTable> boxes_;
  PoolLine line_;
  bool disjoint_ = true; // windows along the last dimension
  bool apart_;           // in all of them, and there are lanes
  bool empty_;
};

const openipu::Registered registered{openipu::stateful<PoolForward>(kernels::pool)};
const openipu::Registered registeredGradient{
    openipu::stateful<PoolBackward>(kernels::poolGradient)};

} // namespace
} // namespace popnn
