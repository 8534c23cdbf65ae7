// SPDX-License-Identifier: MIT
// Models whose weights stay outside the messages are the same models.
#include "onnx/import.hpp"
#include "onnx/skim.hpp"
#include "onnx/testmodels.hpp"
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <popart/error.hpp>

using namespace popart;
using namespace popart::onnxmodel;
using namespace popart::testing;

namespace {

constexpr std::size_t never = ~std::size_t(0);

// Weights in every form: raw, in fields, in a file beside the model.
onnx::ModelProto mixed(const std::filesystem::path &folder) {
  auto model = parsed(R"(<ir_version: 7, opset_import: ["" : 13]>
    g (float[2,3] x) => (float[6] y) { h = MatMul(x, w)  a = Add(h, b)  m = Mul(a, e)
                                       p = Add(m, f)  y = Reshape(p, s) })");
  addFloats(model, "w", {1, 2, 3, 4, 5, 6, 7, 8, 9}, Shape{3, 3});
  addFloats(model, "b", {1, 2, 3});
  addFloats(model, "e", {2, 2, 2});
  addIntegers(model, "s", {6});
  auto &f = *model.mutable_graph()->add_initializer();
  f.set_name("f");
  f.set_data_type(onnx::TensorProto::FLOAT);
  f.add_dims(3);
  for (float v : {7.f, 8.f, 9.f})
    f.add_float_data(v);
  storeExternally(model, {"e"}, folder / "e.bin");
  for (auto &tensor : *model.mutable_graph()->mutable_initializer())
    if (isExternal(tensor))
      tensor.mutable_external_data(0)->set_value("e.bin");
  return model;
}

std::string describe(const Model &model) {
  const auto graph = importModel(model);
  std::string out = ir::text(graph);
  for (std::uint32_t i = 0; i < graph.size(); ++i)
    if (const auto &data = graph[ir::Value{i}].data; data)
      for (double value : data.doubles())
        out += graph[ir::Value{i}].name + " " + std::to_string(value) + "\n";
  return out;
}

std::string outcome(const std::string &bytes, const std::filesystem::path &folder,
                    std::size_t large) {
  try {
    return describe(parseModel({bytes, nullptr}, folder, large));
  } catch (const internal_error &) {
    throw;
  } catch (const error &e) {
    return e.what();
  }
}

bool within(const void *p, const std::string &bytes) {
  return p >= bytes.data() && p < bytes.data() + bytes.size();
}

} // namespace

TEST(Skim, KnowsWhereLargeRawDataIsAndLeavesTheRest) {
  const TemporaryFolder folder;
  const auto model = mixed(folder.path);
  const auto bytes = model.SerializeAsString();
  const auto skimmed = skim(bytes, 12);
  ASSERT_TRUE(skimmed);
  ASSERT_EQ(skimmed->raw.size(), 5u);
  EXPECT_EQ(skimmed->raw[0], model.graph().initializer(0).raw_data());
  EXPECT_EQ(skimmed->raw[1], model.graph().initializer(1).raw_data());
  for (int i : {2, 3, 4}) // external, too small, in fields
    EXPECT_TRUE(skimmed->raw[std::size_t(i)].empty()) << i;
  auto expected = model;
  for (int i : {0, 1})
    expected.mutable_graph()->mutable_initializer(i)->mutable_raw_data()->resize(1);
  EXPECT_EQ(skimmed->rest, expected.SerializeAsString());
  EXPECT_FALSE(skim(bytes, 37));
  EXPECT_FALSE(skim("", 1));
}

TEST(Skim, SharesBytesThatHaveAnOwnerAndCopiesOthers) {
  const TemporaryFolder folder;
  const auto original = mixed(folder.path);
  const auto text = std::make_shared<const std::string>(original.SerializeAsString());
  const auto plain = describe(parseModel({*text, nullptr}, folder.path, never));
  const auto shared = parseModel({*text, text}, folder.path, 1);
  EXPECT_EQ(describe(shared), plain);
  EXPECT_EQ(shared.whole().SerializeAsString(), *text);
  TensorReader reader(shared);
  const auto &initializers = shared.proto->graph().initializer();
  EXPECT_TRUE(within(reader.read(initializers[0]).data(), *text));
  EXPECT_FALSE(within(reader.read(initializers[4]).data(), *text));

  std::string lent = *text;
  const auto copied = parseModel({lent, nullptr}, folder.path, 1);
  EXPECT_FALSE(
      within(TensorReader(copied).read(copied.proto->graph().initializer(0)).data(), lent));
  std::fill(lent.begin(), lent.end(), '\xff');
  EXPECT_EQ(describe(copied), plain);

  // A tensor keeps what it needs.
  ir::HostTensor kept;
  {
    auto own = Bytes::of(*text);
    const auto model = parseModel(own, folder.path, 1);
    kept = TensorReader(model).read(model.proto->graph().initializer(1));
  }
  EXPECT_EQ(kept.doubles(), (std::vector<double>{1, 2, 3}));
}

TEST(Skim, ManyPiecesAreKeptInOneBlock) {
  std::string a(9'000'001, 'a'), b(70, 'b');
  std::vector<std::string_view> pieces{a, {}, b};
  const auto owner = keep(pieces);
  EXPECT_EQ(pieces[0], a);
  EXPECT_TRUE(pieces[1].empty());
  EXPECT_EQ(pieces[2], b);
  EXPECT_FALSE(within(pieces[0].data(), a));
  std::vector<std::string_view> nothing(3);
  EXPECT_EQ(keep(nothing), nullptr);
}

// With the weights outside, every shortened or changed model is what the parser makes of it, or the
// same error.
TEST(Skim, EveryTruncatedOrChangedByteHasTheSameOutcome) {
  const TemporaryFolder folder;
  const auto bytes = mixed(folder.path).SerializeAsString();
  std::size_t accepted = 0;
  ASSERT_EQ(parseModel({bytes, nullptr}, folder.path, 1).raw.size(), 5u);
  const auto check = [&](const std::string &changed, std::size_t at) {
    const auto plain = outcome(changed, folder.path, never);
    ASSERT_EQ(outcome(changed, folder.path, 1), plain) << "byte " << at;
    accepted += plain.rfind("maingraph", 0) == 0;
  };
  for (std::size_t size = 0; size < bytes.size(); ++size)
    check(bytes.substr(0, size), size);
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (unsigned char mask : {0x01, 0x08, 0x80}) {
      auto changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ mask);
      check(changed, at);
    }
  EXPECT_GT(accepted, 100u); // other values, names of documentation, ...
}

TEST(Skim, WhatIsWrittenUnusuallyMeansTheSame) {
  const TemporaryFolder folder;
  const auto model = mixed(folder.path);
  const auto bytes = model.SerializeAsString();
  onnx::ModelProto more;
  addFloats(more, "unused", {4, 5, 6});
  auto twice = model.graph().initializer(1).SerializeAsString();
  onnx::TensorProto second;
  second.set_raw_data(std::string(12, '\0'));
  twice += second.SerializeAsString(); // the later raw_data counts
  onnx::ModelProto merged = model;
  merged.mutable_graph()->mutable_initializer()->DeleteSubrange(1, 1);
  std::string graph = merged.graph().SerializeAsString();
  graph.push_back('\x2a');
  graph.push_back(char(twice.size()));
  graph += twice;
  merged.clear_graph();
  const auto header = merged.SerializeAsString();
  const std::string length{char((graph.size() & 127) | 128), char(graph.size() >> 7)};
  for (const auto &text :
       {bytes + more.SerializeAsString(),           // two graphs are merged
        header + "\x3a" + length + graph,           // raw_data twice
        bytes + std::string("\x08\x87\x80\x00", 4), // a number longer than it must be
        std::string("\x0b\x0c") + bytes})           // a group
    EXPECT_EQ(outcome(text, folder.path, 1), outcome(text, folder.path, never));
}

TEST(Skim, LargeFilesAreMappedAndMustNotBeWrittenTo) {
  const TemporaryFolder folder;
  auto model = parsed(R"(<ir_version: 7, opset_import: ["" : 13]>
    g (float[4] x) => (float[4] y) { s = Gather(w, i)  y = Add(x, s) })");
  std::vector<float> values(std::size_t(17) << 20);
  values[1] = 3;
  addFloats(model, "w", values);
  addIntegers(model, "i", {0, 1, 2, 3});
  const auto path = folder.path / "model.onnx";
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
  const auto loaded = loadModel(path);
  ASSERT_TRUE(loaded.file);
  const auto read = [&] { return TensorReader(loaded).read(loaded.proto->graph().initializer(0)); };
  EXPECT_EQ(static_cast<const char *>(read().data()), loaded.raw[0].data());
  EXPECT_EQ(std::memcmp(read().data(), values.data(), values.size() * sizeof(float)), 0);

  // Another file under its name leaves the mapped one alone.
  std::ofstream(folder.path / "other", std::ios::binary) << "other";
  std::filesystem::rename(folder.path / "other", path);
  EXPECT_EQ(std::memcmp(read().data(), values.data(), values.size() * sizeof(float)), 0);

  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
  const auto again = loadModel(path);
  std::ofstream(path, std::ios::binary) << "written over";
  try {
    TensorReader(again).read(again.proto->graph().initializer(0));
    FAIL();
  } catch (const error &e) {
    EXPECT_EQ(std::string(e.what()),
              "The model file \"" + path.string() +
                  "\" was written to while a session uses its weights. Make the session again, and "
                  "write models to another file that is then renamed.");
  }
}
