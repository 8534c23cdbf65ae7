// SPDX-License-Identifier: MIT
#include "executable/Step.hpp"

namespace poplar::executable {

steps::Flow flowOf(const Step &step) {
  return match(step, []<class Kind>(const Kind &) { return steps::flowOf<Kind>(); });
}
steps::Shown shownOf(const Step &step) {
  return match(step, []<class Kind>(const Kind &) { return steps::shownOf<Kind>(); });
}
bool meetsTheHost(const Step &step) {
  return match(step, []<class Kind>(const Kind &) { return steps::meetsTheHost<Kind>(); });
}

namespace {

struct Parts : steps::Nothing {
  void part(std::uint32_t part) { all.push_back(part); }
  std::vector<std::uint32_t> all;
};

struct Moves : steps::Nothing {
  void moves(const std::vector<Move> &moves, steps::Arrives = {}) { found = &moves; }
  const std::vector<Move> *found = nullptr;
};

struct Views : steps::AllViews<Views> {
  void view(const tensor::View &view) { all.push_back(&view); }
  std::vector<const tensor::View *> all;
};

} // namespace

std::vector<std::uint32_t> partsOf(const Step &step) {
  Parts parts;
  describe(step, parts);
  return std::move(parts.all);
}

const std::vector<Move> &movesOf(const Step &step) {
  static const std::vector<Move> none;
  Moves moves;
  describe(step, moves);
  return moves.found ? *moves.found : none;
}

std::vector<const tensor::View *> viewsOf(const Step &step) {
  Views views;
  describe(step, views);
  return std::move(views.all);
}

} // namespace poplar::executable
