// SPDX-License-Identifier: MIT
#include <popart/dataflow.hpp>

#include "base/Text.hpp"
#include <algorithm>
#include <cctype>
#include <popart/error.hpp>
#include <popart/inputshapeinfo.hpp>

namespace popart {

namespace {
AnchorReturnTypeId parse(std::string text) {
  const std::string given = text;
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  if (text == "final")
    return AnchorReturnTypeId::Final;
  if (text == "everyn")
    return AnchorReturnTypeId::EveryN;
  if (text == "all")
    return AnchorReturnTypeId::All;
  if (text == "sum")
    return AnchorReturnTypeId::Sum;
  throw error(base::str("Invalid anchor return type \"", given,
                        "\". It must be All, Final, Sum or EveryN."));
}
} // namespace

AnchorReturnType::AnchorReturnType(std::string kind, TileSet tileSet, ExchangeStrategy strategy)
    : text_(kind), id_(parse(kind)), tileSet_(tileSet), strategy_(strategy) {
  if (id_ == AnchorReturnTypeId::EveryN)
    throw error("The anchor return type EveryN needs a period: AnchorReturnType(\"EveryN\", 5).");
}
AnchorReturnType::AnchorReturnType(std::string kind, int period, TileSet tileSet,
                                   ExchangeStrategy strategy)
    : text_(kind), id_(parse(kind)), period_(period), tileSet_(tileSet), strategy_(strategy) {
  if (id_ != AnchorReturnTypeId::EveryN)
    throw error(base::str("The anchor return type ", kind, " takes no period; only EveryN does."));
  if (period <= 0)
    throw error(base::str("The period of an anchor must be at least 1, not ", period, "."));
}
ReturnPeriod AnchorReturnType::rp() const {
  if (id_ != AnchorReturnTypeId::EveryN)
    throw error(base::str("The anchor return type ", text_, " has no period."));
  return period_;
}

DataFlow::DataFlow(int batchesPerStep) : batchesPerStep_(batchesPerStep) {}
DataFlow::DataFlow(int batchesPerStep, const AnchorReturnTypeMap &anchors)
    : batchesPerStep_(batchesPerStep), anchors_(anchors) {
  for (const auto &[id, art] : anchors_)
    ids_.push_back(id);
  check();
}
DataFlow::DataFlow(int batchesPerStep, const std::vector<TensorId> anchors,
                   const AnchorReturnType &returnType)
    : batchesPerStep_(batchesPerStep), ids_(anchors) {
  for (const auto &id : ids_)
    anchors_[id] = returnType;
  check();
}
void DataFlow::check() const {
  if (batchesPerStep_ <= 0 && !ids_.empty())
    throw error(base::str("batchesPerStep must be at least 1, not ", batchesPerStep_, "."));
  for (const auto &[id, art] : anchors_) {
    if (art.id() != AnchorReturnTypeId::EveryN)
      continue;
    if (art.rp() > batchesPerStep_)
      throw error(base::str("The anchor \"", id, "\" is returned every ", art.rp(),
                            " batches, but a step has only ", batchesPerStep_, "."));
    if (batchesPerStep_ % art.rp())
      throw error(base::str("The anchor \"", id, "\" is returned every ", art.rp(),
                            " batches, which does not divide the ", batchesPerStep_,
                            " batches of a step."));
  }
}
void DataFlow::setBatchesPerStep(int batches) {
  batchesPerStep_ = batches;
  check();
}
const AnchorReturnType &DataFlow::art(const TensorId &id) const {
  auto it = anchors_.find(id);
  if (it == anchors_.end())
    throw error(base::str("\"", id, "\" is not an anchor.", base::didYouMean(id, ids_)));
  return it->second;
}
unsigned DataFlow::numOutFetchesPerRepl(unsigned accumulationFactor, const TensorId &id) const {
  const auto &type = art(id);
  const auto all = static_cast<unsigned>(batchesPerStep_) * accumulationFactor;
  if (type.id() == AnchorReturnTypeId::All)
    return all;
  return type.id() == AnchorReturnTypeId::EveryN ? all / static_cast<unsigned>(type.rp()) : 1;
}

const TensorInfo &InputShapeInfo::get(TensorId id) const {
  auto it = infos_.find(id);
  if (it == infos_.end())
    throw error(base::str("InputShapeInfo says nothing of \"", id, "\"."));
  return it->second;
}
std::vector<TensorId> InputShapeInfo::getAllTensorIds() const {
  std::vector<TensorId> ids;
  for (const auto &[id, info] : infos_)
    ids.push_back(id);
  return ids;
}

} // namespace popart
