// SPDX-License-Identifier: MIT
// The samples of a region are worked out once and used for all channels.
#include "popnn/kernels/RoiAlign.hpp"
#include "poplin/Rows.hpp"
#include <cmath>

namespace popnn {
namespace {

namespace rows = poplin::rows;
using openipu::KernelArgs;
using openipu::KernelOperand;
using openipu::TypeId;
using Settings = kernels::RoiAlignOf;

// Four neighbours of a sample and their shares, for one bin.
struct Sample {
  std::uint32_t bin;
  std::uint32_t y[2], x[2];
  float weight[4]; // (y0,x0) (y0,x1) (y1,x0) (y1,x1), with the average's 1/n
};

// Where a coordinate lies between two elements; false outside.
bool locate(float at, std::size_t size, std::uint32_t (&index)[2], float &high) {
  if (at < -1.0f || at > float(size))
    return false;
  at = std::max(at, 0.0f);
  index[0] = std::uint32_t(at);
  if (index[0] + 1 >= size) {
    index[0] = index[1] = std::uint32_t(size) - 1;
    high = 0;
  } else {
    index[1] = index[0] + 1;
    high = at - float(index[0]);
  }
  return true;
}

void samplesOf(const Settings &s, const float *roi, std::size_t height, std::size_t width,
               std::vector<Sample> &out) {
  out.clear();
  float shift = s.aligned ? 0.5f : 0.0f;
  float left = roi[0] * s.scale - shift, top = roi[1] * s.scale - shift;
  float w = roi[2] * s.scale - shift - left, h = roi[3] * s.scale - shift - top;
  if (!s.aligned) {
    w = std::max(w, 1.0f);
    h = std::max(h, 1.0f);
  }
  float binW = w / float(s.poolW), binH = h / float(s.poolH);
  int gridW = s.samplingRatio > 0 ? s.samplingRatio : std::max(0, int(std::ceil(binW)));
  int gridH = s.samplingRatio > 0 ? s.samplingRatio : std::max(0, int(std::ceil(binH)));
  float share = 1.0f / float(std::max(1, gridW * gridH));
  for (int py = 0; py < s.poolH; ++py)
    for (int px = 0; px < s.poolW; ++px)
      for (int gy = 0; gy < gridH; ++gy)
        for (int gx = 0; gx < gridW; ++gx) {
          Sample sample;
          sample.bin = std::uint32_t(py * s.poolW + px);
          float fy, fx;
          float y = top + (float(py) + (float(gy) + 0.5f) / float(gridH)) * binH;
          float x = left + (float(px) + (float(gx) + 0.5f) / float(gridW)) * binW;
          if (!locate(y, height, sample.y, fy) || !locate(x, width, sample.x, fx))
            continue;
          sample.weight[0] = (1 - fy) * (1 - fx) * share;
          sample.weight[1] = (1 - fy) * fx * share;
          sample.weight[2] = fy * (1 - fx) * share;
          sample.weight[3] = fy * fx * share;
          out.push_back(sample);
        }
}

// Elements of any type as floats, for the small operands.
std::vector<float> allOf(const KernelOperand &t) {
  if (t.type == TypeId::Float || t.type == TypeId::Half) {
    const float *at = rows::table(t, 8);
    return {at, at + t.elements};
  }
  std::vector<float> out; // indices are a vector
  for (std::size_t i = 0; i < t.elements; ++i)
    out.push_back(
        float(t.as<std::int32_t>()[std::int64_t(i) * (t.elements > 1 ? t.strides[0] : 1)]));
  return out;
}

std::size_t batchOf(const std::vector<float> &indices, std::size_t roi, std::size_t batch) {
  auto index = std::int64_t(indices[roi]);
  return index >= 0 && std::size_t(index) < batch ? std::size_t(index) : batch;
}

// Plane [H][W] of a batch element and channel as floats side by side.
void loadPlane(const KernelOperand &t, std::size_t b, std::size_t c, float *to) {
  rows::Data data(t);
  auto base = std::int64_t(b) * t.strides[0] + std::int64_t(c) * t.strides[1];
  for (std::size_t y = 0; y < t.shape[2]; ++y)
    data.load(base + std::int64_t(y) * t.strides[2], t.strides[3], t.shape[3], to + y * t.shape[3]);
}
void storePlane(const KernelOperand &t, std::size_t b, std::size_t c, const float *from) {
  rows::Data data(t);
  auto base = std::int64_t(b) * t.strides[0] + std::int64_t(c) * t.strides[1];
  for (std::size_t y = 0; y < t.shape[2]; ++y)
    data.store(base + std::int64_t(y) * t.strides[2], t.strides[3], t.shape[3],
               from + y * t.shape[3]);
}

// Output [n][C][poolH][poolW]; inputs data, rois, batch index.
void forward(const KernelArgs &args) {
  const auto s = Settings::read(args.attributes);
  const auto &data = args.inputs[0], &out = args.outputs[0];
  auto rois = allOf(args.inputs[1]), indices = allOf(args.inputs[2]);
  auto height = data.shape[2], width = data.shape[3];
  auto body = [&](std::size_t begin, std::size_t end, unsigned) {
    thread_local std::vector<Sample> samples;
    rows::Data in(data);
    float *bins = rows::scratch(0, std::size_t(s.poolH) * std::size_t(s.poolW));
    for (auto n = begin; n < end; ++n) {
      samplesOf(s, &rois[4 * n], height, width, samples);
      auto b = batchOf(indices, n, data.shape[0]);
      for (std::size_t c = 0; c < data.shape[1]; ++c) {
        std::fill(bins, bins + s.poolH * s.poolW, 0.0f);
        auto base = std::int64_t(b) * data.strides[0] + std::int64_t(c) * data.strides[1];
        for (const Sample &sample : samples)
          for (unsigned i = 0; b < data.shape[0] && i < 4; ++i) {
            float value;
            in.load(base + std::int64_t(sample.y[i / 2]) * data.strides[2] +
                        std::int64_t(sample.x[i % 2]) * data.strides[3],
                    1, 1, &value);
            bins[sample.bin] += sample.weight[i] * value;
          }
        storePlane(out, n, c, bins);
      }
    }
  };
  base::parallelFor(out.shape[0], 1, std::ref(body));
}

// Output: gradient of the data; inputs: gradient of the result, rois, batch index. Channels are
// independent, and regions are added in order.
void backward(const KernelArgs &args) {
  const auto s = Settings::read(args.attributes);
  const auto &dx = args.outputs[0], &grads = args.inputs[0];
  auto rois = allOf(args.inputs[1]), indices = allOf(args.inputs[2]);
  auto height = dx.shape[2], width = dx.shape[3], batch = dx.shape[0];
  auto body = [&](std::size_t begin, std::size_t end, unsigned) {
    thread_local std::vector<Sample> samples;
    auto plane = height * width;
    float *sums = rows::scratch(0, batch * plane);
    float *g = rows::scratch(1, grads.shape[2] * grads.shape[3]);
    for (auto c = begin; c < end; ++c) {
      std::fill(sums, sums + batch * plane, 0.0f);
      for (std::size_t n = 0; n < grads.shape[0]; ++n) {
        auto b = batchOf(indices, n, batch);
        if (b == batch)
          continue;
        samplesOf(s, &rois[4 * n], height, width, samples);
        loadPlane(grads, n, c, g);
        for (const Sample &sample : samples)
          for (unsigned i = 0; i < 4; ++i)
            sums[b * plane + sample.y[i / 2] * width + sample.x[i % 2]] +=
                sample.weight[i] * g[sample.bin];
      }
      for (std::size_t b = 0; b < batch; ++b)
        storePlane(dx, b, c, sums + b * plane);
    }
  };
  base::parallelFor(dx.shape[1], 1, std::ref(body));
}

const openipu::Registered registered{{.name = kernels::roiAlign, .run = forward}};
const openipu::Registered registeredGradient{{.name = kernels::roiAlignGradient, .run = backward}};

} // namespace
} // namespace popnn
