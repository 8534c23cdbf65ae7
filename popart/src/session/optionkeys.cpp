// SPDX-License-Identifier: MIT
#include "session/optionkeys.hpp"

#include "base/Text.hpp"

namespace popart::session {

namespace {

template <class T>
requires std::is_integral_v<T> || std::is_enum_v<T>
void put(Hasher &h, T value) { h.number(static_cast<std::uint64_t>(value)); }
template <std::floating_point T> void put(Hasher &h, T value) { h.real(value); }
void put(Hasher &h, const std::string &text) { h.text(text); }

void put(Hasher &h, const CommGroup &group) { h.text(base::str(group)); }
template <class T>
requires std::is_same_v<T, TensorLocation> || std::is_same_v<T, TensorLocationSettings>
void put(Hasher &h, const T &where) {
#define LOCATION_MEMBER(of, member, text)                                                          \
  if constexpr (std::is_same_v<T, of>)                                                             \
    put(h, where.member);
#include "openipu/LocationSettings.def"
}

template <class... All> void put(Hasher &h, const std::map<All...> &map) {
  h.number(map.size());
  for (const auto &[key, value] : map) {
    put(h, key);
    put(h, value);
  }
}
template <class List>
requires requires(const List &list) {
  typename List::value_type;
  list.begin();
  list.size();
}
void put(Hasher &h, const List &list) {
  h.number(list.size());
  for (const auto &item : list)
    put(h, item);
}

template <class T> void put(Hasher &h, const nonstd::optional<T> &value) {
  put(h, value.has_value());
  if (value)
    put(h, *value);
}

template <bool wanted, class T> void putIf(Hasher &h, const T &value) {
  if constexpr (wanted)
    put(h, value);
}

template <option::Key key> void add(Hasher &h, const SessionOptions &o) {
#define OPTION(member, in, use, text, ...) putIf<option::Key::in == key>(h, o.member);
#define OPTION_PART(owner, member, in, use, text) putIf<option::Key::in == key>(h, o.owner.member);
#include "openipu/SessionOptions.def"
}

} // namespace

void addProgramOptions(Hasher &h, const SessionOptions &options) {
  add<option::Key::Program>(h, options);
}
void addModelOptions(Hasher &h, const SessionOptions &options) {
  add<option::Key::Model>(h, options);
}

} // namespace popart::session
