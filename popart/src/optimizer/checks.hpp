// SPDX-License-Identifier: MIT
// What constructors of optimisers share: taking values from a map by name, and checks of values.
#pragma once
#include <popart/optimizer.hpp>

namespace popart::optimizer {

using ParameterMap = std::map<std::string, std::pair<float, bool>>;

// The map itself; popart::error if it has a key that is not listed.
const ParameterMap &onlyKnown(const ParameterMap &params, const std::vector<std::string> &names,
                              const std::string &optimizer);
OptimizerValue valueOr(const ParameterMap &params, const std::string &name,
                       OptimizerValue otherwise);

// popart::error, for one value; `who` says which.
void notNegative(const std::string &who, const OptimizerValue &value);
void atMostOne(const std::string &who, const OptimizerValue &value); // and not negative
void belowOne(const std::string &who, const OptimizerValue &value);  // and not negative
void positive(const std::string &who, const OptimizerValue &value);
void epsilon(const std::string &who, const OptimizerValue &value); // greater than zero on tiles too
void learningRate(const std::string &who, const OptimizerValue &value);
void anything(const std::string &who, const OptimizerValue &value); // that is a number

} // namespace popart::optimizer
