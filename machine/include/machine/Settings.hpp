// SPDX-License-Identifier: MIT
// Options of whoever opens an IPU: GCDA_OPTIONS, a JSON object, and the variables that stand for
// single ones. Unknown options are an Error; what has no meaning for a simulated IPU is refused
// too.
#pragma once
#include <string>
#include <vector>

namespace machine {

struct Settings {
  bool monitor = false;            // enableMonitoring, GCDA_MONITOR=1: sensors are shown
  bool monitorUtilisation = true;  // GCDA_SUPPRESS_UTILISATION_MEASUREMENT=1: not
  std::vector<std::string> errors; // simulateSOCError.errorList
  unsigned triggerCount = 0;       // simulateSOCError.triggerCount: at which run they come
  bool rearmOnReset = false;
};
Settings settingsOfEnvironment();

} // namespace machine
