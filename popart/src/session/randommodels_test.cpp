// SPDX-License-Identifier: MIT
// Models that nobody would write, from all operators there are: each becomes a session or ends in a
// popart::error, which says what is wrong. Seeds are fixed. More of them by hand:
//
//   POPART_RANDOM_MODELS=100000,5000 popart_test --gtest_filter='RandomModels.*'   (first, how
//   many)
#include "onnx/import.hpp"
#include "randommodels.hpp"
#include "sessions.hpp"
#include <cstdlib>

namespace popart {
namespace {

using testing::Choices;
using testing::RandomModel;

struct Seeds {
  unsigned first = 1, count;
  explicit Seeds(unsigned usual) : count(usual) {
    if (const char *given = std::getenv("POPART_RANDOM_MODELS"))
      std::sscanf(given, "%u,%u", &first, &count);
  }
};

// How it ended: "" if all went well, the message of an error that is the model's fault.
template <class F> std::string ending(F f) {
  try {
    f();
    return {};
  } catch (const internal_error &e) {
    throw;
  } catch (const error &e) {
    return e.what();
  }
}

template <class F> void forAll(const Seeds &seeds, F f) {
  unsigned good = 0;
  for (unsigned seed = seeds.first; seed < seeds.first + seeds.count; ++seed) {
    const std::string bytes = Choices::randomBytes(seed);
    const RandomModel model{Choices(bytes)};
    if (std::getenv("POPART_RANDOM_SHOWN"))
      std::cerr << seed << ' ' << model.node().op_type() << std::endl;
    std::string why;
    try {
      why = ending([&] { f(model); });
    } catch (const std::exception &e) {
      ADD_FAILURE() << "seed " << seed << ": " << e.what() << '\n' << model.node().DebugString();
    }
    good += why.empty();
    if (!why.empty() && std::getenv("POPART_RANDOM_SHOWN"))
      std::cerr << seed << "  " << why << std::endl;
  }
  EXPECT_GT(good, seeds.count / 100); // else the models are too bad to test much
}

TEST(RandomModels, AreImportedOrRefused) {
  forAll(Seeds(4000), [](const RandomModel &model) {
    const auto bytes = model.proto().SerializeAsString();
    onnxmodel::importModel(onnxmodel::parseModel(bytes));
  });
}

TEST(RandomModels, AreTakenByABuilderOrRefused) {
  forAll(Seeds(2000), [](const RandomModel &model) {
    Builder::createFromOnnxModel(model.proto().SerializeAsString());
  });
}

TEST(RandomModels, BecomeInferenceSessionsOrAreRefused) {
  const auto device = testing::modelDevice();
  forAll(Seeds(500), [&](const RandomModel &model) {
    std::vector<TensorId> anchors;
    for (const auto &output : model.proto().graph().output())
      anchors.push_back(output.name());
    const auto session = InferenceSession::createFromOnnxModel(model.proto().SerializeAsString(),
                                                               DataFlow(1, anchors), device);
    session->prepareDevice();
  });
}

TEST(RandomModels, BecomeTrainingSessionsOrAreRefused) {
  const auto device = testing::modelDevice();
  forAll(Seeds(500), [&](const RandomModel &model) {
    auto proto = model.proto();
    auto &graph = *proto.mutable_graph();
    const TensorId last = graph.output_size() ? graph.output(graph.output_size() - 1).name() : "y0";
    auto &loss = *graph.add_node();
    loss.set_domain("ai.graphcore");
    loss.set_op_type("IdentityLoss");
    loss.add_input(last);
    loss.add_output("loss");
    // Whatever is a float is to be trained.
    for (const auto &input : graph.input()) {
      const auto &type = input.type().tensor_type();
      if (type.elem_type() != onnx::TensorProto::FLOAT)
        continue;
      auto *tensor = graph.add_initializer();
      tensor->set_name(input.name());
      Shape shape;
      for (const auto &dim : type.shape().dim())
        shape.push_back(dim.dim_value());
      onnxmodel::write(*tensor, ir::HostTensor::filled({DataType::FLOAT, shape}, 0.5));
    }
    const auto session = TrainingSession::createFromOnnxModel(
        proto.SerializeAsString(), DataFlow(1, {"loss"}), "loss", ConstSGD(0.1f), device);
    session->prepareDevice();
  });
}

} // namespace
} // namespace popart
