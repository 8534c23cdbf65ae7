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
// The third argument of Hooks::touched; WholeRead: by a function that copies.
enum TouchKind { TouchRead = 0, TouchWrite = 1, TouchWholeRead = 2 };
// What the compiler's own checks found; the first argument of Hooks::undefined.
enum UndefinedKind { UndefinedDivision = 0, UndefinedIndex = 1, UndefinedNull = 2 };

struct Hooks {
  int (*print)(const char *format, va_list arguments);
  void (*assertFailed)(const char *expression, const char *file, unsigned line,
                       const char *function); // throws
  void (*checkFailed)(const FieldCheck *check, int kind, unsigned long long index,
                      unsigned long long size, const void *where); // does not return
  unsigned long long (*random64)();
  // Checked images call these at every access of memory and where the compiler's checks fail; they
  // return, or leave compute() for good.
  void (*touched)(const void *address, unsigned long bytes, int access, const void *where);
  void (*undefined)(int kind, const char *file, unsigned line);
  unsigned (*tileId)();
  unsigned long long (*cycles)(); // of the device when this compute set began
  unsigned *(*registers)();       // 256 of the worker that runs
};

} // namespace codelet
} // namespace poplar

#ifdef __POPC__
extern "C" __attribute__((visibility("hidden"))) const poplar::codelet::Hooks *openipuHooks;
#endif

#endif
