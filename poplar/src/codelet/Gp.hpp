// SPDX-License-Identifier: MIT
// .gp files: an archive of Modules for several targets, checksummed. Equal modules (by content
// hash) are stored once. Reading validates every size and index: a truncated, foreign or damaged
// file ends in GpError, never in a crash.
#pragma once
#include "codelet/Errors.hpp"
#include "codelet/Module.hpp"
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace poplar::codelet {

struct GpTarget {
  std::string name;                   // "ipu2", "cpu", or a variant such as "ipu2:cpp"
  std::string arch;                   // "ipu1", "ipu2", "ipu21", "cpu"
  std::vector<std::uint32_t> modules; // indices into Gp::modules
};

struct Gp {
  std::vector<Module> modules;
  std::vector<GpTarget> targets;

  // The modules of a target by name, else of the first target of that architecture; GpError-free:
  // empty when absent.
  std::vector<const Module *> modulesFor(std::string_view nameOrArch) const;
  void add(const std::string &targetName, const std::string &arch, Module module);
  void merge(Gp other); // as linking: the other's modules join the targets of the same name
};

Gp readGp(const std::string &path);
Gp parseGp(std::string_view bytes, const std::string &path); // path: for messages only
void writeGp(const Gp &gp, const std::string &path);         // temporary file and atomic rename
std::string serialise(const Gp &gp);
bool looksLikeGp(std::string_view firstBytes);

} // namespace poplar::codelet
