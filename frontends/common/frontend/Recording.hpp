// SPDX-License-Identifier: MIT
// What every front end records of a model: tensors as numbers, and those of them that come from
// outside. Element types are the device's: 64-bit integers are INT32 here, doubles are FLOAT.
#pragma once
#include "frontend/Reader.hpp"
#include <memory>

namespace frontend {

// A variable, in the memory of who made it.
struct Stored {
  TensorNumber tensor = noTensor;
  std::string name;
  void *data = nullptr;
  std::shared_ptr<void> owner;
  DataType stored = DataType::FLOAT; // its type there
  bool trained = true;
};

// Info: what is known of a tensor, made of its type and shape.
template <class Info> struct Recorded {
  std::vector<Info> tensors;
  std::vector<std::pair<TensorNumber, std::string>> inputs; // with their names
  std::vector<std::pair<TensorNumber, HostTensor>> constants;
  std::vector<TensorNumber> outputs;

  TensorNumber add(DataType type, const Shape &shape) {
    tensors.push_back(Info{type, shape});
    return TensorNumber(tensors.size() - 1);
  }
  // The tensor, which must be there.
  TensorNumber known(TensorNumber tensor) const {
    if (tensor >= tensors.size())
      throw popart::error("There is no tensor {} in the recording.", tensor);
    return tensor;
  }
};

} // namespace frontend
