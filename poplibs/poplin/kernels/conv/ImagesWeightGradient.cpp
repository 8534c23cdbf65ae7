// SPDX-License-Identifier: MIT
// Sums over images and positions of products of two stretches of memory, several of each at a time.
#include "base/Arithmetic.hpp"
#include "base/Threads.hpp"
#include "conv/Channels.hpp"
#include "conv/Images.hpp"
#include <algorithm>
#include <map>

namespace poplin::conv {
namespace {

constexpr std::size_t chunkLength = 1024;   // floats of each stretch at a time
constexpr std::size_t nearFloats = 1 << 18; // in second-level cache
constexpr std::size_t sumsPerJob = micro::maxVectors * micro::maxVectors;

// Outputs that each kernel element meets, if they follow each other evenly; equal ones together.
struct Walk {
  Segment outputs; // begin, count, step in the input
  std::vector<std::uint32_t> kernels;
};
bool walks(const Table &table, std::vector<Walk> &all) {
  for (std::size_t k = 0; k < table.kernels; ++k) {
    Segment s;
    for (std::size_t o = 0; o < table.outputs; ++o) {
      if (table.at(o, k) < 0)
        continue;
      if (s.count == 0)
        s.begin = o;
      else if (o != s.begin + s.count ||
               (s.count > 1 && table.at(o, k) - table.at(o - 1, k) != s.step))
        return false;
      else
        s.step = table.at(o, k) - table.at(o - 1, k);
      ++s.count;
    }
    auto same = std::find_if(all.begin(), all.end(), [&](const Walk &w) {
      return w.outputs.begin == s.begin && w.outputs.count == s.count && w.outputs.step == s.step;
    });
    if (same == all.end())
      same = all.insert(all.end(), Walk{s, {}});
    same->kernels.push_back(k);
  }
  return true;
}

} // namespace

bool ImagesWeightGradient::possible(const Geometry &g, const openipu::KernelArgs &args) {
  const auto &dy = args.inputs[0], &x = args.inputs[1];
  if (!batchIsInnermost(dy) || !batchIsInnermost(x))
    return false;
  auto all = tables(g, {x.strides.begin() + 2, x.strides.end()});
  std::vector<Walk> rows, lasts;
  if (!walks(all.rows, rows) || !walks(all.last, lasts))
    return false;
  if (fillsVectors(g.batch))
    return true;
  // Else rows without gaps, so long that vectors pay.
  const auto batch = std::int64_t(g.batch);
  std::vector<std::int64_t> yRows, yLast;
  outputOffsets(g, {dy.strides.begin() + 2, dy.strides.end()}, yRows, yLast);
  const bool dense = yLast.size() < 2 || yLast[1] - yLast[0] == batch;
  return dense && hasFewChannels(g) && std::all_of(lasts.begin(), lasts.end(), [&](const Walk &w) {
           return w.outputs.count * g.batch >= 8 && w.outputs.step == batch;
         });
}

ImagesWeightGradient::ImagesWeightGradient(const Geometry &g, const openipu::KernelArgs &args)
    : g_(g), kernels_(micro::kernelsFor(g.batch)) {
  const auto &dy = args.inputs[0], &x = args.inputs[1], &dw = args.outputs[0];
  tables_ = tables(g, {x.strides.begin() + 2, x.strides.end()});
  outputOffsets(g, {dy.strides.begin() + 2, dy.strides.end()}, yRows_, yLast_);
  dwOffsets_ = kernelOffsets(g, dw);
  xChannel_ = x.strides[1], dyChannel_ = dy.strides[1];
  dwGroup_ = dw.strides[0], dwOut_ = dw.strides[1], dwIn_ = dw.strides[2];
  std::vector<Walk> rows, lasts;
  walks(tables_.rows, rows);
  walks(tables_.last, lasts);
  for (const auto &row : rows)
    for (const auto &last : lasts)
      addFamily(row.kernels, row.outputs, last.kernels, last.outputs);
  double work = 0;
  for (const auto &c : chunks_)
    work += double(c.runs * c.length * families_[c.family].x.size() * g_.out * g_.groups);
  shares_ =
      std::clamp<std::size_t>(std::size_t(work / 1e5), 1,
                              std::min<std::size_t>(8, std::max<std::size_t>(1, chunks_.size())));
  sums_.resize(shares_ * jobs_.size() * sumsPerJob);
}

void ImagesWeightGradient::addFamily(const std::vector<std::uint32_t> &rowKernels,
                                     const Segment &row,
                                     const std::vector<std::uint32_t> &lastKernels,
                                     const Segment &last) {
  auto index = std::uint32_t(families_.size());
  auto &f = families_.emplace_back();
  for (std::size_t i = 0; i < g_.in; ++i)
    for (auto k1 : rowKernels)
      for (auto k2 : lastKernels) {
        bool meets = row.count && last.count;
        f.x.push_back(meets ? std::int64_t(i) * xChannel_ + tables_.rows.at(row.begin, k1) +
                                  tables_.last.at(last.begin, k2)
                            : 0);
        f.dw.push_back(std::int64_t(i) * dwIn_ + dwOffsets_[k1 * tables_.last.kernels + k2]);
      }
  // One stretch per row if both operands walk without gaps, else one per position.
  auto batch = std::int64_t(g_.batch);
  auto dyStep = last.count > 1 ? yLast_[last.begin + 1] - yLast_[last.begin] : batch;
  bool whole = dyStep == batch && (last.count <= 1 || last.step == batch);
  f.length = whole ? last.count * g_.batch : g_.batch;
  for (std::size_t r = 0; r < row.count && last.count; ++r)
    for (std::size_t i = 0; i < (whole ? 1 : last.count); ++i) {
      f.xRun.push_back(std::int64_t(r) * row.step + std::int64_t(i) * last.step);
      f.dyRun.push_back(yRows_[row.begin + r] + yLast_[last.begin + i]);
    }
  f.firstJob = jobs_.size();
  std::size_t side = kernels_.dot[4][4] ? 4 : 3;
  auto across = base::ceilDiv(f.x.size(), side), down = base::ceilDiv(g_.out, side);
  for (std::uint32_t group = 0; group < g_.groups; ++group)
    for (std::size_t j = 0; j < across; ++j)
      for (std::size_t i = 0; i < down; ++i) {
        auto begin = f.x.size() * j / across, outBegin = g_.out * i / down;
        jobs_.push_back({index, group, std::uint32_t(outBegin),
                         std::uint32_t(g_.out * (i + 1) / down - outBegin), std::uint32_t(begin),
                         std::uint32_t(f.x.size() * (j + 1) / across - begin)});
      }
  f.endJob = jobs_.size();
  auto work = 2. * double(f.xRun.size() * f.length) * double(side * side);
  grain_ = std::max<std::size_t>(1, std::size_t(4e5 / std::max(1., work)));
  addChunks(index);
}

void ImagesWeightGradient::addChunks(std::size_t family) {
  const auto &f = families_[family];
  if (f.length >= 2 * chunkLength) {
    const auto parts = f.length / chunkLength, vectors = f.length / kernels_.lanes;
    for (std::size_t run = 0; run < f.xRun.size(); ++run)
      for (std::size_t p = 0; p < parts; ++p) {
        auto begin = vectors * p / parts * kernels_.lanes,
             end = p + 1 == parts ? f.length : vectors * (p + 1) / parts * kernels_.lanes;
        chunks_.push_back({family, run, 1, begin, end - begin});
      }
    return;
  }
  const auto together = std::max<std::size_t>(1, chunkLength / std::max<std::size_t>(1, f.length));
  for (std::size_t run = 0; run < f.xRun.size(); run += together)
    chunks_.push_back({family, run, std::min(together, f.xRun.size() - run), 0, f.length});
}

// Everything is near anyway.
void ImagesWeightGradient::runSmall(const openipu::KernelArgs &args, float alpha,
                                    float beta) const {
  base::parallelFor(jobs_.size(), grain_, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i) {
      const auto &f = families_[jobs_[i].family];
      float sums[sumsPerJob] = {};
      runJob(jobs_[i], {jobs_[i].family, 0, f.xRun.size(), 0, f.length}, args, sums);
      store(jobs_[i], args, sums, alpha, beta);
    }
  });
}

void ImagesWeightGradient::run(const openipu::KernelArgs &args, float alpha, float beta) {
  if (args.inputs[0].elements + args.inputs[1].elements <= nearFloats)
    return runSmall(args, alpha, beta);
  const auto each = jobs_.size() * sumsPerJob;
  base::parallelFor(shares_, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto share = begin; share < end; ++share) {
      float *sums = sums_.data() + share * each;
      std::fill_n(sums, each, 0.f);
      for (auto c = chunks_.size() * share / shares_; c < chunks_.size() * (share + 1) / shares_;
           ++c) {
        const auto &f = families_[chunks_[c].family];
        for (auto j = f.firstJob; j < f.endJob; ++j)
          runJob(jobs_[j], chunks_[c], args, sums + j * sumsPerJob);
      }
    }
  });
  for (std::size_t share = 1; share < shares_; ++share)
    for (std::size_t i = 0; i < each; ++i)
      sums_[i] += sums_[share * each + i];
  for (std::size_t j = 0; j < jobs_.size(); ++j)
    store(jobs_[j], args, sums_.data() + j * sumsPerJob, alpha, beta);
}

void ImagesWeightGradient::runJob(const Job &job, const Chunk &chunk,
                                  const openipu::KernelArgs &args, float *sums) const {
  const auto &f = families_[job.family];
  const float *dys[micro::maxVectors], *xs[micro::maxVectors];
  for (unsigned r = 0; r < job.outCount; ++r)
    dys[r] = args.in<float>(0) + chunk.begin +
             std::int64_t(job.group * g_.out + job.outBegin + r) * dyChannel_;
  for (unsigned v = 0; v < job.count; ++v)
    xs[v] = args.in<float>(1) + chunk.begin + std::int64_t(job.group * g_.in) * xChannel_ +
            f.x[job.begin + v];
  kernels_.dot[job.count][job.outCount]({dys, xs, f.dyRun.data() + chunk.firstRun,
                                         f.xRun.data() + chunk.firstRun, chunk.runs, chunk.length,
                                         sums});
}

void ImagesWeightGradient::store(const Job &job, const openipu::KernelArgs &args, const float *sums,
                                 float alpha, float beta) const {
  const auto &f = families_[job.family];
  const auto &dw = args.outputs[0];
  for (unsigned r = 0; r < job.outCount; ++r)
    for (unsigned v = 0; v < job.count; ++v) {
      auto offset = std::int64_t(job.group) * dwGroup_ + std::int64_t(job.outBegin + r) * dwOut_ +
                    f.dw[job.begin + v];
      auto sum = alpha * sums[r * micro::maxVectors + v];
      if (dw.type == poplar::TypeId::Float) {
        float &to = dw.as<float>()[offset];
        to = beta == 0 ? sum : beta * to + sum;
      } else {
        unpack(&sum, 1, 1, 1, {dw.as<std::uint16_t>() + offset, dw.type, 1, 1}, 1, beta);
      }
    }
}

} // namespace poplin::conv
