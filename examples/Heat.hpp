// SPDX-License-Identifier: MIT
// Heat flow on a square grid, for the stencil example and the demo: blocks of the grid on the tiles
// of a graph, one vertex per worker, two copies of the grid that take turns; and the same as a
// plain loop.
#pragma once
#include <algorithm>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <string>
#include <vector>

struct HeatGrid {
  std::size_t tileRows, tileColumns; // tiles are laid over the grid as this many rows and columns
  std::size_t block;                 // a tile owns block x block points
  float alpha;
  std::size_t rows() const { return tileRows * block + 2; } // the outermost points stay fixed
  std::size_t columns() const { return tileColumns * block + 2; }

  std::vector<float> start() const {
    std::vector<float> grid(rows() * columns(), 0.0f);
    for (std::size_t c = 0; c < columns(); ++c)
      grid[c] = 100; // one hot edge
    for (std::size_t i = 0; i < grid.size(); i += 97)
      grid[i] += static_cast<float>(i % 31);
    return grid;
  }
};

inline void heatLoop(const HeatGrid &g, std::vector<float> &grid, unsigned steps) {
  std::vector<float> next = grid;
  const std::size_t w = g.columns();
  for (unsigned s = 0; s < steps; ++s, grid.swap(next))
    for (std::size_t r = 1; r + 1 < g.rows(); ++r)
      for (std::size_t i = r * w + 1; i + 1 < (r + 1) * w; ++i) {
        const float around = grid[i - w] + grid[i + w] + grid[i - 1] + grid[i + 1];
        next[i] = grid[i] + g.alpha * (around - 4 * grid[i]);
      }
}

// The tile that owns a point. Border points belong to the block they touch.
inline void mapGrid(poplar::Graph &graph, const poplar::Tensor &t, const HeatGrid &g) {
  for (std::size_t ty = 0; ty < g.tileRows; ++ty)
    for (std::size_t tx = 0; tx < g.tileColumns; ++tx) {
      const std::size_t top = ty == 0 ? 0 : ty * g.block + 1;
      const std::size_t left = tx == 0 ? 0 : tx * g.block + 1;
      const std::size_t bottom = (ty + 1) * g.block + (ty + 1 == g.tileRows ? 2 : 1);
      const std::size_t right = (tx + 1) * g.block + (tx + 1 == g.tileColumns ? 2 : 1);
      graph.setTileMapping(t.slice({top, left}, {bottom, right}),
                           static_cast<unsigned>(ty * g.tileColumns + tx));
    }
}

inline std::vector<poplar::Tensor> rowsOf(const poplar::Tensor &t) {
  std::vector<poplar::Tensor> rows;
  for (std::size_t r = 0; r < t.dim(0); ++r)
    rows.push_back(t[r]);
  return rows;
}

// One step from `from` to `to`: each worker of a tile takes some rows of the tile's block.
inline poplar::program::Program heatStep(poplar::Graph &graph, const HeatGrid &g,
                                         const poplar::Tensor &from, const poplar::Tensor &to,
                                         const std::string &name) {
  poplar::ComputeSet cs = graph.addComputeSet(name);
  const std::size_t share =
      (g.block - 1) / std::min<std::size_t>(g.block, graph.getTarget().getNumWorkerContexts()) + 1;
  for (std::size_t ty = 0; ty < g.tileRows; ++ty)
    for (std::size_t tx = 0; tx < g.tileColumns; ++tx)
      for (std::size_t first = 0; first < g.block; first += share) {
        const std::size_t top = ty * g.block + 1 + first, left = tx * g.block + 1;
        const std::size_t bottom = top + std::min(share, g.block - first), right = left + g.block;
        poplar::Tensor in = from.slice({top - 1, left - 1}, {bottom + 1, right + 1});
        poplar::Tensor out = to.slice({top, left}, {bottom, right});
        poplar::VertexRef v =
            graph.addVertex(cs, "HeatStep", {{"in", rowsOf(in)}, {"out", rowsOf(out)}});
        graph.setInitialValue(v["alpha"], g.alpha);
        graph.setTileMapping(v, static_cast<unsigned>(ty * g.tileColumns + tx));
      }
  return poplar::program::Execute(cs);
}
