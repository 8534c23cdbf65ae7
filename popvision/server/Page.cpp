// SPDX-License-Identifier: MIT
#include "Page.hpp"
#include "Deflate.hpp"

// The assembler puts the files between two labels, each.
#define INCLUDE(label, file)                                                                       \
  asm(".section .rodata\n" #label "Begin:\n.incbin \"" file "\"\n" #label                          \
      "End:\n.byte 0\n.previous\n");                                                               \
  extern "C" const char label##Begin[], label##End[];
INCLUDE(popvisionPage, POPVISION_PAGE)
INCLUDE(popvisionPolicy, POPVISION_POLICY)

namespace popvision {

bool hasPage() { return !pageText().empty(); }
std::string_view pageText() {
  return {popvisionPageBegin, std::size_t(popvisionPageEnd - popvisionPageBegin)};
}
std::string pagePolicy() {
  return std::string(popvisionPolicyBegin, std::size_t(popvisionPolicyEnd - popvisionPolicyBegin));
}

std::string pageWith(std::string_view data) {
  constexpr std::string_view place = "<script type=\"text/plain\" id=\"data\">";
  const auto at = pageText().find(place) + place.size();
  std::string text(pageText().substr(0, at));
  text += base64(deflated(data));
  text += pageText().substr(at);
  return text;
}

} // namespace popvision
