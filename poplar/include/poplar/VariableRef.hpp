// SPDX-License-Identifier: MIT
// Names one variable of a graph, and a range of its elements.
#pragma once
#include <cstdint>
#include <functional>
#include <ostream>
#include <poplar/Interval.hpp>

namespace poplar {

class VariableRef {
public:
  constexpr VariableRef() noexcept : id_(0xffffffffu) {}
  constexpr explicit VariableRef(std::uint32_t id) noexcept : id_(id) {}
  constexpr std::uint32_t id() const { return id_; } // the number of the variable in its graph
  std::size_t hash() const { return id_; }

  friend constexpr bool operator==(VariableRef a, VariableRef b) { return a.id_ == b.id_; }
  friend constexpr bool operator!=(VariableRef a, VariableRef b) { return a.id_ != b.id_; }
  friend constexpr bool operator<(VariableRef a, VariableRef b) { return a.id_ < b.id_; }
  friend constexpr bool operator>(VariableRef a, VariableRef b) { return b < a; }
  friend constexpr bool operator<=(VariableRef a, VariableRef b) { return !(b < a); }
  friend constexpr bool operator>=(VariableRef a, VariableRef b) { return !(a < b); }

private:
  std::uint32_t id_;
};
inline std::ostream &operator<<(std::ostream &out, VariableRef var) {
  return out << "var" << var.id();
}

// A part of a variable.
struct VariableInterval {
  VariableRef var;   // the variable
  Interval interval; // elements of it, counted flat
  VariableInterval() = default;
  VariableInterval(VariableRef v, Interval i) : var(v), interval(i) {}

  friend bool operator==(const VariableInterval &a, const VariableInterval &b) {
    return a.var == b.var && a.interval == b.interval;
  }
  friend bool operator!=(const VariableInterval &a, const VariableInterval &b) { return !(a == b); }
  friend bool operator<(const VariableInterval &a, const VariableInterval &b) {
    return a.var < b.var || (a.var == b.var && a.interval < b.interval);
  }
};
inline std::ostream &operator<<(std::ostream &out, const VariableInterval &v) {
  return out << v.var << v.interval;
}

} // namespace poplar

namespace std {
template <> struct hash<poplar::VariableRef> {
  size_t operator()(poplar::VariableRef var) const { return var.hash(); }
};
} // namespace std
