// SPDX-License-Identifier: MIT
// Checked mode: every violation names vertex, field and index; correct code runs as before.
#include "codelet/TestVertex.hpp"

using namespace poplar;
using namespace poplar::codelet;
using namespace poplar::codelet::test;

namespace {

const std::string source = prologue() + R"(
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
    }
    return true; } };
)";

// One vertex of the checked type, with shadows that say what was written.
struct Rig {
  std::shared_ptr<const Module> module =
      std::make_shared<const Module>(compileChecked(*compileText(source)));
  LoadedModule loaded{module};
  const VertexType &type = module->types.at(0);
  VertexStorage v{type};
  std::vector<float> in{1, 2, 3}, out{0, 0};
  std::vector<int> row0{1, 2}, row1{3}, table{0, 0};
  float s = 2;
  std::vector<std::uint8_t> inWritten{1, 1, 0}, outWritten = std::vector<std::uint8_t>(8),
                                                sWritten{1};
  FieldCheck inCheck = check("in", inWritten.data(), 1),
             outCheck = check("out", outWritten.data(), 4), rowsCheck = check("rows", nullptr, 0),
             sCheck = check("s", sWritten.data(), 1), tableCheck = check("table", nullptr, 0);
  std::vector<FieldCheck> rowChecks{check("rows", nullptr, 0, 0), check("rows", nullptr, 0, 1)};
  std::vector<CheckedVectorRecord> rows{{row0.data(), 2, &rowChecks[0]},
                                        {row1.data(), 1, &rowChecks[1]}};

  static FieldCheck check(const char *field, std::uint8_t *written, std::uint32_t stride,
                          std::uint32_t outer = FieldCheck::noOuter) {
    return {"Checked", field, 12, written, stride, outer};
  }
  Rig() {
    v.put("in", CheckedVectorRecord{in.data(), in.size(), &inCheck});
    v.put("out", CheckedVectorRecord{out.data(), out.size(), &outCheck});
    v.put("rows", CheckedVectorRecord{rows.data(), rows.size(), &rowsCheck});
    v.put("s", CheckedScalarRecord{&s, &sCheck});
    v.put("table", CheckedVectorRecord{table.data(), table.size(), &tableCheck});
  }
  std::string run(int mode, int i, int j) {
    v.plain<int>("mode", mode);
    v.plain<int>("i", i);
    v.plain<int>("j", j);
    void *vertex = v.address();
    try {
      loaded.entry(0, Variant::Checked).run(&vertex, 1, &now);
      return {};
    } catch (const TrapError &e) {
      return e.what();
    }
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

TEST(CheckedMode, NamesVertexFieldAndIndexOutOfBounds) {
  Rig rig;
  expectText(rig.run(0, 2, 0), {"Vertex 12", "Checked", "\"out\"[2]", "size is 2"});
  expectText(rig.run(0, 0, -1), {"\"in\"[-1]", "size is 3"});
  expectText(rig.run(1, 2, 0), {"\"rows\"[2]", "size is 2"});
  expectText(rig.run(1, 1, 1), {"\"rows\"[1][1]", "size is 1"});
  expectText(rig.run(2, 5, 0), {"\"table\"[5]", "size is 2"});
  expectText(rig.run(5, 0, 3), {"\"in\"[3]", "out of bounds"});
}

TEST(CheckedMode, FindsReadsOfElementsNeverWritten) {
  Rig rig;
  expectText(rig.run(0, 0, 2), {"Vertex 12", "\"in\"[2]", "never written"});
  expectText(rig.run(3, 0, 0), {"\"in\"[2]", "never written"});
  rig.inWritten[2] = 1;
  EXPECT_EQ(rig.run(3, 0, 0), "");
  rig.sWritten[0] = 0;
  expectText(rig.run(0, 0, 0), {"\"s\"", "never written"});
}

TEST(CheckedMode, MarksWhatOutputsWrite) {
  Rig rig;
  rig.run(0, 1, 0);
  EXPECT_EQ(rig.outWritten, (std::vector<std::uint8_t>{0, 0, 0, 0, 1, 1, 1, 1}));
  rig.run(4, 0, 0);
  EXPECT_EQ(rig.outWritten, std::vector<std::uint8_t>(8, 1));
}

} // namespace
