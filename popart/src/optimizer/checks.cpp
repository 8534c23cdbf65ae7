// SPDX-License-Identifier: MIT
#include "optimizer/checks.hpp"

#include "base/Text.hpp"
#include <algorithm>
#include <cmath>
#include <limits>
#include <popart/error.hpp>

namespace popart::optimizer {

const ParameterMap &onlyKnown(const ParameterMap &params, const std::vector<std::string> &names,
                              const std::string &optimizer) {
  for (const auto &[name, value] : params)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw error(base::str(optimizer, " has no hyper-parameter \"", name, "\"",
                            base::didYouMean(name, names).empty()
                                ? base::str("; it has ", base::list(names, ", "), ".")
                                : "." + base::didYouMean(name, names)));
  return params;
}

OptimizerValue valueOr(const ParameterMap &params, const std::string &name,
                       OptimizerValue otherwise) {
  auto it = params.find(name);
  return it == params.end() ? otherwise : OptimizerValue(it->second);
}

void anything(const std::string &who, const OptimizerValue &value) {
  if (!std::isfinite(value.val()))
    throw error(base::str(who, " is ", value.val(), "; it must be a finite number."));
}
void notNegative(const std::string &who, const OptimizerValue &value) {
  anything(who, value);
  if (value.val() < 0)
    throw error(base::str(who, " is ", value.val(), "; it must not be negative."));
}
void positive(const std::string &who, const OptimizerValue &value) {
  anything(who, value);
  if (!(value.val() > 0))
    throw error(base::str(who, " is ", value.val(), "; it must be greater than zero."));
}
void atMostOne(const std::string &who, const OptimizerValue &value) {
  notNegative(who, value);
  if (value.val() > 1)
    throw error(base::str(who, " is ", value.val(), "; it must be from 0 to 1."));
}
void belowOne(const std::string &who, const OptimizerValue &value) {
  atMostOne(who, value);
  if (value.val() == 1)
    throw error(base::str(who, " is 1; it must be less, as the correction of the bias divides by "
                               "what it lacks of 1."));
}
void epsilon(const std::string &who, const OptimizerValue &value) {
  positive(who, value);
  if (value.val() < std::numeric_limits<float>::min()) // 0 / 0 where no gradient ever came
    throw error(base::str(who, " is ", value.val(), "; it must be at least ",
                          std::numeric_limits<float>::min(),
                          ", as tiles take smaller numbers for zero."));
}
void learningRate(const std::string &who, const OptimizerValue &value) {
  notNegative(who, value);
  if (value.val() == 0 && value.isConst())
    throw error(base::str(who, " is zero for ever, so that nothing would be learnt. If it is zero "
                               "only for now, make it non-constant."));
}

} // namespace popart::optimizer
