// SPDX-License-Identifier: MIT
// The frames have the widths of the vendor's tool; the table of usage is ours.
#include "base/Text.hpp"
#include "Frame.hpp"
#include "Monitor.hpp"
#include <cmath>
#include <ctime>

namespace gcmonitor {
namespace {

using base::str;
using gctool::row;
using gctool::separator;
using gctool::Widths;
using machine::AttributeReader;
using machine::decimals;

const Widths title{15, 80}, cards{13, 20, 8, 14, 10, 6, 4, 6, 7}, box{98};
const Widths processTitle{72, 24, 17}, processes{8, 41, 8, 12, 4, 10, 8, 8, 8};
const Widths otherTitle{62, 23}, others{4, 30, 14, 11, 11, 11};
const Widths usages{4, 14, 14, 14, 15, 15, 16};

std::string named(const AttributeReader &reader, bool active) {
  const auto &domain = reader.domain();
  const auto &partition = domain.partition;
  return str("Partition: ", partition.name,
             partition.gcds > 1 ? str(" (gcd:", domain.gcd, ")") : std::string(),
             active ? " [active]" : "", " has ", domain.ipus.size(),
             partition.reconfigurable ? " reconfigurable IPU" : " IPU",
             domain.ipus.size() == 1 ? "" : "s");
}

// BOW-2000 does not fit into its six characters.
std::string typeOf(const machine::Ipu &ipu) {
  return ipu.board.size() > 6 ? ipu.board.substr(0, ipu.board.find('-')) : ipu.board;
}

std::string cardTable(const AttributeReader &reader, bool active) {
  const auto &domain = reader.domain();
  const bool fabric = domain.isFabric();
  const auto version = machine::softwareVersion();
  std::string text = separator(title) + row(title, {"gc-monitor", named(reader, active)}) +
                     separator(cards) +
                     row(cards, {fabric ? "IPU-M" : "PCIe ID", "Serial", "IPU-M SW",
                                 "Server version", "ICU FW", "Type", "ID", "IPU#", "Routing"}) +
                     separator(cards);
  for (std::size_t i = 0; i < domain.ipus.size(); ++i) {
    const auto &ipu = domain.ipus[i];
    text += row(cards, {gctool::lastPart(fabric ? ipu.host : ipu.pciId, 13), ipu.serial,
                        fabric ? version : "", fabric ? version : "", version, typeOf(ipu),
                        std::to_string(i), std::to_string(ipu.index), domain.partition.routing});
    const bool last = i + 1 == domain.ipus.size();
    if (last || (fabric && domain.ipus[i + 1].host != ipu.host))
      text += separator(cards);
  }
  return text;
}

std::string timeSince(const std::string &start) {
  std::tm utc{};
  if (!::strptime(start.c_str(), "%Y%m%dT%H%M%SZ", &utc))
    return "";
  const long s = std::max(0l, long(std::time(nullptr) - ::timegm(&utc)));
  const auto two = [](long number) { return str(number < 10 ? "0" : "", number); };
  if (s < 60)
    return str(s, "s");
  if (s < 3600)
    return str(s / 60, "m", two(s % 60), "s");
  return s < 86400 ? str(s / 3600, "h", two(s / 60 % 60), "m")
                   : str(s / 86400, "d", two(s / 3600 % 24), "h");
}

std::string baseName(const std::string &path) { return path.substr(path.rfind('/') + 1); }

// As it was called: python3, not the python3.11 that this is a link to.
std::string commandOf(const machine::Holder &holder) {
  const auto called = baseName(holder.command.substr(0, holder.command.find(' ')));
  return called.empty() ? baseName(holder.executable) : called;
}

struct SensorCells {
  std::string clock, die, board, power;
};

// Empty unless the program asked to be monitored; those of a board once, at its first IPU.
SensorCells sensorCells(const AttributeReader &reader, std::size_t place, std::string &lastBoard) {
  const auto &usage = reader.occupancy()[place].usage;
  if (!usage || !usage->monitored)
    return {};
  const auto &chip = reader.chip();
  const double watts = reader.boardWatts(unsigned(place)), air = machine::boardTemperature(watts);
  SensorCells cells{str(std::lround(chip.clockHz / 1e6), "MHz"),
                    decimals(air + machine::sensorsOf(chip, usage).dieTemperature, 1) + " C", "",
                    ""};
  const auto &serial = reader.domain().ipus[place].serial;
  if (std::exchange(lastBoard, serial) == serial)
    return cells;
  cells.board = decimals(air, 1) + " C";
  cells.power = decimals(watts, 1) + " W";
  return cells;
}

std::string processTable(const AttributeReader &reader) {
  std::string rows, lastBoard;
  for (std::size_t i = 0; i < reader.occupancy().size(); ++i) {
    const auto &holder = reader.occupancy()[i].holder;
    if (!holder || holder->otherNamespace)
      continue;
    const auto cells = sensorCells(reader, i, lastBoard);
    rows += row(processes, {std::to_string(holder->processId), commandOf(*holder),
                            timeSince(holder->startTime), holder->user, std::to_string(i),
                            cells.clock, cells.die, cells.board, cells.power});
  }
  if (rows.empty())
    return "";
  return separator(processTitle) +
         row(processTitle, {"Attached processes in partition " + reader.domain().partition.name,
                            "IPU", "Board"}) +
         separator(processes) +
         row(processes,
             {"PID", "Command", "Time", "User", "ID", "Clock", "Temp", "Temp", "Power"}) +
         separator(processes) + rows + separator(processes);
}

std::string otherTable(const AttributeReader &reader) {
  std::string rows, lastBoard;
  for (std::size_t i = 0; i < reader.occupancy().size(); ++i) {
    const auto &holder = reader.occupancy()[i].holder;
    if (!holder || !holder->otherNamespace)
      continue;
    const auto cells = sensorCells(reader, i, lastBoard);
    rows += row(others, {std::to_string(i), holder->host, cells.clock, cells.die, cells.board,
                         cells.power});
  }
  if (rows.empty())
    return "";
  return separator(otherTitle) +
         row(otherTitle,
             {str("IPUs in ", reader.domain().partition.name, " attached from other namespaces"),
              "Board"}) +
         separator(others) +
         row(others, {"ID", "Application host", "Clock", "Temp", "Temp", "Power"}) +
         separator(others) + rows + separator(others);
}

std::string usageTable(const AttributeReader &reader) {
  std::string rows;
  for (std::size_t i = 0; i < reader.occupancy().size(); ++i) {
    const auto &usage = reader.occupancy()[i].usage;
    if (!usage)
      continue;
    const auto sensors = machine::sensorsOf(reader.chip(), usage);
    rows +=
        row(usages, {std::to_string(i), decimals(100 * sensors.utilisation, 2) + "%",
                     decimals(100 * sensors.session, 2) + "%", std::to_string(usage->runs),
                     decimals(usage->busySeconds, 2) + " s",
                     decimals(usage->deviceSeconds, 6) + " s", decimals(sensors.watts, 1) + " W"});
  }
  if (rows.empty())
    return "";
  return separator(box) +
         row(box, {str("Use of partition ", reader.domain().partition.name, " (simulated)")}) +
         separator(usages) +
         row(usages,
             {"ID", "Utilisation", "Session", "Runs", "Host time", "Device time", "IPU power"}) +
         separator(usages) + rows + separator(usages);
}

std::string nobody(const AttributeReader &reader) {
  return separator(box) +
         row(box, {"No attached processes in partition " + reader.domain().partition.name}) +
         separator(box);
}

} // namespace

std::string tables(const Readers &readers, const Shown &shown) {
  std::string text;
  for (const auto &reader : readers) {
    if (shown.cards)
      text += cardTable(reader, &reader == &readers.front());
    const auto attached = processTable(reader) + otherTable(reader);
    text += attached.empty() ? nobody(reader) : attached;
    if (shown.usage)
      text += usageTable(reader);
  }
  return text;
}

} // namespace gcmonitor
