// SPDX-License-Identifier: MIT
// On which IPU, and in which stage of a pipeline, operators and variables are: as ipu_shard_guard
// said, or divided evenly.
#pragma once
#include "core/Conversion.hpp"

namespace paddleipu {

struct Place {
  std::optional<std::int64_t> ipu, stage;
};

class Placement {
public:
  // ProgramError for an index that is not there, a stage on two IPUs, or stages with gaps.
  Placement(const std::vector<const proto::OpDesc *> &ops, const ConversionSettings &settings);
  const Place &of(std::size_t op) const { return places_[op]; }
  // Where it is used first; the beginning for what nobody uses.
  Place ofVariable(const std::string &name) const;
  Place last() const { return places_.empty() ? Place() : places_.back(); }

private:
  void divide(std::size_t ops, const ConversionSettings &settings);
  void follow(const std::vector<const proto::OpDesc *> &ops, const ConversionSettings &settings);
  void checkStages(const ConversionSettings &settings) const;
  std::vector<Place> places_;
  std::map<std::string, Place> variables_;
};

} // namespace paddleipu
