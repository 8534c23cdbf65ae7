// SPDX-License-Identifier: MIT
// Streams, remote buffers, host reads and writes, host functions, functions.
#include "Access.hpp"
#include "base/CheckedSize.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include "poplar/Graph.hpp"
#include "types/TypeAccess.hpp"
#include <algorithm>

namespace poplar {

using base::str;

namespace {

template <class List>
void requireUnused(const List &list, const std::string &handle, const char *call,
                   const char *kind) {
  if (std::any_of(list.begin(), list.end(),
                  [&](const auto &item) { return item.handle == handle; }))
    throw poplar_error(str(call, ": there is already a ", kind, " with the handle \"", handle,
                           "\". Handles must be unique."));
}
template <class List>
void requireFresh(const List &list, const std::string &handle, const char *call, const char *kind) {
  if (handle.empty())
    throw poplar_error(str(call, ": the handle is empty."));
  requireUnused(list, handle, call, kind);
}

// Elements of a type that the device has, no more than memory could hold.
std::size_t checkedCount(std::initializer_list<std::size_t> counts, const std::string &handle,
                         const char *call) {
  if (auto elements = base::checkedElements(counts))
    return *elements;
  throw poplar_error(str(call, ": \"", handle, "\" with ", base::list(counts, " x "),
                         " elements is too large; at most ", base::thousands(base::maxElements),
                         " are possible."));
}

unsigned bufferingDepth(const OptionFlags &options, const char *call) {
  unsigned depth = 1;
  for (const auto &[key, value] : options) {
    std::size_t used = 0;
    long parsed = -1;
    try {
      parsed = std::stol(value, &used, 0);
    } catch (const std::exception &) {
    }
    if (key != "bufferingDepth" && key != "splitLimit")
      throw invalid_option(str(call, ": unknown option \"", key, "\".",
                               base::didYouMean(key, {"bufferingDepth", "splitLimit"})));
    constexpr long most = 1 << 30;
    if (parsed < 0 || parsed > most || used != value.size() ||
        (key == "bufferingDepth" && parsed == 0))
      throw invalid_option(str(call, ": \"", value, "\" is not a value of option \"", key,
                               "\"; give a positive number, at most ", most, "."));
    if (key == "bufferingDepth")
      depth = parsed; // splitLimit bounds the size of one host buffer, which the host backend does
                      // not split
  }
  return depth;
}

} // namespace

DataStream Graph::addHostToDeviceFIFO(StringRef handle, const Type &elementType,
                                      std::size_t numElements, ReplicatedStreamMode mode,
                                      const OptionFlags &options) {
  auto &state = *Access::graph(*this).state;
  requireFresh(state.streams, handle, "Graph::addHostToDeviceFIFO", "stream");
  const auto depth = bufferingDepth(options, "Graph::addHostToDeviceFIFO");
  checkedCount({numElements, depth}, handle, "Graph::addHostToDeviceFIFO");
  state.streams.push_back({handle, types::idOf(elementType), numElements, true,
                           mode == ReplicatedStreamMode::BROADCAST, depth});
  return Access::stream(state, state.streams.back(), elementType);
}
DataStream Graph::addDeviceToHostFIFO(StringRef handle, const Type &elementType,
                                      std::size_t numElements, const OptionFlags &options) {
  auto &state = *Access::graph(*this).state;
  requireFresh(state.streams, handle, "Graph::addDeviceToHostFIFO", "stream");
  const auto depth = bufferingDepth(options, "Graph::addDeviceToHostFIFO");
  checkedCount({numElements, depth}, handle, "Graph::addDeviceToHostFIFO");
  state.streams.push_back({handle, types::idOf(elementType), numElements, false, false, depth});
  return Access::stream(state, state.streams.back(), elementType);
}
RemoteBuffer Graph::addRemoteBuffer(StringRef handle, const Type &elementType,
                                    std::size_t numElements, std::size_t repeats,
                                    bool rearrangeOnHost, bool optimiseMemory) {
  auto &state = *Access::graph(*this).state;
  requireFresh(state.remoteBuffers, handle, "Graph::addRemoteBuffer", "remote buffer");
  if (repeats == 0)
    throw poplar_error(str("Graph::addRemoteBuffer: \"", handle.cloneAsString(),
                           "\" has 0 repeats; it needs at least 1."));
  checkedCount({numElements, repeats}, handle, "Graph::addRemoteBuffer");
  state.remoteBuffers.push_back({handle, types::idOf(elementType), numElements, repeats});
  return Access::remoteBuffer(state, state.remoteBuffers.back(), elementType, rearrangeOnHost,
                              optimiseMemory);
}

void Graph::createHostWrite(StringRef handle, const Tensor &tensor, bool) {
  auto &state = *Access::graph(*this).state;
  requireFresh(state.hostWrites, handle, "Graph::createHostWrite", "host write");
  Access::ownView(state, tensor, str("Graph::createHostWrite of \"", handle.cloneAsString(), "\""));
  if (!tensor.isParallelWriteable())
    throw poplar_error(
        str("Graph::createHostWrite: ", tensor.getDebugStr(), " for \"", handle.cloneAsString(),
            "\" holds a constant or names an element twice, so it cannot be written."));
  state.hostWrites.push_back({handle, tensor});
}
void Graph::createHostRead(StringRef handle, const Tensor &tensor, bool) {
  auto &state = *Access::graph(*this).state;
  requireFresh(state.hostReads, handle, "Graph::createHostRead", "host read");
  Access::ownView(state, tensor, str("Graph::createHostRead of \"", handle.cloneAsString(), "\""));
  state.hostReads.push_back({handle, tensor});
}

HostFunction Graph::addHostFunction(StringRef handle, ArrayRef<HostFunctionArgument> inputs,
                                    ArrayRef<HostFunctionArgument> outputs) {
  auto &state = *Access::graph(*this).state;
  requireUnused(state.hostFunctions, handle, "Graph::addHostFunction", "host function");
  executable::HostFunction function{handle, {}, {}};
  for (const auto &[type, n] : inputs)
    function.inputs.emplace_back(types::idOf(type),
                                 checkedCount({n}, handle, "Graph::addHostFunction"));
  for (const auto &[type, n] : outputs)
    function.outputs.emplace_back(types::idOf(type),
                                  checkedCount({n}, handle, "Graph::addHostFunction"));
  state.hostFunctions.push_back(std::move(function));
  return Access::part<HostFunction>(state, state.hostFunctions.size() - 1);
}

Function Graph::addFunction(const program::Program &program) {
  auto &state = *Access::graph(*this).state;
  state.functions.push_back(program);
  return Access::part<Function>(state, state.functions.size() - 1);
}
FunctionBuffer Graph::addFunctionBuffer(const Function &function, FunctionBufferMappingType) {
  auto &state = *Access::graph(*this).state;
  if (function.getId() >= state.functions.size() || !Access::isOwn(state, function))
    throw poplar_error("Graph::addFunctionBuffer: the function does not belong to this graph.");
  state.functionBuffers.push_back(function.getId());
  return Access::part<FunctionBuffer>(state, state.functionBuffers.size() - 1);
}

} // namespace poplar
