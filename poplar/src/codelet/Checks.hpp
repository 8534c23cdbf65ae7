// SPDX-License-Identifier: MIT
// Checked mode at run time. Fields check their indices (poplar/codelet/Elements.hpp); accesses
// through pointers that were taken from fields, and those inside memcpy and its kin, are reported
// here one by one by the compiler's instrumentation (Glue.cpp, checkedSupport) and compared with
// the operands of the vertex that runs. Its stack and the static data of its image are its own.
//
// A violation leaves compute() as a fault does (Guard.hpp): the compiler takes the instrumentation
// for functions that do not throw. Outside a guarded call nothing can be known and all is well.
#pragma once
#include "codelet/Module.hpp"
#include <string>

namespace poplar::codelet {

// The hooks (poplar/codelet/Hooks.hpp).
void checkFailed(const FieldCheck *check, int kind, unsigned long long index,
                 unsigned long long size, const void *where);
void touched(const void *address, unsigned long bytes, int access, const void *where);
void undefined(int kind, const char *file, unsigned line);

// Whether an address is in the table of the hooks, which codelets read to call them.
bool isHook(std::uintptr_t address);

// "codelet.cpp:12" for a place in the code of a loaded image that has debug information: the line
// of the user's file, where headers of the SDK were inlined into it. Empty when it is not known.
std::string sourceLine(std::uintptr_t code);

} // namespace poplar::codelet
