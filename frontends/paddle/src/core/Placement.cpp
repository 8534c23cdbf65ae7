// SPDX-License-Identifier: MIT
#include "core/Placement.hpp"

#include "base/Text.hpp"
#include "core/Selection.hpp"

namespace paddleipu {

Placement::Placement(const std::vector<const proto::OpDesc *> &ops,
                     const ConversionSettings &settings)
    : places_(ops.size()) {
  if (settings.averaged)
    divide(ops.size(), settings);
  else if (settings.sharded)
    follow(ops, settings);
  checkStages(settings);
  for (std::size_t i = ops.size(); i-- > 0;) // the first use is written last
    for (const auto &var : ops[i]->inputs())
      for (const auto &name : var.arguments())
        variables_[name] = places_[i];
}

Place Placement::ofVariable(const std::string &name) const {
  const auto it = variables_.find(name);
  return it != variables_.end() ? it->second : places_.empty() ? Place() : places_.front();
}

void Placement::divide(std::size_t ops, const ConversionSettings &settings) {
  const auto n = std::size_t(settings.ipus);
  for (std::size_t i = 0; i < ops; ++i) {
    const auto part = std::int64_t(i * n / ops);
    places_[i].ipu = part;
    if (settings.pipelined)
      places_[i].stage = part;
  }
}

// An operator outside of every guard: in a pipeline with the last of those whose results it uses,
// else on IPU 0.
void Placement::follow(const std::vector<const proto::OpDesc *> &ops,
                       const ConversionSettings &settings) {
  std::map<std::string, Place> made;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    auto &place = places_[i];
    place.ipu = integerOf(*ops[i], "ipu_index", -1);
    place.stage = integerOf(*ops[i], "ipu_stage", -1);
    if (*place.ipu >= settings.ipus || *place.ipu < -1)
      throw ProgramError(base::str("(", ops[i]->type(), ") ipu_shard_guard(index=", *place.ipu,
                                   ") needs ", *place.ipu + 1,
                                   " IPUs, and the strategy has num_ipus=", settings.ipus,
                                   ". Indices run from 0 to num_ipus - 1."));
    Place before{0, 0};
    for (const auto &var : ops[i]->inputs())
      for (const auto &name : var.arguments())
        if (const auto it = made.find(name); it != made.end() && *it->second.stage > *before.stage)
          before = it->second;
    if (settings.pipelined && *place.stage == -1)
      place = *place.ipu == -1 ? before : Place{place.ipu, place.ipu};
    else if (*place.ipu == -1)
      place.ipu = 0;
    if (!settings.pipelined)
      place.stage = 0;
    for (const auto &var : ops[i]->outputs())
      for (const auto &name : var.arguments())
        made[name] = place;
  }
  if (!settings.pipelined)
    for (auto &place : places_)
      place.stage.reset();
}

void Placement::checkStages(const ConversionSettings &settings) const {
  std::map<std::int64_t, std::int64_t> ipus;
  for (const auto &place : places_)
    if (place.stage) {
      const auto [it, fresh] = ipus.emplace(*place.stage, *place.ipu);
      if (it->second != *place.ipu)
        throw ProgramError(base::str("Stage ", *place.stage, " of the pipeline is on IPU ",
                                     it->second, " and on IPU ", *place.ipu,
                                     ": a stage belongs to one ipu_shard_guard index."));
    }
  std::int64_t next = 0;
  for (const auto &[stage, ipu] : ipus)
    if (stage != next++)
      throw ProgramError(base::str("The pipeline has a stage ", stage, " but no stage ", next - 1,
                                   ": stages of ipu_shard_guard count from 0 without gaps."));
  if (settings.pipelined && ipus.size() < 2)
    throw ProgramError("enable_pipelining needs operators in at least two stages: build them under "
                       "paddle.static.ipu_shard_guard(index=..., stage=...).");
}

} // namespace paddleipu
