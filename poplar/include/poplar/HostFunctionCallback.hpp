// SPDX-License-Identifier: MIT
// Host code that a device program calls: input and output buffers in, output buffers filled.
#pragma once
#include <memory>
#include <poplar/ArrayRef.hpp>
#include <poplar/EmptyCallable.hpp>
#include <type_traits>
#include <utility>

namespace poplar {

// What Call of a HostFunction runs: derive from it, or give a lambda to HostCallbackHandle.
class HostCallback {
public:
  virtual ~HostCallback();
  virtual void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) = 0;
};

// Owns a HostCallback, or wraps a callable of the same signature.
class HostCallbackHandle {
  template <class F> struct Wrapped : HostCallback {
    F function;
    explicit Wrapped(F f) : function(std::move(f)) {}
    void operator()(ArrayRef<const void *> inputs, ArrayRef<void *> outputs) override {
      function(inputs, outputs);
    }
  };
  template <class F>
  using IfCallable = decltype(std::declval<F &>()(std::declval<ArrayRef<const void *>>(),
                                                  std::declval<ArrayRef<void *>>()),
                              void());

public:
  template <class C, class D,
            class = typename std::enable_if<std::is_base_of<HostCallback, C>::value>::type>
  HostCallbackHandle(std::unique_ptr<C, D> callback) : callback_(std::move(callback)) {}
  template <class F, class G = typename std::decay<F>::type,
            class = typename std::enable_if<!std::is_same<G, HostCallbackHandle>::value>::type,
            class = IfCallable<G>>
  HostCallbackHandle(F &&f)
      : callback_(openipu::isEmptyCallable(f, 0) ? nullptr : new Wrapped<G>(std::forward<F>(f))) {}
  HostCallbackHandle(HostCallbackHandle &&) = default;
  HostCallbackHandle &operator=(HostCallbackHandle &&) = default;

  explicit operator bool() const { return callback_ != nullptr; }
  HostCallback &operator*() const { return *callback_; }
  HostCallback *get() const { return callback_.get(); }
  std::unique_ptr<HostCallback> release() { return std::move(callback_); }

private:
  std::unique_ptr<HostCallback> callback_;
};

} // namespace poplar
