// SPDX-License-Identifier: MIT
// Dense products on Bow and GC2: poplin::matMul, compiled; every cost is in its plan.
#include "arch/Chip.hpp"
#include "base/Text.hpp"
#include "Products.hpp"
#include "Row.hpp"
#include <algorithm>
#include <poplin/MatMul.hpp>

namespace calibration {

using base::str;
using namespace poplar;

double denseSeconds(const std::string &chip, const Type &type, const ProductShape &shape) {
  const auto device = deviceOf(chip);
  Graph graph(device.getTarget());
  const OptionFlags options{{"partialsType", type == HALF ? "half" : "float"}};
  const std::vector<std::size_t> a{shape.m, shape.k}, b{shape.k, shape.n};
  const auto left = poplin::createMatMulInputLHS(graph, type, a, b, "a", options),
             right = poplin::createMatMulInputRHS(graph, type, a, b, "b", options);
  program::Sequence program;
  poplin::matMul(graph, left, right, program, "product", options);
  return compiledCycles(graph, program) / graph.getTarget().getTileClockFrequency();
}

namespace {

double teraflops(const std::string &chip, const Type &type, const ProductShape &s) {
  return 2.0 * double(s.m) * double(s.k) * double(s.n) / denseSeconds(chip, type, s) / 1e12;
}

struct Point {
  std::size_t n;
  double published;
};

void add(Rows &rows, const char *id, const Type &type, std::size_t m,
         const std::vector<Point> &points) {
  for (const auto &[n, published] : points) {
    rows.push_back({str(id, " n=", n), type == HALF ? "products, half" : "products, float",
                    str(m, "x", m, " times ", m, "x", n, ", ", type, ", Bow"), published,
                    Unit::Teraflops, "PSP", [type, m, n = n] {
                      return Figure{teraflops("bow", type, {m, m, n}), ""};
                    }});
    if (64 * n <= m) // where it matters which operand is streamed (docs/timing.md)
      rows.back().setting("operand streamed");
  }
}

Figure bestOnGc2() {
  double best = 0;
  std::size_t at = 0;
  for (std::size_t n = 1024; n <= 3072; n += 512)
    if (const auto rate = teraflops("ipu1", FLOAT, {n, n, n}); rate > best) {
      best = rate;
      at = n;
    }
  return {best, str("n=", at, "; the published size is not known")};
}

} // namespace

void addProductRows(Rows &rows) {
  add(rows, "G1", HALF, 1024,
      {{4, 6.1}, {64, 45.8}, {256, 89.2}, {2048, 153}, {4096, 181}, {8192, 206}, {16384, 223}});
  add(rows, "G2", HALF, 2048,
      {{4, 13.0},
       {16, 44.5},
       {64, 82.5},
       {1024, 167},
       {2048, 200},
       {4096, 212},
       {8192, 229},
       {16384, 239}});
  add(rows, "G3", HALF, 4096, {{4, 18.4}, {16, 61.2}, {256, 175}, {1024, 208}, {2048, 223}});
  add(rows, "G4", HALF, 8192, {{4, 21.7}, {64, 157}, {256, 223}});
  add(rows, "G5", FLOAT, 1024,
      {{4, 3.8},
       {8, 6.6},
       {16, 11.3},
       {32, 16.3},
       {128, 29.2},
       {256, 34.3},
       {512, 36.3},
       {1024, 43.7},
       {4096, 55.6},
       {16384, 58.6}});
  add(rows, "G6", FLOAT, 2048,
      {{4, 5.8},
       {8, 10.3},
       {16, 18.2},
       {32, 26.2},
       {64, 34.3},
       {128, 39.4},
       {256, 44.8},
       {512, 49.9},
       {2048, 57.1},
       {4096, 58.7},
       {8192, 60.2}});
  add(rows, "G7", FLOAT, 4096,
      {{4, 7.2},
       {8, 12.5},
       {16, 22.3},
       {64, 41.4},
       {128, 48.6},
       {256, 52.7},
       {512, 54.1},
       {1024, 55.6},
       {2048, 57.1},
       {4096, 58.6}});
  add(rows, "G8", FLOAT, 8192,
      {{4, 7.7}, {8, 13.9}, {16, 25.0}, {32, 36.4}, {128, 49.9}, {256, 55.6}, {1024, 54.1}});
  rows.push_back(
      {"G12", "products, float", "FP32 peak loop at 1.85 GHz", 87.1, Unit::Teraflops, "CLI", [] {
         return Figure{arch::chipByName("bow").peakFloat() / 1e12, "matrix unit, every cycle"};
       }});
  rows.back().formula("a loop in assembly");
  rows.push_back({"G13", "products, float", "best square product, float, GC2", 18.9,
                  Unit::Teraflops, "JIA", bestOnGc2});
}

} // namespace calibration
