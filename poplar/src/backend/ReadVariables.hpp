// SPDX-License-Identifier: MIT
// Which variables anything reads: a step, a vertex, the host. A kernel need not fill an output that
// nothing reads. Whole variables, all steps, whether they run or not: the safe side.
#pragma once
#include "executable/Image.hpp"
#include <vector>

namespace poplar::backend {

class ReadVariables {
public:
  explicit ReadVariables(const executable::Image &image);
  bool any(const tensor::View &view) const; // one of its variables is read

private:
  void add(const executable::Step &step);
  void add(const tensor::View &view);
  std::vector<bool> read_; // by variable
};

} // namespace poplar::backend
