// SPDX-License-Identifier: MIT
// The names that every header of PopART shares. A tensor is known to users by its id, a text.
// Programs count on what PopART's headers bring along: errors, the log, and much of the library.
#ifndef POPART_NAMES_HPP
#define POPART_NAMES_HPP
#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iostream>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <popart/error.hpp>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace popart {

// What PopART calls the parts of a model.
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
