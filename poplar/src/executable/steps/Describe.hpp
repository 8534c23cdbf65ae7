// SPDX-License-Identifier: MIT
// Every kind of step is a struct of its own, in one of two forms: Tree while a program is built
// (tensors, programs within programs, names of streams) and Flat in an image (views, numbers of
// steps, moves). A kind tells all it holds in `describe`, in one order and with the role of each
// member; passes that treat steps alike, the file and the text of an image go by that, so a new
// kind needs nothing there.
#pragma once
#include "executable/Move.hpp"
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace poplar::executable::steps {

// How the parts of a step run: not at all (a leaf), one after the other, a number of times, while a
// predicate holds (parts: condition, body), one of them, or a function that is called.
enum class Flow { Leaf, InOrder, Repeated, While, OneOf, Called };

// What a step is shown as in a profile where it takes no time.
enum class Shown {
  Other,
  Sequence,
  Repeat,
  Switch,
  Call,
  Block,
  Exchange,
  StreamCopy,
  Sync,
  WriteUndef
};

// Kinds that do not say are leaves, are shown as Other and do not meet the host.
template <class Kind> constexpr Flow flowOf() {
  if constexpr (requires { Kind::flow; })
    return Kind::flow;
  return Flow::Leaf;
}
template <class Kind> constexpr Shown shownOf() {
  if constexpr (requires { Kind::shown; })
    return Kind::shown;
  return Shown::Other;
}
template <class Kind> constexpr bool meetsTheHost() {
  return requires { Kind::meetsTheHost; };
}

enum class Direction { ToDevice, ToHost };

// Whether all of a move's destination is written, or replicas that nobody sends to keep theirs.
enum class Arrives { Everywhere, Perhaps };

// Looks at nothing; a visitor takes over the members that it wants to see.
struct Nothing {
  void part(const auto &) {}
  void reads(const auto &) {}
  void writes(const auto &) {}
  void changes(const auto &) {} // reads and writes
  void forgets(const auto &) {} // contents are undefined afterwards
  void names(const auto &) {}   // neither read nor written here
  void moves(const auto &, Arrives = Arrives::Everywhere) {}
  void computeSet(const auto &) {}
  void function(const auto &) {}
  void hostFunction(const auto &) {}
  void stream(const auto &) {}
  void remoteBuffer(const auto &) {}
  void replica(const auto &) {}
  void tile(const auto &) {}
  void number(const auto &) {}
  void flag(const auto &) {}
  void text(const auto &) {}
  void length(const auto &) {}  // of a list whose elements follow
  void present(const auto &) {} // of an optional whose value follows, if it has one
};

// A visitor that treats all views alike, whatever a step does with them: Self::view sees them.
template <class Self> struct AllViews : Nothing {
  void reads(auto &x) { self().view(x); }
  void writes(auto &x) { self().view(x); }
  void changes(auto &x) { self().view(x); }
  void forgets(auto &x) { self().view(x); }
  void names(auto &x) { self().view(x); }

private:
  Self &self() { return static_cast<Self &>(*this); }
};
// ... and all numbers alike: Self::any.
template <class Self> struct AllMembers : AllViews<Self> {
  void computeSet(auto &x) { self().any(x); }
  void function(auto &x) { self().any(x); }
  void hostFunction(auto &x) { self().any(x); }
  void stream(auto &x) { self().any(x); }
  void remoteBuffer(auto &x) { self().any(x); }
  void replica(auto &x) { self().any(x); }
  void tile(auto &x) { self().any(x); }
  void number(auto &x) { self().any(x); }
  void flag(auto &x) { self().any(x); }

private:
  Self &self() { return static_cast<Self &>(*this); }
};

template <class V, class List, class Each> void list(V &v, List &list, Each each) {
  v.length(list);
  for (auto &item : list)
    each(item);
}
template <class V, class Optional, class Each> void maybe(V &v, Optional &value, Each each) {
  v.present(value);
  if (value)
    each(*value);
}

} // namespace poplar::executable::steps
