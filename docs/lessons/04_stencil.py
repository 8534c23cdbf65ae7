# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 4: a stencil made five times faster, with PopVision
#
# After this lesson you can:
#
# - ask `popvision summary` and `popvision trace` where the cycles go;
# - read the answer: compute or exchange, balance, unused tiles;
# - improve a program step by step, and check that its results stay equal.
#
# You need C++ and [lesson 3](03_exchange.md). The lesson takes 25 minutes.
#
# ## Heat on a plate
#
# A plate is a grid of 552 x 384 points. In each time step a point moves towards the mean of its four
# neighbours. That is a *stencil*: a point needs the points around it, and nothing else. The points on
# the border keep their heat.
#
# The first codelet says just that. `in` has one row and one column more than `out` on every side.

# %%
import lesson
from matplotlib import pyplot

codelets = r"""
#include <poplar/Vertex.hpp>

using namespace poplar;

class Heat : public Vertex {
public:
  Vector<Input<Vector<float>>> in;
  Vector<Output<Vector<float>>> out;

  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r)
      for (unsigned c = 0; c < out[r].size(); ++c) {
        float around = in[r][c + 1] + in[r + 2][c + 1] + in[r + 1][c] + in[r + 1][c + 2];
        out[r][c] = in[r + 1][c + 1] + 0.2f * (around - 4 * in[r + 1][c + 1]);
      }
    return true;
  }
};
"""
lesson.write("heat.cpp", codelets)

# %% [markdown]
# The host program lays tiles over the grid, as rows and columns of equal blocks. Each block is cut
# again into pieces, one for each vertex. Its arguments are the class, the rows and columns of tiles,
# the rows and columns of pieces, and where the border lies. It makes four time steps. Then it does
# the same in a plain loop on the host, and says "equal" if no point differs by more than 0.0001.

# %%
lesson.write("program.cpp", r"""
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

using namespace poplar;
using namespace poplar::program;

const std::size_t height = 552, width = 384, steps = 4;
std::size_t tileRows, tileColumns, pieceRows, pieceColumns;

std::vector<Tensor> rowsOf(const Tensor &t) {
  std::vector<Tensor> rows;
  for (std::size_t r = 0; r < t.dim(0); ++r)
    rows.push_back(t[r]);
  return rows;
}

// Calls use(tile, top, left, bottom, right) for each piece of the grid.
template <typename Use> void forEachPiece(Use use) {
  const std::size_t rows = tileRows * pieceRows, columns = tileColumns * pieceColumns;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      use(r / pieceRows * tileColumns + c / pieceColumns, r * height / rows + 1, c * width / columns + 1,
          (r + 1) * height / rows + 1, (c + 1) * width / columns + 1);
}

void map(Graph &graph, const Tensor &grid, bool borderNear) {
  graph.setTileMapping(grid, 0); // the border, a small part
  forEachPiece([&](unsigned tile, std::size_t top, std::size_t left, std::size_t bottom, std::size_t right) {
    if (borderNear) { // with the block that it touches
      top -= top == 1, left -= left == 1;
      bottom += bottom == height + 1, right += right == width + 1;
    }
    graph.setTileMapping(grid.slice({top, left}, {bottom, right}), tile);
  });
}

Program step(Graph &graph, ComputeSet set, const std::string &name, const Tensor &from, const Tensor &to) {
  forEachPiece([&](unsigned tile, std::size_t top, std::size_t left, std::size_t bottom, std::size_t right) {
    Tensor in = from.slice({top - 1, left - 1}, {bottom + 1, right + 1});
    Tensor out = to.slice({top, left}, {bottom, right});
    VertexRef vertex = graph.addVertex(set, name, {{"in", rowsOf(in)}, {"out", rowsOf(out)}});
    graph.setTileMapping(vertex, tile);
  });
  return Execute(set);
}

bool equalToLoop(std::vector<float> grid, const std::vector<float> &got) {
  const std::size_t w = width + 2;
  std::vector<float> next = grid;
  for (std::size_t s = 0; s < steps; ++s, grid.swap(next))
    for (std::size_t r = 1; r <= height; ++r)
      for (std::size_t i = r * w + 1; i <= r * w + width; ++i)
        next[i] = grid[i] + 0.2f * (grid[i - w] + grid[i + w] + grid[i - 1] + grid[i + 1] - 4 * grid[i]);
  for (std::size_t i = 0; i < grid.size(); ++i)
    if (std::abs(grid[i] - got[i]) > 1e-4f)
      return false;
  return true;
}

int main(int, char **arguments) {
  tileRows = std::atoi(arguments[2]), tileColumns = std::atoi(arguments[3]);
  pieceRows = std::atoi(arguments[4]), pieceColumns = std::atoi(arguments[5]);
  auto devices = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  Device &ipu = devices.front();
  ipu.attach();
  Graph graph(ipu.getTarget());
  graph.addCodelets("heat.cpp");
  Tensor here = graph.addVariable(FLOAT, {height + 2, width + 2}, "here");
  map(graph, here, std::string(arguments[6]) == "near");
  Tensor next = graph.clone(here, "next");
  graph.createHostWrite("here", here);
  graph.createHostWrite("next", next);
  graph.createHostRead("here", here);

  // The two grids take turns.
  Sequence twoSteps({step(graph, graph.addComputeSet("there"), arguments[1], here, next),
                     step(graph, graph.addComputeSet("back"), arguments[1], next, here)});
  Engine engine(graph, Repeat(steps / 2, twoSteps));
  engine.load(ipu);
  std::vector<float> start(here.numElements()), got(start.size());
  for (std::size_t i = 0; i < start.size(); ++i)
    start[i] = i <= width + 2 ? 100 : i % 31; // one hot edge
  engine.writeTensor("here", start.data(), start.data() + start.size());
  engine.writeTensor("next", start.data(), start.data() + start.size());
  engine.run();
  engine.readTensor("here", got.data(), got.data() + got.size());
  std::cout << (equalToLoop(start, got) ? "equal" : "different") << '\n';
}
""")
lesson.run("g++ -std=c++17 -O1 program.cpp -o program -lpoplar")


# %% [markdown]
# Now a first version, and a small function that measures. The grid has 552 rows: one tile for each
# row, and one vertex on each tile. That looks natural.

# %%
history = {}


def measure(folder, name, tiles, pieces, border="tile0"):
    lesson.run(f"./program {name} {tiles[0]} {tiles[1]} {pieces[0]} {pieces[1]} {border}", **lesson.report(folder))
    steps = lesson.profile(folder).execution.steps
    history[folder] = sum(s.ipus[0].cycles for s in steps) // 4  # the mean of four time steps
    print(f"{history[folder]} cycles a time step, {history['rows'] / history[folder]:.1f} times faster than at first")


measure("rows", "Heat", tiles=(552, 1), pieces=(1, 1))

# %% [markdown]
# ## Look before you change
#
# Do not guess. `popvision summary` says where the cycles went, and what it would do about them. What
# it calls a step is a run of the program: here it has all four time steps.

# %%
lesson.run("popvision summary rows")

# %% [markdown]
# Read it from the top. 81.8 % of a step computes, so exchange is not the first thing to change.
# Two lines say why computing takes so long. Workers are busy for 16.7 % of the time: one vertex keeps
# one of six workers busy. And the compute sets run on 552 of 1,472 tiles.
#
# ## Step 1: six workers
#
# Cut every row into six pieces of 64 points, and give each to a vertex of its own.

# %%
measure("workers", "Heat", tiles=(552, 1), pieces=(1, 6))
lesson.run("popvision trace workers")

# %% [markdown]
# `popvision trace` lists the programs by cycles. `there` is the step from the first grid to the
# second, `back` is the next one, and each ran twice. Computing `there` took 50,964 cycles, and takes
# 8,844 now. The exchange before it is now larger, 9,222 cycles. Keep that in mind. First we use all
# tiles.
#
# ## Step 2: blocks on all tiles
#
# The grid has 552 rows, so 920 of our 1,472 tiles do nothing. Lay 46 x 32 tiles over the grid. Every
# tile gets a block of 12 x 12 points, and each of its six vertices two rows of the block.

# %%
measure("blocks", "Heat", tiles=(46, 32), pieces=(6, 1))
lesson.run("popvision trace blocks")

# %% [markdown]
# Computing fell from 8,844 to 3,732 cycles, with a balance of 100 %. But the exchange did not fall:
# it takes 9,658 cycles. Its balance is 3.8 %. A low balance says that most tiles wait for a few. For
# which?

# %%
exchange = next(s.program for s in lesson.profile("blocks").execution.steps if s.program.type.name == "DoExchange")
sent = exchange.bytesSentByTile
for tile in sorted(range(1472), key=lambda t: -sent[t])[:3]:
    print(f"tile {tile:4} sends {sent[tile]:5} bytes")

# %% [markdown]
# Tile 0 sends 7504 bytes, and no other tile more than 176. Look at `map` in the program: it puts the
# whole grid on tile 0, then it moves the blocks away. The border stays behind. It has 1,876 points, a
# small part of the grid, but a single tile has to send nearly all of them.
#
# ## Step 3: the border goes home
#
# Give each part of the border to the tile whose block it touches.

# %%
measure("border", "Heat", tiles=(46, 32), pieces=(6, 1), border="near")
lesson.run("popvision trace border")

# %% [markdown]
# The exchange fell from 9,658 to 490 cycles. What remains is compute: the steps themselves, and
# `copy-in`, which puts rows together from points of this tile and of its neighbours.
#
# ## Step 4: load less
#
# For each point our codelet loads five floats, and it looks up the rows again and again. But the
# middle of this point is the left of the next one. Keep them in variables, which become registers.
# Then three loads are enough.

# %%
codelets += r"""
class HeatWindow : public Vertex {
public:
  Vector<Input<Vector<float>>> in;
  Vector<Output<Vector<float>>> out;

  bool compute() {
    for (unsigned r = 0; r < out.size(); ++r) {
      const float *above = &in[r][1];
      const float *here = &in[r + 1][0];
      const float *below = &in[r + 2][1];
      float *to = &out[r][0];
      float left = here[0], middle = here[1];
      const unsigned n = out[r].size();
      for (unsigned c = 0; c < n; ++c) {
        const float right = here[c + 2];
        to[c] = middle + 0.2f * (above[c] + below[c] + left + right - 4 * middle);
        left = middle;
        middle = right;
      }
    }
    return true;
  }
};
"""
lesson.write("heat.cpp", codelets)
measure("window", "HeatWindow", tiles=(46, 32), pieces=(6, 1), border="near")
assert history["rows"] > 5 * history["window"]

# %%
pyplot.figure(figsize=(6, 3.5))
bars = pyplot.bar(list(history), list(history.values()), color="tab:blue")
pyplot.bar_label(bars)
pyplot.ylabel("cycles of a time step")
pyplot.title("Heat on 552 x 384 points")
pyplot.margins(y=0.12)
pyplot.show()

# %% [markdown]
# You made the stencil 9.6 times faster, and the results stayed equal after every step. The largest
# gains came from idle workers and from a border on the wrong tile. Better code gave the smallest one.
# Without a profile that is hard to guess.
#
# ## Exercises
#
# 1. Which steps does a time step of `window` consist of, and how many cycles has each?


# %% solution
def show(folder):
    steps = lesson.profile(folder).execution.steps
    for name, cycles in {s.program.name: s.ipus[0].cycles for s in steps}.items():
        if name.startswith("there"):
            print(f"{name:20} {cycles:5} cycles")


show("window")

# %% [markdown]
# 2. Blocks need not be square. Try 92 x 16 tiles, so that a block has 6 rows of 24 points. Is it
#    faster? What has changed?

# %% solution
measure("wide", "HeatWindow", tiles=(92, 16), pieces=(6, 1), border="near")
show("wide")

# %% [markdown]
# ## What next
#
# [Lesson 5](05_poptorch.md) leaves tiles to PopTorch. [It is slow](../howto/speed.md) has more
# advice, and [PopVision](../popvision.md) shows the same reports in a browser.
