// SPDX-License-Identifier: MIT
// The engine's side of streams, tensors, remote buffers, host functions and printed text.
#include "base/ProgressLine.hpp"
#include "base/Text.hpp"
#include "engine/EngineImpl.hpp"
#include <algorithm>
#include <cstring>
#include <ostream>

namespace poplar {

using base::str;

namespace {

template <class List> std::vector<std::string> handlesOf(const List &list) {
  std::vector<std::string> out;
  for (const auto &item : list)
    out.push_back(item.handle);
  return out;
}

const executable::HostAccess &find(const std::vector<executable::HostAccess> &all,
                                   const std::string &handle, const char *what, const char *made,
                                   const char *used) {
  for (const auto &access : all)
    if (access.handle == handle)
      return access;
  throw poplar_error(str("Engine::", used, ": the graph has no ", what, " \"", handle,
                         "\". Declare it with Graph::", made, " before compiling.",
                         base::didYouMean(handle, handlesOf(all))));
}

void checkSize(const char *what, const executable::HostAccess &access, unsigned replicas,
               std::optional<std::uint64_t> bytes) {
  const auto expected = access.elements * sizeOf(access.type) * replicas;
  if (bytes && *bytes < expected) // what is beyond the tensor is left alone
    throw poplar_error(str("Engine::", what, ": the host buffer for \"", access.handle, "\" has ",
                           *bytes, " bytes; the tensor has ", access.elements, " elements of type ",
                           spelling(access.type),
                           replicas > 1 ? str(" in each of ", replicas, " replicas") : "",
                           ", which is ", expected, " bytes."));
}

std::optional<std::uint64_t> distance(const void *begin, const void *end) {
  return std::uint64_t(static_cast<const char *>(end) - static_cast<const char *>(begin));
}

} // namespace

// ---- tensors ----

void Engine::Impl::requireLoaded(const char *what, const std::string &handle) const {
  if (state == State::Created || state == State::Prepared)
    throw tensor_io_state_error(
        str("Engine::", what, ": \"", handle, "\" has no contents before Engine::load."));
  requireAttached(what);
}

static void requirePointer(const void *p, std::uint64_t bytes, const char *what,
                           const std::string &handle) {
  if (!p && bytes != 0)
    throw poplar_error(str("Engine::", what, ": the pointer for \"", handle,
                           "\" is null; it must lead to ", bytes, " bytes."));
}

void Engine::Impl::read(const std::string &handle, std::byte *to,
                        std::optional<std::uint64_t> bytes) {
  const auto &access = find(image->hostReads, handle, "host read", "createHostRead", "readTensor");
  requireLoaded("readTensor", handle);
  checkSize("readTensor", access, replicas(), bytes);
  const auto &view = viewOf(access);
  requirePointer(to, view.bytes(), "readTensor", handle);
  for (unsigned r = 0; r < replicas(); ++r)
    interpreter->read(view, r, to + r * view.bytes());
}

void Engine::Impl::write(const std::string &handle, const std::byte *from,
                         std::optional<std::uint64_t> bytes) {
  const auto &access =
      find(image->hostWrites, handle, "host write", "createHostWrite", "writeTensor");
  requireLoaded("writeTensor", handle);
  checkSize("writeTensor", access, replicas(), bytes);
  const auto &view = viewOf(access);
  requirePointer(from, view.bytes(), "writeTensor", handle);
  for (unsigned r = 0; r < replicas(); ++r)
    interpreter->write(view, r, from + r * view.bytes());
}

void Engine::readTensor(StringRef handle, void *begin, void *end) {
  impl().read(handle, static_cast<std::byte *>(begin), distance(begin, end));
}
void Engine::readTensor(StringRef handle, void *p) {
  impl().read(handle, static_cast<std::byte *>(p), {});
}
void Engine::writeTensor(StringRef handle, const void *begin, const void *end) {
  impl().write(handle, static_cast<const std::byte *>(begin), distance(begin, end));
}
void Engine::writeTensor(StringRef handle, const void *p) {
  impl().write(handle, static_cast<const std::byte *>(p), {});
}

const backend::HostView &Engine::Impl::bound(Views &all, const executable::HostAccess &access,
                                             const tensor::View &view) {
  auto it = all.find(&access);
  if (it == all.end())
    it = all.emplace(&access, interpreter->view(view)).first;
  return it->second;
}
const backend::HostView &Engine::Impl::viewOf(const executable::HostAccess &access) {
  return bound(views, access, access.view);
}

// The metadata of an 8-bit float tensor is one byte of another variable. Null for one without: it
// is F143 with scale 0 everywhere.
const backend::HostView *Engine::Impl::metadataOf(const executable::HostAccess &access) {
  if (access.type != TypeId::Quarter)
    throw tensor_metadata_error(str("The tensor \"", access.handle, "\" has type ",
                                    spelling(access.type),
                                    " and no metadata. Use the form without metadata."));
  return access.view.metadata ? &bound(metadataViews, access, *access.view.metadata) : nullptr;
}

static void checkUsual(const executable::HostAccess &access, const QuarterMetadata &metadata) {
  if (metadata != QuarterMetadata())
    throw tensor_metadata_error(str("The tensor \"", access.handle,
                                    "\" was made without metadata, so its elements are ",
                                    QuarterMetadata().toString(), " and not ", metadata.toString(),
                                    ". Make it by Graph::addVariable with a metadata tensor."));
}

void Engine::readTensor(StringRef handle, QuarterMetadata &metadata, void *begin, void *end) {
  readTensor(handle, begin, end);
  const auto *view = impl().metadataOf(
      find(impl().image->hostReads, handle, "host read", "createHostRead", "readTensor"));
  auto byte = std::byte(QuarterMetadata().getBinary());
  if (view)
    impl().interpreter->read(*view, 0, &byte);
  metadata = QuarterMetadata(static_cast<unsigned char>(byte));
}
void Engine::writeTensor(StringRef handle, const QuarterMetadata &metadata, const void *begin,
                         const void *end) {
  const auto &access =
      find(impl().image->hostWrites, handle, "host write", "createHostWrite", "writeTensor");
  const auto *view = impl().metadataOf(access);
  if (!view)
    checkUsual(access, metadata);
  writeTensor(handle, begin, end);
  const auto byte = std::byte(metadata.getBinary());
  for (unsigned r = 0; view && r < impl().replicas(); ++r)
    impl().interpreter->write(*view, r, &byte);
}

// ---- remote buffers ----

std::uint32_t Engine::Impl::findRemote(const std::string &handle) const {
  for (std::uint32_t i = 0; i < image->remoteBuffers.size(); ++i)
    if (image->remoteBuffers[i].handle == handle)
      return i;
  throw poplar_error(str("The program has no remote buffer \"", handle, "\".",
                         base::didYouMean(handle, handlesOf(image->remoteBuffers))));
}

std::byte *Engine::Impl::remoteBuffer(std::uint32_t buffer, unsigned replica) {
  auto &memory = remoteMemory[buffer][replica];
  const auto &remote = image->remoteBuffers[buffer];
  if (!memory)
    memory = backend::MappedMemory(
        std::max<std::uint64_t>(1, remote.elements * remote.repeats * sizeOf(remote.type)));
  return memory.data();
}

std::byte *Engine::Impl::remoteSlot(const std::string &handle, std::uint64_t repeat,
                                    unsigned replica) {
  const auto index = findRemote(handle);
  const auto &remote = image->remoteBuffers[index];
  requireLoaded("copyToRemoteBuffer or copyFromRemoteBuffer", handle);
  if (repeat >= remote.repeats)
    throw index_error(str("Remote buffer \"", handle, "\" has ", remote.repeats, " repeats (0 to ",
                          remote.repeats - 1, "); repeat index ", repeat, " does not exist."));
  if (replica >= replicas())
    throw index_error(str("Remote buffer \"", handle, "\": replica ", replica,
                          " does not exist; there are ", replicas(), "."));
  return remoteBuffer(index, replica) + repeat * remote.elements * sizeOf(remote.type);
}

void Engine::copyToRemoteBuffer(const void *src, StringRef handle, std::uint64_t repeatIndex,
                                unsigned replica) {
  const auto &remote = impl().image->remoteBuffers[impl().findRemote(handle)];
  const auto bytes = remote.elements * sizeOf(remote.type);
  requirePointer(src, bytes, "copyToRemoteBuffer", handle);
  if (auto *slot = impl().remoteSlot(handle, repeatIndex, replica); bytes != 0)
    std::memcpy(slot, src, bytes);
}
void Engine::copyFromRemoteBuffer(StringRef handle, void *dst, std::uint64_t repeatIndex,
                                  unsigned replica) {
  const auto &remote = impl().image->remoteBuffers[impl().findRemote(handle)];
  const auto bytes = remote.elements * sizeOf(remote.type);
  requirePointer(dst, bytes, "copyFromRemoteBuffer", handle);
  if (const auto *slot = impl().remoteSlot(handle, repeatIndex, replica); bytes != 0)
    std::memcpy(dst, slot, bytes);
}
void Engine::checkRemoteBufferSize(StringRef handle, std::size_t bytes) const {
  const auto &remote = impl().image->remoteBuffers[impl().findRemote(handle)];
  const auto expected = remote.elements * sizeOf(remote.type);
  if (bytes != expected)
    throw poplar_error(str("Remote buffer \"", handle, "\" has ", remote.elements, " elements (",
                           expected, " bytes) in each repeat; the array given has ", bytes,
                           " bytes."));
}

// ---- streams and host functions ----

void Engine::connectStream(StringRef handle, void *begin, void *end) {
  impl().requireIdle("Engine::connectStream");
  impl().streams.connect(handle, begin, end);
}
void Engine::connectStream(StringRef handle, void *p) {
  impl().requireIdle("Engine::connectStream");
  impl().streams.connect(handle, p);
}
void Engine::connectStreamToCallback(StringRef handle, StreamCallbackHandle callback) {
  impl().requireIdle("Engine::connectStreamToCallback");
  impl().streams.connect(handle, callback.release());
}
void Engine::connectStreamToCallback(StringRef handle, unsigned replica,
                                     StreamCallbackHandle callback) {
  impl().requireIdle("Engine::connectStreamToCallback");
  impl().streams.connect(handle, replica, callback.release());
}
std::vector<std::string> Engine::listStreams() const { return impl().streams.handles(); }

void Engine::connectHostFunction(StringRef handle, unsigned replica, HostCallbackHandle callback) {
  impl().requireIdle("Engine::connectHostFunction");
  const auto &functions = impl().image->hostFunctions;
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i].handle == handle.cloneAsString()) {
      if (replica >= impl().replicas())
        throw index_error(str("Host function \"", handle, "\": replica ", replica,
                              " does not exist; there are ", impl().replicas(), "."));
      if (!callback)
        throw stream_connection_error(
            str("Host function \"", handle, "\": the callback is empty. Give a callable."));
      impl().hostFunctions[i][replica] = callback.release();
      return;
    }
  throw poplar_error(str("The program has no host function \"", handle, "\".",
                         base::didYouMean(handle.cloneAsString(), handlesOf(functions))));
}

void Engine::Impl::callFunction(std::uint32_t function, unsigned replica,
                                std::span<const void *const> inputs,
                                std::span<void *const> outputs) {
  auto &callback = hostFunctions[function][replica];
  if (!callback)
    throw stream_connection_error(
        str("Host function \"", image->hostFunctions[function].handle, "\" of replica ", replica,
            " is not connected. Call Engine::connectHostFunction before Engine::run."));
  (*callback)(ArrayRef<const void *>(inputs.data(), inputs.size()),
              ArrayRef<void *>(outputs.data(), outputs.size()));
}

// ---- text ----

void Engine::Impl::tensorText(std::string_view text) {
  base::hideProgress();
  *tensorStream << text << std::flush;
}
void Engine::Impl::vertexText(std::string_view text) {
  std::lock_guard lock(textMutex);
  base::hideProgress();
  *vertexStream << text << std::flush;
}
void Engine::setPrintStream(std::ostream &stream) { impl().vertexStream = &stream; }
void Engine::setPrintTensorStream(std::ostream &stream) { impl().tensorStream = &stream; }

} // namespace poplar
