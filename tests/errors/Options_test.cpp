// SPDX-License-Identifier: MIT
// Unknown options and values that an option does not take.
#include "Errors.hpp"
#include <cstdlib>
#include <filesystem>
#include <fstream>
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
      "backend, ipuLinkDomainSize].",
      Target::createIPUTarget(1, "ipu2", {{"gatewayMod", "true"}}));
}

TEST(OptionErrors, UnknownBackend) {
  EXPECT_REJECTED("invalid_option: Target option \"backend\" cannot be \"cpuu\". Did you mean "
                  "\"cpu\"? Use one of [cpu].",
                  Target::createIPUTarget(1, "ipu2", {{"backend", "cpuu"}}));
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
      "showOptimizations, showPerIpuMemoryUsage, colours, short].",
      engine.printProfileSummary(out, {{"showExecutionStep", "true"}}));
}

TEST(OptionErrors, NameOfMegabytesIsRefusedAtOnce) {
  Fixture f;
  const std::string name(4 << 20, 'x');
  EXPECT_REJECTED("invalid_option: Unknown option \"" + std::string(200, 'x') +
                      "... (4194304 characters)\".",
                  Engine(f.graph, Sequence(), {{name, "true"}}));
  EXPECT_REJECTED("invalid_option: Option \"debug.instrument\" cannot be \"" +
                      std::string(200, 'x') +
                      "... (4194304 characters)\": it takes \"true\" or \"false\".",
                  Engine(f.graph, Sequence(), {{"debug.instrument", name}}));
}

TEST(OptionErrors, NumberOfThreadsThatIsNone) {
  Fixture f;
  setenv("OPENIPU_NUM_THREADS", "abc", 1);
  auto text = errors::rejection([&] { Engine(f.graph, Sequence()); });
  unsetenv("OPENIPU_NUM_THREADS");
  EXPECT_EQ(text,
            "invalid_option: OPENIPU_NUM_THREADS must be a number from 1 to 4096, not \"abc\".");
  setenv("OPENIPU_ISA", "abc", 1);
  auto isa = errors::rejection([&] { Engine(f.graph, Sequence()); });
  setenv("OPENIPU_ISA", "", 1);
  setenv("POPLAR_ENGINE_OPTIONS", std::string(100'000, '[').c_str(), 1);
  auto deep = errors::rejection([&] { Engine(f.graph, Sequence()); });
  unsetenv("OPENIPU_ISA");
  unsetenv("POPLAR_ENGINE_OPTIONS");
  EXPECT_EQ(isa, "invalid_option: OPENIPU_ISA is \"abc\". Use avx512, avx2 or base, or leave it "
                 "unset for the best that this processor has.");
  EXPECT_LT(deep.size(), 400u);
  errors::expectStillUsable();
}

TEST(OptionErrors, SizeOfTheCodeletCacheThatIsNoNumber) {
  Fixture f;
  setenv("OPENIPU_CACHE_MAX_MB", "lots", 1);
  std::stringstream source("#include <poplar/Vertex.hpp>\n");
  auto text = errors::rejection([&] { f.graph.addCodelets(source); });
  unsetenv("OPENIPU_CACHE_MAX_MB");
  EXPECT_NE(text.find("OPENIPU_CACHE_MAX_MB must be a number from 0 to 16777216, not \"lots\"."),
            std::string::npos)
      << text;
  errors::expectStillUsable();
}

TEST(OptionErrors, ChipsThatAreNoDescription) {
  EXPECT_REJECTED("file_load_error: Cannot load \"/tmp\": it is not a file with the description of "
                  "a chip.",
                  Target::createIPUTarget(1, "/tmp"));
  EXPECT_REJECTED("file_load_error: Cannot load \"/dev/zero\": it is not a file with the "
                  "description of a chip.",
                  Target::createIPUTarget(1, "/dev/zero"));
  const auto path = testing::TempDir() + "openipu-large.chip";
  std::ofstream(path) << std::string((1 << 20) + 1, '\n');
  EXPECT_REJECTED("file_load_error: Cannot load \"" + path +
                      "\": a chip description has at most 1048576 bytes.",
                  Target::createIPUTarget(1, path));
  std::remove(path.c_str());
}

// Whatever text an option is given, it is taken or refused with an exception of the interface.
TEST(OptionErrors, EveryOptionWithEveryKindOfValue) {
  Fixture f;
  const std::string values[] = {
      "",    "yes", "-1",         "18446744073709551616", "1e999",
      "nan", "(",   "4294967296", "/proc/none/a",         std::string(5000, '(')};
  Engine plain(f.graph, Sequence());
  const auto before = std::filesystem::current_path();
  const auto folder = std::filesystem::path(testing::TempDir()) / "openipu-every-option";
  std::filesystem::create_directories(folder); // some values are names of files to write
  std::filesystem::current_path(folder);
  for (const auto &[key, ignored] : plain.getEngineOptions())
    for (const auto &value : values) {
      const auto text = errors::rejection([&, key = key] {
        Engine engine(f.graph, Sequence(), {{key, value}});
        engine.load(f.device);
        engine.run();
      });
      EXPECT_FALSE(text.starts_with("another exception")) << key << "=" << value << ": " << text;
    }
  std::filesystem::current_path(before);
  std::filesystem::remove_all(folder);
}

TEST(OptionErrors, SystemsOfMoreTilesThanCanBeSimulated) {
  EXPECT_REJECTED("invalid_machine_model: A target of 4294967295 IPUs with 1472 tiles each was "
                  "asked for; it needs 1 to 16,777,216 tiles in all.",
                  Target::createIPUTarget(4294967295u, "ipu2"));
  EXPECT_REJECTED("invalid_machine_model: A CPU target of 0 IPUs was asked for; at least one is "
                  "needed.",
                  Target::createCPUTarget(true, 0));
  IPUModel model;
  model.numIPUs = model.tilesPerIPU = 65536; // their product wraps to 0
  EXPECT_REJECTED("invalid_machine_model: A target of 65536 IPUs with 65536 tiles each was asked "
                  "for; it needs 1 to 16,777,216 tiles in all.",
                  model.createDevice());
}
