// SPDX-License-Identifier: MIT
// Tiles for input and output alone (numIOTiles). Inputs and anchors may pass over them; if all of a
// micro-batch do, the transfers overlap: while a micro-batch is computed, the I/O tiles take the
// inputs of the next one from the host and give the host the results of the one before. Only if all
// do, because two transfers at once would share one cable.
#pragma once
#include "base/Text.hpp"
#include "openipu/Together.hpp"
#include <gcl/TileAllocation.hpp>
#include <popart/error.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popart::lowering {

// The I/O tiles, spread over every IPU, and the others, which compute; all tiles if there are none.
enum class Tiles { Compute, Io };
inline poplar::Graph tilesOf(poplar::Graph &root, int ioTiles, Tiles which) {
  if (ioTiles <= 0)
    return root.getTopLevelGraph();
  const auto all = root.getTarget().getTilesPerIPU(), io = static_cast<unsigned>(ioTiles);
  if (io >= all)
    throw error(base::str("numIOTiles is ", io, ", but an IPU of this device has ", all,
                          " tiles: none would be left to compute."));
  const bool compute = which == Tiles::Compute;
  return root.createVirtualGraph(
      gcl::perIPUTiles(root, compute ? io : 0, compute ? all - io : io, true));
}

struct HostOverlap {
  using Sequence = poplar::program::Sequence;
  bool on = false;
  Sequence load, takeIn;   // host to I/O tiles; from there to the tiles that compute
  Sequence handOut, store; // results that lie on the I/O tiles, aside; these to the host

  // `count` times the body, which takes its inputs when it begins and leaves its results on I/O
  // tiles.
  poplar::program::Program loop(std::int64_t count, const Sequence &body) const {
    if (count == 1)
      return Sequence{load, takeIn, body, handOut, store};
    const auto beside = [&](const Sequence &transfers) {
      return Sequence{takeIn, openipu::together({transfers, body}, "overlappedIO"), handOut};
    };
    Sequence all{load, beside(load)};
    if (count > 2)
      all.add(
          poplar::program::Repeat(static_cast<unsigned>(count - 2), beside(Sequence{load, store})));
    all.add(beside(store));
    all.add(store);
    return all;
  }
};

// The way of an anchor to the host, straight from where it is or over I/O tiles.
struct Outlet {
  using Copy = poplar::program::Copy;
  using Sequence = poplar::program::Sequence;
  poplar::DataStream stream;
  poplar::Tensor landing; // not valid: straight

  Sequence of(const poplar::Tensor &t) const {
    if (!landing.valid())
      return Sequence{Copy(t, stream)};
    return Sequence{Copy(t, landing, false, "ioTileCopy"), Copy(landing, stream)};
  }
  // What is done at once if the host need not have it at once; `aside` is like `landing`.
  Sequence early(const poplar::Tensor &t, const poplar::Tensor &aside, HostOverlap &overlap) const {
    overlap.handOut.add(Copy(landing, aside));
    overlap.store.add(Copy(aside, stream));
    return Sequence{Copy(t, landing, false, "ioTileCopy")};
  }
};

} // namespace popart::lowering
