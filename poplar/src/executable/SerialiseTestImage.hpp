// SPDX-License-Identifier: MIT
// For tests and fuzzers: a small valid image in which every table has rows and every kind of step
// occurs, and a text of all that an image holds. The text takes each struct apart by structured
// binding, so a member that is added to Image.hpp stops it from compiling until the member is
// written here, and in the file.
#pragma once
#include "device/TargetData.hpp"
#include "executable/Fields.hpp"
#include "executable/Image.hpp"
#include <memory>
#include <sstream>
#include <string>

namespace poplar::executable::test {

// ---- an image ---------------------------------------------------------------------------------

inline codelet::Field field(std::string name, codelet::FieldDirection direction,
                            codelet::FieldShape shape, TypeId type, std::uint32_t offset,
                            std::uint32_t bytes) {
  codelet::Field out;
  out.name = std::move(name);
  out.direction = direction;
  out.shape = shape;
  out.type = type;
  out.hostOffset = offset;
  out.hostSize = bytes;
  out.deviceBytes = 4;
  if (shape != codelet::FieldShape::Scalar)
    out.layout = VectorLayout::SPAN;
  if (shape == codelet::FieldShape::VectorOfVectors) {
    out.innerLayout = VectorLayout::SPAN;
    out.hostInnerStride = 16;
    out.deviceInnerBytes = 8;
  }
  return out;
}

inline std::shared_ptr<const codelet::Module> testModule() {
  using codelet::FieldDirection, codelet::FieldShape;
  codelet::VertexType type;
  type.name = "ns::Scale<float>";
  type.hostSize = 56;
  type.hostAlign = 8;
  type.deviceBytes = 16;
  type.codeBytes = 64;
  type.fields = {
      field("in", FieldDirection::Input, FieldShape::Vector, TypeId::Float, 0, 16),
      field("out", FieldDirection::Output, FieldShape::Scalar, TypeId::Float, 16, 8),
      field("rows", FieldDirection::InOut, FieldShape::VectorOfVectors, TypeId::Float, 24, 16),
      field("factor", FieldDirection::Plain, FieldShape::Scalar, TypeId::Int, 40, 4),
      field("unused", FieldDirection::Plain, FieldShape::Scalar, TypeId::Float, 44, 4)};
  codelet::Module module;
  module.contentHash = "0123456789abcdef";
  module.sourceName = "scale.cpp";
  module.flags = "-O3";
  module.machine = "x86-64";
  module.types.push_back(type);
  module.image = "not really a shared object";
  module.countedImage = "nor this";
  module.preprocessedSource = "class Scale {};";
  return std::make_shared<const codelet::Module>(module);
}

inline tensor::View wholeView(std::uint32_t var, TypeId type, tensor::Shape shape) {
  tensor::View view;
  view.type = type;
  view.shape = shape;
  tensor::Piece piece;
  piece.var = tensor::VarId(var);
  std::int64_t stride = 1;
  for (std::size_t d = shape.size(); d-- > 0; stride *= std::int64_t(shape[d])) {
    piece.box.insert(piece.box.begin(), {0, shape[d]});
    if (shape[d] > 1)
      piece.loops.insert(piece.loops.begin(), {shape[d], stride, unsigned(d)});
  }
  view.pieces.push_back(piece);
  return view;
}

inline Variable variable(std::string name, TypeId type, tensor::Shape shape, std::uint64_t elements,
                         std::uint64_t offset) {
  Variable out{};
  out.name = std::move(name);
  out.type = type;
  out.shape = std::move(shape);
  out.elements = elements;
  out.arenaOffset = offset;
  out.mapping = {{0, 1, 2}, {1, elements, 0}};
  if (elements == 1)
    out.mapping = {{0, 1, 3}};
  return out;
}

inline void addVertices(Image &image) {
  image.modules = {testModule()};
  image.vertexTypes = {{0, 0}};
  image.runs = {{0, 11, 6, -2}, {0, 0, 2, 3}, {1, 0, 1, 1}, {0, 0, 3, 1}, {0, 3, 3, 1}};
  image.edges = {{0, 2, 8}, {2, 1, 1}, {3, 1, 3}, {4, 1, 3}};
  image.values.assign("\x07\x00\x00\x00", 4);
  image.slots = {{SlotKind::Edges, 0, 1},
                 {SlotKind::Edges, 1, 1},
                 {SlotKind::Edges, 2, 2},
                 {SlotKind::Value, 0, 1},
                 {SlotKind::Unset, 0, 0}};
  image.vertices = {{0, 1, 3, 0, noEstimate, 0}, {0, 0, 1, 0, 77, 5}};
  image.computeSets = {{"first", {1}}, {"second", {0}}};
}

inline void addHostSide(Image &image) {
  image.streams = {{"in", TypeId::Float, 12, true, false, 3},
                   {"out", TypeId::Float, 12, false, true, 1}};
  image.remoteBuffers = {{"remote", TypeId::Float, 12, 4}};
  image.hostFunctions = {{"square", {{TypeId::Float, 12}}, {{TypeId::Float, 1}}}};
  Move down{0, none, 0, 0, 4, {{12, 1, 1}}}, up{none, 0, 11, 0, 4, {{12, -1, 1}}};
  image.hostReads = {{"read", TypeId::Float, 12, {down}, wholeView(0, TypeId::Float, {3, 4})}};
  image.hostWrites = {{"write", TypeId::Float, 12, {up}, wholeView(0, TypeId::Float, {12})}};
}

template <class Kind> Step makeStep(Kind kind) {
  Step out;
  out.kind = std::move(kind);
  out.name = "at/step" + std::to_string(out.kind.index());
  out.debugId = 100 + out.kind.index();
  return out;
}

inline void addLeafSteps(Image &image) {
  auto add = [&](auto kind) { image.steps.push_back(makeStep(std::move(kind))); };
  auto matrix = wholeView(0, TypeId::Float, {3, 4}), scalar = wholeView(1, TypeId::Float, {});
  auto flag = wholeView(2, TypeId::Bool, {}), words = wholeView(3, TypeId::UnsignedInt, {2});
  auto word = wholeView(4, TypeId::UnsignedInt, {1});
  Move copy{0, 0, 0, 11, 4, {{2, 4, -4}, {2, 1, -1}}}, up{none, 0, 0, 0, 4, {{12, 1, 1}}},
      down{0, none, 0, 0, 4, {{12, 1, 1}}};
  add(step::Execute{1, flag});
  auto &execute = image.steps.back();
  execute.cost.phases = {{PhaseKind::Exchange,
                          "exchange-in",
                          40,
                          64,
                          2,
                          {{1, 40, 0, 32, 0}, {3, 8, 0, 0, 32, 1, 0, 70}}},
                         {PhaseKind::Compute,
                          "second",
                          90,
                          0,
                          0,
                          {{2, 80, 480, 0, 0, 1, 6}, {3, 90, 500, 0, 0, 1, 6, 0, 1}},
                          "ns::Scale<float>",
                          96,
                          0,
                          {"ns::Scale<half>"}}};
  execute.cost.measured = false;
  add(step::Copy{{copy}, true});
  add(step::HostToDevice{0, {up}});
  add(step::DeviceToHost{1, {down}});
  add(step::RemoteToDevice{0, {up}, word});
  add(step::DeviceToRemote{0, {down}});
  add(step::HostCall{0, {matrix}, {scalar}});
  add(step::Sync{SyncType::GLOBAL});
  add(step::WriteUndef{matrix});
  add(step::Print{matrix, "title", {10, 4, 60, 3, 2, ';', '<', '>'}});
  add(step::Error{matrix, "wrong"});
  add(step::Abort{flag, "stop"});
  add(step::CrossReplicaCopy{{copy}, {{0, 1}, {1, 0}}});
  add(step::AssumeEqual{matrix});
  auto quarters = wholeView(5, TypeId::Quarter, {4});
  quarters.metadata =
      std::make_shared<const tensor::View>(wholeView(6, TypeId::QuarterMetadata, {}));
  step::Kernel kernel;
  kernel.name = "sum";
  kernel.attributes = std::string("a\0b", 3);
  kernel.outputs = {{scalar, true}};
  kernel.inputs = {quarters};
  add(kernel);
  add(step::CycleStamp{words, words, 3});
  add(step::SetFloatingPoint{"11101", word, word});
  add(step::GetSeeds{words});
  add(step::SetSeeds{words});
}

inline void addControlSteps(Image &image) {
  auto leaves = std::uint32_t(image.steps.size());
  auto flag = wholeView(2, TypeId::Bool, {}), number = wholeView(1, TypeId::Float, {});
  auto add = [&](auto kind) { image.steps.push_back(makeStep(std::move(kind))); };
  auto last = [&] { return std::uint32_t(image.steps.size() - 1); };
  add(step::Repeat{std::uint64_t(1) << 40, 0});
  add(step::RepeatWhile{0, flag, false, 1});
  add(step::If{flag, 2, 3});
  add(step::Switch{number, {{-5, 0}, {7, 1}}, 2, true});
  add(step::Block{4});
  image.functions = {last()};
  add(step::Call{0});
  std::vector<std::uint32_t> all;
  for (std::uint32_t i = 0; i < image.steps.size(); ++i)
    if (i < leaves || i + 5 >= image.steps.size())
      all.push_back(i);
  add(step::Sequence{all, true, 7, {flag, number}});
  image.programs = {last(), 0};
}

inline void addMemory(Image &image) {
  for (unsigned tile = 0; tile < 4; ++tile) {
    auto &memory = image.memory.tiles[tile];
    for (unsigned c = 0; c < numMemoryCategories; ++c)
      memory.category[c] = 100 * tile + c;
    memory.alwaysLive = 1000 + tile;
    memory.peakNotAlwaysLive = 50 + tile;
    memory.gaps = tile;
  }
  image.memory.tiles[2].peakStep = 1;
  image.memory.steps = {{0, 48}, {1, 4}, {2, 0}};
  image.memory.spans = {{0, 0, 1}, {1, 1, 1}, {3, 0, 1}};
  image.memory.vertexBytesByType = {{"ns::Scale<float>", 32}};
  image.memory.outOfMemory = true;
  image.memory.outOfMemoryText = "tile 2 needs more";
}

// Two replicas of one IPU with four tiles.
inline Image emptyImage() {
  device::TargetData target;
  target.system = arch::systemOf(arch::chipByName("ipu2"), 2, 4);
  target.systemName = "four tiles";
  Image image;
  image.target = device::describe(target);
  image.replicationFactor = 2;
  image.memory.tiles.resize(4);
  return image;
}

inline Image testImage() {
  auto image = emptyImage();
  image.options = {{"debug.allowOutOfMemory", "true"}, {"target.workerStackSizeInBytes", "200"}};
  image.variables = {variable("matrix", TypeId::Float, {3, 4}, 12, 0),
                     variable("scalar", TypeId::Float, {}, 1, 64),
                     variable("flag", TypeId::Bool, {}, 1, 128),
                     variable("words", TypeId::UnsignedInt, {2}, 2, 192),
                     variable("replica", TypeId::UnsignedInt, {}, 1, 256),
                     variable("quarters", TypeId::Quarter, {4}, 4, 320),
                     variable("metadata \xff", TypeId::QuarterMetadata, {1}, 1, 384)};
  image.variables[1].kind = VariableKind::Constant;
  image.variables[1].initial = {{0, std::string("\0\0\x80\x3f", 4)}};
  image.variables[0].initial = {{1, "abcdefgh"}, {3, "ijkl"}};
  image.variables[0].alwaysLive = false;
  image.variables[4].kind = VariableKind::ReplicationIndex;
  image.arenaBytes = 448;
  addVertices(image);
  addHostSide(image);
  addLeafSteps(image);
  addControlSteps(image);
  addMemory(image);
  return image;
}

// ---- its text ---------------------------------------------------------------------------------

template <class T>
concept Text = requires(std::ostream &out, const T &value) {
  out << value;
};

class Dump {
public:
  template <Text T> void operator()(const T &value) { out_ << value << ' '; }
  template <class T>
  requires std::is_enum_v<T>
  void operator()(const T &value) { out_ << int(value) << ' '; }
  template <class T> void operator()(const std::vector<T> &list) {
    out_ << list.size() << "[";
    for (const auto &item : list)
      (*this)(item);
    out_ << "]\n";
  }
  template <class T> void operator()(const SharedList<T> &list) { (*this)(list.list()); }
  template <class K, class V> void operator()(const std::map<K, V> &map) {
    for (const auto &item : map)
      (*this)(item);
  }
  template <class A, class B> void operator()(const std::pair<A, B> &pair) {
    all(pair.first, pair.second);
  }
  void operator()(const std::string &text) { out_ << text.size() << ':' << text << ' '; }
  void operator()(std::uint8_t value) { out_ << unsigned(value) << ' '; }
  void operator()(const MappedRange &x) {
    auto &[a, b, c] = x;
    all(a, b, c);
  }
  void operator()(const InitialValue &x) {
    auto &[a, b] = x;
    all(a, b);
  }
  void operator()(const Variable &x) {
    auto &[a, b, c, d, e, f, g, h, i] = x;
    all(a, b, c, d, e, f, g, h, i);
  }
  void operator()(const MoveLoop &x) {
    auto &[a, b, c] = x;
    all(a, b, c);
  }
  void operator()(const Move &x) {
    auto &[a, b, c, d, e, f] = x;
    all(a, b, c, d, e, f);
  }
  void operator()(const Run &x) {
    auto &[a, b, c, d] = x;
    all(a, b, c, d);
  }
  void operator()(const Edge &x) {
    auto &[a, b, c] = x;
    all(a, b, c);
  }
  void operator()(const Slot &x) {
    auto &[a, b, c] = x;
    all(a, b, c);
  }
  void operator()(const Vertex &x) {
    auto &[a, b, c, d, e, f] = x;
    all(a, b, c, d, e, f);
  }
  void operator()(const VertexTypeRef &x) {
    auto &[a, b] = x;
    all(a, b);
  }
  void operator()(const ComputeSet &x) {
    auto &[a, b, inPlace] = x; // only passes ask for it
    (void)inPlace;
    all(a, b);
  }
  void operator()(const TileShare &x) {
    auto &[a, b, c, d, e, f, g, h, i] = x;
    all(a, b, c, d, e, f, g, h, i);
  }
  void operator()(const Phase &x) {
    auto &[a, b, c, d, e, f, g, h, superstep, i] = x; // only passes ask for it
    (void)superstep;
    all(a, b, c, d, e, f, g, h, i);
  }
  void operator()(const Cost &x) {
    auto &[a, b] = x;
    all(a, b);
  }
  void operator()(const Fields &x) {
    auto &[a, b, c, d, e] = x;
    all(a, b, c, d, e);
  }
  void operator()(const Step &x) {
    auto &[a, b, kind, c] = x;
    all(a, b, kind.index(), fieldsOf(x), c);
  }
  void operator()(const Stream &x) {
    auto &[a, b, c, d, e, f] = x;
    all(a, b, c, d, e, f);
  }
  void operator()(const RemoteBuffer &x) {
    auto &[a, b, c, d] = x;
    all(a, b, c, d);
  }
  void operator()(const HostFunction &x) {
    auto &[a, b, c] = x;
    all(a, b, c);
  }
  void operator()(const HostAccess &x) {
    auto &[a, b, c, d, e] = x;
    all(a, b, c, d, e);
  }
  void operator()(const LivenessStep &x) {
    auto &[a, b, early, late] = x; // only passes ask for the last two
    (void)early, (void)late;
    all(a, b);
  }
  void operator()(const LiveSpan &x) {
    auto &[a, b, c] = x;
    all(a, b, c);
  }
  void operator()(const TileMemory &x) {
    auto &[a, b, c, d, e] = x;
    all(std::vector<std::uint64_t>(std::begin(a), std::end(a)), b, c, d, e);
  }
  void operator()(const MemoryReport &x) {
    auto &[a, b, c, d, e, f] = x;
    all(a, b, c, d, e, f);
  }
  void operator()(const tensor::Range &x) {
    auto &[a, b] = x;
    all(a, b);
  }
  void operator()(const tensor::Loop &x) {
    auto &[a, b, c] = x;
    all(a, b, c);
  }
  void operator()(const tensor::Piece &x) {
    auto &[a, b, c, d] = x;
    all(a, b, c, d);
  }
  void operator()(const tensor::View &x) {
    auto &[graph, a, b, c, metadata] = x;
    all(a, b, c, metadata != nullptr);
    if (metadata)
      (*this)(*metadata);
  }
  void operator()(const std::shared_ptr<const codelet::Module> &x) {
    (*this)(codelet::serialise(*x));
  }
  void operator()(const Image &x) {
    auto &[a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = x;
    all(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v);
  }
  std::string text() const { return out_.str(); }

private:
  template <class... T> void all(const T &...items) { ((*this)(items), ...); }
  std::ostringstream out_;
};

inline std::string dump(const Image &image) {
  Dump out;
  out(image);
  return out.text();
}

} // namespace poplar::executable::test
