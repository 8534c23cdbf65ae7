// SPDX-License-Identifier: MIT
#include "backend/cpu/FloatTraps.hpp"
#include "backend/cpu/KernelTraps.hpp"
#include <gtest/gtest.h>
#include <limits>

using namespace poplar;
using namespace poplar::backend;
using namespace poplar::backend::cpu;

namespace {

const float nan = std::numeric_limits<float>::quiet_NaN(),
            inf = std::numeric_limits<float>::infinity();
constexpr int all = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW;

// What a kernel that turns `before` and `input` into `after` raises.
int raised(std::vector<float> before, std::vector<float> after, std::vector<float> input,
           bool inOut, int trapped = all, bool unread = false, openipu::Nans nans = {}) {
  const std::size_t shape[] = {2};
  const std::int64_t spread[] = {2}, close[] = {1}; // the output is every other element
  const KernelOperand out{
      reinterpret_cast<std::byte *>(before.data()), TypeId::Float, shape, spread, 2, false, unread};
  const KernelOperand in{
      reinterpret_cast<std::byte *>(input.data()), TypeId::Float, shape, close, 2, true};
  KernelArgs args;
  args.outputs = {&out, 1};
  args.inputs = {&in, 1};
  try {
    const KernelTraps traps(trapped, args, {inOut}, nans);
    std::copy(after.begin(), after.end(), before.begin());
    traps.check();
  } catch (const FloatTrap &trap) {
    return trap.raised;
  }
  return 0;
}

TEST(KernelTraps, ResultsThatAreNoNumbersEndTheRun) {
  EXPECT_EQ(raised({0, 0, 0}, {1, 0, 2}, {1, 2}, false), 0);
  EXPECT_EQ(raised({0, 0, 0}, {1, 0, nan}, {1, 2}, false), FE_INVALID);
  EXPECT_EQ(raised({0, 0, 0}, {-inf, 0, 1}, {1, 2}, false), FE_OVERFLOW);
  EXPECT_EQ(raised({0, 0, 0}, {-inf, 0, 1}, {0, 2}, false), FE_OVERFLOW | FE_DIVBYZERO);
  EXPECT_EQ(raised({0, 0, 0}, {1, nan, 1}, {1, 2}, false), 0) << "not an element of the output";
}

TEST(KernelTraps, OnlyWhatIsTrappedAndReadCounts) {
  EXPECT_EQ(raised({0, 0, 0}, {nan, 0, 0}, {1, 2}, false, FE_OVERFLOW), 0);
  EXPECT_EQ(raised({0, 0, 0}, {nan, 0, 0}, {1, 2}, false, 0), 0);
  EXPECT_EQ(raised({0, 0, 0}, {nan, 0, 0}, {1, 2}, false, all, true), 0);
}

TEST(KernelTraps, InfinitiesArePassedOn) {
  EXPECT_EQ(raised({0, 0, 0}, {inf, 0, 0}, {-inf, 2}, false), 0);
  EXPECT_EQ(raised({inf, 0, 0}, {inf, 0, 0}, {1, 2}, true), 0);
  EXPECT_EQ(raised({inf, 0, 0}, {inf, 0, 0}, {1, 2}, false), FE_OVERFLOW);
}

TEST(KernelTraps, ComputingWithWhatIsNoNumberIsInvalid) {
  EXPECT_EQ(raised({0, 0, 0}, {nan, 0, 0}, {nan, 2}, false), FE_INVALID);
  EXPECT_EQ(raised({0, 0, 0}, {nan, 0, 0}, {inf, 2}, false), FE_INVALID);
  EXPECT_EQ(raised({nan, 0, 0}, {nan, 0, 0}, {1, 2}, true), FE_INVALID);
  EXPECT_EQ(raised({0, 0, 0}, {1, 0, 0}, {nan, 2}, false), 0) << "compared with nothing";
}

TEST(KernelTraps, MovingItIsNot) {
  const openipu::Nans moves{.computed = false};
  EXPECT_EQ(raised({0, 0, 0}, {nan, 0, 0}, {nan, 2}, false, all, false, moves), 0);
  EXPECT_EQ(raised({0, 0, 0}, {nan, 0, 0}, {1, 2}, false, all, false, moves), FE_INVALID);
}

TEST(KernelTraps, ComparingItIsInvalid) {
  EXPECT_EQ(raised({0, 0, 0}, {1, 0, 0}, {nan, 2}, false, all, false, {true, 1}), FE_INVALID);
  EXPECT_EQ(raised({0, 0, 0}, {1, 0, 0}, {nan, 2}, false, all, false, {true, 2}), 0);
  EXPECT_EQ(raised({0, 0, 0}, {1, 0, 0}, {nan, 2}, false, all, false, {false, 1}), FE_INVALID);
}

} // namespace
