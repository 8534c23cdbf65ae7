// SPDX-License-Identifier: MIT
// What compiled codelets ask of the host: printing, traps, random numbers. The loader fills
// openipuHooks of every image right after loading it. The layout is a binary interface between
// libpoplar and compiled codelets (also those in .gp files): append, never reorder.
#ifndef POPLAR_CODELET_HOOKS_HPP
#define POPLAR_CODELET_HOOKS_HPP
#include <stdarg.h>

namespace poplar {
namespace codelet {

struct FieldCheck;

// Why checked mode stopped; the second argument of Hooks::checkFailed.
enum CheckKind { CheckOutOfBounds = 0, CheckNeverWritten = 1 };

struct Hooks {
  int (*print)(const char *format, va_list arguments);
  void (*assertFailed)(const char *expression, const char *file, unsigned line,
                       const char *function); // throws
  void (*checkFailed)(const FieldCheck *check, int kind, unsigned long long index,
                      unsigned long long size); // throws
  unsigned long long (*random64)();
};

} // namespace codelet
} // namespace poplar

#ifdef __POPC__
extern "C" __attribute__((visibility("hidden"))) const poplar::codelet::Hooks *openipuHooks;
#endif

#endif
