// SPDX-License-Identifier: MIT
// The names that every header of PopART shares. A tensor is known to users by its id, a text.
#ifndef POPART_NAMES_HPP
#define POPART_NAMES_HPP
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace popart {

using TensorId = std::string;
using Shape = std::vector<std::int64_t>;
using Rank = int;
using OpType = std::string;
using OpDomain = std::string;
using OpVersion = unsigned;
using OpName = std::string;
using OpId = int;
using InIndex = int;
using OutIndex = int;
using ReturnPeriod = int;
using VGraphId = std::int64_t;
using PipelineStage = std::int64_t;
using ExecutionPhase = std::int64_t;

} // namespace popart
#endif
