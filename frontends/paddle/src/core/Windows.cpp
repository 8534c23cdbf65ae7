// SPDX-License-Identifier: MIT
#include "core/Windows.hpp"

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

Integers padsOf(const Call &c, const frontend::Window &w) {
  const auto n = w.dims();
  const auto algorithm = c.text("padding_algorithm", "EXPLICIT");
  if (algorithm == "SAME")
    return frontend::samePads(w);
  if (algorithm == "VALID")
    return Integers(2 * n, 0);
  if (algorithm != "EXPLICIT")
    c.fail("padding_algorithm \"", algorithm, "\" is not one of EXPLICIT, SAME, VALID.");
  const auto given = c.integers("paddings");
  return given.size() == 2 * n ? frontend::padsOfPairs(given)
                               : frontend::padsOfBoth(c.repeated("paddings", n, 0));
}

} // namespace paddleipu
