// SPDX-License-Identifier: MIT
// What pooling does with the elements under its window.
#pragma once

namespace popnn {

enum class PoolingType { MAX, AVG, SUM }; // the largest element, the mean or the sum of a window

} // namespace popnn
