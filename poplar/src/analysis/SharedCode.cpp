// SPDX-License-Identifier: MIT
#include "analysis/SharedCode.hpp"
#include "analysis/Reach.hpp"
#include "tensor/View.hpp"

namespace poplar::analysis {

using namespace executable;

const step::Sequence *outlined(const Step &step) {
  const auto *sequence = as<step::Sequence>(step);
  return sequence && sequence->code != none ? sequence : nullptr;
}
bool isPassed(const Step &step) {
  const auto *copy = as<step::Copy>(step);
  return copy && copy->passesArgument;
}

namespace {

// All steps within, in program order, but for the copies of arguments: every place has its own.
std::vector<std::uint32_t> stepsWithin(const Image &image, std::uint32_t outlined) {
  std::vector<std::uint32_t> out, stack;
  const auto push = [&](const std::vector<std::uint32_t> &parts) {
    stack.insert(stack.end(), parts.rbegin(), parts.rend());
  };
  push(partsOf(image.steps[outlined]));
  while (!stack.empty()) {
    const auto index = stack.back();
    stack.pop_back();
    const auto &step = image.steps[index];
    if (isPassed(step))
      continue;
    out.push_back(index);
    push(partsOf(step));
  }
  return out;
}

bool sameCode(const Image &image, const std::vector<std::uint32_t> &a,
              const std::vector<std::uint32_t> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](std::uint32_t i, std::uint32_t j) {
    const auto &x = image.steps[i], &y = image.steps[j];
    const auto *p = as<step::Kernel>(x), *q = as<step::Kernel>(y);
    return x.kind.index() == y.kind.index() && turnsOf(x) == turnsOf(y) &&
           viewsOf(x).size() == viewsOf(y).size() &&
           (!p || (p->name == q->name && p->outputs.size() == q->outputs.size()));
  });
}

} // namespace

std::vector<std::uint32_t> sharedCode(const Image &image) {
  std::vector<std::uint32_t> like(image.steps.size(), none);
  std::map<std::uint32_t, std::vector<std::uint32_t>> codes; // number -> the first place
  for (auto index : reach(image).order) {
    const auto *sequence = outlined(image.steps[index]);
    if (!sequence)
      continue;
    auto parts = stepsWithin(image, index);
    const auto [at, first] = codes.try_emplace(sequence->code, parts);
    if (first || !sameCode(image, at->second, parts))
      continue;
    for (std::size_t i = 0; i != parts.size(); ++i)
      like[parts[i]] = at->second[i];
  }
  return like;
}

std::vector<std::uint32_t> outlinedOwners(const Image &image) {
  std::vector<std::uint32_t> owners(image.steps.size(), none);
  for (std::uint32_t index = 0; index != image.steps.size(); ++index)
    if (outlined(image.steps[index]))
      for (auto part : stepsWithin(image, index))
        owners[part] = index;
  return owners;
}

std::vector<std::uint8_t> outlineBuffers(const Image &image) {
  std::vector<std::uint8_t> buffers(image.variables.size(), 0);
  for (const auto &step : image.steps)
    if (const auto *sequence = outlined(step))
      for (std::size_t i = 1; i < sequence->arguments.size(); i += 2)
        for (const auto &piece : sequence->arguments[i].pieces)
          buffers[piece.var.value] = 1;
  return buffers;
}

Renaming::Renaming(const Image &image, const step::Sequence &outlined) {
  for (std::size_t i = 0; i + 1 < outlined.arguments.size(); i += 2) {
    const auto buffer = tensor::sortedRanges(outlined.arguments[i + 1]);
    if (buffer.empty())
      continue;
    const auto var = buffer.front().var.value;
    std::map<std::uint32_t, RangeSet> elements;
    for (const auto &range : tensor::sortedRanges(outlined.arguments[i]))
      elements[range.var.value].add(range.begin, range.end);
    for (auto &[from, set] : elements)
      buffers_[from].push_back({std::move(set), var, image.variables[var].elements});
  }
}

void Renaming::apply(Effects &effects) const {
  std::vector<std::pair<std::uint32_t, Effect>> moved;
  for (auto &[var, effect] : effects) {
    const auto at = buffers_.find(var);
    if (at == buffers_.end())
      continue;
    for (const auto &buffer : at->second) {
      Effect own;
      const auto move = [&](RangeSet &from, RangeSet &to) {
        auto common = from;
        common.intersect(buffer.elements);
        if (common.empty())
          return;
        from.subtract(buffer.elements);
        to.add(0, buffer.size);
        own.used = true;
      };
      move(effect.read, own.read);
      move(effect.written, own.written);
      if (own.used)
        moved.emplace_back(buffer.var, own);
    }
    effect.used = !effect.read.empty() || !effect.written.empty();
  }
  for (auto &[var, effect] : moved) {
    auto &to = effects[var];
    to.read.unite(effect.read);
    to.written.unite(effect.written);
    to.used = true;
  }
}

} // namespace poplar::analysis
