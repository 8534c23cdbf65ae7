// SPDX-License-Identifier: MIT
#include "vipu/Show.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "machine/Attributes.hpp"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

namespace vipu {
namespace {

std::string count(std::size_t n) { return std::to_string(n); }

std::string joined(const std::vector<std::string> &parts) {
  std::string out;
  for (const auto &part : parts)
    out += (out.empty() ? "" : ",") + part;
  return out;
}

std::vector<std::size_t> widths(const Table &table) {
  std::vector<std::size_t> out;
  for (std::size_t column = 0; column < table.titles.size(); ++column) {
    out.push_back(table.titles[column].size());
    for (const auto &row : table.rows)
      out.back() = std::max(out.back(), row[column].size());
  }
  return out;
}

std::string line(const std::vector<std::string> &cells, const std::vector<std::size_t> &width) {
  std::string out = " ";
  for (std::size_t i = 0; i < cells.size(); ++i)
    out += cells[i] + std::string(width[i] - cells[i].size(), ' ') +
           (i + 1 < cells.size() ? " | " : "");
  return out;
}

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

nlohmann::ordered_json objectOf(const Table &table, const std::vector<std::string> &row) {
  auto out = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < table.titles.size(); ++i)
    out[table.titles[i]] = row[i];
  return out;
}

// IPUs of a rack; 0 if the description of the chip is gone, which must not hide the partition.
unsigned rackOf(const std::string &chip) {
  try {
    return machine::chipOf(chip).links.ipusPerDomain;
  } catch (const std::exception &) {
    return 0;
  }
}

// IPU-Link domains that a partition lies in: those of its cluster, or racks of its chip.
std::string domainsOf(const machine::State &state, const machine::StoredPartition &stored) {
  auto cluster = stored.partition.cluster;
  for (const auto &allocation : state.allocations)
    if (allocation.name == stored.partition.allocation)
      cluster = allocation.cluster;
  unsigned perDomain = rackOf(stored.partition.chip);
  for (const auto &found : state.clusters)
    if (found.name == cluster) {
      unsigned ipus = 0;
      for (const auto &box : state.boxes)
        ipus += std::ranges::count(found.agents, box.agent) ? box.ipus : 0;
      perDomain = std::max(1u, ipus / found.linkDomains);
    }
  return perDomain ? count(base::ceilDiv(stored.ipus, perDomain)) : "N/A";
}

} // namespace

void print(std::ostream &out, const Table &table, Format format) {
  if (format == Format::Json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto &row : table.rows)
      list.push_back(objectOf(table, row));
    out << list.dump(2) << '\n';
    return;
  }
  const auto width = widths(table);
  const auto title = line(table.titles, width);
  const std::string rule(title.size(), '-');
  out << trimmed(title) << '\n' << rule << '\n';
  for (const auto &row : table.rows)
    out << trimmed(line(row, width)) << '\n';
  out << rule << '\n';
}

void printOne(std::ostream &out, const Table &table, Format format) {
  if (format == Format::Json) {
    out << objectOf(table, table.rows.front()).dump(2) << '\n';
    return;
  }
  std::size_t width = 0;
  for (const auto &title : table.titles)
    width = std::max(width, title.size());
  for (std::size_t i = 0; i < table.titles.size(); ++i)
    out << ' ' << table.titles[i] << std::string(width - table.titles[i].size(), ' ') << " | "
        << table.rows.front()[i] << '\n';
}

Table partitionTable(const machine::State &state) {
  Table out{{"Partition", "Cluster", "ILDs", "GW Routing", "ILD Routing", "Size", "GCDs", "State"},
            {}};
  for (const auto &stored : state.partitions) {
    const auto &p = stored.partition;
    out.rows.push_back({p.name, p.allocation.empty() ? p.cluster : p.allocation,
                        domainsOf(state, stored), p.gatewayRouting, p.routing, count(stored.ipus),
                        count(p.gcds), p.state});
  }
  return out;
}

Table agentTable(const machine::State &state) {
  Table out{{"Agent", "Host", "Machine", "Architecture", "IPUs", "First IPU"}, {}};
  for (const auto &box : state.boxes)
    out.rows.push_back({box.agent, box.host.empty() ? "PCIe" : box.host, box.kind.name,
                        box.kind.chip, count(box.ipus), count(box.firstIpu)});
  return out;
}

Table agentDetails(const machine::Box &box) {
  const auto version = machine::softwareVersion();
  const bool fabric = box.kind.fabric;
  const std::string unknown = "N/A"; // a simulated machine has none
  return {{"Agent ID", "Host", "Port", "Status", "Exporter", "Platform", "Manufacturer",
           "Discovery Mode", "Virm version", "Runtime version", "Board serial number",
           "Part number", "GWSW Version", "IPUoF server version", "HDF Version", "HDF Hash",
           "Num of IPUs"},
          {{box.agent, fabric ? box.host : "PCIe", fabric ? "8080" : unknown, "ACTIVE", unknown,
            box.kind.name, "OpenIPU (simulated)", "Static", version, version,
            machine::ipuOf(box, 0).serial, unknown, fabric ? version : unknown,
            fabric ? version : unknown, unknown, unknown, count(box.ipus)}}};
}

Table ipuTable(const machine::Box &box) {
  const auto chip = machine::chipOf(box.kind.chip);
  Table out{{"IPU", "PCI", "Device", "Firmware", "Architecture", "Num Tiles"}, {}};
  for (unsigned place = 0; place < box.ipus; ++place) {
    const auto ipu = machine::ipuOf(box, place);
    out.rows.push_back({count(ipu.index), ipu.pciId.empty() ? "N/A" : ipu.pciId, ipu.board,
                        machine::softwareVersion(), chip.archName, count(chip.tiles)});
  }
  return out;
}

Table clusterTable(const machine::State &state) {
  Table out{{"Cluster", "Agents", "ILDs", "Topology"}, {}};
  for (const auto &cluster : state.clusters)
    out.rows.push_back({cluster.name, joined(cluster.agents), count(cluster.linkDomains),
                        cluster.looped ? "looped" : "mesh"});
  return out;
}

Table allocationTable(const machine::State &state) {
  Table out{{"Allocation ID", "Agents"}, {}};
  for (const auto &allocation : state.allocations)
    out.rows.push_back({allocation.name, joined(allocation.agents)});
  return out;
}

Table attributeTable(const machine::State &state) {
  Table out{{"Agent", "IPU", "Attribute", "Value"}, {}};
  for (const auto &box : state.boxes) {
    machine::Domain domain;
    domain.partition.chip = box.kind.chip;
    for (unsigned place = 0; place < box.ipus; ++place)
      domain.ipus.push_back(machine::ipuOf(box, place));
    const machine::AttributeReader reader(domain);
    for (unsigned place = 0; place < box.ipus; ++place) {
      bool first = true;
      for (const auto &[name, value] : reader.of({place, place, 1})) {
        out.rows.push_back(
            {first && place == 0 ? box.agent : "", first ? count(place) : "", name, value});
        first = false;
      }
    }
  }
  return out;
}

Table userTable(const std::vector<User> &users) {
  Table out{{"User", "Role"}, {}};
  for (const auto &user : users)
    out.rows.push_back({user.name, user.admin ? "admin" : "user"});
  return out;
}

Table only(Table table, const std::string &name) {
  std::erase_if(table.rows, [&](const auto &row) { return row.front() != name; });
  return table;
}

} // namespace vipu
