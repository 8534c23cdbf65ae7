// SPDX-License-Identifier: MIT
// What a compiler for a tile makes of addresses and loop counters: values as sums, which of them do
// not change in a loop, which advance by a fixed step, and which loads leave the loop. Operands of
// a vertex are taken as not overlapping, so a store through one pointer changes nothing that is
// read through another.
#pragma once
#include "codelet/Values.hpp"
#include <optional>

namespace poplar::codelet {

// A sum of multiples of other values.
struct Sum {
  std::map<ValueId, std::int64_t> terms;
  std::int64_t constant = 0;
  bool operator==(const Sum &) const = default;
};

class Strides {
public:
  explicit Strides(const Function &function);

  const Sum &sum(ValueId value);
  Sum sum(const Address &address);

  // Nothing changes in the loop.
  bool fixed(ValueId value, int loop);
  bool fixed(const Sum &sum, int loop);
  // Fixed parts and induction variables of the loop. The step may be zero; nothing: other values
  // take part.
  std::optional<Sum> step(const Sum &sum, int loop);
  // The block whose business a load or store is: outside the loops in which a register serves
  // instead.
  unsigned home(ValueId access);

private:
  Sum compute(ValueId value);
  bool computeFixed(ValueId value, int loop);
  bool leaves(ValueId load, int loop);
  std::optional<Sum> stepOf(ValueId phi, int loop);

  const Function &f_;
  std::vector<std::optional<Sum>> sums_;
  std::vector<bool> open_; // being computed
  std::map<std::pair<ValueId, int>, bool> fixed_;
  std::map<std::pair<ValueId, int>, std::optional<Sum>> steps_;
  bool promoted(ValueId access, int loop);
  struct Accesses {
    std::vector<Sum> loads, stores;
    bool calls = false; // anything may be written
  };
  std::vector<std::optional<Accesses>> accesses_; // by loop
  const Accesses &accessesOf(int loop);
};

} // namespace poplar::codelet
