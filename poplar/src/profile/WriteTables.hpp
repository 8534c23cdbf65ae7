// SPDX-License-Identifier: MIT
// The parts of a profile, one function for each group of tables.
#pragma once
#include "arch/System.hpp"
#include "profile/LowerPrograms.hpp"
#include "pva/Writer.hpp"

namespace poplar::profile {

// Of one replica.
struct Layout {
  std::uint32_t ipus, tilesPerIpu;
  std::uint32_t tiles() const { return ipus * tilesPerIpu; }
};

void writePrograms(pva::Writer &writer, const executable::Image &image,
                   const LoweredPrograms &programs, const Recorder *recorder);
void writeCode(pva::Writer &writer, const executable::Image &image, const arch::System &system,
               const LoweredPrograms &programs);
void writeVertices(pva::Writer &writer, const executable::Image &image,
                   const LoweredPrograms &programs, const Recorder *recorder, bool flops);
void writeMemory(pva::Writer &writer, const executable::Image &image,
                 const LoweredPrograms &programs, bool loweredVars);
void writeTrace(pva::Writer &writer, const LoweredPrograms &programs, const Recorder &recorder,
                const Layout &layout);
void writeTotals(pva::Writer &writer, const LoweredPrograms &programs, const Recorder &recorder,
                 const arch::System &system, const Layout &layout);

} // namespace poplar::profile
