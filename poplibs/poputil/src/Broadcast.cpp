// SPDX-License-Identifier: MIT
// NumPy broadcasting on views.
#include "poputil/Broadcast.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>

namespace poputil {
namespace {

using Shape = std::vector<std::size_t>;

void raiseRank(poplar::Tensor &t, std::size_t rank) {
  if (t.rank() < rank)
    t = t.expand(Shape(rank - t.rank(), 0));
}

// The shape both broadcast to, or false.
bool commonShape(const Shape &a, const Shape &b, Shape &out) {
  const std::size_t rank = std::max(a.size(), b.size());
  out.assign(rank, 1);
  for (std::size_t back = 1; back <= rank; ++back) {
    const std::size_t da = back <= a.size() ? a[a.size() - back] : 1;
    const std::size_t db = back <= b.size() ? b[b.size() - back] : 1;
    if (da != db && da != 1 && db != 1)
      return false;
    out[rank - back] = da == 1 ? db : da;
  }
  return true;
}

[[noreturn]] void doNotFit(const Shape &a, const Shape &b) {
  throw poplibs_error(base::str("Shapes ", base::list(a), " and ", base::list(b),
                                " do not broadcast: counted from the last dimension, sizes must be "
                                "equal or one of them 1. Make them equal, or make one of them 1."));
}

void broadcastTo(poplar::Tensor &t, const Shape &shape) {
  raiseRank(t, shape.size());
  for (unsigned d = 0; d < shape.size(); ++d)
    if (t.dim(d) != shape[d])
      t = t.broadcast(static_cast<unsigned>(shape[d]), d);
}

} // namespace

void expandToMatchRanks(poplar::Tensor &a, poplar::Tensor &b) {
  raiseRank(a, b.rank());
  raiseRank(b, a.rank());
}

void broadcastToMatch(poplar::Tensor &a, const Shape &shape) {
  Shape common;
  if (!commonShape(a.shape(), shape, common) || common != shape)
    throw poplibs_error(base::str("A tensor of shape ", base::list(a.shape()),
                                  " does not broadcast to ", base::list(shape),
                                  ": counted from the last dimension, its sizes must be 1 or those "
                                  "of the shape. Reshape it first."));
  broadcastTo(a, shape);
}

void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b) {
  Shape common;
  if (!commonShape(a.shape(), b.shape(), common))
    doNotFit(a.shape(), b.shape());
  broadcastTo(a, common);
  broadcastTo(b, common);
}

void broadcastToMatch(poplar::Tensor &a, poplar::Tensor &b, poplar::Tensor &c) {
  Shape two, common;
  if (!commonShape(a.shape(), b.shape(), two))
    doNotFit(a.shape(), b.shape());
  if (!commonShape(two, c.shape(), common))
    doNotFit(two, c.shape());
  for (poplar::Tensor *t : {&a, &b, &c})
    broadcastTo(*t, common);
}

bool canBroadcastToMatch(const poplar::Tensor &a, const poplar::Tensor &b) {
  Shape common;
  return commonShape(a.shape(), b.shape(), common);
}

} // namespace poputil
