// SPDX-License-Identifier: MIT
// The members of a step of any kind as a few lists, in the order in which the kind describes them:
// what files hold, and the way from a program's tree to an image.
#pragma once
#include "executable/Step.hpp"

namespace poplar::executable {

struct Fields {
  std::vector<std::uint32_t> parts;
  std::vector<tensor::View> views;
  std::vector<Move> moves;
  std::vector<std::uint64_t> numbers; // with lengths of lists and whether optionals are there
  std::vector<std::string> texts;
};

constexpr std::size_t numKinds = std::variant_size_v<decltype(Step::kind)>;

Fields fieldsOf(const Step &step);

// Fills a step of kind number `kind`. Throws poplar_error if that kind has other members.
void take(Fields fields, std::size_t kind, Step &step);

} // namespace poplar::executable
