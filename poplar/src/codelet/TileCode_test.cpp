// SPDX-License-Identifier: MIT
// Loops whose tile code is known by hand. `paired` is for Mk2, `plain` for GC2, whose compiler
// issued one instruction a bundle.
#include "codelet/TestVertex.hpp"

using namespace poplar;
using namespace poplar::codelet;
using namespace poplar::codelet::test;

namespace {

const std::string loops = prologue() + R"(
#include <ipu_intrinsics>
#include <cmath>
typedef Vector<float, VectorLayout::ONE_PTR, 8> Floats;
typedef Vector<half, VectorLayout::ONE_PTR, 8> Halves;
typedef Vector<int, VectorLayout::ONE_PTR, 8> Ints;
#define VERTEX(name, fields, ...) \
  class name : public Vertex { public: fields unsigned n; bool compute() { __VA_ARGS__ return true; } };
#define FLOATS InOut<Floats> a; Input<Floats> b, c; float s;
#define HALVES InOut<Halves> a; Input<Halves> b, c; half s;
#define INTS InOut<Ints> a; Input<Ints> b, c; int s;
#define VECTORS(type) auto x = reinterpret_cast<type *>(&a[0]); auto y = reinterpret_cast<const type *>(&b[0]); \
  auto z = reinterpret_cast<const type *>(&c[0]); (void)x; (void)y; (void)z;
#define LOOP for (unsigned i = 0; i < n; ++i)
VERTEX(Copy, FLOATS, LOOP a[i] = b[i];)
VERTEX(Axpy, FLOATS, LOOP a[i] += s * b[i];)
VERTEX(Axpy2, FLOATS, VECTORS(float2) LOOP x[i] += s * y[i];)
VERTEX(Axpy4f, FLOATS, VECTORS(float4) LOOP x[i] += s * y[i];)
VERTEX(Axpy4, HALVES, VECTORS(half4) const half4 w = {s, s, s, s}; LOOP x[i] += w * y[i];)
VERTEX(AxpyHalf, HALVES, LOOP a[i] += s * b[i];)
VERTEX(Dot, FLOATS, float sum = 0; LOOP sum += b[i] * c[i]; a[0] = sum;)
VERTEX(Dot2, FLOATS, VECTORS(float2) float2 sum = {0, 0}; LOOP sum += y[i] * z[i]; x[0] = sum;)
VERTEX(Stencil, FLOATS, LOOP a[i] = s * (b[i] + b[i + 1] + b[i + 2]);)
VERTEX(Stencil2, FLOATS, VECTORS(float2) LOOP x[i] = s * (y[i] + y[i + 1] + y[i + 2]);)
VERTEX(Stencil4, HALVES, VECTORS(half4) const half4 w = {s, s, s, s}; LOOP x[i] = w * (y[i] + y[i + 1] + y[i + 2]);)
VERTEX(IntAdd, INTS, LOOP a[i] = b[i] + c[i];)
VERTEX(IntMask, INTS, LOOP a[i] = (b[i] & 0xf0f) ^ c[i];)
VERTEX(Index, INTS, LOOP a[i] = i;)
VERTEX(Gather, FLOATS Input<Ints> j;, LOOP a[i] = b[j[i]];)
VERTEX(Divide, FLOATS, LOOP a[i] = b[i] / c[i];)
VERTEX(Sqrt, FLOATS, LOOP a[i] = std::sqrt(b[i]);)
VERTEX(Exp, FLOATS, LOOP a[i] = std::exp(b[i]);)
VERTEX(Convert, FLOATS Input<Ints> j;, LOOP a[i] = j[i];)
VERTEX(Widen, FLOATS Input<Halves> h;, LOOP a[i] = h[i];)
VERTEX(ScalarInput, FLOATS Input<float> w;, LOOP a[i] = *w * b[i];)
VERTEX(ScalarOutput, FLOATS Output<float> w; InOut<float> k;, LOOP { *w += b[i]; *k -= c[i]; })
VERTEX(Relu, FLOATS, LOOP a[i] = a[i] > 0 ? a[i] : 0;)
VERTEX(Max2, FLOATS, VECTORS(float2) LOOP x[i] = ipu::max(y[i], z[i]);)
VERTEX(Fma4, HALVES, VECTORS(half4) LOOP x[i] = ipu::fma(y[i], z[i], x[i]);)
VERTEX(Exp4, HALVES, VECTORS(half4) LOOP x[i] = half4_exp(y[i]);)
VERTEX(Min2, FLOATS, VECTORS(float2) LOOP x[i] = __builtin_ipu_min(y[i], z[i]);)
VERTEX(AbsAdd4, HALVES, VECTORS(half4) LOOP x[i] = __builtin_ipu_absadd(y[i], z[i]);)
VERTEX(Sigm, FLOATS, LOOP a[i] = __builtin_ipu_sigm(b[i]);)
VERTEX(Shuffle, INTS, LOOP a[i] = __builtin_ipu_shuf8x8lo(b[i], c[i]);)
VERTEX(Random, INTS, LOOP a[i] = __builtin_ipu_urand32();)
VERTEX(Lanes, FLOATS, VECTORS(float2) LOOP { float2 t = y[i]; t.x += t.y; x[i] = t; })
VERTEX(Packed, FLOATS, auto packed = __builtin_ipu_tapack(&b[0], &c[0], &a[0]); float2 sum = {0, 0};
  LOOP { auto two = ipu::ld2xst64pace(packed, sum); sum = two.first + two.second; })
VERTEX(Strided, FLOATS unsigned stride;, LOOP a[i] = b[i * stride];)
__attribute__((noinline)) float twice(float x) { return x + x; }
VERTEX(Call, FLOATS, LOOP a[i] = twice(b[i]);)
)";

struct Cost {
  double paired, plain;
};

class Loop {
public:
  explicit Loop(const std::string &type) : type_(type) {}
  double perTrip(Bench &bench) {
    const auto few = count(bench, 100), many = count(bench, 300);
    return double(many - few) / 200;
  }

private:
  std::uint64_t count(Bench &bench, unsigned n) {
    std::vector<float> a(4096), b(4096, 1.5f), c(4096, 0.5f);
    std::vector<int> j(4096, 3);
    float w = 2, k = 0;
    VertexStorage v(bench.type(type_));
    v.vector("a", a);
    v.vector("b", b);
    v.vector("c", c);
    for (const auto &f : bench.type(type_).fields) {
      if (f.name == "j" || f.name == "h")
        v.vector(f.name, j);
      if (f.name == "w")
        v.scalar("w", w);
      if (f.name == "k")
        v.scalar("k", k);
      if (f.name == "stride")
        v.plain<unsigned>("stride", 2);
    }
    v.plain<unsigned>("n", n);
    return bench.count(type_, v);
  }
  std::string type_;
};

void expectCost(const std::string &type, Cost expected) {
  static Bench mk2(loops), gc2(loops, {}, "ipu1");
  EXPECT_EQ(Loop(type).perTrip(mk2), expected.paired) << type << " on Mk2";
  EXPECT_EQ(Loop(type).perTrip(gc2), expected.plain) << type << " on GC2";
}

// Beside what is named, every loop has an index step and a branch that counts down.

TEST(TileCode, OfCopies) {
  expectCost("Copy", {4, 4}); // load, store
}

TEST(TileCode, OfAxpyIsTheSameForAllTypesOf64Bits) {
  expectCost("Axpy", {5, 7}); // two loads, multiply, add, store
  expectCost("Axpy2", {5, 7});
  expectCost("Axpy4", {5, 7});
}

TEST(TileCode, OfFloat4IsTwoOfFloat2) {
  expectCost("Axpy4f", {9, 12}); // loads and stores fill the main slot: 4 + 2 + 2; one waits
}

TEST(TileCode, OfSingleHalvesReadsMergesAndWritesWords) {
  expectCost("AxpyHalf", {6, 9}); // two loads, multiply, add, load, merge, store
}

TEST(TileCode, OfDotProducts) {
  expectCost("Dot", {4, 6}); // two loads, multiply, add
  expectCost("Dot2", {4, 6});
}

TEST(TileCode, OfAThreePointStencil) {
  expectCost("Stencil", {7, 9}); // three loads, two adds, multiply, store
  expectCost("Stencil2", {7, 9});
  expectCost("Stencil4", {7, 9});
}

TEST(TileCode, OfIntegerLoops) {
  expectCost("IntAdd", {6, 6});  // two loads, add, store
  expectCost("IntMask", {7, 7}); // and a second operation
  expectCost("Index", {4, 4});   // store, and the index as a number
}

TEST(TileCode, OfAGatherScalesTheIndex) {
  expectCost("Gather", {6, 6}); // load index, shift, load, store
}

TEST(TileCode, OfDivisionRootAndExponential) {
  expectCost("Divide", {7, 7}); // two loads, 2, store
  expectCost("Sqrt", {8, 8});   // load, 4, store
  expectCost("Exp", {6, 6});    // load, 2, store
}

TEST(TileCode, OfFunctionsOnVectors) {
  expectCost("Max2", {5, 6}); // two loads, 1, store
  expectCost("Fma4", {8, 8}); // three loads, 2, store
  expectCost("Exp4", {6, 6}); // load, 2, store
}

TEST(TileCode, OfBuiltinsIsTheirInstructions) {
  expectCost("Min2", {5, 6}); // two loads, 1, store
  expectCost("AbsAdd4", {5, 6});
  expectCost("Sigm", {9, 9});    // load, 5, store
  expectCost("Shuffle", {6, 6}); // two loads, 1 beside none of them, store
  expectCost("Random", {3, 4});  // 1, store
  expectCost("Lanes", {5, 6});   // g++ loads both lanes by themselves; add, one store
  expectCost("Packed", {2, 3});  // loads and store at once, add; no address is left to advance
}

TEST(TileCode, OfConversions) {
  expectCost("Convert", {5, 6}); // load, convert, move, store
  expectCost("Widen", {5, 6});   // load, convert, store; two steps
}

TEST(TileCode, LoadsScalarInputsOnce) {
  expectCost("ScalarInput", {4, 5}); // load, multiply, store
}

TEST(TileCode, KeepsScalarOutputsInRegisters) {
  expectCost("ScalarOutput", {4, 6}); // two loads, two adds
}

TEST(TileCode, OfAChoiceBetweenFloats) {
  expectCost("Relu", {5, 6}); // load, compare, choose, store
}

TEST(TileCode, OfTwoStepsAddsTwice) {
  expectCost("Strided", {5, 5}); // load, store
}

TEST(TileCode, OfACall) {
  expectCost("Call", {9, 9}); // load, call 4, add, store
}

// Decisions: what is compared, and how.
const std::string decisions = prologue() + R"(
class Zero : public Vertex { public: Input<Vector<int>> x; Output<int> y;
  bool compute() { int k = 0; for (unsigned i = 0; i < x.size(); ++i) if (x[i] == 0) k = k * 5 + 1; *y = k; return true; } };
class Less : public Vertex { public: Input<Vector<int>> x; Output<int> y;
  bool compute() { int k = 0; for (unsigned i = 0; i < x.size(); ++i) if (x[i] < 7) k = k * 5 + 1; *y = k; return true; } };
class Rows : public Vertex { public: Vector<Input<Vector<int>>> x; Output<int> y;
  bool compute() { int k = 0; for (unsigned r = 0; r < x.size(); ++r) for (unsigned i = 0; i < x[r].size(); ++i) k += x[r][i]; *y = k; return true; } };
class While : public Vertex { public: InOut<Vector<int>> x; Output<int> y;
  bool compute() { int k = 0; for (unsigned i = 0; x[i] != 0; ++i) k += x[i]; *y = k; return true; } };
class Scalar : public Vertex { public: Input<Vector<int>> x; Input<int> n; Output<int> y;
  bool compute() { int k = 1; for (int i = 0; i < *n; ++i) k = k * 3 ^ i; *y = k; return true; } };
class Field : public Vertex { public: Input<Vector<int>> x; Output<int> y; int n;
  bool compute() { int k = 1; for (int i = 0; i < n; ++i) k = k * 3 ^ i; *y = k; return true; } };
class Select : public Vertex { public: Input<Vector<int>> x; Output<int> y;
  bool compute() { int k = 0; for (unsigned i = 0; i < x.size(); ++i) k = x[i] > k ? x[i] : k; *y = k; return true; } };
)";

std::uint64_t countOf(Bench &bench, const std::string &type, std::vector<int> x) {
  int y = 0;
  VertexStorage v(bench.type(type));
  v.vector("x", x);
  v.scalar("y", y);
  return bench.count(type, v);
}

TEST(TileCode, OfComparesWithZeroIsTheBranchAlone) {
  Bench bench(decisions);
  const std::vector<int> none(100, 9);
  // Load, compare, branch; index step and branch of the loop.
  EXPECT_EQ(countOf(bench, "Less", none) - countOf(bench, "Less", {9}), 99 * 5u);
  EXPECT_EQ(countOf(bench, "Zero", none) - countOf(bench, "Zero", {9}), 99 * 4u);
}

TEST(TileCode, OfMaximaIsCompareAndSelect) {
  Bench bench(decisions);
  const std::vector<int> x(100, 9);
  EXPECT_EQ(countOf(bench, "Select", x) - countOf(bench, "Select", {9}), 99 * 5u);
}

TEST(DataPaths, AreThoseThatDataDecides) {
  Bench bench(decisions);
  const auto depends = [&](const char *type) { return bench.type(type).dependsOnData; };
  EXPECT_TRUE(depends("Zero"));
  EXPECT_TRUE(depends("While"));
  EXPECT_TRUE(depends("Scalar"));
  EXPECT_FALSE(depends("Field"));
  EXPECT_FALSE(depends("Rows"));
  EXPECT_FALSE(depends("Select"));
}

TEST(TileCode, IsTheSameWhateverTheUsersOptimisation) {
  Bench plain(loops), none(loops, "-O0 -g"), most(loops, "-O3 -funroll-loops");
  for (const char *type : {"Axpy", "Axpy4", "Dot2", "Stencil", "Gather", "Divide"}) {
    EXPECT_EQ(Loop(type).perTrip(none), Loop(type).perTrip(plain)) << type;
    EXPECT_EQ(Loop(type).perTrip(most), Loop(type).perTrip(plain)) << type;
  }
}

} // namespace
