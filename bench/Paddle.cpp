// SPDX-License-Identifier: MIT
// Paddle's front end beside PopART: paddle_bench.py measures.
#include "Subjects.hpp"

namespace bench {

std::vector<Row> paddle() { return scriptRows("Paddle", "paddle_bench.py", ""); }

} // namespace bench
