// SPDX-License-Identifier: MIT
// Parts that the solvers share.
#include "solve/Solve.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include "poputil/OptionParsing.hpp"
#include <algorithm>

namespace poplin::solve {

poplar::OptionFlags matMulOptions(const poplar::OptionFlags &options) {
  poplar::OptionFlags rest;
  for (const auto &[name, value] : options)
    if (name != "blockSize")
      rest.set(name, value);
  return rest;
}

Options parseOptions(const poplar::OptionFlags &options, std::size_t blockSize) {
  Options out{blockSize, productOptions(matMulOptions(options))};
  const poplibs::OptionSpec own{
      {"blockSize", poplibs::OptionHandler::createWithInteger(out.blockSize)}};
  if (auto found = options.find("blockSize"); found != options.end())
    own.parse(found->first, found->second);
  if (!out.blockSize)
    throw poplar::invalid_option("Invalid value '0' for option 'blockSize': a block has at least "
                                 "one row");
  return out;
}

void checkSquare(const char *function, const char *what, const poplar::Type &type,
                 const std::vector<std::size_t> &shape) {
  if (type != poplar::FLOAT && type != poplar::HALF)
    throw poputil::poplibs_error(base::str("poplin::", function, ": ", what, " is of type ", type,
                                           "; only float and half can be solved. Cast it."));
  if (shape.size() < 2 || shape[shape.size() - 1] != shape[shape.size() - 2])
    throw poputil::poplibs_error(base::str("poplin::", function, ": ", what, " has shape ",
                                           base::list(shape),
                                           " but must be square matrices [..., N, N]."));
}

std::size_t batches(const std::vector<std::size_t> &shape) {
  std::size_t n = 1;
  for (std::size_t d = 0; d + 2 < shape.size(); ++d)
    n *= shape[d];
  return n;
}

} // namespace poplin::solve
