// SPDX-License-Identifier: MIT
// The loops of a norm. Activations [batch][channels][field...] in any memory order become rows
// (what lies side by side), repeated rows, and outer loops; each element knows which statistic
// (mean, deviation) and which parameter (gamma, beta) belongs to it. Along a row these are either
// the same for all elements or a vector.
#pragma once
#include "NormLoops.hpp"
#include "poplin/NormGroups.hpp"
#include "poplin/Rows.hpp"

namespace poplin::norms {

constexpr unsigned maxData = 4, statKey = 4, paramKey = 5;
constexpr std::size_t blockElements = 8192; // floats of an operand that are worked on at a time

struct Space {
  // `data`: the activations first, then tensors of the same shape. Without parameters rows may run
  // over channels that share a statistic.
  Space(NormGroups groups, std::initializer_list<const openipu::KernelOperand *> data,
        bool parameters = true);

  rows::Nest outer;                  // strides of the data, then of statistic and parameter
  rows::Dim repeat;                  // rows with the same statistics and parameters
  rows::Dim row;                     // strides of the data
  std::vector<std::uint32_t> key[2]; // statistic and parameter of the elements of a row
  bool varies[2] = {}, identity[2] = {};
  std::size_t keys[2] = {}; // how many statistics and parameters there are
  std::size_t elements = 0;

private:
  void takeRow(rows::Nest &nest, const std::vector<bool> &channel, unsigned data);
  void takeRepeat(rows::Nest &nest);
};

// A rectangle of at most blockElements elements: `rows` rows of `n` elements from `column` on.
struct Block {
  std::array<std::int64_t, rows::maxOperands> offset{};
  std::size_t rows = 0, column = 0, n = 0;
};

// Floats of a block, with `ld` floats from row to row.
struct Floats {
  const float *at;
  std::int64_t ld;
};
Floats read(const rows::Data &data, const Space &space, const Block &block, unsigned operand,
            unsigned slot);
struct Target {
  float *at;
  std::int64_t ld;
};
Target target(const rows::Data &data, const Space &space, const Block &block, unsigned operand,
              unsigned slot);
void write(const rows::Data &data, const Space &space, const Block &block, unsigned operand,
           const Target &from);

// What belongs to the elements of a block: one value, or one per column.
inline float scalar(const float *table, const Space &space, const Block &block, unsigned which) {
  return table[block.offset[statKey + which] + space.key[which][0]];
}
const float *vector(const float *table, const Space &space, const Block &block, unsigned which,
                    unsigned slot);
// Whichever it is; `absent` without a table.
inline Value valueOf(const float *table, const Space &space, const Block &block, unsigned which,
                     float absent, unsigned slot) {
  if (!table)
    return {absent, nullptr};
  if (!space.varies[which])
    return {scalar(table, space, block, which), nullptr};
  return {0, vector(table, space, block, which, slot)};
}

// Floats as the elements of a rank 1 operand.
void storeVector(const openipu::KernelOperand &to, const float *from);

// All blocks of a space, in tasks of about blockElements.
class BlockWalk {
public:
  explicit BlockWalk(const Space &space);
  // body(block), on all threads.
  template <class Body> void run(const Body &body) const {
    auto range = [&](std::size_t begin, std::size_t end, unsigned) { runRange(begin, end, body); };
    base::parallelFor(outer_ * rowBlocks_ * columnBlocks_, grain(), std::ref(range));
  }

private:
  template <class Body> void runRange(std::size_t begin, std::size_t end, const Body &body) const {
    auto perOuter = rowBlocks_ * columnBlocks_;
    rows::Walk walk(space_->outer, rows::maxOperands, begin / perOuter);
    for (auto i = begin; i < end; ++i) {
      body(block(walk.offset, i % perOuter));
      if ((i + 1) % perOuter == 0)
        walk.next();
    }
  }
  std::size_t grain() const;
  Block block(const std::array<std::int64_t, rows::maxOperands> &base, std::size_t index) const;
  const Space *space_;
  std::size_t outer_, blockRows_, blockColumns_, rowBlocks_, columnBlocks_;
};

// Sums over everything that shares a key (statistic or parameter), split into tasks that do not
// depend on the number of threads. A task covers one value of the outer keys, a stretch of columns
// (or all, if the key does not vary along a row) and a share of what is added up.
class Reduction {
public:
  Reduction(const Space &space, unsigned which);
  std::size_t tasks() const { return keptSize_ * columnTasks_ * shares_; }
  std::size_t width() const { return byColumn_ ? blockColumns_ : 1; } // sums of a task
  bool byColumn() const { return byColumn_; }

  // body(block, first)
  template <class Body> void run(std::size_t task, Body &&body) const {
    auto [kept, column, share] = split(task);
    rows::Walk keptWalk(kept_, rows::maxOperands, kept);
    auto begin = units_ * share / shares_, end = units_ * (share + 1) / shares_;
    auto perReduced = rowBlocks_ * columnBlocks_;
    rows::Walk walk(reduced_, rows::maxOperands, begin / perReduced);
    for (auto unit = begin; unit < end; ++unit) {
      body(block(keptWalk, walk, column, unit % perReduced), unit == begin);
      if ((unit + 1) % perReduced == 0)
        walk.next();
    }
  }
  // body(task), on all threads.
  template <class Body> void runTasks(const Body &body) const {
    auto range = [&](std::size_t begin, std::size_t end, unsigned) {
      for (auto task = begin; task < end; ++task)
        body(task);
    };
    base::parallelFor(tasks(), grain(), std::ref(range));
  }
  // body(key, index of the sum in the task), for every sum of a task.
  template <class Body> void keys(std::size_t task, Body &&body) const {
    auto [kept, column, share] = split(task);
    rows::Walk walk(kept_, rows::maxOperands, kept);
    auto base = walk.offset[statKey + which_];
    auto first = byColumn_ ? column * blockColumns_ : 0;
    auto last = byColumn_ ? std::min(space_->row.size, first + blockColumns_) : 1;
    for (auto i = first; i < last; ++i)
      body(std::size_t(base) + space_->key[which_][i], i - first);
  }
  std::size_t elements(std::size_t task) const; // behind each sum of a task

private:
  std::size_t grain() const;
  struct Split {
    std::size_t kept, column, share;
  };
  Split split(std::size_t task) const {
    return {task / (columnTasks_ * shares_), task / shares_ % columnTasks_, task % shares_};
  }
  Block block(const rows::Walk &kept, const rows::Walk &reduced, std::size_t column,
              std::size_t unit) const;
  const Space *space_;
  unsigned which_;
  rows::Nest kept_, reduced_;
  bool byColumn_;
  std::size_t blockRows_, blockColumns_, rowBlocks_, columnBlocks_ /* of a unit */, columnTasks_;
  std::size_t keptSize_, units_, shares_;
};

// Two sums for each sum of each task.
class TaskSums {
public:
  explicit TaskSums(const Reduction &reduction) : reduction_(reduction) {}
  // Before the tasks of a run. Norms run one after the other and use the same memory.
  void begin() {
    const auto doubles = reduction_.tasks() * reduction_.width() * 2;
    sums_ = reinterpret_cast<double *>(rows::scratch(slot, 2 * doubles));
  }
  double *first(std::size_t task) { return &sums_[task * reduction_.width() * 2]; }
  double *second(std::size_t task) { return first(task) + reduction_.width(); }
  // Both, set to zero.
  double *clear(std::size_t task) {
    std::fill_n(first(task), 2 * reduction_.width(), 0.0);
    return first(task);
  }
  // body(key, task, first, second), always in the same order.
  template <class Body> void merge(const Body &body) {
    for (std::size_t task = 0; task < reduction_.tasks(); ++task)
      reduction_.keys(task, [&](std::size_t key, std::size_t i) {
        body(key, task, first(task)[i], second(task)[i]);
      });
  }

private:
  const Reduction &reduction_;
  static constexpr unsigned slot = 15;
  double *sums_ = nullptr;
};

} // namespace poplin::norms
