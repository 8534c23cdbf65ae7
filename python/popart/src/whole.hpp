// SPDX-License-Identifier: MIT
// Whole numbers are given as such: pybind11 would cut whatever has an __int__, for example
// numpy.float32(1.5). Before its other headers, which use numbers themselves.
#pragma once
#include <pybind11/cast.h>

#include <utility>

namespace pybind11::detail {

template <class T> struct WholeCaster {
  PYBIND11_TYPE_CASTER(T, const_name("int"));
  bool load(handle given, bool) {
    if (!given || !PyIndex_Check(given.ptr()))
      return false;
    const auto number = reinterpret_steal<object>(PyNumber_Index(given.ptr()));
    const bool fits = number && take(number.ptr());
    PyErr_Clear();
    return fits;
  }
  static handle cast(T number, return_value_policy, handle) {
    if constexpr (std::is_signed_v<T>)
      return PyLong_FromLongLong(number);
    else
      return PyLong_FromUnsignedLongLong(number);
  }

private:
  bool take(PyObject *number) {
    using Wide = std::conditional_t<std::is_signed_v<T>, long long, unsigned long long>;
    Wide wide = 0;
    if constexpr (std::is_signed_v<T>)
      wide = PyLong_AsLongLong(number);
    else
      wide = PyLong_AsUnsignedLongLong(number);
    if (PyErr_Occurred())
      return false;
    value = static_cast<T>(wide);
    return std::in_range<T>(wide);
  }
};

template <> struct type_caster<short> : WholeCaster<short> {};
template <> struct type_caster<unsigned short> : WholeCaster<unsigned short> {};
template <> struct type_caster<int> : WholeCaster<int> {};
template <> struct type_caster<unsigned> : WholeCaster<unsigned> {};
template <> struct type_caster<long> : WholeCaster<long> {};
template <> struct type_caster<unsigned long> : WholeCaster<unsigned long> {};
template <> struct type_caster<long long> : WholeCaster<long long> {};
template <> struct type_caster<unsigned long long> : WholeCaster<unsigned long long> {};

} // namespace pybind11::detail
