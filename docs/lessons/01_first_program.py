# SPDX-License-Identifier: MIT
# %% [markdown]
# # Lesson 1: from the first variable to a profile
#
# After this lesson you can:
#
# - write a Poplar program: variables, tiles, operations, a host that reads results;
# - run it on a simulated IPU;
# - say how many cycles it took, and on what.
#
# You need C++ and an installed SDK (`source ~/openipu/enable.sh`). The lesson takes 15 minutes.
#
# ## A machine of 1,472 small computers
#
# An IPU is not a fast processor with a large memory. It is 1,472 *tiles*. Each tile is a computer of
# its own, with 624 KiB of memory and six threads. A tile reads and writes its own memory only. When
# it needs data of another tile, the data must be sent: that is *exchange*.
#
# So the first thing you tell the IPU about a variable is **where its elements live**.

# %%
import lesson

lesson.cpp(r"""
#include <algorithm>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

using namespace poplar;

int main() {
  // 1. Find an IPU that nobody uses, and attach to it.
  auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  auto free = std::find_if(ipus.begin(), ipus.end(), [](Device &ipu) { return ipu.attach(); });
  Device &ipu = *free;
  std::cout << ipu.getTarget().getNumTiles() << " tiles, "
            << ipu.getTarget().getBytesPerTile() / 1024 << " KiB each\n";

  // 2. Variables live in a graph. LINEAR spreads the elements evenly over the tiles.
  Graph graph(ipu.getTarget());
  popops::addCodelets(graph);
  Tensor x = graph.addVariable(FLOAT, {100000}, VariableMappingMethod::LINEAR, "x");
  graph.setInitialValue(x, 3.0f);

  // 3. A program is a list of steps. This one has a single step: square every element.
  program::Sequence program;
  Tensor y = popops::square(graph, x, program, "squares");
  graph.createHostRead("y", y);

  // 4. The engine compiles graph and program, loads them, and runs.
  Engine engine(graph, program);
  engine.load(ipu);
  engine.run();

  std::vector<float> result(100000);
  engine.readTensor("y", result.data(), result.data() + result.size());
  std::cout << "y[0] = " << result[0] << ", y[99999] = " << result[99999] << '\n';
}
""")

# %% [markdown]
# Nothing ran when we wrote `popops::square`. It only **added a step** to `program`. The engine
# compiled the step for every tile, and `engine.run()` ran it. This is the way of all Poplar programs:
# build a graph first, run it as often as you like.
#
# ## What did it cost?
#
# The simulated IPU counts the cycles that a real GC200 would spend. Ask for a profile, and open it
# with `pva`, the library that reads profiles. We now keep the program in a variable, and let the
# number of elements be an argument.

# %%
program = r"""
#include <algorithm>
#include <cstdlib>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <popops/ElementWise.hpp>
#include <popops/codelets.hpp>

using namespace poplar;

int main(int, char **arguments) {
  auto ipus = DeviceManager::createDeviceManager().getDevices(TargetType::IPU, 1);
  auto free = std::find_if(ipus.begin(), ipus.end(), [](Device &ipu) { return ipu.attach(); });
  Device &ipu = *free;
  Graph graph(ipu.getTarget());
  popops::addCodelets(graph);
  std::size_t n = std::atol(arguments[1]);
  Tensor x = graph.addVariable(FLOAT, {n}, VariableMappingMethod::LINEAR, "x");
  graph.setInitialValue(x, 3.0f);
  program::Sequence program;
  popops::square(graph, x, program, "squares");
  Engine engine(graph, program);
  engine.load(ipu);
  engine.run();
}
"""
lesson.cpp(program, "100000", **lesson.report("first"))
report = lesson.profile("first")
for step in report.execution.steps:
    print(f"{step.program.type.name:24} {step.program.name:12} {step.ipus[0].cycles:6} cycles")

# %% [markdown]
# One step ran on the tiles, and it took 212 cycles. A GC200 makes 1,330 million cycles in a second,
# so that is 0.16 microseconds. No exchange was needed: every tile squared the elements that it holds.
# Before a step begins, all tiles wait until the one before has ended everywhere. That is a *sync*.
# Compute, sync, exchange, and again: the field calls it *bulk synchronous*.
#
# ## More elements, more cycles?
#
# 1,472 tiles with six threads each square 8,832 numbers at a time. What happens with fewer, and with
# more? Let us try some sizes.

# %%
from matplotlib import pyplot


def cycles_of(n):
    lesson.cpp(program, str(n), **lesson.report(f"size{n}"))
    steps = lesson.profile(f"size{n}").execution.steps
    return sum(s.ipus[0].cycles for s in steps if s.program.name.startswith("squares"))


sizes = [100, 1000, 10000, 100000, 1000000]
cycles = [cycles_of(n) for n in sizes]
for n, c in zip(sizes, cycles):
    print(f"{n:8} elements: {c:5} cycles")
pyplot.figure(figsize=(6, 3.5))
pyplot.loglog(sizes, cycles, "o-")
pyplot.xlabel("elements")
pyplot.ylabel("cycles")
pyplot.title("Squaring numbers on one IPU")
pyplot.grid(True, alpha=0.3)
pyplot.show()

# %% [markdown]
# The curve is flat at first. With 100 elements most tiles have nothing to do, but the step still
# takes as long as its slowest tile. With 100,000 elements each tile has 68, and the cycles begin to
# grow. An IPU is fast when it has work for all its tiles.
#
# ## Exercises
#
# 1. A million floats take 824 cycles. How many elements does each of the 1,472 tiles have, and how
#    many cycles is that for one element? Which part of the 824 cycles was there with 100 elements,
#    too?

# %% solution
elements = 1000000 / 1472
print(f"{elements:.0f} elements on a tile, {824 / elements:.1f} cycles for each")

# %% [markdown]
# About 170 cycles are there with any number of elements: starting the workers, and ending them. The
# rest is about one cycle for each element. A tile has six workers that take turns, one instruction
# each cycle, and one instruction can load or store two floats.
#
# 2. Put all 10,000 elements on tile 0: use `graph.addVariable(FLOAT, {n}, "x")` without a mapping,
#    then `graph.setTileMapping(x, 0)`. How many cycles does the step take now?

# %% solution
linear = 'graph.addVariable(FLOAT, {n}, VariableMappingMethod::LINEAR, "x");'
assert linear in program
program = program.replace(linear, 'graph.addVariable(FLOAT, {n}, "x");\n  graph.setTileMapping(x, 0);')
print(f"10000 elements on one tile: {cycles_of(10000)} cycles")

# %% [markdown]
# ## What next
#
# [Lesson 2](02_codelets.md) writes the code that runs on a tile.
# [Read a profile](../howto/profiles.md) shows the same numbers in PopVision.
