// SPDX-License-Identifier: MIT
#include "popnn/NonLinearityDefUtil.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <array>
#include <cctype>
#include <istream>
#include <ostream>

namespace popnn {

static const std::array<const char *, 10> names = {
    "SIGMOID",  "HARD_SIGMOID", "RELU",    "TANH",           "GELU",
    "GELU_ERF", "SWISH",        "SOFTMAX", "SOFTMAX_STABLE", "SOFTMAX_SCALED"};

const char *asString(const NonLinearityType &type) { return names.at(std::size_t(type)); }

std::ostream &operator<<(std::ostream &os, const NonLinearityType &type) {
  return os << asString(type);
}

std::istream &operator>>(std::istream &is, NonLinearityType &type) {
  std::string word, upper;
  is >> word;
  for (char c : word)
    upper += c == '-' ? '_' : char(std::toupper(static_cast<unsigned char>(c)));
  auto found = std::find(names.begin(), names.end(), upper);
  if (found == names.end())
    throw poputil::poplibs_error(base::str("\"", word, "\" is no non-linearity.",
                                           base::didYouMean(upper, {names.begin(), names.end()})));
  type = NonLinearityType(found - names.begin());
  return is;
}

} // namespace popnn
