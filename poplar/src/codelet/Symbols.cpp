// SPDX-License-Identifier: MIT
// Reads ELF symbol tables with libelf. A tile has no operating system: arithmetic, memory and
// string functions and the language's own run-time support exist, everything else is an error as it
// would be for the device's linker.
#include "codelet/Symbols.hpp"
#include "base/Error.hpp"
#include "base/Text.hpp"
#include "codelet/Errors.hpp"
#include <cstdlib>
#include <cxxabi.h>
#include <gelf.h>
#include <memory>
#include <set>
#include <vector>

namespace poplar::codelet {
namespace {

struct Symbol {
  std::string name;
  GElf_Sym entry;
};

class Image {
public:
  explicit Image(const std::string &bytes) {
    elf_version(EV_CURRENT);
    elf_.reset(elf_memory(const_cast<char *>(bytes.data()), bytes.size()));
    OPENIPU_CHECK(elf_ && elf_kind(elf_.get()) == ELF_K_ELF, "a codelet image is not an ELF file");
  }
  std::vector<Symbol> symbols(unsigned tableType) const {
    std::vector<Symbol> all;
    for (Elf_Scn *s = nullptr; (s = elf_nextscn(elf_.get(), s));) {
      GElf_Shdr header;
      if (!gelf_getshdr(s, &header) || header.sh_type != tableType || header.sh_entsize == 0)
        continue;
      Elf_Data *data = elf_getdata(s, nullptr);
      for (int i = 0; i < int(header.sh_size / header.sh_entsize); ++i) {
        Symbol symbol;
        if (!gelf_getsym(data, i, &symbol.entry))
          continue;
        const char *name = elf_strptr(elf_.get(), header.sh_link, symbol.entry.st_name);
        symbol.name = name ? name : "";
        all.push_back(std::move(symbol));
      }
    }
    return all;
  }
  // Writable data, but not what the dynamic linker writes once.
  bool isWritableData(unsigned section) const {
    Elf_Scn *s = section < SHN_LORESERVE ? elf_getscn(elf_.get(), section) : nullptr;
    GElf_Shdr header;
    if (!s || !gelf_getshdr(s, &header) || !(header.sh_flags & SHF_WRITE))
      return false;
    std::size_t names = 0;
    elf_getshdrstrndx(elf_.get(), &names);
    const char *name = elf_strptr(elf_.get(), names, header.sh_name);
    const std::string_view text = name ? name : "";
    return text.rfind(".data.rel.ro", 0) != 0 && text.rfind(".got", 0) != 0 &&
           (text.rfind(".data", 0) == 0 || text.rfind(".bss", 0) == 0 || text.rfind(".t", 0) == 0);
  }

private:
  struct Closer {
    void operator()(Elf *e) const { elf_end(e); }
  };
  std::unique_ptr<Elf, Closer> elf_;
};

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

bool isMathFunction(std::string name) {
  static const std::set<std::string> roots = {
      "acos",      "acosh",     "asin",      "asinh", "atan",      "atan2",  "atanh",  "cbrt",
      "ceil",      "copysign",  "cos",       "cosh",  "erf",       "erfc",   "exp",    "exp10",
      "exp2",      "expm1",     "fabs",      "fdim",  "floor",     "fma",    "fmax",   "fmin",
      "fmod",      "frexp",     "hypot",     "ilogb", "ldexp",     "lgamma", "llrint", "llround",
      "log",       "log10",     "log1p",     "log2",  "logb",      "lrint",  "lround", "modf",
      "nan",       "nearbyint", "nextafter", "pow",   "remainder", "remquo", "rint",   "round",
      "roundeven", "scalbln",   "scalbn",    "sin",   "sincos",    "sinh",   "sqrt",   "tan",
      "tanh",      "tgamma",    "trunc"};
  if (roots.count(name))
    return true;
  const char last = name.empty() ? 0 : name.back();
  name.pop_back();
  return (last == 'f' || last == 'l') && roots.count(name);
}

// The compiler's own helpers: comparisons and conversions of half, 128-bit integers, complex
// products.
bool isCompilerHelper(std::string_view name) {
  if (!startsWith(name, "__"))
    return false;
  const bool isHalf = name.find("hf") != name.npos, isWide = name.find("ti") != name.npos;
  const bool isComplex = startsWith(name, "__mul") || startsWith(name, "__div");
  const bool endsLikeOne =
      name.back() == '2' || name.back() == '3' || name.substr(name.size() - 2) == "hf";
  return endsLikeOne && (isHalf || isWide || isComplex);
}

bool existsOnTile(const std::string &name) {
  static const std::set<std::string> known = {"memcpy",
                                              "memmove",
                                              "memset",
                                              "memcmp",
                                              "memchr",
                                              "bcmp",
                                              "strlen",
                                              "strcmp",
                                              "strncmp",
                                              "strcpy",
                                              "strncpy",
                                              "strcat",
                                              "strncat",
                                              "strchr",
                                              "strrchr",
                                              "strstr",
                                              "strnlen",
                                              "abs",
                                              "labs",
                                              "llabs",
                                              "div",
                                              "ldiv",
                                              "lldiv",
                                              "snprintf",
                                              "sprintf",
                                              "vsnprintf",
                                              "__stack_chk_fail",
                                              "_Unwind_Resume",
                                              "__gxx_personality_v0",
                                              "__gmon_start__",
                                              "__tls_get_addr",
                                              "__isoc99_sscanf",
                                              "__signbitf",
                                              "__isnanf",
                                              "__isinff"};
  if (known.count(name) || startsWith(name, "_ITM_") || startsWith(name, "__cxa_") ||
      startsWith(name, "_ZTVN10__cxxabiv"))
    return true;
  const bool isThrowHelper = startsWith(name, "_ZSt") && name.find("__throw_") != std::string::npos;
  return isThrowHelper || startsWith(name, "_ZSt9terminate") || isCompilerHelper(name) ||
         isMathFunction(name);
}

std::string demangled(const std::string &name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void *)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? std::string(text.get()) : name;
}

const std::string notDefined =
    "not defined in any codelet of the graph and not part of a tile's library";

std::string reason(const std::string &name) {
  if (startsWith(name, "_Znw") || startsWith(name, "_Zna") || startsWith(name, "_Zdl") ||
      startsWith(name, "_Zda") || name == "malloc" || name == "calloc" || name == "realloc" ||
      name == "free" || name == "aligned_alloc")
    return "a tile has no heap; use a Vector field or a local array";
  if (name.find("ios_base") != std::string::npos || startsWith(name, "_ZSt4cout") ||
      startsWith(name, "_ZSt4cerr") || startsWith(name, "_ZNSo") || startsWith(name, "_ZStls"))
    return "a tile has no streams; use printf from print.h";
  return notDefined;
}

} // namespace

void refuseSymbols(const std::vector<std::string> &symbols, const std::string &sourceName) {
  std::string list;
  for (const std::string &name : symbols)
    list += base::str("  undefined symbol: ", demangled(name), " (", reason(name), ")\n");
  throw LinkError(base::str("Codelet ", sourceName, " uses what does not exist on a tile:\n", list,
                            "Remove these uses or define the functions in a codelet."),
                  list);
}

std::vector<std::string> undefinedSymbols(const std::string &image, const std::string &sourceName) {
  std::set<std::string> missing;
  bool impossible = false;
  for (const Symbol &s : Image(image).symbols(SHT_DYNSYM))
    if (s.entry.st_shndx == SHN_UNDEF && !s.name.empty() && !existsOnTile(s.name)) {
      missing.insert(s.name);
      impossible = impossible || reason(s.name) != notDefined;
    }
  std::vector<std::string> all(missing.begin(), missing.end());
  if (impossible)
    refuseSymbols(all, sourceName);
  return all;
}

std::string functionName(const std::string &symbol) {
  const std::string name = demangled(symbol);
  return name.substr(0, name.find_first_of("(<["));
}

bool hasMutableStatics(const std::string &image) {
  const Image elf(image);
  for (const Symbol &s : elf.symbols(SHT_SYMTAB)) {
    const int kind = GELF_ST_TYPE(s.entry.st_info);
    const bool isData = kind == STT_OBJECT || kind == STT_TLS;
    const bool isRuntime = startsWith(s.name, "openipu") || startsWith(s.name, "completed.") ||
                           s.name == "__dso_handle" || startsWith(s.name, "DW.ref.") ||
                           s.name == "__TMC_END__" || s.name == "_DYNAMIC";
    if (isData && !isRuntime && s.entry.st_size > 0 && elf.isWritableData(s.entry.st_shndx))
      return true;
  }
  return false;
}

} // namespace poplar::codelet
