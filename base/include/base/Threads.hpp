// SPDX-License-Identifier: MIT
// One pool for the process, sized by OPENIPU_NUM_THREADS (default: all cores). parallelFor splits
// [0, n) into chunks of at least `grain`; the caller works too. Nested calls run inline. Waiting
// threads spin for tens of microseconds, then sleep, so a busy neighbour costs a core and not a
// time slice.
#pragma once
#include <cstddef>
#include <functional>

namespace base {

unsigned numThreads();
void setNumThreads(unsigned n); // tests: results must not depend on it

// body(begin, end, thread) with thread in [0, numThreads()). The first exception is rethrown here.
void parallelFor(std::size_t n, std::size_t grain,
                 const std::function<void(std::size_t, std::size_t, unsigned)> &body);

} // namespace base
