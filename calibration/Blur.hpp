// SPDX-License-Identifier: MIT
// The 3x3 blur of an RGBA image as it was measured on GC2 (LBM; reference: structure of the
// programs): the image is cut over IPUs, tiles and workers; every worker's part gets a padded copy
// of its input; two buffers take turns.
#pragma once
#include "Program.hpp"
#include <optional>

namespace calibration {

enum class Cut { Grid, Columns }; // how several IPUs share the image

struct Blur {
  std::size_t width, height; // of the image
  std::string vertex;        // BlurFloat, BlurFloat2, BlurHalf4
  unsigned ipus = 1;
  Cut cut = Cut::Grid;
  std::size_t leastWidth = 1, leastHeight = 1; // of a tile's block
  std::string name() const;                    // equal blurs have equal ones
};

struct Grid {
  std::size_t columns, rows;
};
// Of the IPUs that share an image, and of the tiles that share an IPU's part of it.
Grid ipuGrid(const Blur &blur);
Grid tileGrid(const Blur &blur, std::size_t width, std::size_t height, std::size_t tiles);

// One step there and one back.
struct BlurRun {
  Profile profile;
  std::size_t blockWidth, blockHeight; // the largest
  double milliseconds(unsigned steps) const { return 1e3 * profile.seconds() * steps / 2; }
};
const BlurRun &run(const Blur &blur); // runs equal blurs once

} // namespace calibration
