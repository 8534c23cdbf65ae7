// SPDX-License-Identifier: MIT
// The names inside the configuration file are ours: the vendor's are not public, except for the
// address and the two ports of a device.
#include "machine/Partition.hpp"
#include "base/Text.hpp"
#include "Json.hpp"
#include "machine/Error.hpp"
#include "PartitionJson.hpp"
#include <algorithm>
#include <set>

namespace machine {
namespace {

constexpr const char *format = "openipu-ipuof-1";
constexpr unsigned mostPort = 65535;

Json jsonOf(const Ipu &ipu) {
  return {{"ip", ipu.host},
          {"server_port", ipu.serverPort},
          {"rdma_port", ipu.rdmaPort},
          {"pci_id", ipu.pciId},
          {"ipu", ipu.number},
          {"ipu_index", ipu.index},
          {"serial", ipu.serial},
          {"board", ipu.board}};
}

Ipu readIpu(const JsonObject &object) {
  object.allow({"ip", "server_port", "rdma_port", "pci_id", "ipu", "ipu_index", "serial", "board"});
  Ipu ipu;
  ipu.host = object.text("ip");
  ipu.serverPort = object.number("server_port", 0, mostPort);
  ipu.rdmaPort = object.number("rdma_port", 0, mostPort);
  ipu.pciId = object.text("pci_id", 32);
  ipu.number = object.number("ipu", 0, mostIpus - 1);
  ipu.index = object.number("ipu_index", 0, 63);
  ipu.serial = object.text("serial", 64);
  ipu.board = object.text("board", 64);
  if (ipu.host.empty() == ipu.pciId.empty())
    object.fail("ip", "or \"pci_id\" must be given, and the other be empty");
  return ipu;
}

void requireDistinct(const Domain &domain, const JsonObject &object) {
  std::set<unsigned> numbers;
  for (const auto &ipu : domain.ipus) {
    if (!numbers.insert(ipu.number).second)
      object.fail("devices", base::str("has IPU ", ipu.number, " twice"));
    if (ipu.host.empty() != domain.ipus.front().host.empty())
      object.fail("devices", "has devices with \"ip\" and others with \"pci_id\"");
  }
}

bool isPowerOfTwo(std::size_t n) { return n && !(n & (n - 1)); }

} // namespace

bool isName(const std::string &text) {
  return !text.empty() && text.size() <= 64 && text[0] != '.' && text[0] != '-' &&
         std::ranges::all_of(text, [](unsigned char c) {
           return std::isalnum(c) || c == '.' || c == '-' || c == '_';
         });
}

const std::vector<std::string> &routings() {
  static const std::vector<std::string> all = {"DNC", "SWNC", "RINGSWNC", "BTNC"};
  return all;
}
const std::vector<std::string> &gatewayRoutings() {
  static const std::vector<std::string> all = {"DEFAULT", "RING"};
  return all;
}
const std::vector<std::string> &syncTypes() {
  static const std::vector<std::string> all = {"c2-compatible", "pod-native-default"};
  return all;
}
const std::vector<std::string> &partitionStates() {
  static const std::vector<std::string> all = {"ACTIVE", "PENDING", "ERROR"};
  return all;
}

std::vector<Group> Domain::groups() const {
  return groupsOf(unsigned(ipus.size()), partition.reconfigurable);
}

std::vector<unsigned> Domain::numbersOf(const Group &group) const {
  std::vector<unsigned> numbers;
  for (unsigned i = 0; i < group.size; ++i)
    numbers.push_back(ipus[group.first + i].number);
  std::ranges::sort(numbers);
  return numbers;
}

void writePartition(Json &out, const Partition &p) {
  out["partition"] = p.name;
  out["chip"] = p.chip;
  out["reconfigurable"] = p.reconfigurable;
  out["gcds"] = p.gcds;
  out["gcd_sync_replicas"] = p.gcdSyncReplicas;
  out["routing"] = p.routing;
  out["gw_routing"] = p.gatewayRouting;
  out["sync_type"] = p.syncType;
  out["cluster"] = p.cluster;
  out["allocation"] = p.allocation;
  out["state"] = p.state;
}

std::vector<std::string> partitionKeys(std::vector<std::string> others) {
  others.insert(others.end(),
                {"partition", "chip", "reconfigurable", "gcds", "gcd_sync_replicas", "routing",
                 "gw_routing", "sync_type", "cluster", "allocation", "state"});
  return others;
}

Partition readPartition(const JsonObject &object) {
  Partition p;
  p.name = object.name("partition");
  p.chip = object.text("chip", 4096);
  p.reconfigurable = object.flag("reconfigurable");
  p.gcds = object.number("gcds", 1, mostIpus);
  p.gcdSyncReplicas = object.number("gcd_sync_replicas", 1, mostIpus);
  p.routing = object.oneOf("routing", routings());
  p.gatewayRouting = object.oneOf("gw_routing", gatewayRoutings());
  p.syncType = object.oneOf("sync_type", syncTypes());
  p.cluster = object.text("cluster");
  p.allocation = object.text("allocation");
  p.state = object.oneOf("state", partitionStates());
  if (p.reconfigurable && (p.gcds != 1 || p.syncType != "c2-compatible"))
    object.fail("reconfigurable", "is true, so there must be one GCD and the c2-compatible sync");
  return p;
}

std::string configurationOf(const Domain &domain) {
  Json out;
  out["format"] = format;
  writePartition(out, domain.partition);
  out["gcd"] = domain.gcd;
  out["devices"] = Json::array();
  for (const auto &ipu : domain.ipus)
    out["devices"].push_back(jsonOf(ipu));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Domain parseConfiguration(std::string_view text, const std::string &path) {
  const JsonSource source{
      path, "Write the file again (vipu get partition NAME --gcd 0 --ipu-configs), or remove it."};
  const Json parsed = parseObject(text, source);
  const JsonObject object(parsed, "", source);
  object.oneOf("format", {format});
  object.allow(partitionKeys({"format", "gcd", "devices"}));
  Domain domain;
  domain.partition = readPartition(object);
  domain.gcd = object.number("gcd", 0, domain.partition.gcds - 1);
  for (const auto &device : object.objects("devices", mostIpus))
    domain.ipus.push_back(readIpu(device));
  if (domain.ipus.empty() ||
      (!domain.partition.reconfigurable && !isPowerOfTwo(domain.ipus.size())))
    object.fail("devices", base::str("has ", domain.ipus.size(),
                                     " entries; a partition has a power of two of IPUs"));
  requireDistinct(domain, object);
  return domain;
}

} // namespace machine
