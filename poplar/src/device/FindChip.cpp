// SPDX-License-Identifier: MIT
// Chips by name or by description file, and whole systems by name.
#include "arch/ChipText.hpp"
#include "base/Text.hpp"
#include "device/SystemNames.hpp"
#include "device/TargetData.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <filesystem>
#include <fstream>

namespace poplar::device {
namespace {

constexpr NamedSystem systems[] = {
    {"IPU-POD4", "ipu2", 4},     {"IPU-POD16", "ipu2", 16},
    {"IPU-POD64", "ipu2", 64},   {"IPU-POD128", "ipu2", 128},
    {"IPU-POD256", "ipu2", 256}, {"BOW-POD4", "bow", 4},
    {"BOW-POD16", "bow", 16},    {"BOW-POD64", "bow", 64},
    {"BOW-POD256", "bow", 256},  {"_VIRTUAL_GRAPH_TEST_16", "ipu2", 16}};

bool looksLikePath(const std::string &text) {
  return text.find_first_of("/.") != std::string::npos;
}

arch::Chip chipFromFile(const std::string &path) {
  constexpr std::uintmax_t longest = 1 << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw file_load_error(path, "it is not a file with the description of a chip.");
  if (std::filesystem::file_size(path, error) > longest)
    throw file_load_error(path, base::str("a chip description has at most ", longest, " bytes."));
  std::ifstream file(path);
  if (!file)
    throw file_load_error(path, "the chip description file cannot be read.");
  return arch::parseChip(file, path);
}

} // namespace

const NamedSystem *findSystem(const std::string &name) {
  const auto found = std::ranges::find(systems, name, &NamedSystem::name);
  return found == std::end(systems) ? nullptr : found;
}

arch::Chip findChip(const std::string &nameOrPath) {
  try {
    return looksLikePath(nameOrPath) ? chipFromFile(nameOrPath) : arch::chipByName(nameOrPath);
  } catch (const std::invalid_argument &e) {
    std::vector<std::string> names;
    for (const auto &system : systems)
      names.push_back(system.name);
    throw invalid_machine_model(e.what() + base::didYouMean(nameOrPath, names));
  }
}

} // namespace poplar::device
