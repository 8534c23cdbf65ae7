// SPDX-License-Identifier: MIT
// Indices as TensorFlow and Paddle mean them: from 0 on. PopART's count from the end if they are
// negative, as ONNX's do.
#pragma once
#include "frontend/Writing.hpp"

namespace frontend {

// Indices as INT32, each of which must be from 0 to `end` - 1, or `ignored`. A negative one that is
// known now is an error; any that is not there is one of the run that meets it, if the engine
// option debug.checkIndices is on. `user`: who looks them up.
inline Value checkedIndices(const Writing &w, Value indices, std::int64_t end,
                            const std::string &user, std::int64_t ignored = 0) {
  indices = w.cast(indices, DataType::INT32);
  if (const auto *known = w.m.valuesOf(indices)) {
    for (const auto i : known->integers())
      if (i < 0 && i != ignored)
        w.fail("index ", i, " is out of range: it must be 0 or more.");
    return indices;
  }
  Attributes range{{"lowest", std::int64_t(0)}, {"end", end}, {"user", user}};
  if (ignored)
    range.set("ignored", ignored);
  return w.m.op("CheckIndices", {indices}, range);
}

// Places [..., k] in the first k dimensions after `first` ones of that shape, all of which must be
// there.
inline Value checkedPlaces(const Writing &w, Value places, const Shape &shape, std::size_t first,
                           const std::string &user) {
  const auto last = std::int64_t(w.rank(places)) - 1;
  const auto count = w.shapeOf(places).back();
  Values columns;
  for (std::int64_t d = 0; d < count; ++d)
    columns.push_back(
        checkedIndices(w, w.slice(places, last, d, d + 1), shape[first + std::size_t(d)], user));
  return count > 1 ? w.concat(columns, last) : count ? columns[0] : w.cast(places, DataType::INT32);
}

// Of a one-hot encoding: those that are not there, negative ones too, have no 1.
inline Value hotIndices(const Writing &w, Value indices) {
  return w.cast(w.cast(indices, DataType::INT32), DataType::UINT32);
}

} // namespace frontend
