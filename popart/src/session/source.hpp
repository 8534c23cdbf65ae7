// SPDX-License-Identifier: MIT
// What a session is made of, whoever wrote it: an ONNX model (onnxsource.cpp) or one built from
// code (modelsource.cpp). All that a session asks about its model goes through here.
#pragma once
#include "ir/graph.hpp"
#include "ir/modelsettings.hpp"
#include "session/execution.hpp"
#include <popart/onnxmodel.hpp>
#include <set>

namespace popart {
class Model;
}

namespace popart::session {

class Hasher;

// How the session means to use it.
struct Use {
  bool training = false;
  bool constantWeights = true; // of an inference
  bool strictOpVersions = true;
  std::int64_t replicas = 1;
};

class Source {
public:
  virtual ~Source() = default;

  const ir::ModelSettings &settings() const { return settings_; }
  // As one replica sees it. Tensors share the values of the source.
  virtual ir::Graph graph(const Use &use) const = 0;

  // The tensors that come with values, in order; of grouped variables those of every group.
  using Initialiser = std::pair<TensorId, TensorInfo>;
  virtual std::vector<Initialiser> initialisers(std::int64_t replicas) const = 0;
  // The values of those of these that there are.
  virtual std::map<TensorId, ir::HostTensor> values(const std::set<TensorId> &ids,
                                                    std::int64_t replicas) const = 0;

  // All that decides what training makes of it; not the values of what is sure to be a weight.
  virtual void addTo(Hasher &hasher) const = 0;

  // Values that stand where they may be written take the place of the session's own.
  virtual void lend(Weights &, std::int64_t /*replicas*/) const {}
  // Before values are sent: takes what the source's owner changed, as far as it is not lent.
  // popart::error if somebody wrote to a file that they stand in.
  virtual void refresh(Weights &, std::int64_t /*replicas*/) const {}
  // After they have changed: the other way round.
  virtual void deliver(const Weights &, std::int64_t /*replicas*/) const {}

  // An ONNX file of the model with these values.
  virtual void write(const std::map<TensorId, ir::HostTensor> &values,
                     const std::string &file) const = 0;
  // Session::updateExternallySavedTensorLocations.
  virtual void moveExternalData(const std::string &from, const std::string &to) = 0;

protected:
  ir::ModelSettings settings_;
};

std::unique_ptr<Source> sourceOf(const OnnxModel &model,
                                 const std::map<TensorId, TensorInfo> &inputShapes = {});
std::unique_ptr<Source> sourceOf(Model model);

} // namespace popart::session
