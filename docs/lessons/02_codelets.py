# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 2: codelets and vectors
#
# After this lesson you can:
#
# - write a vertex class of your own, and connect its fields to tensors;
# - put vertices into a compute set, and on tiles;
# - say what a loop costs in cycles;
# - use all six workers, and load 64 bits at a time.
#
# You need C++ and [lesson 1](01_first_program.md). The lesson takes 20 minutes.
#
# ## A class that runs on a tile
#
# A *codelet* is a C++ class. It derives from `Vertex`, its fields are its operands, and `compute()`
# does the work. Here is y = a x + y, an operation that linear algebra calls *axpy*.

# %%
import lesson
from matplotlib import pyplot

codelets = r"""
#include <poplar/Vertex.hpp>
#include <poplar/VectorTypes.hpp>

using namespace poplar;

class Axpy : public Vertex {
public:
  float a;                   // not an edge: a value in the vertex
  Input<Vector<float>> x;    // read only
  InOut<Vector<float>> y;    // read and written

  bool compute() {
    for (unsigned i = 0; i < y.size(); ++i)
      y[i] += a * x[i];
    return true;
  }
};
"""
lesson.write("axpy.cpp", codelets)

# %% [markdown]
# There are three kinds of edge. `Input` is read, `Output` is written, and `InOut` is both.
# `Input<float>` is one element, and `Input<Vector<float>>` is many. A field without these words, such
# as `a`, lies in the vertex itself.
#
# ## Connect it, and place it
#
# The class is a pattern. A *vertex* is one instance, on one tile, with its fields connected to pieces
# of tensors. Vertices that run at the same time form a *compute set*. This program gives 240 elements
# to each of 1,472 tiles. Its arguments are the class, the type, and how many vertices share a tile.

# %%
lesson.write("program.cpp", r"""
#include <cstdlib>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

using namespace poplar;

int main(int, char **arguments) {
  const std::string name = arguments[1];
  const Type type = std::string(arguments[2]) == "half" ? HALF : FLOAT;
  const std::size_t perTile = std::atoi(arguments[3]), share = 240 / perTile;

  auto devices = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  Device &ipu = devices.front();
  ipu.attach();
  const std::size_t tiles = ipu.getTarget().getNumTiles();
  Graph graph(ipu.getTarget());
  graph.addCodelets("axpy.cpp"); // compiles the classes

  Tensor x = graph.addVariable(type, {tiles, perTile, share}, "x");
  Tensor y = graph.addVariable(type, {tiles, perTile, share}, "y");
  graph.setInitialValue(x, 3.0f);
  graph.setInitialValue(y, 1.0f);
  ComputeSet axpy = graph.addComputeSet("axpy");
  for (std::size_t tile = 0; tile < tiles; ++tile) {
    graph.setTileMapping(x[tile], tile);
    graph.setTileMapping(y[tile], tile);
    for (std::size_t i = 0; i < perTile; ++i) {
      VertexRef vertex = graph.addVertex(axpy, name, {{"x", x[tile][i]}, {"y", y[tile][i]}});
      graph.setInitialValue(vertex["a"], 2.0f);
      graph.setTileMapping(vertex, tile);
    }
  }
  graph.createHostRead("y", y);

  Engine engine(graph, program::Execute(axpy));
  engine.load(ipu);
  engine.run();

  std::vector<float> result(tiles * 240);
  if (type == HALF) {
    std::vector<char> halves(2 * result.size());
    engine.readTensor("y", halves.data(), halves.data() + halves.size());
    copyDeviceHalfToFloat(graph.getTarget(), halves.data(), result.data(), result.size());
  } else {
    engine.readTensor("y", result.data(), result.data() + result.size());
  }
  bool right = true;
  for (float value : result)
    right = right && value == 7.0f;
  std::cout << name << ": " << (right ? "right" : "wrong") << '\n';
}
""")
lesson.run("g++ -std=c++17 -O1 program.cpp -o program -lpoplar")


def cycles_of(name, kind="float", per_tile=1):
    folder = f"{name}{per_tile}"
    lesson.run(f"./program {name} {kind} {per_tile}", **lesson.report(folder))
    steps = lesson.profile(folder).execution.steps
    return sum(s.ipus[0].cycles for s in steps if s.program.type.name == "OnTileExecute")


one = cycles_of("Axpy")
print(one, "cycles")

# %% [markdown]
# A tile takes 7254 cycles for 240 elements, about 30 for each. Why so many? Look at one turn of the
# loop: load `x[i]`, load `y[i]` and multiply, add and advance, store, jump. That is five *bundles*. A
# bundle holds an instruction that moves data and one that calculates. A worker may issue one bundle
# every sixth cycle, so five bundles are 30 cycles.
#
# The model compiles your class, counts its bundles, and multiplies. It does not unroll loops.
#
# ## Six workers
#
# In the other five cycles the tile did nothing. It has six *workers*, threads that take turns. One
# vertex runs on one worker. Give the tile six vertices, each with 40 elements, and all have work.

# %%
six = cycles_of("Axpy", per_tile=6)
print(f"{six} cycles, {one / six:.1f} times faster")

# %% [markdown]
# Six vertices start one after the other, and each needs memory for its fields. A `MultiVertex` is one
# vertex that runs on all workers. Its `compute` is told which worker it is.

# %%
codelets += r"""
class AxpyWorkers : public MultiVertex {
public:
  float a;
  Input<Vector<float>> x;
  InOut<Vector<float>> y;

  bool compute(unsigned worker) {
    for (unsigned i = worker; i < y.size(); i += numWorkers())
      y[i] += a * x[i];
    return true;
  }
};
"""
lesson.write("axpy.cpp", codelets)
workers = cycles_of("AxpyWorkers")
print(f"{workers} cycles, {one / workers:.1f} times faster")


def field_bytes(folder):
    tile = lesson.profile(folder).compilation.tiles[0]
    return tile.memory.category.vertexInstanceState.total


print(f"fields on a tile: {field_bytes('Axpy6')} bytes in six vertices, {field_bytes('AxpyWorkers1')} in one")

# %% [markdown]
# Workers run at the same time, so no two of them may write the same element. Here worker 0 takes
# elements 0, 6, 12 and so on, worker 1 takes 1, 7, 13.
#
# ## 64 bits at a time
#
# A load moves up to 64 bits, and a float has 32. The type `float2` holds two floats: one load, one
# multiplication and one store serve both. With half precision, `half4` holds four.
#
# Two details of the fields make this work:
#
# - **Alignment.** The last argument of `Vector`, 8, asks for an address that is a multiple of 8
#   bytes.
# - **Layout.** `SPAN` stores a pointer and a size. `ONE_PTR` stores a pointer only. `x` is as long as
#   `y`, so one size is enough.

# %%
codelets += r"""
class AxpyFloat2 : public MultiVertex {
public:
  float a;
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> x; // has no size()
  InOut<Vector<float, VectorLayout::SPAN, 8>> y;

  bool compute(unsigned worker) {
    const float2 *from = reinterpret_cast<const float2 *>(&x[0]);
    float2 *to = reinterpret_cast<float2 *>(&y[0]);
    const unsigned pairs = y.size() / 2; // we know that the size is even
    for (unsigned i = worker; i < pairs; i += numWorkers())
      to[i] += a * from[i];
    return true;
  }
};

class AxpyHalf4 : public MultiVertex {
public:
  half a;
  Input<Vector<half, VectorLayout::ONE_PTR, 8>> x;
  InOut<Vector<half, VectorLayout::SPAN, 8>> y;

  bool compute(unsigned worker) {
    const half4 *from = reinterpret_cast<const half4 *>(&x[0]);
    half4 *to = reinterpret_cast<half4 *>(&y[0]);
    const half4 factor = {a, a, a, a};
    const unsigned fours = y.size() / 4;
    for (unsigned i = worker; i < fours; i += numWorkers())
      to[i] += factor * from[i];
    return true;
  }
};
"""
lesson.write("axpy.cpp", codelets)
float2 = cycles_of("AxpyFloat2")
half4 = cycles_of("AxpyHalf4", "half")
print(f"float2: {float2} cycles, {one / float2:.1f} times faster")
print(f"half4:  {half4} cycles, {one / half4:.1f} times faster")
print(f"fields with one size less: {field_bytes('AxpyFloat21')} bytes")

# %% [markdown]
# All versions side by side:

# %%
names = ["one vertex", "six vertices", "MultiVertex", "float2", "half4"]
cycles = [one, six, workers, float2, half4]
pyplot.figure(figsize=(6, 3.5))
bars = pyplot.bar(names, cycles, color="tab:blue")
pyplot.bar_label(bars)
pyplot.ylabel("cycles")
pyplot.title("y = a x + y, 240 elements on each tile")
pyplot.margins(y=0.12)
pyplot.show()

# %% [markdown]
# The loop is the same in all of them, five bundles a turn. What changed is how many turns a worker
# makes: 240, 40, 40, 20 and 10. The rest is the price of starting and of reading fields.
#
# ## Exercises
#
# 1. A tile has six workers. What happens with 5, 8 or 12 vertices on a tile? Guess first.

# %% solution
for count in (5, 6, 8, 12):
    print(count, "vertices:", cycles_of("Axpy", per_tile=count), "cycles")

# %% [markdown]
# Eight vertices need two rounds: six workers run, then two run and four wait. Use a multiple of six,
# and the fewest that you can.
#
# 2. Every turn also pays for the loop itself: it advances and jumps. Write `AxpyUnrolled`, in which a
#    turn handles two `float2`. How many cycles does it take?

# %% solution
codelets += r"""
class AxpyUnrolled : public MultiVertex {
public:
  float a;
  Input<Vector<float, VectorLayout::ONE_PTR, 8>> x;
  InOut<Vector<float, VectorLayout::SPAN, 8>> y;

  bool compute(unsigned worker) {
    const float2 *from = reinterpret_cast<const float2 *>(&x[0]);
    float2 *to = reinterpret_cast<float2 *>(&y[0]);
    const unsigned pairs = y.size() / 2; // a multiple of two here
    for (unsigned i = 2 * worker; i < pairs; i += 2 * numWorkers()) {
      const float2 first = to[i] + a * from[i], second = to[i + 1] + a * from[i + 1];
      to[i] = first;
      to[i + 1] = second;
    }
    return true;
  }
};
"""
lesson.write("axpy.cpp", codelets)
unrolled = cycles_of("AxpyUnrolled")
print(f"{unrolled} cycles, {float2 / unrolled:.2f} times faster than float2")

# %% [markdown]
# ## What next
#
# [Lesson 3](03_exchange.md) is about data that lie on another tile.
# [Write a codelet](../howto/codelets.md) shows how to find mistakes in one.
