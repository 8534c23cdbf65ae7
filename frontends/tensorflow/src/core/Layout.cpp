// SPDX-License-Identifier: MIT
#include "core/Layout.hpp"

#include "core/Conversion.hpp"

#include <algorithm>

namespace tensorflow {

bool channelsLast(const Call &c) {
  const auto format = c.text("data_format", "NHWC");
  return format.back() == 'C';
}

Value toChannelsSecond(const Call &c, Value v) {
  if (!channelsLast(c))
    return v;
  if (const Value known = c.conversion().turned(v); known != none)
    return known;
  const auto rank = std::int64_t(c.rank(v));
  Integers perm{0, rank - 1};
  for (std::int64_t d = 1; d + 1 < rank; ++d)
    perm.push_back(d);
  return c.m.transpose(v, perm);
}
Value fromChannelsSecond(const Call &c, Value v) {
  if (!channelsLast(c))
    return v;
  Integers perm{0};
  for (std::int64_t d = 2; d < std::int64_t(c.rank(v)); ++d)
    perm.push_back(d);
  perm.push_back(1);
  const Value last = c.m.transpose(v, perm);
  c.conversion().remember(last, v);
  return last;
}
Integers ofField(const Call &c, const Integers &perDimension) {
  const auto first = perDimension.begin() + (channelsLast(c) ? 1 : 2);
  return {first, perDimension.end() - (channelsLast(c) ? 1 : 0)};
}
Value alongChannels(const Call &c, Value v, std::size_t rank) {
  if (channelsLast(c))
    return v;
  Shape shape(rank - 1, 1);
  shape[0] = c.shapeOf(v)[0];
  return c.m.reshape(v, shape);
}

// "SAME": outputs are the field over the strides, rounded up; the odd element of padding is last.
static Integers same(const Shape &field, const Integers &kernel, const Integers &strides,
                     const Integers &dilations) {
  Integers begins, ends;
  for (std::size_t d = 0; d < field.size(); ++d) {
    const auto extent = (kernel[d] - 1) * dilations[d] + 1;
    const auto outputs = (field[d] + strides[d] - 1) / strides[d];
    const auto total = std::max<std::int64_t>((outputs - 1) * strides[d] + extent - field[d], 0);
    begins.push_back(total / 2);
    ends.push_back(total - total / 2);
  }
  begins.insert(begins.end(), ends.begin(), ends.end());
  return begins;
}

Integers padsOf(const Call &c, const Shape &field, const Integers &kernel, const Integers &strides,
                const Integers &dilations) {
  const auto padding = c.text("padding", "VALID");
  if (padding == "VALID")
    return Integers(2 * field.size(), 0);
  if (padding == "SAME")
    return same(field, kernel, strides, dilations);
  if (padding != "EXPLICIT")
    c.fail("padding \"", padding, "\" must be VALID, SAME or EXPLICIT.");
  const auto given = c.list("explicit_paddings"); // begin and end of every dimension
  Integers begins, ends;
  const std::size_t first = channelsLast(c) ? 1 : 2;
  for (std::size_t d = first; d < first + field.size(); ++d) {
    begins.push_back(given.at(2 * d));
    ends.push_back(given.at(2 * d + 1));
  }
  begins.insert(begins.end(), ends.begin(), ends.end());
  return begins;
}

} // namespace tensorflow
