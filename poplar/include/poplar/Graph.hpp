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

StringRef versionString();
StringRef packageHash();

// One permutation of elements, applied to tensors and intervals and undone.
class TensorRearranger {
public:
  TensorRearranger();
  ~TensorRearranger();
  TensorRearranger(const TensorRearranger &);
  TensorRearranger(TensorRearranger &&) noexcept;
  TensorRearranger &operator=(const TensorRearranger &);
  TensorRearranger &operator=(TensorRearranger &&) noexcept;

  bool valid() const { return impl_ != nullptr; }
  Tensor rearrange(const Tensor &t) const;
  std::vector<Interval> rearrange(ArrayRef<Interval> intervals) const;
  Tensor undoRearrangement(const Tensor &t) const;
  std::vector<Interval> undoRearrangement(ArrayRef<Interval> intervals) const;

private:
  friend class Graph;
  struct Impl;
  std::shared_ptr<const Impl> impl_;
};

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
  using TileToTensorMapping = std::vector<std::vector<Interval>>;
  using HostFunctionArgument = std::tuple<Type, std::size_t>; // element type, number of elements

  // What to connect to a field, or which value to give it: {"field", tensor}, {"field", tensors},
  // {"field", 3}.
  class ConnectionDesc {
  public:
    enum class Kind { TensorEdge, TensorListEdge, Scalar };
    ConnectionDesc(StringRef field, const Tensor &tensor)
        : field_(field), kind_(Kind::TensorEdge), tensors_{tensor} {}
    ConnectionDesc(StringRef field, ArrayRef<Tensor> tensors)
        : field_(field), kind_(Kind::TensorListEdge), tensors_(tensors.begin(), tensors.end()) {}
    template <class T, class = IfSimple<T>>
    ConnectionDesc(StringRef field, T value)
        : field_(field), kind_(Kind::Scalar), type_(equivalent_device_type<T>().value) {
      std::memcpy(value_, &value, sizeof value);
    }

    const std::string &field() const { return field_; }
    Kind kind() const { return kind_; }
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
  unsigned getReplicationFactor() const;
  Graph createVirtualGraph(unsigned lowerTile, unsigned upperTile);
  Graph createVirtualGraph(unsigned numTilesPerIPU);
  Graph createVirtualGraph(const std::vector<unsigned> &perIpuTiles);
  Graph getTopLevelGraph();
  unsigned convertVirtualTileToPhysicalTile(unsigned virtualTile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned physicalTile) const;
  unsigned convertPhysicalTileToVirtualTile(unsigned ipu, unsigned physicalTile) const;
  unsigned convertTileToTopLevelGraphTile(unsigned tile) const;
  unsigned convertTopLevelGraphTileToTile(unsigned tile) const;
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
  void addCodeletPlaceholder(std::istream &source, StringRef targetName = "");
  bool hasCodelet(StringRef codeletName) const;

  // ---- variables
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, ArrayRef<std::size_t> shape, VariableMappingMethod mapping,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     const DebugContext &debugContext = {});
  Tensor addVariable(const Type &type, const Tensor &metadata, ArrayRef<std::size_t> shape,
                     VariableMappingMethod mapping, const DebugContext &debugContext = {});
  Tensor addExternalVariable(const Type &type, ArrayRef<std::size_t> shape, StringRef externalName,
                             const DebugContext &debugContext = {});

  // ---- constants: one value for all elements, or one per element; host values are converted to
  // the device type
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
  Tensor clone(const Type &type, const Tensor &metadata, const Tensor &t,
               const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Type &type, const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor &metadata, const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
  Tensor clone(const Tensor &t, const DebugContext &debugContext = {},
               TensorCloneMethod method = TensorCloneMethod::PRESERVE_ORDER_UNLESS_ALIASES);
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
  ComputeSet addComputeSet(const DebugContext &debugContext = {});
  VertexRef addVertex(ComputeSet cs, StringRef vertexType);
  VertexRef addVertex(ComputeSet cs, StringRef vertexType, ArrayRef<ConnectionDesc> connections);

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
  void setInitialValueHalf(const Tensor &tensor, std::uint16_t value);
  void setInitialValueHalf(const Tensor &tensor, ArrayRef<std::uint16_t> values);

  void setFieldSize(FieldRef field, std::size_t size);
  std::size_t getFieldSize(FieldRef field) const;
  unsigned getMaxFieldDim(StringRef vertexType, StringRef fieldName, unsigned dimension) const;
  double getMaxVertexFieldValue(StringRef vertexType, StringRef fieldName) const;
  template <class T> T getMaxVertexFieldValueAs(StringRef vertexType, StringRef fieldName) const {
    return static_cast<T>(getMaxVertexFieldValue(vertexType, fieldName));
  }

  void setPerfEstimate(const VertexRef &vertex, std::uint64_t cycles, std::uint64_t flops = 0);
  void setPerfEstimate(const VertexRef &vertex, const VertexPerfEstimate &estimate);
  VertexPerfEstimate getPerfEstimate(const VertexRef &vertex) const;
  void setCycleEstimate(const VertexRef &vertex, std::uint64_t cycles) {
    setPerfEstimate(vertex, cycles);
  }
  std::uint64_t getCycleEstimate(const VertexRef &vertex) const {
    return getPerfEstimate(vertex).cycles;
  }
  void registerPerfEstimator(StringRef vertexType, PerfEstimateFunc estimator);
  std::size_t getNumVertices() const;

  // ---- mapping
  void setTileMapping(const VertexRef &vertex, unsigned tile);
  void setTileMapping(const Tensor &tensor, unsigned tile);
  void setTileMapping(const Tensor &tensor, const TileToTensorMapping &mapping);
  // One entry per tile of this graph. Throws invalid_tile_mapping if an element is not mapped,
  // unless told otherwise.
  TileToTensorMapping getTileMapping(const Tensor &tensor, bool requireComplete = true,
                                     bool allowExternal = false) const;
  TileToTensorMapping getTileMapping(const Tensor &tensor, bool *isComplete,
                                     bool allowExternal = false) const;
  TileToTensorMapping getVariableTileMapping(const Tensor &tensor) const;

  std::vector<std::vector<Interval>>
  getSortedContiguousRegions(const Tensor &tensor, ArrayRef<Interval> regions,
                             bool removeAliasedIntervals = false,
                             std::vector<std::size_t> *aliases = nullptr) const;
  void reorderToSimplify(Tensor *tensor, ArrayRef<Tensor *> others,
                         bool requireSimplestOrder = true) const;
  TensorRearranger getSimplifyingRearranger(const Tensor &tensor) const;
  Tensor findUnbroadcastTensor(const Tensor &tensor) const;
  Tensor getVariable(VariableRef variable) const;
  bool isConstant(VariableRef variable) const;

  // ---- host
  // Options: bufferingDepth, splitLimit.
  DataStream addHostToDeviceFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                 ReplicatedStreamMode mode = ReplicatedStreamMode::REPLICATE,
                                 const OptionFlags &options = {});
  DataStream addDeviceToHostFIFO(StringRef handle, const Type &elementType, std::size_t numElements,
                                 const OptionFlags &options = {});
  RemoteBuffer addRemoteBuffer(StringRef handle, const Type &elementType, std::size_t numElements,
                               std::size_t repeats = 1, bool rearrangeOnHost = false,
                               bool optimiseMemory = false);
  void createHostWrite(StringRef handle, const Tensor &tensor, bool rearrangeOnHost = false);
  void createHostRead(StringRef handle, const Tensor &tensor, bool rearrangeOnHost = false);
  HostFunction addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                               ArrayRef<HostFunctionArgument> outputs);

  // ---- functions
  Function addFunction(const program::Program &program);
  FunctionBuffer addFunctionBuffer(const Function &function, FunctionBufferMappingType type);

  // ---- dumps
  void outputVertexGraph(std::ostream &out, ArrayRef<program::Program> programs = {}) const;
  void outputComputeGraph(std::ostream &out, ArrayRef<program::Program> programs = {}) const;
  void serialize(std::ostream &out, SerializationFormat format) const;
  void serialize(std::ostream &out, ArrayRef<program::Program> programs,
                 SerializationFormat format) const;
  void serializeTensors(std::ostream &out, ArrayRef<Tensor> tensors,
                        SerializationFormat format) const;
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
