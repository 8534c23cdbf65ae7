// SPDX-License-Identifier: MIT
#include "executable/PhaseType.hpp"

namespace poplar::executable {

using steps::Shown;
using Type = pva::Program::Type;

Type typeOf(Shown shown) {
  switch (shown) {
  case Shown::Sequence:
    return Type::Sequence;
  case Shown::Repeat:
    return Type::Repeat;
  case Shown::Switch:
    return Type::Switch;
  case Shown::Call:
    return Type::Call;
  case Shown::Block:
    return Type::Block;
  case Shown::Exchange:
    return Type::DoExchange;
  case Shown::StreamCopy:
    return Type::StreamCopyMid;
  case Shown::Sync:
    return Type::Sync;
  case Shown::WriteUndef:
    return Type::WriteUndef;
  case Shown::Other:
    break;
  }
  return Type::Unknown;
}

// A stream copy begins with the sync before its host exchange and ends with what follows it: a
// sync, or the exchange that takes the data to their tiles.
Type typeOf(const Step &step, const std::vector<Phase> &phases, std::size_t i) {
  const Shown shown = shownOf(step);
  auto isHost = [&](std::size_t k) {
    return k < phases.size() && phases[k].kind == PhaseKind::HostExchange;
  };
  switch (phases[i].kind) {
  case PhaseKind::Compute:
    return Type::OnTileExecute;
  case PhaseKind::Exchange:
    return shown == Shown::StreamCopy && i > 0 && isHost(i - 1) ? Type::StreamCopyEnd
                                                                : Type::DoExchange;
  case PhaseKind::GlobalExchange:
    return Type::GlobalExchange;
  case PhaseKind::HostExchange:
    return Type::StreamCopyMid;
  case PhaseKind::Sync:
    if (isHost(i + 1) || (shown == Shown::Sync && step.name == waitForFirstData))
      return Type::StreamCopyBegin;
    return i > 0 && isHost(i - 1) ? Type::StreamCopyEnd : Type::Sync;
  case PhaseKind::Control:
    break;
  }
  return typeOf(shown);
}

} // namespace poplar::executable
