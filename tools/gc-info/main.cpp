// SPDX-License-Identifier: MIT
// gc-info: lists the devices of a partition, and shows what one of them says of itself.
#include "base/Text.hpp"
#include "Listing.hpp"
#include "machine/Discovery.hpp"
#include "machine/Error.hpp"
#include <cmath>

namespace {

using gctool::textOf;

struct Options {
  bool list = false, all = false, info = false, json = false;
  bool count = false, arch = false, clock = false, overview = false;
  unsigned device = 0;
  std::string registers; // of what was asked, if it needs registers
};

std::string deviceInfo(const Options &options) {
  const machine::AttributeReader reader(machine::activeDomain());
  const auto attributes = reader.of(gctool::groupOf(reader.domain(), options.device));
  return options.json ? textOf(gctool::jsonOf(attributes))
                      : "Device Info:\n" + gctool::lines(attributes, "  ");
}

std::string list(const Options &options) {
  auto domains =
      options.all ? machine::allDomains() : std::vector<machine::Domain>{machine::activeDomain()};
  return options.json ? textOf(gcinfo::listingAsJson(domains)) : gcinfo::listing(domains);
}

// Only of a device that nobody uses: what another process runs cannot be seen.
std::string overview(const Options &options) {
  const machine::AttributeReader reader(machine::activeDomain());
  const auto group = gctool::groupOf(reader.domain(), options.device);
  for (unsigned i = 0; i < group.size; ++i)
    if (const auto &holder = reader.occupancy()[group.first + i].holder)
      throw machine::Error(base::str("device ", options.device, " is in use by process ",
                                     holder->processId, " (", holder->executable,
                                     "). The tiles of a device can be seen while it is free."));
  return gcinfo::tileOverview(reader.chip());
}

std::string work(const Options &options) {
  if (!options.registers.empty())
    throw machine::Error(options.registers +
                         ": a simulated IPU has no registers and keeps no memory while it is free. "
                         "Engine::readTensor and the profile show what a program leaves.");
  if (options.list)
    return list(options);
  if (options.overview)
    return overview(options);
  if (!options.count && !options.arch && !options.clock)
    return deviceInfo(options);
  const auto domain = machine::activeDomain();
  const auto chip = machine::chipOf(domain.partition.chip);
  gctool::groupOf(domain, options.device);
  if (options.count)
    return base::str(domain.ipus.size(), "\n");
  return options.arch ? chip.archName + "\n" : base::str(std::lround(chip.clockHz / 1e6), "MHz\n");
}

} // namespace

int main(int argc, char **argv) {
  Options options;
  gctool::Tool tool("gc-info", "Lists simulated IPUs and shows what they say about themselves.");
  tool.device(options.device);
  tool.json(options.json);
  const char *commands = "Commands";
  tool.flag("-l,--list-devices,--list-all-devices", options.list,
            {"list the devices of the active partition", commands});
  tool.flag("-i,--device-info", options.info,
            {"show the attributes of a device (default)", commands});
  tool.flag("--ipu-count", options.count, {"print how many IPUs the partition has", commands});
  tool.flag("--ipu-arch", options.arch, {"print their architecture", commands});
  tool.flag("--tile-clock-speed", options.clock, {"print their clock", commands});
  tool.flag("--tile-overview", options.overview, {"show the sync state of all tiles", commands});
  tool.flag("--all-partitions", options.all,
            {"with -l: list the other partitions too", "Command options"});
  for (const char *name :
       {"--tile-status", "--dump-mem", "--xb-status", "--gsp-status", "--pci-status"})
    tool.hidden(name, [&options, name] { options.registers = name; });
  return tool.run(argc, argv, [&] { return work(options); });
}
