// SPDX-License-Identifier: MIT
// The content hash of a training session before anything is made of its model, so that an
// executable from the cache needs neither import nor gradients nor transforms.
#include "session/hash.hpp"
#include "session/optionkeys.hpp"
#include <cstring>
#include <elf.h>
#include <link.h>
#include <map>
#include <popart/devicemanager.hpp>
#include <poplar/Graph.hpp>

namespace popart::session {

namespace {

// All instances make the same of a model, whichever replicas they have.
void addReplicas(Hasher &h, const SessionOptions &o) {
  const bool apart = o.enableDistributedReplicatedGraphs;
  h.number(o.enableReplicatedGraphs || apart);
  h.number(std::uint64_t(apart ? o.globalReplicationFactor : o.replicatedGraphCount));
}

// Everything that options say of a program, before there is an ir.
void addAllOptions(Hasher &h, const SessionOptions &o) {
  add(h, o);
  addModelOptions(h, o);
  addReplicas(h, o);
}

// The identity that the linker gave to a library, if it did.
std::string_view buildId(const dl_phdr_info &library) {
  for (int i = 0; i < library.dlpi_phnum; ++i) {
    const auto &header = library.dlpi_phdr[i];
    if (header.p_type != PT_NOTE)
      continue;
    const auto *at = reinterpret_cast<const char *>(library.dlpi_addr + header.p_vaddr);
    const auto *end = at + header.p_memsz;
    const auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof note);
      const char *content = at + sizeof note + padded(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID)
        return {content, note.n_descsz};
      at = content + padded(note.n_descsz);
    }
  }
  return {};
}

using Libraries = std::map<std::string, std::string>; // by name: programs link them in any order

int addLibrary(dl_phdr_info *library, std::size_t, void *libraries) {
  const std::string_view path = library->dlpi_name ? library->dlpi_name : "";
  const auto name = path.substr(path.rfind('/') + 1);
  if (name.rfind("libpop", 0) == 0 || name.rfind("libgcl", 0) == 0)
    (*static_cast<Libraries *>(libraries))[std::string(name)] = buildId(*library);
  return 0;
}

} // namespace

std::string hashOf(const SourceInput &input) {
  Hasher h;
  h.text(std::string(poplar::packageHash()));
  h.text(std::string(poplar::versionString()));
  input.source.addTo(h);
  add(h, input.flow);
  addAllOptions(h, input.options);
  add(h, input.patterns);
  h.text(input.optimizer.structure());
  h.text(input.loss);
  add(h, input.target);
  return h.hex();
}

std::string keyOf(const SessionOptions &options, const DeviceInfo &device, const std::string &model,
                  const Optimizer *optimizer) {
  Hasher h;
  h.text(model);
  h.text(optimizer ? optimizer->structure() : "");
  addAllOptions(h, options);
  add(h, device.getTarget());
  return h.hex();
}

std::string withBuild(const std::string &hash) {
  Hasher h;
  h.text(hash);
  Libraries libraries;
  ::dl_iterate_phdr(addLibrary, &libraries);
  for (const auto &[name, build] : libraries) {
    h.text(name);
    h.text(build);
  }
  return h.hex();
}

} // namespace popart::session
