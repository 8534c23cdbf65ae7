// SPDX-License-Identifier: MIT
// A walk over the DIE tree: namespaces and classes are entered, enumerations remembered, and every
// complete class that derives from a vertex class and has compute() is described. Bases' fields
// come first, at their offsets.
#include "codelet/Dwarf.hpp"
#include "base/Text.hpp"
#include "codelet/Errors.hpp"
#include "codelet/FieldSpelling.hpp"
#include <algorithm>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <map>
#include <optional>
#include <set>
#include <unistd.h>

namespace poplar::codelet {
namespace {

template <class Visit> void forChildren(Dwarf_Die parent, Visit visit) {
  Dwarf_Die child;
  if (dwarf_child(&parent, &child) != 0)
    return;
  do
    visit(child);
  while (dwarf_siblingof(&child, &child) == 0);
}

std::string nameOf(Dwarf_Die die) {
  const char *name = dwarf_diename(&die);
  return name ? name : "";
}

std::optional<Dwarf_Die> typeOf(Dwarf_Die die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (!dwarf_attr(&die, DW_AT_type, &attribute) || !dwarf_formref_die(&attribute, &type))
    return std::nullopt;
  return type;
}

// Sizes, offsets, lines and other values that are never negative: short forms are not
// sign-extended.
std::optional<std::uint64_t> numberOf(Dwarf_Die die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value;
  if (!dwarf_attr(&die, name, &attribute) || dwarf_formudata(&attribute, &value) != 0)
    return std::nullopt;
  return value;
}

std::optional<std::int64_t> constantOf(Dwarf_Die die, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Sword value;
  if (!dwarf_attr(&die, name, &attribute) || dwarf_formsdata(&attribute, &value) != 0)
    return std::nullopt;
  return value;
}

bool has(Dwarf_Die die, unsigned attribute) { return dwarf_hasattr(&die, attribute) != 0; }

// Through typedef, const and volatile.
std::optional<Dwarf_Die> strip(std::optional<Dwarf_Die> type) {
  while (type) {
    const int tag = dwarf_tag(&*type);
    if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type)
      return type;
    type = typeOf(*type);
  }
  return type;
}

bool isClass(Dwarf_Die die) {
  const int tag = dwarf_tag(&die);
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

TypeId integerOfSize(std::uint64_t bytes, bool isSigned) {
  switch (bytes) {
  case 1:
    return isSigned ? TypeId::SignedChar : TypeId::UnsignedChar;
  case 2:
    return isSigned ? TypeId::Short : TypeId::UnsignedShort;
  case 8:
    return isSigned ? TypeId::LongLong : TypeId::UnsignedLongLong;
  default:
    return isSigned ? TypeId::Int : TypeId::UnsignedInt;
  }
}

std::optional<VertexKind> kindOfBase(const std::string &qualified) {
  if (qualified == "poplar::Vertex")
    return VertexKind::Vertex;
  if (qualified == "poplar::MultiVertex")
    return VertexKind::MultiVertex;
  if (qualified == "poplar::SupervisorVertex")
    return VertexKind::SupervisorVertex;
  if (qualified == "poplar::ExternalExchangeVertex")
    return VertexKind::ExternalExchange;
  return std::nullopt;
}

// g++ calls a vector type "__vector(2) float", which is no C++; the glue has a name for it.
std::string spellVectors(std::string text) {
  constexpr std::string_view mark = "__vector(";
  for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    const auto close = text.find(')', at), end = text.find_first_of(",>", close);
    if (close == text.npos || end == text.npos)
      break;
    text.replace(at, end - at,
                 base::str("::openipu::VectorOf<", text.substr(close + 2, end - close - 2), ", ",
                           text.substr(at + mark.size(), close - at - mark.size()), ">"));
  }
  return text;
}

// "unsigned int", 2 -> "uint2": the names of ipudef.h.
std::string vectorName(const std::string &element, std::uint64_t lanes) {
  std::string name = canonicalName(element);
  if (name.rfind("unsigned ", 0) == 0)
    name = "u" + name.substr(9);
  if (name == "signed char")
    name = "char";
  name.erase(std::remove(name.begin(), name.end(), ' '), name.end()); // long long
  return base::str(name, lanes);
}

class Reader {
public:
  explicit Reader(std::string sourceName) : sourceName_(std::move(sourceName)) {}

  void readUnit(Dwarf_Die unit) {
    collect(unit, "");
    for (const auto &[die, name] : classes_)
      consider(die, name);
  }
  std::vector<DiscoveredType> take() {
    std::sort(found_.begin(), found_.end(),
              [](const auto &a, const auto &b) { return a.type.name < b.type.name; });
    return std::move(found_);
  }

private:
  // What one class gives: kind from the bases, fields in order, and compute's result.
  struct Contents {
    std::optional<VertexKind> kind;
    std::vector<Field> fields;
    std::optional<bool> returnsBool;
    std::uint32_t align = 8;
  };

  void collect(Dwarf_Die parent, const std::string &scope) {
    forChildren(parent, [&](Dwarf_Die die) {
      const std::string name = nameOf(die);
      const int tag = dwarf_tag(&die);
      const std::string inner = name.empty() ? scope : scope + name + "::";
      if (tag == DW_TAG_enumeration_type)
        rememberEnum(die, scope + name);
      if (tag == DW_TAG_namespace)
        collect(die, inner);
      if (!isClass(die) || name.empty())
        return;
      qualified_[dwarf_dieoffset(&die)] = scope + name;
      if (!has(die, DW_AT_declaration))
        classes_.emplace_back(die, scope + name);
      collect(die, inner);
    });
  }

  void rememberEnum(Dwarf_Die die, const std::string &name) {
    bool isSigned = false;
    forChildren(die, [&](Dwarf_Die value) {
      isSigned |= constantOf(value, DW_AT_const_value).value_or(0) < 0;
    });
    if (const auto base = strip(typeOf(die)))
      isSigned = numberOf(*base, DW_AT_encoding).value_or(0) == DW_ATE_signed;
    const TypeId type = integerOfSize(numberOf(die, DW_AT_byte_size).value_or(4), isSigned);
    enums_.emplace(canonicalName(name), type);
    enumNames_[dwarf_dieoffset(&die)] = name;
  }

  void consider(Dwarf_Die die, const std::string &qualified) {
    if (qualified.rfind("poplar::", 0) == 0 && kindOfBase(qualified))
      return;
    Contents contents;
    if (!findKind(die, contents) || !findCompute(die, contents))
      return;
    describe(die, qualified, 0, contents);
    DiscoveredType found;
    VertexType &type = found.type;
    type.name = canonicalVertexName(die, qualified);
    type.kind = *contents.kind;
    type.returnsBool = *contents.returnsBool;
    type.fields = std::move(contents.fields);
    type.hostSize = std::uint32_t(numberOf(die, DW_AT_byte_size).value_or(1));
    type.hostAlign = std::max<std::uint32_t>(
        contents.align, std::uint32_t(numberOf(die, DW_AT_alignment).value_or(1)));
    type.deviceBytes = layOutDeviceState(type.fields);
    found.spelling = "::" + spellVectors(qualified);
    if (names_.insert(type.name).second)
      found_.push_back(std::move(found));
  }

  std::string qualifiedName(Dwarf_Die die) const {
    const auto at = qualified_.find(dwarf_dieoffset(&die));
    return at == qualified_.end() ? nameOf(die) : at->second;
  }

  template <class Visit> void forBases(Dwarf_Die die, Visit visit) {
    forChildren(die, [&](Dwarf_Die child) {
      if (dwarf_tag(&child) != DW_TAG_inheritance)
        return;
      if (const auto base = strip(typeOf(child)))
        visit(*base, std::uint32_t(numberOf(child, DW_AT_data_member_location).value_or(0)));
    });
  }

  bool findKind(Dwarf_Die die, Contents &contents) {
    forBases(die, [&](Dwarf_Die base, std::uint32_t) {
      if (!contents.kind)
        contents.kind = kindOfBase(qualifiedName(base));
      if (!contents.kind)
        findKind(base, contents);
    });
    return contents.kind.has_value();
  }

  bool findCompute(Dwarf_Die die, Contents &contents) {
    forChildren(die, [&](Dwarf_Die child) {
      if (dwarf_tag(&child) != DW_TAG_subprogram || nameOf(child) != "compute")
        return;
      const auto result = strip(typeOf(child));
      contents.returnsBool = result && nameOf(*result) != "void";
    });
    if (!contents.returnsBool)
      forBases(die, [&](Dwarf_Die base, std::uint32_t) {
        if (!contents.returnsBool)
          findCompute(base, contents);
      });
    return contents.returnsBool.has_value();
  }

  void describe(Dwarf_Die die, const std::string &vertex, std::uint32_t offset,
                Contents &contents) {
    forBases(die, [&](Dwarf_Die base, std::uint32_t at) {
      describe(base, vertex, offset + at, contents);
    });
    forChildren(die, [&](Dwarf_Die child) {
      if (dwarf_tag(&child) == DW_TAG_member && !has(child, DW_AT_external) &&
          has(child, DW_AT_data_member_location))
        addField(child, vertex, offset, contents);
    });
  }

  void addField(Dwarf_Die member, const std::string &vertex, std::uint32_t offset,
                Contents &contents) {
    Field f;
    f.name = nameOf(member);
    f.hostOffset = offset + std::uint32_t(numberOf(member, DW_AT_data_member_location).value_or(0));
    const auto type = strip(typeOf(member));
    if (has(member, DW_AT_artificial) || f.name.rfind("_vptr", 0) == 0)
      throw CompileError(base::str(
          sourceName_, ": vertex class \"", vertex, "\" has virtual functions. A vertex is never ",
          "constructed, so it cannot have any: make them ordinary functions."));
    const std::string spelling = spell(type);
    if (!type || !describeAs(*type, spelling, f))
      throw CompileError(base::str(sourceName_, ":", numberOf(member, DW_AT_decl_line).value_or(0),
                                   ": vertex class \"", vertex, "\": field \"", f.name,
                                   "\" has unsupported field type \"", spelling, "\". ",
                                   fieldRemedy(spelling)));
    f.hostSize = std::uint32_t(numberOf(*type, DW_AT_byte_size).value_or(0));
    f.hostInnerStride = f.shape >= FieldShape::VectorOfVectors ? innerStride(*type) : 0;
    contents.align = std::max<std::uint32_t>(
        contents.align, std::uint32_t(numberOf(*type, DW_AT_alignment).value_or(1)));
    contents.fields.push_back(std::move(f));
  }

  bool describeAs(Dwarf_Die type, const std::string &spelling, Field &f) {
    const int tag = dwarf_tag(&type);
    if (tag != DW_TAG_base_type && tag != DW_TAG_enumeration_type && !isClass(type))
      return false;
    return describeField(spelling, enums_, f);
  }

  // Inner records have the layout of the outer one: address, size and whatever checked mode and
  // quarter add, except that the outer level never carries metadata.
  static std::uint32_t innerStride(Dwarf_Die type) {
    const auto outer = std::uint32_t(numberOf(type, DW_AT_byte_size).value_or(0));
    return nameOf(type).find("quarter") == std::string::npos ? outer : outer + 8;
  }

  std::string spell(const std::optional<Dwarf_Die> &type) {
    if (!type)
      return "void";
    switch (dwarf_tag(const_cast<Dwarf_Die *>(&*type))) {
    case DW_TAG_pointer_type:
      return spell(strip(typeOf(*type))) + " *";
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
      return spell(strip(typeOf(*type))) + " &";
    case DW_TAG_array_type: {
      const auto element = strip(typeOf(*type));
      if (!has(*type, DW_AT_GNU_vector) || !element)
        return spell(element) + " []";
      std::uint64_t lanes = 0;
      forChildren(*type, [&](Dwarf_Die range) {
        lanes = numberOf(range, DW_AT_count)
                    .value_or(numberOf(range, DW_AT_upper_bound).value_or(0) + 1);
      });
      return vectorName(spell(element), lanes);
    }
    case DW_TAG_enumeration_type: {
      const auto at = enumNames_.find(dwarf_dieoffset(const_cast<Dwarf_Die *>(&*type)));
      return at == enumNames_.end() ? nameOf(*type) : at->second;
    }
    default: {
      const auto name = qualifiedName(*type);
      return name == "poplar::codelet::HalfVector<2>"   ? "half2"
             : name == "poplar::codelet::HalfVector<4>" ? "half4"
                                                        : name;
    }
    }
  }

  // Template arguments are rebuilt from the DIEs, because names print an enumerator as a cast
  // number.
  std::string canonicalVertexName(Dwarf_Die die, const std::string &qualified) {
    std::vector<std::string> arguments;
    addArguments(die, arguments);
    if (arguments.empty())
      return canonicalName(qualified);
    const auto end = templateStart(qualified);
    std::string name = qualified.substr(0, end) + "<";
    for (std::size_t i = 0; i < arguments.size(); ++i)
      name += (i ? "," : "") + arguments[i];
    return canonicalName(name + ">");
  }

  // Where the argument list of the last component begins.
  static std::size_t templateStart(const std::string &qualified) {
    int depth = 0;
    for (std::size_t i = qualified.size(); i-- > 0;) {
      depth += (qualified[i] == '>') - (qualified[i] == '<');
      if (qualified[i] == '<' && depth == 0)
        return i;
    }
    return qualified.size();
  }

  void addArguments(Dwarf_Die die, std::vector<std::string> &arguments) {
    forChildren(die, [&](Dwarf_Die child) {
      switch (dwarf_tag(&child)) {
      case DW_TAG_template_type_parameter:
        arguments.push_back(spell(strip(typeOf(child))));
        break;
      case DW_TAG_template_value_parameter:
        arguments.push_back(spellValue(child));
        break;
      case DW_TAG_GNU_template_parameter_pack:
        addArguments(child, arguments);
        break;
      default:
        break;
      }
    });
  }

  std::string spellValue(Dwarf_Die parameter) {
    const auto type = strip(typeOf(parameter));
    const std::int64_t value = constantOf(parameter, DW_AT_const_value).value_or(0);
    if (type && nameOf(*type) == "bool")
      return value ? "true" : "false";
    if (type && dwarf_tag(const_cast<Dwarf_Die *>(&*type)) == DW_TAG_enumeration_type)
      return spellEnumerator(*type, value);
    const bool isSigned = type && numberOf(*type, DW_AT_encoding).value_or(0) == DW_ATE_signed;
    return isSigned ? std::to_string(value)
                    : std::to_string(numberOf(parameter, DW_AT_const_value).value_or(0));
  }

  std::string spellEnumerator(Dwarf_Die type, std::int64_t value) {
    std::string name;
    forChildren(type, [&](Dwarf_Die child) {
      if (name.empty() && constantOf(child, DW_AT_const_value) == value)
        name = spell(type) + "::" + nameOf(child);
    });
    return name.empty() ? std::to_string(value) : name;
  }

  std::string sourceName_;
  EnumTypes enums_;
  std::map<Dwarf_Off, std::string> qualified_, enumNames_;
  std::vector<std::pair<Dwarf_Die, std::string>> classes_;
  std::set<std::string> names_;
  std::vector<DiscoveredType> found_;
};

} // namespace

std::vector<DiscoveredType> discoverVertexTypes(const std::string &objectPath,
                                                const std::string &sourceName) {
  const int fd = ::open(objectPath.c_str(), O_RDONLY | O_CLOEXEC);
  Dwarf *dwarf = fd < 0 ? nullptr : dwarf_begin(fd, DWARF_C_READ);
  struct Closer {
    int fd;
    Dwarf *dwarf;
    ~Closer() {
      if (dwarf)
        dwarf_end(dwarf);
      if (fd >= 0)
        ::close(fd);
    }
  } closer{fd, dwarf};
  if (!dwarf)
    return {}; // a source without a single declaration leaves no debug sections
  Reader reader(sourceName);
  Dwarf_CU *unit = nullptr;
  Dwarf_Die die;
  std::uint8_t unitType = 0;
  while (dwarf_get_units(dwarf, unit, &unit, nullptr, &unitType, &die, nullptr) == 0)
    if (unitType == DW_UT_compile)
      reader.readUnit(die);
  return reader.take();
}

} // namespace poplar::codelet
