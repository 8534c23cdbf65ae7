// SPDX-License-Identifier: MIT
// One pool for the process, sized by OPENIPU_NUM_THREADS (default: all cores). parallelFor splits
// [0, n) into chunks of at least `grain`; the caller works too and takes what others have not
// begun, so a thread that comes late costs nothing. Nested calls, and calls while another thread
// uses the pool, run inline. Threads without work spin for 100 us, then sleep, so a busy neighbour
// costs a core and not a time slice. A child of fork makes a pool of its own.
#pragma once
#include <cstddef>
#include <functional>

namespace base {

unsigned numThreads();
// What OPENIPU_NUM_THREADS asks for. Throws std::invalid_argument if it is no such number; the pool
// then has as many threads as there are cores.
unsigned configuredThreads();
void setNumThreads(unsigned n); // tests: results must not depend on it

// body(begin, end, thread) with thread in [0, numThreads()), in the caller's floating point mode.
// The first exception is rethrown here.
void parallelFor(std::size_t n, std::size_t grain,
                 const std::function<void(std::size_t, std::size_t, unsigned)> &body);

} // namespace base
