// SPDX-License-Identifier: MIT
// Step and weight input and output with numpy arrays, which are read and written where they lie if
// they lie as C++ needs them.
#pragma once
#include "arrays.hpp"
#include <map>
#include <mutex>
#include <popart/stepio.hpp>

using Arrays = std::map<popart::TensorId, ArrayLike>;

// Arrays that a call uses: it holds `inUse` (taken without the interpreter's lock), so that no
// other does at the same time.
class NumpyIo {
public:
  virtual ~NumpyIo() {}
  virtual void begin() = 0; // takes what the caller wrote into arrays that were copied
  virtual void end() = 0;   // and gives back results
  std::mutex inUse;
};

class PyWeightsIO : public popart::WeightsIO {
public:
  explicit PyWeightsIO(const Arrays &weights);
  void requireWritable() const; // popart::runtime_error
  void refresh();
  void writeBack();
  std::mutex inUse;

private:
  std::map<popart::TensorId, PlainArray> arrays_;
};
