// SPDX-License-Identifier: MIT
// popc --cycles: lines add up to the vertex, and the vertex is what an engine charges.
#include "codelet/TestVertex.hpp"
#include "Cycles.hpp"
#include "Listing.hpp"
#include <functional>
#include <optional>
#include <poplar/CycleCount.hpp>
#include <poplar/Engine.hpp>
#include <poplar/Graph.hpp>
#include <poplar/IPUModel.hpp>

using namespace popc;
using namespace poplar;
using codelet::FieldDirection;
using codelet::FieldShape;
using codelet::SourceInput;

namespace {

std::vector<VertexCycles> cycles(const std::string &text, const std::string &sizes,
                                 const std::string &target = "ipu2",
                                 std::chrono::milliseconds limit = std::chrono::minutes(5)) {
  codelet::test::useTestCache();
  return cyclesOf(SourceInput::fromText(text, "test.cpp"), {{}, target, true},
                  sizes.empty() ? Sizes() : parseSizes(sizes), limit);
}

std::uint64_t sumOf(const VertexCycles &vertex) {
  std::uint64_t sum = 0;
  for (const LineCost &line : vertex.lines)
    sum += line.total;
  return sum;
}

// Bundles of the run, by line.
std::map<unsigned, std::uint64_t> byLine(const VertexCycles &vertex) {
  std::map<unsigned, std::uint64_t> lines;
  for (const LineCost &line : vertex.lines)
    lines[line.line] += line.total;
  return lines;
}

const std::string prologue =
    "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"; // lines 1, 2
const std::string scale = prologue + "class Scale : public Vertex { public:\n"
                                     "  InOut<Vector<float>> data;\n"
                                     "  float factor;\n"
                                     "  void compute() {\n"
                                     "    for (unsigned i = 0; i < data.size(); ++i)\n" // 7
                                     "      data[i] = factor * data[i];\n"              // 8
                                     "  }\n};\n";

// One vertex on one tile, run by an engine with operands of these sizes, all zero. With `estimate`
// the vertex is charged that, and not what is counted.
class EngineRun {
public:
  EngineRun(const std::string &file, const codelet::VertexType &type, const Sizes &sizes,
            std::optional<std::uint64_t> estimate)
      : type_(type), device_(model()), graph_(device_.getTarget()) {
    graph_.addCodelets(file);
    auto set = graph_.addComputeSet("set");
    auto vertex = graph_.addVertex(set, type.name);
    graph_.setTileMapping(vertex, 0);
    for (const auto &field : type.fields)
      connect(vertex, field, sizes.count(field.name) ? sizes.at(field.name) : Size{});
    if (estimate)
      graph_.setPerfEstimate(vertex, *estimate);
    program::Sequence run{program::Execute(set)};
    graph_.createHostRead("cycles", cycleCount(graph_, run, 0, SyncType::INTERNAL));
    program_ = run;
  }
  std::uint64_t cycles() {
    Engine engine(graph_, program_);
    engine.load(device_);
    engine.run();
    std::uint64_t cycles = 0;
    engine.readTensor("cycles", &cycles, &cycles + 1);
    return cycles;
  }

private:
  static Device model() {
    IPUModel model;
    model.tilesPerIPU = 2;
    return model.createDevice();
  }
  Tensor zeros(const codelet::Field &field, std::vector<std::size_t> shape) {
    static const std::map<TypeId, Type> types = {
        {TypeId::Float, FLOAT}, {TypeId::Int, INT}, {TypeId::UnsignedInt, UNSIGNED_INT}};
    auto tensor = graph_.addVariable(types.at(field.type), shape);
    graph_.setTileMapping(tensor, 0);
    if (field.direction != FieldDirection::Output)
      graph_.setInitialValue(tensor, 0);
    return tensor;
  }
  void connect(VertexRef &vertex, const codelet::Field &field, const Size &size) {
    if (field.direction == FieldDirection::Plain && field.shape == FieldShape::Scalar)
      return graph_.setInitialValue(vertex[field.name], size.value);
    if (field.shape == FieldShape::Scalar)
      return graph_.connect(vertex[field.name], zeros(field, {}));
    if (field.shape == FieldShape::Vector)
      return graph_.connect(vertex[field.name], zeros(field, {size.outer}));
    graph_.setFieldSize(vertex[field.name], size.outer);
    for (unsigned i = 0; i < size.outer; ++i)
      graph_.connect(vertex[field.name][i], zeros(field, {size.inner}));
  }
  const codelet::VertexType &type_;
  Device device_;
  Graph graph_;
  program::Sequence program_;
};

struct Example {
  const char *file, *sizes;
  unsigned vertices;
};

class ExamplesCycles : public testing::TestWithParam<Example> {};

TEST_P(ExamplesCycles, AddUpByLineAndAreWhatTheEngineCharges) {
  codelet::test::useTestCache();
  const std::string file = std::string(EXAMPLES "/codelets/") + GetParam().file;
  const Sizes sizes = parseSizes(GetParam().sizes);
  const auto module = codelet::compileSource(SourceInput::fromFile(file));
  const auto vertices = cyclesOf(SourceInput::fromFile(file), {}, sizes);
  ASSERT_EQ(vertices.size(), GetParam().vertices);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const VertexCycles &vertex = vertices[i];
    const auto &type = module.types[i];
    SCOPED_TRACE(vertex.name);
    EXPECT_EQ(vertex.name, type.name);
    ASSERT_TRUE(vertex.hasRun) << vertex.missing;
    EXPECT_EQ(sumOf(vertex), vertex.bundles);
    EXPECT_EQ(vertex.cycles, vertex.bundles * 6);
    // A vertex is charged in bundles of its worker, one that has all workers in cycles.
    const auto charged = type.kind == codelet::VertexKind::Vertex ? vertex.bundles : vertex.cycles;
    const auto counted = EngineRun(file, type, sizes, {}).cycles();
    EXPECT_EQ(EngineRun(file, type, sizes, charged).cycles(), counted);
    EXPECT_GT(EngineRun(file, type, sizes, charged + 1).cycles(), counted);
  }
}

INSTANTIATE_TEST_SUITE_P(
    , ExamplesCycles,
    testing::Values(Example{"dot.cpp", "a=100,b=100,in=37", 2},
                    Example{"element_wise.cpp", "a=64,b=64,out=64,data=50,factor=2", 5},
                    Example{"stencil.cpp", "in=6x34,out=4x32", 1},
                    Example{"tour.cpp", "in=16,out=16,calls=3,data=61,size=61,rows=3x5", 5}));

TEST(CodeletLines, OfALoopAreChargedForEachPass) {
  const auto few = cycles(scale, "data=10").at(0), many = cycles(scale, "data=1010").at(0);
  ASSERT_EQ(many.loops.size(), 1u);
  const LoopCost &loop = many.loops[0];
  EXPECT_EQ(loop.file, "test.cpp");
  EXPECT_EQ(loop.line, 7u);
  EXPECT_EQ(loop.passes, 1010u);
  EXPECT_EQ(many.bundles - few.bundles, 1000u * loop.bundles);
  EXPECT_EQ(loop.code.size(), loop.bundles) << "bundles that have instructions";
  const auto before = byLine(few), after = byLine(many);
  EXPECT_EQ(after.at(7) - before.at(7), 2000u) << "step and jump";
  EXPECT_EQ(after.at(8) - before.at(8), 2000u) << "load and store; the product is beside the step";
  EXPECT_EQ(loop.main, 4u);
  EXPECT_EQ(loop.aux, 1u);
}

TEST(CodeletLines, OfStraightCodeAreChargedOnce) {
  const auto vertex = cycles(prologue + "class V : public Vertex { public:\n"
                                        "  InOut<float> a, b;\n"
                                        "  void compute() {\n"
                                        "    *a = *a + 1.f;\n" // 6
                                        "    *b = *b / 3.f;\n" // 7
                                        "  }\n};\n",
                             "a=1")
                          .at(0);
  const auto lines = byLine(vertex);
  EXPECT_TRUE(vertex.loops.empty());
  EXPECT_GE(lines.at(6), 3u);
  EXPECT_GT(lines.at(7), lines.at(6)) << "a division takes more bundles";
  EXPECT_EQ(sumOf(vertex), vertex.bundles);
}

TEST(CodeletLines, OfAMultiVertexAreThoseOfItsSlowestWorker) {
  const auto vertex =
      cycles(prologue + "class M : public MultiVertex { public:\n"
                        "  InOut<Vector<float>> x;\n"
                        "  void compute(unsigned w) {\n"
                        "    for (unsigned i = w; i < x.size(); i += numWorkers())\n"
                        "      x[i] += 1.f;\n  }\n};\n",
             "x=61")
          .at(0);
  EXPECT_EQ(vertex.loops.at(0).passes, 11u);
  EXPECT_EQ(sumOf(vertex), vertex.bundles);
}

TEST(CodeletLines, OfHelpersAndCopiesBelongToTheVertex) {
  const auto vertex =
      cycles(prologue + "__attribute__((noinline)) static float twice(float x) {\n"
                        "  return x + x;\n" // 4
                        "}\n"
                        "class V : public Vertex { public:\n"
                        "  Input<Vector<float>> in;\n"
                        "  Output<Vector<float>> out;\n"
                        "  void compute() {\n"
                        "    __builtin_memcpy(&out[0], &in[0], in.size() * 4);\n" // 10
                        "    for (unsigned i = 0; i < out.size(); ++i)\n"
                        "      out[i] = twice(out[i]);\n" // 12
                        "  }\n};\n",
             "in=64,out=64")
          .at(0);
  const auto lines = byLine(vertex);
  EXPECT_GE(lines.at(4), 64u);
  EXPECT_GE(lines.at(10), 64u) << "a load and a store for every 8 bytes";
  EXPECT_EQ(sumOf(vertex), vertex.bundles);
  EXPECT_NE(listing({vertex}).find("calls twice"), std::string::npos) << listing({vertex});
}

TEST(CodeletLines, AreThereWithoutSizes) {
  const auto vertex = cycles(scale, "").at(0);
  EXPECT_FALSE(vertex.hasRun);
  EXPECT_EQ(vertex.missing, "data");
  EXPECT_GT(vertex.loops.at(0).bundles, 3u);
  const auto text = listing({vertex});
  EXPECT_NE(text.find("give --sizes: data"), std::string::npos) << text;
  EXPECT_NE(text.find("loop 1, line 7"), std::string::npos) << text;
  EXPECT_NE(text.find("2 of 2 accesses move 4 bytes, and could move 8"), std::string::npos) << text;
}

TEST(CodeletLines, OfAChipWithOneSlotAreNoFewer) {
  EXPECT_GE(cycles(scale, "data=100", "ipu1").at(0).bundles,
            cycles(scale, "data=100", "ipu2").at(0).bundles);
}

TEST(CodeletLines, NameWhatIsWrongWithSizes) {
  const auto refused = [](const std::function<void()> &call) -> std::string {
    try {
      call();
    } catch (const std::invalid_argument &e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refused([] { parseSizes("in"); }),
            "--sizes: \"in\" is not FIELD=SIZE. Example: --sizes in=1024,out=1024");
  EXPECT_EQ(refused([] { parseSizes("in=many"); }), "--sizes in=many: this is not a number");
  EXPECT_EQ(refused([] { parseSizes("in=1,in=2"); }), "--sizes names \"in\" twice");
  EXPECT_NE(refused([] { parseSizes("in=99999999x99999999"); }).find("no tile has room"),
            std::string::npos);
  EXPECT_NE(refused([] { cycles(scale, "dat=1"); }).find("Did you mean \"data\"?"),
            std::string::npos);
  const auto problem = [](const char *sizes) { return cycles(scale, sizes).at(0).problem; };
  EXPECT_NE(problem("data=99999999").find("no tile has room"), std::string::npos);
  EXPECT_NE(problem("data=2x2").find("write one number"), std::string::npos);
  EXPECT_NE(problem("data=1.5").find("whole number"), std::string::npos);
}

TEST(CodeletLines, OfVerticesThatCannotRunAreThoseOfOnePass) {
  const std::string source =
      prologue + "class Faults : public Vertex { public: Input<unsigned> n; Output<unsigned> out;\n"
                 "  void compute() { *out = 5 / *n; } };\n"
                 "class Forever : public Vertex { public: Input<unsigned> n;\n"
                 "  void compute() { for (volatile unsigned i = *n; i < 1; ) {} } };\n";
  const auto vertices = cycles(source, "n=0", "ipu2", std::chrono::milliseconds(0));
  ASSERT_EQ(vertices.size(), 2u);
  EXPECT_FALSE(vertices[0].hasRun);
  EXPECT_NE(vertices[1].problem.find("does not end"), std::string::npos) << vertices[1].problem;
  EXPECT_NE(listing(vertices).find("Forever: bundles of one pass. It has not run"),
            std::string::npos);
  const auto wild =
      cycles(prologue + "class Wild : public Vertex { public: Input<Vector<float>> in;\n"
                        "  Output<Vector<float>> out;\n"
                        "  void compute() { for (unsigned i = 0; i < in.size(); ++i) out[i] = 1; "
                        "} };\n",
             "in=100000,out=10")
          .at(0);
  EXPECT_FALSE(wild.hasRun);
  EXPECT_NE(wild.problem.find("Do the values of --sizes fit together?"), std::string::npos);
  const auto again = cycles(source, "n=3");
  EXPECT_TRUE(again.at(0).hasRun && again.at(1).hasRun);
  EXPECT_NE(cycles(source, "n=0", "ipu2", std::chrono::milliseconds(0)).at(0).problem, "");
}

TEST(CodeletLines, NameTheTripsOfALoop) {
  EXPECT_EQ(tripExpression("  for (unsigned i = 0; i < out.size(); ++i)"), "i < out.size()");
  EXPECT_EQ(tripExpression("for (auto &x : data) {"), "auto &x : data");
  EXPECT_EQ(tripExpression("while (n != 1) {"), "n != 1");
  EXPECT_EQ(tripExpression("before = 1;"), "");
}

} // namespace
