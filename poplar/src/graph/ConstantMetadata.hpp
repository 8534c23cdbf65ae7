// SPDX-License-Identifier: MIT
// Metadata of 8-bit floats that a graph knows.
#pragma once
#include "poplar/Quarter.hpp"
#include "tensor/View.hpp"

namespace poplar::graph {

// The format and scale in a metadata tensor whose value is known when the graph is built; throws
// tensor_metadata_error otherwise.
QuarterMetadata constantMetadata(const tensor::View &view);

} // namespace poplar::graph
