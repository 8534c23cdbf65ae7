// SPDX-License-Identifier: MIT
#include "base/Text.hpp"
#include "onnx/export.hpp"
#include "onnx/import.hpp"
#include "onnx/testmodels.hpp"
#include <fstream>
#include <gtest/gtest.h>
#include <popart/error.hpp>

using namespace popart;
using namespace popart::onnxmodel;
using namespace popart::testing;
using ir::HostTensor;

namespace {

onnx::ModelProto model() {
  auto out = parsed(R"(<ir_version: 7, opset_import: ["" : 13]>
    g (float[2] x) => (float[2] y) { s = Add(x, w)  y = Mul(s, v) })");
  addFloats(out, "w", {1, 2});
  addFloats(out, "v", {3, 4});
  return out;
}
// Locations relative to the folder they are in.
void makeRelative(onnx::ModelProto &model) {
  for (auto &tensor : *model.mutable_graph()->mutable_initializer())
    if (isExternal(tensor)) {
      auto &entry = *tensor.mutable_external_data(0);
      entry.set_value(std::filesystem::path(entry.value()).filename().string());
    }
}
std::vector<double> values(const Model &model, const std::string &name) {
  TensorReader reader(model.folder, model.proto);
  for (const auto &tensor : model.proto->graph().initializer())
    if (tensor.name() == name)
      return reader.read(tensor).doubles();
  return {};
}

} // namespace

TEST(Export, WritesNewValuesAndFurtherInitializers) {
  const TemporaryFolder folder;
  const auto file = folder.path / "model.onnx";
  writeModel(
      model(),
      {{"w", HostTensor::of<float>({2}, {7, 8})}, {"Accl___w", HostTensor::of<float>({1}, {9})}},
      file);
  const auto back = loadModel(file);
  EXPECT_EQ(values(back, "w"), (std::vector<double>{7, 8}));
  EXPECT_EQ(values(back, "v"), (std::vector<double>{3, 4}));
  EXPECT_EQ(values(back, "Accl___w"), (std::vector<double>{9}));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1);
}

TEST(Export, RewritesExternalDataInItsOwnFile) {
  const TemporaryFolder from, to;
  auto m = model();
  storeExternally(m, {"w", "v"}, from.path / "data.bin");
  makeRelative(m);
  writeModel(m, {{"v", HostTensor::of<float>({2}, {5, 6})}}, to.path / "model.onnx", from.path);
  const auto back = loadModel(to.path / "model.onnx");
  EXPECT_EQ(values(back, "w"), (std::vector<double>{1, 2}));
  EXPECT_EQ(values(back, "v"), (std::vector<double>{5, 6}));
  EXPECT_EQ(values({std::make_shared<onnx::ModelProto>(m), from.path}, "v"),
            (std::vector<double>{3, 4}));
  EXPECT_THROW(storeExternally(m, {"w"}, from.path / "again.bin"), error);
}

TEST(Export, LeavesTheOldModelWhenTheNewOneCannotBeWritten) {
  const TemporaryFolder folder;
  const auto file = folder.path / "model.onnx";
  writeModel(model(), {}, file);
  try {
    writeModel(model(), {{"w", HostTensor::of<float>({3}, {1, 2, 3})}}, file);
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "Initializer \"w\" is FLOAT [2]; its new value is FLOAT [3].");
  }
  EXPECT_EQ(values(loadModel(file), "w"), (std::vector<double>{1, 2}));
  EXPECT_THROW(writeModel(model(), {}, "/proc/none/model.onnx"), error);
}

TEST(Export, ChangesNoModelWhoseExternalDataCannotBeWritten) {
  const TemporaryFolder folder;
  auto m = model();
  const auto before = m.SerializeAsString();
  const auto file = folder.path / "data.bin";
  EXPECT_THROW(storeExternally(m, {"w", "none"}, file), error);
  EXPECT_THROW(storeExternally(m, {"w", "w"}, file), error);
  EXPECT_THROW(storeExternally(m, {"w"}, "/dev/full"), error);
  EXPECT_EQ(m.SerializeAsString(), before);
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Export, NamesExternalDataFromTheModelsFolder) {
  const TemporaryFolder folder, other;
  auto m = model();
  storeExternally(m, {"w"}, folder.path / "data.bin"); // named absolutely
  const auto bytes = m.SerializeAsString();
  EXPECT_EQ(values(parseModel(bytes, other.path), "w"), (std::vector<double>{1, 2})); // our own
  EXPECT_NO_THROW(importModel(parseModel(bytes, other.path)));
  auto foreign = m;
  std::ofstream(other.path / "foreign.bin") << std::string(5000, 'x');
  foreign.mutable_graph()->mutable_initializer(0)->mutable_external_data(0)->set_value(
      (other.path / "foreign.bin").string());
  EXPECT_THROW(importModel(parseModel(foreign.SerializeAsString(), folder.path)), error);

  auto saved = m;
  nameFrom(folder.path, saved);
  EXPECT_EQ(saved.graph().initializer(0).external_data(0).value(), "data.bin");
  try {
    nameFrom(other.path, m);
    FAIL();
  } catch (const error &e) {
    EXPECT_EQ(std::string(e.what()),
              base::str("The values of \"w\" lie in ", (folder.path / "data.bin").string(),
                        ", which is not below ", other.path.string(),
                        ", where the model is to be saved: ONNX finds them only there. Save the "
                        "model above them, or store them below its folder."));
  }
  writeModel(m, {}, other.path / "model.onnx"); // brings its data along
  EXPECT_EQ(values(loadModel(other.path / "model.onnx"), "w"), (std::vector<double>{1, 2}));
  EXPECT_TRUE(std::filesystem::exists(other.path / "data.bin"));
}
