// SPDX-License-Identifier: MIT
// Each bin of a region is the average of bilinear samples of the data.
//   roiAlign
//     outputs: bins [regions, C, poolH, poolW]
//     inputs:  data [B, C, H, W], regions [regions, 4], batch index [regions]
//   roiAlignGradient
//     outputs: gradient of the data
//     inputs:  gradient of the bins, regions, batch index
#pragma once
#include "openipu/Attributes.hpp"

namespace popnn::kernels {

inline constexpr char roiAlign[] = "popnn.roiAlign";
inline constexpr char roiAlignGradient[] = "popnn.roiAlignGradient";

struct RoiAlignOf {
  std::int32_t samplingRatio, poolH, poolW;
  bool aligned;
  float scale;

  std::string write() const {
    return openipu::AttributeWriter()
        .put(samplingRatio)
        .put(poolH)
        .put(poolW)
        .put(aligned)
        .put(scale)
        .take();
  }
  static RoiAlignOf read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    RoiAlignOf s;
    s.samplingRatio = in.get<std::int32_t>();
    s.poolH = in.get<std::int32_t>();
    s.poolW = in.get<std::int32_t>();
    s.aligned = in.get<bool>();
    s.scale = in.get<float>();
    return s;
  }
};

} // namespace popnn::kernels
