// SPDX-License-Identifier: MIT
// Vertices are raw storage: entries cast the address and call compute(); nothing is constructed. A
// void compute() counts as true through the comma operator: (compute(), Yes()) is Yes for void and
// picks operator,(bool, Yes) otherwise.
#include "codelet/Glue.hpp"
#include "base/Text.hpp"

namespace poplar::codelet {
namespace {

// The text follows the user's, so it uses no macro and no header but poplar/codelet/Hooks.hpp,
// which Vertex.hpp brings.
const char *const common = R"(
# 1 "openipu-glue" 3
extern "C" __attribute__((visibility("hidden"), externally_visible)) const ::poplar::codelet::Hooks *openipuHooks;
const ::poplar::codelet::Hooks *openipuHooks = nullptr;
extern "C" __attribute__((visibility("default"), externally_visible)) void openipu_set_hooks(const ::poplar::codelet::Hooks *hooks) {
  openipuHooks = hooks;
}
extern "C" __attribute__((visibility("hidden"))) int printf(const char *format, ...) {
  __builtin_va_list arguments;
  __builtin_va_start(arguments, format);
  const int n = openipuHooks->print(format, arguments);
  __builtin_va_end(arguments);
  return n;
}
extern "C" __attribute__((visibility("hidden"))) int puts(const char *text) { return printf("%s\n", text); }
extern "C" __attribute__((visibility("hidden"))) int putchar(int c) { return printf("%c", c), c; }
namespace openipu {
typedef decltype(sizeof(0)) Size;
template <class T, unsigned N> using VectorOf __attribute__((vector_size(N * sizeof(T)))) = T;
struct Yes { operator bool() const { return true; } };
template <class T> inline bool operator,(T &&result, Yes) { return static_cast<bool>(result); }
struct Entry {
  void (*run)(void *const *, Size, void *const **);
  bool (*runReturning)(void *const *, Size, void *const **);
  bool (*runCounted)(void *const *, Size, unsigned long *, unsigned long *);
};
}
)";

// Entries read what the engine owns, which checked mode would not let a codelet do.
const char *const entryAttributes =
    "__attribute__((visibility(\"hidden\"), "
    "no_sanitize(\"kernel-address\"), no_sanitize(\"undefined\"))) ";

// How far the cycle counter is in the vertex that runs, for poplar/codelet/Builtins.hpp: known
// where instructions are counted.
std::string countedCycles(const std::string &body) {
  return base::str("extern \"C\" __attribute__((visibility(\"hidden\"), noipa)) unsigned long long "
                   "openipu_counted_cycles() { ",
                   body, " }\n");
}

std::string table(const std::string &rows) {
  return base::str("extern \"C\" __attribute__((visibility(\"default\"), externally_visible)) "
                   "const ::openipu::Entry openipu_entries[];\n"
                   "const ::openipu::Entry openipu_entries[] = {\n",
                   rows, "  {nullptr, nullptr, nullptr}};\n");
}

bool isMulti(const DiscoveredType &t) { return t.type.kind == VertexKind::MultiVertex; }

// compute() of one vertex. `restrict` tells the compiler what it cannot see: writing through a
// field's pointer never changes the vertex itself, so pointers and sizes stay in registers. It
// holds for parameters of functions only, hence noipa; and compute() must be inlined here, which
// -fwhole-program sees to: nobody else calls it.
std::string oneVertex(const DiscoveredType &t, std::size_t k) {
  return base::str("extern \"C\" __attribute__((visibility(\"hidden\"), noipa)) bool ",
                   computeSymbol(k), "(", t.spelling,
                   " *__restrict vertex, unsigned worker) { (void)worker; return (vertex->compute(",
                   isMulti(t) ? "worker" : "", "), ::openipu::Yes()); }\n");
}

std::string fastEntry(const DiscoveredType &t, std::size_t k, unsigned workers) {
  const std::string each = base::str(
      "for (::openipu::Size i = 0; i < n && (*now = vertices + i, true); ++i) for (unsigned w = ",
      isMulti(t) ? workers : 1u, "; w-- > 0;)");
  const std::string call =
      base::str(computeSymbol(k), "(static_cast<", t.spelling, " *>(vertices[i]), w)");
  return base::str(
      oneVertex(t, k), "extern \"C\" ", entryAttributes, "void openipu_run_", k,
      "(void *const *vertices, ::openipu::Size n, void *const **now) { ", each, " ", call, "; }\n",
      "extern \"C\" ", entryAttributes, "bool openipu_returning_", k,
      "(void *const *vertices, ::openipu::Size n, void *const **now) { bool all = true; ", each,
      " { const bool one = ", call, "; all = all && one; } return all; }\n");
}

std::string countedEntry(const DiscoveredType &t, std::size_t k, unsigned workers) {
  return base::str(
      oneVertex(t, k), "extern \"C\" __attribute__((visibility(\"hidden\"))) bool openipu_counted_",
      k,
      "(void *const *vertices, ::openipu::Size n, unsigned long *bundles, unsigned long "
      "*sums) { return "
      "openipu_run_counted(vertices, n, bundles, sums, reinterpret_cast<bool (*)(void "
      "*, unsigned)>(",
      computeSymbol(k), "), ", isMulti(t) ? workers : 1u, "); }\n");
}

const char *const countedLoop = R"(
extern "C" bool openipu_counted_call(void *, unsigned, bool (*)(void *, unsigned), unsigned long *)
    __attribute__((visibility("hidden")));
extern "C" __attribute__((visibility("hidden"))) bool openipu_run_counted(
    void *const *vertices, ::openipu::Size n, unsigned long *bundles, unsigned long *sums,
    bool (*compute)(void *, unsigned), unsigned workers) {
  bool all = true;
  for (::openipu::Size i = 0; i < n; ++i) {
    unsigned long longest = 1, sum = 0;
    for (unsigned w = workers; w-- > 0;) {
      unsigned long units = 0;
      const bool one = openipu_counted_call(vertices[i], w, compute, &units);
      all = all && one;
      const unsigned long own = units ? units : 1;
      longest = own > longest ? own : longest;
      sum += own;
    }
    bundles[i] = longest;
    if (sums)
      sums[i] = sum;
  }
  return all;
}
)";

} // namespace

std::string computeSymbol(std::size_t type) { return base::str("openipu_one_", type); }

std::string fastGlue(const std::vector<DiscoveredType> &types, unsigned numWorkers) {
  std::string text = common + countedCycles("return 0;"), rows;
  for (std::size_t k = 0; k < types.size(); ++k) {
    text += fastEntry(types[k], k, numWorkers);
    rows += base::str("  {openipu_run_", k, ", openipu_returning_", k, ", nullptr},\n");
  }
  return text + table(rows);
}

std::string countedGlue(const std::vector<DiscoveredType> &types, unsigned numWorkers) {
  // A worker issues one bundle in as many cycles as there are workers.
  std::string text =
      common +
      countedCycles(base::str("unsigned long long units; asm volatile(\"movq %%r15, %0\" : "
                              "\"=r\"(units)); return units * ",
                              numWorkers, ";")) +
      countedLoop;
  std::string rows;
  for (std::size_t k = 0; k < types.size(); ++k) {
    text += countedEntry(types[k], k, numWorkers);
    rows += base::str("  {nullptr, nullptr, openipu_counted_", k, "},\n");
  }
  return text + table(rows);
}

std::string linesGlue(const std::vector<DiscoveredType> &types, unsigned numWorkers) {
  std::string text = countedGlue(types, numWorkers);
  const auto keep = [&](std::string_view before, std::string_view added) {
    text.insert(text.find(before), added);
  };
  keep("extern \"C\" bool openipu_counted_call", R"(
extern "C" __attribute__((visibility("hidden"))) unsigned long openipu_visits[];
extern "C" __attribute__((visibility("hidden"))) const unsigned long openipu_places;
extern "C" unsigned long openipu_kept[];
extern "C" __attribute__((visibility("hidden"), noipa)) void openipu_keep(bool longest) {
  for (unsigned long i = 0; i < openipu_places; ++i) {
    openipu_kept[i] = longest ? openipu_visits[i] : openipu_kept[i];
    openipu_visits[i] = 0;
  }
}
)");
  keep("longest = own > longest", "openipu_keep(own >= longest);\n      ");
  return text;
}

const char *checkedSupport() {
  return R"(
#include "poplar/codelet/Hooks.hpp"
typedef decltype(sizeof(0)) Size;
typedef unsigned char Byte;
static inline __attribute__((always_inline)) void reads(const void *p, Size n, const void *where) {
  openipuHooks->touched(p, n, 0, where);
}
static inline __attribute__((always_inline)) void writes(const void *p, Size n, const void *where) {
  openipuHooks->touched(p, n, 1, where);
}
static inline __attribute__((always_inline)) void copies(const void *p, Size n, const void *where) {
  openipuHooks->touched(p, n, 2, where);
}
#define HERE __builtin_return_address(0)
extern "C" {
#define SIZED(n)                                                                                   \
  void __asan_load##n##_noabort(const void *p) { reads(p, n, HERE); }                              \
  void __asan_store##n##_noabort(const void *p) { writes(p, n, HERE); }
SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
SIZED(16)
void __asan_loadN_noabort(const void *p, Size n) { reads(p, n, HERE); }
void __asan_storeN_noabort(const void *p, Size n) { writes(p, n, HERE); }
void __asan_handle_no_return() {}

// The first member of what describes a failed check.
struct Place {
  const char *file;
  unsigned line, column;
};
#define CHECK(name, kind)                                                                          \
  void __ubsan_handle_##name##_abort(const Place *place) {                                         \
    openipuHooks->undefined(poplar::codelet::kind, place->file, place->line);                      \
    __builtin_trap();                                                                              \
  }
CHECK(divrem_overflow, UndefinedDivision)
CHECK(out_of_bounds, UndefinedIndex)
CHECK(type_mismatch_v1, UndefinedNull)

void *memcpy(void *to, const void *from, Size n) {
  copies(from, n, HERE);
  writes(to, n, HERE);
  for (Size i = 0; i < n; ++i)
    static_cast<Byte *>(to)[i] = static_cast<const Byte *>(from)[i];
  return to;
}
void *memmove(void *to, const void *from, Size n) {
  copies(from, n, HERE);
  writes(to, n, HERE);
  auto *t = static_cast<Byte *>(to);
  auto *f = static_cast<const Byte *>(from);
  if (t < f)
    for (Size i = 0; i < n; ++i)
      t[i] = f[i];
  else
    while (n-- > 0)
      t[n] = f[n];
  return to;
}
void *memset(void *to, int value, Size n) {
  writes(to, n, HERE);
  for (Size i = 0; i < n; ++i)
    static_cast<Byte *>(to)[i] = Byte(value);
  return to;
}
char *strncpy(char *to, const char *from, Size n) {
  writes(to, n, HERE);
  Size i = 0;
  for (; i < n && from[i]; ++i)
    to[i] = from[i];
  for (; i < n; ++i)
    to[i] = 0;
  return to;
}
char *strcpy(char *to, const char *from) {
  Size n = 0;
  while (from[n])
    ++n;
  writes(to, n + 1, HERE);
  for (Size i = 0; i <= n; ++i)
    to[i] = from[i];
  return to;
}
}
)";
}

} // namespace poplar::codelet
