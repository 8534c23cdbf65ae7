// SPDX-License-Identifier: MIT
#include "popops/MapTogether.hpp"
#include "base/Text.hpp"
#include "elementwise/MapPlan.hpp"
#include "poputil/exceptions.hpp"

namespace popops {

using poplar::Tensor;
using Tensors = std::vector<Tensor>;

static void checkList(const MapTree &tree, const Tensors &first, const Tensors &ts,
                      const Tensors &outs, const poplar::DebugContext &context) {
  if (ts.size() != first.size() || outs.size() != tree.roots.size())
    throw poputil::poplibs_error(base::str("popops::mapTogether: a list has ", ts.size(),
                                           " tensors and ", outs.size(), " outputs, not ",
                                           first.size(), " and ", tree.roots.size(), "."));
  for (std::size_t i = 0; i < ts.size(); ++i)
    if (ts[i].elementType() != first[i].elementType())
      throw poputil::poplibs_error(base::str("popops::mapTogether: tensor ", i, " is ",
                                             first[i].elementType(), " in the first list and ",
                                             ts[i].elementType(), " in another."));
  for (std::size_t k = 0; k < outs.size(); ++k) {
    Tensors used;
    for (unsigned i : tree.only(k).inputs())
      used.push_back(ts[i]);
    checkTarget("mapTogether", outs[k], tree.type(k),
                used.empty() ? outs[0].shape() : commonShape(used, context), context);
  }
}

void mapTogether(poplar::Graph &graph, const std::vector<expr::Any> &exprs,
                 const std::vector<Tensors> &ts, const std::vector<Tensors> &outs,
                 poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  if (exprs.empty() || ts.empty())
    return;
  std::vector<const expr::Expr *> pointers;
  std::string name;
  for (const expr::Expr &expr : exprs) {
    pointers.push_back(&expr);
    name += (name.empty() ? "" : "_") + expr.name(ts[0]);
  }
  const MapTree tree = buildTree(pointers, ts[0], true, debugContext.getPathName());
  std::vector<MapOperands> lists;
  for (std::size_t i = 0; i < ts.size(); ++i) {
    checkList(tree, ts[0], ts[i], outs[i], debugContext);
    if (outs[i][0].numElements())
      lists.push_back({ts[i], outs[i], tree.inputs()});
  }
  std::vector<openipu::Plan> plans;
  for (unsigned i = 0; i < lists.size(); ++i) {
    lists[i].firstOut = i * unsigned(exprs.size());
    lists[i].firstIn = unsigned(lists.size() * exprs.size()) + i * unsigned(lists[i].inputs.size());
    plans.push_back(planMap(graph, tree, lists[i], {}, name));
  }
  if (!lists.empty())
    addMaps(graph, tree, lists, together(std::move(plans)), prog, debugContext);
}

} // namespace popops
