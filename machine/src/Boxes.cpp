// SPDX-License-Identifier: MIT
// Addresses and serial numbers follow from the number of a box, so that they are the same tomorrow.
// Serials begin with 0000, which no real board has.
#include "machine/Boxes.hpp"
#include "arch/ChipText.hpp"
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace machine {
namespace {

constexpr unsigned firstServerPort = 9000, firstRdmaPort = 5000; // ours: nothing listens there

template <class... Values> std::string formatted(const char *format, Values... values) {
  char text[64];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

// This computer, since that is where the simulation runs; another address for every box.
std::string hostOf(unsigned box) { return base::str("127.0.", 1 + box / 250, ".", 1 + box % 250); }

bool looksLikePath(const std::string &text) {
  return text.find_first_of("/.") != std::string::npos;
}

arch::Chip chipFromFile(const std::string &path) {
  constexpr std::uintmax_t longest = 1 << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw base::FileError(path, "it is not a file with the description of a chip.");
  if (std::filesystem::file_size(path, error) > longest)
    throw base::FileError(path, base::str("a chip description has at most ", longest, " bytes."));
  std::ifstream file(path);
  if (!file)
    throw base::FileError(path, "the chip description file cannot be read.");
  return arch::parseChip(file, path);
}

} // namespace

const std::vector<BoxKind> &boxKinds() {
  static const std::vector<BoxKind> kinds = {{"M2000", "ipu2", 4, true},
                                             {"BOW-2000", "bow", 4, true},
                                             {"C2", "ipu1", 2, false},
                                             {"C600", "ipu21", 1, false}};
  return kinds;
}

const BoxKind *findBoxKind(const std::string &name) {
  const auto found = std::ranges::find(boxKinds(), name, &BoxKind::name);
  return found == boxKinds().end() ? nullptr : &*found;
}

BoxKind boxKindOf(const arch::Chip &chip, const std::string &nameOrPath) {
  const auto found = std::ranges::find(boxKinds(), nameOrPath, &BoxKind::chip);
  if (found != boxKinds().end())
    return *found;
  const bool fabric = chip.host.hasGateway;
  return {chip.displayName, nameOrPath, fabric ? 4u : 1u, fabric};
}

Ipu ipuOf(const Box &box, unsigned place) {
  Ipu ipu;
  ipu.number = box.firstIpu + place;
  ipu.board = box.kind.name;
  unsigned board = 1;
  if (box.kind.fabric) {
    ipu.index = box.kind.ipus - 1 - place % box.kind.ipus;
    board = 1 + ipu.index / 2;
    ipu.host = box.host;
    ipu.serverPort = firstServerPort + ipu.index;
    ipu.rdmaPort = firstRdmaPort + ipu.index;
  } else {
    ipu.index = place;
    ipu.pciId = formatted("%04x:%02x:00.0", ipu.number / 255, 1 + ipu.number % 255);
  }
  ipu.serial = formatted("0000.%04u.%07u", board, box.number + 1);
  return ipu;
}

unsigned perBoard(const Ipu &ipu) {
  const auto *kind = findBoxKind(ipu.board);
  return kind ? std::min(2u, kind->ipus) : ipu.host.empty() ? 1 : 2;
}

std::vector<Box> boxesFor(const BoxKind &kind, unsigned ipus) {
  std::vector<Box> boxes;
  for (unsigned first = 0; first < ipus; first += kind.ipus) {
    const auto number = unsigned(boxes.size());
    boxes.push_back({formatted("ag%02u", number + 1), kind, kind.fabric ? hostOf(number) : "",
                     number, first, std::min(kind.ipus, ipus - first)});
  }
  return boxes;
}

arch::Chip chipOf(const std::string &nameOrPath) {
  return looksLikePath(nameOrPath) ? chipFromFile(nameOrPath) : arch::chipByName(nameOrPath);
}

} // namespace machine
