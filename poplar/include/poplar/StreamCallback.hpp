// SPDX-License-Identifier: MIT
// Host code that feeds or drains a stream.
// Towards the device: if the last prefetch succeeded its data are used, otherwise fetch is called;
// complete follows when they have been consumed. Prefetched data that will not be used are
// announced by invalidatePrefetched. Towards the host: fetch receives a pointer to the data, then
// complete is called.
#pragma once
#include <functional>
#include <memory>
#include <poplar/EmptyCallable.hpp>
#include <poplar/Quarter.hpp>
#include <type_traits>
#include <utility>

namespace poplar {

// What both directions have in common.
class StreamCallbackBase {
public:
  enum class Result { Success, NotAvailable }; // whether prefetch had data
  virtual ~StreamCallbackBase();
  virtual void complete() {} // The data of the last fetch, or of a successful prefetch, were used.
  // Prefetched data will not be used; fetch begins again from there.
  virtual void invalidatePrefetched() {}
};

class StreamCallback : public StreamCallbackBase {
public:
  using Result = StreamCallbackBase::Result;
  virtual Result prefetch(void *p) = 0; // Fills p ahead of time if it can be done without waiting.
  virtual void fetch(void *p) = 0; // Fills p, or takes what p holds if the stream goes to the host.
};

// Only fetch; never prefetches.
class LegacyStreamCallback : public StreamCallback {
public:
  Result prefetch(void *) final { return Result::NotAvailable; }
  void complete() final {}
  void invalidatePrefetched() final {}
};

// A callback that may wait for another thread: fetch calls wait(), the other thread calls notify().
class ResumableStreamCallback : public StreamCallback {
public:
  ResumableStreamCallback();
  ~ResumableStreamCallback() override;
  void notify();           // Lets the wait() of the fetch return. From any thread.
  bool isAwaiting() const; // whether a fetch waits now

protected:
  // Returns when notify has been called since the last return.
  void wait();

private:
  struct State;
  std::unique_ptr<State> state_;
};

// A callback of a stream of 8-bit floats, which tells the format and scale of what it delivers.
class StreamCallbackWithMetadata : public StreamCallback {
public:
  // Format and scale of the data that the last fetch delivered.
  virtual QuarterMetadata getMetadata() = 0;
};

// Owns a callback object, or wraps a callable of the signature void(void *).
class StreamCallbackHandle {
  template <class F> struct Wrapped : LegacyStreamCallback {
    F function;
    explicit Wrapped(F f) : function(std::move(f)) {}
    void fetch(void *p) override { function(p); }
  };
  template <class F>
  using IfCallable = decltype(std::declval<F &>()(static_cast<void *>(nullptr)), void());

public:
  template <class C, class D,
            class = typename std::enable_if<std::is_base_of<StreamCallback, C>::value>::type>
  StreamCallbackHandle(std::unique_ptr<C, D> callback) : callback_(std::move(callback)) {}
  template <class F, class G = typename std::decay<F>::type,
            class = typename std::enable_if<!std::is_same<G, StreamCallbackHandle>::value>::type,
            class = IfCallable<G>>
  StreamCallbackHandle(F &&f)
      : callback_(openipu::isEmptyCallable(f, 0) ? nullptr : new Wrapped<G>(std::forward<F>(f))) {}
  StreamCallbackHandle(StreamCallbackHandle &&) = default;
  StreamCallbackHandle &operator=(StreamCallbackHandle &&) = default;

  explicit operator bool() const { return callback_ != nullptr; }
  StreamCallback *operator->() const { return callback_.get(); }
  StreamCallback &operator*() const { return *callback_; }
  StreamCallback *get() const { return callback_.get(); }
  std::unique_ptr<StreamCallback> release() { return std::move(callback_); }

private:
  std::unique_ptr<StreamCallback> callback_;
};

} // namespace poplar
