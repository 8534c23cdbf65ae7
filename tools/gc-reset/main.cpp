// SPDX-License-Identifier: MIT
// gc-reset: resets a device that nobody uses. A simulated IPU keeps nothing between programs, so
// what there is to do is to make sure that nobody has it and to clear what a killed process left.
#include "base/Text.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include "Tool.hpp"

namespace {

std::string work(unsigned id, bool json) {
  const auto domain = machine::activeDomain();
  const auto ipus = domain.numbersOf(gctool::groupOf(domain, id));
  machine::Lease lease(ipus, id);
  if (!lease.acquire())
    throw machine::Error(base::str("device ", id, " is in use", gctool::whoHolds(ipus),
                                   " and was not reset. Wait until that process ends, or end it."));
  lease.reset();
  lease.release();
  return json ? gctool::textOf({{"device", std::to_string(id)}, {"result", "reset"}})
              : base::str("Device ", id, " was reset (", ipus.size(), " IPU",
                          ipus.size() == 1 ? "" : "s", ").\n");
}

} // namespace

int main(int argc, char **argv) {
  unsigned device = 0;
  bool json = false;
  gctool::Tool tool("gc-reset", "Resets a simulated device that nobody uses.");
  tool.device(device);
  tool.json(json);
  return tool.run(argc, argv, [&] { return work(device, json); });
}
