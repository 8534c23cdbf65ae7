// SPDX-License-Identifier: MIT
#include "slice/SliceOptions.hpp"
#include "base/Text.hpp"
#include "poputil/OptionParsing.hpp"
#include <nlohmann/json.hpp>

namespace popops::slice {

namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string &reason) { throw poplar::invalid_option(reason); }

// Writers of JSON that know no types make "16" of 16 and "true" of true.
json untyped(const json &value) {
  const auto parsed =
      value.is_string() ? json::parse(value.get<std::string>(), nullptr, false) : value;
  return parsed.is_number_unsigned() || parsed.is_boolean() ? parsed : value;
}

void read(std::optional<std::size_t> &to, const std::string &name, const json &given) {
  const auto value = untyped(given);
  if (!value.is_number_unsigned() || value.get<std::size_t>() == 0)
    refuse(base::str('"', name, "\" must be a whole number above 0, not ", given.dump()));
  to = value.get<std::size_t>();
}

void read(std::optional<bool> &to, const std::string &name, const json &given) {
  const auto value = untyped(given);
  if (!value.is_boolean())
    refuse(base::str('"', name, "\" must be true or false, not ", given.dump()));
  to = value.get<bool>();
}

void readMember(PlanConstraints &c, const std::string &name, const json &value) {
  const std::pair<const char *, std::optional<std::size_t> *> numbers[] = {
      {"groupSplit", &c.groupSplit},
      {"unslicedDimSplit", &c.unslicedDimSplit},
      {"slicedDimSplit", &c.slicedDimSplit},
      {"lookupParallelSplit", &c.lookupParallelSplit},
      {"lookupSerialSplit", &c.lookupSerialSplit},
      {"unslicedGrainSize", &c.unslicedGrainSize}};
  const std::pair<const char *, std::optional<bool> *> flags[] = {
      {"useOrderingInfo", &c.useOrderingInfo},
      {"precopyBaseWhenSerialSlice", &c.precopyBaseWhenSerialSlice}};
  std::vector<std::string> known;
  for (auto [key, to] : numbers) {
    if (name == key)
      return read(*to, name, value);
    known.push_back(key);
  }
  for (auto [key, to] : flags) {
    if (name == key)
      return read(*to, name, value);
    known.push_back(key);
  }
  refuse(base::str("no plan has a \"", name, "\".", base::didYouMean(name, known)));
}

PlanConstraints parseConstraints(const std::string &text) {
  PlanConstraints constraints;
  if (text.empty())
    return constraints;
  auto object = json::parse(text, nullptr, false);
  if (!object.is_object())
    refuse("it must be a JSON object, such as {\"slicedDimSplit\": 4}");
  for (const auto &[name, value] : object.items())
    readMember(constraints, name, value);
  return constraints;
}

} // namespace

SliceOptions parseSliceOptions(const poplar::OptionFlags &options) {
  using poplibs::OptionHandler;
  SliceOptions o;
  const poplibs::OptionSpec spec{
      {"remapOutOfBoundIndices", OptionHandler::createWithBool(o.remap)},
      {"paddingIndexUsed", OptionHandler::createWithBool(o.padding)},
      {"validateIndices", OptionHandler::createWithBool(o.validate)},
      {"usedForSlice", OptionHandler::createWithBool(o.usedForSlice)},
      {"usedForUpdate", OptionHandler::createWithBool(o.usedForUpdate)},
      {"operationForUpdate",
       OptionHandler::createWithEnum(o.operationForUpdate,
                                     std::map<std::string, Update>{{"none", Update::Replace},
                                                                   {"add", Update::Add},
                                                                   {"max", Update::Max},
                                                                   {"mul", Update::Mul}})},
      {"availableMemoryProportion",
       OptionHandler::createWithDouble(o.availableMemoryProportion, 0, false, 1, true)},
      {"indicesDistribution",
       OptionHandler::createWithEnum(
           o.onePoint, std::map<std::string, bool>{{"uniform", false}, {"onePoint", true}})},
      {"indicesAreSorted", OptionHandler::createWithBool(o.sorted)},
      {"partialType",
       poplibs::createOptionalEnumHandler(
           o.partialType,
           std::map<std::string, poplar::Type>{{"half", poplar::HALF}, {"float", poplar::FLOAT}})},
      {"planConstraints",
       OptionHandler([&](const std::string &text) { o.constraints = parseConstraints(text); })},
      {"internal.alwaysIncludeBaseRearrangementCost",
       OptionHandler::createWithBool(o.includeBaseRearrangement)}};
  for (const auto &option : options)
    spec.parse(option.first, option.second);
  return o;
}

} // namespace popops::slice
