// SPDX-License-Identifier: MIT
// In CBOR the lists are of indefinite length (RFC 8949, 3.2.2), so that entries need not be counted
// beforehand.
#include "types/DebugStreamer.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"

namespace poplar::types {
namespace {

constexpr char cborMap = '\xbf', cborList = '\x9f', cborEnd = '\xff';

} // namespace

DebugStreamer::DebugStreamer(const std::string &fileName, DebugSerializationFormat format) try
    : output_(fileName), file_(output_.stream()), cbor_(format == DebugSerializationFormat::CBOR) {
  file_ << (cbor_ ? cborMap : '{');
  putKey("contexts");
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

void DebugStreamer::putKey(const char *key) {
  if (cbor_)
    put(key), file_ << cborList;
  else
    file_ << '"' << key << "\":[";
  first_ = true;
}

void DebugStreamer::put(const nlohmann::ordered_json &value) {
  if (!cbor_) {
    file_ << value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    return;
  }
  const auto bytes = nlohmann::ordered_json::to_cbor(value);
  file_.write(reinterpret_cast<const char *>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
}

void DebugStreamer::write(const nlohmann::ordered_json &entry) {
  if (!cbor_)
    file_ << (first_ ? "\n" : ",\n");
  first_ = false;
  put(entry);
}

void DebugStreamer::close() {
  if (!std::exchange(open_, false))
    return;
  file_ << (cbor_ ? cborEnd : ']');
  if (!cbor_)
    file_ << ",\n";
  putKey("stringTable");
  for (const auto &text : strings_)
    write(text);
  file_ << (cbor_ ? std::string{cborEnd, cborEnd} : "]}\n");
  try {
    output_.commit();
  } catch (const base::FileError &e) {
    throw poplar_error(base::str("Debug information: ", e.what()));
  }
}

} // namespace poplar::types
