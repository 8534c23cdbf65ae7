// SPDX-License-Identifier: MIT
// The host ends of an image's streams: plain memory, circular buffers and callbacks with prefetch.
// A stream has one endpoint per replica, or one in all if it is broadcast. Callbacks run on the
// calling thread unless asked otherwise.
#pragma once
#include "engine/CallbackThreads.hpp"
#include "executable/Image.hpp"
#include "openipu/DirectSource.hpp"
#include "poplar/StreamCallback.hpp"
#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace poplar::engine {

struct StreamOptions {
  bool prefetch = false; // call StreamCallback::prefetch ahead of use
  std::int64_t maxLookahead =
      -1; // limit on outstanding prefetches; -1: the stream's buffering depth
  CallbackMode mode = CallbackMode::SingleThread;
  unsigned threads = 1;
};

class Streams {
public:
  Streams(const executable::Image &image, unsigned replicas); // those of this process
  ~Streams();

  // Handles and sizes are checked; stream_connection_error says what is wrong.
  void connect(const std::string &handle, void *begin, void *end);
  void connect(const std::string &handle, void *p);
  void connect(const std::string &handle, std::unique_ptr<StreamCallback> callback);
  void connect(const std::string &handle, unsigned replica,
               std::unique_ptr<StreamCallback> callback);

  void configure(const StreamOptions &options);
  void endRun(); // drops prefetched data; also after a failure

  const std::byte *beginRead(std::uint32_t stream, unsigned replica);
  void endRead(std::uint32_t stream, unsigned replica);
  std::byte *beginWrite(std::uint32_t stream, unsigned replica);
  void endWrite(std::uint32_t stream, unsigned replica);

  std::vector<std::string> handles() const;

private:
  struct Endpoint {
    std::byte *begin = nullptr;           // memory; null: not memory
    std::uint64_t size = 0, position = 0; // of the circular buffer
    std::shared_ptr<StreamCallback> callback;
    openipu::DirectSource *direct = nullptr; // the callback, if it is one
    bool isDirect = false;                   // the transfer under way reads its memory
    bool mayPrefetch = false;
    std::vector<std::byte> slots;       // callback: one block per outstanding transfer
    std::uint32_t head = 0, filled = 0; // first filled slot, number of filled slots
    std::future<void> pending;          // prefetch on another thread
  };
  std::uint32_t find(const std::string &handle) const;
  std::uint64_t bytesOf(std::uint32_t stream) const;
  unsigned endpointsOf(std::uint32_t stream) const { return unsigned(endpoints_[stream].size()); }
  // One more than can be outstanding, because one is being read.
  std::uint32_t slotsOf(std::uint32_t stream) const {
    return std::max(1u, image_.streams[stream].bufferingDepth) + 1;
  }
  Endpoint &connected(std::uint32_t stream, unsigned replica);
  std::byte *slot(std::uint32_t stream, Endpoint &end, std::uint32_t index);
  std::uint32_t depth(std::uint32_t stream, const Endpoint &end) const;
  void prefetch(std::uint32_t stream, Endpoint &end);
  void prefetchLater(std::uint32_t stream, Endpoint &end);
  void finish(Endpoint &end); // the prefetch on another thread
  void invalidate(Endpoint &end);
  void replace(std::uint32_t stream, unsigned replica, Endpoint fresh);
  std::byte *memory(std::uint32_t stream, Endpoint &end);
  template <class Call> void call(std::uint32_t stream, const Call &call);

  const executable::Image &image_;
  StreamOptions options_;
  std::vector<std::vector<Endpoint>> endpoints_;
  std::unique_ptr<CallbackThreads> threads_;
};

} // namespace poplar::engine
