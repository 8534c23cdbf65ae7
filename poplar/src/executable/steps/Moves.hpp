// SPDX-License-Identifier: MIT
// Steps that move data: on the device, to and from the host, between replicas.
#pragma once
#include "executable/steps/Describe.hpp"

namespace poplar::executable::steps {

template <class Form> struct Copy {
  static constexpr Shown shown = Shown::Exchange;
  typename Form::Moves data{};
  bool passesArgument = false; // to outlined code: the host works on the tensors themselves

  static void describe(auto &self, auto &v) {
    v.moves(self.data);
    v.flag(self.passesArgument);
  }
  bool operator==(const Copy &) const = default;
};

template <class Form, Direction way> struct StreamCopy {
  static constexpr Direction direction = way;
  static constexpr Shown shown = Shown::StreamCopy;
  static constexpr bool meetsTheHost = true;
  typename Form::Handle stream{};
  typename Form::Moves data{};

  static void describe(auto &self, auto &v) {
    v.stream(self.stream);
    v.moves(self.data);
  }
  bool operator==(const StreamCopy &) const = default;
};
template <class Form> using HostToDevice = StreamCopy<Form, Direction::ToDevice>;
template <class Form> using DeviceToHost = StreamCopy<Form, Direction::ToHost>;

template <class Form, Direction way> struct RemoteCopy {
  static constexpr Direction direction = way;
  static constexpr Shown shown = Shown::StreamCopy;
  static constexpr bool meetsTheHost = true;
  typename Form::Handle buffer{};
  typename Form::Moves data{};
  std::optional<typename Form::Tensor> slots{}; // the first, if it is not there

  static void describe(auto &self, auto &v) {
    v.remoteBuffer(self.buffer);
    v.moves(self.data);
    maybe(v, self.slots, [&](auto &tensor) { v.reads(tensor); });
  }
  bool operator==(const RemoteCopy &) const = default;
};
template <class Form> using RemoteToDevice = RemoteCopy<Form, Direction::ToDevice>;
template <class Form> using DeviceToRemote = RemoteCopy<Form, Direction::ToHost>;

struct ReplicaPair {
  std::uint32_t from = 0, to = 0;
  bool operator==(const ReplicaPair &) const = default;
};
template <class Form> struct CrossReplicaCopy {
  static constexpr Shown shown = Shown::Exchange;
  typename Form::Moves data{}; // within the memory of one replica
  std::vector<ReplicaPair> pairs{};

  static void describe(auto &self, auto &v) {
    v.moves(self.data, Arrives::Perhaps);
    list(v, self.pairs, [&](auto &pair) {
      v.replica(pair.from);
      v.replica(pair.to);
    });
  }
  bool operator==(const CrossReplicaCopy &) const = default;
};

} // namespace poplar::executable::steps
