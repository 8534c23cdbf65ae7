// SPDX-License-Identifier: MIT
// gc-inventory: every attribute of every device of the active partition.
#include "machine/Discovery.hpp"
#include "Tool.hpp"

namespace {

std::string work(bool json) {
  const machine::AttributeReader reader(machine::activeDomain());
  auto devices = gctool::Json::array();
  std::string text;
  for (const auto &group : reader.domain().groups()) {
    const auto attributes = reader.of(group);
    if (json)
      devices.push_back(gctool::jsonOf(attributes));
    else
      text += "Device:\n" + gctool::lines(attributes, "  ");
  }
  return json ? gctool::textOf({{"devices", std::move(devices)}}) : text;
}

} // namespace

int main(int argc, char **argv) {
  bool json = false;
  gctool::Tool tool("gc-inventory", "Shows every attribute of every simulated device.");
  tool.json(json);
  return tool.run(argc, argv, [&] { return work(json); });
}
