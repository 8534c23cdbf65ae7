// SPDX-License-Identifier: MIT
// Keras' fit() beside PopART and torch: tensorflow_bench.py measures.
#include "Subjects.hpp"

namespace bench {

std::vector<Row> tensorflow() {
  return scriptRows("TensorFlow", "tensorflow_bench.py", " and, for one row, torch");
}

} // namespace bench
