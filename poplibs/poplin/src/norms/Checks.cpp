// SPDX-License-Identifier: MIT
// What norms refuse.
#include "Checks.hpp"
#include "base/Text.hpp"
#include "poplin/NormOperations.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>

namespace poplin::norms {

using base::list;
using base::str;
using poputil::poplibs_error;

static bool isFloating(const poplar::Type &type) {
  return type == poplar::FLOAT || type == poplar::HALF;
}

void checkActs(const poplar::Tensor &acts, NormGroups groups, const std::string &api) {
  if (acts.rank() < 2)
    throw poplibs_error(str(api, ": activations of shape ", list(acts.shape()),
                            " have no channels; give [batch][channels][field...]"));
  if (!isFloating(acts.elementType()))
    throw poplibs_error(
        str(api, ": activations of type ", acts.elementType(), "; norms take FLOAT and HALF"));
  // No channels are divisible into any number of groups, whose statistics may fill all memory.
  const bool more = groups.count > std::max<std::size_t>(acts.dim(1), 1);
  if (groups.count && (more || acts.dim(1) % groups.count != 0))
    throw poplibs_error(str(api, ": ", acts.dim(1), " channels of activations ", list(acts.shape()),
                            " are not divisible into ", groups.count, " groups"));
}

std::size_t numStatistics(const poplar::Tensor &acts, NormGroups groups) {
  return groups.count ? acts.dim(0) * groups.count : acts.dim(1);
}

void failWithoutStatistics(const std::string &api) {
  throw poplibs_error(str(api, ": the mean or the inverse standard deviation is an empty tensor; "
                               "give the statistics of the activations."));
}

void checkVector(const poplar::Tensor &t, std::size_t size, const char *what,
                 const poplar::Tensor &acts, const std::string &api) {
  if (!t.valid())
    return;
  if (t.rank() != 1 || t.dim(0) != size)
    throw poplibs_error(str(api, ": ", what, " of shape ", list(t.shape()), " for activations ",
                            list(acts.shape()), "; it must be [", size, "]"));
  if (!isFloating(t.elementType()))
    throw poplibs_error(str(api, ": ", what, " of type ", t.elementType(), "; use FLOAT or HALF"));
}

void checkPartials(const poplar::Type &partials, const std::string &api) {
  if (!isFloating(partials))
    throw poplibs_error(str(api, ": partials of type ", partials, "; use FLOAT or HALF"));
}

unsigned replicasOf(const Distributed &distributed, const poplar::Tensor &acts,
                    const std::string &api) {
  if (acts.dim(0) == 0 || distributed.normSize % acts.dim(0) != 0)
    throw poplibs_error(str(api, ": the norm's batch of ", distributed.normSize,
                            " is not a multiple of the replica's batch in ", list(acts.shape())));
  return distributed.normSize / unsigned(acts.dim(0));
}

} // namespace poplin::norms
