// SPDX-License-Identifier: MIT
#include "graph/ConstantMetadata.hpp"
#include "base/Text.hpp"
#include "graph/GraphState.hpp"
#include "poplar/exceptions.hpp"
#include "types/Value.hpp"

namespace poplar::graph {

QuarterMetadata constantMetadata(const tensor::View &view) {
  if (view.type != TypeId::QuarterMetadata || view.numElements() != 1)
    throw tensor_metadata_error(base::str("Metadata is one element of type QUARTER_METADATA, not ",
                                          view.numElements(), " of type ", spelling(view.type),
                                          "."));
  const auto &piece = view.pieces.front();
  const auto &initial = view.graph->variables[piece.var.value].initial;
  auto after = initial.upper_bound(static_cast<std::uint64_t>(piece.offset));
  if (after != initial.begin()) {
    const auto &[begin, bytes] = *std::prev(after);
    if (const auto at = static_cast<std::uint64_t>(piece.offset) - begin; at < bytes.size())
      return QuarterMetadata(static_cast<unsigned char>(bytes[at]));
  }
  throw tensor_metadata_error(
      "The metadata tensor has no value when the graph is built, so host values cannot be "
      "converted to QUARTER. Use createConstantMetadataTensor, or set its initial value first.");
}

} // namespace poplar::graph
