// SPDX-License-Identifier: MIT
// File formats of Graph::serialize.
#pragma once

namespace poplar {

enum class SerializationFormat { Binary, JSON };

} // namespace poplar
