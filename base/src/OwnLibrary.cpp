// SPDX-License-Identifier: MIT
#include "base/OwnLibrary.hpp"
#include "base/Text.hpp"
#include <dlfcn.h>
#include <filesystem>

namespace base {

std::string libraryOf(const void *function) {
  Dl_info info{};
  return ::dladdr(function, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

std::string moveNote(const std::string &library) {
  std::error_code error;
  if (library.empty() || library[0] != '/' || std::filesystem::exists(library, error))
    return {};
  return str(" This program started with ", library,
             ", which is not there any more: the SDK was moved or removed meanwhile. Source its "
             "enable.sh where it is now, and start the program again.");
}

} // namespace base
