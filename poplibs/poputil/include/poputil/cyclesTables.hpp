// SPDX-License-Identifier: MIT
// Tables of functions that tell what vertices cost.
//
//   VertexPerfEstimate MAKE_PERF_ESTIMATOR_NAME(Fill)(const VertexIntrospector &vertex,
//                                                     const Target &target, const Type &type) {
//     CODELET_FIELD(out);
//     return 5 + out.size();
//   }
//   poputil::internal::PerfEstimatorTable table{CYCLE_ESTIMATOR_ENTRY(popops, Fill, FLOAT)};
//   poputil::internal::registerPerfFunctions(graph, table);
#pragma once
#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Target.hpp>
#include <poplar/VertexIntrospector.hpp>
#include <poputil/VertexTemplates.hpp>
#include <string>
#include <utility>
#include <vector>

namespace poputil {
namespace internal {

using PerfEstimatorTable = std::vector<std::pair<std::string, poplar::PerfEstimateFunc>>;

// A function and the template arguments to call it with.
template <class F, class... Args>
PerfEstimatorTable::value_type perfEstimatorEntry(const std::string &name, F function,
                                                  const Args &...args) {
  return {templateVertex(name, args...),
          std::bind(function, std::placeholders::_1, std::placeholders::_2, args...)};
}

inline void registerPerfFunctions(poplar::Graph &graph, const PerfEstimatorTable &table) {
  for (const auto &entry : table)
    graph.registerPerfEstimator(entry.first, entry.second);
}

} // namespace internal
} // namespace poputil

// The name of the estimator of a vertex, and a table's line for it: name, estimator, template
// arguments.
#define MAKE_PERF_ESTIMATOR_NAME(V) getPerfEstimateFor##V
#define CYCLE_ESTIMATOR_ENTRY(ns, V, ...)                                                          \
  poputil::internal::perfEstimatorEntry(#ns "::" #V, MAKE_PERF_ESTIMATOR_NAME(V), __VA_ARGS__)
#define CYCLE_ESTIMATOR_ENTRY_NOPARAMS(ns, V)                                                      \
  poputil::internal::perfEstimatorEntry(#ns "::" #V, MAKE_PERF_ESTIMATOR_NAME(V))

// Inside an estimator whose arguments are called `vertex` and `target`.
#define CODELET_FIELD(field) const auto field = vertex.getFieldInfo(#field)
#define CODELET_SCALAR_VAL(field, type)                                                            \
  const auto field = vertex.getFieldInfo(#field).getInitialValue<type>(target)
#define CODELET_VECTOR_VALS(field, type)                                                           \
  const auto field = vertex.getFieldInfo(#field).getInitialValues<type>(target)
#define CODELET_VECTOR_2D_VALS(field, type)                                                        \
  const auto field = vertex.getFieldInfo(#field).getInitialValues<std::vector<type>>(target)
