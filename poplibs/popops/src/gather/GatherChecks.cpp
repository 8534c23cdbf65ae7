// SPDX-License-Identifier: MIT
#include "gather/GatherChecks.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>

namespace popops::gathering {

using base::list;
using base::str;

void require(bool good, const std::string &message) {
  if (!good)
    throw poputil::poplibs_error(message);
}

poplar::Tensor asOffsets(const std::string &call, const poplar::Tensor &indices) {
  auto type = indices.elementType();
  require(type == poplar::INT || type == poplar::UNSIGNED_INT,
          str(call, ": indices are of type ", type, "; int or unsigned int is needed."));
  return indices.reinterpret(poplar::UNSIGNED_INT);
}

IndexVectors indexVectors(const std::string &call, const poplar::Tensor &indices,
                          std::size_t indexVectorDim, std::size_t components) {
  require(indexVectorDim <= indices.rank(),
          str(call, ": indexVectorDim ", indexVectorDim, " does not exist in indices of shape ",
              list(indices.shape()), "; it may be at most ", indices.rank(), '.'));
  auto t = asOffsets(call, indices);
  if (indexVectorDim == indices.rank())
    t = t.expand({indexVectorDim});
  t = t.dimRoll(unsigned(indexVectorDim), t.rank() - 1);
  auto shape = t.shape();
  require(shape.back() == components,
          str(call, ": index vectors of ", shape.back(), " elements (indices ",
              list(indices.shape()), ", indexVectorDim ", indexVectorDim, ") are mapped to ",
              components, " dimensions; the numbers must be equal."));
  Sizes batch(shape.begin(), shape.end() - 1);
  std::size_t n = 1;
  for (auto d : batch)
    n *= d;
  return {t.reshape({n, components}), batch};
}

void checkDistinct(const std::string &call, const char *what, Sizes dims, std::size_t limit) {
  auto given = list(dims);
  std::sort(dims.begin(), dims.end());
  require(std::adjacent_find(dims.begin(), dims.end()) == dims.end(),
          str(call, ": ", what, ' ', given, " names a dimension twice."));
  require(dims.empty() || dims.back() < limit,
          str(call, ": ", what, ' ', given, " names a dimension that does not exist: there are ",
              limit, '.'));
}

void checkSliceSizes(const std::string &call, const Sizes &shape, const Sizes &sliceSizes,
                     const std::vector<unsigned> &startIndexMap) {
  bool fits = shape.size() == sliceSizes.size() &&
              std::equal(sliceSizes.begin(), sliceSizes.end(), shape.begin(), std::less_equal<>());
  require(fits, str(call, ": slices of ", list(sliceSizes), " do not fit a tensor of shape ",
                    list(shape), '.'));
  checkDistinct(call, "startIndexMap", {startIndexMap.begin(), startIndexMap.end()}, shape.size());
}

void checkGather(const std::string &call, const Sizes &sliceSizes, const Sizes &collapsed,
                 const Sizes &offsetDims, std::size_t batchRank) {
  checkDistinct(call, "collapsedSliceDims", collapsed, sliceSizes.size());
  for (auto d : collapsed)
    require(sliceSizes[d] == 1, str(call, ": dimension ", d, " is collapsed, but slices are ",
                                    sliceSizes[d], " long in it; only dimensions of 1 can be."));
  auto kept = sliceSizes.size() - collapsed.size();
  require(offsetDims.size() == kept,
          str(call, ": ", offsetDims.size(), " offsetDims ", list(offsetDims), " for slices of ",
              kept, " dimensions (", list(sliceSizes), " without ", list(collapsed), ")."));
  checkDistinct(call, "offsetDims", offsetDims, batchRank + kept);
  require(std::is_sorted(offsetDims.begin(), offsetDims.end()),
          str(call, ": offsetDims ", list(offsetDims), " must ascend."));
}

} // namespace popops::gathering
