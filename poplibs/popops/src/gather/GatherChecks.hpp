// SPDX-License-Identifier: MIT
// What gather and scatter ask of their arguments, and indices in a common form.
#pragma once
#include "poplar/Tensor.hpp"
#include <string>
#include <vector>

namespace popops::gathering {

using Sizes = std::vector<std::size_t>;

void require(bool good, const std::string &message); // throws poputil::poplibs_error

// INT or UNSIGNED_INT indices as UNSIGNED_INT.
poplar::Tensor asOffsets(const std::string &call, const poplar::Tensor &indices);

struct IndexVectors {
  poplar::Tensor offsets; // [vectors, components]
  Sizes batchShape;       // of indices, without the dimension of the vectors
};
IndexVectors indexVectors(const std::string &call, const poplar::Tensor &indices,
                          std::size_t indexVectorDim, std::size_t components);

void checkDistinct(const std::string &call, const char *what, Sizes dims, std::size_t limit);
void checkSliceSizes(const std::string &call, const Sizes &shape, const Sizes &sliceSizes,
                     const std::vector<unsigned> &startIndexMap);
void checkGather(const std::string &call, const Sizes &sliceSizes, const Sizes &collapsed,
                 const Sizes &offsetDims, std::size_t batchRank);

} // namespace popops::gathering
