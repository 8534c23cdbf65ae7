// SPDX-License-Identifier: MIT
#include "session/format.hpp"

#include "base/Bytes.hpp"
#include "base/Text.hpp"
#include "session/convert.hpp"
#include <algorithm>
#include <bit>
#include <istream>
#include <ostream>
#include <popart/error.hpp>
#include <poplar/exceptions.hpp>

namespace popart::session {

namespace {

constexpr std::uint64_t version = 8;
constexpr std::size_t headerBytes =
    8 + 3 * 8; // magic, version, length and checksum of the metadata

using lowering::AnchorSpec;
using lowering::HostTensorSpec;
using lowering::HyperParameterSpec;
using lowering::InputSpec;
using lowering::Interface;
using lowering::WeightSpec;

constexpr std::int64_t most = std::int64_t(1) << 40; // of any number: elements, batches

[[noreturn]] void damagedFile() { throw error("the file is damaged"); }

// Every number has 64 bits, whatever it counts.
class ByteWriter : public base::ByteWriter {
public:
  void number(std::uint64_t value) { base::ByteWriter::number(value); }
  template <class T, class Each> void list(const std::vector<T> &items, Each each) {
    base::ByteWriter::list<std::uint64_t>(items, each);
  }
};
class ByteReader : public base::ByteReader {
public:
  using base::ByteReader::ByteReader;

  std::uint64_t number() { return base::ByteReader::number<std::uint64_t>(); }
  // A number of [low, high].
  std::int64_t number(std::int64_t low, std::int64_t high) {
    const auto value = static_cast<std::int64_t>(number());
    if (value < low || value > high)
      damagedFile();
    return value;
  }
  bool flag() { return number(0, 1) != 0; }
  template <class Each> void list(Each each) {
    for (auto n = count<std::uint64_t>(1); n > 0; --n)
      each();
  }

private:
  void damaged(const std::string &) const override { damagedFile(); }
};

void put(ByteWriter &out, const TensorInfo &info) {
  out.number(static_cast<std::uint64_t>(info.dataType()));
  out.list(info.shape(), [&](auto d) { out.number(static_cast<std::uint64_t>(d)); });
}
TensorInfo getInfo(ByteReader &in) {
  const auto type = static_cast<DataType>(in.number(0, static_cast<int>(DataType::UNDEFINED) - 1));
  Shape shape;
  std::int64_t elements = 1;
  in.list([&] {
    shape.push_back(in.number(0, most));
    if (shape.back() && elements > most / shape.back())
      damagedFile();
    elements *= shape.back();
  });
  return TensorInfo(type, shape);
}

void put(ByteWriter &out, const HostTensorSpec &spec) {
  out.text(spec.id);
  put(out, spec.info);
  out.text(spec.toDevice);
  out.text(spec.toHost);
}
HostTensorSpec getSpec(ByteReader &in) {
  HostTensorSpec spec;
  spec.id = in.text();
  spec.info = getInfo(in);
  spec.toDevice = in.text();
  spec.toHost = in.text();
  return spec;
}

void put(ByteWriter &out, const WeightSpec &spec) {
  put(out, static_cast<const HostTensorSpec &>(spec));
  out.number(static_cast<std::uint64_t>(spec.groups));
  out.list(spec.groupOf, [&](auto g) { out.number(static_cast<std::uint64_t>(g)); });
  out.number(static_cast<std::uint64_t>(spec.role));
  out.text(spec.slot);
  out.text(spec.weight);
  out.number(spec.returnsAll);
  out.number(spec.remote);
  out.number(static_cast<std::uint64_t>(spec.shardElements));
  out.list(spec.shardOf, [&](auto s) { out.number(static_cast<std::uint64_t>(s)); });
}

constexpr TensorId ir::FoldedNorm::*normIds[] = {
    &ir::FoldedNorm::weights, &ir::FoldedNorm::bias,    &ir::FoldedNorm::ofWeights,
    &ir::FoldedNorm::ofBias,  &ir::FoldedNorm::scale,   &ir::FoldedNorm::shift,
    &ir::FoldedNorm::mean,    &ir::FoldedNorm::variance};
void put(ByteWriter &out, const ir::FoldedNorm &norm) {
  for (const auto id : normIds)
    out.text(norm.*id);
  out.number(std::bit_cast<std::uint64_t>(norm.epsilon));
  out.number(static_cast<std::uint64_t>(norm.groups));
  out.number(static_cast<std::uint64_t>(norm.apart));
}

void put(ByteWriter &out, const Interface &io) {
  out.list(io.inputs, [&](const InputSpec &spec) {
    put(out, static_cast<const HostTensorSpec &>(spec));
    out.number(spec.broadcast);
  });
  out.list(io.anchors, [&](const AnchorSpec &spec) {
    put(out, static_cast<const HostTensorSpec &>(spec));
    out.number(static_cast<std::uint64_t>(spec.kind));
    out.number(static_cast<std::uint64_t>(spec.buffersPerStep));
    out.list(spec.outer, [&](auto d) { out.number(static_cast<std::uint64_t>(d)); });
    out.number(spec.forward);
  });
  for (const auto *specs : {&io.weights, &io.made})
    out.list(*specs, [&](const WeightSpec &spec) { put(out, spec); });
  out.list(io.norms, [&](const ir::FoldedNorm &norm) { put(out, norm); });
  out.list(io.held, [&](const HostTensorSpec &spec) { put(out, spec); });
  out.list(io.hyperParameters, [&](const HyperParameterSpec &spec) {
    put(out, static_cast<const HostTensorSpec &>(spec));
    out.text(spec.slot);
    out.text(spec.weight);
  });
  out.list(io.cycleCounters, [&](const std::string &id) { out.text(id); });
  out.number(io.random);
  out.number(static_cast<std::uint64_t>(io.rngWords));
  out.number(io.startsUp);
  for (auto n : {io.batchesPerStep, io.accumulationFactor, io.replicas})
    out.number(static_cast<std::uint64_t>(n));
}

AnchorSpec getAnchor(ByteReader &in) {
  AnchorSpec spec;
  static_cast<HostTensorSpec &>(spec) = getSpec(in);
  spec.kind = static_cast<AnchorReturnTypeId>(in.number(0, 3));
  spec.buffersPerStep = in.number(1, most);
  in.list([&] { spec.outer.push_back(in.number(0, most)); });
  spec.forward = in.flag();
  return spec;
}
WeightSpec getWeight(ByteReader &in) {
  WeightSpec spec;
  static_cast<HostTensorSpec &>(spec) = getSpec(in);
  spec.groups = in.number(1, most);
  in.list([&] { spec.groupOf.push_back(in.number(0, spec.groups - 1)); });
  spec.role = static_cast<ir::Role>(in.number(0, static_cast<int>(ir::Role::Accumulator)));
  spec.slot = in.text();
  spec.weight = in.text();
  spec.returnsAll = in.flag();
  spec.remote = in.flag();
  spec.shardElements = in.number(0, most);
  in.list([&] { spec.shardOf.push_back(in.number(0, most)); });
  return spec;
}
ir::FoldedNorm getNorm(ByteReader &in) {
  ir::FoldedNorm norm;
  for (const auto id : normIds)
    norm.*id = in.text();
  norm.epsilon = std::bit_cast<double>(in.number());
  norm.groups = in.number(1, most);
  norm.apart = in.number(1, most);
  return norm;
}
// Whether what it is made of, and what is made, is there and of sizes that belong together.
bool belongTogether(const ir::FoldedNorm &norm, const Interface &io) {
  const auto elements = [](const std::vector<WeightSpec> &specs, const TensorId &id) {
    const auto it = std::find_if(specs.begin(), specs.end(),
                                 [&](const WeightSpec &spec) { return spec.id == id; });
    return it == specs.end() || it->groups > 1 ? -1 : it->info.nelms();
  };
  const auto channels = elements(io.made, norm.bias), all = elements(io.made, norm.weights);
  const auto has = [&](const TensorId &id, std::int64_t size) {
    return elements(io.weights, id) == size;
  };
  return channels > 0 && all > 0 && channels % norm.groups == 0 && all % norm.groups == 0 &&
         has(norm.ofWeights, all) && (norm.ofBias.empty() || has(norm.ofBias, channels)) &&
         has(norm.scale, channels) && has(norm.shift, channels) && has(norm.mean, channels) &&
         has(norm.variance, channels);
}
Interface getInterface(ByteReader &in) {
  Interface io;
  in.list([&] {
    InputSpec spec;
    static_cast<HostTensorSpec &>(spec) = getSpec(in);
    spec.broadcast = in.flag();
    io.inputs.push_back(spec);
  });
  in.list([&] { io.anchors.push_back(getAnchor(in)); });
  for (auto *specs : {&io.weights, &io.made})
    in.list([&] { specs->push_back(getWeight(in)); });
  in.list([&] { io.norms.push_back(getNorm(in)); });
  in.list([&] { io.held.push_back(getSpec(in)); });
  in.list([&] {
    auto &spec = io.hyperParameters.emplace_back();
    static_cast<HostTensorSpec &>(spec) = getSpec(in);
    spec.slot = in.text();
    spec.weight = in.text();
  });
  in.list([&] { io.cycleCounters.emplace_back(in.text()); });
  io.random = in.flag();
  io.rngWords = in.number(0, most);
  io.startsUp = in.flag();
  for (auto *n : {&io.batchesPerStep, &io.accumulationFactor, &io.replicas})
    *n = in.number(1, most);
  // Groups and shards are those of the replicas there are.
  const auto fits = [&](const std::vector<std::int64_t> &byReplica) {
    return byReplica.empty() || std::int64_t(byReplica.size()) == io.replicas;
  };
  for (const auto &spec : io.weights)
    if (spec.groups > io.replicas || !fits(spec.groupOf) || !fits(spec.shardOf) ||
        spec.shardOf.empty() != (spec.shardElements == 0) ||
        std::any_of(spec.shardOf.begin(), spec.shardOf.end(),
                    [&](std::int64_t s) { return s >= io.replicas; }))
      damagedFile();
  if (io.made.size() != 2 * io.norms.size() ||
      !std::all_of(io.norms.begin(), io.norms.end(),
                   [&](const ir::FoldedNorm &norm) { return belongTogether(norm, io); }))
    damagedFile();
  return io;
}

void put(ByteWriter &out, const Weights &weights) {
  out.number(weights.size());
  for (const auto &[id, bytes] : weights) {
    out.text(id);
    out.text(bytes.view());
  }
}

Weights getWeights(ByteReader &in) {
  Weights out;
  in.list([&] {
    const auto id = in.text();
    out[id] = HostBytes::copyOf(in.textView());
  });
  return out;
}

void put(ByteWriter &out, const Start &start) {
  out.list(start.inputs, [&](const auto &input) {
    out.text(input.first);
    put(out, input.second);
  });
  put(out, start.first);
  put(out, start.constants);
}
Start getStart(ByteReader &in) {
  Start start;
  in.list([&] {
    const auto id = in.text();
    start.inputs.emplace_back(id, getInfo(in));
  });
  start.first = getWeights(in);
  start.constants = getWeights(in);
  return start;
}

// Constants and first values are those that the interface speaks of.
void checkStart(const Stored &stored) {
  if (!stored.start)
    return;
  if (!stored.interface || stored.start->constants.size() != stored.interface->held.size())
    damagedFile();
  std::map<TensorId, std::size_t> sizes;
  for (const auto &spec : stored.interface->held)
    sizes["c" + spec.id] = deviceBytes(spec.info);
  for (const auto &spec : stored.interface->weights)
    sizes["w" + spec.id] = deviceBytes(spec.info);
  const auto check = [&](const char *kind, const Weights &values) {
    for (const auto &[id, bytes] : values)
      if (auto it = sizes.find(kind + id); it == sizes.end() || it->second != bytes.size())
        damagedFile();
  };
  check("c", stored.start->constants);
  check("w", stored.start->first);
}

// A length that is a lie must not cost memory: piece by piece.
std::string readBytes(std::istream &in, std::uint64_t size) {
  constexpr std::uint64_t piece = 1 << 22;
  std::string out;
  while (out.size() < size) {
    const auto now = static_cast<std::size_t>(std::min(piece, size - out.size()));
    out.resize(out.size() + now);
    in.read(out.data() + out.size() - now, static_cast<std::streamsize>(now));
    if (static_cast<std::size_t>(in.gcount()) != now)
      throw error("the file is truncated");
  }
  return out;
}

} // namespace

std::string encodeMetadata(const ToStore &what) {
  ByteWriter out;
  out.text(what.hash);
  out.number(what.interface != nullptr);
  if (what.interface)
    put(out, *what.interface);
  put(out, what.variables ? *what.variables : Weights());
  out.number(what.start != nullptr);
  if (what.start)
    put(out, *what.start);
  out.number(what.executable != nullptr);
  return out.take();
}

bool decodeMetadata(std::string_view bytes, Stored &into) {
  ByteReader in(bytes);
  into.hash = in.text();
  if (in.flag())
    into.interface = getInterface(in);
  into.variables = getWeights(in);
  if (in.flag())
    into.start = getStart(in);
  checkStart(into);
  const bool executable = in.flag();
  in.expectEnd();
  return executable;
}

void writeStored(std::ostream &out, const ToStore &what) {
  const std::string metadata = encodeMetadata(what);
  ByteWriter header;
  header.number(version);
  header.number(metadata.size());
  header.number(base::hashBytes(metadata.data(), metadata.size()));
  out << fileMark << header.take() << metadata;
  if (what.executable)
    what.executable->serialize(out);
}

Stored readStored(std::istream &in) {
  char start[8] = {};
  in.read(start, sizeof start);
  if (in.gcount() != sizeof start || std::string_view(start, sizeof start) != fileMark)
    throw error("it is no file of a compiled model");
  const std::string numbers = readBytes(in, headerBytes - sizeof start);
  ByteReader header(numbers);
  if (const auto v = header.number(); v != version)
    throw error("the file is of version {}, not {}", v, version);
  const auto size = header.number(), sum = header.number();
  const std::string metadata = readBytes(in, size);
  if (base::hashBytes(metadata.data(), metadata.size()) != sum)
    damagedFile();
  Stored out;
  if (decodeMetadata(metadata, out)) {
    try {
      out.executable = poplar::Executable::deserialize(in);
    } catch (const poplar::poplar_error &e) {
      throw error(base::str("its executable cannot be used: ", e.what()));
    }
  }
  return out;
}

} // namespace popart::session
