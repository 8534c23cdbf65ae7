// SPDX-License-Identifier: MIT
// The guarded call and the signal handlers. The call is a few instructions of assembly: it saves
// the registers that belong to the caller and notes the stack. To leave a call, a handler changes
// where its thread goes on: behind the call, with the stack as noted.
#include "codelet/Guard.hpp"
#include "base/Fork.hpp"
#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

// rdi: VertexCall, rsi: function, then its arguments. The result is the function's.
asm(R"(
	.text
	.p2align 4
	.hidden	openipu_guarded_call
	.globl	openipu_guarded_call
	.type	openipu_guarded_call, @function
openipu_guarded_call:
	.cfi_startproc
	pushq	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset %rbp, -16
	movq	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15
	.cfi_offset %rbx, -24
	.cfi_offset %r12, -32
	.cfi_offset %r13, -40
	.cfi_offset %r14, -48
	.cfi_offset %r15, -56
	pushq	%rdi
	movq	%rsi, %rax
	movq	%rsp, (%rdi)
	movq	%rdx, %rdi
	movq	%rcx, %rsi
	movq	%r8, %rdx
	movq	%r9, %rcx
	call	*%rax
	.hidden	openipu_guarded_leave
	.globl	openipu_guarded_leave
openipu_guarded_leave:
	popq	%rdi
	movq	$0, (%rdi)
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	.cfi_def_cfa %rsp, 8
	ret
	.cfi_endproc
	.size	openipu_guarded_call, .-openipu_guarded_call
	.hidden	openipu_guarded_jump
	.globl	openipu_guarded_jump
	.type	openipu_guarded_jump, @function
openipu_guarded_jump:
	movq	%rdi, %rsp
	jmp	openipu_guarded_leave
	.size	openipu_guarded_jump, .-openipu_guarded_jump
)");

extern "C" {
std::uint64_t openipu_guarded_call(void *call, const void *function, const void *a, std::size_t b,
                                   void *c, void *d);
void openipu_guarded_leave();
[[noreturn]] void openipu_guarded_jump(void *stack);
}

namespace poplar::codelet {
namespace {

constexpr int stopSignal = SIGURG; // ignored by those who know nothing of it
constexpr std::array handled = {SIGFPE, SIGSEGV, SIGBUS, SIGILL, SIGABRT, stopSignal};
constexpr long patienceNs = 500'000'000, retryNs = 5'000'000;

// Static storage of the thread, so that a handler may look at it at any time.
[[gnu::tls_model("initial-exec")]] thread_local constinit VertexCall *current = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local constinit bool prepared = false, passing = false;

char stopMark; // its address marks stop signals as ours

// ---- threads ----

// Threads that ran a vertex. Records are used again and never freed: interruptCalls walks them in
// signal handlers.
struct ThreadRecord {
  std::atomic<pid_t> thread{0}; // 0: free
  ThreadRecord *next = nullptr;
};
std::atomic<ThreadRecord *> records{nullptr};

ThreadRecord *claimRecord(pid_t thread) {
  for (auto *r = records.load(); r; r = r->next)
    if (pid_t none = 0; r->thread.compare_exchange_strong(none, thread))
      return r;
  auto *fresh = new ThreadRecord;
  fresh->thread = thread;
  fresh->next = records.load();
  while (!records.compare_exchange_weak(fresh->next, fresh))
    ;
  return fresh;
}

// What a thread needs before its first call: a stack for handlers, for when its own is full, and a
// record.
class PreparedThread {
public:
  PreparedThread() : record_(claimRecord(::gettid())) {
    stack_t present{};
    if (::sigaltstack(nullptr, &present) == 0 &&
        ((present.ss_flags & SS_DISABLE) || present.ss_size < size)) {
      memory_ = std::make_unique<char[]>(size);
      stack_t mine{};
      mine.ss_sp = memory_.get();
      mine.ss_size = size;
      ::sigaltstack(&mine, &before_);
    }
    prepared = true;
  }
  ~PreparedThread() {
    prepared = false;
    record_->thread = 0;
    if (!memory_)
      return;
    stack_t present{};
    ::sigaltstack(nullptr, &present);
    if (present.ss_sp == memory_.get())
      ::sigaltstack(&before_, nullptr);
  }
  void follow(pid_t thread) { record_->thread = thread; }

private:
  static constexpr std::size_t size = 64 * 1024;
  ThreadRecord *record_;
  std::unique_ptr<char[]> memory_;
  stack_t before_{};
};

PreparedThread &preparedThread() {
  thread_local PreparedThread thread;
  return thread;
}

// Only the thread that forks is in the child, under another number.
void afterFork() {
  for (auto *r = records.load(); r; r = r->next)
    r->thread = 0;
  if (prepared)
    preparedThread().follow(::gettid());
}

// ---- handlers ----

struct Installed {
  base::ForkMutex mutex;
  unsigned users = 0;
  std::array<struct sigaction, NSIG> before{};
  Installed() { ::pthread_atfork(nullptr, nullptr, afterFork); }
};
Installed &installed() {
  static auto *all = new Installed;
  return *all;
}
std::array<struct sigaction, NSIG> *previous = nullptr; // of installed(), for handlers

void leave(VertexCall &call, int signal, const siginfo_t &info, ucontext_t &context) {
  auto &registers = context.uc_mcontext.gregs;
  call.signal = signal;
  call.signalCode = info.si_code;
  call.address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  call.stackAtFault = std::uintptr_t(registers[REG_RSP]);
  call.codeAtFault = std::uintptr_t(registers[REG_RIP]);
  registers[REG_RIP] = greg_t(&openipu_guarded_leave);
  registers[REG_RSP] = reinterpret_cast<greg_t>(call.stack);
  registers[REG_EFL] &= ~greg_t(0x400); // string instructions go upwards between functions
  if (context.uc_mcontext.fpregs)
    context.uc_mcontext.fpregs->ftw = 0; // and the x87 registers are empty
}

void sayLastWords(const VertexCall &call, int signal, const siginfo_t &info) {
  VertexCall ended = call;
  ended.signal = signal;
  ended.signalCode = info.si_code;
  ended.address = reinterpret_cast<std::uintptr_t>(info.si_addr);
  PlainText text;
  text << "OpenIPU: ";
  describeFault(ended, text);
  text << " (in compute set \"" << call.names->computeSet()
       << "\") It happened inside a function of the host, so the process cannot go on.\n";
  const auto view = text.view();
  [[maybe_unused]] const auto written = ::write(2, view.data(), view.size());
}

// As if we were not here. A handler that in turn calls us gets the default action.
void passOn(int signal, siginfo_t *info, void *context) {
  const auto &before = (*previous)[std::size_t(signal)];
  const bool isFunction = (before.sa_flags & SA_SIGINFO) ||
                          (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN);
  if (isFunction && !passing) {
    passing = true;
    if (before.sa_flags & SA_SIGINFO)
      before.sa_sigaction(signal, info, context);
    else
      before.sa_handler(signal);
    passing = false;
    return;
  }
  const bool sent = info->si_code <= 0;
  if (sent && (before.sa_handler == SIG_IGN || signal == stopSignal))
    return;
  struct sigaction none {};
  none.sa_handler = SIG_DFL;
  ::sigaction(signal, &none, nullptr);
  if (sent)
    ::raise(signal); // pending until this handler returns; a fault repeats itself
}

// Synchronous faults, and abort().
void onFault(int signal, siginfo_t *info, void *context) {
  const int error = errno;
  auto *call = current;
  if (call && call->stack && (info->si_code > 0 || signal == SIGABRT)) {
    if (!call->hooks && signal != SIGABRT) {
      leave(*call, signal, *info, *static_cast<ucontext_t *>(context));
      errno = error;
      return;
    }
    sayLastWords(*call, signal, *info);
  }
  passOn(signal, info, context);
  errno = error;
}

// From now on the signal comes again and again, until the call has ended.
void startTimer(VertexCall &call) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = stopSignal;
  event.sigev_value.sival_ptr = &stopMark;
  event._sigev_un._tid = ::gettid();
  int timer = -1;
  if (::syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer) != 0)
    return;
  call.timer = timer;
  const itimerspec times{{0, retryNs}, {0, patienceNs}};
  ::syscall(SYS_timer_settime, timer, 0, &times, nullptr);
}

void onStop(int signal, siginfo_t *info, void *context) {
  const int error = errno;
  const bool ours = (info->si_code == SI_QUEUE || info->si_code == SI_TIMER) &&
                    info->si_value.sival_ptr == &stopMark;
  if (!ours)
    passOn(signal, info, context);
  else if (auto *call = current; call && call->stop && call->stop->load()) {
    auto &machine = *static_cast<ucontext_t *>(context);
    const auto at = std::uintptr_t(machine.uc_mcontext.gregs[REG_RIP]);
    const bool own = call->stack && !call->hooks && at >= call->code.begin && at < call->code.end;
    if (call->timer < 0)
      startTimer(*call);
    else if (info->si_code == SI_TIMER && own)
      leave(*call, signal, *info, machine);
  }
  errno = error;
}

bool isOurs(const struct sigaction &action) {
  return (action.sa_flags & SA_SIGINFO) &&
         (action.sa_sigaction == onFault || action.sa_sigaction == onStop);
}

void install(int signal) {
  struct sigaction found {
  }, mine{};
  ::sigaction(signal, nullptr, &found);
  if (isOurs(found))
    return;
  installed().before[std::size_t(signal)] = found;
  mine.sa_sigaction = signal == stopSignal ? onStop : onFault;
  mine.sa_flags = SA_SIGINFO | SA_ONSTACK | (signal == stopSignal ? SA_RESTART : 0);
  sigemptyset(&mine.sa_mask);
  ::sigaction(signal, &mine, nullptr);
}

// Somebody who put a handler of their own on top of ours meanwhile keeps it.
void uninstall(int signal) {
  struct sigaction found {};
  const auto &before = installed().before[std::size_t(signal)];
  ::sigaction(signal, &before, &found);
  if (!isOurs(found))
    ::sigaction(signal, &found, nullptr);
}

std::string_view nameOf(const VertexCall &call) {
  switch (call.signal) {
  case SIGFPE:
    return "integer division by zero, or of the smallest number by -1";
  case SIGILL:
    return "an illegal instruction, as the compiler puts where code must never come to";
  case SIGABRT:
    return "abort() was called";
  case SIGBUS:
    return "a memory access that the machine refuses";
  default:
    return "an invalid address";
  }
}

constexpr std::uintptr_t nullPage = 4096, nearStack = 1 << 16;

void describeAddress(const VertexCall &call, PlainText &to) {
  const auto distance = call.address > call.stackAtFault ? call.address - call.stackAtFault
                                                         : call.stackAtFault - call.address;
  if (call.signalCode == SI_KERNEL)
    to << "a pointer that is no address";
  else if (call.address < nullPage)
    to << "a null pointer (address 0x", to.hex(call.address) << ")";
  else if (distance < nearStack)
    to << "the stack is full: a recursion without end, or very large local variables";
  else
    to << nameOf(call) << " 0x", to.hex(call.address);
}

} // namespace

// ---- text ----

PlainText &PlainText::operator<<(std::string_view text) {
  const auto n = std::min(text.size(), sizeof text_ - size_);
  std::memcpy(text_ + size_, text.data(), n);
  size_ += n;
  return *this;
}
PlainText &PlainText::operator<<(std::uint64_t number) {
  char digits[20];
  std::size_t n = sizeof digits;
  do
    digits[--n] = char('0' + number % 10);
  while (number /= 10);
  return *this << std::string_view(digits + n, sizeof digits - n);
}
PlainText &PlainText::hex(std::uint64_t number) {
  char digits[16];
  std::size_t n = sizeof digits;
  do
    digits[--n] = "0123456789abcdef"[number % 16];
  while (number /= 16);
  return *this << std::string_view(digits + n, sizeof digits - n);
}

void describeFault(const VertexCall &call, PlainText &to) {
  call.names->name(call, to);
  if (call.signal == stopSignal) {
    to << " was interrupted: it had not ended half a second after Engine::stop. Its outputs may be "
          "half-written; call Engine::load before the next run.";
    return;
  }
  to << ": ";
  if (call.signal == SIGSEGV)
    describeAddress(call, to);
  else
    to << nameOf(call);
  to << ". Correct compute(); the engine option debug.checkedCodelets checks every access.";
}

// ---- calls ----

VertexCall *currentCall() { return current; }

void leaveCall(VertexCall &call) { openipu_guarded_jump(call.stack); }

bool callGuarded(VertexCall &call, const void *function, const void *a, std::size_t b, void *c,
                 void *d) {
  if (!prepared) [[unlikely]]
    preparedThread();
  struct Scope {
    explicit Scope(VertexCall &call) : call(call), outer(current) { current = &call; }
    ~Scope() {
      current = outer;
      if (call.timer >= 0) [[unlikely]]
        ::syscall(SYS_timer_delete, call.timer);
    }
    VertexCall &call;
    VertexCall *outer;
  } scope(call);
  // A stop signal came before this: then the flag is seen here; or it comes later and sees the
  // call.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (call.stop && call.stop->load(std::memory_order_relaxed)) [[unlikely]]
    startTimer(call);
  return (openipu_guarded_call(&call, function, a, b, c, d) & 0xff) != 0;
}

FaultHandlers::FaultHandlers(bool wanted) : wanted_(wanted) {
  if (!wanted_)
    return;
  auto &all = installed();
  std::lock_guard lock(all.mutex);
  previous = &all.before;
  if (all.users++ == 0)
    for (int signal : handled)
      install(signal);
}

void FaultHandlers::renew() const {
  if (!wanted_)
    return;
  std::lock_guard lock(installed().mutex);
  for (int signal : handled)
    install(signal);
}

void FaultHandlers::watch() const {
  if (!wanted_)
    return;
  struct sigaction found {};
  ::sigaction(SIGSEGV, nullptr, &found);
  if (!isOurs(found)) [[unlikely]]
    renew();
}

FaultHandlers::~FaultHandlers() {
  if (!wanted_)
    return;
  auto &all = installed();
  std::lock_guard lock(all.mutex);
  if (--all.users == 0)
    for (int signal : handled)
      uninstall(signal);
}

void interruptCalls() noexcept {
  siginfo_t info{};
  info.si_code = SI_QUEUE;
  info.si_pid = ::getpid();
  info.si_uid = ::getuid();
  info.si_value.sival_ptr = &stopMark;
  for (auto *r = records.load(); r; r = r->next)
    if (const auto thread = r->thread.load())
      ::syscall(SYS_rt_tgsigqueueinfo, info.si_pid, thread, stopSignal, &info);
}

} // namespace poplar::codelet
