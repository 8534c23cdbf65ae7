// SPDX-License-Identifier: MIT
// Writes one object with two lists, "contexts" and "stringTable", as JSON or CBOR. The file appears
// at the end, or with what there is so far when checkpoint() is called; entries refer to the table
// of strings by index.
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
  void checkpoint();

private:
  void put(std::string &to, const nlohmann::ordered_json &value) const;
  void begin(std::string &to, const char *key) const;
  std::string whole() const;
  std::string fileName_;
  base::OutputFile output_; // made first: what cannot be written is said at once
  bool cbor_, open_ = true;
  std::string contexts_;
  std::map<std::string, std::size_t> indexes_;
  std::vector<std::string> strings_;
};

// Where the environment wants the debug file to be; empty: nowhere (engine/DebugReport.cpp).
std::string askedDebugFile();
// Whether DebugInfo::initializeStreamer has one open.
bool debugFileIsOpen();
// Writes what there is so far, for those who watch a running program.
void checkpointDebugFile();

} // namespace poplar::types
