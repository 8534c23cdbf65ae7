# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 3: exchange and tile mapping made visible
#
# After this lesson you can:
#
# - map a tensor to tiles in several ways, and say what each costs;
# - split the cycles of a program into compute, exchange and sync;
# - draw how many bytes every tile sends and receives;
# - read from a picture why an exchange is slow.
#
# You need C++ and [lesson 2](02_codelets.md). The lesson takes 20 minutes.
#
# ## The same work, six mappings
#
# Our computation is as simple as can be: every tile doubles 64 floats. Tile 0 takes row 0 of the
# input, tile 1 takes row 1, and so on. The vertices never change. Only the **mapping of the input**
# changes, and with it the tiles that a row comes from.

# %%
import lesson
from matplotlib import pyplot

lesson.write("double.cpp", r"""
#include <poplar/Vertex.hpp>
#include <poplar/VectorTypes.hpp>

class Double : public poplar::MultiVertex {
public:
  poplar::Input<poplar::Vector<float, poplar::VectorLayout::SPAN, 8>> in;
  poplar::Output<poplar::Vector<float, poplar::VectorLayout::ONE_PTR, 8>> out;

  bool compute(unsigned worker) {
    const float2 *from = reinterpret_cast<const float2 *>(&in[0]);
    float2 *to = reinterpret_cast<float2 *>(&out[0]);
    for (unsigned i = worker; i < in.size() / 2; i += numWorkers())
      to[i] = from[i] + from[i];
    return true;
  }
};
""")

# %% [markdown]
# The host program places the input as its argument says:
#
# | mapping | where the input lies |
# | --- | --- |
# | `home` | row 5 is on tile 5, where it is used |
# | `neighbour` | row 4 is on tile 5, and row 5 on tile 4 |
# | `one tile` | everything is on tile 0 |
# | `interleaved` | element 0 is on tile 0, element 1 on tile 1: each row comes from 64 tiles |
# | `transpose` | a tile holds a piece of the transposed matrix, and the vertices read columns |
# | `broadcast` | there is only one row, on tile 0, and all tiles read it |

# %%
program = r"""
#include <iostream>
#include <numeric>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

using namespace poplar;

int main(int, char **arguments) {
  const std::string mapping = arguments[1];
  auto devices = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  Device &ipu = devices.front();
  ipu.attach();
  Graph graph(ipu.getTarget());
  graph.addCodelets("double.cpp");
  const std::size_t tiles = 1472, share = 64, n = tiles * share;

  Tensor stored, in; // what lies in memory, and how the vertices look at it: a row for each tile
  if (mapping == "broadcast") {
    stored = graph.addVariable(FLOAT, {1, share}, "stored");
    graph.setTileMapping(stored, 0);
    in = stored.broadcast(tiles, 0);
  } else {
    stored = graph.addVariable(FLOAT, {tiles, share}, "stored");
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t row = i / share;
      graph.setTileMapping(stored.flatten().slice(i, i + 1), mapping == "one tile"      ? 0
                                                             : mapping == "neighbour"   ? row ^ 1
                                                             : mapping == "interleaved" ? i % tiles
                                                                                        : row);
    }
    in = mapping == "transpose" ? stored.reshape({share, tiles}).transpose() : stored;
  }
  Tensor out = graph.addVariable(FLOAT, {tiles, share}, "out");
  ComputeSet work = graph.addComputeSet("double");
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    VertexRef vertex = graph.addVertex(work, "Double", {{"in", in[tile]}, {"out", out[tile]}});
    graph.setTileMapping(vertex, tile);
    graph.setTileMapping(out[tile], tile);
  }
  graph.createHostWrite("stored", stored);
  graph.createHostRead("in", in);
  graph.createHostRead("out", out);

  Engine engine(graph, program::Execute(work));
  engine.load(ipu);
  std::vector<float> before(n), after(n);
  std::iota(before.begin(), before.end(), 0.0f);
  engine.writeTensor("stored", before.data(), before.data() + stored.numElements());
  engine.run();
  engine.readTensor("in", before.data(), before.data() + n);
  engine.readTensor("out", after.data(), after.data() + n);
  bool right = true;
  for (std::size_t i = 0; i < n; ++i)
    right = right && after[i] == 2 * before[i];
  std::cout << mapping << ": " << (right ? "right" : "wrong") << '\n';
}
"""


def build(source):
    lesson.write("program.cpp", source)
    lesson.run("g++ -std=c++17 -O1 program.cpp -o program -lpoplar")


build(program)

# %% [markdown]
# You never write an exchange yourself. Poplar compares where data lie with where vertices need them,
# and adds the exchanges. `transpose` and `broadcast` do not move data either: they are views.
#
# ## Cycles by kind
#
# In a profile each step has a type. `OnTileExecute` is compute, `DoExchange` is exchange, `Sync` is
# sync. Poplar may add steps of its own. One of them is `copy-in`: it puts the pieces that arrived
# from many tiles, and those that are there already, into the order that the vertex wants. It is
# compute, too, but we count it by itself.

# %%
mappings = ["home", "neighbour", "broadcast", "interleaved", "transpose", "one tile"]
kinds = ["compute", "copy-in", "exchange", "sync"]


def kind_of(step):
    if step.program.name.endswith("copy-in"):
        return "copy-in"
    return {"OnTileExecute": "compute", "DoExchange": "exchange", "Sync": "sync"}[step.program.type.name]


def cycles_by_kind(mapping):
    lesson.run(f"./program '{mapping}'", **lesson.report(mapping))
    cycles = dict.fromkeys(kinds, 0)
    for step in lesson.profile(mapping).execution.steps:
        cycles[kind_of(step)] += step.ipus[0].cycles
    return cycles


table = {mapping: cycles_by_kind(mapping) for mapping in mappings}
print()
print(f"{'':12}" + "".join(f"{kind:>10}" for kind in kinds) + f"{'total':>10}")
for mapping, cycles in table.items():
    print(f"{mapping:12}" + "".join(f"{cycles[kind]:10}" for kind in kinds) + f"{sum(cycles.values()):10}")

# %%
pyplot.figure(figsize=(6, 3.5))
left = [0] * len(mappings)
for kind in kinds:
    widths = [table[mapping][kind] for mapping in mappings]
    pyplot.barh(mappings, widths, left=left, label=kind)
    left = [a + b for a, b in zip(left, widths)]
pyplot.xlim(0, 3000)
for row, total in enumerate(left):
    if total > 3000:
        pyplot.text(2950, row, f"goes on to {total}", ha="right", va="center", color="white")
pyplot.gca().invert_yaxis()
pyplot.xlabel("cycles")
pyplot.legend(loc="upper right")
pyplot.title("One computation, six mappings of its input")
pyplot.show()

# %% [markdown]
# All mappings compute for 204 cycles. What they pay besides differs:
#
# - `home` pays nothing. Data that lie where they are used are free.
# - Every exchange needs a sync before it: 237 cycles.
# - `neighbour` exchanges for 84 cycles. All tiles send at the same time, each to one other.
# - `broadcast` takes 186 cycles. Tile 0 sends its row once, and all tiles listen.
# - `interleaved` takes 848 cycles, because each tile must listen to 64 others in turn. Then some
#   tiles sort what they got: `copy-in`, 1381 cycles.
# - `transpose` exchanges for 848 cycles, too. The model charges 18567 cycles for its `copy-in`.
#   Writing a view costs nothing, but reading through it does.
# - `one tile` exchanges for 50754 cycles, 249 times as long as the computation.
#
# ## Bytes of every tile
#
# An exchange ends when its busiest tile has sent and received everything. So look at the tiles. A
# program of type `DoExchange` knows the bytes of each. We draw the 1,472 tiles as a map of 32 rows
# and 46 columns, in the order of their numbers.


# %%
def exchange(mapping):
    return next(s.program for s in lesson.profile(mapping).execution.steps if s.program.type.name == "DoExchange")


def tile_map(axes, by_tile, title):
    rows = [by_tile[i:i + 46] for i in range(0, 1472, 46)]
    picture = axes.imshow(rows, cmap="viridis", vmin=0, aspect="auto")
    axes.set_title(title, fontsize=9)
    axes.set_xticks([])
    axes.set_yticks([])
    pyplot.colorbar(picture, ax=axes)


shown = ["broadcast", "interleaved", "one tile"]
figure, grid = pyplot.subplots(2, 3, figsize=(8, 3.8))
for column, mapping in enumerate(shown):
    sent, received = exchange(mapping).bytesSentByTile, exchange(mapping).bytesReceivedByTile
    tile_map(grid[0][column], sent, f"{mapping}: bytes sent")
    tile_map(grid[1][column], received, f"{mapping}: bytes received")
    print(f"{mapping:12} busiest sender {max(sent):6} bytes, busiest receiver {max(received):4} bytes, "
          f"in all {sum(received):6} bytes")
pyplot.suptitle("Bytes that each tile sends and receives", fontsize=10)
figure.tight_layout()
pyplot.show()

# %% [markdown]
# All three bring the same number of bytes to the tiles, 376576. The pictures show what differs:
#
# - `broadcast`: tile 0, at the top left, is the only sender. It sends 256 bytes, once for all.
# - `interleaved`: the maps are even, so no tile is the bottleneck. The number of senders is.
# - `one tile`: again there is a single sender, but it sends 376576 bytes. At 8 bytes in a cycle that
#   takes 47072 cycles, nearly all of the 50754. The other tiles wait.
#
# So read an exchange like this. **A bright spot** in a dark map is one busy tile: spread its data.
# **An even map** that is still slow has too many small pieces: keep together what is used together.
#
# ## Exercises
#
# 1. Which tiles run `copy-in` with the mapping `interleaved`? `step.cyclesByTile` knows. Why these?

# %% solution
step = next(s for s in lesson.profile("interleaved").execution.steps if kind_of(s) == "copy-in")
busy = [tile for tile, cycles in enumerate(step.cyclesByTile) if cycles]
own = [tile for tile in range(1472) if any((tile * 64 + i) % 1472 == tile for i in range(64))]
print(f"{len(busy)} tiles, the first are {busy[:5]}")
print("those that hold an element of their own row:", busy == own)

# %% [markdown]
# The other tiles get their whole row from the exchange, in order. These have one element already, and
# must put it between the ones that arrive.
#
# 2. The tiles of `neighbour` are pairs, side by side. Let each row come from the other half of the
#    chip: replace `row ^ 1` by `(row + 736) % tiles`. How many cycles does the exchange take?

# %% solution
assert "row ^ 1" in program
build(program.replace("row ^ 1", "(row + 736) % tiles"))
print(cycles_by_kind("neighbour"))

# %% [markdown]
# ## What next
#
# [Lesson 4](04_stencil.md) finds a bad mapping with PopVision, and mends it.
# [Timing](../timing.md) has the formulas behind the cycles of an exchange.
