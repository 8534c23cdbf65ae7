// SPDX-License-Identifier: MIT
// What codelets of public programs take for granted: clang's vector types and builtins, the Inputs
// of older SDKs, and what poplar/Vertex.hpp brings along.
#include "codelet/Dialect.hpp"
#include "codelet/TestVertex.hpp"
#include <numeric>

using namespace poplar;
using namespace poplar::codelet;
using namespace poplar::codelet::test;

namespace {

std::string refusal(const std::string &text) {
  try {
    compileText(text);
    return {};
  } catch (const CompileError &e) {
    return e.what();
  }
}

// y[i] = 2 x[i] + 1 in pairs; an element that is left alone stays 0.
template <class T> void expectPairs(Bench &bench, const std::string &type) {
  VertexStorage v(bench.type(type));
  std::vector<T> x(8), y(8);
  for (int i = 0; i < 8; ++i)
    x[std::size_t(i)] = T(i + 1);
  v.vector("x", x);
  v.vector("y", y);
  bench.run(type, v);
  for (int i = 0; i < 8; ++i)
    EXPECT_EQ(float(y[std::size_t(i)]), 2.0f * float(i + 1) + 1.0f) << type << " " << i;
}

const char *const pairs = R"(
template <class T, class V> struct Pairs : public Vertex {
  Input<Vector<T>> x; Output<Vector<T>> y;
  void compute() {
    const V *from = reinterpret_cast<const V *>(&x[0]);
    V *to = reinterpret_cast<V *>(&y[0]);
    for (unsigned i = 0; i < x.size() * sizeof(T) / sizeof(V); ++i) { V one = from[i] + from[i]; one += T(1); to[i] = one; }
  }
};
)";

TEST(PublicCodelets, DeclareVectorsAsClangDoes) {
  Bench bench(prologue() + R"(
typedef float float2 __attribute__((ext_vector_type(2)));
typedef int __attribute__((__ext_vector_type__(4))) int4;
using half4 = half __attribute__((ext_vector_type(4)));
template <class T> using Two = T __attribute__((ext_vector_type(2)));
static_assert(sizeof(float2) == 8 && sizeof(int4) == 16 && sizeof(half4) == 8 && sizeof(Two<unsigned>) == 8, "vectors");
)" + pairs + R"(
class A : public Pairs<float, float2> { public: void compute() { Pairs::compute(); } };
class B : public Pairs<int, int4> { public: void compute() { Pairs::compute(); } };
class C : public Pairs<half, half4> { public: void compute() { Pairs::compute(); } };
class D : public Pairs<unsigned, Two<unsigned>> { public: void compute() { Pairs::compute(); } };
)");
  expectPairs<float>(bench, "A");
  expectPairs<int>(bench, "B");
  expectPairs<_Float16>(bench, "C");
  expectPairs<unsigned>(bench, "D");
}

TEST(PublicCodelets, HearWhichOfClangsVectorsThereAreNot) {
  const auto member = refusal(prologue() + R"(
typedef float float2 __attribute__((ext_vector_type(2)));
class A : public Vertex { public: InOut<Vector<float>> x; void compute() {
  float2 v = {x[0], x[1]}; x[0] = v.y; } };
)");
  EXPECT_NE(member.find("test.cpp:6"), member.npos) << member;
  EXPECT_NE(member.find("write v[0], v[1]"), member.npos) << member;
  const auto place = refusal(prologue() + R"(
class A : public Vertex { public: InOut<Vector<float>> x; void compute() {
  float v __attribute__((ext_vector_type(2))) = {x[0], x[1]}; x[0] = v[1]; } };
)");
  EXPECT_NE(place.find("test.cpp:5: ext_vector_type is clang's"), place.npos) << place;
}

TEST(PublicCodelets, TakeVectorTypesAsTemplateArguments) {
  Bench bench("#include <ipudef.h>\n" + prologue() + pairs + R"(
template struct Pairs<float, float2>;
template struct Pairs<unsigned, uint2>;
template struct Pairs<half, half4>;
)");
  expectPairs<float>(bench, "Pairs<float,float2>");
  expectPairs<unsigned>(bench, "Pairs<unsigned int, uint2>");
  expectPairs<_Float16>(bench, "Pairs<half,half4>");
}

TEST(PublicCodelets, ReadInputsThroughVectorsThatAreTemplateArguments) {
  Bench bench("#include <ipudef.h>\n" + prologue() + R"(
template <class T, class V> class Own : public Vertex { public: Input<Vector<T, VectorLayout::ONE_PTR, 8>> x; Output<Vector<T>> y;
  void compute() {
    V *from = reinterpret_cast<V *>(&x[0]), *to = reinterpret_cast<V *>(&y[0]);
    for (unsigned i = 0; i < y.size() * sizeof(T) / sizeof(V); ++i) { V one = from[i] + from[i]; one += T(1); to[i] = one; } } };
template class Own<half, half4>;
template class Own<float, float2>;
)");
  expectPairs<_Float16>(bench, "Own<half,half4>");
  expectPairs<float>(bench, "Own<float,float2>");
}

TEST(PublicCodelets, AssertInMembersOfExplicitInstantiations) {
  Bench bench("#include <cassert>\n" + prologue() + R"(
template <class T> class A : public Vertex { public: InOut<T> x; T half(T v) { assert(v > T(1)); return v / T(2); } void compute() { *x = half(*x); } };
template class A<float>;
)");
  VertexStorage v(bench.type("A<float>"));
  float x = 4;
  v.scalar("x", x);
  bench.run("A<float>", v);
  EXPECT_EQ(x, 2.0f);
  x = 1;
  EXPECT_THROW(bench.run("A<float>", v), TrapError);
}

TEST(PublicCodelets, MayWriteThroughTheInputsOf2020) {
  Bench bench(prologue() + R"(
class A : public Vertex { public: Input<Vector<float>> in; Input<float> s; Output<Vector<float>> out; Output<float> t;
  void compute() { float *p = &in[0]; auto *q = reinterpret_cast<float *>(&in[1]); for (unsigned i = 0; i < in.size(); ++i) out[i] = p[i] + *q; t = s; } };
)");
  VertexStorage v(bench.type("A"));
  EXPECT_EQ(bench.type("A").find("in")->direction, FieldDirection::Input);
  std::vector<float> in{1, 2, 3}, out(3);
  float s = 7, t = 0;
  v.vector("in", in);
  v.vector("out", out);
  v.scalar("s", s);
  v.scalar("t", t);
  bench.run("A", v);
  EXPECT_EQ(out, (std::vector<float>{3, 4, 5}));
  EXPECT_EQ(t, 7.0f);
}

// What compiles in neither form is refused as it is today, with the mistake and not the form named.
TEST(PublicCodelets, HearOfMistakesInThePresentForm) {
  const auto text =
      refusal(prologue() + "class A : public Vertex { public: Input<Vector<float>> in; "
                           "void compute() { float *p = &in[0]; undeclared = *p; } };");
  EXPECT_NE(text.find("undeclared"), text.npos) << text;
  EXPECT_NE(text.find("const float"), text.npos) << text;
}

TEST(PublicCodelets, UseBuiltinsAndMemoryFunctionsWithoutIncludes) {
  Bench bench("#include \"Vertex.hpp\"\n#include <poplar/Loops.hpp>\n" + prologue() + R"(
class A : public Vertex { public: InOut<Vector<float>> x; Output<unsigned> tile; Output<unsigned> cycles;
  void compute() {
    const unsigned begin = __builtin_ipu_get_scount_l();
    __builtin_assume(x.size() > 1);
    memset(&x[0], 0, sizeof(float));
    std::uint32_t bits; uint32_t more = 1; rptsize_t n = x.size();
    memcpy(&bits, &x[1], 4); std::memcpy(&x[2], &bits, 4);
    for (rptsize_t i = 3; i < n; ++i) x[i] = __builtin_ipu_exp2(float(more));
    *tile = __builtin_ipu_get_tile_id();
    *cycles = __builtin_ipu_get_scount_l() - begin + __builtin_ipu_get_scount_u();
  } };
)");
  VertexStorage v(bench.type("A"));
  std::vector<float> x{1, 2, 3, 4};
  unsigned tile = 9, cycles = 9;
  v.vector("x", x);
  v.scalar("tile", tile);
  v.scalar("cycles", cycles);
  bench.run("A", v);
  EXPECT_EQ(x, (std::vector<float>{0, 2, 2, 2}));
  EXPECT_EQ(tile, 0u) << "outside an engine there are no tiles";
  EXPECT_EQ(cycles, 0u) << "nor cycles";
  x.assign(100, 0);
  v.vector("x", x);
  EXPECT_GT(bench.count("A", v), 97u);
  EXPECT_GE(cycles, 6 * 97u) << "but instructions, six cycles each";
}

const char *const caller = R"(
namespace other { float scale(float); extern const float offset; }
extern "C" int twice(int);
class Calls : public Vertex { public: InOut<Vector<float>> x; int n;
  void compute() { for (unsigned i = 0; i < x.size(); ++i) x[i] = other::scale(x[i]) + other::offset + float(twice(n)); } };
)";
const char *const callee = R"(
extern "C" int twice(int);
namespace other { float factor(int n) { return float(twice(n)); } float scale(float v) { return v * factor(2); }
extern const float offset; const float offset = 0.5f; }
class Own : public Vertex { public: InOut<float> x; void compute() { *x = other::factor(1); } };
)";
const char *const deeper = "extern \"C\" int twice(int n) { return 2 * n; }\n";

TEST(PublicCodelets, MayCallFunctionsOfOtherSourcesOfTheGraph) {
  const auto a = compileText(prologue() + caller), b = compileText(prologue() + callee),
             c = compileText(deeper), d = compileText("int unrelated() { return 1; }\n");
  EXPECT_EQ(a->needs.size(), 3u);
  EXPECT_TRUE(c->needs.empty());
  const auto linked = std::make_shared<const Module>(linkModule(*a, {a, b, c, d}));
  EXPECT_EQ(linked->companions.size(), 2u);
  EXPECT_TRUE(linked->needs.empty());
  EXPECT_EQ(serialise(parseModule(serialise(*linked))), serialise(*linked));
  LoadedModule loaded(linked);
  VertexStorage v(linked->types.at(0));
  std::vector<float> x{1, 2};
  v.vector("x", x);
  v.plain<int>("n", 3);
  void *vertex = v.address();
  loaded.entry(0).run(&vertex, 1, &now);
  EXPECT_EQ(x, (std::vector<float>{10.5f, 14.5f}));
  std::uint64_t bundles = 0;
  loaded.entry(0, Variant::Counted).runCounted(&vertex, 1, &bundles, nullptr);
  EXPECT_EQ(x, (std::vector<float>{48.5f, 64.5f}));
  EXPECT_GT(bundles, 10u);
  const auto checked = std::make_shared<const Module>(compileChecked(*linked));
  EXPECT_FALSE(checked->checkedImage.empty());
  EXPECT_NO_THROW(LoadedModule(checked).entry(0, Variant::Checked));
}

TEST(PublicCodelets, HearOfFunctionsThatNoSourceDefines) {
  const auto a = compileText(prologue() + caller), b = compileText(prologue() + callee);
  try {
    linkModule(*a, {a, b});
    FAIL();
  } catch (const LinkError &e) {
    EXPECT_NE(std::string(e.what()).find("undefined symbol: twice (not defined in any codelet"),
              std::string::npos)
        << e.what();
  }
}

} // namespace
