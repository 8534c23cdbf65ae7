// SPDX-License-Identifier: MIT
// numpy's arrays as PopART sees them: C-contiguous, in the machine's byte order, of a type that
// tensors have. What is laid out otherwise is copied.
#pragma once
#include "whole.hpp"
#include <popart/voiddata.hpp>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

namespace py = pybind11;

// What is given for a tensor: an array, or a scalar of numpy's, which becomes a read-only array.
struct ArrayLike {
  py::array array;
};

namespace pybind11::detail {
template <> struct type_caster<ArrayLike> {
  PYBIND11_TYPE_CASTER(ArrayLike, const_name("numpy.ndarray"));
  bool load(handle given, bool);
};
} // namespace pybind11::detail

// numpy's element type as ours and back; popart::error for one that has no counterpart.
popart::DataType dataTypeOf(const py::dtype &type);
py::dtype dtypeOf(popart::DataType type);
popart::TensorInfo infoOf(const py::array &array);

// An array in the form that C++ reads and writes: itself, or a copy of it.
class PlainArray {
public:
  PlainArray() = default;
  explicit PlainArray(const py::array &given);
  popart::ConstVoidData data() const { return {plain_.data(), info_}; }
  popart::MutableVoidData writableData() const {
    return {const_cast<void *>(plain_.data()), info_};
  }
  const popart::TensorInfo &info() const { return info_; }
  bool writable() const { return given_.writeable(); }
  void requireWritable(const std::string &what,
                       const std::string &id) const; // popart::runtime_error
  void refresh();                                    // what the caller may have written since
  void writeBack();                                  // what was written into the copy

private:
  bool copied() const { return given_.ptr() != plain_.ptr(); }
  py::array given_, plain_;
  popart::TensorInfo info_;
};

namespace pybind11::detail {
// For functions that take host memory: the array lives as long as the call.
template <> struct type_caster<popart::ConstVoidData> {
  PYBIND11_TYPE_CASTER(popart::ConstVoidData, const_name("numpy.ndarray"));
  bool load(handle given, bool convert) {
    type_caster<ArrayLike> array;
    if (!array.load(given, convert))
      return false;
    held_ = PlainArray(static_cast<ArrayLike &>(array).array);
    value = held_.data();
    return true;
  }

private:
  PlainArray held_;
};
} // namespace pybind11::detail
