// SPDX-License-Identifier: MIT
#include "compile/SharedCode.hpp"
#include "compile/Reach.hpp"
#include "tensor/View.hpp"

namespace poplar::compile {

using namespace executable;

bool isOutlined(const Step &step) { return step.kind == StepKind::Sequence && step.index != none; }
bool isPassed(const Step &step) { return step.kind == StepKind::Copy && step.flag; }

namespace {

// All steps within, in program order, but for the copies of arguments: every place has its own.
std::vector<std::uint32_t> partsOf(const Image &image, std::uint32_t outlined) {
  const auto &first = image.steps[outlined].children;
  std::vector<std::uint32_t> out, stack(first.rbegin(), first.rend());
  while (!stack.empty()) {
    const auto index = stack.back();
    stack.pop_back();
    const auto &step = image.steps[index];
    if (isPassed(step))
      continue;
    out.push_back(index);
    stack.insert(stack.end(), step.children.rbegin(), step.children.rend());
  }
  return out;
}

bool sameCode(const Image &image, const std::vector<std::uint32_t> &a,
              const std::vector<std::uint32_t> &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](std::uint32_t i, std::uint32_t j) {
    const auto &x = image.steps[i], &y = image.steps[j];
    return x.kind == y.kind && x.text == y.text && x.count == y.count &&
           x.operands.size() == y.operands.size();
  });
}

} // namespace

std::vector<std::uint32_t> sharedCode(const Image &image) {
  std::vector<std::uint32_t> like(image.steps.size(), none);
  std::map<std::uint32_t, std::vector<std::uint32_t>> codes; // number -> the first place
  for (auto index : reach(image).order) {
    if (!isOutlined(image.steps[index]))
      continue;
    auto parts = partsOf(image, index);
    const auto [at, first] = codes.try_emplace(image.steps[index].index, parts);
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
    if (isOutlined(image.steps[index]))
      for (auto part : partsOf(image, index))
        owners[part] = index;
  return owners;
}

std::vector<std::uint8_t> outlineBuffers(const Image &image) {
  std::vector<std::uint8_t> buffers(image.variables.size(), 0);
  for (const auto &step : image.steps)
    if (isOutlined(step))
      for (std::size_t i = 1; i < step.operands.size(); i += 2)
        for (const auto &piece : step.operands[i].pieces)
          buffers[piece.var.value] = 1;
  return buffers;
}

Renaming::Renaming(const Image &image, const Step &outlined) {
  for (std::size_t i = 0; i + 1 < outlined.operands.size(); i += 2) {
    const auto buffer = tensor::sortedRanges(outlined.operands[i + 1]);
    if (buffer.empty())
      continue;
    const auto var = buffer.front().var.value;
    std::map<std::uint32_t, RangeSet> elements;
    for (const auto &range : tensor::sortedRanges(outlined.operands[i]))
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

} // namespace poplar::compile
