// SPDX-License-Identifier: MIT
// Small profiles written row by row, read back, and damaged in every way that a file can be.
#include "base/testing/Message.hpp"
#include "pva/pva.hpp"
#include "pva/Schema.hpp"
#include "pva/Writer.hpp"
#include <concepts>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <sqlite3.h>
#include <sstream>
#include <unistd.h>

using pva::Writer;

namespace {

const Writer::Null null;

// Two IPUs of two tiles; a sequence of an exchange and a compute set, run twice.
void fill(Writer &w) {
  w.table("meta").row("poplarVersion", "3.3.0 (abc)");
  w.table("meta").row("packageHash", "abc");
  w.table("meta").row("instrumentCompute", "tile");
  w.table("meta").row("instrumentExternalExchange", "off");
  w.table("options").row("debug.instrument", "true");
  w.table("target").row("IPU_MODEL", "ipu2", 2, 1, 2, 1000, 1'000'000'000, 6);
  w.table("graph").row(8, 16, 2, 1);
  w.table("compute_sets").row(0, "cs");
  w.table("vertex_types").row(0, "Add", 64, 32);
  w.table("vertex_groups").row(0, 0, 0, 3, 2, 40, 6);
  w.table("vertex_memory").row("padding", 4);
  w.table("vars").row(0, "x", "float", 100, 1, 0);
  w.table("vars").row(1, "t", "half", 60, 0, 1);
  w.table("var_categories").row(0, "variable");
  w.table("var_categories").row(1, "vertexCode");
  auto parts = w.table("var_parts");
  parts.row(0, 0, 0, 1, 100);
  parts.row(1, 0, 1, 1, 40);
  parts.row(1, 0, 2, 1, 20);
  parts.row(null, 1, 0, 1, 32);
  auto programs = w.table("programs");
  programs.row(0, "main", "Sequence", null, 0, 0, 0, 0, 7);
  programs.row(1, "in", "DoExchange", null, 0, 10, 64, 2, 8);
  programs.row(2, "cs", "OnTileExecute", 0, 0, 20, 0, 0, 9);
  auto children = w.table("program_children");
  children.row(0, 1);
  children.row(0, 2);
  w.table("program_roots").row(0, 0, 2);
  auto tiles = w.table("program_tiles");
  tiles.row(1, 0, 1, 10, 0, 0, 64);
  tiles.row(1, 1, 1, 10, 0, 64, 0);
  tiles.row(2, 0, 2, 20, 100, 0, 0);
  tiles.row(2, 2, 1, 5, 10, 0, 0);
  w.table("program_code").row(1, 1, 2, 8, 100);
  w.table("program_vars").row(1, 0);
  auto memory = w.table("memory_by_tile");
  memory.row(0, 132, 8, 132, 0, null);
  memory.row(1, 1040, 0, 0, 40, 2);
  memory.row(2, 20, 0, 0, 20, 2);
  memory.row(3, 0, 0, 0, 0, null);
  w.table("memory_by_category").row(1, 0, 3, 32);
  w.table("memory_by_category").row(0, 2, 1, 20);
  auto liveness = w.table("liveness_steps");
  liveness.row(0, 1, 60);
  liveness.row(1, 2, 60);
  liveness.row(2, 1, 0);
  w.table("liveness_spans").row(1, 0, 2);
  auto steps = w.table("steps");
  steps.row(0, "DoExchange", 1, null);
  steps.row(1, "OnTileExecute", 2, 0);
  auto byIpu = w.table("steps_by_ipu");
  byIpu.row(0, 0, 10, 2, 0, 0, 0, 10, 10);
  byIpu.row(0, 1, 10, 0, 0, 0, 0, 0, 0);
  byIpu.row(1, 0, 20, 2, 10, 10, 10, 30, 30);
  byIpu.row(1, 1, 20, 1, 10, 10, 10, 15, 15);
  w.table("runs").row(0, "first", 0, 0, 30, 0, 2);
  auto blocks = w.table("blocks");
  blocks.row(0, 0, 0, 0, 30, 0, 0, 0, 1);
  blocks.row(1, 2, 1, 0, 10, 1, 0, 0, 2);
  w.table("totals").row(1, 2, 20);
  w.table("totals").row(2, 2, 40);
  w.table("execution").row(60, 2, 0);
  w.table("energy").row("compute", 0.5);
}

std::string profile() {
  Writer writer;
  fill(writer);
  return writer.bytes();
}

pva::Report open(const std::string &bytes) {
  return pva::openReportFromMemory(bytes.data(), bytes.size(), "p.pop");
}

// The profile after one more statement.
std::string changed(const char *sql) {
  auto bytes = profile();
  sqlite3 *db = nullptr;
  sqlite3_open(":memory:", &db);
  auto *copy = static_cast<unsigned char *>(sqlite3_malloc64(bytes.size() * 2));
  std::copy(bytes.begin(), bytes.end(), copy);
  sqlite3_deserialize(db, "main", copy, sqlite3_int64(bytes.size()),
                      sqlite3_int64(bytes.size() * 2),
                      SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
  char *error = nullptr;
  EXPECT_EQ(sqlite3_exec(db, sql, nullptr, nullptr, &error), SQLITE_OK) << (error ? error : "");
  sqlite3_int64 size = 0;
  auto *out = sqlite3_serialize(db, "main", &size, 0);
  std::string result(reinterpret_cast<char *>(out), std::size_t(size));
  sqlite3_free(out);
  sqlite3_close(db);
  return result;
}

// What SQL says of the profile: one number.
std::int64_t asked(const char *sql) {
  const auto bytes = profile();
  sqlite3 *db = nullptr;
  sqlite3_open(":memory:", &db);
  auto *copy = reinterpret_cast<unsigned char *>(const_cast<char *>(bytes.data()));
  sqlite3_deserialize(db, "main", copy, sqlite3_int64(bytes.size()), sqlite3_int64(bytes.size()),
                      SQLITE_DESERIALIZE_READONLY);
  sqlite3_stmt *statement = nullptr;
  EXPECT_EQ(sqlite3_prepare_v2(db, sql, -1, &statement, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  EXPECT_EQ(sqlite3_step(statement), SQLITE_ROW);
  const auto value = sqlite3_column_int64(statement, 0);
  sqlite3_finalize(statement);
  sqlite3_close(db);
  return value;
}

template <class Action>
std::string messageOf(const Action &action) requires std::invocable<Action> {
  return base::testing::messageOf<pva::Error>(action);
}
std::string messageOf(const std::string &bytes) {
  return messageOf([&] { open(bytes); });
}

struct Names : pva::ProgramVisitor {
  std::string seen;
  void visitSequence(const pva::SequenceProgram &p) override {
    seen += "sequence " + p.name() + ";";
    for (const auto &child : p.children())
      child->accept(*this);
  }
  void visitOnTileExecute(const pva::OnTileExecuteProgram &p) override {
    seen += "execute " + p.computeset().name() + ";";
  }
  void visitDoExchange(const pva::DoExchangeProgram &p) override {
    seen += "exchange " + p.name() + ";";
  }
};

} // namespace

TEST(Report, TellsVersionTargetGraphAndSettings) {
  auto report = open(profile());
  EXPECT_EQ(report.poplarVersion().string(), "3.3.0 (abc)");
  EXPECT_EQ(report.poplarVersion().majorVer(), 3u);
  EXPECT_EQ(report.poplarVersion().minorVer(), 3u);
  EXPECT_EQ(report.version().majorVer(), pva::formatVersion);
  EXPECT_EQ(report.instrumentationSettings().compute(),
            pva::InstrumentationSettings::Compute::Tile);
  EXPECT_EQ(report.instrumentationSettings().externalExchange(),
            pva::InstrumentationSettings::ExternalExchange::Off);
  auto target = report.compilation().target();
  EXPECT_EQ(target.type(), pva::Target::Type::IpuModel);
  EXPECT_EQ(target.architecture(), pva::IPU::Architecture::Ipu2);
  EXPECT_EQ(target.numIPUs(), 2u);
  EXPECT_EQ(target.numTiles(), 4u);
  EXPECT_EQ(target.totalMemory(), 4000u);
  EXPECT_EQ(report.compilation().graph().numVertices(), 8u);
  EXPECT_EQ(report.engineOptions().at(0).second, "true");
}

TEST(Report, TellsMemoryByTileAndCategory) {
  auto compilation = open(profile()).compilation();
  auto tiles = compilation.tiles();
  ASSERT_EQ(tiles.size(), 4u);
  EXPECT_EQ(tiles[0].memory().total().includingGaps(), 140u);
  EXPECT_EQ(tiles[0].memory().total().excludingGaps(), 132u);
  EXPECT_EQ(tiles[1].memory().overflowed().excludingGaps(), 40u);
  EXPECT_EQ(tiles[2].memory().category().vertexCode().total(), 32u);
  EXPECT_EQ(tiles[3].memory().category().vertexCode().total(), 0u);
  EXPECT_EQ(tiles[0].memory().category().controlId().total(), 0u);
  EXPECT_EQ(tiles[1].memory().peakProgram()->name(), "cs");
  EXPECT_EQ(tiles[2].memory().vertices().at(0).name(), "Add");
  EXPECT_EQ(tiles[2].memory().vertices().at(0).type().name(), "Add");
  EXPECT_TRUE(tiles[3].memory().vertices().empty());
  EXPECT_EQ(compilation.ipus().at(1).tiles().at(0).id(), 2u);
}

TEST(Report, TellsHowMuchOfACategoryIsInterleaved) {
  auto tiles = open(profile()).compilation().tiles();
  const auto code = tiles[2].memory().category().vertexCode();
  EXPECT_EQ(code.interleaved(), 0u);
  EXPECT_EQ(code.overflowed(), 0u);
  EXPECT_EQ(code.nonInterleaved().nonOverlapped(), code.total());
  EXPECT_EQ(code.interleaved().nonOverlapped() + code.overflowed().nonOverlapped(), 0u);
  EXPECT_EQ(code.nonInterleaved(), 32u);
  EXPECT_EQ(tiles[2].memory().category().variable().interleaved(), 20u); // all of it is "t"
  EXPECT_EQ(tiles[3].memory().category().vertexCode().nonInterleaved(), 0u);
  // Tile 1 overflows, but nothing says by what.
  EXPECT_THROW(tiles[1].memory().category().vertexCode().overflowed(), pva::Error);
}

TEST(Report, TellsWhatIsLiveWhereAndWhen) {
  auto compilation = open(profile()).compilation();
  auto steps = compilation.livenessProgramSteps();
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].notAlwaysLiveMemory().bytes(), 60u);
  EXPECT_EQ(steps[0].notAlwaysLiveMemory().variables().at(0).name(), "t");
  EXPECT_EQ(steps[0].notAlwaysLiveBytes(), 60u);
  EXPECT_EQ(steps[0].notAlwaysLiveMemory().variables().at(0).liveSteps().at(0).first, 0u);
  EXPECT_EQ(steps[0].notAlwaysLiveMemoryForTile(1).bytes(), 40u);
  EXPECT_EQ(steps[0].notAlwaysLiveMemoryForIpu(1).bytes(), 20u);
  EXPECT_EQ(steps[2].notAlwaysLiveMemoryForIpu(1).bytes(), 0u);
  EXPECT_EQ(compilation.alwaysLiveVariables().size(), 1u);
  EXPECT_EQ(compilation.alwaysLiveVariablesForTile(0).at(0).name(), "x");
  EXPECT_TRUE(compilation.alwaysLiveVariablesForTile(1).empty());
  auto lowered = compilation.loweredVariables();
  EXPECT_EQ(lowered.allBriefVars().size(), 4u);
  auto spans = lowered.forTile(1).at(0).equivalenceClass().steps();
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0], (std::pair<std::uint64_t, std::uint64_t>(0, 1)));
  EXPECT_FALSE(lowered.allBriefVars().at(3).hasUnloweredVar());
  EXPECT_EQ(lowered.allBriefVars().at(3).name(), "vertexCode");
  EXPECT_EQ(compilation.interleavedBytes(), 60u);
}

TEST(Report, TellsCyclesOfStepsByIpuAndTile) {
  auto execution = open(profile()).execution();
  auto steps = execution.steps();
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[1].program()->type(), pva::Program::Type::OnTileExecute);
  EXPECT_EQ(steps[1].cyclesByTile(), (pva::NumberByTile{20, 20, 5, 0}));
  auto ipus = steps[1].ipus();
  EXPECT_EQ(ipus.at(1).cycles(), 20u);
  EXPECT_EQ(ipus.at(1).activeCycles().cyclesTo().max(), 15u);
  EXPECT_DOUBLE_EQ(ipus.at(0).tileBalance(), 1.0);
  EXPECT_DOUBLE_EQ(ipus.at(1).tileBalance(), 0.5);
  EXPECT_DOUBLE_EQ(ipus.at(1).activeTileBalance(), 1.0);
  EXPECT_EQ(steps[0].ipus().at(0).dataIn(), 64u);
  EXPECT_EQ(steps[1].computeSets().at(0).vertices().at(0).countByTile(),
            (pva::NumberByTile{2, 2, 2, 0}));
  EXPECT_DOUBLE_EQ(steps[1].program()->tileBalance(), 45.0 / 80);
  EXPECT_EQ(execution.runs().at(0).name(), "first");
  EXPECT_EQ(execution.runs().at(0).steps().size(), 2u);
  EXPECT_DOUBLE_EQ(execution.runs().at(0).microseconds().end(), 0.03);
  EXPECT_EQ(execution.blocks(2).size(), 1u);
  EXPECT_TRUE(execution.blocks(2)[0].isStreamCopy() && !execution.blocks(2)[0].isCommon());
  EXPECT_EQ(execution.blocks(3).at(0).tile(), 3u);
  EXPECT_EQ(execution.blocks().size(), 3u);
  EXPECT_TRUE(execution.blocks(0).at(0).isCommon());
  EXPECT_EQ(execution.totals().at(1).executions(), 2u);
  EXPECT_EQ(execution.programsRun().at(0).runs(), 2u);
  EXPECT_EQ(execution.droppedSteps(), 2u);
  EXPECT_EQ(steps[1].computeSets().at(0).vertices().at(0).estimatedFlops(), 18u);
  EXPECT_DOUBLE_EQ(execution.energy().averageWatts(), 0.5 / 60e-9);
}

TEST(Report, VisitorIsCalledByType) {
  Names names;
  for (const auto &program : open(profile()).compilation().programs())
    program->accept(names);
  EXPECT_EQ(names.seen, "sequence main;exchange in;execute cs;");
}

TEST(Report, ProgramKeepsTheReportAlive) {
  auto program = open(profile()).compilation().programs().at(0)->children().at(1);
  EXPECT_EQ(program->name(), "cs");
  EXPECT_EQ(program->estimatedCyclesByTile().at(2), 5u);
}

TEST(Report, RefusesEveryTruncation) {
  const auto bytes = profile();
  for (std::size_t size = 0; size < bytes.size(); size += size < 200 ? 1 : 509) {
    const auto message = messageOf(bytes.substr(0, size));
    EXPECT_NE(message.find("p.pop"), std::string::npos) << size << ": " << message;
  }
}

TEST(Report, NeverCrashesOnFlippedBytes) {
  const auto bytes = profile();
  unsigned refused = 0;
  std::uint32_t random = 1;
  for (int i = 0; i < 400; ++i) {
    auto broken = bytes;
    for (int k = 0; k < 1 + i % 7; ++k) {
      random = random * 1664525 + 1013904223;
      broken[random % broken.size()] = char(random >> 24);
    }
    refused += messageOf([&] {
                 auto report = open(broken);
                 Names names;
                 for (const auto &program : report.compilation().programs())
                   program->accept(names);
                 for (const auto &step : report.execution().steps())
                   step.cyclesByTile();
               }) != "no error";
  }
  EXPECT_GT(refused, 0u);
}

TEST(Report, RefusesForeignFiles) {
  EXPECT_NE(messageOf(std::string(5000, 'x')).find("is not a profile"), std::string::npos);
  EXPECT_NE(messageOf(std::string()).find("is empty"), std::string::npos);
  EXPECT_NE(messageOf(changed("PRAGMA application_id=1")).find("another program"),
            std::string::npos);
  EXPECT_NE(messageOf(changed("PRAGMA user_version=99")).find("format version 99"),
            std::string::npos);
  EXPECT_NE(messageOf(changed("DROP TABLE programs")).find("no such table: programs"),
            std::string::npos);
  EXPECT_NE(messageOf([] { pva::openReport("/no/such/file.pop"); }).find("No such file"),
            std::string::npos);
  EXPECT_NE(messageOf([] { pva::openReport("/tmp"); }).find("directory"), std::string::npos);
  EXPECT_NE(messageOf([] { pva::openReport("/dev/zero"); }).find("no ordinary file"),
            std::string::npos); // which never ends
}

TEST(Report, RefusesIdsAndSizesThatCannotBe) {
  EXPECT_EQ(messageOf(changed("UPDATE program_children SET child=77")),
            "Profile \"p.pop\" is damaged: table program_children, row 1, column 2: there is no "
            "program 77. "
            "Run the program again to write a new one.");
  const char *const damages[] = {
      "UPDATE program_children SET child=0",
      "UPDATE target SET tiles_per_ipu=4000000000",
      "UPDATE target SET num_ipus=0",
      "DELETE FROM target",
      "UPDATE program_tiles SET num_tiles=5",
      "UPDATE program_tiles SET first_tile=-1",
      "INSERT INTO program_tiles VALUES(2, 1, 1, 1, 1, 1, 1)",
      "INSERT INTO program_code VALUES(1, 2, 1, 1, 1)",
      "UPDATE program_code SET num_tiles=5",
      "UPDATE program_code SET exchange_bytes=-1",
      "UPDATE programs SET compute_set=NULL",
      "UPDATE programs SET id=50 WHERE id=2",
      "UPDATE var_parts SET first_tile=4",
      "UPDATE var_parts SET num_tiles=5",
      "UPDATE var_parts SET category=2",
      "UPDATE steps SET program=3",
      "DELETE FROM steps_by_ipu WHERE step_id=1",
      "UPDATE runs SET num_steps=3",
      "UPDATE liveness_spans SET first_step=3",
      "UPDATE liveness_spans SET num_steps=4",
      "INSERT INTO liveness_spans VALUES(1, 1, 1)",
      "UPDATE memory_by_category SET num_tiles=5",
      "INSERT INTO memory_by_tile VALUES(4,0,0,0,0,0)",
      "UPDATE blocks SET program=-1",
      "UPDATE blocks SET num_tiles=9",
      "UPDATE vertex_groups SET type=1",
      "UPDATE programs SET cycles=-5",
  };
  for (auto *damage : damages)
    EXPECT_NE(messageOf(changed(damage)).find("is damaged"), std::string::npos) << damage;
}

TEST(Report, SaysWhichOptionGivesLoweredVariables) {
  auto report = open(changed("DELETE FROM var_parts"));
  EXPECT_NE(messageOf([&] {
              report.compilation().alwaysLiveVariablesForTile(0);
            }).find("autoReport.outputLoweredVars"),
            std::string::npos);
}

TEST(Report, ReadsDebugInformationAsJson) {
  const auto base = testing::TempDir() + "pva-" + std::to_string(getpid());
  Writer writer(base + ".pop");
  fill(writer);
  writer.finish();
  std::ofstream(base + ".json") << R"({"stringTable":["", "conv", "a.cpp", "f"], "contexts":[
    {"id":8,"parentId":3,"name":1,"layer":"poplibs","location":{"fileName":2,"functionName":3,"lineNumber":5}}]})";
  auto contexts = pva::openReport(base + ".pop", base + ".json").debugContexts();
  ASSERT_EQ(contexts.size(), 1u);
  EXPECT_EQ(contexts[0].name(), "conv");
  EXPECT_EQ(contexts[0].location().fileName(), "a.cpp");
  EXPECT_EQ(contexts[0].location().lineNumber(), 5u);
  std::ofstream(base + ".json") << R"({"stringTable":[], "contexts":[{"id":8,"name":1}]})";
  EXPECT_NE(messageOf([&] { pva::openReport(base + ".pop", base + ".json"); }).find("is damaged"),
            std::string::npos);
  std::remove((base + ".pop").c_str());
  std::remove((base + ".json").c_str());
}

TEST(Report, GroupsProgramsByTheOperationThatMadeThem) {
  const auto base = testing::TempDir() + "pva-operations-" + std::to_string(getpid());
  Writer writer(base + ".pop");
  fill(writer);
  writer.finish();
  // Programs 0, 1 and 2 have the contexts 7, 8 and 9; 9 is a call of PopLibs within one of "onnx".
  std::ofstream(base + ".json") << R"({"stringTable":["", "main", "exchange", "add", "Sum"],
    "contexts":[{"id":7,"name":1,"layer":"poplar"}, {"id":8,"parentId":5,"name":2,"layer":"poplar"},
                {"id":5,"parentId":4,"name":3,"layer":"poplibs"},
                {"id":9,"parentId":5,"name":2,"layer":"poplar"},
                {"id":4,"parentId":4,"name":4,"layer":"onnx","onnx":{"opName":"Sum:1"}}]})";
  const auto report = pva::openReport(base + ".pop", base + ".json");
  const auto operations = pva::OperationAnalysis(report).operations();
  ASSERT_EQ(operations.size(), 2u);
  EXPECT_EQ(operations[0].name(), "main");
  EXPECT_EQ(operations[0].programs().size(), 1u);
  EXPECT_EQ(operations[0].firstStepIndex(), -1); // only leaves are steps
  EXPECT_EQ(operations[0].lastStepIndex(), -1);
  const auto &sum = operations[1];
  EXPECT_EQ(sum.name(), "Sum:1");
  EXPECT_EQ(sum.debugContext().layer(), "onnx");
  EXPECT_EQ(sum.programs().size(), 2u);
  EXPECT_EQ(sum.programs().at(1)->name(), "cs");
  EXPECT_EQ(sum.firstStepIndex(), 0);
  EXPECT_EQ(sum.lastStepIndex(), 1);
  EXPECT_EQ(sum.vars().at(0).name(), "x");
  EXPECT_EQ(report.debugContexts().at(1).parent().name(), "add");
  EXPECT_FALSE(report.debugContexts().at(0).hasParent());
  EXPECT_TRUE(pva::OperationAnalysis(pva::openReport(base + ".pop")).operations().empty());
  std::remove((base + ".pop").c_str());
  std::remove((base + ".json").c_str());
}

TEST(Report, AnswersQuestionsInSqlTileByTile) {
  EXPECT_EQ(asked("SELECT count(*) FROM vars_info"), 4);
  EXPECT_EQ(asked("SELECT sum(size_bytes) FROM vars_info WHERE tile = 0"), 132);
  EXPECT_EQ(asked("SELECT count(*) FROM vars_info JOIN var_categories c ON c.id = category "
                  "WHERE c.name = 'vertexCode'"),
            1);
}

TEST(Report, PartsOfARangeAreOnEachOfItsTiles) {
  const auto report = open(changed("UPDATE var_parts SET first_tile=1, num_tiles=3 WHERE var=0"));
  const auto lowered = report.compilation().loweredVariables();
  const auto all = lowered.allBriefVars();
  ASSERT_EQ(all.size(), 6u);
  for (std::uint64_t tile : {1u, 2u, 3u}) {
    EXPECT_EQ(all[tile - 1].tileId(), tile);
    EXPECT_EQ(lowered.forTile(tile).at(0).bytes(), 100u);
    EXPECT_EQ(lowered.forTile(tile).at(0).name(), "x");
  }
  EXPECT_EQ(all[3].tileId(), 1u);
  EXPECT_EQ(lowered.forTile(0).size(), 1u);
}

TEST(Report, TellsTheCodeOfAProgramByTile) {
  const auto exchange = open(profile()).compilation().allPrograms().at(1);
  EXPECT_EQ(exchange->controlCodeByTile(), (pva::NumberByTile{0, 8, 8, 0}));
  EXPECT_EQ(exchange->codeBytesByTile(), (pva::NumberByTile{0, 100, 100, 0}));
  EXPECT_EQ(exchange->codeBytes(), 216u);
  const auto older = open(changed("DROP TABLE program_code")); // which did not know
  EXPECT_EQ(older.compilation().allPrograms().at(1)->codeBytesByTile(), pva::NumberByTile(4));
}

TEST(Report, PrintsSoManyElementsOfAList) {
  const auto report = open(profile());
  report.listPrintLength(1);
  std::ostringstream out;
  out << report;
  const auto first = report.compilation().tiles()[0].memory().total().excludingGaps();
  EXPECT_NE(out.str().find("memory by tile: 4: " + std::to_string(first) + ", ...\n"),
            std::string::npos)
      << out.str();
}

TEST(Writer, LeavesNothingBehindUnlessFinished) {
  const auto path = testing::TempDir() + "unfinished-" + std::to_string(getpid()) + ".pop";
  {
    Writer writer(path);
    fill(writer);
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  EXPECT_NE(access((path + ".partial-" + std::to_string(getpid())).c_str(), F_OK), 0);
}

TEST(Writer, NamesTheDirectoryThatIsMissing) {
  EXPECT_NE(messageOf([] {
              Writer writer("/no/such/directory/profile.pop");
            }).find("/no/such/directory/profile.pop"),
            std::string::npos);
}
