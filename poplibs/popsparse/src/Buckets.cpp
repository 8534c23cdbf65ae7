// SPDX-License-Identifier: MIT
// Blocks go to the buckets of their own part first, evenly; what is left over goes to the nearest
// bucket with room.
#include "Buckets.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "poputil/exceptions.hpp"
#include <algorithm>
#include <cstdlib>

namespace popsparse {

using poputil::poplibs_error;

namespace {

// Part i of n takes [i * size / n, (i + 1) * size / n).
std::uint64_t partOf(std::uint64_t at, std::uint64_t size, std::uint64_t n) {
  std::uint64_t part = at * n / size;
  while (part + 1 < n && (part + 1) * size / n <= at)
    ++part;
  while (part * size / n > at)
    --part;
  return part;
}

struct Group {
  std::uint64_t part;
  std::vector<std::uint32_t> blocks; // indices, by line
};
struct Bucket {
  std::vector<Group> groups;
  std::uint64_t blocks = 0, words = 1;
};

class Encoder {
public:
  Encoder(const BucketLayout &layout, const SparseOptions &options, unsigned z,
          const std::vector<BlockAt> &blocks)
      : layout_(layout), options_(options), z_(z), blocks_(blocks), buckets_(layout.buckets) {}

  Encoded run() {
    auto parts = byPart();
    for (std::uint64_t part = 0; part < parts.size(); ++part)
      placeAtHome(part, parts[part]);
    for (auto &[part, rest] : spilled_)
      placeElsewhere(part, rest);
    return write();
  }

private:
  std::vector<std::vector<std::uint32_t>> byPart() const {
    std::vector<std::vector<std::uint32_t>> parts(layout_.x * layout_.y);
    for (std::uint32_t i = 0; i < blocks_.size(); ++i)
      parts[partOf(blocks_[i].line, layout_.lines, layout_.x) * layout_.y +
            partOf(blocks_[i].stack, layout_.stacks, layout_.y)]
          .push_back(i);
    return parts;
  }

  // Takes blocks from the front while bucket b has room for them.
  void place(std::uint64_t b, std::uint64_t part, std::vector<std::uint32_t> &from) {
    Bucket &bucket = buckets_[b];
    Group group{part, {}};
    std::uint64_t words = bucket.words + 3;
    for (std::uint32_t block : from) {
      const bool newLine =
          group.blocks.empty() || blocks_[group.blocks.back()].line != blocks_[block].line;
      const std::uint64_t more = newLine ? 3 : 1;
      if (bucket.blocks == layout_.bucketBlocks || words + more > layout_.metaElements)
        break;
      words += more;
      ++bucket.blocks;
      group.blocks.push_back(block);
    }
    if (group.blocks.empty())
      return;
    bucket.words = words;
    from.erase(from.begin(), from.begin() + std::ptrdiff_t(group.blocks.size()));
    bucket.groups.push_back(std::move(group));
  }

  void placeAtHome(std::uint64_t part, const std::vector<std::uint32_t> &blocks) {
    const std::size_t share = base::ceilDiv(blocks.size(), z_);
    for (unsigned k = 0; k < z_; ++k) {
      const std::size_t begin = std::min(blocks.size(), k * share),
                        end = std::min(blocks.size(), (k + 1) * share);
      std::vector<std::uint32_t> mine(blocks.begin() + std::ptrdiff_t(begin),
                                      blocks.begin() + std::ptrdiff_t(end));
      const std::uint64_t home = part * z_ + k;
      place(options_.forceBucketSpills ? (home + 1) % layout_.buckets : home, part, mine);
      if (!mine.empty())
        spilled_.emplace_back(part, std::move(mine));
    }
  }

  void placeElsewhere(std::uint64_t part, std::vector<std::uint32_t> &rest) {
    // Near buckets are reached soon when buckets travel from tile to tile; in order wastes no room.
    const std::uint64_t n = layout_.buckets, home = part * z_;
    for (std::uint64_t step = 0; step < n && !rest.empty(); ++step)
      place(options_.optimiseForSpeed ? (home + step) % n : step, part, rest);
    if (!rest.empty())
      throw poplibs_error(base::str("The ", blocks_.size(), " non-zero blocks do not fit in ",
                                    layout_.buckets, " buckets of ", layout_.bucketBlocks,
                                    " blocks and ", layout_.metaElements,
                                    " words of metaInfo: ", rest.size(),
                                    " of a part are left. Plan for more non-zero values, or raise "
                                    "metaInfoBucketOversizeProportion."));
  }

  // The lines of a group; the longest first if workers are to share them as they come.
  std::vector<std::vector<std::uint32_t>> linesOf(const Group &group) const {
    std::vector<std::vector<std::uint32_t>> lines;
    for (std::uint32_t block : group.blocks) {
      if (lines.empty() || blocks_[lines.back().back()].line != blocks_[block].line)
        lines.emplace_back();
      lines.back().push_back(block);
    }
    if (options_.useActualWorkerSplitCosts)
      std::stable_sort(lines.begin(), lines.end(),
                       [](const auto &a, const auto &b) { return a.size() > b.size(); });
    return lines;
  }

  Encoded write() const {
    Encoded out{std::vector<std::uint16_t>(layout_.buckets * layout_.metaElements),
                std::vector<std::uint32_t>(blocks_.size())};
    for (std::uint64_t b = 0; b < layout_.buckets; ++b) {
      std::uint16_t *word = out.meta.data() + b * layout_.metaElements;
      std::uint32_t slot = std::uint32_t(b * layout_.bucketBlocks);
      *word++ = std::uint16_t(buckets_[b].groups.size());
      for (const Group &group : buckets_[b].groups) {
        const std::uint64_t line0 = group.part / layout_.y * layout_.lines / layout_.x,
                            stack0 = group.part % layout_.y * layout_.stacks / layout_.y;
        const auto lines = linesOf(group);
        *word++ = std::uint16_t(group.part);
        *word++ = std::uint16_t(group.part >> 16);
        *word++ = std::uint16_t(lines.size());
        for (const auto &line : lines) {
          *word++ = std::uint16_t(blocks_[line[0]].line - line0);
          *word++ = std::uint16_t(line.size());
          for (std::uint32_t block : line) {
            *word++ = std::uint16_t(blocks_[block].stack - stack0);
            out.slots[block] = slot++;
          }
        }
      }
    }
    return out;
  }

  const BucketLayout &layout_;
  const SparseOptions &options_;
  unsigned z_;
  const std::vector<BlockAt> &blocks_;
  std::vector<Bucket> buckets_;
  std::vector<std::pair<std::uint64_t, std::vector<std::uint32_t>>> spilled_;
};

[[noreturn]] void damaged() {
  throw poplibs_error("The metaInfo of a sparse tensor makes no sense. Write what the Partitioner "
                      "made for the same parameters and options.");
}

} // namespace

BucketLayout layoutOf(const Problem &p, const SparsePlan &plan) {
  return {p.lines(), p.stacks(),     p.blockRows,       p.blockColumns,   plan.x,
          plan.y,    plan.buckets(), plan.bucketBlocks, plan.metaElements};
}

Encoded encode(const BucketLayout &layout, const SparseOptions &options, unsigned z,
               const std::vector<BlockAt> &blocks) {
  return Encoder(layout, options, z, blocks).run();
}

std::vector<Placed> decode(const BucketLayout &layout, std::span<const std::uint16_t> meta) {
  std::vector<Placed> out;
  for (std::uint64_t b = 0; b < layout.buckets; ++b) {
    const auto words = meta.subspan(b * layout.metaElements, layout.metaElements);
    std::size_t at = 0, slot = 0;
    const auto next = [&]() -> std::uint32_t {
      if (at == words.size())
        damaged();
      return words[at++];
    };
    for (std::uint32_t groups = next(); groups; --groups) {
      const std::uint64_t low = next(), part = low | std::uint64_t(next()) << 16;
      const std::uint64_t line0 = part / layout.y * layout.lines / layout.x,
                          stack0 = part % layout.y * layout.stacks / layout.y;
      for (std::uint32_t lines = next(); lines; --lines) {
        const std::uint64_t line = line0 + next();
        for (std::uint32_t count = next(); count; --count) {
          const std::uint64_t stack = stack0 + next();
          if (line >= layout.lines || stack >= layout.stacks || slot == layout.bucketBlocks)
            damaged();
          out.push_back({{std::uint32_t(line), std::uint32_t(stack)},
                         std::uint32_t(b * layout.bucketBlocks + slot++)});
        }
      }
    }
  }
  return out;
}

} // namespace popsparse
