// SPDX-License-Identifier: MIT
// How many tiles test programs ask for.
#ifndef POPART_DEFAULTTILECOUNT_HPP
#define POPART_DEFAULTTILECOUNT_HPP

namespace popart {

constexpr int defaultFewTiles = 4;     // tiles that tests use
constexpr int defaultManyTiles = 1216; // tiles of a Mk1 chip

} // namespace popart
#endif
