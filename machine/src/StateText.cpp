// SPDX-License-Identifier: MIT
// The machine's record as JSON, and back.
#include "base/Text.hpp"
#include "Json.hpp"
#include "machine/State.hpp"
#include "PartitionJson.hpp"
#include <algorithm>
#include <set>

namespace machine {
namespace {

constexpr const char *format = "openipu-machine-1";

Json jsonOf(const Box &box) {
  return {{"agent", box.agent},   {"kind", box.kind.name},     {"chip", box.kind.chip},
          {"host", box.host},     {"fabric", box.kind.fabric}, {"places", box.kind.ipus},
          {"number", box.number}, {"ipus", box.ipus}};
}

Box readBox(const JsonObject &object, unsigned firstIpu) {
  object.allow({"agent", "kind", "chip", "host", "fabric", "places", "number", "ipus"});
  Box box;
  box.agent = object.name("agent");
  box.kind.name = object.text("kind", 64);
  box.kind.chip = object.text("chip", 4096);
  box.kind.fabric = object.flag("fabric");
  box.kind.ipus = object.number("places", 1, 64);
  box.host = object.text("host");
  box.number = object.number("number", 0, mostIpus - 1);
  box.firstIpu = firstIpu;
  box.ipus = object.number("ipus", 1, box.kind.ipus);
  if (box.host.empty() == box.kind.fabric)
    object.fail("host", "must be given for an IPU-Machine, and be empty for a PCIe card");
  return box;
}

Json jsonOf(const Cluster &c) {
  return {{"name", c.name}, {"agents", c.agents}, {"looped", c.looped}, {"ilds", c.linkDomains}};
}
Cluster readCluster(const JsonObject &object) {
  object.allow({"name", "agents", "looped", "ilds"});
  return {object.name("name"), object.texts("agents", mostIpus), object.flag("looped"),
          object.number("ilds", 1, mostIpus)};
}

Json jsonOf(const Allocation &a) {
  return {{"name", a.name}, {"cluster", a.cluster}, {"agents", a.agents}};
}
Allocation readAllocation(const JsonObject &object) {
  object.allow({"name", "cluster", "agents"});
  return {object.name("name"), object.name("cluster"), object.texts("agents", mostIpus)};
}

Json jsonOf(const StoredPartition &stored) {
  Json out = Json::object();
  writePartition(out, stored.partition);
  out["first_ipu"] = stored.firstIpu;
  out["ipus"] = stored.ipus;
  return out;
}
StoredPartition readStored(const JsonObject &object, unsigned ipus) {
  object.allow(partitionKeys({"first_ipu", "ipus"}));
  StoredPartition stored;
  stored.partition = readPartition(object);
  stored.firstIpu = object.number("first_ipu", 0, ipus - 1);
  stored.ipus = object.number("ipus", 1, ipus - stored.firstIpu);
  if (stored.ipus % stored.partition.gcds)
    object.fail("gcds", base::str("must divide the ", stored.ipus, " IPUs"));
  return stored;
}

template <class Item> Json listOf(const std::vector<Item> &items) {
  Json list = Json::array();
  for (const auto &item : items)
    list.push_back(jsonOf(item));
  return list;
}

void requireDistinct(const JsonObject &object, const char *key, std::vector<std::string> names) {
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end())
    object.fail(key, base::str("has \"", *twice, "\" twice"));
}

void requireApart(const JsonObject &object, std::vector<StoredPartition> partitions) {
  std::ranges::sort(partitions, {}, &StoredPartition::firstIpu);
  for (std::size_t i = 1; i < partitions.size(); ++i)
    if (partitions[i - 1].firstIpu + partitions[i - 1].ipus > partitions[i].firstIpu)
      object.fail("partitions",
                  base::str("has IPU ", partitions[i].firstIpu, " in two partitions"));
}

template <class Item, class Name>
std::vector<std::string> namesOf(const std::vector<Item> &items, Name name) {
  std::vector<std::string> names;
  for (const auto &item : items)
    names.push_back(name(item));
  return names;
}

void check(const State &state, const JsonObject &object) {
  const auto nameOf = [](const auto &item) { return item.name; };
  requireDistinct(object, "boxes", namesOf(state.boxes, [](auto &box) { return box.agent; }));
  requireDistinct(object, "clusters", namesOf(state.clusters, nameOf));
  requireDistinct(object, "allocations", namesOf(state.allocations, nameOf));
  requireDistinct(object, "partitions",
                  namesOf(state.partitions, [](auto &p) { return p.partition.name; }));
  requireApart(object, state.partitions);
}

} // namespace

std::string textOf(const State &state) {
  const Json out = {{"format", format},
                    {"boxes", listOf(state.boxes)},
                    {"clusters", listOf(state.clusters)},
                    {"allocations", listOf(state.allocations)},
                    {"partitions", listOf(state.partitions)}};
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

State parseState(std::string_view text, const std::string &path) {
  const JsonSource source{path,
                          "Remove the file to begin with the machine that OPENIPU_NUM_IPUS gives."};
  const Json parsed = parseObject(text, source);
  const JsonObject object(parsed, "", source);
  object.oneOf("format", {format});
  object.allow({"format", "boxes", "clusters", "allocations", "partitions"});
  State state;
  for (const auto &box : object.objects("boxes", mostIpus))
    state.boxes.push_back(readBox(box, state.ipus()));
  if (state.boxes.empty() || state.ipus() > mostIpus)
    object.fail("boxes", base::str("has ", state.ipus(), " IPUs; a machine has 1 to ", mostIpus));
  for (const auto &cluster : object.objects("clusters", mostIpus))
    state.clusters.push_back(readCluster(cluster));
  for (const auto &allocation : object.objects("allocations", mostIpus))
    state.allocations.push_back(readAllocation(allocation));
  for (const auto &partition : object.objects("partitions", mostIpus))
    state.partitions.push_back(readStored(partition, state.ipus()));
  check(state, object);
  return state;
}

} // namespace machine
