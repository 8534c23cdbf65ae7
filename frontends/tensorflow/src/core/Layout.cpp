// SPDX-License-Identifier: MIT
#include "core/Layout.hpp"

#include "core/Conversion.hpp"

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
  return frontend::channelsSecond(c, v);
}
Value fromChannelsSecond(const Call &c, Value v) {
  if (!channelsLast(c))
    return v;
  const Value last = frontend::channelsBehind(c, v);
  c.conversion().remember(last, v);
  return last;
}
Integers ofField(const Call &c, const Integers &perDimension) {
  const auto first = perDimension.begin() + (channelsLast(c) ? 1 : 2);
  return {first, perDimension.end() - (channelsLast(c) ? 1 : 0)};
}
Value alongChannels(const Call &c, Value v, std::size_t rank) {
  return channelsLast(c) ? v : frontend::alongChannels(c, v, rank);
}

Integers padsOf(const Call &c, const frontend::Window &w) {
  const auto padding = c.text("padding", "VALID");
  if (padding == "VALID")
    return Integers(2 * w.dims(), 0);
  if (padding == "SAME")
    return frontend::samePads(w);
  if (padding != "EXPLICIT")
    c.fail("padding \"", padding, "\" must be VALID, SAME or EXPLICIT.");
  const auto given = c.list("explicit_paddings"); // begin and end of every dimension
  if (given.size() != 2 * w.dims() + 4)
    c.fail("explicit_paddings has ", given.size(), " numbers; ", 2 * w.dims() + 4, " are needed.");
  const auto first = given.begin() + (channelsLast(c) ? 2 : 4);
  return frontend::padsOfPairs({first, first + std::ptrdiff_t(2 * w.dims())});
}

} // namespace tensorflow
