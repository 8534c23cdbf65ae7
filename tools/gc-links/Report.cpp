// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include "Links.hpp"

namespace gclinks {
namespace {

using base::str;
using gctool::Json;

Json asJson(const Report &report) {
  Json pairs = Json::array();
  for (const auto &pair : report.pairs) {
    Json one = {{"from pcie id", report.names[pair.from]}, {"to pcie id", report.names[pair.to]}};
    one["channel"] = Json::array();
    for (const auto &c : pair.channels)
      one["channel"].push_back({{"from", c.from},
                                {"to", c.to},
                                {"status", c.passed ? "passed" : "failed"},
                                {"gen", c.passed ? "4" : "0"},
                                {"lanes", c.passed ? std::to_string(report.lanes) : "0"}});
    pairs.push_back(std::move(one));
  }
  Json all = {{"num ipus", std::to_string(report.ipus)}, {"ipu to ipu", std::move(pairs)}};
  all["training fails"] = std::to_string(report.fails());
  all["overall result"] = report.good() ? "passed" : "failed";
  if (!report.error.empty())
    all["error"] = report.error;
  return all;
}

// An array becomes its key again and again.
void repeatKeys(std::string &out, const Json &value, const std::string &indent) {
  if (!value.is_object()) {
    out += value.dump(-1, ' ', false, Json::error_handler_t::replace);
    return;
  }
  const auto inner = indent + "  ";
  const char *comma = "\n";
  const auto member = [&](const std::string &key, const Json &one) {
    out += comma + inner + Json(key).dump() + ": ";
    repeatKeys(out, one, inner);
    comma = ",\n";
  };
  out += "{";
  for (const auto &[key, item] : value.items())
    if (item.is_array())
      for (const auto &one : item)
        member(key, one);
    else
      member(key, item);
  out += "\n" + indent + "}";
}

} // namespace

unsigned Report::fails() const {
  unsigned count = 0;
  for (const auto &pair : pairs)
    for (const auto &channel : pair.channels)
      count += !channel.passed;
  return count;
}

std::string jsonOf(const Report &report, bool arrays) {
  const auto json = asJson(report);
  if (arrays)
    return gctool::textOf(json);
  std::string text;
  repeatKeys(text, json, "");
  return text + "\n";
}

std::string textOf(const Report &report) {
  auto text = str("o Training the links of device ", report.device, " (", report.ipus, " IPUs)\n");
  for (const auto &pair : report.pairs) {
    text += str("  - IPU ", report.names[pair.from], " to IPU ", report.names[pair.to], "\n");
    for (const auto &c : pair.channels)
      text += str("      ", c.from, " -> ", c.to,
                  c.passed ? str(": passed, gen 4, ", report.lanes, " lanes\n") : ": failed\n");
  }
  if (!report.error.empty())
    text += "o " + report.error + "\n";
  return text + str("o Training fails: ", report.fails(), "\no Result - ",
                    report.good() ? "Pass\n" : "Fail\n");
}

} // namespace gclinks
