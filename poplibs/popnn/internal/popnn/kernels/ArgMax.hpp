// SPDX-License-Identifier: MIT
// The largest or smallest element of each row, its index, and the K largest. The first of equal
// elements counts, and the first NaN before all numbers (not of topK).
//   argMax, argMin   outputs: values [batch], if wanted; indices [batch]   inputs: x [batch, n]
//   topK             outputs: values [batch, K], indices [batch, K]   inputs: x [batch, n]
//   no attributes; x is float, half, int or unsigned int
#pragma once

namespace popnn::kernels {

inline constexpr char argMax[] = "popnn.argMax";
inline constexpr char argMin[] = "popnn.argMin";
inline constexpr char topK[] = "popnn.topK";

} // namespace popnn::kernels
