// SPDX-License-Identifier: MIT
#include "Plan.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "Outer.hpp"
#include <algorithm>
#include <charconv>
#include <fstream>
#include <unistd.h>
#include <utility>

namespace poprun {
namespace {

using base::str;

constexpr std::size_t mostHosts = 4096;

[[noreturn]] void badHosts(const std::string &text, const std::string &why) {
  throw machine::Error(str("--host: \"", base::brief(text), "\": ", why,
                           ". Give names with commas between them, or h[0-2,4]."));
}

unsigned numberIn(const std::string &all, std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    badHosts(all, str("\"", text, "\" is no number"));
  return value;
}

// node[08-11]: names keep their zeros.
std::string padded(unsigned n, std::size_t width) {
  const auto text = std::to_string(n);
  return std::string(width - std::min(width, text.size()), '0') + text;
}

// h[0-2,4]x
void expand(const std::string &all, const std::string &name, std::vector<std::string> &out) {
  const auto open = name.find('['), close = name.find(']');
  if (open == std::string::npos && close == std::string::npos) {
    const bool plain =
        !name.empty() && name.front() != '-' && std::ranges::all_of(name, [](unsigned char c) {
          return std::isalnum(c) || c == '.' || c == '-' || c == '_';
        });
    if (!plain)
      badHosts(all, str("\"", base::brief(name), "\" is no host's name"));
    out.push_back(name);
    return;
  }
  if (open == std::string::npos || close == std::string::npos || close < open)
    badHosts(all, "brackets come in pairs");
  const auto before = name.substr(0, open), after = name.substr(close + 1);
  const auto inside = name.substr(open + 1, close - open - 1);
  for (std::size_t begin = 0; begin <= inside.size();) {
    const auto end = std::min(inside.find(',', begin), inside.size());
    const auto part = std::string_view(inside).substr(begin, end - begin);
    const auto dash = part.find('-');
    const auto digits = part.substr(0, dash);
    const unsigned first = numberIn(all, digits);
    const unsigned last = dash == part.npos ? first : numberIn(all, part.substr(dash + 1));
    if (last < first || last - first >= mostHosts)
      badHosts(all, str("\"", part, "\" is no range"));
    for (unsigned n = first; n <= last; ++n)
      expand(all, str(before, padded(n, digits.size()), after), out);
    begin = end + 1;
  }
}

std::vector<std::string> hostsOf(const Options &options) {
  if (!options.hosts.empty())
    return expandHosts(options.hosts);
  if (options.hostsFile.empty()) {
    if (auto given = slurmHosts(); !given.empty())
      return given;
    char name[256] = "localhost";
    ::gethostname(name, sizeof name - 1);
    return {name};
  }
  std::ifstream file(options.hostsFile);
  if (!file)
    throw machine::Error(str("--hosts-file: \"", options.hostsFile, "\" cannot be read."));
  std::vector<std::string> hosts;
  for (std::string line; std::getline(file, line);)
    if (const auto words = wordsOf(line); !words.empty() && words[0][0] != '#')
      expand(options.hostsFile, words[0], hosts);
  if (hosts.empty())
    throw machine::Error(str("--hosts-file: \"", options.hostsFile, "\" names no host."));
  return hosts;
}

void mustDivide(const char *what, unsigned parts, const char *of, unsigned whole) {
  if (whole % parts)
    throw machine::Error(str(whole, " ", of, " cannot be spread evenly over ", parts, " ", what,
                             ": choose numbers that divide."));
}

} // namespace

std::vector<std::string> expandHosts(const std::string &text) {
  std::vector<std::string> out;
  std::string name;
  unsigned depth = 0;
  for (const char c : text + ",") {
    depth += c == '[' ? 1 : c == ']' && depth ? -1 : 0;
    if (c != ',' || depth)
      name += c;
    else
      expand(text, std::exchange(name, ""), out);
    if (out.size() > mostHosts)
      badHosts(text, "these are too many");
  }
  if (!name.empty())
    badHosts(text, "brackets come in pairs");
  return out;
}

Plan planOf(const Options &options, unsigned ilds) {
  Plan plan;
  plan.hosts = hostsOf(options);
  plan.isRemote = !options.hosts.empty() || !options.hostsFile.empty() || plan.hosts.size() > 1;
  plan.ilds = options.ilds.value_or(ilds);
  const unsigned hosts = unsigned(plan.hosts.size());
  mustDivide("instances (--num-instances)", options.instances, "replicas (--num-replicas)",
             options.replicas);
  mustDivide("hosts", hosts, "instances (--num-instances)", options.instances);
  mustDivide("IPU-Link domains (--num-ilds)", plan.ilds, "instances (--num-instances)",
             options.instances);
  if (options.onlyOutputFrom && *options.onlyOutputFrom >= options.instances)
    throw machine::Error(str("--only-output-from-instance ", *options.onlyOutputFrom,
                             ": the instances are 0 to ", options.instances - 1, "."));
  plan.replicasPerInstance = options.replicas / options.instances;
  const unsigned perHost = options.instances / hosts, perIld = options.instances / plan.ilds;
  for (unsigned i = 0; i < options.instances; ++i)
    plan.instances.push_back(
        {i, i % perHost, i / perHost, i / perIld, i * plan.replicasPerInstance});
  return plan;
}

} // namespace poprun
