// SPDX-License-Identifier: MIT
// In CBOR the lists are of indefinite length (RFC 8949, 3.2.2), so that entries need not be counted
// beforehand.
#include "types/DebugStreamer.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <filesystem>

namespace poplar::types {
namespace {

constexpr char cborMap = '\xbf', cborList = '\x9f', cborEnd = '\xff';

} // namespace

DebugStreamer::DebugStreamer(const std::string &fileName, DebugSerializationFormat format) try
    : fileName_(fileName), output_(fileName), cbor_(format == DebugSerializationFormat::CBOR) {
} catch (const base::FileError &e) {
  throw poplar_error(base::str("Debug information: ", e.what()));
}

DebugStreamer::~DebugStreamer() {
  try {
    close();
  } catch (const poplar_error &) {
    // The process ends; whoever wanted to know calls close().
  }
}

std::size_t DebugStreamer::indexOf(const std::string &text) {
  const auto [entry, isNew] = indexes_.try_emplace(text, strings_.size());
  if (isNew)
    strings_.push_back(text);
  return entry->second;
}

void DebugStreamer::begin(std::string &to, const char *key) const {
  if (cbor_) {
    put(to, key);
    to += cborList;
  } else {
    to += base::str('"', key, "\":[");
  }
}

void DebugStreamer::put(std::string &to, const nlohmann::ordered_json &value) const {
  if (cbor_) // at the end of what is there
    nlohmann::ordered_json::to_cbor(value, nlohmann::detail::output_adapter<char>(to));
  else
    to += value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void DebugStreamer::write(const nlohmann::ordered_json &entry) {
  if (!cbor_)
    contexts_ += contexts_.empty() ? "\n" : ",\n";
  put(contexts_, entry);
}

std::string DebugStreamer::whole() const {
  std::string text(1, cbor_ ? cborMap : '{');
  begin(text, "contexts");
  text += contexts_;
  text += cbor_ ? std::string(1, cborEnd) : "],\n";
  begin(text, "stringTable");
  for (std::size_t i = 0; i < strings_.size(); ++i) {
    if (!cbor_)
      text += i == 0 ? "\n" : ",\n";
    put(text, strings_[i]);
  }
  return text + (cbor_ ? std::string{cborEnd, cborEnd} : "]}\n");
}

void DebugStreamer::close() {
  if (!std::exchange(open_, false))
    return;
  output_.stream() << whole();
  try {
    output_.commit();
  } catch (const base::FileError &e) {
    throw poplar_error(base::str("Debug information: ", e.what()));
  }
}

// A pipe or a device would get everything twice.
void DebugStreamer::checkpoint() {
  std::error_code none;
  const auto there = std::filesystem::status(fileName_, none);
  if (!open_ || (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there)))
    return;
  try {
    base::writeWhole(fileName_, whole());
  } catch (const base::FileError &e) {
    throw poplar_error(base::str("Debug information: ", e.what()));
  }
}

} // namespace poplar::types
