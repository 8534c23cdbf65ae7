// SPDX-License-Identifier: MIT
// A graph: variables, constants, vertices in compute sets, connections to the host, and where
// everything lives. A Graph object is a view onto shared state: virtual graphs (a subset of the
// tiles) share variables and vertices with the graph they were made from. Movable, not copyable.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iosfwd>
#include <map>
#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/CodeletFileType.hpp>
#include <poplar/DataStream.hpp>
#include <poplar/DebugContext.hpp>
#include <poplar/Device.hpp>
#include <poplar/exceptions.hpp>
#include <poplar/FunctionBufferMappingType.hpp>
#include <poplar/GraphElements.hpp>
#include <poplar/IeeeHalf.hpp>
#include <poplar/Interval.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/PerfEstimateFunc.hpp>
#include <poplar/Program.hpp>
#include <poplar/ReplicatedStreamMode.hpp>
#include <poplar/replication_factor.hpp>
#include <poplar/SerializationFormat.hpp>
#include <poplar/StringRef.hpp>
#include <poplar/Target.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/TensorCloneMethod.hpp>
#include <poplar/Type.hpp>
#include <poplar/TypeTraits.hpp>
#include <poplar/VariableMappingMethod.hpp>
#include <poplar/VariableRef.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace poplar {

namespace openipu {
struct Access;
struct GraphView;
} // namespace openipu

StringRef versionString(); // the version of this library
StringRef packageHash();   // text that differs between builds whose executables cannot be exchanged

// One permutation of elements, applied to tensors and intervals and undone.
class TensorRearranger {
public:
  TensorRearranger();
  ~TensorRearranger();
  TensorRearranger(const TensorRearranger &);
  TensorRearranger(TensorRearranger &&) noexcept;
  TensorRearranger &operator=(const TensorRearranger &);
  TensorRearranger &operator=(TensorRearranger &&) noexcept;

  bool valid() const { return impl_ != nullptr; } // false for one made without a tensor
  // Elements in the order of memory. Throws index_error if the number of elements differs.
  Tensor rearrange(const Tensor &t) const;
  std::vector<Interval> rearrange(ArrayRef<Interval> intervals) const;
  // Back in the order of the tensor that it was made from.
  Tensor undoRearrangement(const Tensor &t) const;
  std::vector<Interval> undoRearrangement(ArrayRef<Interval> intervals) const;

private:
  friend class Graph;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

// The program's data and computation, and the tiles they are on.
//
//   Graph graph(device.getTarget());
//   Tensor x = graph.addVariable(FLOAT, {1024}, VariableMappingMethod::LINEAR, "x");
//   graph.addCodelets("codelets.cpp");
//   ComputeSet cs = graph.addComputeSet("scale");
//   VertexRef v = graph.addVertex(cs, "Scale", {{"x", x.slice(0, 512)}});
//   graph.setTileMapping(v, 0);
//
// One graph is used by one thread at a time.
class Graph {
  template <class T> using IfSimple = typename std::enable_if<TypeTraits::isSimpleType<T>()>::type;
  template <class P>
  using Pointee = typename std::remove_cv<typename std::remove_pointer<P>::type>::type;
  template <class P>
  using IfSimplePointer = typename std::enable_if<std::is_pointer<P>::value &&
                                                  TypeTraits::isSimpleType<Pointee<P>>()>::type;
  template <class P, class T>
  using IfPointerTo = typename std::enable_if<std::is_pointer<P>::value &&
                                              std::is_same<Pointee<P>, T>::value>::type;

public:
  // For each tile, the intervals of the flattened tensor that lie on it.
  using TileToTensorMapping = std::vector<std::vector<Interval>>;
  using HostFunctionArgument = std::tuple<Type, std::size_t>; // element type, number of elements

  // What to connect to a field, or which value to give it: {"field", tensor}, {"field", tensors},
  // {"field", 3}.
  class ConnectionDesc {
  public:
    enum class Kind { TensorEdge, TensorListEdge, Scalar }; // a tensor, a list of them, or a value
    ConnectionDesc(StringRef field, const Tensor &tensor)
        : field_(field), kind_(Kind::TensorEdge), tensors_{tensor} {}
    ConnectionDesc(StringRef field, ArrayRef<Tensor> tensors)
        : field_(field), kind_(Kind::TensorListEdge), tensors_(tensors.begin(), tensors.end()) {}
    template <class T, class = IfSimple<T>>
    ConnectionDesc(StringRef field, T value)
        : field_(field), kind_(Kind::Scalar), type_(equivalent_device_type<T>().value) {
      std::memcpy(value_, &value, sizeof value);
    }

    const std::string &field() const { return field_; } // the field's name
    Kind kind() const { return kind_; }                 // which of the three
    // One for a TensorEdge; none for a Scalar.
    const std::vector<Tensor> &tensors() const { return tensors_; }
    const Type &scalarType() const { return type_; }   // of a Scalar: the host type
    const void *scalarValue() const { return value_; } // and its bytes

  private:
    std::string field_;
    Kind kind_;
    std::vector<Tensor> tensors_;
    Type type_;
    alignas(8) unsigned char value_[8] = {};
  };

  Graph();
  explicit Graph(const Target &target, replication_factor r = replication_factor(1));
  explicit Graph(const Device &device, replication_factor r = replication_factor(1));
  ~Graph();
  Graph(Graph &&) noexcept;
  Graph &operator=(Graph &&) noexcept;

  const Target &getTarget() const; // of this view: one replica, the tiles of this virtual graph
  unsigned getReplicationFactor() const; // replicas that run the same program on other IPUs
  // A view of some tiles, which are numbered from 0 in it: tiles [lower, upper), the first tiles of
  // every IPU, or tiles of every IPU by number. Throws invalid_tile_mapping for tiles that are not
  // there.
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  Graph createVirtualGraph(unsigned numTilesPerIPU);
  Graph createVirtualGraph(const std::vector<unsigned> &perIpuTiles);
  Graph getTopLevelGraph(); // the graph that all virtual graphs are views of
  // Converts numbers of tiles between this view and the machine.
  unsigned convertVirtualTileToPhysicalTile(unsigned virtualTile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned physicalTile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned ipu, unsigned physicalTile) const;
  // Converts numbers of tiles between this view and the graph it is a view of.
  unsigned convertTileToTopLevelGraphTile(unsigned tile) const;
  unsigned convertTopLevelGraphTileToTile(unsigned tile) const;
  // A scalar UNSIGNED_INT with the number of the replica that reads it, from 0.
  Tensor addReplicationIndexConstant(const DebugContext &debugContext = {});

  // ---- codelets
  // Source is compiled at once for this graph's target; throws with the compiler's message.
  bool addCodelets(StringRef file, CodeletFileType type = CodeletFileType::Auto,
                   StringRef compileFlags = "", StringRef targetName = "");
  bool addCodelets(StringRef file, CodeletFileType type, StringRef compileFlags,
                   std::ostream &compileOutput, StringRef targetName = "");
  bool addCodelets(ArrayRef<std::string> files, StringRef compileFlags = "",
                   StringRef targetName = "");
  // A brace list of file names, also of one.
  bool addCodelets(std::initializer_list<std::string> files, StringRef compileFlags = "",
                   StringRef targetName = "") {
    return addCodelets(ArrayRef<std::string>(files), compileFlags, targetName);
  }
  void addCodelets(std::stringstream &source, StringRef compileFlags = "",
                   CodeletFileType type = CodeletFileType::CppSource, StringRef targetName = "");
  // The same as addCodelets with a stream of C++.
  void addCodeletPlaceholder(std::istream &source, StringRef targetName = "");
  // Whether a codelet of that name was added or is built in.
  bool hasCodelet(StringRef codeletName) const;

  // ---- variables
  // A new tensor, all of whose elements need a tile by setTileMapping before a program uses them
  // (LINEAR gives them one). A QUARTER tensor needs metadata. Throws type_error for types that the
  // device does not have, tensor_creation_error for a shape that is too large.
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod mapping,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     VariableMappingMethod mapping, const DebugContext &debugContext = {});
  // A variable under this name. Nothing outside of the graph provides it: it is read and written
  // like any other.
  Tensor addExternalVariable(const Type &type, ArrayRef<std::size_t> shape, StringRef externalName,
                             const DebugContext &debugContext = {});

  // ---- constants
  // One value for all elements, or one for each, converted to the device type. Throws
  // tensor_creation_error for another number of values, overflow_error for one that the type cannot
  // hold.
  template <class T>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, ArrayRef<T> values,
                     const DebugContext &debugContext = {}) {
    return addConstantValues(type, nullptr, shape, values.data(), values.size(),
                             TypeTraits::make<T>(), false, debugContext);
  }
  template <class T, class = IfSimple<T>>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, T value,
                     const DebugContext &debugContext = {}) {
    return addConstantValues(type, nullptr, shape, &value, 1, TypeTraits::make<T>(), true,
                             debugContext);
  }
  // A pointer form that a literal 0 never selects, with T deduced and with T given.
  template <class P, class = IfSimplePointer<P>, class = void>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, P values,
                     const DebugContext &debugContext = {}) {
    return addConstant(type, shape, values, TypeTraits::make<Pointee<P>>(), false, debugContext);
  }
  template <class T, class P, class = IfPointerTo<P, T>, class = void>
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, P values,
                     const DebugContext &debugContext = {}) {
    return addConstant(type, shape, values, TypeTraits::make<T>(), false, debugContext);
  }
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, const void *values,
                     const TypeTraits &traits, bool broadcast,
                     const DebugContext &debugContext = {});

  // The same for types that need metadata.
  template <class T>
  Tensor addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     ArrayRef<T> values, const DebugContext &debugContext = {}) {
    return addConstantValues(type, &metadata, shape, values.data(), values.size(),
                             TypeTraits::make<T>(), false, debugContext);
  }
  template <class T, class = IfSimple<T>>
  Tensor addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape, T value,
                     const DebugContext &debugContext = {}) {
    return addConstantValues(type, &metadata, shape, &value, 1, TypeTraits::make<T>(), true,
                             debugContext);
  }
  template <class P, class = IfSimplePointer<P>, class = void>
  Tensor addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     P values, const DebugContext &debugContext = {}) {
    return addConstant(type, metadata, shape, values, TypeTraits::make<Pointee<P>>(), false,
                       debugContext);
  }
  template <class T, class P, class = IfPointerTo<P, T>, class = void>
  Tensor addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     P values, const DebugContext &debugContext = {}) {
    return addConstant(type, metadata, shape, values, TypeTraits::make<T>(), false, debugContext);
  }
  Tensor addConstant(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     const void *values, const TypeTraits &traits, bool broadcast,
                     const DebugContext &debugContext = {});

  // Bit patterns of IEEE half.
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, std::uint16_t value,
                         const DebugContext &debugContext = {});
  template <class P, class = IfPointerTo<P, std::uint16_t>>
  Tensor addConstantHalf(const Type &type, ArrayRef<std::size_t> shape, P values,
                         const DebugContext &debugContext = {}) {
    return addConstantHalfValues(type, shape, values, debugContext);
  }

  // ---- copies of shape, mapping and order, without data
  // A new variable in the likeness of t: its shape, and by default its order in memory and tiles.
  // Another type, or metadata for QUARTER, may be given.
  Tensor clone(const Type &type, const Tensor &metadata, const Tensor &t,
               const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Type &type, const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor &metadata, const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  // n copies in a tensor with one dimension more, the first. Throws tensor_creation_error for too
  // many.
  Tensor cloneN(const Type &type, const Tensor &metadata, const Tensor &t, std::size_t n,
                const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Type &type, const Tensor &t, std::size_t n,
                const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Tensor &metadata, const Tensor &t, std::size_t n,
                const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);
  Tensor cloneN(const Tensor &t, std::size_t n, const DebugContext &debugContext = {},
                TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES,
                TensorCloneDuplicationMethod duplication =
                    TensorCloneDuplicationMethod::DUPLICATE_BY_OUTER_DIMENSION);

  // ---- compute
  // A set of vertices that run at the same time. No vertex may write what another one of it reads
  // or writes.
  ComputeSet addComputeSet(const DebugContext &debugContext = {});
  // Adds a vertex to a compute set. Throws unknown_vertex_type, with near matches, if no codelet
  // has the name; setTileMapping says where it runs.
  VertexRef addVertex(ComputeSet cs, StringRef vertexType);
  VertexRef addVertex(ComputeSet cs, StringRef vertexType, ArrayRef<ConnectionDesc> connections);

  // Connects a field to a tensor, a list of tensors, or a value if it is an input. Throws
  // graph_connection_error if it is connected already, or does not fit; type_error for another
  // element type.
  void connect(FieldRef field, const Tensor &tensor);
  void connect(FieldRef field, ArrayRef<Tensor> tensors);
  template <class T, class = IfSimple<T>> void connect(FieldRef field, T value) {
    connectScalar(field, &value, TypeTraits::make<T>());
  }

  // Values of plain fields.
  template <class T, class = IfSimple<T>> void setInitialValue(FieldRef field, T value) {
    setFieldValues(field, &value, 1, TypeTraits::make<T>(), true);
  }
  template <class T> void setInitialValue(FieldRef field, ArrayRef<T> values) {
    setFieldValues(field, values.data(), values.size(), TypeTraits::make<T>(), false);
  }
  template <class T, class A>
  void setInitialValue(FieldRef field, const std::vector<T, A> &values) {
    setInitialValue(field, ArrayRef<T>(values));
  }
  template <class T, std::size_t N>
  void setInitialValue(FieldRef field, const std::array<T, N> &values) {
    setInitialValue(field, ArrayRef<T>(values));
  }
  // Bit patterns of IEEE half for plain fields of type half.
  void setInitialValueHalf(FieldRef field, std::uint16_t value);
  void setInitialValueHalf(FieldRef field, ArrayRef<std::uint16_t> values);

  // Values of variables each time an engine is loaded.
  template <class T, class = IfSimple<T>> void setInitialValue(const Tensor &tensor, T value) {
    setTensorValues(tensor, &value, 1, TypeTraits::make<T>(), true);
  }
  template <class T> void setInitialValue(const Tensor &tensor, ArrayRef<T> values) {
    setTensorValues(tensor, values.data(), values.size(), TypeTraits::make<T>(), false);
  }
  template <class T, class A>
  void setInitialValue(const Tensor &tensor, const std::vector<T, A> &values) {
    setInitialValue(tensor, ArrayRef<T>(values));
  }
  template <class T, std::size_t N>
  void setInitialValue(const Tensor &tensor, const std::array<T, N> &values) {
    setInitialValue(tensor, ArrayRef<T>(values));
  }
  void setInitialValueHalf(const Tensor &tensor, std::uint16_t value); // Bit patterns of IEEE half.
  void setInitialValueHalf(const Tensor &tensor, ArrayRef<std::uint16_t> values);

  // The number of elements of a vector field that is not connected.
  void setFieldSize(FieldRef field, std::size_t size);
  std::size_t getFieldSize(FieldRef field) const; // the number of elements that the field has now
  // The most elements that a dimension of a field can have: 2047 for SHORT_SPAN. Throws index_error
  // if the field has no such dimension.
  unsigned getMaxFieldDim(StringRef vertexType, StringRef fieldName, unsigned dimension) const;
  // The largest value that the field's type holds. Throws unknown_field.
  double getMaxVertexFieldValue(StringRef vertexType, StringRef fieldName) const;
  // getMaxVertexFieldValue in another type.
  template <class T> T getMaxVertexFieldValueAs(StringRef vertexType, StringRef fieldName) const {
    return static_cast<T>(getMaxVertexFieldValue(vertexType, fieldName));
  }

  // Cycles that the vertex takes, and its floating point operations, in place of the codelet's own.
  void setPerfEstimate(const VertexRef &vertex, std::uint64_t cycles, std::uint64_t flops = 0);
  void setPerfEstimate(const VertexRef &vertex, const VertexPerfEstimate &estimate);
  // What was set, or what the estimator of the vertex' type says. Throws missing_perf_estimate if
  // there is neither.
  VertexPerfEstimate getPerfEstimate(const VertexRef &vertex) const;
  // The cycles of setPerfEstimate.
  void setCycleEstimate(const VertexRef &vertex, std::uint64_t cycles) {
    setPerfEstimate(vertex, cycles);
  }
  // The cycles of getPerfEstimate.
  std::uint64_t getCycleEstimate(const VertexRef &vertex) const {
    return getPerfEstimate(vertex).cycles;
  }
  // A function that tells cycles and operations of every vertex of a type. Throws poplar_error if
  // it is empty.
  void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator);
  std::size_t getNumVertices() const; // of all compute sets

  // ---- mapping
  // Puts a vertex, a whole tensor or parts of it on tiles. Throws invalid_tile_mapping for a tile
  // or an interval that is not there.
  void setTileMapping(const VertexRef &vertex, unsigned tile);
  void setTileMapping(const Tensor &tensor, unsigned tile);
  void setTileMapping(const Tensor &tensor, const TileToTensorMapping &mapping);
  // One entry per tile of this graph. Throws invalid_tile_mapping if an element is not mapped,
  // unless told otherwise.
  TileToTensorMapping getTileMapping(const Tensor &tensor, bool requireComplete = true,
                                     bool allowExternal = false) const;
  TileToTensorMapping getTileMapping(const Tensor &tensor, bool *isComplete,
                                     bool allowExternal = false) const;
  // The mapping of the whole variable that the tensor's first element belongs to.
  TileToTensorMapping getVariableTileMapping(const Tensor &tensor) const;

  // The regions cut and sorted so that each inner list is contiguous in memory. aliases: where the
  // first of elements that occur twice stands.
  std::vector<std::vector<Interval>>
  getSortedContiguousRegions(const Tensor &tensor, ArrayRef<Interval> regions,
                             bool removeAliasedIntervals = false,
                             std::vector<std::size_t> *aliases = nullptr) const;
  // Flattens a tensor and puts its elements in the order of memory; the others get the same order.
  // Throws index_error if they differ in number of elements.
  void reorderToSimplify(Tensor *tensor, ArrayRef<Tensor *> others,
                         bool requireSimplestOrder = true) const;
  // reorderToSimplify as an object, for tensors of the same order.
  TensorRearranger getSimplifyingRearranger(const Tensor &tensor) const;
  // The part of a tensor that broadcasting repeats.
  Tensor findUnbroadcastTensor(const Tensor &tensor) const;
  // The whole variable, flat. Throws index_error if there is none.
  Tensor getVariable(VariableRef variable) const;
  bool isConstant(VariableRef variable) const; // false for one that programs can write

  // ---- host
  // A stream of transfers from the host, of numElements each; Copy reads it. Options:
  // bufferingDepth, splitLimit. Throws poplar_error if the handle is empty or used.
  DataStream addHostToDeviceFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                 ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE,
                                 const OptionFlags &options = {});
  // A stream of transfers to the host; Copy writes it. The same options and errors.
  DataStream addDeviceToHostFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                 const OptionFlags &options = {});
  // Memory beside the device, of `repeats` slots, that Copy reads and writes.
  RemoteBuffer addRemoteBuffer(StringRef handle, const Type &elementType, std::size_t numElements,
                               std::size_t repeats = 1, bool rearrangeOnHost = false,
                               bool optimiseMemory = false);
  // Lets Engine::writeTensor set the tensor, by this handle. Throws poplar_error if it is used.
  void createHostWrite(StringRef handle, const Tensor &tensor, bool rearrangeOnHost = false);
  // Lets Engine::readTensor fetch the tensor, by this handle. Throws poplar_error if it is used.
  void createHostRead(StringRef handle, const Tensor &tensor, bool rearrangeOnHost = false);
  // A function of the host that Call runs with these inputs and outputs;
  // Engine::connectHostFunction gives it its code.
  HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                               ArrayRef<HostFunctionArgument> outputs);

  // ---- functions
  // Makes a program a function, whose code is there once for all its Calls.
  Function addFunction(const program::Program &program);
  // Keeps the code of a function in remote memory until a Copy fetches it. Throws poplar_error for
  // a function of another graph.
  FunctionBuffer addFunctionBuffer(const Function &function, FunctionBufferMappingType type);

  // ---- dumps
  // Vertices and their variables as a drawing for Graphviz.
  void outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs = {}) const;
  // Programs and compute sets as a drawing for Graphviz.
  void outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs = {}) const;
  // Writes the graph, and programs of it if they are given, for tools to read.
  void serialize(std::ostream &out, SerializationFormat format) const;
  void serialize(std::ostream &out, ArrayRef<program::Program> programs,
                 SerializationFormat format) const;
  // Writes which elements of which variables each tensor views; no values.
  void serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                        SerializationFormat format) const;
  // The tensors that serializeTensors wrote, as views of this graph's variables. Throws parse_error
  // for a variable that the graph does not have.
  std::vector<Tensor> deserializeTensors(std::istream &in, SerializationFormat format);

private:
  friend struct openipu::Access;
  explicit Graph(std::unique_ptr<openipu::GraphView> impl);
  // count == the number of host values; broadcast: one value for every element.
  Tensor addConstantValues(const Type &type, const Tensor *metadata, ArrayRef<std::size_t> shape,
                           const void *values, std::size_t count, const TypeTraits &traits,
                           bool broadcast, const DebugContext &dc);
  Tensor addConstantHalfValues(const Type &type, ArrayRef<std::size_t> shape,
                               const std::uint16_t *values, const DebugContext &dc);
  void connectScalar(FieldRef field, const void *value, const TypeTraits &traits);
  void setFieldValues(FieldRef field, const void *values, std::size_t count,
                      const TypeTraits &traits, bool broadcast);
  void setTensorValues(const Tensor &tensor, const void *values, std::size_t count,
                       const TypeTraits &traits, bool broadcast);
  std::unique_ptr<openipu::GraphView> impl_;
};

} // namespace poplar
