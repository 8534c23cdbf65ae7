// SPDX-License-Identifier: MIT
// One step of a compiled program: what is common to all, and one of the kinds in steps/.
#pragma once
#include "executable/Cost.hpp"
#include "executable/steps/Control.hpp"
#include "executable/steps/Device.hpp"
#include "executable/steps/Messages.hpp"
#include "executable/steps/Moves.hpp"
#include "executable/steps/Work.hpp"
#include "tensor/View.hpp"
#include <iterator>
#include <variant>

namespace poplar::executable {
namespace steps {

// The order is that of the numbers in files.
template <class Form>
using Kind =
    std::variant<Sequence<Form>, Execute<Form>, Copy<Form>, HostToDevice<Form>, DeviceToHost<Form>,
                 RemoteToDevice<Form>, DeviceToRemote<Form>, Repeat<Form>, RepeatWhile<Form>,
                 If<Form>, Switch<Form>, Call<Form>, HostCall<Form>, Sync<Form>, WriteUndef<Form>,
                 Print<Form>, Error<Form>, Abort<Form>, CrossReplicaCopy<Form>, AssumeEqual<Form>,
                 Block<Form>, Kernel<Form>, CycleStamp<Form>, SetFloatingPoint<Form>,
                 GetSeeds<Form>, SetSeeds<Form>>;
// What texts call them.
constexpr const char *kindNames[] = {"Sequence",
                                     "Execute",
                                     "Copy",
                                     "HostToDevice",
                                     "DeviceToHost",
                                     "RemoteToDevice",
                                     "DeviceToRemote",
                                     "Repeat",
                                     "RepeatWhile",
                                     "If",
                                     "Switch",
                                     "Call",
                                     "HostCall",
                                     "Sync",
                                     "WriteUndef",
                                     "Print",
                                     "Error",
                                     "Abort",
                                     "CrossReplicaCopy",
                                     "AssumeEqual",
                                     "Block",
                                     "Kernel",
                                     "CycleStamp",
                                     "SetFloatingPoint",
                                     "GetSeeds",
                                     "SetSeeds"};

struct Flat {
  using Tensor = tensor::View;  // View::graph is null here; VarIds index Image::variables
  using Part = std::uint32_t;   // index in Image::steps
  using Handle = std::uint32_t; // index in Image::streams or Image::remoteBuffers
  using Moves = std::vector<Move>;
};

} // namespace steps

struct Step {
  std::string name; // debug path
  std::uint64_t debugId = 0;
  steps::Kind<steps::Flat> kind;
  Cost cost; // leaf steps only; filled by exchange and timing
};

static_assert(std::size(steps::kindNames) == std::variant_size_v<decltype(Step::kind)>);
inline const char *kindName(const Step &step) { return steps::kindNames[step.kind.index()]; }

// The kinds in this form.
namespace step {
using Sequence = steps::Sequence<steps::Flat>;
using Execute = steps::Execute<steps::Flat>;
using Copy = steps::Copy<steps::Flat>;
using HostToDevice = steps::HostToDevice<steps::Flat>;
using DeviceToHost = steps::DeviceToHost<steps::Flat>;
using RemoteToDevice = steps::RemoteToDevice<steps::Flat>;
using DeviceToRemote = steps::DeviceToRemote<steps::Flat>;
using Repeat = steps::Repeat<steps::Flat>;
using RepeatWhile = steps::RepeatWhile<steps::Flat>;
using If = steps::If<steps::Flat>;
using Switch = steps::Switch<steps::Flat>;
using Call = steps::Call<steps::Flat>;
using HostCall = steps::HostCall<steps::Flat>;
using Sync = steps::Sync<steps::Flat>;
using WriteUndef = steps::WriteUndef<steps::Flat>;
using Print = steps::Print<steps::Flat>;
using Error = steps::Error<steps::Flat>;
using Abort = steps::Abort<steps::Flat>;
using CrossReplicaCopy = steps::CrossReplicaCopy<steps::Flat>;
using AssumeEqual = steps::AssumeEqual<steps::Flat>;
using Block = steps::Block<steps::Flat>;
using Kernel = steps::Kernel<steps::Flat>;
using CycleStamp = steps::CycleStamp<steps::Flat>;
using SetFloatingPoint = steps::SetFloatingPoint<steps::Flat>;
using GetSeeds = steps::GetSeeds<steps::Flat>;
using SetSeeds = steps::SetSeeds<steps::Flat>;
} // namespace step

template <class Kind> bool is(const Step &step) { return std::holds_alternative<Kind>(step.kind); }
// Null if the step is of another kind.
template <class Kind> const Kind *as(const Step &step) { return std::get_if<Kind>(&step.kind); }
template <class Kind> Kind *as(Step &step) { return std::get_if<Kind>(&step.kind); }

// One function for several kinds: `match(step, [](const step::Copy &c) {...}, [](const auto &)
// {})`.
template <class... Cases> struct Overloaded : Cases... { using Cases::operator()...; };
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>; // clang 14 asks for it
template <class Step, class... Cases> decltype(auto) match(Step &step, Cases... cases) {
  return std::visit(Overloaded<Cases...>{cases...}, step.kind);
}

// Shows a visitor (steps/Describe.hpp) all that a step holds.
template <class Step, class Visitor> void describe(Step &step, Visitor &visitor) {
  std::visit([&](auto &kind) { kind.describe(kind, visitor); }, step.kind);
}

steps::Flow flowOf(const Step &step);
steps::Shown shownOf(const Step &step);
bool meetsTheHost(const Step &step);
inline bool isLeaf(const Step &step) { return flowOf(step) == steps::Flow::Leaf; }

// How often a step runs its parts, as far as it is known before.
inline std::uint64_t turnsOf(const Step &step) {
  const auto *repeat = as<step::Repeat>(step);
  return repeat ? repeat->count : 1;
}

std::vector<std::uint32_t> partsOf(const Step &step);        // in order
const std::vector<Move> &movesOf(const Step &step);          // empty for steps without
std::vector<const tensor::View *> viewsOf(const Step &step); // in the order of describe

} // namespace poplar::executable
