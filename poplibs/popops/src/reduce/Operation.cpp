// SPDX-License-Identifier: MIT
// Names of the reduction operations, in the order of the enumeration.
#include "popops/Operation.hpp"
#include <array>
#include <base/Text.hpp>
#include <istream>
#include <ostream>
#include <poputil/exceptions.hpp>
#include <vector>

namespace popops {

static const std::vector<std::string> names = {
    "ADD", "MUL", "MIN", "MAX", "LOGICAL_AND", "LOGICAL_OR", "SQUARE_ADD", "LOG_ADD"};

std::string asString(const Operation &op) { return names.at(static_cast<std::size_t>(op)); }

std::ostream &operator<<(std::ostream &out, const Operation &op) { return out << asString(op); }

std::istream &operator>>(std::istream &in, Operation &op) {
  std::string word;
  in >> word;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == word) {
      op = static_cast<Operation>(i);
      return in;
    }
  throw poputil::poplibs_error(
      base::str("\"", word, "\" is no operation of a reduction; use one of ",
                base::list(names, ", "), ".", base::didYouMean(word, names)));
}

} // namespace popops
