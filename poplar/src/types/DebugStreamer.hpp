// SPDX-License-Identifier: MIT
// Writes one object with two lists, "contexts" and "stringTable", as JSON or CBOR. Entries are
// written as they come, to a file that takes its name at the end; the table of strings, to which
// entries refer by index, is kept until then.
#pragma once
#include "base/OutputFile.hpp"
#include "poplar/DebugContext.hpp"
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>

namespace poplar::types {

class DebugStreamer {
public:
  DebugStreamer(const std::string &fileName,
                DebugSerializationFormat format); // throws poplar_error
  ~DebugStreamer();
  DebugStreamer(const DebugStreamer &) = delete;

  std::size_t indexOf(const std::string &text);
  void write(const nlohmann::ordered_json &entry);
  void close(); // throws poplar_error if something could not be written

private:
  void put(const nlohmann::ordered_json &value);
  void putKey(const char *key);
  base::OutputFile output_;
  std::ostream &file_;
  bool cbor_, first_ = true, open_ = true;
  std::map<std::string, std::size_t> indexes_;
  std::vector<std::string> strings_;
};

// Where the environment wants the debug file to be; empty: nowhere (engine/DebugReport.cpp).
std::string askedDebugFile();
// Whether DebugInfo::initializeStreamer has one open.
bool debugFileIsOpen();

} // namespace poplar::types
