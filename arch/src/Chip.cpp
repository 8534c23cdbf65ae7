// SPDX-License-Identifier: MIT
// What follows from a chip's numbers: where its tiles and memory elements are, its peaks; and
// finding a chip by name.
#include "arch/Chip.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "ChipFields.hpp"
#include "chips/Chips.hpp"
#include <algorithm>
#include <functional>
#include <stdexcept>
#include <type_traits>

namespace arch {

unsigned Chip::rows() const {
  return unsigned(std::max<std::uint64_t>(
      1, base::ceilDiv(tiles, std::uint64_t(fabric.columns) * fabric.tilesPerRow)));
}
unsigned Chip::columnOf(unsigned tile) const { return tile / (rows() * fabric.tilesPerRow); }
unsigned Chip::rowOf(unsigned tile) const {
  return tile % (rows() * fabric.tilesPerRow) / fabric.tilesPerRow;
}

unsigned Chip::partnerOf(unsigned tile) const {
  const unsigned partner = tilesPerPair == 2 ? tile ^ 1u : tile;
  return partner < tiles ? partner : tile;
}

unsigned Chip::interleavedElement() const {
  return unsigned(base::ceilDiv(memory.plainBytes, memory.plainElementBytes));
}

unsigned Chip::elementOf(std::uint64_t offset) const {
  if (offset < memory.plainBytes)
    return unsigned(offset / memory.plainElementBytes);
  return interleavedElement() +
         unsigned((offset - memory.plainBytes) / memory.interleavedElementBytes);
}

std::vector<std::uint64_t> Chip::elementOffsets() const {
  std::vector<std::uint64_t> begins;
  for (std::uint64_t at = 0; at < memory.plainBytes; at += memory.plainElementBytes)
    begins.push_back(at);
  for (std::uint64_t at = memory.plainBytes; at < bytesPerTile;
       at += memory.interleavedElementBytes)
    begins.push_back(at);
  return begins;
}

// A unit multiplies and adds so many inputs per cycle.
static double peak(const Chip &chip, unsigned units, unsigned inputsPerCycle) {
  return 2.0 * units * inputsPerCycle * chip.tiles * chip.clockHz;
}
double Chip::peakHalf() const { return peak(*this, amp.halfHalfUnits, amp.halfInputsPerCycle); }
double Chip::peakHalfFloat() const {
  return peak(*this, amp.halfFloatUnits, amp.halfInputsPerCycle);
}
double Chip::peakFloat() const { return peak(*this, amp.floatUnits, amp.floatInputsPerCycle); }

static const std::vector<Chip> &knownChips() {
  static const std::vector<Chip> chips = {chips::ipu1(), chips::ipu2(), chips::bow(),
                                          chips::ipu21()};
  return chips;
}

std::vector<std::string> chipNames() {
  std::vector<std::string> names;
  for (const auto &chip : knownChips())
    names.push_back(chip.name);
  return names;
}

const Chip &chipByName(std::string_view name) {
  for (const auto &chip : knownChips())
    if (chip.name == name)
      return chip;
  const auto names = chipNames();
  throw std::invalid_argument(base::str("Unknown chip \"", name, "\".",
                                        base::didYouMean(name, names),
                                        " Known chips: ", base::list(names, ", "), "."));
}

std::uint64_t fingerprint(const Chip &chip) {
  std::uint64_t hash = 0;
  forEachField(chip, [&](const char *, const auto &member, Unit, Least) {
    hash = hash * 0x9e3779b97f4a7c15ull + std::hash<std::decay_t<decltype(member)>>()(member);
    hash ^= hash >> 29;
  });
  return hash;
}

Chip withTiles(Chip chip, unsigned tiles) {
  if (tiles == 0)
    throw std::invalid_argument(
        base::str("A chip needs at least one tile; \"", chip.name, "\" was given 0."));
  chip.tiles = tiles;
  return chip;
}

} // namespace arch
