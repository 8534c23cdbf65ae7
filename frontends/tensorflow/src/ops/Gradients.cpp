// SPDX-License-Identifier: MIT
// Gradients written into the graph where they are asked for. Inputs: the `of` values, the `by`
// values, and as many given gradients as there are `of` values (or none). Results: one per `by`;
// zeros for what the values do not depend on, and a bool for each that says whether they do.
#include "core/Conversion.hpp"
#include "core/Layout.hpp"

namespace tensorflow {

namespace {

Values gradients(Call &c) {
  const auto of = std::size_t(c.integer("of")), by = std::size_t(c.integer("by"));
  const auto &all = c.all();
  const auto part = [&](std::size_t begin, std::size_t end) {
    return Values(all.begin() + std::ptrdiff_t(begin),
                  all.begin() + std::ptrdiff_t(std::min(end, all.size())));
  };
  const Values from = part(0, of), to = part(of, of + by);
  Values used = to; // with the channels second, where others use them so
  for (auto &v : used)
    if (const Value second = c.conversion().turned(v); second != none)
      v = second;
  Values made = c.m.gradients(from, used, part(of + by, all.size()));
  for (std::size_t i = 0; i < by; ++i)
    if (made[i] != none && used[i] != to[i])
      made[i] = frontend::channelsBehind(c, made[i]);
  Values out, known;
  for (std::size_t i = 0; i < by; ++i) {
    const bool depends = made[i] != none;
    out.push_back(depends ? made[i] : c.full(c.shapeOf(to[i]), 0, c.m.type(to[i])));
    known.push_back(c.m.scalar(depends, DataType::BOOL));
  }
  out.insert(out.end(), known.begin(), known.end());
  return out;
}

// Of a variable that is trained, after accumulation and reduction: in a rule of updates.
Values weightGradient(Call &c) { return {c.m.gradientOf(c.in(0))}; }

} // namespace

void addGradients(Registry &r) {
  r.add("Gradients", gradients);
  r.add("WeightGradient", weightGradient);
}

} // namespace tensorflow
