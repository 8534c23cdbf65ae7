// SPDX-License-Identifier: MIT
// Convolutions and their weight gradients, of a field of one dimension at least.
//   convolution
//     outputs: y [batch, groups * out, field...] = activation(sums + what is added)
//     inputs:  x [batch, groups * in, field...], weights [groups, out, in, kernel...]; what is
//              added, up to two of the shape of y
//   weightGradient
//     outputs: deltas, of the shape of the weights; if it accumulates they are read too, and become
//              deltas + scale * gradient
//     inputs:  gradient of y, x; scale [1], if it is a tensor
//   ...OfQuarters: the same on 8-bit floats; the metadata [1] of those inputs that are quarter
//   follow the other inputs
#pragma once
#include "openipu/Activation.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Overwrite.hpp"

namespace poplin::kernels {

inline constexpr char convolution[] = "poplin.convolution";
inline constexpr char convolutionOfQuarters[] = "poplin.convolution.quarter";
inline constexpr char weightGradient[] = "poplin.weightGradient";
inline constexpr char weightGradientOfQuarters[] = "poplin.weightGradient.quarter";

// Sizes and transforms of one dimension of the field.
struct Dim {
  struct Transform {
    std::int64_t truncationLower, truncated, dilation, paddingLower, transformed, flip;
  };
  std::int64_t input, kernel, output;
  Transform in, weights;
  std::int64_t outputTruncation, stride, outputPadding, kept; // kept: before the padding

  // Input element that meets kernel element k at output o, or -1.
  std::int64_t inputIndex(std::int64_t o, std::int64_t k) const;
};

struct Geometry {
  std::uint64_t batch = 0, groups = 0, in = 0, out = 0; // channels per group
  std::vector<Dim> dims;                                // at least one

  Geometry() {}
  void put(openipu::AttributeWriter &writer) const;
  // Throws std::runtime_error if the bytes cannot be a convolution.
  explicit Geometry(openipu::AttributeReader &reader);

  std::uint64_t kernelPositions() const, outputPositions() const;
};

struct ConvolutionOf {
  Geometry geometry;
  openipu::Activation activation = openipu::Activation::None;
  bool nearest = false; // disableSRForAMPVertices

  std::string write() const {
    openipu::AttributeWriter writer;
    geometry.put(writer);
    return writer.put(activation).put(nearest).take();
  }
  static ConvolutionOf read(std::string_view bytes) {
    openipu::AttributeReader reader(bytes);
    Geometry geometry(reader);
    const auto activation = reader.get<openipu::Activation>();
    return {std::move(geometry), activation, reader.get<bool>()};
  }
};

// y where something lies that is added.
inline bool convolutionMayOverwrite(std::string_view, std::size_t, std::size_t, std::size_t input) {
  return input >= 2;
}

struct WeightGradientOf {
  bool accumulate = false, scaleIsTensor = false;
  bool nearest = false; // disableSRForAMPVertices
  float scale = 1;
  Geometry geometry;

  std::string write() const {
    openipu::AttributeWriter writer;
    writer.put(accumulate).put(scaleIsTensor).put(nearest).put(false).put(scale);
    geometry.put(writer);
    return writer.take();
  }
  static WeightGradientOf read(std::string_view bytes) {
    openipu::AttributeReader reader(bytes);
    WeightGradientOf w;
    w.accumulate = reader.get<bool>();
    w.scaleIsTensor = reader.get<bool>();
    w.nearest = reader.get<bool>();
    reader.get<bool>();
    w.scale = reader.get<float>();
    w.geometry = Geometry(reader);
    return w;
  }
};

} // namespace poplin::kernels
