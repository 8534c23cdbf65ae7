// SPDX-License-Identifier: MIT
// Operators of one dynamic sparse matrix S, whose blocks are in buckets (popsparse/Buckets.hpp):
// metaInfo, words that say where they belong, and values.
//   dynamicMultiply
//     outputs: y [rows, n] = S x, or its transpose times x
//     inputs:  x [columns, n], metaInfo, values
//   dynamicGradW
//     outputs: values = g x^T at the blocks, 0 in slots that have none
//     inputs:  g [rows, n], x [columns, n], metaInfo
//   dynamicSlice
//     outputs: slices [indices, columns] = rows of S, 0 where there is none
//     inputs:  metaInfo, values, indices
//   dynamicUpdateAdd
//     outputs: values, read and written
//     inputs:  metaInfo, slices [indices, columns], indices, scale [1]
#pragma once
#include "openipu/Attributes.hpp"
#include "popsparse/Buckets.hpp"

namespace popsparse::kernels {

inline constexpr char dynamicMultiply[] = "popsparse.dynamic.multiply";   // MultiplyOf
inline constexpr char dynamicGradW[] = "popsparse.dynamic.gradW";         // GradWOf
inline constexpr char dynamicSlice[] = "popsparse.dynamic.slice";         // RowsOf
inline constexpr char dynamicUpdateAdd[] = "popsparse.dynamic.updateAdd"; // RowsOf

// All of eight bytes, so that their bytes are their values. halfPartials: sums are rounded to half.
// metaBegin: first word of this pass.
struct MultiplyOf {
  BucketLayout layout;
  std::uint64_t transposed, halfPartials, metaBegin;

  std::string write() const { return openipu::AttributeWriter().put(*this).take(); }
  static MultiplyOf read(std::string_view bytes) {
    return openipu::AttributeReader(bytes).get<MultiplyOf>();
  }
};
struct GradWOf {
  BucketLayout layout;
  std::uint64_t halfPartials, metaBegin;

  std::string write() const { return openipu::AttributeWriter().put(*this).take(); }
  static GradWOf read(std::string_view bytes) {
    return openipu::AttributeReader(bytes).get<GradWOf>();
  }
};
struct RowsOf {
  BucketLayout layout;

  std::string write() const { return openipu::AttributeWriter().put(*this).take(); }
  static RowsOf read(std::string_view bytes) {
    return openipu::AttributeReader(bytes).get<RowsOf>();
  }
};

} // namespace popsparse::kernels
