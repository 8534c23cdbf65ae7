// SPDX-License-Identifier: MIT
// The partition that --vipu-partition names: looked at, created or reset before the start, and
// removed at the end if it was created here.
#pragma once
#include "Options.hpp"
#include "vipu/Controller.hpp"

namespace poprun {

class PreparedPartition {
public:
  explicit PreparedPartition(const Options &options); // machine::Error if it does not suit
  ~PreparedPartition();
  PreparedPartition(const PreparedPartition &) = delete;

  unsigned ilds() const { return ilds_; }
  bool isFixed() const { return fixed_; }
  unsigned gcds() const { return gcds_; }

private:
  void useNamed();
  void create();
  const Options &options_;
  std::unique_ptr<vipu::Controller> controller_;
  unsigned ilds_ = 1, gcds_ = 1;
  bool fixed_ = false, created_ = false;
};

} // namespace poprun
