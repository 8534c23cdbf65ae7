// SPDX-License-Identifier: MIT
// popart_core: the C++ side of the Python package popart.
#include "bind.hpp"

PYBIND11_MODULE(popart_core, m) {
  bindErrors(m);
  bindTypes(m);
  bindOptions(m);
  bindOptimizers(m);
  bindDevices(m);
  bindStepIo(m);
  bindBuilder(m);
  bindAiOnnx(m);
  bindAiGraphcore(m);
  bindSessions(m);
  bindUtilities(m);
}
