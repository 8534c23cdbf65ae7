// SPDX-License-Identifier: MIT
// The estimator's view of a vertex.
#include "types/Introspection.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "types/TypeAccess.hpp"
#include "types/Value.hpp"

namespace poplar {

FieldData VertexIntrospector::getFieldInfo(StringRef name) const {
  const auto found = info_->fields.find(name);
  if (found != info_->fields.end())
    return FieldData(&found->second);
  std::vector<std::string> names;
  for (const auto &[field, info] : info_->fields)
    names.push_back(field);
  throw unknown_field(base::str("Vertex \"", info_->vertexType, "\" has no field \"",
                                name.cloneAsString(), "\".",
                                base::didYouMean(name.cloneAsString(), names)));
}

unsigned FieldData::rank() const { return info_->rank; }

std::size_t FieldData::size() const {
  return info_->rank == 2 ? info_->sizes.size() : info_->rank == 1 ? info_->sizes.at(0) : 1;
}

std::size_t FieldData::getSizeAtIndex(std::size_t i) const {
  if (info_->rank < 2 || i >= info_->sizes.size())
    throw index_error(base::str("A field of rank ", info_->rank, " with ", size(),
                                " elements has no inner vector"),
                      i);
  return info_->sizes[i];
}

std::size_t FieldData::numValues(std::size_t inner) const {
  return info_->rank == 0 ? 1 : info_->sizes.at(inner);
}

void FieldData::values(std::size_t inner, const Type &as, void *out, std::size_t n) const {
  if (inner >= info_->values.size() || !info_->values[inner])
    throw poplar_error("The value of a field is known before the program runs only for plain "
                       "fields and for inputs "
                       "connected to constants; this one is neither.");
  const auto &bytes = *info_->values[inner];
  if (bytes.size() < n * sizeOf(info_->type))
    throw index_error("An estimator read past the end of a field's values", n - 1);
  types::convertElements(info_->type, bytes.data(), types::idOf(as), out, n, false);
}

layout::Vector FieldData::getProfilerVectorLayout(unsigned nestingLevel) const {
  return nestingLevel == 0   ? info_->outer
         : nestingLevel == 1 ? info_->inner
                             : layout::Vector::NotAVector;
}

layout::VectorList FieldData::getProfilerVectorListLayout() const { return info_->list; }

} // namespace poplar
