// SPDX-License-Identifier: MIT
// What pooling does with the elements under its window.
#pragma once

namespace popnn {

enum class PoolingType { MAX, AVG, SUM };

} // namespace popnn
