// SPDX-License-Identifier: MIT
// What views give: records, whose fields stand once in views/*.def. Structures and their JSON are
// made of them here, the page's types by page/types.mjs.
//   RECORD(name) FIELD(type, name[, value]) OPTIONAL(type, name) END(name)
//   VIEW(name, type)                          /api/report/N/name, made by view::name(model)
//   VIEW_OF(name, type, parameter)            ...?parameter=1: view::name(model, number)
//   VIEW_OF_SEVERAL(name, type, parameter)    ...?parameter=1,2: view::name(model, numbers)
#pragma once
#include "Json.hpp"

namespace popvision {
class Model;
}

namespace popvision::view {

using Count = std::uint64_t;
using Index = std::int64_t; // or -1
using Real = double;
using Text = std::string;
using Flag = bool;
template <class T> using List = std::vector<T>;
template <class T> using Map = std::vector<std::pair<std::string, T>>; // in the order it is shown
template <class T> using Maybe = std::optional<T>;                     // null; OPTIONAL: left out

#define RECORD(name) struct name {
#define FIELD(type, name, ...) type name{__VA_ARGS__};
#define OPTIONAL(type, name) std::optional<type> name{};
#define END(name)                                                                                  \
  }                                                                                                \
  ;                                                                                                \
  void writeFields(Json &json, const name &value);
#define VIEW(name, ...) __VA_ARGS__ name(const Model &model);
#define VIEW_OF(name, type, parameter) type name(const Model &model, std::uint64_t parameter);
#define VIEW_OF_SEVERAL(name, type, parameter)                                                     \
  type name(const Model &model, const std::vector<std::uint64_t> &parameter);
#include "AllViews.def"
#include "NoViews.def"

} // namespace popvision::view
