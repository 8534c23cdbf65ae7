// SPDX-License-Identifier: MIT
// A target as one line of JSON; the chip inside it is the text of a chip description file.
#include "arch/ChipText.hpp"
#include "base/Text.hpp"
#include "device/TargetData.hpp"
#include "poplar/exceptions.hpp"
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

namespace poplar::device {

using Json = nlohmann::ordered_json;

std::string describe(const TargetData &d) {
  Json json{{"openipuTarget", 1},
            {"type", toString(d.type)},
            {"system", d.systemName},
            {"ipus", d.system.ipus},
            {"links", arch::toString(d.system.links)},
            {"gateway", d.system.hostLink == arch::HostLink::Gateway},
            {"sync", static_cast<int>(d.sync)},
            {"linkConfiguration", static_cast<int>(d.linkConfiguration)},
            {"accurateHalf", d.accurateHalf},
            {"compileIpuCode", d.compileIpuCode},
            {"options", Json::object()},
            {"constraints", Json::array()},
            {"chip", arch::describe(d.system.chip)}};
  for (const auto &[key, value] : d.options)
    json["options"][key] = value;
  for (const auto &constraint : d.constraints) {
    auto flows = Json::array();
    for (const auto &flow : constraint.flows)
      flows.push_back({flow.src, flow.dst});
    json["constraints"].push_back({{"bandwidth", constraint.bandwidth}, {"flows", flows}});
  }
  if (d.depths)
    json["depths"] = {d.depths->quarter, d.depths->half, d.depths->single};
  return json.dump();
}

namespace {

TargetType typeByName(const std::string &name) {
  for (auto type : {TargetType::IPU, TargetType::IPU_MODEL, TargetType::CPU})
    if (toString(type) == name)
      return type;
  throw parse_error(base::str("unknown target type \"", name, "\""));
}

template <class Enum> Enum enumAt(const Json &json, const char *key, int last) {
  const int value = json.at(key).get<int>();
  if (value < 0 || value > last)
    throw parse_error(base::str(key, " is ", value, ", which is not from 0 to ", last));
  return static_cast<Enum>(value);
}

TargetData fromJson(const Json &json) {
  TargetData d;
  if (json.at("openipuTarget").get<int>() != 1)
    throw parse_error("it was written by another version");
  d.type = typeByName(json.at("type"));
  d.systemName = json.at("system");
  std::istringstream chip(json.at("chip").get<std::string>());
  d.system =
      arch::systemOf(arch::parseChip(chip, "chip of a target"), json.at("ipus").get<unsigned>());
  d.system.links = arch::linkLayoutByName(json.at("links").get<std::string>());
  d.system.hostLink =
      json.at("gateway").get<bool>() ? arch::HostLink::Gateway : arch::HostLink::PcieCard;
  d.sync = enumAt<SyncConfiguration>(json, "sync", 2);
  d.linkConfiguration = enumAt<IpuLinkConfiguration>(json, "linkConfiguration", 2);
  d.accurateHalf = json.at("accurateHalf");
  d.compileIpuCode = json.at("compileIpuCode");
  for (const auto &[key, value] : json.at("options").items())
    d.options.set(key, value.get<std::string>());
  for (const auto &constraint : json.at("constraints")) {
    std::vector<GlobalExchangeFlow> flows;
    for (const auto &flow : constraint.at("flows"))
      flows.emplace_back(flow.at(0).get<unsigned>(), flow.at(1).get<unsigned>());
    d.constraints.emplace_back(constraint.at("bandwidth").get<double>(), std::move(flows));
  }
  if (json.contains("depths")) {
    const auto &depths = json.at("depths");
    d.depths = PipelineDepths{depths.at(0), depths.at(1), depths.at(2)};
  }
  return d;
}

} // namespace

namespace {

// Key and value of every field that a program may depend on, in the order of the text; the chip's
// fields one by one. Halves are exact on every target, whether it was asked for or not.
std::vector<std::pair<std::string, std::string>> fields(const TargetData &d) {
  std::vector<std::pair<std::string, std::string>> out;
  const auto whole = Json::parse(describe(d));
  for (const auto &[key, value] : whole.items())
    if (key != "chip" && key != "accurateHalf")
      out.emplace_back(key, value.dump());
  std::istringstream chip(arch::describe(d.system.chip));
  for (std::string line; std::getline(chip, line);)
    if (const auto equals = line.find(" = "); equals != std::string::npos)
      out.emplace_back("chip " + line.substr(0, line.find(' ')), line.substr(equals + 3));
  return out;
}

} // namespace

std::string differences(const TargetData &compiledFor, const TargetData &device) {
  constexpr unsigned most = 8; // the first say enough
  const auto wanted = fields(compiledFor), given = fields(device);
  std::map<std::string, std::string> there(given.begin(), given.end());
  std::string out;
  unsigned count = 0;
  const auto add = [&](const std::string &key, const std::string &a, const std::string &b) {
    if (a != b && ++count <= most)
      out += base::str("  ", key, ": compiled for ", a, ", the device has ", b, '\n');
  };
  for (const auto &[key, value] : wanted) {
    const auto it = there.find(key);
    add(key, value, it == there.end() ? "none" : it->second);
    if (it != there.end())
      there.erase(it);
  }
  for (const auto &[key, value] : there)
    add(key, "none", value);
  return count > most ? base::str(out, "  and ", count - most, " more\n") : out;
}

TargetData parseTarget(const std::string &text) {
  try {
    return fromJson(Json::parse(text));
  } catch (const std::exception &e) {
    throw parse_error(base::str("The text is not a serialised target: ", e.what()));
  }
}

} // namespace poplar::device
