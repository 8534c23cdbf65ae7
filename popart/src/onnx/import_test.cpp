// SPDX-License-Identifier: MIT
#include "model.hpp"
#include "onnx/import.hpp"
#include "onnx/testmodels.hpp"
#include <fstream>
#include <popart/builder.hpp>
#include <popart/error.hpp>
#include <sys/stat.h>

using namespace popart;
using namespace popart::onnxmodel;
using namespace popart::testing;

namespace {

// The value of the first output for these inputs.
Doubles runFirst(ir::Graph graph, const std::vector<Doubles> &inputs) {
  popart::testing::Model m;
  m.graph = std::move(graph);
  for (std::size_t i = 0; i < inputs.size(); ++i)
    m.feed(m.graph.inputs[i], inputs[i]);
  return m.run(m.graph.outputs[0]);
}
Doubles runText(const std::string &text, const std::vector<Doubles> &inputs) {
  return runFirst(importModel(parsed(text)), inputs);
}

std::string problem(const onnx::ModelProto &model, const ImportOptions &options = {}) {
  try {
    importModel(model, options);
  } catch (const error &e) {
    return e.what();
  }
  return "accepted";
}
std::string problem(const std::string &text) { return problem(parsed(text)); }

const std::string header = "<ir_version: 7, opset_import: [\"\" : 13, \"ai.graphcore\" : 1]>\n";

onnx::ModelProto withWeights() {
  auto model =
      parsed(header + R"(g (float[2] x) => (float[2] y) { s = Add(x, w)  y = Mul(s, v) })");
  addFloats(model, "w", {1, 2});
  addFloats(model, "v", {3, 4});
  addFloats(model, "unused", {5, 6});
  return model;
}

} // namespace

TEST(Import, GivesNodesAndTensorsTheNamesOfTheModel) {
  const auto graph = importModel(parsed(header + R"(g (float[2,3] x, float[3] b) => (float[2,3] y)
    { s = Add(x, b)  y = Relu(s) })"));
  EXPECT_EQ(ir::text(graph), "maingraph:\n"
                             "  s = Add(x, b)  FLOAT [2,3]\n"
                             "  y = Relu(s)  FLOAT [2,3]\n");
  EXPECT_EQ(graph[graph.inputs[1]].name, "b");
  EXPECT_EQ(graph[graph.inputs[1]].kind, ir::Kind::Stream);
  EXPECT_EQ(graph[graph.outputs[0]].name, "y");
}

TEST(Import, MakesWeightsVariablesOrConstantsAndDropsUnusedOnes) {
  const auto model = withWeights();
  for (const auto &[training, constant, kind] :
       std::vector<std::tuple<bool, bool, ir::Kind>>{{false, true, ir::Kind::Constant},
                                                     {false, false, ir::Kind::Variable},
                                                     {true, true, ir::Kind::Variable}}) {
    ImportOptions options;
    options.training = training;
    options.constantWeights = constant;
    const auto graph = importModel(model, options);
    EXPECT_EQ(graph[graph.require("w")].kind, kind);
    EXPECT_EQ(graph[graph.require("w")].data.doubles(), (Doubles{1, 2}));
    EXPECT_EQ(graph.find("unused"), ir::none);
  }
  expectNear(runFirst(importModel(model), {{10, 20}}), {33, 88});
}

TEST(Import, KeepsShapesThatAreWeightsAndLeavesOutWhatNobodyUses) {
  auto model = parsed(header + "g (float[2,3] x) => (float[6] y) { y = Reshape(x, shape) }");
  addIntegers(model, "shape", {6});
  addFloats(model, "Accl___w", {1});
  ImportOptions options;
  options.training = true;
  const auto graph = importModel(model, options);
  EXPECT_EQ(graph[graph.require("shape")].kind, ir::Kind::Constant);
  EXPECT_EQ(graph.find("Accl___w"), ir::none);
}

TEST(Import, TakesWhatMustBeKnownFromWeightsWhenTraining) {
  auto model = parsed("<ir_version: 7, opset_import: [\"\" : 9]> g (float[1,1,1,2] x) => "
                      "(float[1,1,2,4] y) { y = Upsample(x, s) }");
  addFloats(model, "s", {1, 1, 2, 2});
  ImportOptions options;
  options.training = true;
  const auto graph = importModel(model, options);
  EXPECT_EQ(graph[graph.require("s")].kind, ir::Kind::Constant);
  expectNear(runFirst(graph, {{3, 4}}), {3, 3, 4, 4, 3, 3, 4, 4});
}

TEST(Import, DoesNotTrainTheLimitsOfAClip) {
  auto model = parsed(header + R"(g (float[4] x) => (float[4] y)
    { s = Mul(x, w)  y = Clip(s, low, high) })");
  addFloats(model, "w", {1}, {});
  addFloats(model, "low", {-1}, {});
  addFloats(model, "high", {2}, {});
  ImportOptions options;
  options.training = true;
  const auto graph = importModel(model, options);
  EXPECT_EQ(graph[graph.require("w")].kind, ir::Kind::Variable);
  EXPECT_EQ(graph[graph.require("low")].kind, ir::Kind::Constant);
}

TEST(Import, ReadsEveryEncodingOfATensor) {
  for (const bool raw : {false, true}) {
    onnx::TensorProto t;
    t.set_data_type(onnx::TensorProto::FLOAT16);
    t.add_dims(2);
    if (raw)
      t.set_raw_data(std::string("\x00\x3c\x00\xc0", 4)); // 1, -2
    else {
      t.add_int32_data(0x3c00);
      t.add_int32_data(0xc000);
    }
    EXPECT_EQ(TensorReader().read(t).doubles(), (Doubles{1, -2}));
  }
  onnx::TensorProto packed; // two in an element, as the vendor writes them
  packed.set_data_type(onnx::TensorProto::FLOAT16);
  packed.add_dims(3);
  packed.add_int32_data(static_cast<std::int32_t>(0xc0003c00u));
  packed.add_int32_data(0x4200);
  EXPECT_EQ(TensorReader().read(packed).doubles(), (Doubles{1, -2, 3}));
  onnx::TensorProto t;
  t.set_name("t");
  t.set_data_type(onnx::TensorProto::UINT32);
  t.add_dims(2);
  t.add_uint64_data(7);
  try {
    TensorReader().read(t);
    FAIL();
  } catch (const error &e) {
    EXPECT_STREQ(e.what(), "Tensor \"t\" is UINT32 [2], but has 1 values.");
  }
  t.add_uint64_data(8);
  EXPECT_EQ(TensorReader().read(t).integers(), (ir::Integers{7, 8}));
}

TEST(Import, ReadsExternalDataAndSaysWhatIsWrongWithIt) {
  const TemporaryFolder folder;
  auto model = withWeights();
  storeExternally(model, {"w", "v"}, folder.path / "weights.bin");
  for (auto &tensor : *model.mutable_graph()->mutable_initializer())
    if (isExternal(tensor))
      tensor.mutable_external_data(0)->set_value("weights.bin");
  std::ofstream(folder.path / "model.onnx", std::ios::binary) << model.SerializeAsString();
  const auto loaded = loadModel(folder.path / "model.onnx");
  expectNear(runFirst(importModel(loaded), {{10, 20}}), {33, 88});

  std::filesystem::resize_file(folder.path / "weights.bin", 4100);
  try {
    importModel(loaded);
    FAIL();
  } catch (const error &e) {
    EXPECT_EQ(std::string(e.what()), base::str("Tensor \"v\" needs 8 bytes from byte 4096 of ",
                                               folder.path / "weights.bin",
                                               ", which has only 4100. The file is truncated."));
  }
  std::filesystem::remove(folder.path / "weights.bin");
  EXPECT_NE(problem(*loaded.proto).find("weights.bin"), std::string::npos);
}

TEST(Import, ReadsNoExternalDataOutsideTheFolderOfTheModel) {
  const TemporaryFolder folder, other;
  const auto secret = other.path / "secret.bin";
  std::ofstream(secret, std::ios::binary) << std::string(4096 + 8, 'x');
  std::filesystem::create_directory(folder.path / "below");
  std::filesystem::create_symlink(secret, folder.path / "link.bin");
  std::filesystem::create_directory_symlink(other.path, folder.path / "linked");
  std::filesystem::create_symlink("../inside.bin", folder.path / "below" / "link.bin");
  std::filesystem::copy_file(secret, folder.path / "inside.bin");
  const auto problemAt = [&](const std::string &location) {
    auto model = withWeights();
    storeExternally(model, {"w"}, folder.path / "w.bin");
    model.mutable_graph()->mutable_initializer(0)->mutable_external_data(0)->set_value(location);
    try {
      importModel(parseModel(model.SerializeAsString(), folder.path));
    } catch (const error &e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(problemAt("inside.bin"), "accepted");
  EXPECT_EQ(problemAt((folder.path / "inside.bin").string()), "accepted"); // named absolutely
  EXPECT_EQ(problemAt("below/link.bin"), "accepted"); // out of its folder, but not the model's
  for (const char *link : {"link.bin", "linked/secret.bin"})
    EXPECT_EQ(problemAt(link),
              base::str("Tensor \"w\" has its data in \"", link, "\", which is a link to ", secret,
                        ", outside the model's folder. Copy the file there, or name the folder it "
                        "is in in OPENIPU_EXTERNAL_DATA."));
  for (const auto &place : {secret.string(), "../" + other.path.filename().string() + "/secret.bin",
                            std::string("linked/../../etc/passwd")})
    EXPECT_NE(problemAt(place), "accepted") << place;
  ::setenv("OPENIPU_EXTERNAL_DATA", ("/none:" + other.path.string()).c_str(), 1);
  EXPECT_EQ(problemAt("link.bin"), "accepted");
  EXPECT_EQ(problemAt(secret.string()), "accepted");
  EXPECT_EQ(problemAt("../" + other.path.filename().string() + "/secret.bin"), "accepted");
  EXPECT_NE(problemAt("/etc/passwd"), "accepted");
  ::unsetenv("OPENIPU_EXTERNAL_DATA");
}

TEST(Import, ChecksWhereExternalDataLies) {
  const TemporaryFolder folder;
  auto model = withWeights();
  storeExternally(model, {"w"}, folder.path / "w.bin");
  auto &tensor = *model.mutable_graph()->mutable_initializer(0);
  tensor.mutable_external_data(0)->set_value("w.bin");
  const auto with = [&](int entry, const char *value) {
    auto changed = model;
    changed.mutable_graph()->mutable_initializer(0)->mutable_external_data(entry)->set_value(value);
    try {
      importModel(parseModel(changed.SerializeAsString(), folder.path));
    } catch (const error &e) {
      return std::string(e.what());
    }
    return std::string("accepted");
  };
  EXPECT_EQ(with(0, "w.bin"), "accepted");
  for (const char *offset : {"1", "8", "-1", "18446744073709551615", "99999999999999999999", "x"})
    EXPECT_EQ(with(1, offset).find("Tensor \"w\" "), 0u) << with(1, offset);
  for (const char *length : {"0", "7", "9", "-8", "18446744073709551615", ""})
    EXPECT_EQ(with(2, length).find("Tensor \"w\" "), 0u) << with(2, length);
  ::mkfifo((folder.path / "pipe").c_str(), 0600); // opening it would wait for a writer
  EXPECT_NE(with(0, "pipe").find("no ordinary file"), std::string::npos) << with(0, "pipe");
}

// Each function calls the one before twice: thirty of them come to a thousand million nodes.
TEST(Import, RefusesFunctionsThatMultiply) {
  auto model = parsed("<ir_version: 8, opset_import: [\"\" : 13, \"f\" : 1]> "
                      "g (float[2] x) => (float[2] y) { y = f.f29(x) }");
  for (int i = 0; i < 30; ++i) {
    auto &function = *model.add_functions();
    function.set_domain("f");
    function.set_name(base::str("f", i));
    function.add_input("a");
    function.add_output("c");
    for (const auto &[domain, version] : {std::pair("", 13), std::pair("f", 1)}) {
      auto &import = *function.add_opset_import();
      import.set_domain(domain);
      import.set_version(version);
    }
    for (const auto &[in, out] : {std::pair("a", "b"), std::pair("b", "c")}) {
      auto &node = *function.add_node();
      node.set_domain(i ? "f" : "");
      node.set_op_type(i ? base::str("f", i - 1) : "Relu");
      node.add_input(in);
      node.add_output(out);
    }
  }
  const auto why = problem(model);
  EXPECT_NE(why.find("more than 262144 nodes"), std::string::npos) << why;
}

TEST(Import, LeavesInternalOperatorsToRewrites) {
  EXPECT_EQ(problem("<ir_version: 7, opset_import: [\"\" : 13, \"openipu\" : 1]> "
                    "g (float[2] x) => (float[2] y) { y = openipu.ConstantPad <pads = [1]> (x) }")
                .rfind("No operator for openipu.ConstantPad:1 (output \"y\").", 0),
            0u);
}

TEST(Import, RefusesRecurrentLayersWithoutASequence) {
  for (const std::string type : {"RNN", "GRU", "LSTM"})
    for (const std::string shape : {"2", "1, 2"}) {
      const std::string text = "<ir_version: 7, opset_import: [\"\" : 13]> g (float[" + shape +
                               "] x, float[1, 2, 2] w, float[1, 2, 2] r) => (float[1, 1, 1, 2] y) "
                               "{ y = " +
                               type + " <hidden_size = 2> (x, w, r) }";
      EXPECT_NE(problem(text), "accepted");
      EXPECT_THROW(Builder::createFromOnnxModel(parsed(text).SerializeAsString()), error);
    }
}

TEST(Import, ReadsFilesOfANewerOnnx) {
  EXPECT_EQ(problem("<ir_version: 14, opset_import: [\"\" : 13]> "
                    "g (float[2] x) => (float[2] y) { y = Relu(x) }"),
            "accepted");
  EXPECT_NE(problem("<ir_version: 0, opset_import: [\"\" : 13]> "
                    "g (float[2] x) => (float[2] y) { y = Relu(x) }")
                .find("its IR version 0 is below 1"),
            std::string::npos);
}

TEST(Import, RefusesWhatItCannotUseAndSaysWhy) {
  struct Case {
    std::string text, message;
  };
  for (const auto &[text, message] : std::vector<Case>{
           {header + "g (float[N] x) => (float[N] y) { y = Relu(x) }",
            "Input \"x\" has unknown dimension 0 (\"N\"); give it with InputShapeInfo."},
           {header + "g (float[2] x) => (float[2] y) { y = com.me.Foo(x) }",
            "The ONNX checker refuses the model \"g\""},
           {"<ir_version: 7, opset_import: [\"\" : 13, \"com.me\" : 1]> "
            "g (float[2] x) => (float[2] y) { y = com.me.Foo(x) }",
            "No operator for com.me.Foo:1 (output \"y\")."},
           {"<ir_version: 7, opset_import: [\"\" : 13, \"ai.onnx.ml\" : 2]> "
            "g (float[2] x) => (float[2] y) { y = ai.onnx.ml.Scaler(x) }",
            "No operator for ai.onnx.ml.Scaler:1 (output \"y\")."},
           {header + "g (float[2] x) => (float[2] y) { y = ai.graphcore.Callx(x) }",
            "No operator for ai.graphcore.Callx:1 (output \"y\"). Did you mean \"Call\"?"},
           {"<ir_version: 7, opset_import: [\"\" : 5]> g (float[2] x) => (float[2] y) { y = "
            "Relu(x) }",
            "The model uses version 5 of ai.onnx, in which Relu is not the operator that it is in "
            "version 6; 6 to 23 are supported."},
           {"<ir_version: 7, opset_import: [\"\" : 0]> g (float[2] x) => (float[2] y) { y = "
            "Relu(x) }",
            "The model uses version 0 of ai.onnx; 6 to 23 are supported."},
           {header + "g (float[2] x) => (float[2] Gradient___y) { Gradient___y = Relu(x) }",
            "Tensor \"Gradient___y\" has \"Gradient___\" in its name, which is reserved."},
           {header + "g (float[2] x) => (float[2] y) { y = Add(x, z) }",
            "The ONNX checker refuses the model \"g\": Nodes in a graph must be topologically "
            "sorted, "
            "however input 'z' of node"},
           {header + "g (float[2] x, float[3] z) => (float[2] y) { y = Add(x, z) }",
            "Add: shapes [2] and [3] do not broadcast: dimension 0 is 2 and 3. Make them equal, or "
            "one "
            "of them 1. (output \"y\")"},
       }) {
    const auto got = problem(text);
    EXPECT_EQ(got.substr(0, message.size()), message) << got;
  }
  EXPECT_THROW(parseModel("no model"), error);
  EXPECT_THROW(loadModel("/nowhere/model.onnx"), error);
}

TEST(Import, TakesUnknownDimensionsFromTheOptions) {
  const auto model = parsed(header + "g (float[N,3] x) => (float[N,3] y) { y = Relu(x) }");
  ImportOptions options;
  options.inputShapes["x"] = {DataType::FLOAT, {4, 3}};
  const auto graph = importModel(model, options);
  EXPECT_EQ(graph[graph.outputs[0]].info.shape(), (Shape{4, 3}));
  options.inputShapes["x"] = {DataType::FLOAT, {4, 5}};
  EXPECT_EQ(problem(model, options), "Input \"x\" is declared with dimension 1 = 3, but "
                                     "InputShapeInfo says FLOAT [4,5].");
}

TEST(Import, PutsAnnotationsIntoSettings) {
  auto model = parsed(header + R"(g (float[2] x) => (float[2] y)
    { y = Relu <__ipu_number = 1, __pipeline_stage = 2, __recompute_output_in_backward_pass = 2,
                __partials_type = "HALF"> (x) })");
  const auto graph = importModel(model);
  const auto &node = graph.nodes.at(0);
  EXPECT_EQ(node.settings.virtualGraph, 1);
  EXPECT_EQ(node.settings.pipelineStage, 2);
  EXPECT_EQ(node.settings.recompute, ir::Recompute::Recompute);
  EXPECT_EQ(node.settings.extra.find<std::string>("__partials_type"), "HALF");
  EXPECT_TRUE(node.attributes.all().empty());
}

TEST(Import, ExpandsFunctionsOfTheModel) {
  auto model = parsed(R"(<ir_version: 8, opset_import: ["" : 13, "local" : 1]>
    g (float[3] x) => (float[3] y) { a = local.twice <k = 1> (x)  y = local.twice(a) })");
  auto *function = model.add_functions();
  function->set_name("twice");
  function->set_domain("local");
  function->add_input("v");
  function->add_output("w");
  auto *opset = function->add_opset_import();
  opset->set_version(13);
  auto *node = function->add_node();
  node->set_op_type("Add");
  node->add_input("v");
  node->add_input("v");
  node->add_output("w");
  const auto graph = importModel(model);
  EXPECT_NE(graph.find("a"), ir::none);
  expectNear(runFirst(graph, {{1, 2, 3}}), {4, 8, 12});

  node->set_op_type("twice");
  node->set_domain("local");
  node->mutable_input()->RemoveLast();
  auto *own = function->add_opset_import();
  own->set_domain("local");
  own->set_version(1);
  EXPECT_NE(problem(model).find("calls itself"), std::string::npos) << problem(model);
}

TEST(Import, TakesTheBranchOfAKnownConditionEvenIfTheOtherHasAnotherShape) {
  const std::string text = R"(g (float[1,2] x) => (float[2] y) {
    c = Constant <value = bool {1}> ()
    y = If (c) <then_branch = a () => (float[2] t) { t = Reshape(x, two) },
                else_branch = b () => (float[1,2] e) { e = Identity(x) }> })";
  auto model = parsed(header + text);
  addIntegers(model, "two", {2});
  expectNear(runFirst(importModel(model), {{3, 4}}), {3, 4});
}

TEST(Import, BranchesUseValuesFromOutside) {
  for (const double condition : {0.0, 1.0})
    expectNear(runText(header + R"(g (bool c, float[2] x, float[2] z) => (float[2] y) {
      s = Add(x, z)
      y = If (c) <then_branch = a () => (float[2] t) { t = Mul(s, x) },
                  else_branch = b () => (float[2] e) { e = Add(z, z) }> })",
                       {{condition}, {1, 2}, {3, 4}}),
               condition ? Doubles{4, 12} : Doubles{6, 8});
}

TEST(Import, UnrollsLoopsWhoseBodyMustKnowTheIteration) {
  auto model = parsed(header + R"(g (float[5] x) => (float[1] y, float[3,1] s) {
    y, s = Loop (n, , start) <body = b (int64 i, bool c, float[1] v) =>
        (bool d, float[1] w, float[1] u) {
      d = Identity(c)
      one = Constant <value = int64[1] {1}> ()
      axis = Constant <value = int64[1] {0}> ()
      from = Unsqueeze(i, axis)
      to = Add(from, one)
      part = Slice(x, from, to)
      w = Add(v, part)
      u = Identity(w)
    }> })");
  addIntegers(model, "n", {3}, {});
  addFloats(model, "start", {10});
  popart::testing::Model m;
  m.graph = importModel(model);
  m.feed(m.graph.inputs[0], {1, 2, 3, 4, 5});
  const auto made = m.run(m.graph.outputs);
  expectNear(made[0], {16});
  expectNear(made[1], {11, 13, 16});
}

TEST(Import, OpsThatOnnxHasWithdrawnMeanWhatTheyLastMeantWhenNotStrict) {
  auto model = parsed("<ir_version: 7, opset_import: [\"\" : 11]> g (float[1,1,2,2] x) => "
                      "(float[1,1,4,4] y) { y = Upsample(x, s) }");
  addFloats(model, "s", {1, 1, 2, 2});
  EXPECT_NE(problem(model).find("deprecated"), std::string::npos) << problem(model);
  ImportOptions options;
  options.strictOpVersions = false;
  EXPECT_EQ(problem(model, options).find("deprecated"), std::string::npos)
      << problem(model, options);
}

TEST(Import, SaysWhatIsNoModel) {
  const auto bytes =
      parsed("<ir_version: 7, opset_import: [\"\" : 11]> g (float[2] x) => (float[2] y) { y = "
             "Relu(x) }")
          .SerializeAsString();
  const auto message = [](auto &&open) -> std::string {
    try {
      open();
    } catch (const error &e) {
      return e.what();
    }
    return "no error";
  };
  const auto parse = [&](const std::string &text) { return message([&] { parseModel(text); }); };
  EXPECT_EQ(parse(bytes), "no error");
  EXPECT_EQ(parse(bytes.substr(0, bytes.size() - 1)),
            base::str("Failed to load a ModelProto from the string: its ", bytes.size() - 1,
                      " bytes do not hold an ONNX model, or not all of it."));
  EXPECT_EQ(parse(""),
            "No model was given: neither the name of a file nor the bytes of an ONNX model.");
  EXPECT_EQ(parse("m.onnx"), "Failed to load a ModelProto from the string: there is no file "
                             "\"m.onnx\", and the text is no ONNX model either.");
  const TemporaryFolder folder;
  EXPECT_EQ(parse(folder.path.string()),
            base::str(folder.path, " is a folder. Give the file of an ONNX model."));
  const auto file = folder.path / "m.onnx";
  std::ofstream(file, std::ios::binary).close();
  EXPECT_EQ(message([&] { loadModel(file); }),
            base::str("The file ", file, " is empty: it holds no ONNX model."));
  std::ofstream(file, std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  EXPECT_EQ(message([&] { loadModel(file); }),
            base::str("The file ", file,
                      " does not hold an ONNX model, or not all of it: is it another kind of file, "
                      "or was it cut short when it was copied?"));
}

TEST(Importer, LearnsShapesNodeByNode) {
  ir::Graph graph;
  Importer importer(graph, {{"", 11}});
  importer.addInput("x", {DataType::FLOAT, {2, 3}});
  onnx::NodeProto node;
  node.set_op_type("Transpose");
  node.add_input("x");
  node.add_output("y");
  const auto made = importer.addNode(node);
  EXPECT_EQ(graph[made[0]].info, TensorInfo(DataType::FLOAT, {3, 2}));
  EXPECT_EQ(importer.require("y"), made[0]);
  EXPECT_THROW(importer.addNode(node), error); // y again
}
