// SPDX-License-Identifier: MIT
// Checked mode: every violation names vertex, field and index; correct code runs as before.
#include "codelet/Guard.hpp"
#include "codelet/TestVertex.hpp"

using namespace poplar;
using namespace poplar::codelet;
using namespace poplar::codelet::test;

namespace {

const std::string source = prologue() + R"(
#include <algorithm>
#include <cassert>
#include <ipu_builtins.h>
#include <print.h>
class Checked : public Vertex { public:
  Input<Vector<float>> in; Output<Vector<float, VectorLayout::ONE_PTR>> out; Vector<InOut<Vector<int>>> rows;
  Input<float> s; Vector<int> table; int i, j, mode;
  bool compute() {
    switch (mode) {
    case 0: out[i] = in[j] * s; break;
    case 1: rows[i][j] += 1; break;
    case 2: table[i] = 1; break;
    case 3: for (float x : in) out[0] += x; break;
    case 4: out.data()[1] = 2; break;
    case 5: out[0] = *(in.begin() + j); break;
    case 6: { float *p = &out[0]; p[i] = 1; break; }
    case 7: { const float *p = &in[0]; out[0] = p[j]; break; }
    case 8: std::memcpy(&out[0], &in[0], i); break;
    case 9: std::memset(&out[i], 1, j); break;
    case 10: const_cast<float &>(in[j]) = 1; break;
    case 11: { struct Pair { float a, b; }; auto *p = reinterpret_cast<const Pair *>(&in[0]); out[0] = p[i].b; break; }
    case 12: table[0] = 7 / i; break;
    case 13: { int local[4] = {1, 2, 3, 4}; local[j & 7] = i; table[0] = local[i & 7]; break; }
    case 14: { float *end = &out[2]; for (float *p = &out[0]; p != end; ++p) *p = 3; break; }
    case 15: { static int calls = 0; static const float weights[] = {1, 2, 3}; out[0] = weights[i] + ++calls; break; }
    case 16: { typedef float Two __attribute__((vector_size(8), aligned(4)));
               const Two *p = reinterpret_cast<const Two *>(&in[0]); Two sum = p[0] + p[1]; out[0] = sum[0]; break; }
    case 17: std::copy(in.begin(), in.begin() + i, &out[0]); break;
    case 18: { int *p = i ? &table[0] : nullptr; *p = 3; break; }
    case 19: out[0] = *reinterpret_cast<const float *>(reinterpret_cast<const char *>(&in[0]) + (1 << 20)); break;
    case 21: __builtin_ipu_put(3, 112); __builtin_ipu_uput(4.0f, 113); table[0] = int(__builtin_ipu_get(112)); out[0] = __builtin_ipu_uget(113); break;
    case 20: assert(i == 1); printf("checked\n"); table[0] = int(__builtin_ipu_get_tile_id() + (__builtin_ipu_urand32() & 0) + __builtin_ipu_get_scount_l()); break;
    }
    return true; } };
)";

// One vertex of the checked type, with shadows that say what was written. Runs as in an engine:
// guarded, with its operands known.
struct Rig : VertexNames {
  std::shared_ptr<const Module> module =
      std::make_shared<const Module>(compileChecked(*compileText(source)));
  LoadedModule loaded{module};
  const VertexType &type = module->types.at(0);
  VertexStorage v{type};
  // Eight elements, of which the fields have the first ones.
  std::vector<float> in{1, 2, 3, 0, 0, 0, 0, 0}, out = std::vector<float>(8);
  std::vector<int> row0{1, 2}, row1{3}, table{0, 0};
  float s = 2;
  std::vector<std::uint8_t> inWritten = {1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0},
                            outWritten = std::vector<std::uint8_t>(8), sWritten{1, 1, 1, 1};
  std::vector<FieldCheck> checks, rowChecks;
  std::vector<CheckedVectorRecord> rows;

  FieldCheck check(const char *field, void *data, std::uint32_t elementBytes, std::size_t size,
                   bool writable, std::uint8_t *written = nullptr,
                   std::uint32_t outer = FieldCheck::noOuter, bool watched = true) {
    return {"Checked",           field,    12,     written, elementBytes, outer, data,
            elementBytes * size, writable, watched};
  }
  Rig() {
    checks = {check(nullptr, v.address(), 1, type.hostSize, true),
              check("in", in.data(), 4, 3, false, inWritten.data()),
              check("out", out.data(), 4, 2, true, outWritten.data()),
              check("rows", nullptr, sizeof(CheckedVectorRecord), 2, false, nullptr,
                    FieldCheck::noOuter, false),
              check("s", &s, 4, 1, false, sWritten.data()),
              check("table", table.data(), 4, 2, true),
              check("rows", row0.data(), 4, 2, true, nullptr, 0, false),
              check("rows", row1.data(), 4, 1, true, nullptr, 1, false)};
    rows = {{row0.data(), 2, &checks[6]}, {row1.data(), 1, &checks[7]}};
    checks[3].data = rows.data();
    v.put("in", CheckedVectorRecord{in.data(), 3, &checks[1]});
    v.put("out", CheckedVectorRecord{out.data(), 2, &checks[2]});
    v.put("rows", CheckedVectorRecord{rows.data(), rows.size(), &checks[3]});
    v.put("s", CheckedScalarRecord{&s, &checks[4]});
    v.put("table", CheckedVectorRecord{table.data(), table.size(), &checks[5]});
  }
  void name(const VertexCall &, PlainText &to) const override { to << "Vertex 12 of type Checked"; }
  std::string_view computeSet() const override { return "set"; }
  std::uint32_t tile(const VertexCall &) const override { return 0; }
  std::span<const FieldCheck> operands(const VertexCall &) const override { return checks; }

  std::string run(int mode, int i, int j) {
    v.plain<int>("mode", mode);
    v.plain<int>("i", i);
    v.plain<int>("j", j);
    void *vertex = v.address();
    VertexCall call{
        .names = this, .code = loaded.code(Variant::Checked), .stop = nullptr, .operands = {}};
    const auto entry = loaded.entry(0, Variant::Checked);
    callGuarded(call, reinterpret_cast<const void *>(entry.run), &vertex, 1, &call.now, nullptr);
    return call.violation ? *call.violation : std::string();
  }
};

void expectText(const std::string &message, std::initializer_list<const char *> parts) {
  for (const char *part : parts)
    EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(CheckedMode, KeepsTypesAndFieldsInOrder) {
  const auto plain = compileText(source);
  const Module checked = compileChecked(*plain);
  ASSERT_EQ(checked.types.size(), plain->types.size());
  ASSERT_EQ(checked.types[0].fields.size(), plain->types[0].fields.size());
  for (std::size_t k = 0; k < checked.types[0].fields.size(); ++k)
    EXPECT_EQ(checked.types[0].fields[k].name, plain->types[0].fields[k].name);
  EXPECT_EQ(checked.types[0].deviceBytes, plain->types[0].deviceBytes);
  EXPECT_EQ(checked.types[0].find("rows")->hostInnerStride, sizeof(CheckedVectorRecord));
  EXPECT_EQ(plain->types[0].find("rows")->hostInnerStride, sizeof(VectorRecord));
}

TEST(CheckedMode, RunsCorrectCode) {
  Rig rig;
  EXPECT_EQ(rig.run(0, 1, 1), "");
  EXPECT_EQ(rig.out[1], 4.0f);
  EXPECT_EQ(rig.run(1, 1, 0), "");
  EXPECT_EQ(rig.row1[0], 4);
  EXPECT_EQ(rig.run(5, 0, 1), "");
}

TEST(CheckedMode, NamesFieldIndexAndLineOutOfBounds) {
  Rig rig;
  EXPECT_EQ(rig.run(0, 3, 0),
            "field \"out\"[3] is out of bounds, 2 elements past the end; the "
            "size is 2 (test.cpp:13). Correct the index in compute(), or connect a "
            "larger tensor.");
  expectText(rig.run(0, 2, 0),
             {"\"out\"[2]", "1 element past the end", "size is 2", "test.cpp:13"});
  expectText(rig.run(0, 0, -1), {"\"in\"[-1]", "1 element before the beginning", "size is 3"});
  expectText(rig.run(1, 2, 0), {"\"rows\"[2]", "size is 2", "test.cpp:14"});
  expectText(rig.run(1, 1, 1), {"\"rows\"[1][1]", "size is 1"});
  expectText(rig.run(2, 5, 0), {"\"table\"[5]", "size is 2"});
  expectText(rig.run(5, 0, 3), {"\"in\"[3]", "out of bounds", "test.cpp:18"});
}

TEST(CheckedMode, SeesPointersThatWereTakenFromFields) {
  Rig rig;
  rig.inWritten.assign(12, 1);
  EXPECT_EQ(rig.run(6, 1, 0), "");
  EXPECT_EQ(rig.run(6, 3, 0), "field \"out\"[3] is out of bounds, 2 elements past the end; the "
                              "size is 2 (test.cpp:19). Correct the index in compute(), or connect "
                              "a larger tensor.");
  EXPECT_EQ(rig.out[3], 0.0f) << "the access does not happen";
  expectText(rig.run(6, -1, 0), {"\"out\"[-1]", "before the beginning"});
  EXPECT_EQ(rig.run(7, 0, 2), "");
  expectText(rig.run(7, 0, 3), {"\"in\"[3]", "1 element past the end", "test.cpp:20"});
  EXPECT_EQ(rig.run(11, 0, 0), "");
  expectText(rig.run(11, 1, 0), {"\"in\"[3]", "test.cpp:24"});
  expectText(rig.run(10, 0, 1), {"\"in\"[1] is written, and it is an Input (test.cpp:23)"});
  expectText(rig.run(19, 0, 0), {"reads 4 bytes", "belongs to no field (test.cpp:33)"});
}

TEST(CheckedMode, SeesMemoryFunctions) {
  Rig rig;
  rig.inWritten.assign(12, 1);
  EXPECT_EQ(rig.run(8, 8, 0), "");
  EXPECT_EQ(rig.out[1], 2.0f);
  expectText(rig.run(8, 12, 0), {"\"out\"[2]", "past the end", "test.cpp:21"});
  expectText(rig.run(8, 16, 0), {"\"in\"[3]"});
  EXPECT_EQ(rig.run(9, 1, 4), "");
  expectText(rig.run(9, 1, 5), {"\"out\"[2]", "test.cpp:22"});
  EXPECT_EQ(rig.run(17, 2, 0), "");
  expectText(rig.run(17, 3, 0), {"\"out\"[2]"});
}

TEST(CheckedMode, TellsTheLineOfWhatTheCompilerCanCheck) {
  Rig rig;
  EXPECT_EQ(rig.run(12, 2, 0), "");
  EXPECT_EQ(rig.run(12, 0, 0), "integer division by zero, or of the smallest number by -1 "
                               "(test.cpp:25). Correct compute().");
  EXPECT_EQ(rig.run(13, 1, 3), "");
  EXPECT_EQ(rig.run(13, 5, 3),
            "an index outside a local or static array (test.cpp:26). Correct compute().");
  EXPECT_EQ(rig.run(18, 1, 3), "");
  expectText(rig.run(18, 0, 3), {"null", "test.cpp:32"});
}

// The address behind the end, statics, the stack, and a last pair that is loaded half outside.
TEST(CheckedMode, LeavesCorrectCodeAlone) {
  Rig rig;
  EXPECT_EQ(rig.run(14, 0, 0), "");
  EXPECT_EQ(rig.run(15, 2, 0), "");
  EXPECT_EQ(rig.out[0], 4.0f);
  rig.inWritten.assign(12, 1);
  EXPECT_EQ(rig.run(16, 0, 0), "");
  EXPECT_EQ(rig.out[0], 4.0f);
}

TEST(CheckedMode, LetsCodeletsCallTheHost) {
  Rig rig;
  testing::internal::CaptureStdout();
  EXPECT_EQ(rig.run(20, 1, 0), "");
  std::fflush(stdout);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "checked\n");
}

TEST(CheckedMode, LetsCodeletsUseRegisters) {
  Rig rig;
  EXPECT_EQ(rig.run(21, 0, 0), "");
  EXPECT_EQ(rig.table[0], 3);
  EXPECT_EQ(rig.out[0], 4.0f);
}

TEST(CheckedMode, FindsReadsOfElementsNeverWritten) {
  Rig rig;
  expectText(rig.run(0, 0, 2), {"\"in\"[2]", "never written", "test.cpp:13"});
  expectText(rig.run(3, 0, 0), {"\"in\"[2]", "never written"});
  expectText(rig.run(7, 0, 2), {"\"in\"[2]", "never written"});
  rig.inWritten.assign(12, 1);
  EXPECT_EQ(rig.run(3, 0, 0), "");
  rig.sWritten.assign(4, 0);
  expectText(rig.run(0, 0, 0), {"\"s\"", "never written"});
}

TEST(CheckedMode, MarksWhatOutputsWrite) {
  Rig rig;
  rig.run(0, 1, 0);
  EXPECT_EQ(rig.outWritten, (std::vector<std::uint8_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  rig.run(4, 0, 0);
  EXPECT_EQ(rig.outWritten, std::vector<std::uint8_t>(8, 1));
  rig.outWritten.assign(8, 0);
  rig.run(17, 2, 0);
  EXPECT_EQ(rig.outWritten, std::vector<std::uint8_t>(8, 1));
}

TEST(CheckedMode, FallsBackToThePlainFormOfWhatDoesNotCompile) {
  const auto plain = compileText(prologue() + R"(
class Odd : public Vertex { public: Output<Vector<int>> x; void compute() { x[0] = 1; } };
static_assert(sizeof(Output<Vector<int>>) == 16, "sixteen bytes");
)");
  const Module checked = compileChecked(*plain);
  EXPECT_TRUE(checked.checkedImage.empty());
  EXPECT_EQ(checked.image, plain->image);
  EXPECT_TRUE(compileChecked(*plain).checkedImage.empty()) << "from the cache";
}

} // namespace
