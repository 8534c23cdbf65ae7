// SPDX-License-Identifier: MIT
// Names of vertices that are templates: templateVertex("Add", poplar::FLOAT, true) is
// "Add<float,true>". Enumerations take part through a specialisation of VertexTemplateToString.
#pragma once
#include <poplar/StringRef.hpp>
#include <poplar/Type.hpp>
#include <string>
#include <type_traits>

namespace poputil {

// How a template argument is spelled in a vertex' name; specialise it for types of your own.
template <class T> struct VertexTemplateToString {
  static_assert(std::is_arithmetic<T>::value,
                "specialise poputil::VertexTemplateToString for this type");
  static std::string to_string(const T &value) { return std::to_string(value); } // the spelling
};
template <> struct VertexTemplateToString<bool> {
  static std::string to_string(bool value) { return value ? "true" : "false"; }
};
template <> struct VertexTemplateToString<std::string> {
  static std::string to_string(const std::string &value) { return value; }
};
template <> struct VertexTemplateToString<poplar::StringRef> {
  static std::string to_string(const poplar::StringRef &value) { return value.cloneAsString(); }
};
template <> struct VertexTemplateToString<const char *> {
  static std::string to_string(const char *value) { return value; }
};
template <> struct VertexTemplateToString<char *> : VertexTemplateToString<const char *> {};
template <> struct VertexTemplateToString<poplar::Type> {
  static std::string to_string(const poplar::Type &value) { return value.toString(); }
};

// ",a,b" for the arguments after the first, ">" at the end.
inline std::string templateVertexParams(bool first) { return first ? "" : ">"; }
template <class T, class... Rest>
std::string templateVertexParams(bool first, const T &value, const Rest &...rest) {
  return std::string(first ? "<" : ",") +
         VertexTemplateToString<typename std::decay<T>::type>::to_string(value) +
         templateVertexParams(false, rest...);
}

// "name<args...>", the name of a vertex that is a template.
template <class... Args> std::string templateVertex(const std::string &name, const Args &...args) {
  return name + templateVertexParams(true, args...);
}

} // namespace poputil
