// SPDX-License-Identifier: MIT
// The words of openipu/SessionOptions.def, which has a row for every session option.
#pragma once

namespace popart::session::option {

enum class Key { Program, Model, Own, None };
enum class Use { Done, Refused, WithoutEffect };

} // namespace popart::session::option
