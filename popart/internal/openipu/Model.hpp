// SPDX-License-Identifier: MIT
// The door for front ends: a model built from code. It says what there is (inputs, weights,
// operators, bodies, placement, outputs); a session takes it as it takes an ONNX file.
//
//   Model m;
//   auto x = m.input("x", {DataType::FLOAT, {8, 3}});
//   auto w = m.weight("w", {DataType::FLOAT, {3, 4}}, memory, owner);
//   m.output(m.matmul(x, w), "y");
//   auto session = makeInferenceSession(std::move(m), flow, device);
#pragma once
#include "openipu/Writer.hpp"
#include <popart/inputshapeinfo.hpp>
#include <popart/session.hpp>
#include <popart/tensorlocation.hpp>
#include <popart/variablesettings.hpp>

namespace popart {

namespace ir {
class Graph;
}

class Model : public ops::Writer {
public:
  using Value = ops::Value;
  using Values = ops::Values;

  explicit Model(const std::string &name = "model");
  ~Model() override;
  Model(Model &&) noexcept;
  Model &operator=(Model &&) noexcept;

  // What the host sends for every micro-batch. Names are unique: one that is taken is
  // popart::error.
  Value input(const TensorId &name, const TensorInfo &info, const InputSettings &settings = {});
  // A variable whose values stand in the caller's memory, row-major in the types of `info`, which
  // `owner` keeps alive. They are used where they are: weightsFromHost sends them from there, and
  // weightsToHost writes them there. (Types that the device does not have are kept in a copy, and
  // that copy is written back.) An inference may take them for constants (constantWeights).
  // `info` is what one replica has; the memory of a grouped variable holds one after the other.
  Value weight(const TensorId &name, const TensorInfo &info, void *data,
               std::shared_ptr<void> owner = nullptr, ir::Role role = ir::Role::Weight,
               const VariableSettings &settings = {});
  // A new value for a variable, once it was used for the last time in this micro-batch.
  void update(Value variable, Value value);
  // A rule of updates of the model's own, instead of the training session's optimizer (which then
  // only scales the loss): while `on`, operators and updates run once per weight update. They read
  // variables, constants, each other, and the gradients of weights as accumulation and replicas
  // left them; nothing that a micro-batch computes.
  void writeRule(bool on);
  Value gradientOf(Value weight);
  // Makes a value an output, by this name from now on.
  void output(Value v, const TensorId &name);
  const TensorId &nameOf(Value v) const;
  // The variables so far, in order.
  std::vector<TensorId> weights() const;

  // The gradients of a sum of values by others, written into the model here and now: for front ends
  // whose programs say themselves what is done with them. `given` are the gradients that the chain
  // starts from, in the order of `of`; `none` and missing ones are all ones. `none` comes back for
  // what the values do not depend on.
  Values gradients(const Values &of, const Values &by, const Values &given = {});

  // The settings of the operator that made a value, or of the nearest one before it that is of
  // these types, behind operators that only add, cast or rearrange; null if there is none.
  ir::Settings *producer(Value v, const std::vector<std::string> &types);

  // If, Loop, Scan, Call: `body` makes a graph of its own that sees its own inputs only (declared
  // with input(), in the operator's order).
  Model body(const std::string &name) const;
  Values ops(const std::string &type, const Values &inputs, unsigned outputs,
             std::vector<Model> bodies, ops::Attributes attributes = {});

  Values ops(const std::string &type, const Values &inputs, unsigned outputs,
             ops::Attributes attributes = {}) override;
  Value constant(ops::HostTensor data, const std::string &name = "constant") override;
  const TensorInfo &info(Value v) const override;
  const ops::HostTensor *valuesOf(Value v) const override;

  // For sessions.
  struct Memory {
    void *data = nullptr;
    std::shared_ptr<void> owner = nullptr;
  };
  const ir::Graph &graph() const;
  const std::map<TensorId, Memory> &memory() const; // of the weights
  const std::map<TensorId, InputSettings> &inputSettings() const;
  const std::map<TensorId, VariableSettings> &variableSettings() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

std::unique_ptr<InferenceSession> makeInferenceSession(Model model, const DataFlow &flow,
                                                       std::shared_ptr<DeviceInfo> device,
                                                       const SessionOptions &options = {},
                                                       const Patterns &patterns = Patterns(),
                                                       const std::string &name = "inference");
// The loss is a scalar by its name, not necessarily an output.
std::unique_ptr<TrainingSession>
makeTrainingSession(Model model, const DataFlow &flow, const TensorId &loss,
                    const Optimizer &optimizer, std::shared_ptr<DeviceInfo> device,
                    const SessionOptions &options = {}, const Patterns &patterns = Patterns(),
                    const std::string &name = "training");

} // namespace popart
