// SPDX-License-Identifier: MIT
// half, its vectors and their mathematics: in host code against the native type, in codelets
// against a scalar loop.
#include "codelet/TestVertex.hpp"
#include "poplar/HalfFloat.hpp"
#include "poplar/IeeeHalf.hpp"
#include "poplar/VectorTypes.hpp"
#include <cmath>
#include <limits>

using namespace poplar;
using namespace poplar::codelet::test;

namespace {

std::uint16_t bitsOf(half h) {
  std::uint16_t bits;
  std::memcpy(&bits, &h, 2);
  return bits;
}

TEST(IeeeHalf, DecodesEveryPatternLikeTheNativeType) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    half native;
    const auto pattern = std::uint16_t(bits);
    std::memcpy(&native, &pattern, 2);
    const float expected = float(native), actual = IeeeHalf::fromBits(pattern);
    ASSERT_TRUE(expected == actual || (expected != expected && actual != actual)) << bits;
    if (expected == expected) {
      ASSERT_EQ(IeeeHalf(actual).bits(), pattern) << bits;
    }
  }
}

TEST(IeeeHalf, RoundsLikeTheNativeType) {
  // Every exponent, with mantissas around ties, of both signs.
  for (std::uint32_t exponent = 90; exponent < 160; ++exponent)
    for (const std::uint32_t mantissa :
         {0u, 1u, 0xfffu, 0x1000u, 0x1001u, 0x3000u, 0x7fefffu, 0x7ff000u, 0x7fffffu, 0x2aaaaau})
      for (const std::uint32_t sign : {0u, 0x80000000u}) {
        const std::uint32_t pattern = sign | exponent << 23 | mantissa;
        float value;
        std::memcpy(&value, &pattern, 4);
        ASSERT_EQ(IeeeHalf(value).bits(), bitsOf(half(value))) << value;
      }
}

TEST(Half, HasLimitsAndLiterals) {
  EXPECT_EQ(float(std::numeric_limits<half>::max()), 65504.0f);
  EXPECT_EQ(float(std::numeric_limits<half>::lowest()), -65504.0f);
  EXPECT_EQ(float(std::numeric_limits<half>::epsilon()), 1.0f / 1024);
  EXPECT_TRUE(std::isinf(float(std::numeric_limits<half>::infinity())));
  EXPECT_EQ(float(1.5_h), 1.5f);
  EXPECT_EQ(float(3_h), 3.0f);
  EXPECT_EQ(sizeof(half), 2u);
  EXPECT_EQ(float(std::max<half>(1.0f, 2.0f)), 2.0f);
}

TEST(Half, VectorsRoundEachLaneOnce) {
  const half4 a(1.0f, -2.5f, 1000.0f, 0.1f), b(0.3f, 7.0f, 0.77f, -0.2f);
  const half4 sum = a + b, product = a * b, quotient = a / b, scaled = 0.5f * a;
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(bitsOf(sum[i]), bitsOf(half(a[i] + b[i])));
    EXPECT_EQ(bitsOf(product[i]), bitsOf(half(a[i] * b[i])));
    EXPECT_EQ(bitsOf(quotient[i]), bitsOf(half(a[i] / b[i])));
    EXPECT_EQ(bitsOf(scaled[i]), bitsOf(half(half(0.5f) * a[i])));
  }
  const short4 less = a < b;
  EXPECT_EQ(less[0], 0);
  EXPECT_EQ(less[1], -1);
  half2 pair{1.0f, 2.0f};
  pair += half2(0.5f, 0.25f);
  EXPECT_EQ(float(pair[1]), 2.25f);
  EXPECT_EQ(float(half4{}[3]), 0.0f);
}

TEST(CodeletMath, WorksOnScalarsAndVectors) {
  Bench bench(prologue() + R"(
#include <ipu_vector_math>
#include <ipu_memory_intrinsics>
#include <cmath>
class M : public Vertex { public: Input<Vector<float, VectorLayout::ONE_PTR, 8>> in; Output<Vector<float, VectorLayout::ONE_PTR, 8>> out; InOut<Vector<half, VectorLayout::ONE_PTR, 8>> h; unsigned n;
  void compute() {
    auto from = reinterpret_cast<const float2 *>(&in[0]); auto to = reinterpret_cast<float2 *>(&out[0]);
    for (unsigned i = 0; i < n / 2; ++i) ipu::store_postinc(&to, ipu::exp(ipu::load_postinc(&from, 1)) + float2_log10(float2{10.f, 100.f}), 1);
    half4 &v = *reinterpret_cast<half4 *>(&h[0]);
    v = half4_fma(v, v, half4(1, 1, 1, 1)); v = ipu::max(v, half4(0, 0, 5, 0)); h[0] = std::sqrt(h[0]); h[1] = std::fabs(h[1]);
  } };
)");
  std::vector<float> in{0, 1, -1, 0.5f}, out(4);
  std::vector<half> h{half(1), half(-2), half(1.5f), half(3)};
  VertexStorage v(bench.type("M"));
  v.vector("in", in);
  v.vector("out", out);
  v.vector("h", h);
  v.plain<unsigned>("n", 4);
  bench.run("M", v);
  for (unsigned i = 0; i < 4; ++i)
    EXPECT_FLOAT_EQ(out[i], std::exp(in[i]) + float(1 + i % 2));
  EXPECT_EQ(bitsOf(h[0]), bitsOf(half(std::sqrt(2.0f))));
  EXPECT_EQ(float(h[1]), 5.0f);
  EXPECT_EQ(float(h[2]), 5.0f);
  EXPECT_EQ(float(h[3]), 10.0f);
}

// Several orders of operations and conversions: any excess precision in one image would show.
TEST(CodeletMath, OnHalvesIsTheSameInFastAndCountedCode) {
  Bench bench(prologue() + R"(
#include <ipudef.h>
class H : public Vertex { public: Input<Vector<half>> in; Output<Vector<half>> out; Output<float> total;
  void compute() { half acc = 0; float wide = 0;
    for (unsigned i = 0; i < in.size(); ++i) { half x = in[i]; acc = acc + x * x * half(0.01f) - x / half(3); wide += x * acc; out[i] = acc > half(2) ? half(acc - 2) : acc; }
    *total = wide; } };
)");
  std::vector<half> in(500), fast(500), counted(500);
  for (unsigned i = 0; i < 500; ++i)
    in[i] = half(std::sin(float(i)) * 2);
  float totalFast, totalCounted;
  VertexStorage v(bench.type("H"));
  v.vector("in", in);
  v.vector("out", fast);
  v.scalar("total", totalFast);
  bench.run("H", v);
  v.vector("out", counted);
  v.scalar("total", totalCounted);
  bench.count("H", v);
  EXPECT_EQ(std::memcmp(fast.data(), counted.data(), 1000), 0);
  EXPECT_EQ(std::memcmp(&totalFast, &totalCounted, 4), 0);
}

} // namespace
