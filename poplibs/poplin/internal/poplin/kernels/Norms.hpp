// SPDX-License-Identifier: MIT
// Norms of activations x [batch, channels, field...] in any memory order. Statistics are vectors:
// mean and isd = 1 / sqrt(variance + eps); parameters are gamma and beta [channels]. With gradients
// g of the result, w = (x - mean) * isd, and averages over what shares a statistic:
//   normStatistics
//     outputs: what NormWant says
//     inputs:  x; of CentredPower the mean
//   normInvStdDev
//     outputs: mean, isd
//     inputs:  sums over replicas: mean, power
//   normAffine
//     outputs: w * gamma + beta, w; those that are wanted
//     inputs:  x; mean and isd, gamma, beta; those there are
//   normForward, needs units (normHasUnits)
//     outputs: w * gamma + beta, mean, isd
//     inputs:  x, gamma, beta
//   normSums
//     outputs: sums of g * w, sums of g
//     inputs:  x, g; sums of g and of g * w, mean, isd, gamma; those there are
//   normGradient
//     outputs: dx = isd * (gamma * g - average(gamma * g) - w * average(gamma * g * w))
//     inputs:  as normSums
//   normBackward, needs units
//     outputs: dx, sums of g * w, sums of g
//     inputs:  as normSums
#pragma once
#include "openipu/Attributes.hpp"
#include "openipu/Overwrite.hpp"
#include "poplin/NormGroups.hpp"
#include <algorithm>
#include <span>

namespace poplin::kernels {

inline constexpr char normStatistics[] = "poplin.norm.statistics"; // NormStatisticsOf
inline constexpr char normInvStdDev[] = "poplin.norm.invStdDev";   // NormInvStdDevOf
inline constexpr char normAffine[] = "poplin.norm.affine";         // NormAffineOf
inline constexpr char normForward[] = "poplin.norm.forward";       // NormForwardOf
inline constexpr char normSums[] = "poplin.norm.sums";             // NormGradientOf
inline constexpr char normGradient[] = "poplin.norm.gradient";     // NormGradientOf
inline constexpr char normBackward[] = "poplin.norm.backward";     // NormGradientOf

// Which dimension lies side by side: 0 batch, 1 channels, 2 field, 3 none.
inline unsigned normInnermost(std::span<const std::size_t> shape,
                              std::span<const std::int64_t> strides) {
  for (std::size_t d = shape.size(); d-- > 0;)
    if (shape[d] > 1 && strides[d] == 1)
      return unsigned(std::min<std::size_t>(d, 2));
  return 3;
}
// Whether activations of this shape and memory order have units.
inline bool normHasUnits(NormGroups groups, std::span<const std::size_t> shape,
                         std::span<const std::int64_t> strides) {
  return groups.count != 0 || normInnermost(shape, strides) != 1;
}

inline openipu::AttributeWriter startingWith(NormGroups groups) {
  openipu::AttributeWriter out;
  out.put(groups.count).put(groups.strided);
  return out;
}
inline NormGroups readGroups(openipu::AttributeReader &in) {
  NormGroups groups;
  groups.count = in.get<std::uint32_t>();
  groups.strided = in.get<bool>();
  return groups;
}

// What is made of the sums.
enum class NormWant : std::uint8_t {
  InvStdDev,    // (mean, 1 / sqrt(var + eps))
  Power,        // (mean * scale, mean of squares * scale): parts of sums over replicas
  Mean,         // (mean * scale)
  CentredPower, // (mean of squares about a given mean * scale)
};

struct NormStatisticsOf {
  NormGroups groups;
  NormWant want;
  float eps, scale;
  bool unbiased;

  std::string write() const {
    return startingWith(groups).put(want).put(eps).put(scale).put(unbiased).take();
  }
  static NormStatisticsOf read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    NormStatisticsOf s;
    s.groups = readGroups(in);
    s.want = in.get<NormWant>();
    s.eps = in.get<float>();
    s.scale = in.get<float>();
    s.unbiased = in.get<bool>();
    return s;
  }
};

struct NormInvStdDevOf {
  float eps;
  double correction; // of the variance
  bool centred;      // the power is the variance already

  std::string write() const {
    return openipu::AttributeWriter().put(eps).put(correction).put(centred).take();
  }
  static NormInvStdDevOf read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    const auto eps = in.get<float>();
    const auto correction = in.get<double>();
    return {eps, correction, in.get<bool>()};
  }
};

struct NormAffineOf {
  NormGroups groups;
  bool normalised, whitened, stat, gamma, beta; // what is wanted, what is given

  std::string write() const {
    return startingWith(groups).put(normalised).put(whitened).put(stat).put(gamma).put(beta).take();
  }
  static NormAffineOf read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    NormAffineOf s;
    s.groups = readGroups(in);
    for (bool *flag : {&s.normalised, &s.whitened, &s.stat, &s.gamma, &s.beta})
      *flag = in.get<bool>();
    return s;
  }
};

struct NormForwardOf {
  NormGroups groups;
  float eps;
  bool unbiased;

  std::string write() const { return startingWith(groups).put(eps).put(unbiased).take(); }
  static NormForwardOf read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    const auto groups = readGroups(in);
    const auto eps = in.get<float>();
    return {groups, eps, in.get<bool>()};
  }
};
// The result where x is: statistics of a unit are there before it is written.
inline bool normForwardMayOverwrite(std::string_view, std::size_t, std::size_t output,
                                    std::size_t input) {
  return output == 0 && input == 0;
}

struct NormGradientOf {
  NormGroups groups;
  bool hasSums, hasMean, hasIsd, hasGamma;
  bool perParameter;      // sums per channel, else per statistic
  double scale;           // of sums
  bool plainSums = false; // the sums given are not multiplied by gamma yet

  std::string write() const {
    return startingWith(groups)
        .put(hasSums)
        .put(hasMean)
        .put(hasIsd)
        .put(hasGamma)
        .put(perParameter)
        .put(scale)
        .put(plainSums)
        .take();
  }
  static NormGradientOf read(std::string_view bytes) {
    openipu::AttributeReader in(bytes);
    NormGradientOf s;
    s.groups = readGroups(in);
    for (bool *flag : {&s.hasSums, &s.hasMean, &s.hasIsd, &s.hasGamma, &s.perParameter})
      *flag = in.get<bool>();
    s.scale = in.get<double>();
    s.plainSums = in.get<bool>();
    return s;
  }
};
// Of normGradient and normBackward: dx where x or its gradient was. Sums are there before an
// element is written, and nothing but itself is read for it then.
inline bool normGradientMayOverwrite(std::string_view, std::size_t, std::size_t output,
                                     std::size_t input) {
  return output == 0 && input < 2;
}

} // namespace poplin::kernels
