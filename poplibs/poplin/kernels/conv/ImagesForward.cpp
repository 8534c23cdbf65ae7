// SPDX-License-Identifier: MIT
#include "base/Arithmetic.hpp"
#include "base/Threads.hpp"
#include "conv/Channels.hpp"
#include "conv/Images.hpp"
#include <algorithm>

namespace poplin::conv {
namespace {

std::vector<std::uint32_t> kernelsAt(const Table &table, std::size_t o) {
  std::vector<std::uint32_t> found;
  for (std::size_t k = 0; k < table.kernels; ++k)
    if (table.at(o, k) >= 0)
      found.push_back(k);
  return found;
}

// Distance from output o to the next, if it is the same for all these kernel elements.
std::optional<std::int64_t> stepAt(const Table &table, std::size_t o,
                                   const std::vector<std::uint32_t> &kernels) {
  std::optional<std::int64_t> step;
  for (auto k : kernels) {
    auto next = table.at(o + 1, k) - table.at(o, k);
    if (step && *step != next)
      return {};
    step = next;
  }
  return step.value_or(0);
}

bool liesAs(const openipu::KernelOperand &a, const openipu::KernelOperand &b) {
  return a.type == b.type && std::equal(a.strides.begin(), a.strides.end(), b.strides.begin());
}

} // namespace

bool isPerChannel(const openipu::KernelOperand &t) {
  for (std::size_t d = 0; d < t.shape.size(); ++d)
    if (d != 1 && t.shape[d] > 1 && t.strides[d] != 0)
      return false;
  return true;
}

std::vector<Segment> segments(const Table &table) {
  std::vector<Segment> all;
  for (std::size_t o = 0; o < table.outputs; ++o) {
    auto kernels = kernelsAt(table, o);
    if (!all.empty() && all.back().kernels == kernels) {
      auto &last = all.back();
      auto step = stepAt(table, o - 1, kernels);
      if (step && *step >= 0 && (last.count == 1 || last.step == *step)) {
        last.step = *step;
        ++last.count;
        continue;
      }
    }
    all.push_back({o, 1, 0, std::move(kernels)});
  }
  return all;
}

bool batchIsInnermost(const openipu::KernelOperand &t) {
  return t.type == poplar::TypeId::Float && t.shape[0] > 0 &&
         (t.shape[0] == 1 ? t.strides.back() : t.strides[0]) == 1 &&
         *std::min_element(t.strides.begin(), t.strides.end()) >= 0;
}
bool fillsVectors(std::size_t batch) { return batch % micro::kernelsFor(batch).lanes == 0; }
bool hasFewChannels(const Geometry &g) { return g.in <= 32 && g.out <= 32; }

namespace {

// The shortest stretch of floats that follow each other in both operands and meet the same kernel
// elements; 0 if a row is not made of such stretches.
std::size_t shortestLine(const Geometry &g, const openipu::KernelArgs &args) {
  const auto &x = args.inputs[0], &y = args.outputs[0];
  const auto batch = std::int64_t(g.batch);
  std::vector<std::int64_t> yRows, yLast;
  outputOffsets(g, {y.strides.begin() + 2, y.strides.end()}, yRows, yLast);
  for (std::size_t o = 1; o < yLast.size(); ++o)
    if (yLast[o] - yLast[o - 1] != batch)
      return 0;
  std::size_t shortest = yLast.size() * g.batch;
  for (const auto &s : segments(tables(g, {x.strides.begin() + 2, x.strides.end()}).last))
    shortest = s.count > 1 && s.step != batch ? 0 : std::min(shortest, s.count * g.batch);
  return shortest;
}
const micro::Kernels &kernelsOfLines(std::size_t length) {
  const auto &best = micro::kernels();
  return length < best.lanes ? micro::kernelsFor(8) : best;
}

} // namespace

bool ImagesForward::possible(const Geometry &g, const openipu::KernelArgs &args) {
  if (!batchIsInnermost(args.inputs[0]) || !batchIsInnermost(args.outputs[0]))
    return false;
  for (const auto &extra : args.inputs.subspan(2))
    if (!isPerChannel(extra) && !liesAs(extra, args.outputs[0]))
      return false;
  if (fillsVectors(g.batch))
    return heldBy(args).size() < 2;
  return hasFewChannels(g) && heldBy(args).empty() && shortestLine(g, args) >= 8;
}

ImagesForward::ImagesForward(const Geometry &g, const openipu::KernelArgs &args,
                             Activation activation)
    : g_(g), kernels_(fillsVectors(g.batch) ? micro::kernelsFor(g.batch)
                                            : kernelsOfLines(shortestLine(g, args))),
      activation_(activation) {
  activationLoop(activation); // refuses what does not exist
  const auto &x = args.inputs[0], &y = args.outputs[0];
  tables_ = tables(g, {x.strides.begin() + 2, x.strides.end()});
  outputOffsets(g, {y.strides.begin() + 2, y.strides.end()}, yRows_, yLast_);
  kernelOffsets_ = kernelOffsets(g, args.inputs[1]);
  xChannel_ = x.strides[1], yChannel_ = y.strides[1];
  weights_.resize(g.groups * g.in * g.kernelPositions() * g.out);
  auto rows = segments(tables_.rows), lasts = segments(tables_.last);
  for (const auto &row : rows)
    for (const auto &last : lasts)
      addCell(row, last);
  const auto each =
      std::max(jobs_.empty() ? 0 : jobs_[0].length, std::size_t(kernels_.lanes * kernels_.vectors));
  auto work = 2. * double(g.in * g.out * g.kernelPositions() * each);
  grain_ = std::max<std::size_t>(1, std::size_t(4e5 / std::max(1., work)));
}

// Lines of outputs run along the longer side of the cell, so that vectors are used together.
void ImagesForward::addCell(const Segment &rows, const Segment &last) {
  auto cell = std::uint32_t(cells_.size());
  auto &c = cells_.emplace_back();
  auto positions = g_.kernelPositions(), lastKernels = tables_.last.kernels;
  for (std::size_t i = 0; i < g_.in; ++i)
    for (auto k1 : rows.kernels)
      for (auto k2 : last.kernels) {
        c.x.push_back(std::int64_t(i) * xChannel_ + tables_.rows.at(rows.begin, k1) +
                      tables_.last.at(last.begin, k2));
        c.w.push_back(i * positions + k1 * lastKernels + k2);
      }
  c.xs.resize(c.x.size()), c.ws.resize(c.x.size());
  bool along = last.count >= rows.count;
  auto length = along ? last.count : rows.count, lines = along ? rows.count : last.count;
  auto y = [&](std::size_t line, std::size_t i) {
    return yRows_[rows.begin + (along ? line : i)] + yLast_[last.begin + (along ? i : line)];
  };
  if (!fillsVectors(g_.batch))
    return addLines(cell, rows, last);
  if (g_.batch % (kernels_.lanes * kernels_.vectors) == 0)
    return addBatches(cell, rows, last);
  auto pieces = base::ceilDiv(length, kernels_.vectors);
  for (std::size_t group = 0; group < g_.groups; ++group)
    for (std::size_t image = 0; image < g_.batch; image += kernels_.lanes)
      for (std::size_t line = 0; line < lines; ++line)
        for (std::size_t p = 0; p < pieces; ++p) {
          auto begin = length * p / pieces, end = length * (p + 1) / pieces;
          auto xStep = along ? last.step : rows.step;
          auto yStep = end - begin > 1 ? y(line, begin + 1) - y(line, begin) : 0;
          auto x = std::int64_t(line) * (along ? rows.step : last.step) +
                   std::int64_t(begin) * xStep + std::int64_t(group * g_.in) * xChannel_ +
                   std::int64_t(image);
          jobs_.push_back(
              {cell, std::uint32_t(end - begin), std::uint32_t(group), x,
               y(line, begin) + std::int64_t(group * g_.out) * yChannel_ + std::int64_t(image),
               xStep, yStep});
        }
}

// With many images their vectors lie side by side: they are used together.
void ImagesForward::addBatches(std::uint32_t cell, const Segment &rows, const Segment &last) {
  for (std::size_t group = 0; group < g_.groups; ++group)
    for (std::size_t image = 0; image < g_.batch; image += kernels_.lanes * kernels_.vectors)
      for (std::size_t i = 0; i < rows.count; ++i)
        for (std::size_t j = 0; j < last.count; ++j)
          jobs_.push_back({cell, kernels_.vectors, std::uint32_t(group),
                           std::int64_t(i) * rows.step + std::int64_t(j) * last.step +
                               std::int64_t(group * g_.in) * xChannel_ + std::int64_t(image),
                           yRows_[rows.begin + i] + yLast_[last.begin + j] +
                               std::int64_t(group * g_.out) * yChannel_ + std::int64_t(image),
                           kernels_.lanes, kernels_.lanes});
}

// Outputs and their images side by side.
void ImagesForward::addLines(std::uint32_t cell, const Segment &rows, const Segment &last) {
  for (std::size_t group = 0; group < g_.groups; ++group)
    for (std::size_t i = 0; i < rows.count; ++i)
      jobs_.push_back(
          {cell, 0, std::uint32_t(group),
           std::int64_t(i) * rows.step + std::int64_t(group * g_.in) * xChannel_,
           yRows_[rows.begin + i] + yLast_[last.begin] + std::int64_t(group * g_.out) * yChannel_,
           kernels_.lanes, kernels_.lanes, last.count * g_.batch});
}

void ImagesForward::packWeights(const openipu::KernelOperand &w) {
  auto positions = g_.kernelPositions();
  for (std::size_t group = 0; group < g_.groups; ++group)
    for (std::size_t k = 0; k < positions; ++k) {
      Strided from{nullptr, w.type, w.strides[2], w.strides[1]};
      from.data = Strided{w.data, w.type, w.strides[0], 1}.at(group, kernelOffsets_[k]).data;
      pack(from, g_.in, g_.out, weights_.data() + (group * g_.in * positions + k) * g_.out,
           positions * g_.out);
    }
}

void ImagesForward::sumBiases(const openipu::KernelArgs &args) {
  biases_.clear();
  for (const auto &t : args.inputs.subspan(2))
    if (isPerChannel(t) && t.data != args.outputs[0].data) {
      std::vector<float> values(g_.groups * g_.out);
      pack({t.data, t.type, 0, t.strides[1]}, 1, values.size(), values.data(), values.size());
      biases_.resize(values.size());
      for (std::size_t i = 0; i < values.size(); ++i)
        biases_[i] += values[i];
    }
}

void ImagesForward::run(const openipu::KernelArgs &args) {
  if (!args.inputs[1].steady || generation_ != args.generation)
    packWeights(args.inputs[1]);
  generation_ = args.generation;
  sumBiases(args);
  auto *x = args.in<float>(0);
  if (x != boundTo_) // the same in every run
    for (auto &cell : cells_)
      for (std::size_t i = 0; i < cell.x.size(); ++i) {
        cell.xs[i] = x + cell.x[i];
        cell.ws[i] = weights_.data() + cell.w[i] * g_.out;
      }
  boundTo_ = x;
  base::parallelFor(jobs_.size(), grain_, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i)
      jobs_[i].length ? runLine(jobs_[i], args) : runJob(jobs_[i], args);
  });
}

// In whole vectors; the last one overlaps the one before it, and both are done together unless
// the activation would then be applied twice.
void ImagesForward::runLine(Job job, const openipu::KernelArgs &args) const {
  const std::size_t lanes = kernels_.lanes;
  const bool together = activation_ == Activation::None || activation_ == Activation::Relu;
  while (job.length) {
    const auto whole = job.length / lanes, rest = job.length % lanes;
    auto done =
        std::min<std::size_t>(kernels_.vectors, rest && whole > 1 ? whole - 1 : whole) * lanes;
    job.vectors = std::uint32_t(done / lanes);
    job.xStep = job.yStep = std::int64_t(lanes);
    if (whole == 1 && rest && together) {
      job.vectors = 2, done = job.length;
      job.xStep = job.yStep = std::int64_t(rest);
    } else if (whole == 1 && rest) {
      done = rest; // the next one is whole, and overlaps
    }
    runJob(job, args);
    job.x += std::int64_t(done), job.y += std::int64_t(done);
    job.length -= done;
  }
}

void ImagesForward::runJob(const Job &job, const openipu::KernelArgs &args) const {
  const auto &cell = cells_[job.cell];
  auto tiles = base::ceilDiv(g_.out, kernels_.rowsFor[job.vectors]);
  micro::Finish finish;
  finish.step = std::size_t(job.yStep);
  setActivation(finish, activation_);
  for (std::size_t t = 0; t < tiles; ++t) {
    auto first = g_.out * t / tiles, rows = g_.out * (t + 1) / tiles - first;
    float *targets[micro::maxRows];
    const float *added[2][micro::maxRows];
    for (std::size_t r = 0; r < rows; ++r)
      targets[r] = args.out<float>(0) + job.y + std::int64_t(first + r) * yChannel_;
    unsigned adds = 0;
    bool onto = false; // what lies there
    for (const auto &extra : args.inputs.subspan(2))
      if (extra.data == args.outputs[0].data)
        onto = true;
      else if (!isPerChannel(extra)) {
        for (std::size_t r = 0; r < rows; ++r)
          added[adds][r] = extra.as<const float>() + (targets[r] - args.out<float>(0));
        finish.add[adds] = added[adds];
        ++adds;
      }
    if (!biases_.empty())
      finish.perRow = biases_.data() + job.group * g_.out + first;
    bool any = adds || finish.perRow || activation_ != Activation::None;
    kernels_.outer[job.vectors][rows]({cell.ws.data(), cell.xs.data(), cell.xs.size(),
                                       first + job.group * g_.in * g_.kernelPositions() * g_.out,
                                       std::size_t(job.x), std::size_t(job.xStep), targets, onto,
                                       std::size_t(job.yStep), nullptr, 0,
                                       any ? &finish : nullptr});
  }
}

} // namespace poplin::conv
