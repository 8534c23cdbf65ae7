// SPDX-License-Identifier: MIT
// The loaded image is still open as the file that dlopen was given (Load.cpp), so its debug
// information is read from there, once a mistake has been found.
#include "base/Text.hpp"
#include "codelet/Checks.hpp"
#include "codelet/Toolchain.hpp"
#include <cstdlib>
#include <cstring>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <link.h>
#include <memory>
#include <optional>
#include <string_view>
#include <unistd.h>

namespace poplar::codelet {
namespace {

struct Object {
  std::uintptr_t address, base = 0;
  std::string path;
};

Object objectWith(std::uintptr_t address) {
  Object object{address, 0, {}};
  ::dl_iterate_phdr(
      [](dl_phdr_info *candidate, std::size_t, void *data) {
        auto &wanted = *static_cast<Object *>(data);
        for (int i = 0; i < candidate->dlpi_phnum; ++i) {
          const auto &segment = candidate->dlpi_phdr[i];
          const auto begin = candidate->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || wanted.address < begin ||
              wanted.address >= begin + segment.p_memsz)
            continue;
          wanted.base = candidate->dlpi_addr;
          wanted.path = candidate->dlpi_name ? candidate->dlpi_name : "";
          return 1;
        }
        return 0;
      },
      &object);
  return object;
}

// Of the user, not of the SDK, the system or the glue.
bool isUsers(std::string_view file) {
  static const std::string headers = includeDirectory() + "/";
  return !file.empty() && file.rfind(headers, 0) != 0 && file.rfind("/usr/", 0) != 0 &&
         file.find("openipu-glue") == file.npos;
}

std::string spelt(Dwarf_Die unit, const char *file, int line) {
  std::string_view name = file ? file : "";
  if (!isUsers(name))
    return {};
  Dwarf_Attribute attribute;
  const char *folder =
      dwarf_attr(&unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : nullptr;
  if (folder && *folder && name.rfind(folder, 0) == 0 && name.size() > std::strlen(folder))
    name.remove_prefix(std::strlen(folder) + (name[std::strlen(folder)] == '/'));
  return base::str(name, ":", line);
}

std::optional<Dwarf_Word> number(Dwarf_Die die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (!dwarf_attr(&die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0)
    return std::nullopt;
  return value;
}

// The line itself, or that of the first call outwards that stands in the user's text.
std::string lineIn(Dwarf_Die unit, Dwarf_Addr address) {
  int line = 0;
  Dwarf_Line *entry = dwarf_getsrc_die(&unit, address);
  if (entry && dwarf_lineno(entry, &line) == 0)
    if (auto text = spelt(unit, dwarf_linesrc(entry, nullptr, nullptr), line); !text.empty())
      return text;
  Dwarf_Files *files = nullptr;
  std::size_t numFiles = 0;
  if (dwarf_getsrcfiles(&unit, &files, &numFiles) != 0)
    return {};
  // The innermost scope, then those that it stands in (and not those it was written in).
  using Scopes = std::unique_ptr<Dwarf_Die, void (*)(void *)>;
  Dwarf_Die *innermost = nullptr, *scopes = nullptr;
  const int found = dwarf_getscopes(&unit, address, &innermost);
  const Scopes first(found > 0 ? innermost : nullptr, std::free);
  const int n = found > 0 ? dwarf_getscopes_die(innermost, &scopes) : 0;
  const Scopes outwards(n > 0 ? scopes : nullptr, std::free);
  for (int i = 0; i < n; ++i) {
    if (dwarf_tag(&scopes[i]) != DW_TAG_inlined_subroutine)
      continue;
    const auto file = number(scopes[i], DW_AT_call_file), at = number(scopes[i], DW_AT_call_line);
    if (!file || !at || *file >= numFiles)
      continue;
    auto text = spelt(unit, dwarf_filesrc(files, *file, nullptr, nullptr), int(*at));
    if (!text.empty())
      return text;
  }
  return {};
}

} // namespace

std::string sourceLine(std::uintptr_t code) {
  const auto object = objectWith(code);
  const int fd = object.path.empty() ? -1 : ::open(object.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0)
    return {};
  std::string text;
  if (Dwarf *dwarf = dwarf_begin(fd, DWARF_C_READ)) {
    Dwarf_Die unit;
    if (dwarf_addrdie(dwarf, code - object.base, &unit))
      text = lineIn(unit, code - object.base);
    dwarf_end(dwarf);
  }
  ::close(fd);
  return text;
}

} // namespace poplar::codelet
