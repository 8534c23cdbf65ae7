// SPDX-License-Identifier: MIT
#include "Command.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unistd.h>

extern char **environ;

namespace poprun {
namespace {

using base::str;
using Words = std::vector<std::string>;

void set(Words &words, const std::string &name, const std::string &value) {
  words.insert(words.end(), {"-x", name + "=" + value});
}

void append(Words &words, const Words &more) {
  words.insert(words.end(), more.begin(), more.end());
}

// What a program needs of the user's environment on another host too.
bool isForwarded(std::string_view name) {
  for (const char *whole : {"PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "CPATH", "LIBRARY_PATH",
                            "VIRTUAL_ENV", "PVTI_OPTIONS", "TF_POPLAR_FLAGS"})
    if (name == whole)
      return true;
  for (const char *prefix : {"OPENIPU_", "POPLAR_", "POPLIBS_", "POPART_", "POPTORCH_", "GCDA_"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

Words forwarded() {
  Words names;
  for (char **entry = environ; *entry; ++entry) {
    const std::string_view text = *entry;
    if (const auto name = text.substr(0, text.find('=')); isForwarded(name))
      names.emplace_back(name);
  }
  std::ranges::sort(names);
  return names;
}

void addPartition(Words &words, const Options &o, const Instance &instance,
                  const Surroundings &around) {
  if (o.partition.empty())
    return;
  if (!o.vipuHost.empty()) {
    set(words, "IPUOF_VIPU_API_HOST", o.vipuHost);
    set(words, "IPUOF_VIPU_API_PORT", std::to_string(o.vipuPort));
  }
  set(words, "IPUOF_VIPU_API_PARTITION_ID", o.partition);
  set(words, "IPUOF_VIPU_API_GCD_ID", std::to_string(around.gcds > 1 ? instance.index : 0));
  set(words, "IPUOF_VIPU_API_TIMEOUT", std::to_string(o.vipuTimeout));
  set(words, "IPUOF_LOG_LEVEL", "WARN");
  const unsigned ipus = o.replicas * o.ipusPerReplica; // a rack is closed to a torus, less is not
  if (around.fixedPartition)
    set(words, "POPLAR_TARGET_OPTIONS",
        nlohmann::ordered_json{{"ipuLinkDomainSize", "64"},
                               {"ipuLinkConfiguration", "slidingWindow"},
                               {"ipuLinkTopology", ipus >= 64 ? "torus" : "mesh"},
                               {"gatewayMode", "true"}}
            .dump());
}

Words sectionOf(const Options &o, const Plan &plan, const Instance &instance,
                const Surroundings &around) {
  Words words = {"-np", "1"};
  if (plan.isRemote)
    append(words, {"--host", plan.hosts[instance.host]});
  set(words, "POPDIST_NUM_TOTAL_REPLICAS", std::to_string(o.replicas));
  set(words, "POPDIST_NUM_LOCAL_REPLICAS", std::to_string(plan.replicasPerInstance));
  set(words, "POPDIST_NUM_IPUS_PER_REPLICA", std::to_string(o.ipusPerReplica));
  set(words, "POPDIST_REPLICA_INDEX_OFFSET", std::to_string(instance.firstReplica));
  set(words, "POPDIST_LOCAL_INSTANCE_INDEX", std::to_string(instance.local));
  set(words, "POPDIST_UNIFORM_REPLICAS_PER_INSTANCE", "1");
  addPartition(words, o, instance, around);
  if (!o.cachePath.empty())
    for (const char *name : {"POPART_CACHE_DIR", "POPTORCH_CACHE_DIR"})
      set(words, name, o.cachePath);
  append(words, wordsOf(o.mpiLocal));
  append(words, o.program);
  return words;
}

} // namespace

Words commandOf(const Options &o, const Plan &plan, const Surroundings &around) {
  if (std::ranges::find(o.program, ":") != o.program.end())
    throw machine::Error(
        "an argument of the program is \":\", which mpirun takes for the end of an "
        "instance's part. Put the call into a script.");
  Words words = {"mpirun", "--tag-output", "--bind-to", o.numaAware ? "numa" : "none"};
  if (o.allowRoot)
    words.push_back("--allow-run-as-root");
  if (!plan.isRemote) // instances share the processors, however few there are
    words.push_back("--oversubscribe");
  if (!o.hostSubnet.empty())
    for (const char *part : {"btl_tcp_if_include", "oob_tcp_if_include"})
      append(words, {"--mca", part, o.hostSubnet});
  append(words, wordsOf(o.mpiGlobal));
  if (plan.isRemote)
    for (const auto &name : forwarded())
      append(words, {"-x", name});
  for (const auto &instance : plan.instances) {
    if (instance.index)
      words.push_back(":");
    append(words, sectionOf(o, plan, instance, around));
  }
  return words;
}

std::string asText(const Words &command) {
  std::string text;
  for (const auto &word : command) {
    const bool plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return std::isalnum(c) || std::strchr("-_./:=,+@%", c);
    });
    std::string quoted = "'";
    for (const char c : word)
      quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    text += (text.empty() ? "" : " ") + (plain ? word : quoted + "'");
  }
  return text;
}

} // namespace poprun
