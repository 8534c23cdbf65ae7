// SPDX-License-Identifier: MIT
#include "core/Windows.hpp"

#include <algorithm>

namespace paddleipu {

bool channelsLast(const Call &c, const char *attribute) {
  const auto format = c.text(attribute, "NCHW");
  if (format == "NHWC" || format == "NDHWC" || format == "NLC" || format == "NWC")
    return true;
  if (format != "NCHW" && format != "NCDHW" && format != "AnyLayout" && format != "NCL" &&
      format != "NCW")
    c.fail(attribute, " \"", format, "\" is not one of NCHW, NHWC, NCDHW, NDHWC.");
  return false;
}

Value toChannelsFirst(const Call &c, Value v, bool last) {
  const auto rank = std::int64_t(c.rank(v));
  if (!last || rank < 3)
    return v;
  Integers perm{0, rank - 1};
  for (std::int64_t d = 1; d < rank - 1; ++d)
    perm.push_back(d);
  return c.m.transpose(v, perm);
}
Value fromChannelsFirst(const Call &c, Value v, bool last) {
  const auto rank = std::int64_t(c.rank(v));
  if (!last || rank < 3)
    return v;
  Integers perm{0};
  for (std::int64_t d = 2; d < rank; ++d)
    perm.push_back(d);
  perm.push_back(1);
  return c.m.transpose(v, perm);
}

Integers repeated(const Call &c, const char *attribute, std::size_t n, std::int64_t otherwise) {
  auto out = c.integers(attribute);
  if (out.empty())
    out = {otherwise};
  if (out.size() == 1)
    out.resize(n, out[0]);
  if (out.size() != n)
    c.fail("its attribute ", attribute, " has ", out.size(), " numbers for ", n, " dimensions.");
  return out;
}

namespace {

Integers same(const Shape &field, const Integers &kernel, const Integers &strides,
              const Integers &dilations) {
  const auto n = field.size();
  Integers out(2 * n);
  for (std::size_t d = 0; d < n; ++d) {
    const auto results = (field[d] + strides[d] - 1) / strides[d];
    const auto window = (kernel[d] - 1) * dilations[d] + 1;
    const auto total = std::max<std::int64_t>((results - 1) * strides[d] + window - field[d], 0);
    out[d] = total / 2;
    out[d + n] = total - total / 2;
  }
  return out;
}

} // namespace

Integers padsOf(const Call &c, const Shape &field, const Integers &kernel, const Integers &strides,
                const Integers &dilations) {
  const auto n = field.size();
  const auto algorithm = c.text("padding_algorithm", "EXPLICIT");
  if (algorithm == "SAME")
    return same(field, kernel, strides, dilations);
  if (algorithm == "VALID")
    return Integers(2 * n, 0);
  if (algorithm != "EXPLICIT")
    c.fail("padding_algorithm \"", algorithm, "\" is not one of EXPLICIT, SAME, VALID.");
  const auto given = c.integers("paddings");
  if (given.size() != 2 * n) {
    auto out = repeated(c, "paddings", n, 0);
    out.insert(out.end(), out.begin(), out.begin() + std::ptrdiff_t(n));
    return out;
  }
  Integers out(2 * n); // begin and end of each dimension -> begins, then ends
  for (std::size_t d = 0; d < n; ++d) {
    out[d] = given[2 * d];
    out[d + n] = given[2 * d + 1];
  }
  return out;
}

} // namespace paddleipu
