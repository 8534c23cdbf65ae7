// SPDX-License-Identifier: MIT
#include "engine/Streams.hpp"
#include "base/Text.hpp"
#include "HostMemory.hpp"
#include "openipu/HostTrace.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <utility>

namespace poplar::engine {

using base::str;

Streams::Streams(const executable::Image &image, unsigned replicas)
    : image_(image), endpoints_(image.streams.size()) {
  for (std::size_t s = 0; s < image.streams.size(); ++s)
    endpoints_[s].resize(image.streams[s].broadcast ? 1 : replicas);
}

// What callbacks refer to may be gone by now: they are waited for, but not called any more.
Streams::~Streams() {
  for (auto &stream : endpoints_)
    for (auto &end : stream)
      if (end.pending.valid() && threads_->alive())
        end.pending.wait();
}

std::vector<std::string> Streams::handles() const {
  std::vector<std::string> all;
  for (const auto &stream : image_.streams)
    all.push_back(stream.handle);
  return all;
}

std::uint32_t Streams::find(const std::string &handle) const {
  for (std::uint32_t s = 0; s < image_.streams.size(); ++s)
    if (image_.streams[s].handle == handle)
      return s;
  throw stream_connection_error(
      str("The program has no stream \"", handle, "\".", base::didYouMean(handle, handles())));
}

std::uint64_t Streams::bytesOf(std::uint32_t stream) const {
  return image_.streams[stream].elements * sizeOf(image_.streams[stream].type);
}

// ---- connecting ----

void Streams::replace(std::uint32_t stream, unsigned replica, Endpoint fresh) {
  auto &end = endpoints_[stream][replica];
  invalidate(end);
  end = std::move(fresh);
}

void Streams::connect(const std::string &handle, void *begin, void *end) {
  const auto stream = find(handle);
  const auto one = bytesOf(stream), count = std::uint64_t(endpointsOf(stream));
  const auto given = static_cast<std::byte *>(end) - static_cast<std::byte *>(begin);
  if (given < 0 || (one && begin && (given == 0 || std::uint64_t(given) % (one * count) != 0)))
    throw stream_connection_error(
        str("Stream \"", handle, "\" moves ", image_.streams[stream].elements, " elements (", one,
            " bytes)", count > 1 ? str(" for each of ", count, " replicas") : "",
            "; the buffer given has ", given, " bytes. Its size must be a positive multiple of ",
            one * count, "."));
  if (!begin && one)
    throw stream_connection_error(
        str("Stream \"", handle, "\" moves ", one, " bytes; the pointer to its buffer is null."));
  const auto share = std::uint64_t(given) / count;
  for (unsigned r = 0; r < count; ++r) {
    Endpoint fresh;
    fresh.begin = static_cast<std::byte *>(begin) + r * share;
    fresh.size = share;
    replace(stream, r, std::move(fresh));
  }
}

static void requireCallback(const std::string &handle, const StreamCallback *callback) {
  if (!callback)
    throw stream_connection_error(
        str("Stream \"", handle, "\": the callback is empty. Give a callable."));
}

void Streams::connect(const std::string &handle, void *p) {
  const auto stream = find(handle);
  if (!p && bytesOf(stream))
    return connect(handle, nullptr, nullptr);
  auto *begin = static_cast<std::byte *>(p);
  connect(handle, begin, begin + bytesOf(stream) * endpointsOf(stream));
}

// One callback for all replicas: it is asked in replica order, so it cannot be asked ahead.
void Streams::connect(const std::string &handle, std::unique_ptr<StreamCallback> callback) {
  const auto stream = find(handle);
  requireCallback(handle, callback.get());
  std::shared_ptr<StreamCallback> shared(std::move(callback));
  for (unsigned r = 0; r < endpointsOf(stream); ++r) {
    Endpoint fresh;
    fresh.callback = shared;
    fresh.direct = dynamic_cast<openipu::DirectSource *>(shared.get());
    fresh.mayPrefetch = endpointsOf(stream) == 1;
    replace(stream, r, std::move(fresh));
  }
}

void Streams::connect(const std::string &handle, unsigned replica,
                      std::unique_ptr<StreamCallback> callback) {
  const auto stream = find(handle);
  if (replica >= endpointsOf(stream))
    throw stream_connection_error(
        str("Stream \"", handle, "\" has ", endpointsOf(stream), " endpoint(s); replica ", replica,
            " has none of its own",
            image_.streams[stream].broadcast ? " because it is broadcast." : "."));
  requireCallback(handle, callback.get());
  Endpoint fresh;
  fresh.callback = std::move(callback);
  fresh.direct = dynamic_cast<openipu::DirectSource *>(fresh.callback.get());
  fresh.mayPrefetch = true;
  replace(stream, replica, std::move(fresh));
}

void Streams::configure(const StreamOptions &options) {
  options_ = options;
  if (options.mode == CallbackMode::SingleThread)
    threads_.reset();
  else if (!threads_ || !threads_->alive() || threads_->size() != options.threads)
    threads_ = std::make_unique<CallbackThreads>(options.threads);
}

// ---- prefetch ----

template <class Call> void Streams::call(std::uint32_t stream, const Call &work) {
  const openipu::HostTrace traced("poplar", image_.streams[stream].handle);
  if (options_.mode == CallbackMode::Dedicated)
    threads_->post(stream, work).get();
  else
    work();
}

std::uint32_t Streams::depth(std::uint32_t stream, const Endpoint &end) const {
  if (!options_.prefetch || !end.mayPrefetch)
    return 0;
  auto depth = std::max<std::int64_t>(1, image_.streams[stream].bufferingDepth);
  return std::uint32_t(options_.maxLookahead < 0 ? depth : std::min(depth, options_.maxLookahead));
}

std::byte *Streams::slot(std::uint32_t stream, Endpoint &end, std::uint32_t index) {
  if (end.slots.empty())
    withHostMemory<stream_memory_allocation_error>("The buffers of a stream", [&] {
      end.slots.resize(slotsOf(stream) * bytesOf(stream) + 1);
    });
  return end.slots.data() + index % slotsOf(stream) * bytesOf(stream);
}

void Streams::prefetch(std::uint32_t stream, Endpoint &end) {
  const openipu::HostTrace traced("poplar", image_.streams[stream].handle);
  while (end.filled < depth(stream, end) &&
         end.callback->prefetch(slot(stream, end, end.head + end.filled)) ==
             StreamCallback::Result::Success)
    ++end.filled;
}

void Streams::prefetchLater(std::uint32_t stream, Endpoint &end) {
  if (depth(stream, end) == 0)
    return;
  if (options_.mode == CallbackMode::SingleThread)
    return prefetch(stream, end);
  end.pending = threads_->post(stream, [this, stream, &end] { prefetch(stream, end); });
}

// In a child of fork nobody ends what was pending.
void Streams::finish(Endpoint &end) {
  if (auto pending = std::move(end.pending); pending.valid() && threads_->alive())
    pending.get();
}

void Streams::invalidate(Endpoint &end) {
  finish(end);
  if (end.filled && end.callback)
    end.callback->invalidatePrefetched();
  end.filled = 0;
}

void Streams::endRun() {
  for (auto &stream : endpoints_)
    for (auto &end : stream)
      invalidate(end);
}

// ---- transfers ----

Streams::Endpoint &Streams::connected(std::uint32_t stream, unsigned replica) {
  auto &end = endpoints_[stream][replica];
  if (!end.begin && !end.callback && bytesOf(stream) != 0)
    throw stream_connection_error(str(
        "Stream \"", image_.streams[stream].handle, "\"",
        endpointsOf(stream) > 1 ? str(" of replica ", replica) : "",
        " is not connected. Call Engine::connectStream or Engine::connectStreamToCallback before "
        "Engine::run."));
  finish(end);
  return end;
}

std::byte *Streams::memory(std::uint32_t stream, Endpoint &end) {
  auto *at = end.begin + end.position;
  if (const auto bytes = bytesOf(stream))
    end.position = (end.position + bytes) % end.size;
  return at;
}

const std::byte *Streams::beginRead(std::uint32_t stream, unsigned replica) {
  auto &end = connected(stream, replica);
  if (!end.callback)
    return memory(stream, end);
  if (end.direct && end.filled == 0) {
    const void *ready = nullptr;
    call(stream, [&] { ready = end.direct->data(); });
    end.isDirect = ready;
    if (ready)
      return static_cast<const std::byte *>(ready);
  }
  auto *data = slot(stream, end, end.head);
  if (end.filled == 0)
    call(stream, [&] { end.callback->fetch(data); });
  else
    --end.filled;
  return data;
}

void Streams::endRead(std::uint32_t stream, unsigned replica) {
  auto &end = endpoints_[stream][replica];
  if (!end.callback)
    return;
  call(stream, [&] { end.callback->complete(); });
  if (std::exchange(end.isDirect, false))
    return;
  end.head = (end.head + 1) % slotsOf(stream);
  prefetchLater(stream, end);
}

std::byte *Streams::beginWrite(std::uint32_t stream, unsigned replica) {
  auto &end = connected(stream, replica);
  return end.callback ? slot(stream, end, 0) : memory(stream, end);
}

void Streams::endWrite(std::uint32_t stream, unsigned replica) {
  auto &end = endpoints_[stream][replica];
  if (!end.callback)
    return;
  call(stream, [&] {
    end.callback->fetch(slot(stream, end, 0));
    end.callback->complete();
  });
}

} // namespace poplar::engine
