// SPDX-License-Identifier: MIT
// Calls codelets so that a mistake in one ends the run and not the process. Each call has a record
// of what runs; when a signal says that the thread did something impossible (division by zero, a
// wild pointer, no stack left), the handler sets the thread back to where the call began. That is
// safe because codelets own nothing of the host's (Symbols.cpp: no heap, no files). Inside a hook
// of ours they do: there the handler only says which vertex it was, and the signal takes its usual
// course. Signals of other code, and of other threads, go to whoever handled them before.
//
// The cost without a fault is one store per vertex and about three nanoseconds per call.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace poplar::codelet {

// Text that is put together without allocating, as a signal handler must.
class PlainText {
public:
  PlainText &operator<<(std::string_view text);
  PlainText &operator<<(std::uint64_t number);
  PlainText &hex(std::uint64_t number);
  std::string_view view() const { return {text_, size_}; }

private:
  char text_[1024];
  std::size_t size_ = 0;
};

struct FieldCheck;
struct VertexCall;

// Who knows the vertices. Asked by signal handlers: must not allocate or lock.
class VertexNames {
public:
  virtual void name(const VertexCall &call, PlainText &to) const = 0; // "Vertex 3 of type T ..."
  virtual std::string_view computeSet() const = 0;
  virtual std::uint32_t tile(const VertexCall &call) const = 0;
  // What the vertex that runs may touch, itself first. Checked mode only.
  virtual std::span<const FieldCheck> operands(const VertexCall &call) const = 0;

protected:
  ~VertexNames() = default;
};

// The machine code of an image, and all of it with its data.
struct CodeRange {
  std::uintptr_t begin = 0, end = 0;
  std::uintptr_t imageBegin = 0, imageEnd = 0;
};

// One call of an entry.
struct VertexCall {
  void *stack = nullptr;         // of the call while it is under way. First: the assembly knows
  void *const *now = nullptr;    // the vertex that runs: the entry moves it on
  const VertexNames *names;      // of the vertices
  CodeRange code;                // of the codelet
  const std::atomic<bool> *stop; // ends the call; may be null
  std::uint64_t cycles = 0;      // of the device when it began
  unsigned hooks = 0;            // that it is inside of
  // What ended it:
  int signal = 0, signalCode = 0;
  std::uintptr_t address = 0, stackAtFault = 0, codeAtFault = 0;
  const std::string *violation = nullptr; // of checked mode, in words
  int timer = -1;                         // that ends it after a stop
  // Checked mode: the operands of the vertex `operandsOf`, and the one that was touched last.
  std::span<const FieldCheck> operands;
  void *const *operandsOf = nullptr;
  const FieldCheck *touched = nullptr;

  bool failed() const { return signal != 0 || violation; }
};

// function(a, b, c, d) as the guarded call; the low byte of the result is that of a bool function.
// An exception that passes through is the codelet's own or a TrapError of a hook.
bool callGuarded(VertexCall &call, const void *function, const void *a, std::size_t b, void *c,
                 void *d);

// Ends the call of this thread, from inside of it, as a fault does: no destructor runs.
[[noreturn]] void leaveCall(VertexCall &call);

// What happened in a call that a signal ended; allocates nothing.
void describeFault(const VertexCall &call, PlainText &to);

// The call of this thread; null when it runs none.
VertexCall *currentCall();

// While a hook works for a codelet, a fault or a stop must not cut it off.
class InsideHook {
public:
  InsideHook() : call_(currentCall()) {
    if (call_)
      ++call_->hooks;
  }
  ~InsideHook() {
    if (call_)
      --call_->hooks;
  }
  InsideHook(const InsideHook &) = delete;
  InsideHook &operator=(const InsideHook &) = delete;

private:
  VertexCall *call_;
};

// As long as one lives, the signals are handled as said above. Previous handlers come back when the
// last one goes. System calls cost more than a small program, so a run makes one: it asks for the
// handler of SIGSEGV, which everybody who catches faults replaces (Python's faulthandler, crash
// reporters), and puts ours back on top of theirs.
class FaultHandlers {
public:
  explicit FaultHandlers(bool wanted);
  ~FaultHandlers();
  void renew() const; // puts back every handler that was replaced
  void watch() const; // the same if that of SIGSEGV was
  FaultHandlers(const FaultHandlers &) = delete;
  FaultHandlers &operator=(const FaultHandlers &) = delete;

private:
  bool wanted_;
};

// Makes the threads inside calls look at their `stop`: who has not left half a second later is
// taken out. May be called anywhere, also in a signal handler.
void interruptCalls() noexcept;

} // namespace poplar::codelet
