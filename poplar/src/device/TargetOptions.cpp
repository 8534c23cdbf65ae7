// SPDX-License-Identifier: MIT
// Target options: one row per key. POPLAR_TARGET_OPTIONS overrides what the program asks for.
#include "base/Text.hpp"
#include "device/TargetData.hpp"
#include "openipu/BackendTraits.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>

namespace poplar::device {
namespace {

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Position of value among the choices, whatever its case.
std::size_t choose(const std::string &key, const std::string &value,
                   const std::vector<std::string> &choices) {
  const auto found =
      std::ranges::find_if(choices, [&](const auto &c) { return lower(c) == lower(value); });
  if (found == choices.end())
    throw invalid_option(base::str("Target option \"", key, "\" cannot be \"", value, "\".",
                                   base::didYouMean(value, choices), " Use one of ",
                                   base::list(choices, ", "), "."));
  return static_cast<std::size_t>(found - choices.begin());
}

unsigned positive(const std::string &key, const std::string &value) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number == 0)
    throw invalid_option(base::str("Target option \"", key,
                                   "\" needs a whole number above zero, not \"", value, "\"."));
  return number;
}

struct Row {
  const char *key;
  std::function<void(TargetData &, const std::string &key, const std::string &value)> apply;
};

const std::vector<Row> &table() {
  static const std::vector<Row> rows = {
      {"syncConfiguration",
       [](TargetData &d, const auto &key, const auto &value) {
         d.sync = static_cast<SyncConfiguration>(
             choose(key, value, {"intraReplicaAndAll", "ipuAndAll", "intraReplicaAndLadder"}));
       }},
      {"gatewayMode",
       [](TargetData &d, const auto &key, const auto &value) {
         d.system.hostLink = choose(key, value, {"false", "true"}) ? arch::HostLink::Gateway
                                                                   : arch::HostLink::PcieCard;
       }},
      {"ipuLinkConfiguration",
       [](TargetData &d, const auto &key, const auto &value) {
         d.linkConfiguration = static_cast<IpuLinkConfiguration>(
             choose(key, value, {"default", "barleyTwist", "slidingWindow"}));
       }},
      {"ipuLinkTopology",
       [](TargetData &d, const auto &key, const auto &value) {
         d.system.links =
             static_cast<arch::LinkLayout>(choose(key, value, {"line", "mesh", "torus"}));
       }},
      {"backend",
       [](TargetData &, const auto &key, const auto &value) {
         const auto names = openipu::backendNames();
         if (std::ranges::find(names, value) == names.end())
           throw invalid_option(base::str("Target option \"", key, "\" cannot be \"", value, "\".",
                                          base::didYouMean(value, names), " Use one of ",
                                          base::list(names, ", "), "."));
       }},
      {"ipuLinkDomainSize",
       [](TargetData &d, const auto &key, const auto &value) {
         d.system.chip.links.ipusPerDomain = positive(key, value);
       }},
  };
  return rows;
}

} // namespace

static_assert(static_cast<int>(arch::LinkLayout::Ladder) == 1 &&
                  static_cast<int>(arch::LinkLayout::Torus) == 2,
              "ipuLinkTopology lists line, mesh, torus in the order of LinkLayout");

std::string backendOf(const TargetData &data) {
  for (const auto &[key, value] : data.options)
    if (key == "backend")
      return value;
  return "cpu";
}

void applyOptions(TargetData &data, const OptionFlags &given) {
  data.options = given;
  readJSONFromEnv("POPLAR_TARGET_OPTIONS", data.options);
  for (const auto &[key, value] : data.options) {
    const auto row =
        std::ranges::find(table(), key, [](const Row &r) { return std::string(r.key); });
    if (row == table().end()) {
      std::vector<std::string> keys;
      for (const auto &r : table())
        keys.push_back(r.key);
      throw invalid_option(base::str("Unknown target option \"", key, "\".",
                                     base::didYouMean(key, keys),
                                     " Known options: ", base::list(keys, ", "), "."));
    }
    row->apply(data, key, value);
  }
}

} // namespace poplar::device
