// SPDX-License-Identifier: MIT
// What VertexIntrospector shows to an estimator, as plain data. Whoever asks an estimator fills it
// from the vertex.
#pragma once
#include "openipu/TypeId.hpp"
#include "poplar/VertexIntrospector.hpp"
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace poplar::openipu {

struct FieldInfo {
  TypeId type = TypeId::Float;
  unsigned rank = 0;              // 0: scalar, 1: vector, 2: vector of vectors
  std::vector<std::size_t> sizes; // elements of each inner vector; one entry if rank < 2
  std::vector<std::optional<std::string>> values; // device bytes of each inner vector, where known
  layout::Vector outer = layout::Vector::NotAVector;
  layout::Vector inner = layout::Vector::NotAVector;
  layout::VectorList list = layout::VectorList::NotAVector;
};

struct VertexInfo {
  std::string vertexType;
  std::map<std::string, FieldInfo> fields;
};

struct IntrospectorAccess {
  static VertexIntrospector make(VertexInfo info) {
    return VertexIntrospector(std::make_shared<const VertexInfo>(std::move(info)));
  }
};

} // namespace poplar::openipu

namespace poplar::types {
using openipu::FieldInfo;
using openipu::IntrospectorAccess;
using openipu::VertexInfo;
} // namespace poplar::types
