// SPDX-License-Identifier: MIT
// Names that stand for no tensor, where only a tensor will do.
#pragma once
#include "opdef/importing.hpp"

namespace popart::onnxmodel {

// A sequence, or an optional value that is not there. A loop that is written out, or a branch that
// is known, may do without the tensor.
class no_tensor : public ops::not_constant {
public:
  using not_constant::not_constant;
};

} // namespace popart::onnxmodel
