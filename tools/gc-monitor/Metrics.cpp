// SPDX-License-Identifier: MIT
// Names without our own in front are those of the vendor's exporter.
#include "base/Text.hpp"
#include "machine/State.hpp"
#include "Monitor.hpp"

namespace gcmonitor {
namespace {

using base::str;
using machine::AttributeReader;
using Value = std::function<double(const AttributeReader &, std::size_t)>;

std::string quoted(const std::string &text) {
  std::string out;
  for (const char c : text)
    out += c == '"' || c == '\\' ? str('\\', c) : std::string(1, c);
  return "\"" + out + "\"";
}

std::string head(const char *name, const char *help) {
  return str("# HELP ", name, " ", help, "\n# TYPE ", name, " gauge\n");
}

std::string labels(const AttributeReader &reader, std::size_t place) {
  const auto &ipu = reader.domain().ipus[place];
  return str("{partition=", quoted(reader.domain().partition.name), ",ipu=\"", place,
             "\",host=", quoted(ipu.host), ",serial=", quoted(ipu.serial), ",board_ipu_index=\"",
             ipu.index, "\"}");
}

std::string perIpu(const Readers &readers, const char *name, const char *help, const Value &value) {
  std::string text = head(name, help);
  for (const auto &reader : readers)
    for (std::size_t i = 0; i < reader.domain().ipus.size(); ++i)
      text += str(name, labels(reader, i), " ", value(reader, i), "\n");
  return text;
}

std::string plain(const char *name, const char *help, double value) {
  return str(head(name, help), name, " ", value, "\n");
}

double wattsOf(const AttributeReader &r, std::size_t i) {
  return machine::sensorsOf(r.chip(), r.occupancy()[i].usage).watts;
}
double clockOf(const AttributeReader &r, std::size_t) { return r.chip().clockHz; }

std::string hardware(const Readers &readers) {
  std::string text = head("ipum_hardware_info", "Kinds of boards and versions, as labels");
  for (const auto &reader : readers)
    for (const auto &ipu : reader.domain().ipus)
      text += str("ipum_hardware_info{host=", quoted(ipu.host), ",serial=", quoted(ipu.serial),
                  ",board_ipu_index=\"", ipu.index, "\",type=", quoted(ipu.board),
                  ",version=", quoted(machine::softwareVersion()), "} 1\n");
  return text;
}

} // namespace

std::string metrics(const Readers &readers, unsigned long ticks) {
  const auto stored = machine::storedState();
  const auto agents = stored ? stored->boxes.size() : 0,
             clusters = stored ? stored->clusters.size() : 0;
  const auto partitions = stored ? stored->partitions.size() : readers.size();
  return plain("exporter_ticks", "Answers given so far", double(ticks)) +
         perIpu(readers, "ipu_attached", "1 while a process holds the IPU",
                [](auto &r, auto i) { return r.occupancy()[i].holder ? 1.0 : 0.0; }) +
         perIpu(readers, "ipu_tile_clk_speed", "Clock of the tiles in Hz", clockOf) +
         perIpu(readers, "gcipuinfo_clock_frequency", "Clock of the tiles in Hz", clockOf) +
         perIpu(readers, "ipu_link_err_cnt", "Errors of IPU-Links; simulated ones make none",
                [](auto &, auto) { return 0.0; }) +
         perIpu(readers, "openipu_utilisation_ratio",
                "Part of the last seconds with a program running",
                [](auto &r, auto i) {
                  return machine::sensorsOf(r.chip(), r.occupancy()[i].usage).utilisation;
                }) +
         perIpu(readers, "openipu_power_watts", "Power of the IPU, simulated", wattsOf) +
         perIpu(readers, "openipu_die_temperature_celsius", "Temperature of the die, simulated",
                [](auto &r, auto i) {
                  return machine::boardTemperature(r.boardWatts(unsigned(i))) +
                         machine::sensorsOf(r.chip(), r.occupancy()[i].usage).dieTemperature;
                }) +
         perIpu(readers, "openipu_runs", "Runs since the device was attached",
                [](auto &r, auto i) {
                  const auto &usage = r.occupancy()[i].usage;
                  return usage ? double(usage->runs) : 0.0;
                }) +
         hardware(readers) + plain("vipu_num_partitions", "Partitions", double(partitions)) +
         plain("vipu_num_clusters", "Clusters", double(clusters)) +
         plain("vipu_num_agents", "Agents", double(agents));
}

} // namespace gcmonitor
