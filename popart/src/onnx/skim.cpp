// SPDX-License-Identifier: MIT
#include "onnx/skim.hpp"

#include <algorithm>
#include <cstdint>

namespace popart::onnxmodel {

namespace {

// Numbers of fields in onnx.proto.
constexpr std::uint64_t graphOfModel = 7, initializerOfGraph = 5, rawDataOfTensor = 9;

struct Field {
  std::uint64_t number = 0;
  bool isBytes = false;
  std::string_view whole, content; // with and, of bytes, without tag and length
};

// The fields of a message in turn.
class Fields {
public:
  explicit Fields(std::string_view message) : left_(message) {}

  bool next(Field &field) {
    if (left_.empty() || damaged_)
      return false;
    const auto before = left_;
    const auto tag = varint();
    field.number = tag >> 3;
    field.isBytes = (tag & 7) == 2;
    field.content = take(sizeOf(tag & 7));
    field.whole = before.substr(0, before.size() - left_.size());
    damaged_ |= field.number == 0;
    return !damaged_;
  }
  bool damaged() const { return damaged_; }

private:
  std::uint64_t sizeOf(std::uint64_t wireType) {
    switch (wireType) {
    case 0:
      return varint(), 0;
    case 1:
      return 8;
    case 2:
      return varint();
    case 5:
      return 4;
    default: // groups, which ONNX has none of
      damaged_ = true;
      return 0;
    }
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = take(1);
      if (damaged_)
        return 0;
      value |= std::uint64_t(byte[0] & 127) << shift;
      if (!(byte[0] & 128))
        return value;
    }
    damaged_ = true;
    return 0;
  }
  std::string_view take(std::uint64_t size) {
    if (damaged_ || size > left_.size()) {
      damaged_ = true;
      return {};
    }
    const auto out = left_.substr(0, size);
    left_.remove_prefix(size);
    return out;
  }
  std::string_view left_;
  bool damaged_ = false;
};

void appendBytes(std::string &out, std::uint64_t number, std::string_view content) {
  const auto varint = [&](std::uint64_t value) {
    for (; value >= 128; value >>= 7)
      out += static_cast<char>(value | 128);
    out += static_cast<char>(value);
  };
  varint(number << 3 | 2);
  varint(content.size());
  out += content;
}

// The only raw_data of a tensor; without contents if there is not one, or not so large.
Field rawDataOf(std::string_view tensor, std::size_t large) {
  Field field, found;
  Fields fields(tensor);
  unsigned count = 0;
  while (fields.next(field))
    if (field.number == rawDataOfTensor && field.isBytes) {
      found = field;
      ++count;
    }
  return count == 1 && !fields.damaged() && found.content.size() >= large ? found : Field();
}

std::string shortened(std::string_view tensor, const Field &raw) {
  const auto before = static_cast<std::size_t>(raw.whole.data() - tensor.data());
  std::string out(tensor.substr(0, before));
  appendBytes(out, rawDataOfTensor, raw.content.substr(0, 1));
  return out.append(tensor.substr(before + raw.whole.size()));
}

bool skimGraph(std::string_view graph, std::size_t large, Skimmed &out) {
  Field field;
  Fields fields(graph);
  std::string rest;
  while (fields.next(field)) {
    if (field.number != initializerOfGraph || !field.isBytes) {
      rest += field.whole;
      continue;
    }
    const auto raw = field.content.size() >= large ? rawDataOf(field.content, large) : Field();
    if (raw.content.empty())
      rest += field.whole;
    else
      appendBytes(rest, initializerOfGraph, shortened(field.content, raw));
    out.raw.push_back(raw.content);
  }
  appendBytes(out.rest, graphOfModel, rest);
  return !fields.damaged();
}

} // namespace

std::optional<Skimmed> skim(std::string_view model, std::size_t large) {
  large = std::max<std::size_t>(large, 1);
  if (model.size() < large)
    return std::nullopt;
  Skimmed out;
  Field field;
  Fields fields(model);
  unsigned graphs = 0; // more than one would be merged
  while (fields.next(field)) {
    if (field.number != graphOfModel || !field.isBytes)
      out.rest += field.whole;
    else if (graphs++ || !skimGraph(field.content, large, out))
      return std::nullopt;
  }
  const bool any =
      std::any_of(out.raw.begin(), out.raw.end(), [](auto raw) { return !raw.empty(); });
  return any && !fields.damaged() ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace popart::onnxmodel
