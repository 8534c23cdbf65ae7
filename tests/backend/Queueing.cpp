// SPDX-License-Identifier: MIT
// The backend that begins nothing before somebody waits, as a library of its own that programs are
// given with LD_PRELOAD: with all kernels of the cpu but those that set a generator. So the tests
// of the operator libraries and of PopART run on it as they are.
#include "openipu/KernelNames.hpp"
#include "openipu/testing/TestBackend.hpp"
#include <cstdio>
#include <cstdlib>

namespace {

using openipu::testing::TestBackend;

struct Registered {
  Registered() {
    unsetenv("LD_PRELOAD"); // compilers of codelets do without
    TestBackend::registerOnce();
    for (const auto &name : openipu::kernelNames()) {
      auto kernel = openipu::findKernel(name);
      kernel.backend = TestBackend::queueing;
      if (!kernel.seeds)
        openipu::registerKernel(kernel);
    }
  }
  ~Registered() { // of a program that was to run on it
    if (TestBackend::segments)
      return;
    std::fputs("Nothing ran on the backend test.queueing.\n", stderr);
    std::_Exit(1);
  }
};
const Registered registered;

} // namespace
