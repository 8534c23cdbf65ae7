// SPDX-License-Identifier: MIT
#include "arrays.hpp"

#include <popart/error.hpp>

using popart::DataType;

namespace {
py::handle numpy(const char *name) {
  return py::module_::import("numpy").attr(name).cast<py::object>().release(); // kept for ever
}
} // namespace

bool py::detail::type_caster<ArrayLike>::load(handle given, bool) {
  if (isinstance<array>(given)) {
    value.array = reinterpret_borrow<array>(given);
    return true;
  }
  static const handle generic = numpy("generic"), asarray = numpy("asarray");
  if (!isinstance(given, generic))
    return false;
  value.array = asarray(given);
  value.array.attr("setflags")(arg("write") = false);
  return true;
}

DataType dataTypeOf(const py::dtype &type) {
  const std::string name = py::str(type.attr("name"));
  if (name == "float64")
    return DataType::DOUBLE;
  static const std::string kinds = "biuf"; // numbers and truth values
  if (kinds.find(type.kind()) == std::string::npos || type.itemsize() > 8)
    throw popart::error("An array of numpy's type {} is no tensor. Give it a type that tensors "
                        "have, for example float32.",
                        name);
  return popart::dataTypeFromString(name);
}
py::dtype dtypeOf(DataType type) {
  if (type == DataType::FLOAT8_143 || type == DataType::FLOAT8_152)
    return py::dtype("uint8");
  if (type == DataType::BFLOAT16) // as bits, for numpy has none
    return py::dtype("uint16");
  return py::dtype(popart::lowerCaseNameOf(type));
}
popart::TensorInfo infoOf(const py::array &array) {
  return popart::TensorInfo(dataTypeOf(array.dtype()),
                            popart::Shape(array.shape(), array.shape() + array.ndim()));
}

PlainArray::PlainArray(const py::array &given)
    : given_(given), plain_(given), info_(infoOf(given)) {
  const bool native = given.dtype().attr("isnative").cast<bool>();
  if (!native || !(given.flags() & py::array::c_style) ||
      !given.attr("flags").attr("aligned").cast<bool>()) {
    plain_ = py::array(dtypeOf(info_.dataType()), info_.shape());
    refresh();
  }
}
void PlainArray::requireWritable(const std::string &what, const std::string &id) const {
  if (!writable())
    throw popart::runtime_error("{} \"{}\" is read-only, and results would be written into it. "
                                "Give a copy of it: array.copy().",
                                what, id);
}
void PlainArray::refresh() {
  if (copied())
    plain_.attr("__setitem__")(py::ellipsis(), given_);
}
void PlainArray::writeBack() {
  if (copied())
    given_.attr("__setitem__")(py::ellipsis(), plain_);
}
