// SPDX-License-Identifier: MIT
// Vertices are raw storage: entries cast the address and call compute(); nothing is constructed. A
// void compute() counts as true through the comma operator: (compute(), Yes()) is Yes for void and
// picks operator,(bool, Yes) otherwise.
#include "codelet/Glue.hpp"
#include "base/Text.hpp"
#include "codelet/Count.hpp"

namespace poplar::codelet {
namespace {

// The text follows the user's, so it uses no macro and no header but poplar/codelet/Hooks.hpp,
// which Vertex.hpp brings.
const char *const common = R"(
# 1 "openipu-glue"
extern "C" __attribute__((visibility("hidden"))) const ::poplar::codelet::Hooks *openipuHooks;
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
struct Yes { operator bool() const { return true; } };
template <class T> inline bool operator,(T &&result, Yes) { return static_cast<bool>(result); }
struct Entry {
  void (*run)(void *const *, Size, void *const **);
  bool (*runReturning)(void *const *, Size, void *const **);
  bool (*runCounted)(void *const *, Size, unsigned long *, unsigned long *);
};
}
)";

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
      oneVertex(t, k), "extern \"C\" __attribute__((visibility(\"hidden\"))) void openipu_run_", k,
      "(void *const *vertices, ::openipu::Size n, void *const **now) { ", each, " ", call, "; }\n",
      "extern \"C\" __attribute__((visibility(\"hidden\"))) bool openipu_returning_", k,
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

std::string countedLoop() {
  return base::str(R"(
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
      const unsigned long own = units < )",
                   countUnitsPerBundle, " ? 1 : (units + ", countUnitsPerBundle - 1, ") / ",
                   countUnitsPerBundle, R"(;
      longest = own > longest ? own : longest;
      sum += own;
    }
    bundles[i] = longest;
    if (sums)
      sums[i] = sum;
  }
  return all;
}
)");
}

} // namespace

std::string computeSymbol(std::size_t type) { return base::str("openipu_one_", type); }

std::string fastGlue(const std::vector<DiscoveredType> &types, unsigned numWorkers) {
  std::string text = common, rows;
  for (std::size_t k = 0; k < types.size(); ++k) {
    text += fastEntry(types[k], k, numWorkers);
    rows += base::str("  {openipu_run_", k, ", openipu_returning_", k, ", nullptr},\n");
  }
  return text + table(rows);
}

std::string countedGlue(const std::vector<DiscoveredType> &types, unsigned numWorkers) {
  std::string text = common + countedLoop(), rows;
  for (std::size_t k = 0; k < types.size(); ++k) {
    text += countedEntry(types[k], k, numWorkers);
    rows += base::str("  {nullptr, nullptr, openipu_counted_", k, "},\n");
  }
  return text + table(rows);
}

// target ( "supervisor" ) with any spacing becomes `unused`, an attribute that g++ knows and that
// changes nothing.
std::string dropTargetAttributes(std::string source) {
  static constexpr std::string_view word = "target", blanks = " \t\n";
  for (std::size_t at = source.find(word); at != std::string::npos;
       at = source.find(word, at + 1)) {
    const std::size_t open = source.find_first_not_of(blanks, at + word.size());
    if (open == std::string::npos || source[open] != '(')
      continue;
    const std::size_t quote = source.find_first_not_of(blanks, open + 1);
    if (quote == std::string::npos || source[quote] != '"')
      continue;
    const std::string_view rest = std::string_view(source).substr(quote + 1);
    const std::size_t length = rest.rfind("supervisor\"", 0) == 0 ? 11
                               : rest.rfind("worker\"", 0) == 0   ? 7
                                                                  : 0;
    const std::size_t close =
        length ? source.find_first_not_of(blanks, quote + 1 + length) : std::string::npos;
    if (close == std::string::npos || source[close] != ')')
      continue;
    std::string replacement = "unused";
    for (std::size_t i = at; i < close; ++i)
      replacement += source[i] == '\n' ? "\n" : "";
    source.replace(at, close + 1 - at, replacement);
  }
  return source;
}

} // namespace poplar::codelet
