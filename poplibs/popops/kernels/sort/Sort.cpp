// SPDX-License-Identifier: MIT
// popops.sort: the best k of each row, sorted or not, with what else is wanted of them. Rows are
// shared among the threads; a single long row is cut into parts whose best are compared again.
#include "popops/kernels/Sort.hpp"
#include "base/Arithmetic.hpp"
#include "openipu/Kernel.hpp"
#include "rearrange/Strided.hpp"
#include "sort/Select.hpp"
#include "sort/Ties.hpp"
#include <base/Threads.hpp>
#include <cstring>
#include <stdexcept>

namespace popops::sorting {

namespace {

using kernels::SortExtra;
using kernels::SortSpec;
using openipu::KernelArgs;
using openipu::KernelOperand;
using openipu::TypeId;

constexpr std::size_t partOfRow = 65536;

void orderedKeys(const KernelOperand &keys, std::size_t row, std::vector<std::uint32_t> &ordered) {
  std::size_t n = strided::rowLength(keys);
  ordered.resize(n);
  if (keys.type == TypeId::Float || keys.type == TypeId::Half) {
    std::vector<float> floats(n);
    strided::readFloats(keys, row, floats.data());
    for (std::size_t i = 0; i < n; ++i)
      ordered[i] = orderedFloat(floats[i]);
    return;
  }
  strided::readRow(keys, row, ordered.data());
  if (keys.type == TypeId::Int)
    for (auto &key : ordered)
      key ^= 0x80000000u;
}

std::vector<Candidate> best(const std::vector<std::uint32_t> &keys, std::size_t k) {
  std::vector<Candidate> chosen;
  std::size_t n = keys.size(), parts = base::ceilDiv(n, partOfRow);
  if (parts < 2 || k * 8 > partOfRow) {
    selectSmallest(keys.data(), n, 0, k, chosen);
    return chosen;
  }
  std::vector<std::vector<Candidate>> found(parts);
  base::parallelFor(parts, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (std::size_t p = begin; p < end; ++p) {
      std::size_t first = p * partOfRow;
      selectSmallest(&keys[first], std::min(partOfRow, n - first), first, k, found[p]);
    }
  });
  for (const auto &part : found)
    chosen.insert(chosen.end(), part.begin(), part.end());
  keepSmallest(chosen, k);
  return chosen;
}

void invert(std::vector<std::uint32_t> &keys) {
  for (auto &key : keys)
    key = ~key;
}

// The best of one row, best first if in any order.
std::vector<Candidate> chosenWithTies(std::vector<std::uint32_t> &keys, std::size_t k,
                                      const SortSpec &spec) {
  if (spec.largest)
    invert(keys);
  std::vector<Candidate> chosen;
  if (k < keys.size())
    chosen = best(keys, k);
  else
    for (std::size_t i = 0; i < k; ++i)
      chosen.push_back(candidate(keys[i], i));
  sortCandidates(chosen, k == keys.size());
  return inTieOrder(keys, std::move(chosen), spec.ties, spec.order != SortOrder::NONE);
}

// The chosen of one row, in the order of the result.
std::vector<Candidate> chosenOf(std::vector<std::uint32_t> &keys, const SortSpec &spec) {
  std::size_t k = std::min<std::size_t>(spec.k, keys.size());
  bool sorted = spec.order != SortOrder::NONE;
  bool descending = spec.order == SortOrder::DESCENDING;
  if (spec.ties != kernels::TieOrder::First)
    return chosenWithTies(keys, k, spec);
  if (k == keys.size()) { // all of them: only the order matters
    if (descending)
      invert(keys);
    std::vector<Candidate> all(k);
    for (std::size_t i = 0; i < k; ++i)
      all[i] = candidate(keys[i], i);
    if (sorted)
      sortCandidates(all, true);
    return all;
  }
  if (spec.largest)
    invert(keys);
  auto chosen = best(keys, k);
  if (sorted && spec.largest != descending)
    for (auto &c : chosen)
      c ^= 0xffffffff00000000u;
  if (sorted)
    sortCandidates(chosen, false);
  else if (spec.byIndex)
    std::sort(chosen.begin(), chosen.end(),
              [](Candidate a, Candidate b) { return indexOf(a) < indexOf(b); });
  return chosen;
}

template <class T>
void takeAs(const KernelOperand &from, const KernelOperand &to, std::size_t row,
            const std::vector<Candidate> &chosen) {
  std::vector<T> source(strided::rowLength(from)), result(chosen.size());
  strided::readRow(from, row, source.data());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    result[i] = source[indexOf(chosen[i])];
  strided::writeRow(to, row, result.data());
}

void take(const KernelOperand &from, const KernelOperand &to, std::size_t row,
          const std::vector<Candidate> &chosen) {
  switch (poplar::sizeOf(from.type)) {
  case 1:
    return takeAs<std::uint8_t>(from, to, row, chosen);
  case 2:
    return takeAs<std::uint16_t>(from, to, row, chosen);
  case 4:
    return takeAs<std::uint32_t>(from, to, row, chosen);
  default:
    return takeAs<std::uint64_t>(from, to, row, chosen);
  }
}

void writeIndices(const KernelOperand &to, std::size_t row, const std::vector<Candidate> &chosen) {
  std::vector<std::uint32_t> indices(chosen.size());
  for (std::size_t i = 0; i < chosen.size(); ++i)
    indices[i] = indexOf(chosen[i]);
  strided::writeRow(to, row, indices.data());
}

void sortRow(const KernelArgs &args, const SortSpec &spec, std::size_t row,
             std::vector<std::uint32_t> &ordered) {
  auto source = [&](std::size_t i) -> const KernelOperand & {
    return spec.inPlace ? args.outputs[i] : args.inputs[i];
  };
  orderedKeys(source(0), row, ordered);
  auto chosen = chosenOf(ordered, spec);
  std::size_t next = 0;
  if (spec.wantKeys)
    take(source(0), args.outputs[next++], row, chosen);
  if (spec.extra == SortExtra::Values)
    take(source(1), args.outputs[next], row, chosen);
  else if (spec.extra == SortExtra::Indices)
    writeIndices(args.outputs[next], row, chosen);
}

void run(const KernelArgs &args) {
  auto spec = SortSpec::read(args.attributes);
  const auto &keys = spec.inPlace ? args.outputs[0] : args.inputs[0];
  std::size_t n = strided::rowLength(keys);
  base::parallelFor(strided::rowCount(keys), 1 + 4096 / (n + 1),
                    [&](std::size_t begin, std::size_t end, unsigned) {
                      std::vector<std::uint32_t> ordered;
                      for (std::size_t row = begin; row < end; ++row)
                        sortRow(args, spec, row, ordered);
                    });
}

const openipu::Registered registered{
    {.name = kernels::sort, .run = run, .nans = openipu::movedNans}};

} // namespace

} // namespace popops::sorting
