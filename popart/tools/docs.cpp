// SPDX-License-Identifier: MIT
#include "docs.hpp"

#include <sstream>

namespace {

// The first paragraph on one line, and of a long one its first sentences.
std::string brief(const std::string &text, std::size_t most) {
  std::string line;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part);) {
    const auto from = part.find_first_not_of(" \t\r");
    if (from == std::string::npos) {
      if (!line.empty())
        break;
      continue;
    }
    line += (line.empty() ? "" : " ") + part.substr(from);
  }
  if (line.size() > most) {
    const auto before = line.rfind(". ", most);
    const auto end = before != line.npos ? before : line.find(". ");
    if (end != line.npos)
      line.resize(end + 1);
  }
  while (!line.empty() && (line.back() == ':' || line.back() == ' '))
    line.back() == ':' ? (void)(line.back() = '.') : line.pop_back();
  return line;
}

void addItem(std::string &out, const std::string &name, const std::string &text) {
  const auto what = brief(text, 160);
  out += "\n    " + name + (what.empty() ? "" : ": ") + what;
}

} // namespace

std::string documentation(const onnx::OpSchema &schema) {
  std::string out = schema.Name() + " of ai.onnx.";
  if (const auto what = brief(schema.doc() ? schema.doc() : "", 400); !what.empty())
    out += " " + what;
  const auto list = [&](const char *title, const auto &all) {
    if (!all.empty())
      out += std::string("\n\n") + title;
    for (const auto &item : all)
      addItem(out, item.GetName(), item.GetDescription());
  };
  list("Inputs (args):", schema.inputs());
  bool first = true;
  for (const auto &[name, attribute] : schema.attributes()) {
    if (name == "auto_pad") // the Builder takes pads
      continue;
    out += first ? "\n\nAttributes:" : "";
    first = false;
    addItem(out, name, attribute.description);
  }
  list("Outputs:", schema.outputs());
  return out;
}

std::string literal(const std::string &text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c == '\n' ? std::string("\\n\"\n\"") : std::string(1, c);
  }
  return out + "\"";
}
