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

enum class UpsampleMethod { REPEAT }; // how Tensor::upsample fills new elements: with copies

// A view of variables and constants: a shape, and which element stands where. Functions that change
// the shape or choose elements return another view of the same data, without moving any;
// `graph.clone` and `program::Copy` make data. index_error is thrown for dimensions and ranges that
// are not there.
class Tensor {
public:
  Tensor();
  ~Tensor();
  Tensor(const Tensor &);
  Tensor(Tensor &&) noexcept;
  Tensor &operator=(const Tensor &);
  Tensor &operator=(Tensor &&) noexcept;

  // False for a default-constructed tensor; nothing else may be called on it.
  bool valid() const { return view_ != nullptr; }
  Type elementType() const;               // type of the elements on the device
  unsigned rank() const;                  // the number of dimensions
  std::size_t dim(unsigned i) const;      // the size of one dimension
  std::vector<std::size_t> shape() const; // the sizes of all dimensions
  std::size_t numElements() const;        // the product of the sizes

  // Drops dimension 0.
  Tensor operator[](std::size_t i) const;
  // Drops the leading dimensions, one for each index.
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

  Tensor flatten() const; // One dimension in place of all, or of dimensions [dimBegin, dimEnd).
  Tensor flatten(unsigned dimBegin, unsigned dimEnd) const;
  // Another shape with the same number of elements, in row-major order; index_error otherwise.
  Tensor reshape(ArrayRef<std::size_t> shape) const;
  // Reshape of dimensions [beginIndex, endIndex) only.
  Tensor reshapePartial(unsigned beginIndex, unsigned endIndex,
                        ArrayRef<std::size_t> newDims) const;
  // Dimension i of the result is dimension permutation[i].
  Tensor dimShuffle(ArrayRef<unsigned> permutation) const;
  // Moves dimension source[i] to position destination[i]; the others keep their order.
  Tensor dimShufflePartial(ArrayRef<unsigned> source, ArrayRef<unsigned> destination) const;
  // Moves one dimension to another position.
  Tensor dimRoll(unsigned dimIndex, unsigned newIndex = 0) const;
  // Swaps the dimensions of a matrix. Throws index_error unless the rank is 2.
  Tensor transpose() const;
  // Puts a dimension of size 1 before each dimension named.
  Tensor expand(ArrayRef<std::size_t> indices) const;
  Tensor squeeze(ArrayRef<std::size_t> indices) const; // Drops dimensions, which must have size 1.
  // Repeats the tensor n times along a dimension, without new elements.
  Tensor broadcast(unsigned n, unsigned dimension) const;
  // Repeats every element `scale` times along a dimension.
  Tensor upsample(unsigned scale, unsigned dimension, UpsampleMethod method) const;
  // Keeps every stride-th element of a dimension, from the first.
  Tensor subSample(unsigned stride, unsigned dimension) const;
  Tensor reverse(unsigned dimension) const; // The elements of a dimension in reverse order.
  // The same bits as another type of the same size; type_error otherwise.
  Tensor reinterpret(const Type &type) const;

  bool containsAliases() const;  // whether an element occurs more than once
  bool containsConstant() const; // whether an element belongs to a constant
  // Whether vertices can write all elements at once: no aliases, no constants.
  bool isParallelWriteable() const;
  bool intersectsWith(const Tensor &other) const; // whether the two have an element in common
  bool isContiguous() const; // whether it is one piece of one variable, in order
  // The pieces, as intervals of the flattened tensor, that are each contiguous in one variable.
  std::vector<Interval> getContiguousRegions() const;
  // The same pieces, as intervals of their variables.
  std::vector<VariableInterval> getVarRegions() const;

  // True, and *value set, if this is one element of a constant.
  template <class T> bool getConstantValue(T *value) const {
    static_assert(TypeTraits::isSimpleType<T>(),
                  "constant values can be read as arithmetic types and IeeeHalf");
    return getConstantValueRaw(value, equivalent_device_type<T>().value);
  }

  bool hasMetadata() const; // whether it is of type QUARTER and has format and scale
  // The scalar with format and scale. Throws tensor_metadata_error if there is none.
  Tensor getMetadata() const;

  std::string shapeToString() const;           // "{4,8}"
  std::string getDebugStr() const;             // name, type and shape, for messages
  std::string getVarStr() const;               // the variables it consists of
  void output(std::ostream &out) const;        // Writes type and shape.
  void outputRegions(std::ostream &out) const; // Writes the pieces of variables it consists of.
  void dump() const;                           // output to std::cerr
  void dumpRegions() const;                    // outputRegions to std::cerr
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

// Joins tensors along a dimension that is there already. Throws type_error or index_error if types
// or the other dimensions differ.
Tensor concat(ArrayRef<Tensor> tensors, unsigned dimension = 0);
Tensor concat(const Tensor &first, const Tensor &second, unsigned dimension = 0);
// second has one dimension less than first.
// Joins along the first or another dimension; second has one dimension less than first.
Tensor append(const Tensor &first, const Tensor &second);
Tensor append(const Tensor &first, const Tensor &second, unsigned dimension);

} // namespace poplar

namespace std {
template <> struct hash<poplar::Tensor> {
  size_t operator()(const poplar::Tensor &tensor) const { return tensor.hash(); }
};
} // namespace std
