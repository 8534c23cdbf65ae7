// SPDX-License-Identifier: MIT
#include "Command.hpp"
#include "base/Environment.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include "Watch.hpp"
#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <unistd.h>

extern char **environ;

namespace poprun {
namespace {

using Words = std::vector<std::string>;

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

using Variables = std::vector<std::pair<std::string, std::string>>;

void addPartition(Variables &to, const Options &o, const Instance &instance,
                  const Surroundings &around) {
  if (o.partition.empty())
    return;
  if (!o.vipuHost.empty()) {
    to.emplace_back("IPUOF_VIPU_API_HOST", o.vipuHost);
    to.emplace_back("IPUOF_VIPU_API_PORT", std::to_string(o.vipuPort));
  }
  to.emplace_back("IPUOF_VIPU_API_PARTITION_ID", o.partition);
  to.emplace_back("IPUOF_VIPU_API_GCD_ID", std::to_string(around.gcds > 1 ? instance.index : 0));
  to.emplace_back("IPUOF_VIPU_API_TIMEOUT", std::to_string(o.vipuTimeout));
  to.emplace_back("IPUOF_LOG_LEVEL", o.debug ? "DEBUG" : "WARN");
  const unsigned ipus = o.replicas * o.ipusPerReplica; // a rack is closed to a torus, less is not
  if (around.fixedPartition)
    to.emplace_back("POPLAR_TARGET_OPTIONS",
                    nlohmann::ordered_json{{"ipuLinkDomainSize", "64"},
                                           {"ipuLinkConfiguration", "slidingWindow"},
                                           {"ipuLinkTopology", ipus >= 64 ? "torus" : "mesh"},
                                           {"gatewayMode", "true"}}
                        .dump());
}

// The user's own levels stay.
void addLogLevels(Variables &to) {
  for (const char *name :
       {"POPLAR_LOG_LEVEL", "POPLIBS_LOG_LEVEL", "POPART_LOG_LEVEL", "POPTORCH_LOG_LEVEL"})
    if (base::textFromEnvironment(name).empty())
      to.emplace_back(name, "DEBUG");
}

Words sectionOf(const Options &o, const Plan &plan, const Instance &instance,
                const Surroundings &around) {
  Words words = {"-np", "1"};
  const auto &host = plan.hosts[instance.host];
  if (plan.isRemote)
    append(words, {"--host", host});
  for (const auto &[name, value] : environmentOf(o, plan, instance, around))
    append(words, {"-x", name + "=" + value});
  append(words, wordsOf(o.mpiLocal));
  append(words, watchCommand({instance.index, host, o.stuckTimeout, o.program}));
  return words;
}

} // namespace

Variables environmentOf(const Options &o, const Plan &plan, const Instance &instance,
                        const Surroundings &around) {
  Variables out = {
      {"POPDIST_NUM_TOTAL_REPLICAS", std::to_string(o.replicas)},
      {"POPDIST_NUM_LOCAL_REPLICAS", std::to_string(plan.replicasPerInstance)},
      {"POPDIST_NUM_IPUS_PER_REPLICA", std::to_string(o.ipusPerReplica)},
      {"POPDIST_REPLICA_INDEX_OFFSET", std::to_string(instance.firstReplica)},
      {"POPDIST_LOCAL_INSTANCE_INDEX", std::to_string(instance.local)},
      {"POPDIST_UNIFORM_REPLICAS_PER_INSTANCE", "1"},
  };
  addPartition(out, o, instance, around);
  if (!o.cachePath.empty())
    for (const char *name : {"POPART_CACHE_DIR", "POPTORCH_CACHE_DIR", "IPU_CACHE_PATH"})
      out.emplace_back(name, o.cachePath);
  if (o.offline) {
    out.emplace_back("POPDIST_OFFLINE_MODE", "1");
    out.emplace_back("IPU_COMPILE_ONLY", "1"); // Paddle's
  }
  if (o.debug)
    addLogLevels(out);
  return out;
}

Words mpirunWords(const Options &o, bool isRemote) {
  // Instances share the processors, however few there are.
  Words words = {"mpirun", "--tag-output", "--oversubscribe", "--bind-to"};
  if (o.numaAware) // one NUMA node after the other
    append(words, {"numa:overload-allowed", "--map-by", "numa"});
  else
    words.push_back("none");
  if (o.allowRoot)
    words.push_back("--allow-run-as-root");
  if (!o.hostSubnet.empty())
    for (const char *part : {"btl_tcp_if_include", "oob_tcp_if_include"})
      append(words, {"--mca", part, o.hostSubnet});
  if (isRemote) // a host that vanishes is noticed after 11 s, not after some minutes
    append(words, {"--mca", "oob_tcp_keepalive_time", "5", "--mca", "oob_tcp_keepalive_intvl", "2",
                   "--mca", "oob_tcp_keepalive_probes", "3"});
  append(words, wordsOf(o.mpiGlobal));
  return words;
}

Words commandOf(const Options &o, const Plan &plan, const Surroundings &around) {
  if (std::ranges::find(o.program, ":") != o.program.end())
    throw machine::Error(
        "an argument of the program is \":\", which mpirun takes for the end of an "
        "instance's part. Put the call into a script.");
  auto words = mpirunWords(o, plan.isRemote);
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
