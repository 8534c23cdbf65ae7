// SPDX-License-Identifier: MIT
// The grammar of field types: [Vector<] [Input|Output|InOut <] T | Vector<T,L,A,I> |
// VectorList<T,L,A,I> [>] [,L2...>].
#include "codelet/FieldSpelling.hpp"
#include "base/Text.hpp"
#include <charconv>
#include <utility>

namespace poplar::codelet {
namespace {

struct Template {
  std::string name;
  std::vector<std::string> arguments;
};

Template splitTemplate(const std::string &spelling) {
  const auto open = spelling.find('<');
  if (open == std::string::npos || spelling.back() != '>')
    return {spelling, {}};
  Template t{spelling.substr(0, open), {}};
  std::string argument;
  int depth = 0;
  for (char c : spelling.substr(open + 1, spelling.size() - open - 2)) {
    depth += (c == '<') - (c == '>');
    if (c == ',' && depth == 0)
      t.arguments.push_back(std::exchange(argument, {}));
    else
      argument += c;
  }
  t.arguments.push_back(argument);
  return t;
}

// "(poplar::VectorLayout)3" -> 3, "8" -> 8
unsigned numberOf(const std::string &text) {
  const auto close = text.rfind(')');
  const char *begin = text.data() + (close == std::string::npos ? 0 : close + 1);
  unsigned value = 0;
  std::from_chars(begin, text.data() + text.size(), value);
  return value;
}

unsigned numberAt(const Template &t, std::size_t i) {
  return i < t.arguments.size() ? numberOf(t.arguments[i]) : 0;
}

std::optional<FieldDirection> directionOf(const std::string &name) {
  if (name == "poplar::Input")
    return FieldDirection::Input;
  if (name == "poplar::Output")
    return FieldDirection::Output;
  if (name == "poplar::InOut")
    return FieldDirection::InOut;
  return std::nullopt;
}

std::uint32_t deviceBytesOf(VectorLayout layout) {
  switch (layout) {
  case VectorLayout::SPAN:
    return 8;
  case VectorLayout::SCALED_PTR32:
  case VectorLayout::SCALED_PTR64:
  case VectorLayout::SCALED_PTR128:
    return 2;
  default:
    return 4;
  }
}

std::uint32_t deviceBytesOf(VectorListLayout layout) {
  switch (layout) {
  case VectorListLayout::ONE_PTR:
    return 4;
  case VectorListLayout::SCALED_PTR32:
  case VectorListLayout::SCALED_PTR64:
  case VectorListLayout::SCALED_PTR128:
    return 2;
  default:
    return 8; // table address, base address and count
  }
}

// Vector<T, L, A, I> with T an element type.
bool describeVector(const Template &t, const EnumTypes &enums, Field &f) {
  const auto type = elementType(t.arguments.at(0), enums);
  if (!type)
    return false;
  f.shape = FieldShape::Vector;
  f.type = *type;
  f.layout = VectorLayout(numberAt(t, 1));
  f.minAlign = std::max<std::uint32_t>(numberAt(t, 2), 1);
  f.interleaved = t.arguments.size() > 3 && t.arguments[3] == "true";
  f.deviceBytes = deviceBytesOf(f.layout);
  return true;
}

bool describeList(const Template &t, const EnumTypes &enums, Field &f) {
  if (!describeVector(t, enums, f))
    return false;
  f.shape = FieldShape::VectorList;
  f.listLayout = VectorListLayout(numberAt(t, 1));
  f.layout = VectorLayout::NOT_A_VECTOR;
  f.deviceBytes = deviceBytesOf(f.listLayout);
  f.deviceInnerBytes = 4; // an offset and a size, packed
  return true;
}

bool describeEdge(const Template &edge, const EnumTypes &enums, Field &f) {
  f.direction = *directionOf(edge.name);
  const Template inner = splitTemplate(edge.arguments.at(0));
  if (inner.name == "poplar::Vector")
    return describeVector(inner, enums, f);
  if (inner.name == "poplar::VectorList")
    return describeList(inner, enums, f);
  const auto type = elementType(edge.arguments.at(0), enums);
  if (!type)
    return false;
  f.type = *type;
  f.minAlign = std::uint32_t(sizeOf(*type));
  f.deviceBytes = 4;
  return true;
}

bool describeOuter(const Template &outer, const EnumTypes &enums, Field &f) {
  const Template inner = splitTemplate(outer.arguments.at(0));
  if (!directionOf(inner.name))
    return describeVector(outer, enums, f);
  if (!describeEdge(inner, enums, f) || f.shape == FieldShape::VectorList)
    return false;
  if (f.shape == FieldShape::Scalar) { // a scalar edge per element: one vector on the host
    f.shape = FieldShape::Vector;
    f.deviceInnerBytes = 4;
  } else {
    f.shape = FieldShape::VectorOfVectors;
    f.innerLayout = f.layout;
    f.deviceInnerBytes = deviceBytesOf(f.innerLayout);
  }
  f.layout = VectorLayout(numberAt(outer, 1));
  f.deviceBytes = deviceBytesOf(f.layout);
  return true;
}

} // namespace

std::optional<TypeId> elementType(std::string_view name, const EnumTypes &enums) {
  for (unsigned i = 0; i < numTypeIds; ++i)
    if (spelling(TypeId(i)) == name)
      return TypeId(i);
  const auto known = enums.find(name);
  return known == enums.end() ? std::nullopt : std::optional(known->second);
}

bool describeField(const std::string &rawSpelling, const EnumTypes &enums, Field &field) {
  const std::string spelling = canonicalName(rawSpelling);
  const Template t = splitTemplate(spelling);
  if (directionOf(t.name))
    return describeEdge(t, enums, field);
  if (t.name == "poplar::Vector")
    return describeOuter(t, enums, field);
  const auto type = elementType(spelling, enums);
  if (!type)
    return false;
  field.type = *type;
  field.minAlign = field.deviceBytes = std::uint32_t(sizeOf(*type));
  return true;
}

std::string fieldRemedy(const std::string &rawSpelling) {
  const std::string spelling = canonicalName(rawSpelling);
  if (spelling.find('[') != std::string::npos)
    return "Use Vector<T> and set its initial value, or a local array in compute().";
  if (spelling.find('*') != std::string::npos || spelling.find('&') != std::string::npos)
    return "Connect a tensor to Input<Vector<T>>, Output<Vector<T>> or InOut<Vector<T>> instead of "
           "keeping an address.";
  if (splitTemplate(spelling).name == "poplar::Vector")
    return "A field has at most two vector levels: Vector<Input<Vector<T>>>.";
  return "Use arithmetic types, or pass the bytes as Vector<char> and cast its address in "
         "compute().";
}

std::uint32_t layOutDeviceState(std::vector<Field> &fields) {
  std::uint32_t at = 0;
  for (Field &f : fields) {
    const std::uint32_t align = std::min(f.deviceBytes, 4u);
    at = (at + align - 1) / align * align;
    f.deviceOffset = at;
    at += f.deviceBytes;
  }
  return (at + 3) / 4 * 4;
}

} // namespace poplar::codelet
