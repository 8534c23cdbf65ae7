// SPDX-License-Identifier: MIT
// planConstraints: JSON that fixes parts of a plan, and a plan written as such JSON.
#include "Constraints.hpp"
#include "base/Text.hpp"
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <poplar/exceptions.hpp>
#include <utility>

namespace poplin {
namespace {

using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const std::string &path, const std::string &reason) {
  throw poplar::invalid_option("Invalid value for option 'planConstraints': " +
                               (path.empty() ? "" : "member '" + path + "': ") + reason);
}

void checkMembers(const Json &json, const std::string &path,
                  const std::vector<std::string> &known) {
  if (!json.is_object())
    fail(path, base::str("an object was expected, not ", json.dump()));
  for (const auto &[name, value] : json.items())
    if (std::find(known.begin(), known.end(), name) == known.end())
      fail(path.empty() ? name : path + "." + name,
           "there is no such constraint." + base::didYouMean(name, known));
}

// A number, or the text of one: writers of JSON that know no types make "16" of 16.
std::optional<std::uint64_t> whole(const Json &value) {
  if (value.is_number_unsigned())
    return value.get<std::uint64_t>();
  if (!value.is_string())
    return std::nullopt;
  const auto text = value.get<std::string>();
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

unsigned positive(const Json &value, const std::string &path) {
  const auto number = whole(value).value_or(0);
  if (number == 0 || number > 0xffffffffu)
    fail(path, base::str("a whole number from 1 was expected, not ", value.dump()));
  return unsigned(number);
}

void read(const Json &json, const std::string &path, const char *name,
          std::optional<unsigned> &target) {
  if (json.contains(name))
    target = positive(json.at(name), path + name);
}

// One value, or a list of those that are allowed.
void readChoice(const Json &json, const std::string &path, const char *name,
                std::vector<unsigned> &target) {
  if (!json.contains(name))
    return;
  const auto &value = json.at(name);
  if (value.is_array() && value.empty())
    fail(path + name, "the list of allowed values is empty");
  for (const auto &allowed : value.is_array() ? value : Json::array({value}))
    target.push_back(positive(allowed, path + name));
}

void readBool(const Json &json, const std::string &path, const char *name,
              std::optional<bool> &target) {
  if (!json.contains(name))
    return;
  const auto &value = json.at(name);
  if (value.is_boolean())
    target = value.get<bool>();
  else if (value == "true" || value == "1")
    target = true;
  else if (value == "false" || value == "0")
    target = false;
  else
    fail(path + name, base::str("true or false was expected, not ", value.dump()));
}

// {"0": 2, "1": 4}: one split per dimension. A list of all of them is taken as well.
void readSplits(const Json &json, const std::string &level, const char *name,
                std::vector<std::optional<unsigned>> &target) {
  if (!json.contains(name))
    return;
  const auto path = base::str(level, ".partition.", name);
  const auto &value = json.at(name);
  if (value.is_array()) {
    for (const auto &split : value)
      target.push_back(positive(split, path));
    return;
  }
  if (!value.is_object())
    fail(path, base::str("splits by dimension were expected, not ", value.dump()));
  for (const auto &[dim, split] : value.items()) {
    if (dim.empty() || dim.size() > 1 || dim[0] < '0' || dim[0] > '7')
      fail(path, base::str("'", dim, "' is not a field dimension"));
    const auto d = std::size_t(dim[0] - '0');
    target.resize(std::max(target.size(), d + 1));
    target[d] = positive(split, path + "." + dim);
  }
}

void readDims(const Json &json, const std::string &level, const char *name,
              std::optional<std::vector<unsigned>> &target) {
  if (!json.contains(name))
    return;
  const auto &value = json.at(name);
  if (!value.is_array())
    fail(base::str(level, ".transform.", name),
         "a list of field dimensions was expected, not " + value.dump());
  target.emplace();
  for (const auto &dim : value) {
    const auto number = whole(dim).value_or(8);
    if (number > 7)
      fail(base::str(level, ".transform.", name), dim.dump() + " is not a field dimension");
    target->push_back(unsigned(number));
  }
}

const std::map<std::string, Method> &methods() {
  static const std::map<std::string, Method> all = {{"AMP", Method::AMP},
                                                    {"SLIC", Method::SLIC},
                                                    {"HMAC", Method::HMAC},
                                                    {"VMAC", Method::VMAC},
                                                    {"OUTER_PRODUCT", Method::OUTER_PRODUCT}};
  return all;
}

void readMethod(const Json &json, Constraints &c) {
  checkMembers(json, "method",
               {"type", "convUnits", "convInputLoadElems", "convUnitChainsRequired", "windowWidth",
                "useLimitedVersion"});
  if (json.contains("type")) {
    const auto name = json.at("type").is_string() ? json.at("type").get<std::string>() : "";
    if (!methods().count(name))
      fail("method.type", base::str("AMP, SLIC, HMAC, VMAC or OUTER_PRODUCT was expected, not ",
                                    json.at("type").dump()));
    c.method = methods().at(name);
  }
  read(json, "method.", "convUnits", c.convUnits);
  read(json, "method.", "convInputLoadElems", c.inputLoadElems);
  read(json, "method.", "convUnitChainsRequired", c.chains);
  read(json, "method.", "windowWidth", c.windowWidth);
  std::optional<bool> limited; // all vertices here are the limited ones; nothing depends on it
  readBool(json, "method.", "useLimitedVersion", limited);
}

void readTransform(const Json &json, const std::string &level, Constraints &c) {
  checkMembers(json, level + ".transform",
               {"swapOperands", "expandDims", "outChanFlattenDims", "combineConvGroupsFactor"});
  readBool(json, level + ".transform.", "swapOperands", c.swapOperands);
  readDims(json, level, "expandDims", c.expandDims);
  readDims(json, level, "outChanFlattenDims", c.outChanFlattenDims);
  readChoice(json, level + ".transform.", "combineConvGroupsFactor", c.combineConvGroupsFactors);
}

void readSplit(const Json &json, const std::string &level, const char *name,
               std::optional<unsigned> &serial, std::optional<unsigned> &parallel) {
  if (!json.contains(name))
    return;
  const auto path = base::str(level, ".partition.", name);
  checkMembers(json.at(name), path, {"serial", "parallel"});
  read(json.at(name), path + ".", "serial", serial);
  read(json.at(name), path + ".", "parallel", parallel);
}

void readPartition(const Json &json, const std::string &level, Constraints &c) {
  const auto path = level + ".partition";
  checkMembers(
      json, path,
      {"convGroupSplit", "batchSplit", "fieldSplit", "kernelSplit", "inChanSplit", "outChanSplit"});
  read(json, path + ".", "convGroupSplit", c.convGroupSplit);
  read(json, path + ".", "batchSplit", c.batchSplit);
  readSplits(json, level, "fieldSplit", c.fieldSplit);
  readSplits(json, level, "kernelSplit", c.kernelSplit);
  readSplit(json, level, "inChanSplit", c.inSerial, c.inParallel);
  readSplit(json, level, "outChanSplit", c.outSerial, c.outParallel);
}

void readLevel(const Json &json, const std::string &level, Constraints &c) {
  if (!json.contains(level))
    return;
  const auto &members = json.at(level);
  checkMembers(members, level, {"transform", "partition"});
  if (members.contains("transform"))
    readTransform(members.at("transform"), level, c);
  if (members.contains("partition"))
    readPartition(members.at("partition"), level, c);
}

// Constraints of two levels: "0" is between IPUs, where kernels are not split, and "1" between
// tiles.
void takeAsBetweenIpus(Constraints &c) {
  for (const auto &split : c.kernelSplit)
    if (split.value_or(1) != 1)
      fail("0.partition.kernelSplit",
           base::str("beside a level \"1\" this level is between IPUs, and a kernel is not split "
                     "over ",
                     *split, " of them"));
  c.kernelSplit.clear();
  c.ipus.field = std::exchange(c.fieldSplit, {});
  c.ipus.convGroups = std::exchange(c.convGroupSplit, std::nullopt);
  c.ipus.batch = std::exchange(c.batchSplit, std::nullopt);
  c.ipus.inChans = std::exchange(c.inParallel, std::nullopt);
  c.ipus.outChans = std::exchange(c.outParallel, std::nullopt);
}

Json splitsOf(const std::vector<unsigned> &splits) {
  Json json = Json::object();
  for (std::size_t d = 0; d < splits.size(); ++d)
    json[std::to_string(d)] = splits[d];
  return json;
}

} // namespace

const char *nameOf(Method method) {
  for (const auto &[name, value] : methods())
    if (value == method)
      return name.c_str();
  return "";
}

Constraints parseConstraints(const std::string &text) {
  Constraints c;
  if (text.empty())
    return c;
  const auto json = Json::parse(text, nullptr, false);
  if (json.is_discarded())
    fail("", "this is not JSON: " + text);
  checkMembers(
      json, "",
      {"method", "convGroupsPerGroup", "inChansPerGroup", "partialChansPerGroup", "0", "1"});
  c.any = !json.empty();
  if (json.contains("method"))
    readMethod(json.at("method"), c);
  read(json, "", "convGroupsPerGroup", c.convGroupsPerGroup);
  read(json, "", "inChansPerGroup", c.inChansPerGroup);
  read(json, "", "partialChansPerGroup", c.partialChansPerGroup);
  readLevel(json, "0", c);
  if (json.contains("1"))
    takeAsBetweenIpus(c);
  else
    c.ipus.one = json.contains("0");
  readLevel(json, "1", c);
  return c;
}

static Json levelsOf(const ConvPlan &plan) {
  const auto &p = plan.partition;
  const Json tiles = {
      {"transform",
       {{"swapOperands", plan.swapOperands},
        {"expandDims", plan.expandDims},
        {"outChanFlattenDims", plan.outChanFlattenDims},
        {"combineConvGroupsFactor", plan.combineConvGroupsFactor}}},
      {"partition",
       {{"convGroupSplit", p.convGroupSplit},
        {"batchSplit", p.batchSplit},
        {"fieldSplit", splitsOf(p.fieldSplit)},
        {"kernelSplit", splitsOf(p.kernelSplit)},
        {"inChanSplit", {{"serial", p.inChanSplit.serial}, {"parallel", p.inChanSplit.parallel}}},
        {"outChanSplit",
         {{"serial", p.outChanSplit.serial}, {"parallel", p.outChanSplit.parallel}}}}}};
  if (plan.ipus.count() == 1)
    return {{"0", tiles}};
  const auto &i = plan.ipus;
  const Json ipus = {{"partition",
                      {{"convGroupSplit", i.convGroups},
                       {"batchSplit", i.batch},
                       {"fieldSplit", splitsOf(i.field)},
                       {"inChanSplit", {{"parallel", i.inChans}}},
                       {"outChanSplit", {{"parallel", i.outChans}}}}}};
  return {{"0", ipus}, {"1", tiles}};
}

std::string constraintsOf(const ConvPlan &plan) {
  Json method = {{"type", nameOf(plan.method)}};
  if (plan.method == Method::AMP)
    method["convUnits"] = plan.convUnits;
  if (plan.method == Method::SLIC) {
    method["windowWidth"] = plan.windowWidth;
    method["convUnitChainsRequired"] = plan.convUnitChains;
  }
  Json json = {{"method", method},
               {"convGroupsPerGroup", plan.convGroupsPerGroup},
               {"inChansPerGroup", plan.inChansPerGroup},
               {"partialChansPerGroup", plan.partialChansPerGroup}};
  json.update(levelsOf(plan));
  return json.dump(2);
}

} // namespace poplin
