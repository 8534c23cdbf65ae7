// SPDX-License-Identifier: MIT
#include "Vectors.hpp"

namespace popsparse::dynamic {

std::vector<std::uint16_t> wordsOf(const KernelOperand &meta, std::uint64_t begin,
                                   const BucketLayout &layout) {
  std::vector<std::uint16_t> words(layout.buckets * layout.metaElements);
  const std::int64_t stride = meta.strides.empty() || meta.contiguous ? 1 : meta.strides[0];
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = meta.as<const std::uint16_t>()[std::int64_t(begin + i) * stride];
  return words;
}

AsRow::AsRow(const KernelOperand &vector)
    : shape{1, vector.elements}, strides{0, vector.contiguous || vector.strides.empty()
                                                ? 1
                                                : vector.strides[0]},
      operand(vector) {
  operand.shape = shape;
  operand.strides = strides;
}

} // namespace popsparse::dynamic
