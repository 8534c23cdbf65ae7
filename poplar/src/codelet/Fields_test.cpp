// SPDX-License-Identifier: MIT
// Every kind of field: what the compiler reports about it, and what compute() sees through it.
#include "codelet/TestVertex.hpp"

using namespace poplar;
using namespace poplar::codelet;
using namespace poplar::codelet::test;

namespace {

const std::string kinds = prologue() + R"(
class Kinds : public Vertex {
public:
  Kinds();
  Input<float> a;
  Output<int> b;
  InOut<unsigned> c;
  Input<Vector<float>> span;
  Input<Vector<float, VectorLayout::SHORT_SPAN>> shortSpan;
  Output<Vector<float, VectorLayout::ONE_PTR, 8, true>> onePtr;
  InOut<Vector<int, VectorLayout::SCALED_PTR32, 4>> scaled32;
  Input<Vector<half, VectorLayout::SCALED_PTR64, 8>> scaled64;
  Input<Vector<half, VectorLayout::SCALED_PTR128, 16>> scaled128;
  Input<Vector<char, VectorLayout::COMPACT_PTR>> compact;
  Vector<Input<Vector<float>>> rows;
  Vector<InOut<Vector<float, VectorLayout::ONE_PTR>>, VectorLayout::ONE_PTR> rowPointers;
  Input<VectorList<float, VectorListLayout::DELTAN>> list;
  Vector<int> table;
  const unsigned factor;
  bool flag;
  long long wide;

  bool compute() {
    float sum = a + span[0] + shortSpan[1];
    for (float x : span) sum += x;
    for (unsigned i = 0; i < rows.size(); ++i)
      for (unsigned j = 0; j < rows[i].size(); ++j) {
        sum += rows[i][j];
        rowPointers[i][j] = rows[i][j] * 2;
      }
    for (const auto &row : list) sum += row[row.size() - 1];
    *b = int(list.size()) + table[0] + compact[1];
    c += factor;
    onePtr[0] = sum;
    onePtr[1] = float(scaled64[0] + scaled128[0]);
    scaled32[0] += 1;
    wide = -wide;
    table[1] = 77;
    return flag;
  }
};
)";

TEST(Fields, AreReportedAsDeclared) {
  const Bench bench(kinds);
  const VertexType &t = bench.type("Kinds");
  const auto is = [&](const char *name, FieldDirection d, FieldShape s, TypeId type,
                      VectorLayout layout, unsigned align, unsigned deviceBytes) {
    const Field *f = t.find(name);
    ASSERT_NE(f, nullptr) << name;
    EXPECT_EQ(f->direction, d) << name;
    EXPECT_EQ(f->shape, s) << name;
    EXPECT_EQ(f->type, type) << name;
    EXPECT_EQ(f->layout, layout) << name;
    EXPECT_EQ(f->minAlign, align) << name;
    EXPECT_EQ(f->deviceBytes, deviceBytes) << name;
  };
  using D = FieldDirection;
  using S = FieldShape;
  using L = VectorLayout;
  is("a", D::Input, S::Scalar, TypeId::Float, L::NOT_A_VECTOR, 4, 4);
  is("b", D::Output, S::Scalar, TypeId::Int, L::NOT_A_VECTOR, 4, 4);
  is("c", D::InOut, S::Scalar, TypeId::UnsignedInt, L::NOT_A_VECTOR, 4, 4);
  is("span", D::Input, S::Vector, TypeId::Float, L::SPAN, 4, 8);
  is("shortSpan", D::Input, S::Vector, TypeId::Float, L::SHORT_SPAN, 4, 4);
  is("onePtr", D::Output, S::Vector, TypeId::Float, L::ONE_PTR, 8, 4);
  is("scaled32", D::InOut, S::Vector, TypeId::Int, L::SCALED_PTR32, 4, 2);
  is("scaled64", D::Input, S::Vector, TypeId::Half, L::SCALED_PTR64, 8, 2);
  is("scaled128", D::Input, S::Vector, TypeId::Half, L::SCALED_PTR128, 16, 2);
  is("compact", D::Input, S::Vector, TypeId::Char, L::COMPACT_PTR, 1, 4);
  is("rows", D::Input, S::VectorOfVectors, TypeId::Float, L::SPAN, 4, 8);
  is("rowPointers", D::InOut, S::VectorOfVectors, TypeId::Float, L::ONE_PTR, 4, 4);
  is("list", D::Input, S::VectorList, TypeId::Float, L::NOT_A_VECTOR, 4, 8);
  is("table", D::Plain, S::Vector, TypeId::Int, L::SPAN, 4, 8);
  is("factor", D::Plain, S::Scalar, TypeId::UnsignedInt, L::NOT_A_VECTOR, 4, 4);
  is("flag", D::Plain, S::Scalar, TypeId::Bool, L::NOT_A_VECTOR, 1, 1);
  is("wide", D::Plain, S::Scalar, TypeId::LongLong, L::NOT_A_VECTOR, 8, 8);
  EXPECT_EQ(t.find("rows")->innerLayout, L::SPAN);
  EXPECT_EQ(t.find("rowPointers")->innerLayout, L::ONE_PTR);
  EXPECT_EQ(t.find("list")->listLayout, VectorListLayout::DELTAN);
  EXPECT_TRUE(t.find("onePtr")->interleaved);
  EXPECT_FALSE(t.find("span")->interleaved);
  EXPECT_EQ(t.fields.size(), 17u);
  EXPECT_TRUE(t.returnsBool);
  EXPECT_EQ(t.deviceBytes % 4, 0u);
}

// Everything that Kinds reads and writes.
struct KindsData {
  float a = 1;
  int b = 0;
  unsigned c = 5;
  std::vector<float> span{1, 2, 3}, shortSpan{10, 20}, onePtr{0, 0};
  std::vector<int> scaled32{41}, table{7, 0};
  std::vector<_Float16> scaled64{_Float16(0.5)}, scaled128{_Float16(0.25)};
  std::vector<char> compact{1, 2};
  std::vector<std::vector<float>> rows{{1, 2}, {}, {3}}, rowPointers{{0, 0}, {}, {0}},
      list{{5, 6}, {7}};

  void bind(VertexStorage &v) {
    v.scalar("a", a);
    v.scalar("b", b);
    v.scalar("c", c);
    v.vector("span", span);
    v.vector("shortSpan", shortSpan);
    v.vector("onePtr", onePtr);
    v.vector("scaled32", scaled32);
    v.vector("scaled64", scaled64);
    v.vector("scaled128", scaled128);
    v.vector("compact", compact);
    v.rows("rows", rows);
    v.rows("rowPointers", rowPointers);
    v.rows("list", list);
    v.vector("table", table);
    v.plain<unsigned>("factor", 3);
    v.plain<bool>("flag", true);
    v.plain<long long>("wide", 1ll << 40);
  }
  void expectResults(VertexStorage &v) {
    EXPECT_EQ(onePtr, (std::vector<float>{1 + 1 + 20 + 6 + 6 + 13, 0.75f}));
    EXPECT_EQ(b, 2 + 7 + 2);
    EXPECT_EQ(c, 8u);
    EXPECT_EQ(scaled32[0], 42);
    EXPECT_EQ(rowPointers, (std::vector<std::vector<float>>{{2, 4}, {}, {6}}));
    EXPECT_EQ(table[1], 77);
    EXPECT_EQ(v.plain<long long>("wide"), -(1ll << 40));
  }
};

TEST(Fields, OfEveryKindReachTheirData) {
  Bench bench(kinds);
  VertexStorage v(bench.type("Kinds"));
  KindsData data;
  data.bind(v);
  EXPECT_TRUE(bench.run("Kinds", v));
  data.expectResults(v);
  v.plain<bool>("flag", false);
  EXPECT_FALSE(bench.run("Kinds", v));
}

TEST(Fields, OfEveryKindReachTheirDataWhenCounted) {
  Bench bench(kinds);
  VertexStorage v(bench.type("Kinds"));
  KindsData data;
  data.bind(v);
  EXPECT_GT(bench.count("Kinds", v), 40u);
  data.expectResults(v);
}

TEST(Fields, MayBePrivateAndInherited) {
  Bench bench(prologue() + R"(
class Base : public Vertex { InOut<float> x; protected: float &get() { return *x; } };
class Derived : public Base { float step; public: void compute() { get() += step; } };
)");
  ASSERT_EQ(bench.module->types.size(), 1u) << "a base without compute() is no vertex type";
  VertexStorage v(bench.type("Derived"));
  float x = 1;
  v.scalar("x", x);
  v.plain<float>("step", 2.5f);
  EXPECT_TRUE(bench.run("Derived", v));
  EXPECT_EQ(x, 3.5f);
}

TEST(Fields, PlainStatePersistsBetweenExecutions) {
  Bench bench(
      prologue() +
      "class Append : public Vertex { public: Output<Vector<int>> out; int index; int value;"
      " bool compute() { out[index++] = value; return true; } };");
  VertexStorage v(bench.type("Append"));
  std::vector<int> out(3);
  v.vector("out", out);
  v.plain<int>("value", 9);
  bench.run("Append", v);
  bench.run("Append", v);
  EXPECT_EQ(out, (std::vector<int>{9, 9, 0}));
  EXPECT_EQ(v.plain<int>("index"), 2);
}

TEST(Fields, OfEnumerationTypeHaveTheirUnderlyingType) {
  const Bench bench(
      prologue() +
      "namespace ns { enum class Mode : unsigned char { A, B }; enum Plain { X = -1 }; }"
      "class E : public Vertex { public: ns::Mode m; ns::Plain p; void compute() {} };");
  EXPECT_EQ(bench.type("E").find("m")->type, TypeId::UnsignedChar);
  EXPECT_EQ(bench.type("E").find("p")->type, TypeId::Int);
}

TEST(Fields, ScalarEdgesBehaveLikeTheirElement) {
  Bench bench(prologue() + R"(
class S : public Vertex { public: Input<int> n; InOut<float> x; Output<unsigned> u; Input<half> h;
  bool compute() {
    x += 1; x = x * 2; ++x; x -= n; u = 3u; *u |= 4u; u <<= 1;
    float s = n >= 2 ? x : 0.f; if (n < 10) s += h; x = s + n * 0.5f;
    return n == 2 && u == 14u;
  } };
)");
  VertexStorage v(bench.type("S"));
  int n = 2;
  float x = 1;
  unsigned u = 0;
  _Float16 h = 0.5;
  v.scalar("n", n);
  v.scalar("x", x);
  v.scalar("u", u);
  v.scalar("h", h);
  EXPECT_TRUE(bench.run("S", v));
  EXPECT_EQ(x, 4.5f);
}

TEST(Fields, MayBeVectorsOfScalarEdges) {
  Bench bench(prologue() + R"(
class V : public Vertex { public: Vector<InOut<int>> x; Vector<Input<float>, VectorLayout::ONE_PTR> y; Vector<Output<int>> z;
  void compute() { for (unsigned i = 0; i < x.size(); ++i) { x[i] += int(y[i]); *x[i] *= 2; z[i] = x[i]; auto e = z[i]; e = *e + 1; } } };
)");
  const Field *x = bench.type("V").find("x"), *y = bench.type("V").find("y");
  EXPECT_EQ(x->shape, FieldShape::Vector);
  EXPECT_EQ(x->direction, FieldDirection::InOut);
  EXPECT_EQ(x->type, TypeId::Int);
  EXPECT_EQ(x->deviceInnerBytes, 4u);
  EXPECT_EQ(y->layout, VectorLayout::ONE_PTR);
  EXPECT_EQ(y->direction, FieldDirection::Input);
  VertexStorage v(bench.type("V"));
  std::vector<int> xs{1, 2, 3}, zs(3);
  std::vector<float> ys{10, 20, 30};
  v.vector("x", xs);
  v.vector("y", ys);
  v.vector("z", zs);
  bench.run("V", v);
  EXPECT_EQ(xs, (std::vector<int>{22, 44, 66}));
  EXPECT_EQ(zs, (std::vector<int>{23, 45, 67}));
}

TEST(Fields, VectorsOfScalarEdgesAreGoneThroughOneByOne) {
  Bench bench(prologue() + R"(
class V : public Vertex { public: Vector<InOut<int>> x; Vector<Input<int>> y; int sum;
  void compute() { for (auto &e : x) e += 1; for (auto e : x) e = 2 * e; for (auto &&e : x) *e += 3; for (const auto &e : y) sum += e; } };
)");
  VertexStorage v(bench.type("V"));
  std::vector<int> xs{1, 2, 3}, ys{10, 20};
  v.vector("x", xs);
  v.vector("y", ys);
  v.plain<int>("sum", 5);
  bench.run("V", v);
  EXPECT_EQ(xs, (std::vector<int>{7, 9, 11}));
  EXPECT_EQ(v.plain<int>("sum"), 35);
}

TEST(Fields, OfQuarterTypeCarryTheirMetadata) {
  Bench bench(prologue() + R"(
#include <poplar/QuarterFloat.hpp>
class Q : public Vertex { public: Input<Vector<quarter>> in; Output<Vector<float>> out; Output<Vector<quarter>> back;
  Input<quarter> one; Output<float> seen;
  void compute() { *seen = float(toHalf(*one, one.getMetadata())); for (unsigned i = 0; i < in.size(); ++i) {
    out[i] = float(toHalf(in[i], in.getMetadata())); back[i] = toQuarter(out[i], back.getMetadata()); } } };
)");
  VertexStorage v(bench.type("Q"));
  std::vector<std::uint8_t> in{0x38, 0xb8, 0x80, 0x7f, 0x01},
      back(5); // F143: 0.5, -0.5, NaN, 240, 2^-10; 240 / 2 ties to even
  std::vector<float> out(5);
  const std::uint8_t f143 = 0, f152Times2 = 0x41;
  v.put("in", QuarterVectorRecord{in.data(), in.size(), &f143});
  v.put("back", QuarterVectorRecord{back.data(), back.size(), &f152Times2});
  v.put("one", QuarterScalarRecord{in.data(), &f152Times2});
  float seen = 0;
  v.scalar("seen", seen);
  v.vector("out", out);
  bench.run("Q", v);
  EXPECT_EQ(seen, 0.5f); // 0x38 as F152: 2^(14 - 16), times 2
  EXPECT_EQ(out[0], 0.5f);
  EXPECT_EQ(out[1], -0.5f);
  EXPECT_NE(out[2], out[2]);
  EXPECT_EQ(out[3], 240.0f);
  EXPECT_EQ(out[4], 1.0f / 1024);
  EXPECT_EQ(back, (std::vector<std::uint8_t>{0x38, 0xb8, 0x80, 0x5c, 0x14}));
}

struct Refusal {
  const char *body, *field, *remedy;
};
class RefusedField : public testing::TestWithParam<Refusal> {};

TEST_P(RefusedField, NamesClassFieldTypeAndRemedy) {
  const Refusal &r = GetParam();
  try {
    compileText(prologue() + "struct Pod { int a, b; };\nclass Bad : public Vertex { public:\n" +
                r.body + "\nvoid compute() {} };");
    FAIL() << "accepted";
  } catch (const CompileError &e) {
    const std::string text = e.what();
    EXPECT_NE(text.find("\"Bad\""), text.npos) << text;
    EXPECT_NE(text.find(std::string("field \"") + r.field), text.npos) << text;
    EXPECT_NE(text.find("unsupported field type"), text.npos) << text;
    EXPECT_NE(text.find("test.cpp:5"), text.npos) << text;
    EXPECT_NE(text.find(r.remedy), text.npos) << text;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Fields, RefusedField,
    testing::Values(Refusal{"float *p;", "p", "Input<Vector<T>>"},
                    Refusal{"int a[3];", "a", "Vector<T>"}, Refusal{"Pod s;", "s", "Vector<char>"},
                    Refusal{"Input<Pod> s;", "s", "Vector<char>"},
                    Refusal{"Vector<Vector<Input<Vector<float>>>> v;", "v", "two vector levels"}));

TEST(Fields, OfVertexWithVirtualFunctionsAreRefused) {
  EXPECT_THROW(
      compileText(prologue() + "class V : public Vertex { public: virtual void compute() {} };"),
      CompileError);
}

} // namespace
