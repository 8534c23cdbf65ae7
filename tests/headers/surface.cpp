// SPDX-License-Identifier: MIT
// What Poplar's public headers offer beyond the forms of traps.cpp: names that only some programs
// use, called or named once. Compiled, never run. docs/compatibility.md lists what is left out.
#include <gccs/Algorithm.hpp>
#include <poplar/Alignment.hpp>
#include <poplar/CSRFunctions.hpp>
#include <poplar/CycleCount.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>
#include <poplar/EngineOptions.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/MetadataCreation.hpp>
#include <poplar/RandomSeed.hpp>
#include <poplar/TypeConversion.hpp>
#include <poplar/VertexIntrospector.hpp>

using namespace poplar;
using namespace poplar::program;

void types(Interval i, ProfileValue v, Type t) {
  i.lower(), i.upper(), i.begin(), i.end(), i.size(), i <= i, i >= i, i > i, i != i;
  GenericInterval<int> other(1, 2);
  StringRef text("abc", 2);
  ArrayRef<float> list{1, 2};
  list.empty(), list.front(), list.back(), list.cbegin(), list.cend(), list.cloneAsVector();
  std::cout << list << other << text << ArrayRef<Tensor>();
  v.type(), v.asBool(), v.asInt(), v.asUint(), v.asDouble(), v.asString(), v.asVector(), v.asMap(),
      v.getOrNull("a"), v.size(), v.sumInt(), v.sumUint(), v.sumDouble(), v.sum2DInt(),
      v.sum2DUint(), v.toUintVector();
  for (auto type : {ProfileValue::Type::VECTOR, ProfileValue::Type::MAP, ProfileValue::Type::STRING,
                    ProfileValue::Type::NUMBER, ProfileValue::Type::BOOL_})
    (void)type;
  t.toString(), t.isFloatingPoint(), t.requiresMetadata(), t.hash(), t < t, std::hash<Type>()(t);
  for (auto &c : {BOOL,
                  CHAR,
                  SIGNED_CHAR,
                  UNSIGNED_CHAR,
                  SHORT,
                  SIGNED_SHORT,
                  UNSIGNED_SHORT,
                  INT,
                  SIGNED_INT,
                  SIGNED,
                  UNSIGNED_INT,
                  UNSIGNED,
                  LONG,
                  UNSIGNED_LONG,
                  LONGLONG,
                  UNSIGNED_LONGLONG,
                  HALF,
                  FLOAT,
                  DOUBLE,
                  QUARTER,
                  QUARTER_METADATA})
    t = c;
  TypeTraits none, half = TypeTraits::make<IeeeHalf>();
  none.isSimpleType(), half.isSimpleType(), TypeTraits::requiresMetadata<float>();
  static_assert(TypeTraits::isSimpleType<IeeeHalf>(), "");
  t = equivalent_device_type<IeeeHalf>().value;
  gccs::ceildiv(7, 2), gccs::floordiv(7, 2), gccs::alignNext(7, 2), gccs::alignPrev(7, 2),
      gccs::nthTriangular(3), gccs::balancedPartition(7, 2);
  static_assert(gccs::ceilLog2(9u) == 4, "");
}

void conversions(std::vector<float> f, std::vector<unsigned char> bytes, QuarterMetadata m) {
  gccs::ArrayRef<const float> view(f);
  convertToDeviceType(HALF, f, bytes.data()), convertToDeviceType(HALF, view, bytes.data()),
      convertToDeviceType(HALF, f, bytes.data(), true),
      convertToDeviceType(HALF, view, bytes.data(), false),
      convertToDeviceType(QUARTER, m, f, bytes.data()),
      convertToDeviceType(QUARTER, m, view, bytes.data(), true);
  convertFromDeviceType(HALF, bytes.data(), f), convertFromDeviceType(HALF, bytes.data(), view),
      convertFromDeviceType(HALF, bytes.data(), f, true),
      convertFromDeviceType(QUARTER, m, bytes.data(), f),
      convertFromDeviceType(QUARTER, m, bytes.data(), view, false);
  m = calculateMetadataForConversion(QuarterMetadata::Format::F143, f);
  m = calculateMetadataForConversion(QuarterMetadata::Format::F143, view);
  m.toString(), QuarterMetadata::toString(m.getFormat()), m.getScale(), m.getBinary(), m == m;
  std::cout << m << QuarterMetadata(static_cast<unsigned char>(3));
}
// Programs write formats themselves.
std::ostream &operator<<(std::ostream &out, const QuarterMetadata::Format &format) {
  return out << (format == QuarterMetadata::Format::F143 ? 143 : 152);
}
void ownOutput(QuarterMetadata m) { std::cout << m.getFormat(); }

void machines(Target t, Device d, DeviceManager m, std::stringstream &s) {
  t.getVectorWidth(HALF), t.getFloatVectorWidth(), t.getHalfVectorWidth(),
      t.getQuarterVectorWidth(), t.getBytesPerTile(), t.getTileClockFrequency(),
      t.getExchangeBytesPerCycle(), t.getMemcpyBytesPerCycle(), t.getDataPathWidth(),
      t.getRptCountMax(), t.getAtomicStoreGranularity(), t.getNumStrideBits(),
      t.getTilesPerSharedExchangeBus(), t.supportsExchangeBusSharing(), t.getMemoryElementOffsets(),
      t.getInterleavedMemoryElementIndex(), t.getMinIPUSyncDelay(), t.getMaxIPUSyncDelay(),
      t.getGlobalSyncCycles(), t.getGlobalExchangeConstraints(), t.getWeightsPerConvUnit(HALF),
      t.getConvUnitMaxPipelineDepth(HALF), t.getConvUnitInputLoadElemsPerCycle(HALF),
      t.getConvUnitCoeffLoadBytesPerCycle(), t.getFp16InFp16OutConvUnitsPerTile(),
      t.getFp16InFp32OutConvUnitsPerTile(), t.getFp32InFp32OutConvUnitsPerTile(),
      t.getFp8ConvUnitMaxPipelineDepth(), t.getFp16ConvUnitMaxPipelineDepth(),
      t.getFp32ConvUnitMaxPipelineDepth(), t.getTypeLimitsLowestAs<int>(INT),
      t.getTargetSystemString(), t.getGatewayMode(), t.getInstanceSize(), t.getTargetOptions(),
      t.getMemoryBytes(), t.getIpuLinkConfiguration(), t.getIpuLinkTopology(),
      t.getIpuLinkDomainSize(), t.serialize(s), std::hash<Target>()(t), t < t, t != t;
  t = Target(s);
  copyDoubleToDeviceHalf(t, nullptr, nullptr, 0), copyDeviceHalfToDouble(t, nullptr, nullptr, 0);
  d.isAttached(), d.detach(), d.supportsRemoteBuffers(), d.hasGateway(), d.getAttributes(),
      d.getAttribute(IPUAttributes::AttributeId::DeviceId), d.getNumaNodesUsedForIPUs(),
      d.getDriverIDs(), d.reset();
  d = Device::createSimulatorDevice(t, {}), m.getNumDevices();
  EngineOptions options({{"a", "b"}}, t, 1u);
  IPUModel model;
  model.numWorkerContexts = model.dataPathWidth = model.globalSyncCycles = 1;
  model.fp32ConvUnitInputLoadElemsPerCycle = model.fp16ConvUnitInputLoadElemsPerCycle =
      model.fp8ConvUnitInputLoadElemsPerCycle = model.fp16ConvUnitMaxPipelineDepth =
          model.fp16InFp32OutConvUnitsPerTile = model.fp16InFp16OutConvUnitsPerTile = 1;
  model.tilesPerSuperTile = model.memoryBytesPerTile = model.exchangeBytesPerCycle =
      model.memcpyBytesPerCycle = model.instructionBytes = 1;
}

void graphs(Graph &g, const Tensor &t, Sequence &prog, VertexRef v, std::stringstream &s) {
  g.getReplicationFactor(), g.getTopLevelGraph(), g.convertVirtualTileToPhysicalTile(0),
      g.convertPhysicalTileToVirtualTile(0), g.convertPhysicalTileToVirtualTile(0, 0),
      g.convertTileToTopLevelGraphTile(0), g.convertTopLevelGraphTileToTile(0),
      g.addReplicationIndexConstant("r"), g.addCodeletPlaceholder(s),
      g.addExternalVariable(FLOAT, {2}, "x"), g.getFieldSize(v["f"]), g.getMaxFieldDim("V", "f", 0),
      g.getMaxVertexFieldValue("V", "f"), g.getMaxVertexFieldValueAs<unsigned>("V", "f"),
      g.getPerfEstimate(v).cycles, g.getCycleEstimate(v), g.getNumVertices(),
      g.getVariableTileMapping(t), g.getTileMapping(t, true, false), g.findUnbroadcastTensor(t),
      g.getVariable(t.getVarRegions()[0].var), g.isConstant(VariableRef()),
      g.addConstant(HALF, {1}, IeeeHalf(1.f)), g.setInitialValue(t, IeeeHalf(1.f));
  bool complete = false;
  std::vector<std::size_t> aliases;
  g.getTileMapping(t, &complete, false), g.getSortedContiguousRegions(t, {}, true, &aliases);
  TensorRearranger r = g.getSimplifyingRearranger(t);
  r.valid(), r.rearrange(t), r.rearrange(t.getContiguousRegions()), r.undoRearrangement(t);
  g.serializeTensors(s, {t}, SerializationFormat::JSON),
      g.deserializeTensors(s, SerializationFormat::Binary);
  createVariableMetadataTensor(g, QuarterMetadata::Format::F152, 1, "m");
  createVariableMetadataTensor(g, QuarterMetadata::Format::F152, t, prog, "m");
  std::cout << t, t.output(std::cout), t.outputRegions(std::cout), t.dump(), t.dumpRegions(),
      t.hash(), t.getVarStr(), t.getDebugStr(), t.containsAliases(), t.containsConstant(),
      t.isParallelWriteable(), t.intersectsWith(t), t.isContiguous(), t.hasMetadata(),
      t.getMetadata();
  prog.isEmpty(), v.getId(), v["f"].isIndexed(), v["f"].getIndex(), prog == prog;
}

void run(Engine &e, const Device &d, const DataStream &s, const RemoteBuffer &b, RuntimeOptions o) {
  e.prepare(d), e.prepare(d, o), e.deploy(), e.run(0, "name", o), e.stop();
  e.getTimeStamp(), e.listStreams(), e.getEngineOptions(), e.reportIntervals(std::cout),
      e.getProfile(), e.reportTiming(e.getTimeStamp(), e.getTimeStamp()), e.clearSimulatedErrors();
  s.handle(), s.numElements(), s.replicationFactor(), s.replicatedMode(), s.type(), s.elementType();
  b.handle(), b.numElements(), b.getRepeats(), b.elementType(), b.isRearrangeOnHost(),
      b.isOptimisedForMemory(), b.getIpuToHostStream(), b.getHostToIpuStream(), b == b;
  isDeviceToHost(s.type()), isHostToDevice(s.type()), isRemoteBuffer(s.type());
  unsigned scratch = WORKER_SCRATCH_SIZE;
  ProgressFunc progress = Engine::ProgressFunc();
  printGraphSummary(std::cout, "profile.pop", {}), (void)scratch;
}

template <class... Errors> void throwAll() {
  const int each[] = {(throw Errors(std::string("text")), 0)...};
  (void)each;
}
void errors() {
  throwAll<poplar_error, invalid_option, control_program_error, graph_connection_error,
           graph_cycle_error, graph_recursion_error, graph_memory_allocation_error,
           graph_object_creation_error, graph_program_compilation_error, graph_replication_error,
           index_error, overflow_error, type_error, tensor_creation_error, tensor_io_state_error,
           tensor_metadata_error, invalid_tile_mapping, invalid_machine_model,
           memory_elem_constraints_error, missing_perf_estimate, missing_profile_data,
           missing_graph_profile, no_environment, no_size_specified, parse_error,
           profiling_disabled, stream_connection_error, stream_memory_allocation_error,
           unknown_field, unknown_vertex_type, link_error, poplar::runtime_error,
           application_runtime_error, system_runtime_error, unrecoverable_runtime_error,
           unknown_runtime_error>();
}
