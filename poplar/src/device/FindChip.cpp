// SPDX-License-Identifier: MIT
// Chips by name or by description file, and whole systems by name.
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "device/SystemNames.hpp"
#include "device/TargetData.hpp"
#include "machine/Boxes.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>

namespace poplar::device {
namespace {

constexpr NamedSystem systems[] = {
    {"IPU-POD4", "ipu2", 4},     {"IPU-POD16", "ipu2", 16},
    {"IPU-POD64", "ipu2", 64},   {"IPU-POD128", "ipu2", 128},
    {"IPU-POD256", "ipu2", 256}, {"BOW-POD4", "bow", 4},
    {"BOW-POD16", "bow", 16},    {"BOW-POD64", "bow", 64},
    {"BOW-POD256", "bow", 256},  {"_VIRTUAL_GRAPH_TEST_16", "ipu2", 16}};

} // namespace

const NamedSystem *findSystem(const std::string &name) {
  const auto found = std::ranges::find(systems, name, &NamedSystem::name);
  return found == std::end(systems) ? nullptr : found;
}

arch::Chip findChip(const std::string &nameOrPath) {
  try {
    return machine::chipOf(nameOrPath);
  } catch (const base::FileError &e) {
    throw file_load_error(e.path, e.what());
  } catch (const std::invalid_argument &e) {
    std::vector<std::string> names;
    for (const auto &system : systems)
      names.push_back(system.name);
    throw invalid_machine_model(e.what() + base::didYouMean(nameOrPath, names));
  }
}

} // namespace poplar::device
