// SPDX-License-Identifier: MIT
// popops.slice: rows[g, i] = the slice of table[g] at offsets[g, i], for any type. One memcpy per
// slice when slices are contiguous; lookups, or the parts of one large slice, are shared by
// threads.
#include "popops/kernels/Slice.hpp"
#include "base/Threads.hpp"
#include "openipu/Kernel.hpp"
#include "popops/CopyRun.hpp"
#include "slice/Lookups.hpp"

namespace popops::slice {

namespace {

using openipu::KernelArgs;

class Slice {
public:
  explicit Slice(const KernelArgs &args)
      : Slice(args, kernels::SliceAttributes::read(args.attributes)) {}

  void run(const KernelArgs &args) {
    to_ = args.outputs[0].data;
    from_ = args.inputs[0].data;
    auto *offsets = args.in<std::uint32_t>(1);
    auto sliceBytes = lookups_.box().elements() * bytes_;
    if (lookups_.count() < 2 * base::numThreads() && sliceBytes > 2 * bytesPerThread) {
      for (std::size_t i = 0; i != lookups_.count(); ++i)
        slice(i, offsets, true);
      return;
    }
    auto grain = std::max<std::size_t>(1, bytesPerThread / std::max<std::size_t>(sliceBytes, 1));
    base::parallelFor(lookups_.count(), grain, [&](std::size_t begin, std::size_t end, unsigned) {
      for (auto i = begin; i != end; ++i)
        slice(i, offsets, false);
    });
  }

private:
  Slice(const KernelArgs &args, kernels::SliceAttributes attributes)
      : lookups_(std::move(attributes.request), args.inputs[0], args.outputs[0], args.inputs[1],
                 true),
        bytes_(sizeOf(args.outputs[0].type)), keepMissing_(attributes.keepMissing) {}

  void slice(std::size_t i, const std::uint32_t *offsets, bool threads) {
    auto place = lookups_.find(i, offsets);
    auto row = lookups_.rowOf(i);
    if (place.found == Lookups::Found::Slice && place.wraps)
      lookups_.wrapped(i, offsets, [&](const Box &box, std::int64_t table, std::int64_t at) {
        copy(box, at, table, threads);
      });
    else if (place.found == Lookups::Found::Slice)
      copy(lookups_.box(), row, place.table, threads);
    else if (place.found == Lookups::Found::Zeros || !keepMissing_)
      zero(lookups_.box(), row);
  }

  void copy(const Box &box, std::int64_t row, std::int64_t table, bool threads) {
    auto *to = to_ + row * std::int64_t(bytes_);
    auto *from = from_ + table * std::int64_t(bytes_);
    if (!threads && box.plain()) {
      std::memcpy(to, from, box.elements() * bytes_);
      return;
    }
    if (!box.elements())
      return;
    auto part = [&](std::size_t begin, std::size_t end, unsigned) {
      box.runs(
          begin, end,
          [&](std::int64_t t, std::int64_t f, std::size_t n, std::int64_t ts, std::int64_t fs) {
            copyRun(to + t * std::int64_t(bytes_), ts, from + f * std::int64_t(bytes_), fs, n,
                    bytes_);
          });
    };
    if (!threads)
      return part(0, box.outer(), 0);
    auto inner = std::max<std::size_t>(1, box.elements() / box.outer() * bytes_);
    base::parallelFor(box.outer(), std::max<std::size_t>(1, bytesPerThread / inner), part);
  }

  void zero(const Box &box, std::int64_t row) {
    static const std::uint64_t none = 0;
    auto *to = to_ + row * std::int64_t(bytes_);
    box.runs([&](std::int64_t t, std::int64_t, std::size_t n, std::int64_t ts, std::int64_t) {
      copyRun(to + t * std::int64_t(bytes_), ts, reinterpret_cast<const std::byte *>(&none), 0, n,
              bytes_);
    });
  }

  Lookups lookups_;
  std::size_t bytes_;
  bool keepMissing_;
  std::byte *to_ = nullptr;
  const std::byte *from_ = nullptr;
};

const openipu::Registered registered{
    openipu::stateful<Slice>(kernels::slice, nullptr, openipu::movedNans)};

} // namespace

} // namespace popops::slice
