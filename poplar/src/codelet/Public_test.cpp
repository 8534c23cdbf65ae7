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

// Each of them sees only what the compiler calls a vector: S has an x of its own.
const char *const members = R"(
typedef float float3 __attribute__((ext_vector_type(3)));
static_assert(sizeof(float3) == 16, "as clang has it");
struct S { float x; float2 pair; };
template <class V> float second(const V &v) { return v.y; }
#define FIRST(v) (v).x
class A : public Vertex { public: InOut<Vector<float>> v; void compute() {
  float2 t = {v[0], v[1]}, *p = &t; S s = {v[2], t};
  t.x += t.y;
  p->y *= 2.0f; s.x += s.pair.y + (*p)
      .x;
  const float4 four = {1, 2, 3, 4}; float3 three = {5, 6, 7}; half4 h = {8, 9, 10, 11};
  h.w = h.z; auto sum = FIRST(four) + four.w + four.s2 + three.z + float(h.w) + float(h.x);
  v[0] = t.x; v[1] = t.y; v[2] = s.x; v[3] = sum; v[4] = second(t); v[5] = second(three); } };
)";
TEST(PublicCodelets, ReachTheLanesOfVectorsByName) {
  Bench bench("#include <ipudef.h>\n" + prologue() + members);
  std::vector<float> v{1, 2, 3, 0, 0, 0};
  VertexStorage vertex(bench.type("A"));
  vertex.vector("v", v);
  bench.run("A", vertex);
  EXPECT_EQ(v, (std::vector<float>{3, 4, 3 + 2 + 3, 1 + 4 + 3 + 7 + 10 + 8, 4, 6}));
}

TEST(PublicCodelets, HearWhichOfClangsVectorsThereAreNot) {
  const auto member = refusal(prologue() + R"(
typedef float float4 __attribute__((ext_vector_type(4)));
class A : public Vertex { public: InOut<Vector<float>> x; void compute() {
  float4 v = {x[0], x[1], x[2], x[3]}; x[0] = v.w; auto two = v.xy; x[1] = two[0]; } };
)");
  EXPECT_NE(member.find("test.cpp:6"), member.npos) << member;
  EXPECT_NE(member.find("Write float2{v.x, v.y}"), member.npos) << member;
  const auto none = refusal(prologue() + "typedef float float2 __attribute__((ext_vector_type(2)));"
                                         "float third(float2 v) { return v.z; }\n");
  EXPECT_NE(none.find("test.cpp:3"), none.npos) << none;
  const auto place = refusal(prologue() + R"(
class A : public Vertex { public: InOut<Vector<float>> x; void compute() {
  float v __attribute__((ext_vector_type(2))) = {x[0], x[1]}; x[0] = v[1]; } };
)");
  EXPECT_NE(place.find("test.cpp:5: ext_vector_type is clang's"), place.npos) << place;
}

TEST(PublicCodelets, ConvertVectorsLaneByLane) {
  Bench bench("#include <ipudef.h>\n" + prologue() + R"(
class A : public Vertex { public: Input<Vector<half>> h; Output<Vector<float>> f; Output<Vector<int>> i; Output<Vector<half>> back;
  void compute() {
    const half4 x = {h[0], h[1], h[2], h[3]};
    const float4 wide = __builtin_convertvector(x, float4);
    const int4 whole = __builtin_convertvector(wide, int4);
    const half4 narrow = __builtin_convertvector(wide * 0.1f, half4);
    const half2 pair = __builtin_convertvector(int2{whole[3], 7}, half2);
    for (unsigned k = 0; k < 4; ++k) { f[k] = wide[k]; i[k] = whole[k]; back[k] = narrow[k]; }
    back[0] = pair[0]; back[1] = pair[1]; } };
)");
  std::vector<_Float16> h{-2.5f, 1000.0f, 0.75f, 3.5f}, back(4);
  std::vector<float> f(4);
  std::vector<int> i(4);
  VertexStorage vertex(bench.type("A"));
  vertex.vector("h", h);
  vertex.vector("f", f);
  vertex.vector("i", i);
  vertex.vector("back", back);
  bench.run("A", vertex);
  EXPECT_EQ(f, (std::vector<float>{-2.5f, 1000, 0.75f, 3.5f}));
  EXPECT_EQ(i, (std::vector<int>{-2, 1000, 0, 3}));
  EXPECT_EQ(back, (std::vector<_Float16>{3, 7, _Float16(0.75f * 0.1f), _Float16(3.5f * 0.1f)}));
}

// An empty asm holds back the compiler, and another may be the host's own.
TEST(PublicCodelets, HearThatTheTilesAssemblyDoesNotRunHere) {
  const auto at = [](const std::string &statement) {
    return refusal(prologue() +
                   "class A : public Vertex { public: InOut<float> x; void compute() "
                   "{\n  float y = *x;\n  " +
                   statement + "\n  *x = y; } };\n");
  };
  for (const auto &statement :
       {R"(asm volatile("f32add %0, %0, $a1\n" : "+r"(y));)", R"(__asm__("mov $m0, $m1");)",
        R"(if (y > 0) asm volatile("runall %0, %1, 0" ::"r"(1), "r"(2));)",
        R"(asm volatile("setzi $m2, 3\n"
  "sync 1\n");)"}) {
    const auto text = at(statement);
    EXPECT_NE(text.find("test.cpp:5: asm("), text.npos) << text;
    EXPECT_NE(text.find("#ifdef __IPU__"), text.npos) << text;
  }
  EXPECT_EQ(at(R"(asm volatile("" ::: "memory");)"), "");
  EXPECT_EQ(at(R"(extern float other(float) __asm__("$alias"); asm volatile("nop");)"), "");
}

const char *const views = R"(
float first(poplar::Vector<float> &v) { return v[0] + float(v.size()); }
unsigned total(const poplar::Vector<unsigned> &v) { unsigned sum = 0; for (auto x : v) sum += x; return sum; }
template <class T> T last(poplar::Vector<T> v) { return v.back(); }
class A : public Vertex { public: Input<Vector<float>> in; InOut<Vector<unsigned>> both; Output<Vector<float>> out, more;
  void compute() {
    out = in;
    more = out;
    both[0] += total(both);
    more[0] = first(in) + last(in) + float(last(both));
    poplar::Vector<float> &through = more;
    through[1] = 9;
  } };
)";
TEST(PublicCodelets, HandEdgesToWhatTakesVectors) {
  Bench bench(prologue() + views);
  std::vector<float> in{1, 2, 3}, out(3), more(3);
  std::vector<unsigned> both{4, 5};
  for (const bool counted : {false, true}) {
    VertexStorage v(bench.type("A"));
    v.vector("in", in);
    v.vector("out", out);
    v.vector("more", more);
    v.vector("both", both);
    counted ? void(bench.count("A", v)) : void(bench.run("A", v));
    EXPECT_EQ(out, in);
    EXPECT_EQ(more, (std::vector<float>{4 + 3 + 5, 9, 3}));
  }
  EXPECT_EQ(both, (std::vector<unsigned>{13 + 13 + 5, 5}));
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

// What each instruction computes, in every form, with the compiler's types and with the program's.
const char *const builtins = R"(
#include <ipu_intrinsics>
#include <poplar/VectorListTypes.hpp>
typedef float own2 __attribute__((ext_vector_type(2)));
template <class T> bool same(T a, T b) { return __builtin_memcmp(&a, &b, sizeof a) == 0; }
class A : public Vertex { public: Output<Vector<bool>> holds; InOut<Vector<float>> data; void compute() {
  unsigned n = 0;
  const float2 a = {1, -4}, b = {-2, 3}; const half2 c = {1, -4}, d = {-2, 3}; const half4 e = {1, -4, 5, 6}, f = {-2, 3, 5, 7};
  const own2 g = {1, -4}, h = {-2, 3}; const float4 i = {1, -4, 5, 6}, j = {-2, 3, 5, 7};
  holds[n++] = same(__builtin_ipu_min(a, b), float2{-2, -4}) && same(__builtin_ipu_max(a, b), float2{1, 3});
  holds[n++] = same(__builtin_ipu_min(c, d), half2{-2, -4}) && same(__builtin_ipu_max(e, f), half4{1, 3, 5, 7});
  holds[n++] = same(__builtin_ipu_max(g, h), own2{1, 3}) && same(__builtin_ipu_max(i, j), float4{1, 3, 5, 7});
  holds[n++] = __builtin_ipu_max(half(1), half(2)) == half(2) && __builtin_ipu_min(1.0f, 2) == 1.0f && __builtin_ipu_max(data[0], 9.0f) == 9;
  holds[n++] = same(__builtin_ipu_absadd(a, b), float2{3, 7}) && same(__builtin_ipu_absmax(e, f), half4{2, 4, 5, 7});
  holds[n++] = same((uint2)__builtin_ipu_cmplt(a, b), uint2{0, ~0u}) && same((uint2)__builtin_ipu_cmpge(a, b), uint2{~0u, 0});
  const half4 mask = __builtin_ipu_cmpeq(e, f); unsigned long long bits; __builtin_memcpy(&bits, &mask, 8);
  holds[n++] = bits == 0x0000ffff00000000ull;
  holds[n++] = same(__builtin_ipu_clamp(i, float2{-1, 5}), float4{1, -1, 5, 5}) && __builtin_ipu_clamp(7.0f, a[1] < 0 ? float2{0, 2} : b) == 2;
  holds[n++] = __builtin_ipu_sum(c) == -3 && same(__builtin_ipu_sum(e), float2{-3, 11});
  holds[n++] = same(__builtin_ipu_exp2(a), float2{2, 0.0625f}) && same(__builtin_ipu_exp2(c), half2{2, 0.0625f}) && __builtin_ipu_log2(8.0f) == 3;
  holds[n++] = __builtin_ipu_f16tof32(e[3]) == 6 && same(__builtin_ipu_f32v2tof16(a), half2{1, -4}) && same(__builtin_ipu_f16v2tof32(d), b);
  holds[n++] = same(__builtin_ipu_and_v2f32(a, a), a) && __builtin_ipu_andc_f32(2, 2) == 0 && __builtin_ipu_or_f32(0, 2) == 2;
  holds[n++] = __builtin_ipu_clz(1) == 31 && __builtin_ipu_clz(0) == 32 && __builtin_ipu_popc(0xf0f) == 8 && __builtin_ipu_bitrev8(0x01028040) == 0x80400102;
  holds[n++] = __builtin_ipu_roll16(0x44443333, 0x22221111) == 0x11114444 && __builtin_ipu_sort4x16lo(0x44443333, 0x22221111) == 0x11113333 &&
               __builtin_ipu_sort4x16hi(0x44443333, 0x22221111) == 0x22224444;
  holds[n++] = __builtin_ipu_shuf8x8lo(0x04030201, 0x14131211) == 0x12021101 && __builtin_ipu_shuf8x8hi(0x04030201, 0x14131211) == 0x14041303;
  holds[n++] = __builtin_ipu_swap16(0x12345678) == 0x56781234 && __builtin_ipu_swap8(0x12345678) == 0x34127856;
  __builtin_ipu_put(77, 96); __builtin_ipu_uput(1.5f, 97);
  holds[n++] = __builtin_ipu_get(96) == 77 && __builtin_ipu_uget(97) == 1.5f;
  auto packed = __builtin_ipu_tapack(&data[0], &data[4], &data[8]);
  auto two = ipu::ld2x64pace<float2>(packed);
  two = ipu::ld2xst64pace(packed, two.first + two.second, -1, 1, 1);
  ipu::st64pace(packed, ipu::ldst64pace(packed, two.second));
  holds[n++] = true;
} };
)";
TEST(PublicCodelets, UseBuiltinsOfAllTypes) {
  Bench bench(prologue() + builtins);
  for (const bool counted : {false, true}) {
    std::vector<std::uint8_t> holds(18);
    std::vector<float> data(16);
    std::iota(data.begin(), data.end(), 0.0f);
    VertexStorage v(bench.type("A"));
    v.vector("holds", holds);
    v.vector("data", data);
    counted ? void(bench.count("A", v)) : void(bench.run("A", v));
    EXPECT_EQ(holds, std::vector<std::uint8_t>(18, 1));
    // Words 0 and 4 are added, 1 and 5 were loaded after them, and the first address went back.
    EXPECT_EQ(std::vector<float>(data.begin() + 8, data.end()),
              (std::vector<float>{4, 6, 6, 7, 0, 1, 14, 15}));
  }
  const auto matrix = refusal(prologue() + R"(
class A : public Vertex { public: InOut<Vector<float>> x; void compute() {
  __builtin_ipu_ld128putcs(&x[0], 0); } };
)");
  EXPECT_NE(matrix.find("test.cpp:5"), matrix.npos) << matrix;
  EXPECT_NE(matrix.find("poplin::matMul"), matrix.npos) << matrix;
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
