// SPDX-License-Identifier: MIT
// Counting: the results of counted code are those of fast code, bit by bit, and counts follow the
// published loops.
#include "arch/Instructions.hpp"
#include "codelet/Count.hpp"
#include "codelet/TestVertex.hpp"
#include <cmath>

using namespace poplar;
using namespace poplar::codelet;
using namespace poplar::codelet::test;

namespace {

const std::string loops = prologue() + R"(
#include <ipudef.h>
#include <cmath>
class Triad : public Vertex { public: Output<Vector<float, VectorLayout::ONE_PTR>> a; Input<Vector<float, VectorLayout::ONE_PTR>> b, c; float s; unsigned n;
  bool compute() { for (unsigned i = 0; i < n; ++i) a[i] = b[i] + s * c[i]; return true; } };
class Triad2 : public Vertex { public: Output<Vector<float, VectorLayout::ONE_PTR, 8>> a; Input<Vector<float, VectorLayout::ONE_PTR, 8>> b, c; float s; unsigned n;
  bool compute() { auto x = reinterpret_cast<float2 *>(&a[0]); auto y = reinterpret_cast<const float2 *>(&b[0]); auto z = reinterpret_cast<const float2 *>(&c[0]);
    for (unsigned i = 0; i < n / 2; ++i) x[i] = y[i] + s * z[i]; return true; } };
class TriadHalf : public Vertex { public: Output<Vector<half, VectorLayout::ONE_PTR>> a; Input<Vector<half, VectorLayout::ONE_PTR>> b, c; half s; unsigned n;
  bool compute() { for (unsigned i = 0; i < n; ++i) a[i] = b[i] + s * c[i]; return true; } };
class Mixed : public Vertex { public: Input<Vector<float>> in; Output<Vector<float>> out; Output<int> k;
  bool compute() {
    int hits = 0; float acc = 0;
    for (unsigned i = 0; i < in.size(); ++i) {
      float x = in[i];
      if (x > 0.25f) { acc += std::sqrt(x) / (1.f + x); ++hits; } else acc -= std::exp(x) * 0.125f;
      out[i] = acc * std::sin(x) + float(hits % 7);
    }
    *k = hits; return hits > 0; } };
class Copy : public Vertex { public: Input<Vector<float>> in; Output<Vector<float>> out;
  void compute() { __builtin_memcpy(&out[0], &in[0], in.size() * 4); } };
)";

struct Arrays {
  std::vector<float> a, b, c;
  explicit Arrays(std::size_t n) : a(n), b(n), c(n) {
    for (std::size_t i = 0; i < n; ++i)
      b[i] = std::sin(float(i)) * 3, c[i] = std::cos(float(i * i % 97));
  }
};

TEST(Counting, GivesTheSameBitsAsFastCode) {
  Bench bench(loops);
  Arrays data(1000);
  std::vector<float> fast(1000), counted(1000);
  int hitsFast = 0, hitsCounted = 0;
  VertexStorage v(bench.type("Mixed"));
  v.vector("in", data.b);
  v.vector("out", fast);
  v.scalar("k", hitsFast);
  bench.run("Mixed", v);
  v.vector("out", counted);
  v.scalar("k", hitsCounted);
  bench.count("Mixed", v);
  EXPECT_EQ(std::memcmp(fast.data(), counted.data(), 4000), 0);
  EXPECT_EQ(hitsFast, hitsCounted);
  EXPECT_GT(hitsFast, 0);
}

TEST(Counting, IsTheSameOnEveryRunAndFollowsTheData) {
  Bench bench(loops);
  Arrays data(1000);
  int k;
  VertexStorage v(bench.type("Mixed"));
  v.vector("in", data.b);
  v.vector("out", data.a);
  v.scalar("k", k);
  const auto first = bench.count("Mixed", v);
  EXPECT_EQ(bench.count("Mixed", v), first);
  std::vector<float> half(data.b.begin(), data.b.begin() + 500);
  v.vector("in", half);
  EXPECT_LT(bench.count("Mixed", v), first);
}

TEST(Counting, ChargesLibraryFunctionsByName) {
  Bench bench(
      prologue() +
      "#include <cmath>\nclass E : public Vertex { public: InOut<float> x; void compute() { *x = "
      "std::exp(*x); } };\n"
      "class I : public Vertex { public: InOut<float> x; void compute() { *x = *x + 1; } };");
  float x = 1;
  VertexStorage e(bench.type("E")), i(bench.type("I"));
  e.scalar("x", x);
  i.scalar("x", x);
  double exp = 0;
  ASSERT_TRUE(arch::libraryBundles("expf", exp));
  EXPECT_EQ(bench.count("E", e), bench.count("I", i) - 1 + std::uint64_t(exp)) << "for the sum";
}

TEST(Counting, ChargesMemcpyByItsLength) {
  Bench bench(loops);
  std::vector<float> in(4096), out(4096);
  VertexStorage v(bench.type("Copy"));
  v.vector("in", in);
  v.vector("out", out);
  const auto bundles = double(bench.count("Copy", v));
  EXPECT_NEAR(bundles,
              2048 * (arch::bundlesPer(arch::Instruction::Load) +
                      arch::bundlesPer(arch::Instruction::Store)),
              40);
}

TEST(Counting, OfAMultiVertexReportsTheSlowestWorkerAndTheSum) {
  Bench bench(
      prologue() +
      "class M : public MultiVertex { public: InOut<Vector<float>> x; void compute(unsigned w) {"
      " for (unsigned i = w; i < x.size(); i += numWorkers()) x[i] += 1.f; } };");
  std::vector<float> x(61);
  VertexStorage v(bench.type("M"));
  v.vector("x", x);
  std::uint64_t sum = 0;
  const auto longest = bench.count("M", v, &sum);
  EXPECT_GT(sum, 5 * longest);
  EXPECT_LT(sum, 6 * longest);
  EXPECT_EQ(x, std::vector<float>(61, 1.0f));
}

TEST(Counting, IsNeverZero) {
  Bench bench(prologue() + "class Empty : public Vertex { public: void compute() {} };");
  VertexStorage v(bench.type("Empty"));
  EXPECT_GE(bench.count("Empty", v), 1u);
}

// The thunk owns a callee-saved register; a caller that keeps a value there must find it again,
// also after a throw.
TEST(Counting, KeepsTheCallersRegisters) {
  Bench bench(prologue() + "#include <cassert>\nstatic int state = [] { return 3; }();\n"
                           "class T : public Vertex { public: InOut<int> x; void compute() { "
                           "assert(*x > 0); *x += state; } };");
  int x = 1;
  VertexStorage v(bench.type("T"));
  v.scalar("x", x);
  void *vertex = v.address();
  const auto run = bench.loaded.entry(typeIndex(*bench.module, "T"), Variant::Counted).runCounted;
  std::uint64_t bundles, sums;
  for (const int start : {1, -1}) {
    x = start;
    register std::uint64_t kept asm("r15") = 0x1234567887654321;
    asm volatile("" : "+r"(kept));
    bool thrown = false;
    try {
      run(&vertex, 1, &bundles, &sums);
    } catch (const TrapError &) {
      thrown = true;
    }
    asm volatile("" : "+r"(kept));
    const std::uint64_t found = kept;
    EXPECT_EQ(found, 0x1234567887654321u);
    EXPECT_EQ(thrown, start < 0);
  }
}

TEST(CountAssembly, SumsTheCodeOfCalledFunctions) {
  const auto counted = countAssembly(
      "\t.text\n\t.type\tf, @function\nf:\n\tcall\tg\n\tret\n\t.type\tg, @function\ng:\n"
      "\tandl\t$1, %eax\n\txorl\t$2, %eax\n\tret\n",
      arch::Pairing::Scheduled);
  EXPECT_EQ(counted.code.at("g").bytes, 8u);
  EXPECT_EQ(counted.code.at("f").bytes, 12u);
  EXPECT_NE(counted.text.find("(%r15), %r15"), std::string::npos);
}

} // namespace
