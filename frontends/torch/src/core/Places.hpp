// SPDX-License-Identifier: MIT
// Where elements are: counting, moving dimensions, and indices as torch means them. What views,
// lookups and scatters share.
#pragma once
#include "core/Call.hpp"
#include "frontend/Reductions.hpp"
#include <optional>

namespace poptorch {

std::int64_t count(const Shape &shape);
inline Integers upTo(std::size_t n) { return frontend::allAxes(n); } // 0, 1, ... n - 1
Integers rowMajorStrides(const Shape &shape);
Integers inverse(const Integers &permutation);
// The order of dimensions that takes some of them, in this order, to the front or to the back.
Integers toFront(const Integers &axes, std::size_t rank);
Integers toBack(const Integers &axes, std::size_t rank);

// torch takes a tensor without dimensions for a vector of one element.
Value asVector(Call &c, Value v);
Value flat(Call &c, Value v);
// Integers that are known now, as INT32.
Value numbers(Call &c, const Shape &shape, const Integers &values);
// Indices as INT32, each of which must be from `lowest` to `end` - 1 (or `ignored`): an error now
// if they are known, and of the run that meets one otherwise (engine option debug.checkIndices).
Value checkedIndices(Call &c, Value indices, std::int64_t end, std::int64_t lowest = 0,
                     std::optional<std::int64_t> ignored = std::nullopt);
// The same from -`extent` on; a negative one counts from the end.
Value wrapped(Call &c, Value indices, std::int64_t extent);
Value fromBegin(Call &c, Value indices, std::int64_t extent); // without looking
// The first of `length` neighbours among `extent`, as INT32 of shape {1}; all of them must be
// there.
Value checkedStart(Call &c, Value start, std::int64_t extent, std::int64_t length);
// The elements at constant row-major offsets, in a new shape.
Value elementsAt(Call &c, Value v, const Integers &offsets, const Shape &shape);
// Offsets of a strided view: start + sum(index[d] * strides[d]), in row-major order of the indices.
Integers stridedOffsets(const Shape &shape, const Integers &strides, std::int64_t start);
// `base` where the elements at these row-major offsets are those of `part`.
Value withElements(Call &c, Value base, const Integers &offsets, Value part);
// `base` with `part` at [begin, begin + step, ...] along an axis.
Value withSlice(Call &c, Value base, Value part, std::int64_t axis, std::int64_t begin,
                std::int64_t step);
// The shape that two broadcast to.
Shape broadcastShape(const Call &c, const Shape &a, const Shape &b);
// Rows looked up in a table, whose gradients are divided by how often the index occurs.
Value scaledByFrequency(Call &c, Value rows, Value indices, std::int64_t tableRows);
// `value`, where `replaced` was overwritten or counts zero times: its gradient is zero, not none.
Value insteadOf(Call &c, Value value, Value replaced);
// Whether gradients are needed: what only shapes them can be left out otherwise.
bool differentiates(Call &c);

} // namespace poptorch
