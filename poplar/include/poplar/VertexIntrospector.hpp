// SPDX-License-Identifier: MIT
// What an estimator may know of a vertex: the sizes, layouts and known values of its fields.
#pragma once
#include <cstddef>
#include <memory>
#include <poplar/StringRef.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VectorLayout.hpp>
#include <string>
#include <vector>

namespace poplar {

class Target;
namespace openipu {
struct FieldInfo;
struct VertexInfo;
struct IntrospectorAccess;
} // namespace openipu

// What an estimator may know of one field of a vertex: sizes and known values.
class FieldData {
public:
  // The size of an inner vector.
  class SizeT {
  public:
    explicit SizeT(std::size_t size) : size_(size) {}
    std::size_t size() const { return size_; }

  private:
    std::size_t size_;
  };

  FieldData(FieldData &&) = default;
  FieldData &operator=(FieldData &&) = default;

  unsigned rank() const;                           // 0: scalar, 1: vector, 2: vector of vectors
  std::size_t size() const;                        // of the outermost dimension; 1 for a scalar
  std::size_t getSizeAtIndex(std::size_t i) const; // of inner vector i
  SizeT operator[](std::size_t i) const { return SizeT(getSizeAtIndex(i)); }

  // Known for plain fields and for inputs connected to constants; otherwise poplar_error.
  template <class T> T getInitialValue(const Target &) const {
    T value;
    values(0, equivalent_device_type<T>().value, &value, 1);
    return value;
  }
  template <class T> std::vector<T> getInitialValues(const Target &) const {
    return Values<T>::get(*this);
  }

  // How the pointer is stored, at each level.
  layout::Vector getProfilerVectorLayout(unsigned nestingLevel) const;
  layout::VectorList getProfilerVectorListLayout() const; // how a vector of vectors is stored

private:
  friend class VertexIntrospector;
  template <class T> struct Values {
    static std::vector<T> get(const FieldData &f) {
      std::vector<T> result(f.numValues(0));
      f.values(0, equivalent_device_type<T>().value, result.data(), result.size());
      return result;
    }
  };
  template <class T> struct Values<std::vector<T>> {
    static std::vector<std::vector<T>> get(const FieldData &f) {
      std::vector<std::vector<T>> result(f.size());
      for (std::size_t i = 0; i != result.size(); ++i) {
        result[i].resize(f.numValues(i));
        f.values(i, equivalent_device_type<T>().value, result[i].data(), result[i].size());
      }
      return result;
    }
  };
  explicit FieldData(const openipu::FieldInfo *info) : info_(info) {}
  std::size_t numValues(std::size_t inner) const;
  void values(std::size_t inner, const Type &as, void *out, std::size_t n) const;
  const openipu::FieldInfo *info_; // owned by the introspector
};

class VertexIntrospector {
public:
  // Throws unknown_field, with near matches.
  FieldData getFieldInfo(StringRef name) const;

private:
  friend struct openipu::IntrospectorAccess;
  explicit VertexIntrospector(std::shared_ptr<const openipu::VertexInfo> info)
      : info_(std::move(info)) {}
  std::shared_ptr<const openipu::VertexInfo> info_;
};

} // namespace poplar
