// SPDX-License-Identifier: MIT
// What is known of a tensor before it has a value: element type and shape.
#ifndef POPART_TENSORINFO_HPP
#define POPART_TENSORINFO_HPP
#include <popart/datatype.hpp>
#include <popart/names.hpp>

namespace onnx {
class TensorProto;
class TypeProto;
} // namespace onnx

namespace popart {

// What there is to know of an element type.
class DataTypeInfo {
public:
  explicit DataTypeInfo(DataType type) : type_(type) {}
  DataType type() const { return type_; } // the type it is about
  std::int64_t nbytes() const { return static_cast<std::int64_t>(bytesOf(type_)); } // bytes in all
  const std::string &name() const { return nameOf(type_); }               // "FLOAT16" and so on
  const std::string &lcasename() const { return lowerCaseNameOf(type_); } // "float16" and so on
  // Whether it holds whole numbers.
  bool isFixedPoint() const { return popart::isFixedPoint(type_); }

private:
  DataType type_;
};

class TensorInfo {
public:
  TensorInfo() = default; // UNDEFINED
  // popart::error for extents below 0, and for more bytes than can be counted.
  TensorInfo(DataType type, const Shape &shape);
  TensorInfo(DataType type, const Shape &shape, const Shape &metaShape);
  TensorInfo(const std::string &type, const Shape &shape);
  TensorInfo(const std::string &type, const std::string &shape); // "(2,3)"
  explicit TensorInfo(const onnx::TensorProto &tensor);
  explicit TensorInfo(const onnx::TypeProto &type); // popart::error unless all extents are known

  void set(DataType type); // changes type, shape or both
  void set(DataType type, const Shape &shape);
  void set(DataType type, const Shape &shape, const Shape &metaShape);

  const Shape &shape() const { return shape_; } // the sizes of all dimensions
  // The whole shape of a tensor of which this one is a shard; empty for others.
  const Shape &metaShape() const { return metaShape_; }
  std::vector<std::size_t> shape_szt() const;                    // the same as std::size_t
  Rank rank() const { return static_cast<Rank>(shape_.size()); } // the number of dimensions
  std::int64_t nelms() const;                                    // elements in all
  std::int64_t nbytes() const;                                   // bytes in all
  std::int64_t dim(int i) const;                                 // the size of one dimension
  // Bytes from one element to the next in every dimension, row-major.
  std::vector<int> strides(const std::vector<long> &shape) const;

  DataType dataType() const { return type_; }                    // of its elements
  const std::string &data_type() const { return nameOf(type_); } // "FLOAT16" and so on
  // "float16" and so on.
  const std::string &data_type_lcase() const { return lowerCaseNameOf(type_); }
  const DataTypeInfo *getDataTypeInfo() const;                // what is known of the type
  bool isSet() const { return type_ != DataType::UNDEFINED; } // false for one that nobody has set

  bool operator==(const TensorInfo &other) const {
    return type_ == other.type_ && shape_ == other.shape_ && metaShape_ == other.metaShape_;
  }
  bool operator!=(const TensorInfo &other) const { return !(*this == other); }
  void append(std::ostream &out) const; // writes type and shape

private:
  DataType type_ = DataType::UNDEFINED;
  Shape shape_;
  Shape metaShape_;
};

std::ostream &operator<<(std::ostream &out, const TensorInfo &info); // FLOAT [2,3]

} // namespace popart
#endif
