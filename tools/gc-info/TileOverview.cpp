// SPDX-License-Identifier: MIT
// A free IPU has no program: all its tiles wait at the sync with the host.
#include "Listing.hpp"
#include <cstdio>

namespace gcinfo {
namespace {

constexpr char waits = ':', absent = '.';

std::string padded(unsigned number, int width) {
  char text[16];
  std::snprintf(text, sizeof text, "%*u", width, number);
  return text;
}

} // namespace

std::string tileOverview(const arch::Chip &chip) {
  std::vector<std::string> cells(std::size_t(chip.rows()) * chip.fabric.columns,
                                 std::string(chip.fabric.tilesPerRow, absent));
  std::vector<unsigned> filled(cells.size());
  for (unsigned tile = 0; tile < chip.tiles; ++tile) {
    const auto cell = std::size_t(chip.rowOf(tile)) * chip.fabric.columns + chip.columnOf(tile);
    cells[cell].at(filled[cell]++) = waits;
  }
  std::string text = "   ";
  for (unsigned column = 0; column < chip.fabric.columns; ++column)
    text += " " + padded(column, int(chip.fabric.tilesPerRow));
  for (unsigned r = 0; r < chip.rows(); ++r) {
    text += "\n" + padded(r, 3);
    for (unsigned column = 0; column < chip.fabric.columns; ++column)
      text += " " + cells[std::size_t(r) * chip.fabric.columns + column];
  }
  return text + "\n:  waits at the sync with the host     .  there is no tile\n";
}

} // namespace gcinfo
