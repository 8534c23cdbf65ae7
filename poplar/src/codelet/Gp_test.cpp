// SPDX-License-Identifier: MIT
// .gp files: round trip, joining, and every way of being damaged.
#include "base/Bytes.hpp"
#include "base/Text.hpp"
#include "codelet/Gp.hpp"
#include "codelet/Process.hpp"
#include "codelet/TestVertex.hpp"

using namespace poplar::codelet;
using namespace poplar::codelet::test;

namespace {

Module sample(const std::string &hash) {
  Module m;
  m.contentHash = hash;
  m.sourceName = hash + ".cpp";
  m.machine = "x86-64";
  m.image = "code";
  VertexType t;
  t.name = "Foo<float>";
  t.hostSize = 24;
  t.hostAlign = 8;
  t.fields.resize(2);
  t.fields[0].name = "in";
  t.fields[0].hostSize = 16;
  t.fields[1].name = "n";
  t.fields[1].hostOffset = 16;
  t.fields[1].hostSize = 4;
  m.types.push_back(t);
  return m;
}

Gp sampleGp() {
  Gp gp;
  gp.add("ipu2", "ipu2", sample("one"));
  gp.add("ipu21", "ipu21", sample("one"));
  gp.add("ipu2:cpp", "ipu2", sample("two"));
  return gp;
}

TEST(Gp, StoresEqualModulesOnce) {
  const Gp gp = sampleGp();
  EXPECT_EQ(gp.modules.size(), 2u);
  EXPECT_EQ(gp.modulesFor("ipu21").at(0)->contentHash, "one");
}

TEST(Gp, FindsTargetsByNameThenByArchitecture) {
  Gp gp;
  gp.add("ipu2:cpp", "ipu2", sample("two"));
  EXPECT_EQ(gp.modulesFor("ipu2").at(0)->contentHash, "two");
  gp.add("ipu2", "ipu2", sample("one"));
  EXPECT_EQ(gp.modulesFor("ipu2").at(0)->contentHash, "one");
  EXPECT_EQ(gp.modulesFor("ipu2:cpp").at(0)->contentHash, "two");
  EXPECT_TRUE(gp.modulesFor("cpu").empty());
}

TEST(Gp, SurvivesAFile) {
  const TemporaryDirectory folder;
  const std::string path = folder.file("x.gp");
  writeGp(sampleGp(), path);
  const Gp back = readGp(path);
  EXPECT_EQ(serialise(back), serialise(sampleGp()));
  EXPECT_EQ(back.modules[0].types[0].find("n")->hostOffset, 16u);
}

TEST(Gp, JoinsTargetsOfTheSameName) {
  Gp a, b;
  a.add("ipu2", "ipu2", sample("one"));
  b.add("ipu2", "ipu2", sample("two"));
  b.add("cpu", "cpu", sample("one"));
  a.merge(b);
  EXPECT_EQ(a.modules.size(), 2u);
  EXPECT_EQ(a.modulesFor("ipu2").size(), 2u);
  EXPECT_EQ(a.modulesFor("cpu").at(0)->contentHash, "one");
}

TEST(Gp, RefusesEveryTruncation) {
  const std::string bytes = serialise(sampleGp());
  for (std::size_t n = 0; n < bytes.size(); ++n)
    EXPECT_THROW(parseGp(std::string_view(bytes).substr(0, n), "x.gp"), GpError) << n;
  EXPECT_NO_THROW(parseGp(bytes, "x.gp"));
  EXPECT_THROW(parseGp(bytes + "x", "x.gp"), GpError);
}

TEST(Gp, RefusesForeignAndMissingFiles) {
  const TemporaryDirectory folder;
  writeFile(folder.file("elf.gp"), "\x7f"
                                   "ELF something else entirely, long enough to have a mark");
  try {
    readGp(folder.file("elf.gp"));
    FAIL();
  } catch (const GpError &e) {
    EXPECT_NE(std::string(e.what()).find("elf.gp"), std::string::npos);
    EXPECT_NE(std::string(e.what()).find("popc -o"), std::string::npos);
  }
  EXPECT_THROW(readGp(folder.file("none.gp")), GpError);
  EXPECT_THROW(readGp(folder.file("")), GpError);
}

// Behind a right checksum: sizes and indices are still not believed.
TEST(Gp, BelievesNoByteOfTheBody) {
  const std::string bytes = serialise(sampleGp());
  const std::size_t body = bytes.find('\n') + 1 + 8;
  std::size_t refused = 0;
  for (std::size_t at = body; at < bytes.size(); ++at)
    for (const int change : {0x01, 0x80, 0xff}) {
      std::string damaged = bytes;
      damaged[at] = char(damaged[at] ^ change);
      base::ByteWriter sum;
      sum.number(base::hashBytes(damaged.data() + body, damaged.size() - body));
      damaged.replace(body - 8, 8, sum.take());
      try {
        const Gp gp = parseGp(damaged, "x.gp");
        for (const GpTarget &t : gp.targets)
          for (const auto m : t.modules)
            ASSERT_LT(m, gp.modules.size());
      } catch (const GpError &) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 100u);
}

TEST(Gp, RunsACompiledModuleAfterAFile) {
  const TemporaryDirectory folder;
  Gp gp;
  gp.add("ipu2", "ipu2",
         *compileText(
             prologue() +
             "class A : public Vertex { public: InOut<float> x; void compute() { *x *= 2; } };"));
  writeGp(gp, folder.file("a.gp"));
  LoadedModule loaded(
      std::make_shared<const Module>(*readGp(folder.file("a.gp")).modulesFor("ipu2").at(0)));
  float x = 4;
  VertexStorage v(loaded.module().types[0]);
  v.scalar("x", x);
  void *vertex = v.address();
  loaded.entry(0).run(&vertex, 1, &now);
  EXPECT_EQ(x, 8.0f);
}

TEST(Module, ForAnotherProcessorIsNotLoaded) {
  auto module = std::make_shared<Module>(sample("one"));
  module->machine = "x86-64-v9";
  EXPECT_THROW(LoadedModule{module}, LinkError);
}

} // namespace
