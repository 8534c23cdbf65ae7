// SPDX-License-Identifier: MIT
// {"cards":[{..., "ipus":[{...}]}]}: one card per IPU-Machine or PCIe card; an IPU that is in use
// has "PID".
#include "Monitor.hpp"

namespace gcmonitor {
namespace {

using gctool::Json;
using machine::Attributes;

Json cardOf(const machine::Partition &partition, const Attributes &ipu, bool active) {
  const auto text = [&](const char *key) {
    const auto found = ipu.find(key);
    return found == ipu.end() ? std::string("N/A") : found->second;
  };
  return {{"partition", partition.name},
          {"active", active ? "1" : "0"},
          {"type", text("board type")},
          {"ipuof host", text("ipuof host")},
          {"pci id", text("pci id")},
          {"board serial number", text("board serial number")},
          {"ipu-m software version", text("gateway software version")},
          {"server version", text("ipuof server version")},
          {"firmware version", text("firmware version")},
          {"ipus", Json::array()}};
}

std::string boxOf(const machine::Ipu &ipu) { return ipu.host.empty() ? ipu.serial : ipu.host; }

} // namespace

Json asJson(const Readers &readers) {
  auto cards = Json::array();
  for (const auto &reader : readers) {
    std::string lastBox;
    for (unsigned i = 0; i < reader.domain().ipus.size(); ++i) {
      const auto attributes = reader.of({i, i, 1});
      const auto box = boxOf(reader.domain().ipus[i]);
      if (i == 0 || std::exchange(lastBox, box) != box)
        cards.push_back(cardOf(reader.domain().partition, attributes, &reader == &readers.front()));
      lastBox = box;
      auto ipu = gctool::jsonOf(attributes);
      if (const auto &holder = reader.occupancy()[i].holder) {
        ipu["PID"] = std::to_string(holder->processId);
        ipu["command"] = holder->command;
      }
      cards.back()["ipus"].push_back(std::move(ipu));
    }
  }
  return {{"cards", std::move(cards)}};
}

} // namespace gcmonitor
