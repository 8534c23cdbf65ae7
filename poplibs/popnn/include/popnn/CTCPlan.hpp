// SPDX-License-Identifier: MIT
// How connectionist temporal classification is spread over the tiles. Opaque; made by ctc::plan or
// ctc_infer::plan and handed to the functions that create tensors and programs.
#pragma once
#include <iosfwd>
#include <memory>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popnn {
namespace ctc {

// How a CTC loss or search is spread over tiles: plan() makes it, the loss functions take it.
class Plan {
public:
  struct Impl;
  Plan();
  ~Plan();
  Plan(const Plan &);
  Plan(Plan &&) noexcept;
  Plan &operator=(const Plan &);
  Plan &operator=(Plan &&) noexcept;
  explicit Plan(std::unique_ptr<Impl> impl);

  friend bool operator<(const Plan &a, const Plan &b);
  friend bool operator==(const Plan &a, const Plan &b);
  friend bool operator!=(const Plan &a, const Plan &b) { return !(a == b); }
  friend std::ostream &operator<<(std::ostream &out, const Plan &plan);

  const Impl &getImpl() const { return *impl_; } // for the library itself

private:
  std::unique_ptr<Impl> impl_;
};

} // namespace ctc
} // namespace popnn
