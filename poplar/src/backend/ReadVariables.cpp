// SPDX-License-Identifier: MIT
#include "backend/ReadVariables.hpp"
#include <algorithm>
#include <functional>

namespace poplar::backend {

ReadVariables::ReadVariables(const executable::Image &image) : read_(image.variables.size()) {
  for (const auto &step : image.steps)
    add(step);
  for (const auto &run : image.runs) // fields of vertices, whatever their direction
    read_[run.var] = true;
  for (const auto &access : image.hostReads)
    add(access.view);
}

namespace {

// Everything counts as read, but for what kernels only write and what is forgotten.
struct Reads : executable::steps::AllViews<Reads> {
  std::function<void(const tensor::View &)> add;
  std::vector<bool> &read;
  bool kernel;

  void view(const tensor::View &view) { add(view); }
  void writes(const tensor::View &view) {
    if (!kernel)
      add(view);
    else if (view.metadata)
      add(*view.metadata);
  }
  void forgets(const tensor::View &) {}
  void moves(const std::vector<executable::Move> &moves, executable::steps::Arrives = {}) {
    for (const auto &move : moves)
      if (move.fromVar != executable::none)
        read[move.fromVar] = true;
  }
};

} // namespace

void ReadVariables::add(const executable::Step &step) {
  Reads reads{{},
              [this](const tensor::View &view) { add(view); },
              read_,
              executable::is<executable::step::Kernel>(step)};
  describe(step, reads);
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

} // namespace poplar::backend
