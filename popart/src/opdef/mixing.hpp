// SPDX-License-Identifier: MIT
// Numbers of another type among the inputs of an operator.
#pragma once
#include "opdef/importing.hpp"

namespace popart::ops {

// Element-wise arithmetic takes one FLOAT number beside FLOAT16 tensors: it becomes FLOAT16, as
// does the result. Anything else of two types stays as it is, for the operator to refuse.
void castLoneNumbers(Importing &i);

} // namespace popart::ops
