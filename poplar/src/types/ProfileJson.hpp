// SPDX-License-Identifier: MIT
// ProfileValue as JSON. Members of a map come in the order of their keys.
#pragma once
#include "poplar/ProfileValue.hpp"
#include <nlohmann/json.hpp>

namespace poplar::types {

nlohmann::ordered_json toJson(const ProfileValue &value);

} // namespace poplar::types
