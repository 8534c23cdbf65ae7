// SPDX-License-Identifier: MIT
// addCodelets: the operators of this library are whole-tensor kernels, found by name when an engine
// is loaded. What it adds are the vertices that programs name themselves, compiled when asked for.
#include "popops/codelets.hpp"
#include "named/Tables.hpp"

namespace popops {

namespace named {

std::vector<Refused> refusedVertices() {
  return {
      {"BroadcastVectorInner2D*", "Add popops::BroadcastVectorInner1D, or call popops::map."},
      {"CompareAndSwapAtDistance*", "Call popops::topK or popops::sort."},
      {"CircBufIncrIndex", "Use popops::CircBuf."},
      {"CircOffset", "Use popops::CircBuf."},
      {"ForLoopCounter", "Call popops::countedForLoop."},
      {"CheckAccuracyWhenCast*", "Call popops::checkAccuracyWhenCast."},
      {"NopAlignVertex", "Leave it out: workers need no aligning here."},
      {"SelectFromInterval*", "Call popops::selectScalarFromRows."},
      {"SelectFromRowsInColumns", "Call popops::selectScalarFromRows."},
      {"UpdateInterval*", "Call popops::updateScalarInRows."},
      {"UpdateColumnsDEC", "Call popops::updateScalarInRows."},
      {"NormaliseImage", "Call popops::normaliseImage."},
      {"SplineBasis", "Call popops::splineBasis."},
      {"SplineWeighting", "Call popops::splineWeighting."},
  };
}

} // namespace named

template <class T> static void append(std::vector<T> &to, std::vector<T> more) {
  to.insert(to.end(), more.begin(), more.end());
}

const named::Library &namedVertices() {
  static const named::Library library = [] {
    auto families = named::operatorVertices();
    append(families, named::elementWiseVertices());
    append(families, named::reduceVertices());
    append(families, named::sliceVertices());
    auto choices = named::operatorChoices();
    choices.merge(named::reduceChoices());
    choices.merge(named::sliceChoices());
    return named::Library("popops", std::move(families), named::refusedVertices(),
                          std::move(choices));
  }();
  return library;
}

static std::string vertexSource(const std::string &name) { return namedVertices().source(name); }

void addCodelets(poplar::Graph &graph) { namedVertices().addTo(graph, vertexSource); }

} // namespace popops
