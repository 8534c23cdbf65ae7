// SPDX-License-Identifier: MIT
// Lookup in modules and their binary form. Numbers of enumerators are part of the form: append,
// never renumber.
#include "codelet/Module.hpp"
#include "base/Bytes.hpp"
#include "base/Text.hpp"
#include <algorithm>

namespace poplar::codelet {

using base::ByteReader;
using base::ByteWriter;
using base::FormatError;

namespace {

constexpr std::uint32_t moduleVersion =
    3; // 1: without needs and companions; 2: without dependsOnData

void write(ByteWriter &out, const Field &f) {
  out.text(f.name);
  out.number(f.direction);
  out.number(f.shape);
  out.number(f.type);
  out.number(std::uint8_t(f.layout));
  out.number(std::uint8_t(f.innerLayout));
  out.number(std::uint8_t(f.listLayout));
  out.number(f.minAlign);
  out.number(std::uint8_t(f.interleaved));
  for (auto n : {f.hostOffset, f.hostSize, f.hostInnerStride, f.deviceOffset, f.deviceBytes,
                 f.deviceInnerBytes})
    out.number(n);
}

VectorLayout readLayout(ByteReader &in) {
  return VectorLayout(in.below<std::uint8_t>(8, "a vector layout"));
}

Field readField(ByteReader &in) {
  Field f;
  f.name = in.text();
  f.direction = FieldDirection(in.below<std::uint8_t>(4, "a field direction"));
  f.shape = FieldShape(in.below<std::uint8_t>(4, "a field shape"));
  f.type = TypeId(in.below<std::uint8_t>(numTypeIds, "an element type"));
  f.layout = readLayout(in);
  f.innerLayout = readLayout(in);
  f.listLayout = VectorListLayout(in.below<std::uint8_t>(8, "a vector list layout"));
  f.minAlign = in.number<std::uint32_t>();
  f.interleaved = in.flag();
  for (auto *n : {&f.hostOffset, &f.hostSize, &f.hostInnerStride, &f.deviceOffset, &f.deviceBytes,
                  &f.deviceInnerBytes})
    *n = in.number<std::uint32_t>();
  return f;
}

void write(ByteWriter &out, const VertexType &t) {
  out.text(t.name);
  out.number(t.kind);
  for (auto n : {t.hostSize, t.hostAlign, t.deviceBytes, t.codeBytes})
    out.number(n);
  out.number(std::uint8_t(t.returnsBool));
  out.number(std::uint8_t(t.dependsOnData));
  out.list(t.fields, [&](const Field &f) { write(out, f); });
}

bool nested(const Field &f) {
  return f.shape == FieldShape::VectorOfVectors || f.shape == FieldShape::VectorList;
}

// Room for the record that the engine writes (Module.hpp).
std::size_t recordBytes(const Field &f) {
  const std::size_t metadata = f.type == TypeId::Quarter ? sizeof(void *) : 0;
  if (f.shape == FieldShape::Scalar)
    return f.direction == FieldDirection::Plain ? sizeOf(f.type) : sizeof(ScalarRecord) + metadata;
  return sizeof(VectorRecord) + (nested(f) ? 0 : metadata);
}

void checkLayout(const VertexType &t) {
  if (t.hostAlign == 0 || (t.hostAlign & (t.hostAlign - 1)) != 0 || t.hostAlign > 4096)
    throw FormatError(base::str("vertex type ", t.name, " has alignment ", t.hostAlign));
  for (const Field &f : t.fields)
    checkField(f, t);
}

VertexType readType(ByteReader &in, std::uint32_t version) {
  VertexType t;
  t.name = in.text();
  t.kind = VertexKind(in.below<std::uint8_t>(4, "a vertex kind"));
  for (auto *n : {&t.hostSize, &t.hostAlign, &t.deviceBytes, &t.codeBytes})
    *n = in.number<std::uint32_t>();
  t.returnsBool = in.flag();
  t.dependsOnData = version < 3 || in.flag();
  for (auto n = in.count(40); n > 0; --n)
    t.fields.push_back(readField(in));
  checkLayout(t);
  return t;
}

} // namespace

void checkField(const Field &f, const VertexType &t) {
  if (f.hostSize < recordBytes(f) || f.hostOffset > t.hostSize ||
      f.hostSize > t.hostSize - f.hostOffset)
    throw FormatError(base::str("field \"", f.name, "\" of ", t.name, " has ", f.hostSize,
                                " bytes at offset ", f.hostOffset, " of ", t.hostSize,
                                ", it needs ", recordBytes(f)));
  if (nested(f) &&
      f.hostInnerStride < sizeof(VectorRecord) + (f.type == TypeId::Quarter ? sizeof(void *) : 0))
    throw FormatError(base::str("field \"", f.name, "\" of ", t.name, " has inner records of ",
                                f.hostInnerStride, " bytes"));
  if (f.minAlign == 0 || (f.minAlign & (f.minAlign - 1)) != 0 || f.minAlign > 4096)
    throw FormatError(
        base::str("field \"", f.name, "\" of ", t.name, " has alignment ", f.minAlign));
}

const Field *VertexType::find(std::string_view fieldName) const {
  const auto at = std::find_if(fields.begin(), fields.end(),
                               [&](const Field &f) { return f.name == fieldName; });
  return at == fields.end() ? nullptr : &*at;
}

const VertexType *Module::find(std::string_view typeName) const {
  const std::string wanted = canonicalName(typeName);
  const auto at =
      std::lower_bound(types.begin(), types.end(), wanted,
                       [](const VertexType &t, const std::string &name) { return t.name < name; });
  return at == types.end() || at->name != wanted ? nullptr : &*at;
}

std::string serialise(const Module &m) {
  ByteWriter out;
  out.number(moduleVersion);
  for (const std::string *s :
       {&m.contentHash, &m.sourceName, &m.flags, &m.arch, &m.machine, &m.diagnostics})
    out.text(*s);
  out.number(m.numWorkers);
  out.number(std::uint8_t(m.mutableStatics));
  out.list(m.types, [&](const VertexType &t) { write(out, t); });
  for (const std::string *s : {&m.image, &m.countedImage, &m.checkedImage, &m.preprocessedSource})
    out.text(*s);
  out.list(m.needs, [&](const std::string &symbol) { out.text(symbol); });
  out.list(m.companions, [&](const Companion &c) {
    for (const std::string *s : {&c.sourceName, &c.flags, &c.preprocessedSource})
      out.text(*s);
  });
  return out.take();
}

Module parseModule(std::string_view bytes) {
  ByteReader in(bytes);
  const auto version = in.number<std::uint32_t>();
  if (version < 1 || version > moduleVersion)
    throw FormatError(base::str("codelet module format ", version, ", expected ", moduleVersion));
  Module m;
  for (std::string *s :
       {&m.contentHash, &m.sourceName, &m.flags, &m.arch, &m.machine, &m.diagnostics})
    *s = in.text();
  m.numWorkers = in.number<std::uint32_t>();
  m.mutableStatics = in.flag();
  for (auto n = in.count(34); n > 0; --n)
    m.types.push_back(readType(in, version));
  for (std::string *s : {&m.image, &m.countedImage, &m.checkedImage, &m.preprocessedSource})
    *s = in.text();
  if (version > 1) {
    for (auto n = in.count(4); n > 0; --n)
      m.needs.push_back(in.text());
    for (auto n = in.count(12); n > 0; --n) {
      auto &c = m.companions.emplace_back();
      for (std::string *s : {&c.sourceName, &c.flags, &c.preprocessedSource})
        *s = in.text();
    }
  }
  in.expectEnd();
  return m;
}

} // namespace poplar::codelet
