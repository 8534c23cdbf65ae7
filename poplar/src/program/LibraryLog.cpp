// SPDX-License-Identifier: MIT
#include "openipu/LibraryLog.hpp"
#include "types/DebugStreamer.hpp"
#include <algorithm>
#include <iterator>

namespace poplar::openipu {
namespace {

struct Library {
  std::string_view name;
  base::Logger log;
};

const Library (&libraries())[8] {
  static const Library all[] = {
      {"poputil", {"POPLIBS", "PL", "POPUTIL"}},   {"popops", {"POPLIBS", "PL", "POPOPS"}},
      {"poplin", {"POPLIBS", "PL", "POPLIN"}},     {"popnn", {"POPLIBS", "PL", "POPNN"}},
      {"poprand", {"POPLIBS", "PL", "POPRAND"}},   {"popsparse", {"POPLIBS", "PL", "POPSPARSE"}},
      {"popfloat", {"POPLIBS", "PL", "POPFLOAT"}}, {"gcl", {"GCL", "GCL", "GCL"}}};
  return all;
}

} // namespace

bool librariesLog(base::LogLevel level) {
  static const auto lowest = std::min_element(std::begin(libraries()), std::end(libraries()),
                                              [](const Library &a, const Library &b) {
                                                return a.log.level() < b.log.level();
                                              })
                                 ->log.level();
  return level >= lowest;
}

bool callsAreNoted() {
  return librariesLog(base::LogLevel::Info) || poplar::types::debugFileIsOpen();
}

const base::Logger &libraryLog(std::string_view library) {
  for (const auto &one : libraries())
    if (one.name == library)
      return one.log;
  return libraries()[0].log;
}

} // namespace poplar::openipu
