// SPDX-License-Identifier: MIT
// Unknown options and values that an option does not take.
#include "Errors.hpp"
#include <cstdlib>
#include <sstream>

using namespace poplar;
using namespace poplar::program;
using errors::Fixture;

TEST(OptionErrors, MisspeltOptionSuggestsTheRightOne) {
  Fixture f;
  EXPECT_REJECTED(
      "invalid_option: Unknown option \"debug.instrumnet\". Did you mean \"debug.instrument\"?",
      Engine(f.graph, Sequence(), {{"debug.instrumnet", "true"}}));
}

TEST(OptionErrors, OptionLikeNoOther) {
  Fixture f;
  EXPECT_REJECTED("invalid_option: Unknown option \"zzz\".",
                  Engine(f.graph, Sequence(), {{"zzz", "true"}}));
}

TEST(OptionErrors, ValueThatIsNotABoolean) {
  Fixture f;
  EXPECT_REJECTED(
      "invalid_option: Option \"debug.instrument\" cannot be \"yes\": it takes \"true\" or "
      "\"false\".",
      Engine(f.graph, Sequence(), {{"debug.instrument", "yes"}}));
}

TEST(OptionErrors, ValueThatIsNotANumber) {
  Fixture f;
  EXPECT_REJECTED(
      "invalid_option: Option \"target.workerStackSizeInBytes\" cannot be \"many\": it takes an "
      "integer.",
      Engine(f.graph, Sequence(), {{"target.workerStackSizeInBytes", "many"}}));
}

TEST(OptionErrors, EnvironmentIsCheckedTheSameWay) {
  Fixture f;
  setenv("POPLAR_ENGINE_OPTIONS", R"({"debug.instrumnet": "true"})", 1);
  auto unknown = errors::rejection([&] { Engine(f.graph, Sequence()); });
  setenv("POPLAR_ENGINE_OPTIONS", R"({"debug.instrument": )", 1);
  auto malformed = errors::rejection([&] { Engine(f.graph, Sequence()); });
  unsetenv("POPLAR_ENGINE_OPTIONS");
  EXPECT_EQ(unknown, "invalid_option: Unknown option \"debug.instrumnet\". Did you mean "
                     "\"debug.instrument\"? (from the environment variable POPLAR_ENGINE_OPTIONS)");
  EXPECT_EQ(malformed,
            "invalid_option: The environment variable POPLAR_ENGINE_OPTIONS is not a JSON object "
            "of strings: {\"debug.instrument\": ");
  errors::expectStillUsable();
}

TEST(OptionErrors, UnknownOptionOfAStream) {
  Fixture f;
  EXPECT_REJECTED(
      "invalid_option: Graph::addHostToDeviceFIFO: unknown option \"bufferingDepht\". Did you "
      "mean \"bufferingDepth\"?",
      f.graph.addHostToDeviceFIFO("in", FLOAT, 4, ReplicatedStreamMode::REPLICATE,
                                  {{"bufferingDepht", "2"}}));
}

TEST(OptionErrors, UnknownOptionOfATarget) {
  EXPECT_REJECTED(
      "invalid_option: Unknown target option \"gatewayMod\". Did you mean \"gatewayMode\"? "
      "Known options: [syncConfiguration, gatewayMode, ipuLinkConfiguration, ipuLinkTopology, "
      "ipuLinkDomainSize].",
      Target::createIPUTarget(1, "ipu2", {{"gatewayMod", "true"}}));
}

TEST(OptionErrors, UnknownChip) {
  EXPECT_REJECTED(
      "invalid_machine_model: Unknown chip \"ipu3\". Did you mean \"ipu1\" or \"ipu2\"? Known "
      "chips: [ipu1, ipu2, bow, ipu21].",
      Target::createIPUTarget(1, "ipu3"));
}

TEST(OptionErrors, MalformedJson) {
  OptionFlags flags;
  EXPECT_REJECTED(
      "parse_error: The option text is not valid JSON: [json.exception.parse_error.101] parse "
      "error at line 1, column 28: syntax error while parsing object - unexpected end of input; "
      "expected '}'",
      readJSON(R"({"debug.instrument": "true")", flags));
}

TEST(OptionErrors, UnknownOptionOfTheProfileSummary) {
  Fixture f;
  Engine engine(f.graph, Sequence());
  engine.load(f.device);
  std::ostringstream out;
  EXPECT_REJECTED(
      "invalid_option: Unknown option \"showExecutionStep\" of printProfileSummary. Did you "
      "mean \"showExecutionSteps\"? Known are [showExecutionSteps, showVarStorage, "
      "showOptimizations, showPerIpuMemoryUsage, colours].",
      engine.printProfileSummary(out, {{"showExecutionStep", "true"}}));
}
