// SPDX-License-Identifier: MIT
// popops.update: the slice of table[g] at offsets[g, i] becomes rows[g, i], or itself combined with
// scale * rows[g, i]. Lookups that meet the same entry are chained first; then every entry is
// written by one thread, in the order of the lookups, so results do not depend on the number of
// threads.
#include "base/Half.hpp"
#include "base/Simd.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include "popops/CopyRun.hpp"
#include "popops/kernels/Slice.hpp"
#include "slice/Lookups.hpp"
#include <memory>

namespace popops::slice {

namespace {

using kernels::Update;
using openipu::KernelArgs;
using openipu::TypeId;

// Integers wrap around.
template <class T> OPENIPU_INLINE T scaledAdd(T to, T from, T scale) {
  if constexpr (std::is_floating_point_v<T>)
    return to + scale * from;
  else
    return T(std::uint32_t(to) + std::uint32_t(scale) * std::uint32_t(from));
}
template <class T> OPENIPU_INLINE T multiply(T to, T from) {
  if constexpr (std::is_floating_point_v<T>)
    return to * from;
  else
    return T(std::uint32_t(to) * std::uint32_t(from));
}

template <class T>
OPENIPU_SIMD void addRun(T *__restrict to, const T *__restrict from, std::size_t n, T scale) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = scaledAdd(to[i], from[i], scale);
}
template <class T>
OPENIPU_SIMD void maxRun(T *__restrict to, const T *__restrict from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = to[i] < from[i] ? from[i] : to[i];
}
template <class T>
OPENIPU_SIMD void mulRun(T *__restrict to, const T *__restrict from, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    to[i] = multiply(to[i], from[i]);
}

template <class T>
void combineStrided(Update op, T *to, std::int64_t ts, const T *from, std::int64_t fs,
                    std::size_t n, T scale) {
  for (std::size_t i = 0; i != n; ++i, to += ts, from += fs)
    *to = op == Update::Add   ? scaledAdd(*to, *from, scale)
          : op == Update::Max ? (*to < *from ? *from : *to)
                              : multiply(*to, *from);
}

template <class T> void combine(Update op, T *to, const T *from, std::size_t n, T scale) {
  if (op == Update::Add)
    addRun(to, from, n, scale);
  else if (op == Update::Max)
    maxRun(to, from, n);
  else
    mulRun(to, from, n);
}

// What does not depend on the element type.
class Updater {
public:
  virtual ~Updater() = default;
  void run(const KernelArgs &args) {
    begin(args);
    auto *offsets = args.in<std::uint32_t>(1);
    if (lookups_.singleEntries() && lookups_.numEntries() <= mostChained())
      rows(offsets);
    else
      slices(offsets);
  }

protected:
  Updater(Lookups lookups, Update op, std::size_t bytes)
      : lookups_(std::move(lookups)), op_(op), bytes_(bytes) {}

  virtual void begin(const KernelArgs &args) = 0;
  // Combines what lies at `from` (offsets into the rows) into the table, one after the other.
  virtual void apply(const Box &box, std::size_t begin, std::size_t end, std::int64_t table,
                     std::span<const std::int64_t> from) = 0;

  Lookups lookups_;
  Update op_;
  std::size_t bytes_;

private:
  // Chains need memory for every entry of the table.
  std::size_t mostChained() const { return std::max<std::size_t>(1 << 22, 64 * lookups_.count()); }

  void threaded(const Box &box, std::int64_t table, std::span<const std::int64_t> from) {
    auto inner = std::max<std::size_t>(1, box.elements() / box.outer() * bytes_ * from.size());
    base::parallelFor(
        box.outer(), std::max<std::size_t>(1, bytesPerThread / inner),
        [&](std::size_t begin, std::size_t end, unsigned) { apply(box, begin, end, table, from); });
  }

  void slices(const std::uint32_t *offsets) {
    for (std::size_t i = 0; i != lookups_.count(); ++i) {
      auto place = lookups_.find(i, offsets);
      if (place.found != Lookups::Found::Slice)
        continue;
      auto row = lookups_.rowOf(i);
      if (place.wraps)
        lookups_.wrapped(i, offsets, [&](const Box &box, std::int64_t table, std::int64_t at) {
          threaded(box, table, {&at, 1});
        });
      else if (lookups_.box().elements())
        threaded(lookups_.box(), place.table, {&row, 1});
    }
  }

  void rows(const std::uint32_t *offsets) {
    chain(offsets);
    auto rowBytes = lookups_.box().elements() * bytes_;
    bool wide = touched_.size() < 2 * base::numThreads() && rowBytes > 2 * bytesPerThread;
    auto perRow = rowBytes * lookups_.count() / std::max<std::size_t>(1, touched_.size());
    auto grain = std::max<std::size_t>(1, bytesPerThread / std::max<std::size_t>(1, perRow));
    auto some = [&](std::size_t begin, std::size_t end, unsigned) {
      std::vector<std::int64_t> from;
      for (auto i = begin; i != end; ++i)
        row(touched_[i], from, wide);
    };
    if (wide)
      some(0, touched_.size(), 0);
    else
      base::parallelFor(touched_.size(), grain, some);
    for (auto key : touched_)
      first_[key] = none;
  }

  void row(std::uint32_t key, std::vector<std::int64_t> &from, bool threads) {
    from.clear();
    for (auto i = first_[key]; i != none; i = next_[i])
      from.push_back(lookups_.rowOf(i));
    std::span<const std::int64_t> all(from);
    if (op_ == Update::Replace)
      all = all.last(1);
    const auto &box = lookups_.box();
    auto table = lookups_.tableOfEntry(key);
    if (threads)
      threaded(box, table, all);
    else
      apply(box, 0, box.outer(), table, all);
  }

  // first_[row] is the first lookup of a row, next_[lookup] the following one. first_ is left as
  // it was found, so that a run costs nothing for rows that it does not touch.
  void chain(const std::uint32_t *offsets) {
    first_.resize(lookups_.numEntries(), none);
    next_.resize(lookups_.count());
    touched_.clear();
    for (auto i = std::uint32_t(lookups_.count()); i-- != 0;) {
      auto key = lookups_.findEntry(i, offsets);
      if (key < 0)
        continue;
      if (first_[key] == none)
        touched_.push_back(std::uint32_t(key));
      next_[i] = first_[key];
      first_[key] = i;
    }
  }

  static constexpr std::uint32_t none = ~0u;
  std::vector<std::uint32_t> first_, next_, touched_;
};

class Replacer : public Updater {
public:
  explicit Replacer(Lookups lookups, std::size_t bytes)
      : Updater(std::move(lookups), Update::Replace, bytes) {}

private:
  void begin(const KernelArgs &args) override {
    to_ = args.outputs[0].data;
    from_ = args.inputs[0].data;
  }
  void apply(const Box &box, std::size_t begin, std::size_t end, std::int64_t table,
             std::span<const std::int64_t> from) override {
    auto bytes = std::int64_t(bytes_);
    for (auto row : from)
      box.runs(
          begin, end,
          [&](std::int64_t t, std::int64_t f, std::size_t n, std::int64_t ts, std::int64_t fs) {
            copyRun(to_ + (table + t) * bytes, ts, from_ + (row + f) * bytes, fs, n, bytes_);
          });
  }
  std::byte *to_ = nullptr;
  const std::byte *from_ = nullptr;
};

template <class T> class Combiner : public Updater {
public:
  Combiner(Lookups lookups, Update op) : Updater(std::move(lookups), op, sizeof(T)) {}

private:
  void begin(const KernelArgs &args) override {
    to_ = args.outputs[0].as<T>();
    from_ = args.in<T>(0);
    scale_ = args.inputs.size() > 2 ? *args.in<T>(2) : T(1);
  }
  void apply(const Box &box, std::size_t begin, std::size_t end, std::int64_t table,
             std::span<const std::int64_t> from) override {
    box.runs(begin, end,
             [&](std::int64_t t, std::int64_t f, std::size_t n, std::int64_t ts, std::int64_t fs) {
               for (auto row : from)
                 if (ts == 1 && fs == 1)
                   combine(op_, to_ + table + t, from_ + row + f, n, scale_);
                 else
                   combineStrided(op_, to_ + table + t, ts, from_ + row + f, fs, n, scale_);
             });
  }
  T *to_ = nullptr;
  const T *from_ = nullptr;
  T scale_{};
};

// In blocks of floats; rounded after every lookup, or at the end only.
class HalfCombiner : public Updater {
public:
  HalfCombiner(Lookups lookups, Update op, bool floatPartials)
      : Updater(std::move(lookups), op, 2), floatPartials_(floatPartials) {}

private:
  static constexpr std::size_t blockSize = 512;

  void begin(const KernelArgs &args) override {
    to_ = args.outputs[0].as<std::uint16_t>();
    from_ = args.in<std::uint16_t>(0);
    scale_ = args.inputs.size() <= 2               ? 1
             : args.inputs[2].type == TypeId::Half ? base::halfToFloat(*args.in<std::uint16_t>(2))
                                                   : *args.in<float>(2);
  }
  void apply(const Box &box, std::size_t begin, std::size_t end, std::int64_t table,
             std::span<const std::int64_t> from) override {
    box.runs(begin, end,
             [&](std::int64_t t, std::int64_t f, std::size_t n, std::int64_t ts, std::int64_t fs) {
               for (std::size_t at = 0; at < n; at += blockSize)
                 block(to_ + table + t + std::int64_t(at) * ts, ts, f + std::int64_t(at) * fs, fs,
                       std::min(blockSize, n - at), from);
             });
  }
  void block(std::uint16_t *to, std::int64_t ts, std::int64_t at, std::int64_t fs, std::size_t n,
             std::span<const std::int64_t> from) {
    float sum[blockSize], value[blockSize];
    load(to, ts, sum, n);
    for (auto row : from) {
      load(from_ + row + at, fs, value, n);
      combine(op_, sum, value, n, scale_);
      if (!floatPartials_)
        base::roundToHalf(sum, n);
    }
    store(sum, to, ts, n);
  }
  static void load(const std::uint16_t *from, std::int64_t stride, float *to, std::size_t n) {
    std::uint16_t packed[blockSize];
    if (stride != 1) {
      for (std::size_t i = 0; i != n; ++i)
        packed[i] = from[std::int64_t(i) * stride];
      from = packed;
    }
    base::halfToFloat(from, to, n);
  }
  static void store(const float *from, std::uint16_t *to, std::int64_t stride, std::size_t n) {
    std::uint16_t packed[blockSize];
    base::floatToHalf(from, stride == 1 ? to : packed, n);
    for (std::size_t i = 0; stride != 1 && i != n; ++i)
      to[std::int64_t(i) * stride] = packed[i];
  }

  bool floatPartials_;
  std::uint16_t *to_ = nullptr;
  const std::uint16_t *from_ = nullptr;
  float scale_ = 1;
};

std::unique_ptr<Updater> makeUpdater(const KernelArgs &args) {
  auto [request, op, floatPartials] = kernels::UpdateAttributes::read(args.attributes);
  Lookups lookups(std::move(request), args.outputs[0], args.inputs[0], args.inputs[1], false);
  auto type = args.outputs[0].type;
  if (op == Update::Replace)
    return std::make_unique<Replacer>(std::move(lookups), sizeOf(type));
  if (type == TypeId::Float)
    return std::make_unique<Combiner<float>>(std::move(lookups), op);
  if (type == TypeId::Half)
    return std::make_unique<HalfCombiner>(std::move(lookups), op, floatPartials);
  if (type == TypeId::Int)
    return std::make_unique<Combiner<std::int32_t>>(std::move(lookups), op);
  return std::make_unique<Combiner<std::uint32_t>>(std::move(lookups), op);
}

struct UpdateKernel {
  explicit UpdateKernel(const KernelArgs &args) : updater(makeUpdater(args)) {}
  void run(const KernelArgs &args) { updater->run(args); }
  std::unique_ptr<Updater> updater;
};

const openipu::Registered registered{
    // keeps most of what was there
    openipu::stateful<UpdateKernel>(kernels::update, nullptr, openipu::movedNans)};

} // namespace

} // namespace popops::slice
