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

void put(Hasher &h, const TensorLocation &l) {
  h.text(base::str(int(l.storage), ' ', int(l.loadTileSet), ' ', int(l.storageTileSet), ' ',
                   int(l.replicatedTensorSharding), ' ', l.shardingDomain));
}
void put(Hasher &h, const TensorLocationSettings &s) {
  put(h, s.location);
  put(h, s.minElementsForOffChip);
  put(h, s.minElementsForReplicatedTensorSharding);
}
void put(Hasher &h, const ExecutionPhaseSettings &s) { // the rest is without effect
  put(h, s.phases);
  put(h, s.stages);
}
void put(Hasher &h, const AutodiffSettings &s) { put(h, s.stitchStrategy); }

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

void put(Hasher &h, const AutomaticLossScalingSettings &s) {
  put(h, s.enabled);
  put(h, s.binEdgeLocation);
  put(h, s.thresholdUpperCountProportion);
  put(h, s.updatePeriod);
  put(h, s.toTrackTensors.has_value());
  if (s.toTrackTensors)
    put(h, *s.toTrackTensors);
  put(h, s.gradientTensorTrackingMethod);
}

template <bool wanted, class T> void putIf(Hasher &h, const T &value) {
  if constexpr (wanted)
    put(h, value);
}

template <option::Key key> void add(Hasher &h, const SessionOptions &o) {
#define OPTION(member, in, use, text) putIf<option::Key::in == key>(h, o.member);
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
