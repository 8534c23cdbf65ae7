// SPDX-License-Identifier: MIT
// Call forms that existing programs use and that overload resolution could easily refuse: compiled,
// never run, under both ends of the supported C++ standards.
#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/RandomSeed.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/VertexIntrospector.hpp>

#include <gccs/Algorithm.hpp>

#include <algorithm>
#include <array>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>
#if __cplusplus >= 201703L
#include <optional>
#endif

using namespace std;
using namespace poplar;
using namespace poplar::program;

// ---- namespace scope: options and types in static initialisers ----
const auto POPLAR_OPTS =
    OptionFlags{{"target.saveArchive", "archive.a"}, {"debug.instrument", "true"}};
static const map<string, Type> typeByName = {{"float", FLOAT}, {"half", HALF}};
static const Type defaultType = UNSIGNED_INT;

enum ProgramIndex { WRITE_INPUTS, CUSTOM_PROG, NUM_PROGRAMS };

// ---- utility types ----
static size_t takesShape(ArrayRef<size_t> shape) { return shape.size(); }
static size_t takesText(StringRef text) { return text.size(); }

void utilityTypes(StringRef ref) {
  vector<size_t> v{1, 2};
  array<float, 3> a = {{1, 2, 3}};
  ArrayRef<float> fromArray(a), fromList{1, 2, 3}, fromPointer(a.data(), 2);
  gccs::ArrayRef<float> same = fromArray;
  auto copied = same.cloneAsVector();
  ArrayRef<bool> bits{false, true};
  takesShape(v), takesShape({1, 2}), takesShape({}), takesShape({v.size(), v[0]});
  ArrayRef<int *> pointers;
  ArrayRef<const int *> constPointers = pointers;

  string s = ref, t(ref), u = "a" + ref + "b" + s;
  s = ref;
  istringstream in(ref);
  map<string, int> m;
  m.find(ref), m[ref];
  if (ref == "x" || s == ref || ref != s || ref < s)
    cout << ref << ref.cloneAsString();
  takesText("a"), takesText(s), takesText(string("a") + "b"), takesText({});

  vector<Interval> intervals;
  intervals.push_back({v[0], v[1]});
  intervals.emplace_back(0, 4);
  sort(intervals.begin(), intervals.end());
  cout << intervals[0] << (intervals[0] == Interval{0, 1});

  OptionFlags flags{{"a", "b"}};
  flags.set("k", "v"), flags.set(s, ref), flags.set({{"a", "b"}, {"c", "d"}});
  for (auto &kv : flags)
    cout << kv.first << kv.second << flags.at(kv.first);
  if (flags.find("a") != flags.end())
    readJSON(R"({"a":"b"})", flags), readJSON(in, flags), readJSONFromEnv("X", flags);
  ProfileValue p1 = 1, p2 = "text", p3 = s, p4 = 1.5, p5(true), p6 = ProfileValue::Map{{"a", 1u}};
  ProfileValue p7 = ProfileValue::Vector{1, "b", s, size_t(3)}, p8 = getAsProfileValue(flags);
  p1 = p6, p2 = size_t(3), p3 = -1;
  cout << p6["a"].asUint() << p7[0].asInt() << p7[size_t(1)].asString()
       << (p6.getOrNull("z") == nullptr);
  serializeToJSON(cout, p8, false), serializeToJSON(cout, p8), serializeToCBOR(cout, p8);

  static_assert(gccs::ceildiv(7u, 2u) == 4, "");
  static_assert(gccs::ceilLog(9u, 2u) == 4, "");
  unordered_map<Type, int> byType;
  byType[FLOAT] = 1, byType[equivalent_device_type<unsigned>().value] = 2;
  map<Type, int> ordered{{INT, 1}};
  cout << FLOAT << HALF.toString() << (defaultType == UNSIGNED_INT) << copied.size() << p5.asBool()
       << p4.asDouble();
#if __cplusplus >= 201703L
  gccs::ArrayRef deduced(v);
  poplar::ArrayRef alsoDeduced(v);
  takesShape(deduced), takesShape(alsoDeduced);
#endif
}

// ---- devices ----
Device getIpu(unsigned n) {
  auto manager = DeviceManager::createDeviceManager();
  auto devices = manager.getDevices(TargetType::IPU, n);
  auto it = find_if(devices.begin(), devices.end(), [](Device &d) { return d.attach(); });
  if (it == devices.end())
    throw poplar_error("no device");
  return std::move(*it);
}
Device byBraces(Device d) { return {std::move(d)}; }

void devices() {
  Device device;
  device = getIpu(2);
  DeviceManager manager;
  for (auto &d : manager.getDevices())
    if (d.getTarget().getTargetType() == TargetType::IPU && d.getTarget().getNumIPUs() == 1)
      device = std::move(d);
  manager.getDevices(TargetType::IPU_MODEL, 1, {}), manager.getDevice(0).getId(),
      manager.getChildDeviceIds(16);
  IPUModel ipuModel;
  ipuModel.numIPUs = 2, ipuModel.tilesPerIPU = 4, ipuModel.minIPUSyncDelay = 0;
  ipuModel.relativeSyncDelay = IPUModel::RelativeSyncDelayType::NO_DELAY;
  ipuModel.globalExchangeConstraints = {GlobalExchangeConstraint(1e9, {GlobalExchangeFlow(0, 1)})};
  ipuModel.compileIPUCode = true;
  Device model = ipuModel.createDevice({}, false), model2 = ipuModel.createDevice(),
         mk1 = IPUModel("ipu1").createDevice();
  Device cpu = Device::createCPUDevice();
  Target target = device.getTarget();
  const auto &same = device.getTarget();
  Target t1 = Target::createIPUTarget(1, "ipu2"),
         t2 = Target::createIPUTarget(2, 4, "ipu2", {{"gatewayMode", "true"}});
  Target t3 = Target::createIPUTarget("IPU-POD16"), t4 = Target::createCPUTarget(),
         t5 = target.createVirtualTarget(1, 2);
  cout << toString(target.getTargetType()) << target.getTargetArchString() << (t1 == t2)
       << same.getTypeSize(HALF) << target.getTypeLimitsMaxAs<unsigned>(UNSIGNED_SHORT)
       << target.getNumConvUnits(HALF, FLOAT);
  string arch = target.getTargetArchString();
  auto virtualDevice = device.createVirtualDevice(8);
  unsigned a, b, c;
  virtualDevice.getDriverVersion(a, b, c);
  vector<float> f(4);
  vector<uint16_t> h(4);
  copyFloatToDeviceHalf(target, f.data(), h.data(), 4),
      copyDeviceHalfToFloat(target, h.data(), f.data(), 4);
  convertToDeviceType(HALF, gccs::ArrayRef<float>(f), h.data());
  convertFromDeviceType(HALF, h.data(), gccs::ArrayRef<float>(f));
#if __cplusplus >= 201703L
  optional<Device> maybe;
  maybe = getIpu(1);
#endif
}

// ---- debug names ----
struct OpDebugInfo : DebugInfo {
  OpDebugInfo(const DebugContext &dc) : DebugInfo(dc, "poplibs") {
    setValue("api", "f"), setValue("n", 3);
  }
  using DebugInfo::setValue;
};
static void named(const DebugContext &dc = {}) { cout << dc << dc.getPathName(); }

void debugNames(const DebugContext &debugContext) {
  OpDebugInfo di(debugContext);
  DebugNameAndId dnai{di, "x"}, dnai2(di), dnai3("name"), dnai4{dnai, string("y")}, dnai5;
  const string s = "s";
  named(), named({}), named("literal"), named(s), named(s + "/b"), named(StringRef("r")),
      named({di}), named({di, "x"});
  named({dnai}), named({dnai, "x"}), named({dnai, s}), named({dnai, s + "b"}),
      named({debugContext, "x"});
  named({debugContext, s}), named({di, s}), named(di), named(dnai2), named({"x"});
  DebugInfo::initializeStreamer("f", DebugSerializationFormat::JSON), DebugInfo::closeStreamer();
}

// ---- graph ----
void variables(Graph &graph, const DebugContext &debugContext, unsigned rows, size_t cols,
               const Tensor &meta) {
  OpDebugInfo di(debugContext);
  DebugNameAndId dnai(di);
  const int NUM_DATA_ITEMS = 8;
  const string s = "s";
  vector<size_t> shape{2, 3};
  graph.addVariable(FLOAT, {rows, rows}, "x"), graph.addVariable(FLOAT, {cols}),
      graph.addVariable(FLOAT, {0}, "empty");
  graph.addVariable(INT, {NUM_DATA_ITEMS}, "x"), graph.addVariable(INT, {}, "name"),
      graph.addVariable(UNSIGNED_INT, {});
  graph.addVariable(INT, {}, {di, "n"}), graph.addVariable(FLOAT, shape, {dnai, s}),
      graph.addVariable(FLOAT, shape, s);
  graph.addVariable(FLOAT, {4, 2}, VariableMappingMethod::LINEAR, "x"),
      graph.addVariable(HALF, {4}, VariableMappingMethod::LINEAR);
  graph.addVariable(QUARTER, meta, shape, "q"), graph.addVariable(FLOAT, {}, shape, "q"),
      graph.addVariable(FLOAT, {}, shape, {dnai});
  graph.addVariable(QUARTER, meta, {2}, VariableMappingMethod::LINEAR, "q");
  auto t = graph.addVariable(Type(FLOAT), {rows, cols}, debugContext);

  float values[] = {1, 2};
  const float *constPointer = values;
  vector<float> vec{1, 2};
  graph.addConstant<float>(FLOAT, {4}, {1.0, 1.5, 2.0, 2.5}),
      graph.addConstant<float>(FLOAT, {2}, vec, "name");
  graph.addConstant(UNSIGNED_INT, {1}, 0), graph.addConstant(FLOAT, {2}, values, "name"),
      graph.addConstant(FLOAT, {}, 0);
  graph.addConstant(FLOAT, {2}, constPointer), graph.addConstant(FLOAT, {2}, vec.data(), "name"),
      graph.addConstant(HALF, {1}, 60000);
  graph.addConstant<float>(FLOAT, {1}, 0), graph.addConstant<float>(FLOAT, {1}, 0.0, {di, "x"}),
      graph.addConstant<float>(FLOAT, {2}, values);
  graph.addConstant<float>(FLOAT, {2}, vec.data(), {dnai, "x"}),
      graph.addConstant<float>(FLOAT, {1}, {0.5});
  graph.addConstant(HALF, shape, 1.0f, {dnai, "x"}), graph.addConstant(BOOL, {}, true),
      graph.addConstant(FLOAT, {2}, ArrayRef<float>(vec));
  graph.addConstant<unsigned>(UNSIGNED_INT, {3}, {0u, 1u, 2u}),
      graph.addConstant(FLOAT, {rows}, 0.0), graph.addConstant(INT, {cols}, -1, debugContext);
  graph.addConstant(QUARTER, meta, shape, 1.0f, "x"),
      graph.addConstant<float>(QUARTER, meta, {2}, {1.0, 2.0}),
      graph.addConstant(QUARTER, meta, {2}, values);
  graph.addConstantHalf(HALF, {1}, 0), graph.addConstantHalf(HALF, {1}, uint16_t(0x3c00), "one");
  const uint16_t bits[] = {0, 1};
  graph.addConstantHalf(HALF, {2}, bits),
      graph.addConstant(FLOAT, {2}, values, TypeTraits::make<float>(), false);

  graph.clone(t), graph.clone(t, "name"), graph.clone(HALF, t), graph.clone(HALF, t, {di, "x"});
  graph.clone(t, {di}, TensorCloneMethod::PRESERVE_ORDER_AND_ALIASES),
      graph.clone(QUARTER, meta, t, "x");
  graph.cloneN(t, 3, "n"), graph.cloneN(HALF, t, 2);
  createConstantMetadataTensor(graph, QuarterMetadata::Format::F143, 2, "m");
}

void compute(Graph &graph, const Tensor &t, const vector<Tensor> &many,
             const DebugContext &debugContext) {
  OpDebugInfo di(debugContext);
  ComputeSet cs = graph.addComputeSet("cs"), cs2 = graph.addComputeSet(),
             cs3 = graph.addComputeSet({di, "x"});
  const unsigned n = 3;
  auto v = graph.addVertex(
      cs, "V",
      {{"a", t}, {"b", 3}, {"c", 1.5f}, {"d", many}, {"e", n}, {"f", t[0]}, {"g", {t, t}}});
  graph.addVertex(cs2, "V"), graph.addVertex(cs3, string("V"), {{"a", t}}),
      graph.addVertex(cs, "V", {});
  graph.connect(v["a"], t), graph.connect(v["a"], t[0].flatten()), graph.connect(v["b"], many),
      graph.connect(v["b"], {t, t});
  graph.connect(v["c"], 3), graph.connect(v["c"], 1.5f), graph.connect(v["d"][1], t),
      graph.connect(v[string("e")], true);
  graph.setInitialValue(v["f"], true), graph.setInitialValue(v["f"], 1),
      graph.setInitialValue(v["f"], 1u), graph.setInitialValue(v["f"], 1l);
  graph.setInitialValue(v["f"], size_t(1)), graph.setInitialValue(v["f"], 1.f),
      graph.setInitialValue(v["f"], 1.0);
  graph.setInitialValue(v["f"], vector<int>{1}),
      graph.setInitialValue(v["f"], array<unsigned, 2>{{1, 2}});
  graph.setInitialValue<float>(v["f"], 1.0), graph.setInitialValue<unsigned>(v["f"], {0, 1, 2}),
      graph.setInitialValue<float>(v["f"], vector<float>(2));
  graph.setInitialValue(v["f"], ArrayRef<bool>{false, true}), graph.setInitialValueHalf(v["f"], 0),
      graph.setInitialValueHalf(v["f"], {0, 1});
  graph.setInitialValue(t, 0), graph.setInitialValue(t, 0u), graph.setInitialValue(t, 0.0),
      graph.setInitialValue(t, vector<float>(2));
  graph.setInitialValue<float>(t, {1.0, 2.0}), graph.setInitialValue(t[0], ArrayRef<float>{1, 2}),
      graph.setInitialValueHalf(t, 0x3c00);
  graph.setFieldSize(v["f"], 3), graph.setTileMapping(v, 0), graph.setTileMapping(t, 0),
      graph.setTileMapping(t[0], n);
  graph.setPerfEstimate(v, 20), graph.setPerfEstimate(v, 20, 4), graph.setCycleEstimate(v, 20),
      graph.setPerfEstimate(v, VertexPerfEstimate(1, 2));
  graph.registerPerfEstimator(
      "V", [](const VertexIntrospector &i, const Target &target) -> VertexPerfEstimate {
        auto f = i.getFieldInfo("a");
        auto all = f.getInitialValues<vector<unsigned>>(target);
        return f.size() + f[0].size() + f.getInitialValue<unsigned>(target) +
               f.getInitialValues<float>(target).size() + all.size();
      });

  bool complete;
  graph.getTileMapping(t, &complete), graph.getTileMapping(t, false), graph.getTileMapping(t, true);
  for (auto &tile : graph.getTileMapping(t))
    for (auto chunk : tile)
      cout << chunk.begin() << chunk.end();
  graph.setTileMapping(t, graph.getTileMapping(t));
  Graph::TileToTensorMapping mapping(4);
  mapping[0].emplace_back(0, 3), mapping[1].push_back({3, 4});
  graph.setTileMapping(t, mapping);
  Tensor x = t, y = t;
  graph.reorderToSimplify(&x, {&y}), graph.reorderToSimplify(&x, {}),
      graph.getSortedContiguousRegions(t, {{0, t.numElements()}});
  vector<Graph> graphs;
  graphs.push_back(graph.createVirtualGraph(0, 4)),
      graphs.push_back(graph.createVirtualGraph({0u, 1u, 2u}));
  graphs.emplace_back(graph.createVirtualGraph(n));
}

void codelets(Graph &graph) {
  const string file = "f.cpp";
  graph.addCodelets("f.cpp"), graph.addCodelets(file),
      graph.addCodelets({"f.cpp"}, "-O3 -I codelets"), graph.addCodelets({"f.cpp"});
  graph.addCodelets({file, "b.cpp"}), graph.addCodelets({file}),
      graph.addCodelets(vector<string>{file}, "-O3"), graph.addCodelets(__FILE__);
  graph.addCodelets("f.cpp", CodeletFileType::Auto, "-O3"),
      graph.addCodelets("f.cpp", CodeletFileType::CppSource, "-O3", cerr);
  stringstream source;
  graph.addCodelets(source), graph.addCodelets(source, "-O3"),
      graph.hasCodelet("ns::V<float,true>");
  Graph a(graph.getTarget(), replication_factor(2)), b{Device::createCPUDevice()},
      c(Target::createCPUTarget());
  Graph d;
  d = std::move(c);
  const auto &target = graph.getTarget();
  Target copy = graph.getTarget();
  cout << target.getNumTiles() << copy.getNumTiles() << versionString() << packageHash();
}

// ---- tensors ----
void tensors(Graph &graph, const Tensor &a, const Tensor &b, unsigned u, size_t n,
             const vector<Tensor> &many) {
  a.slice({1, 1}, {2, 4}), a.slice({0, n}), a.slice(0, 4), a.slice(0, n, 1), a.slice(u, u + 1, 0),
      a.slice(Interval(0, 4)), a.slice({n, n}, 1);
  a.slice({n, n}, {n, n}), a.slice(vector<size_t>{0}, vector<size_t>{1}),
      a.slice(a.shape(), b.shape());
  a.slices({{0, 1}, {1, 3}}), a.slices(graph.getTileMapping(a)),
      a.slices(vector<Interval>{{0, 1}}, 1), a.slices({u, u + 1}, 0);
  poplar::concat(a, b, {1}), concat(a, b), concat({a, b}), concat({a, b, a}, 1), concat(many),
      concat(many, u), concat(a.slices(graph.getTileMapping(a)));
  append(a, b), append(a, b, 1), a.reshape({n, 4}), a.reshape({}), a.reshape(b.shape()),
      a.reshapePartial(0, 2, {n}), a.flatten().flatten(0, 1);
  a.dimShuffle({1, 0}), a.dimShufflePartial({0}, {1}), a.dimRoll(1), a.dimRoll(1, 2), a.transpose(),
      a.expand({0}), a.expand({1, 1}), a.squeeze({0});
  a.broadcast(n, 0), a.broadcast(3, u), a.upsample(2, 0, UpsampleMethod::REPEAT), a.subSample(2, 0),
      a.reverse(0), a.reinterpret(INT), a[0][n], a.index({0, n});
  float f;
  unsigned w;
  Tensor invalid;
  vector<Tensor> list(3);
  list[0] = a;
  map<string, Tensor> byName;
  byName["a"] = a;
  cout << (a == b) << (a != b) << a.getConstantValue(&f) << a.getConstantValue(&w)
       << invalid.valid() << a.shapeToString() << a.dim(0) << a.elementType();
}

// ---- programs ----
Program executes(ComputeSet cs) { return Execute(cs); }
Program moved(Sequence seq) { return std::move(seq); } // old compilers needed the move
static void use(const Program &) {}
Sequence sequence(Tensor a, Tensor b) { return Sequence({Copy(a, b)}); }

void programs(Graph &graph, ComputeSet cs, const Tensor &a, const Tensor &b,
              const DebugContext &debugContext) {
  OpDebugInfo di(debugContext);
  DebugNameAndId dnai(di);
  const string name = "name";
  Program p = Copy(a, b), q = Execute(cs), none;
  Sequence s1, s2{}, s3{p, q}, s4({p, q}), s5({p, q}, {di}), s6{{p, q}, {di}}, s7({}, {di}),
      s8({}, "name"), s9{{dnai}};
  Sequence s10(Execute(cs, {di})), s11{RepeatWhileTrue(p, a, q)}, s12(debugContext), s13(name),
      s14("name"), s15({}, {di, "x"});
  Sequence bodyProg = {p}, listed = {p, q, s1}, one = {Execute(cs)},
           variadic(p, q, s1, Execute(cs)), two(s1, s2), copied(s1), nested({s1, Copy(a, b)});
  Sequence s16({di, "x"}), s17(vector<Program>{p, q}), s18(vector<Program>{p}, {dnai, "x"}),
      s19({dnai, name}), s20 = Sequence{p, q}, s21 = Sequence();
  Sequence s22({p}), s23({s1}), s24{s1}, s25({Execute(cs)}, {debugContext, "x"}),
      s26(StringRef("r")), s27(DebugContext("x"));
  s1.add(p), s1.add(Execute(cs)), s1.add(Copy(a, b)), s1.add(s2), s1.add(Sequence{p}), s1.add({p});
  vector<Program> progs(3), more{p, s1, Copy(a, b)};
  map<string, Program> byName;
  byName["a"] = s1, progs[0] = Execute(cs), progs.push_back(s1);
  p = s1, p = Repeat(3, s1);

  const unsigned u = 3;
  int i = 4;
  size_t z = 5;
  Repeat{u, p}, Repeat{5, Execute(cs)}, Repeat(i - 1, Sequence{p, q}), Repeat(z, s1),
      Repeat(i, Sequence({p, q}), "x"), Repeat{z, p, {di}}, Repeat{i, p};
  Repeat named(5, s1);
  RepeatWhileTrue(s1, a, s2), RepeatWhileFalse(Sequence(), a[0], s2, {di}), If(a, s1, s2),
      If(a, s1, Sequence(), {di, "x"}), If(a, Sequence{}, p);
  Switch(a, {{0, p}, {1, s1}}, q), Switch(a, {{0, p}}), Switch(a, {{0, p}, {1, q}}, {di}),
      Switch(a, p, "x"), Switch(a, {{0, p}}, q, {di, "x"}), Switch(a, s1);
  Switch sw(a), sw2(a, "name"), sw3(a, {di});
  sw.add(0, p).add(1, s1);
  vector<pair<int32_t, Program>> cases{{0, p}};
  Switch(a, cases), Switch(a, cases, q), Switch::switchWithBoundsChecking(a, cases),
      Switch::switchWithUnreachableDefault(a);

  Function f = graph.addFunction(s1);
  HostFunction h =
      graph.addHostFunction("h", {{FLOAT, 3}}, {Graph::HostFunctionArgument(FLOAT, 3)});
  use(Call(f)), Call(f, {di}), Call(f, "x"), Call(h, {a}, {b}), Call(h, vector<Tensor>{a}, {}),
      Call(h, {a, b}, {b}, {di});
  Copy(a, b), Copy(a, b, false), Copy(a, b, {}, debugContext), Copy(a, b, false, {di}),
      Copy(a, b, true, "x"), Copy(a[0], b.flatten());
  DataStream in = graph.addHostToDeviceFIFO("in", FLOAT, 4),
             in2 = graph.addHostToDeviceFIFO("in2", FLOAT, 4, ReplicatedStreamMode::BROADCAST,
                                             {{"bufferingDepth", "2"}});
  DataStream out = graph.addDeviceToHostFIFO("out", FLOAT, 4),
             out2 = graph.addDeviceToHostFIFO("out2", FLOAT, 4, {{"splitLimit", "0"}});
  RemoteBuffer rb = graph.addRemoteBuffer("rb", FLOAT, 4, 2),
               rb2 = graph.addRemoteBuffer("rb2", FLOAT, 4, 2, true, true);
  Copy(in, a), Copy(in2, a, false, {di}), Copy(a, out), Copy(a, out2, true), Copy(rb, a),
      Copy(rb, a, b), Copy(rb, a, b, {di}), Copy(rb2, a, {di}), Copy(rb, a, "x");
  Copy(a, rb), Copy(a, rb, b), Copy(a, rb, b, "x"), Copy(a, rb, {di, "x"}),
      Copy(graph.addFunctionBuffer(f, FunctionBufferMappingType::REMOTE), f);
  use(Execute(cs)), Execute(cs, "x"), Execute(cs, {di}), Execute(cs, {di, "x"}), Execute(cs, a),
      Execute(cs, a, "x"), Execute(cs, debugContext);
  use(Sync(SyncType::INTERNAL)), Sync(SyncType::GLOBAL, {di}), WriteUndef(a), WriteUndef(a, {di}),
      Block(s1), Block(s1, "x"), Block(Execute(cs), {di});
  PrintTensor("title", a), PrintTensor{a}, PrintTensor(a, "name"),
      PrintTensor(name, a, debugContext), PrintTensor(a, {di}),
      PrintTensor("t", a[0], PrintTensorFmt(10));
  PrintTensor(a, PrintTensorFmt::disableFormatting(), {di}), PrintTensor("t", a, {di, "x"}),
      PrintTensor(a, PrintTensorFmt{1000, 3});
  ErrorProgram("message", a), ErrorProgram(name, a, {di}), Abort(), Abort("message"), Abort(name),
      Abort("message", {di});
  AbortOnCondition{a}, AbortOnCondition(a, {dnai, "/x"}), AbortOnCondition(a, "message"),
      AbortOnCondition(a, name, {di});
  AssumeEqualAcrossReplicas(a, "x"), CrossReplicaCopy(a, b, {{0, 1}, {1, 0}}),
      CrossReplicaCopy(a, b, {{0, 1}, {1, 0}}, {di});

  cycleCount(graph, s1, 0, "name"), cycleCount(graph, s1, 0, SyncType::INTERNAL),
      cycleCount(graph, s1, 0, SyncType::EXTERNAL, "name"), cycleCount(graph, s1, 0);
  cycleStamp(graph, s1, 0, SyncType::INTERNAL, {di}),
      cycleStamp(graph, s1, vector<unsigned>{0, 1}, SyncType::INTERNAL, "x");
  setFloatingPointBehaviour(graph, s1, {true, true, true, false, true}, "name"),
      setFloatingPointBehaviour(graph, s1, FloatingPointBehaviour(), {di});
  setFloatingPointBehaviour(graph, s1, a),
      setFloatingPointBehaviour(
          graph, s1, getAndModifyFloatingPointBehaviour(graph, s1, {false, false}, {true, true}),
          "x");
  setStochasticRounding(graph, s1, true, "x"), setHwSeeds(graph, getHwSeeds(graph, s1), s1, "x");
  graph.outputVertexGraph(cout, {p, s1}), graph.outputComputeGraph(cout),
      graph.outputVertexGraph(cout, more), dumpProgram(graph, s1, cout);
  ofstream file("graph.capnp");
  graph.serialize(file, SerializationFormat::Binary);
}

// ---- engine ----
struct Feeder : StreamCallback {
  Feeder(int) {}
  Result prefetch(void *__restrict) noexcept override { return Result::NotAvailable; }
  void fetch(void *__restrict) noexcept override {}
  void complete() noexcept override {}
};
struct Old final : public LegacyStreamCallback {
  void fetch(void *) override {}
};
struct Host : HostCallback {
  void operator()(ArrayRef<const void *>, ArrayRef<void *>) override {}
};
Engine makeEngine(const Graph &graph, Program prog) { return Engine(graph, prog, POPLAR_OPTS); }

void engines(Graph &graph, const Device &device, Program p, Sequence s, const DataStream &stream,
             const RemoteBuffer &rb) {
  auto progress = [](int, int) {};
  auto engine = Engine{graph, p, {{"k", "v"}}};
  Engine e1(graph, s), e2(graph, {s, p, Copy(Tensor(), Tensor())}, POPLAR_OPTS, progress),
      e3(graph, {p, s}), e4(graph, vector<Program>{p}, {}, progress);
  Engine e5(graph, s, {{"debug.instrument", "true"}, {"a", "b"}}), e6(graph, Sequence{p, s}),
      e7(graph, {s}), e8(graph, s, {}, progress, "name"), e9(graph, {p});
  Engine e10 = makeEngine(graph, p), e11(std::move(graph), s),
         e12{graph, {s, p}, OptionFlags{{"k", "v"}}};
  auto exe = compileGraph(graph, {s, p}), exe2 = compileGraph(graph, {s}, {{"k", "v"}}, progress),
       exe3 = compileGraph(graph, vector<Program>{s}, POPLAR_OPTS);
  ofstream out("exe");
  ifstream in("exe");
  exe.serialize(out);
  Engine e13(exe), e14(std::move(exe2)), e15(Executable::deserialize(in), POPLAR_OPTS),
      e16{std::move(exe3)};
  engine = std::move(e1);
  std::unique_ptr<Engine> owned(new Engine(graph, s));

  map<string, int> index;
  engine.load(device), engine.run(), engine.run(0), engine.run(CUSTOM_PROG), engine.run(index["x"]),
      engine.run(0, "name"), engine.loadAndRun(device);
  vector<float> x(8);
  float scalar, array2d[2][3];
  int matrix[4];
  const string h = "s";
  engine.connectStream("s", &x[0], &x[0] + 8),
      engine.connectStream("s", x.data(), std::next(x.data(), 8)),
      engine.connectStream("s", &scalar);
  engine.connectStream("s", &array2d), engine.connectStream(h, x.data()),
      engine.connectStream(stream, x.data()), engine.connectStream(stream, x.data(), x.data() + 8);
  engine.connectStream("s", matrix, &matrix[4]), engine.connectStream("s", ArrayRef<float>(x));
  engine.connectStreamToCallback("in", std::unique_ptr<Feeder>(new Feeder(1))),
      engine.connectStreamToCallback("in", 0, std::unique_ptr<Old>(new Old));
  std::unique_ptr<Feeder> feeder(new Feeder(1));
  std::function<void(void *)> function = [](void *) {};
  engine.connectStreamToCallback("in", std::move(feeder)),
      engine.connectStreamToCallback("x", 1, [&](void *) { x[0] = 1; }),
      engine.connectStreamToCallback(h, function);
  engine.connectHostFunction("f", 0, [](ArrayRef<const void *>, ArrayRef<void *>) {}),
      engine.connectHostFunction("f", 0, std::unique_ptr<HostCallback>(new Host));
  uint64_t cycles;
  QuarterMetadata metadata(QuarterMetadata::Format::F152, 3);
  engine.readTensor("h", x.data(), x.data() + 8), engine.readTensor("h", x.data()),
      engine.readTensor("c", &cycles, &cycles + 1),
      engine.readTensor("h", metadata, x.data(), x.data() + 8);
  engine.writeTensor("h", x.data(), x.data() + 8), engine.writeTensor(h, &x[0]),
      engine.writeTensor("h", metadata, x.data(), x.data() + 8),
      engine.readTensor("h", ArrayRef<float>(x));
  engine.copyToRemoteBuffer(x.data(), "rb", 0), engine.copyFromRemoteBuffer("rb", x.data(), 1),
      engine.copyToRemoteBuffer(x.data(), h, 0, 1), engine.copyToRemoteBuffer(x.data(), rb, 0);
  engine.setPrintStream(cout), engine.setPrintTensorStream(cout), engine.printProfileSummary(cout),
      engine.printProfileSummary(cout, {{"showExecutionSteps", "true"}});
  engine.printProfileSummary(cout, OptionFlags{{"showExecutionSteps", "false"}}),
      serializeToJSON(cout, engine.getGraphProfile(), false),
      serializeToJSON(cout, engine.getExecutionProfile(), true);
  engine.enableExecutionProfiling(), engine.disableExecutionProfiling(),
      engine.resetExecutionProfile(), printProfileSummary(cout, "p", {});
}

void errors() {
  try {
    throw poplar::poplar_error("text");
  } catch (const graph_memory_allocation_error &e) {
    cerr << e.what() << e.profilePath;
  } catch (const link_error &e) {
    cerr << e.output;
  } catch (const poplar::runtime_error &e) {
    cerr << e.type;
  } catch (const poplar::poplar_error &e) {
    cerr << e.what();
  }
}
