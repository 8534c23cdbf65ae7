// SPDX-License-Identifier: MIT
#include "optiondocs.hpp"
#include "openipu/SessionOptionTable.hpp"
#include <cctype>

namespace {

std::string docOf(popart::session::option::Use use, std::string text) {
  constexpr const char *before[] = {"", "Refused unless left as it is: ", "Without effect: "};
  std::erase(text, '`');
  text = before[int(use)] + text + ".";
  text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

} // namespace

const std::vector<std::pair<std::string, std::string>> &optionDocs() {
  using popart::session::option::Use;
  static const std::vector<std::pair<std::string, std::string>> all = {
#define OPTION(member, key, use, text, ...) {#member, docOf(Use::use, text)},
#define OPTION_PART(owner, member, key, use, text) {#owner "." #member, docOf(Use::use, text)},
#include "openipu/SessionOptions.def"
  };
  return all;
}
