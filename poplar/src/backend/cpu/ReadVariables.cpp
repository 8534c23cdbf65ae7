// SPDX-License-Identifier: MIT
#include "backend/cpu/ReadVariables.hpp"
#include <algorithm>

namespace poplar::backend::cpu {

using executable::StepKind;

ReadVariables::ReadVariables(const executable::Image &image) : read_(image.variables.size()) {
  for (const auto &step : image.steps)
    add(step);
  for (const auto &run : image.runs) // fields of vertices, whatever their direction
    read_[run.var] = true;
  for (const auto &access : image.hostReads)
    add(access.view);
}

void ReadVariables::add(const executable::Step &step) {
  for (const auto &move : step.moves)
    if (move.fromVar != executable::none)
      read_[move.fromVar] = true;
  if (step.kind == StepKind::WriteUndef)
    return;
  for (std::size_t i = 0; i < step.operands.size(); ++i) {
    const auto &view = step.operands[i];
    const bool written = step.kind == StepKind::Kernel && i < step.count && !step.cases[i];
    if (!written)
      add(view);
    else if (view.metadata)
      add(*view.metadata);
  }
}

void ReadVariables::add(const tensor::View &view) {
  for (const auto &piece : view.pieces)
    read_[piece.var.value] = true;
  if (view.metadata)
    add(*view.metadata);
}

bool ReadVariables::any(const tensor::View &view) const {
  return std::any_of(view.pieces.begin(), view.pieces.end(),
                     [&](const auto &piece) { return read_[piece.var.value]; });
}

} // namespace poplar::backend::cpu
