// SPDX-License-Identifier: MIT
// Where the cycles of a profile went, by kind of step.
#pragma once
#include <algorithm>
#include <cstdint>
#include <pva/pva.hpp>

struct Spent {
  std::uint64_t compute, exchange, sync, host;
  std::uint64_t total() const { return compute + exchange + sync + host; }
};

template <class Steps> Spent spent(const Steps &steps) {
  Spent sum = {0, 0, 0, 0};
  for (const auto &step : steps) {
    std::uint64_t cycles = 0;
    for (const auto &ipu : step.ipus())
      cycles = std::max<std::uint64_t>(cycles, ipu.cycles());
    switch (step.program()->type()) {
    case pva::Program::Type::OnTileExecute:
      sum.compute += cycles;
      break;
    case pva::Program::Type::DoExchange:
    case pva::Program::Type::GlobalExchange:
      sum.exchange += cycles;
      break;
    case pva::Program::Type::StreamCopyBegin:
    case pva::Program::Type::StreamCopyMid:
    case pva::Program::Type::StreamCopyEnd:
      sum.host += cycles;
      break;
    default:
      sum.sync += cycles;
      break;
    }
  }
  return sum;
}
