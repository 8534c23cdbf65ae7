// SPDX-License-Identifier: MIT
// Records a graph while Python traces it, with conversions beside it that tell the shapes: one
// if all dimensions are known, two with different numbers in place of those that are not.
#pragma once
#include "core/Conversion.hpp"
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <set>
#include <tuple>

namespace py = pybind11;

namespace tensorflow {

class Recorder {
public:
  Recorder() : recording_(std::make_shared<Recording>()) {}

  using Tensor = TensorNumber;
  Tensor input(const popart::Shape &shape, popart::DataType type, const std::string &name);
  Tensor variable(const popart::Shape &shape, popart::DataType type, const std::string &name,
                  std::uintptr_t address, popart::DataType stored, bool trained,
                  const py::object &owner);
  Tensor constant(const popart::Shape &shape, popart::DataType type, std::uintptr_t address,
                  popart::DataType stored, const py::object &owner);
  // The first of its outputs, which follow each other.
  Tensor node(const std::string &op, const std::string &name, const std::vector<Tensor> &inputs,
              const py::dict &attributes, unsigned outputs, std::optional<std::int64_t> ipu,
              std::optional<std::int64_t> stage, const std::vector<const Recorder *> &bodies,
              bool update = false); // once per weight update
  void output(Tensor tensor) { recording_->outputs.push_back(tensor); }
  void gradient(Tensor tensor) { // an output: the loss's gradient by it
    recording_->gradients.insert(recording_->outputs.size());
    output(tensor);
  }
  void update(std::size_t variable, Tensor value) {
    recording_->updates.emplace_back(variable, value);
  }
  void train(std::size_t variable) { recording_->variables.at(variable).trained = true; }
  void state(std::size_t variable) { recording_->variables.at(variable).state = true; }
  void loss(Tensor tensor) { recording_->loss = tensor; }

  // The part that these outputs and updates (variable, value) need, with inputs of these shapes.
  // Tensors that are fed are inputs, whatever makes them.
  std::unique_ptr<Recorder> select(const std::vector<Tensor> &outputs,
                                   const std::vector<std::pair<std::size_t, Tensor>> &updates,
                                   const std::map<Tensor, popart::Shape> &shapes,
                                   const std::set<Tensor> &fed = {}) const;
  // Of every operation: inputs, outputs, and of gradients how many values are of and by what.
  using Edges = std::tuple<std::vector<Tensor>, std::vector<Tensor>, std::int64_t, std::int64_t>;
  std::vector<Edges> edges() const;
  // Element type and shape, -1 for dimensions that are not known.
  std::pair<popart::DataType, popart::Shape> info(Tensor tensor) const;
  // The numbers of a tensor that is known already.
  py::object known(Tensor tensor) const;
  // Whether `of` depends on each of these variables in a way that has a gradient.
  std::vector<bool> depends(Tensor of, const std::vector<std::size_t> &variables) const;
  // `instead`: arrays of the device's types that stand for the inputs, if there are any.
  popart::Converted convert(const std::vector<py::array> &instead) const;
  std::string listing() const;
  // All of it as Python's dictionaries, lists and numbers, to be written to a file.
  py::dict described() const;
  // Everything that a compiled program depends on, as text.
  std::string fingerprint() const;
  void resolve(); // all shapes, of a selection
  std::vector<Tensor> inputs() const;
  std::vector<std::size_t> variables() const; // those that are read
  std::size_t size() const { return recording_->nodes.size(); }

private:
  void follow();
  void learn(Tensor first);

  std::shared_ptr<Recording> recording_;
  std::vector<std::unique_ptr<Conversion>> shadows_;
};

} // namespace tensorflow

void bindRecorder(py::module &m);
