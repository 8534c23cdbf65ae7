// SPDX-License-Identifier: MIT
// A tensor is a view: a shape and an ordered selection of elements of variables. Operations make
// new views and move no data. Copies are cheap. A default-constructed tensor is invalid, and only
// assignment and valid() may be used.
#pragma once
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/Interval.hpp>
#include <poplar/openipu/BroughtAlong.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VariableRef.hpp>
#include <string>
#include <vector>

namespace poplar {

namespace openipu {
struct Access;
struct View;
} // namespace openipu

enum class UpsampleMethod { REPEAT };

class Tensor {
public:
  Tensor();
  ~Tensor();
  Tensor(const Tensor &);
  Tensor(Tensor &&) noexcept;
  Tensor &operator=(const Tensor &);
  Tensor &operator=(Tensor &&) noexcept;

  bool valid() const { return view_ != nullptr; }
  Type elementType() const;
  unsigned rank() const;
  std::size_t dim(unsigned i) const;
  std::vector<std::size_t> shape() const;
  std::size_t numElements() const;

  // Drops dimension 0.
  Tensor operator[](std::size_t i) const;
  Tensor index(ArrayRef<std::size_t> indices) const;

  // [begin, end) of one dimension, or of the leading dimensions.
  Tensor slice(std::size_t begin, std::size_t end) const;
  Tensor slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  Tensor slice(const Interval &region, unsigned dimension = 0) const;
  Tensor slice(ArrayRef<std::size_t> begin, ArrayRef<std::size_t> end) const;
  std::vector<Tensor> slices(ArrayRef<Interval> intervals, unsigned dimension = 0) const;
  // One tensor per inner list: its slices concatenated.
  std::vector<Tensor> slices(const std::vector<std::vector<Interval>> &intervals,
                             unsigned dimension = 0) const;
  std::vector<Tensor> slices(ArrayRef<unsigned> indices, unsigned dimension = 0) const;

  Tensor flatten() const;
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  Tensor reshapePartial(unsigned beginIndex, unsigned endIndex,
                        ArrayRef<std::size_t> newDims) const;
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const;
  Tensor dimRoll(unsigned dimIndex, unsigned newIndex = 0) const;
  Tensor transpose() const;
  Tensor expand(ArrayRef<std::size_t> indices) const;
  Tensor squeeze(ArrayRef<std::size_t> indices) const;
  Tensor broadcast(unsigned n, unsigned dimension) const;
  Tensor upsample(unsigned scale, unsigned dimension, UpsampleMethod method) const;
  Tensor subSample(unsigned stride, unsigned dimension) const;
  Tensor reverse(unsigned dimension) const;
  Tensor reinterpret(const Type &type) const;

  bool containsAliases() const;
  bool containsConstant() const;
  bool isParallelWriteable() const;
  bool intersectsWith(const Tensor &other) const;
  bool isContiguous() const;
  std::vector<Interval> getContiguousRegions() const;
  std::vector<VariableInterval> getVarRegions() const;

  // True, and *value set, if this is one element of a constant.
  template <class T> bool getConstantValue(T *value) const {
    static_assert(TypeTraits::isSimpleType<T>(),
                  "constant values can be read as arithmetic types and IeeeHalf");
    return getConstantValueRaw(value, equivalent_device_type<T>().value);
  }

  bool hasMetadata() const;
  Tensor getMetadata() const;

  std::string shapeToString() const;
  std::string getDebugStr() const;
  std::string getVarStr() const;
  void output(std::ostream &out) const;
  void outputRegions(std::ostream &out) const;
  void dump() const;
  void dumpRegions() const;
  std::size_t hash() const;

private:
  friend struct openipu::Access;
  friend bool operator==(const Tensor &a, const Tensor &b);
  explicit Tensor(std::shared_ptr<const openipu::View> view);
  bool getConstantValueRaw(void *value, const Type &asType) const;
  std::shared_ptr<const openipu::View> view_;
};

// The same elements in the same order and shape.
bool operator==(const Tensor &a, const Tensor &b);
inline bool operator!=(const Tensor &a, const Tensor &b) { return !(a == b); }
std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension = 0);
// second has one dimension less than first.
Tensor append(const Tensor &first, const Tensor &second);
Tensor append(const Tensor &first, const Tensor &second, unsigned dimension);

} // namespace poplar

namespace std {
template <> struct hash<poplar::Tensor> {
  size_t operator()(const poplar::Tensor &tensor) const { return tensor.hash(); }
};
} // namespace std
