// SPDX-License-Identifier: MIT
#include "popops/SliceCost.hpp"
#include "base/Arithmetic.hpp"
#include <algorithm>
#include <bit>

namespace popops {

namespace {

using Cycles = std::uint64_t;

struct Element {
  Cycles bytes;
  explicit Element(const poplar::Target &target, const poplar::Type &type)
      : bytes(target.getTypeSize(type)) {}
  // Loads and stores of a row of n: two elements in two cycles, four bytes in three for 8-bit
  // types; 64-bit types are two words.
  Cycles copy(Cycles n) const {
    if (bytes == 1)
      return 3 * base::ceilDiv(n, 4);
    return 2 * base::ceilDiv(n * std::max<Cycles>(bytes / 4, 1), 2);
  }
};

// Workers share the offsets; a single lookup is shared out by columns, or whatever is asked for.
Cycles shared(const poplar::Target &target, const poplar::Type &type, const SliceWork &w,
              Cycles enter) {
  Cycles workers = target.getNumWorkerContexts();
  bool splitRow = w.splitRow.value_or(w.lookups == 1);
  Cycles share = w.perWorker ? std::min(w.perWorker, w.row) : base::ceilDiv(w.row, workers);
  Cycles row = splitRow ? share : w.row;
  Cycles in = splitRow ? w.inRange : base::ceilDiv(w.inRange, workers);
  Cycles out = base::ceilDiv(w.lookups - std::min(w.inRange, w.lookups), workers);
  Cycles search = 0;
  if (w.sorted) { // a binary search finds the first of ours, and no other is looked at
    search = 20 + 9 + 20 * std::bit_width(std::max<Cycles>(w.lookups, 1) - 1);
    search += 15 * (w.inRange > w.entries ? w.inRange - w.entries : 0) / workers;
    out = 0;
  }
  return workers * (enter + in * (19 + Element(target, type).copy(row)) + out * 8 + search);
}

} // namespace

Cycles multiSliceCycles(const poplar::Target &target, const poplar::Type &type,
                        const SliceWork &w) {
  return shared(target, type, w, 30);
}

Cycles multiUpdateCycles(const poplar::Target &target, const poplar::Type &type,
                         const SliceWork &w) {
  return shared(target, type, w, 29);
}

// Each worker owns a part of the rows, reads every offset and acts on its own, so that repeated
// offsets do not race.
Cycles multiUpdateOpCycles(const poplar::Target &target, const poplar::Type &type,
                           const SliceWork &w, bool scaled) {
  Cycles workers = target.getNumWorkerContexts();
  Cycles bytes = target.getTypeSize(type);
  bool wide = bytes >= 4;
  Cycles in = base::ceilDiv(w.inRange, std::min(workers, std::max<Cycles>(w.entries, 1)));
  Cycles out = w.sorted ? 0 : w.lookups - std::min(in, w.lookups);
  Cycles rowBytes = w.row * bytes, each;
  if (rowBytes % 4)
    each = 20 * w.row;
  else if (rowBytes == 8)
    each = wide ? (scaled ? 16 : 8) : (scaled ? 12 : 9);
  else
    each = (wide ? 11 : 12) + 3 * (std::max<Cycles>(rowBytes / 4, 1) - 1);
  Cycles search = w.sorted ? 20 + 9 + 20 * std::bit_width(std::max<Cycles>(w.lookups, 1) - 1) : 0;
  return workers *
         (3 + (wide ? 29 : 30) + (scaled ? (wide ? 4 : 6) : 0) + in * each + out * 5 + search);
}

Cycles dynamicSliceCycles(const poplar::Target &target, const poplar::Type &type, Cycles slices,
                          Cycles row) {
  Cycles workers = target.getNumWorkerContexts();
  Element element(target, type);
  bool bytewise = element.bytes == 1;
  return 11 + 14 +
         workers * ((bytewise ? 76 : 39) +
                    ((bytewise ? 72 : 24) + element.copy(base::ceilDiv(row, workers))) * slices);
}

Cycles dynamicSlice2DCycles(const poplar::Target &target, const poplar::Type &type, Cycles slices,
                            Cycles row, Cycles regions) {
  Cycles workers = target.getNumWorkerContexts();
  Cycles bytes = target.getTypeSize(type);
  Cycles vectors = base::ceilDiv(base::ceilDiv(row, std::max<Cycles>(regions, 1)) * bytes, 8);
  Cycles each = bytes >= 4 ? 29 + vectors : (bytes == 2 ? 31 : 50) + 2 * vectors;
  return workers * (27 + base::ceilDiv(regions, workers) * (each * slices + 13));
}

Cycles sequenceSliceCycles(Cycles sequences, Cycles bytes) {
  return 60 + 60 * sequences + 2 * base::ceilDiv(bytes, 4);
}

} // namespace popops
