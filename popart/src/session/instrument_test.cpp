// SPDX-License-Identifier: MIT
// What a session with several IPUs tells of each, and codelets that users bring along.
#include "locations.hpp"
#include <popart/opmanager.hpp>
#include <popart/popx/devicex.hpp>
#include <popart/popx/opxmanager.hpp>

using namespace popart;
using namespace popart::testing;

TEST(Instrumentation, CountsTheCyclesOfEachIpu) {
  const How how{.ipus = 2, .accumulation = 6, .pipelined = true};
  auto options = optionsOf(how, {});
  options.instrumentWithHardwareCycleCounter = true;
  options.hardwareInstrumentations = {Instrumentation::Outer, Instrumentation::Inner};
  auto session = sessionOf(SGD({{"defaultLearningRate", {0.01f, true}}}), how, options);
  session->prepareDevice();
  session->weightsFromHost();
  train(*session, 1);
  const auto whole = session->getCycleCount();
  for (const char *id : {"inner_ipu_0", "inner_ipu_1"}) {
    EXPECT_GT(session->getCycleCount(id), whole / 2);
    EXPECT_LE(session->getCycleCount(id), whole);
  }
  EXPECT_EQ(messageOf([&] { session->getCycleCount("inner_ipu_2"); }),
            "There is no cycle counter \"inner_ipu_2\". Set instrumentWithHardwareCycleCounter "
            "before the session is made; ids: [inner_ipu_0,inner_ipu_1,].");
}

TEST(Instrumentation, TheSummaryTellsWhatEachIpuDoes) {
  const How how{.ipus = 2, .accumulation = 6, .pipelined = true};
  auto session = sessionOf(SGD({{"defaultLearningRate", {0.01f, true}}}), how, optionsOf(how, {}));
  session->prepareDevice();
  session->weightsFromHost();
  train(*session, 1);
  const auto summary = session->getSummaryReport();
  for (const char *start : {"    IPU 0: compute ", "    IPU 1: compute "}) {
    const auto at = summary.find(start);
    ASSERT_NE(at, std::string::npos) << summary;
    EXPECT_GT(std::stoi(summary.substr(at + std::string(start).size())), 0);
  }
}

namespace {

const OperatorIdentifier tripleId("custom.ops", "TripleByCodelet", 1);

class TripleOp : public Op {
public:
  TripleOp(const OperatorIdentifier &opid, const Op::Settings &s) : Op(opid, s) {}
  std::unique_ptr<Op> clone() const final { return std::make_unique<TripleOp>(*this); }
  void setup() final { outInfo(0) = inInfo(0); }
};
class TripleOpx : public popx::Opx {
public:
  TripleOpx(Op *op, popx::Devicex *devicex) : Opx(op, devicex) {}
  void grow(poplar::program::Sequence &prog) const final {
    const auto x = getInTensor(0);
    const auto y = graph().addVariable(x.elementType(), x.shape(), debugContext("y"));
    graph().setTileMapping(y, 0);
    const auto set = graph().addComputeSet(debugContext("triple"));
    const auto vertex = graph().addVertex(set, "TripleOfUser");
    graph().connect(vertex["in"], x.flatten());
    graph().connect(vertex["out"], y.flatten());
    graph().setTileMapping(vertex, 0);
    graph().setPerfEstimate(vertex, 20);
    prog.add(poplar::program::Execute(set));
    setOutTensor(0, y);
  }
};
const OpDefinition::DataTypes floats{DataType::FLOAT};
OpCreator<TripleOp> creator(
    OpDefinitions({{tripleId, OpDefinition({{"in", floats}}, {{"out", floats}}, {})}}),
    [](const OpCreatorInfo &info) { return std::make_unique<TripleOp>(info.opid, info.settings); },
    true);
popx::OpxCreator<TripleOpx> opx({tripleId});

} // namespace

TEST(CustomCodelets, AreThereForCustomOperators) {
  Folder folder;
  std::ofstream(folder.file("triple.cpp")) << R"(
#include <poplar/Vertex.hpp>
class TripleOfUser : public poplar::Vertex {
public:
  poplar::Input<poplar::Vector<float>> in;
  poplar::Output<poplar::Vector<float>> out;
  bool compute() {
    for (unsigned i = 0; i < in.size(); ++i)
      out[i] = FACTOR * in[i];
    return true;
  }
};
)";
  auto builder = Builder::create();
  const auto x = builder->addInputTensor("FLOAT", {3}, "x");
  const auto y = builder->customOp(tripleId, 1, {x}, 1, {})[0];
  const auto session = [&](const std::string &file) {
    SessionOptions options;
    options.customCodelets = {folder.file(file)};
    options.customCodeletCompileFlags = "-DFACTOR=3";
    auto made = InferenceSession::createFromOnnxModel(builder->getModelProto(),
                                                      DataFlow(1, {{y, AnchorReturnType("All")}}),
                                                      modelDevice(), InputShapeInfo(), options);
    made->prepareDevice();
    return made;
  };
  EXPECT_EQ(step(*session("triple.cpp"), x, {1, 2, -4}, y, 3), (Floats{3, 6, -12}));
  EXPECT_EQ(messageOf([&] { session("missing.cpp"); }).rfind("customCodelets: ", 0), 0u);
}
