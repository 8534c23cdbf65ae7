// SPDX-License-Identifier: MIT
// Which operators of a block are converted.
#pragma once
#include "core/Conversion.hpp"
#include <set>

namespace paddleipu {

// Paddle's op_role of an operator: bits.
enum Role : std::int64_t { Forward = 0, Backward = 1, Optimize = 2, Schedule = 16, Loss = 256 };
std::int64_t roleOf(const proto::OpDesc &op);
std::int64_t integerOf(const proto::OpDesc &op, const std::string &attribute,
                       std::int64_t otherwise);

// The output of the operator that the backward pass starts from; empty if there is none.
std::string lossOf(const proto::BlockDesc &block);
// Parameters that an optimiser's operator updates.
std::set<std::string> trainedBy(const proto::BlockDesc &block);

// Those that a result, or a new value of a variable, needs; of the forward pass only unless
// `whole`.
std::vector<const proto::OpDesc *> select(const proto::BlockDesc &block,
                                          const std::vector<std::string> &results,
                                          const std::set<std::string> &fed, bool whole);

} // namespace paddleipu
