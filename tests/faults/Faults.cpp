// SPDX-License-Identifier: MIT
// Our functions have other names in C++ and take the C library's by their labels, so that its own
// declarations do not disturb.
#include "Faults.hpp"
#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <exception>
#include <execinfo.h>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace faults {
namespace {

constexpr int off = -1;
std::atomic<int> armed{off}; // the kind that is counted
std::atomic<std::uint64_t> count{0};
std::atomic<const char *> where{nullptr};
Fault wanted;
void *frames[64];
std::atomic<int> depth{0};

// The destructor of nlohmann's JSON allocates, and whatever is thrown there ends the process.
bool isOfJsonsDestructor() {
  for (int i = 0; i < std::min(depth.load(), 8); ++i)
    if (Dl_info info{}; ::dladdr(frames[i], &info) && info.dli_sname &&
                        std::strstr(info.dli_sname, "json_value7destroy"))
      return true;
  return false;
}

bool isHit(Kind kind, const char *name) {
  if (armed.load(std::memory_order_relaxed) != int(kind))
    return false;
  const auto number = ++count;
  if (wanted.at == 0 || number < wanted.at || (number > wanted.at && !wanted.lasting))
    return false;
  if (number > wanted.at)
    return true;
  armed = off; // what looks at the stack may allocate
  depth = ::backtrace(frames, 64);
  const bool spared = kind == Kind::Allocation && isOfJsonsDestructor();
  wanted.at += spared; // the next one, then
  where = spared ? nullptr : name;
  armed = int(kind);
  return !spared;
}

// Whether this one fails, with errno set.
bool fails(const char *name) {
  if (!isHit(Kind::File, name))
    return false;
  errno = wanted.error == shortTransfer ? EIO : wanted.error;
  return true;
}

// How many of so many bytes; -1 for none, with errno set. Descriptors of the terminal never fail.
ssize_t transfer(const char *name, int fd, std::size_t bytes) {
  if (fd <= 2 || !isHit(Kind::File, name))
    return ssize_t(bytes);
  if (wanted.error == shortTransfer)
    return ssize_t(bytes > 1 ? bytes / 2 : bytes);
  errno = wanted.error;
  return -1;
}

void show(const char *what) {
  armed = off;
  std::fprintf(stderr, "\n%s while this failed on purpose: %s\n", what, text(wanted).c_str());
  ::backtrace_symbols_fd(frames, depth, 2);
}
void ends(int signal) {
  show(::strsignal(signal));
  ::signal(signal, SIG_DFL);
  ::raise(signal);
}

template <class F> F real(const char *name) {
  return reinterpret_cast<F>(::dlsym(RTLD_NEXT, name));
}

} // namespace

void arm(const Fault &fault) {
  static const bool first = [] {
    ::backtrace(frames, 64); // loads what it needs
    std::set_terminate([] {
      show("std::terminate");
      std::abort();
    });
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE})
      ::signal(signal, ends);
    return true;
  }();
  (void)first;
  wanted = fault;
  count = 0;
  where = nullptr;
  depth = 0;
  armed = int(fault.kind);
}

std::uint64_t disarm() {
  armed = off;
  return count;
}

bool struck() { return where != nullptr; }

void showStack() { ::backtrace_symbols_fd(frames, depth, 2); }

std::string text(const Fault &fault) {
  char line[200];
  const char *error = fault.kind == Kind::Allocation ? "no memory"
                      : fault.error == shortTransfer ? "half of the bytes"
                                                     : ::strerrorname_np(fault.error);
  std::snprintf(line, sizeof line, "%s %llu%s (%s): %s",
                fault.kind == Kind::Allocation ? "allocation" : "operation on files",
                static_cast<unsigned long long>(fault.at), fault.lasting ? " and all later" : "",
                where ? where.load() : "not reached", error);
  return line;
}

} // namespace faults

// A function of the C library by its name: `failing` first, else the real one.
#define FAULTS_FUNCTION(Result, name, parameters, arguments, failing)                              \
  extern "C" [[gnu::visibility("default")]] Result faults_##name parameters __asm__(#name);        \
  extern "C" Result faults_##name parameters {                                                     \
    static const auto next = faults::real<Result(*) parameters>(#name);                            \
    failing;                                                                                       \
    return next arguments;                                                                         \
  }
#define FAULTS_FILE(Result, name, parameters, arguments)                                           \
  FAULTS_FUNCTION(Result, name, parameters, arguments, if (faults::fails(#name)) return Result(-1))
#define FAULTS_POINTER(Result, name, parameters, arguments)                                        \
  FAULTS_FUNCTION(Result, name, parameters, arguments, if (faults::fails(#name)) return nullptr)
#define FAULTS_TRANSFER(name, parameters, arguments)                                               \
  FAULTS_FUNCTION(ssize_t, name, parameters, arguments, {                                          \
    const ssize_t most = faults::transfer(#name, fd, size);                                        \
    if (most < 0)                                                                                  \
      return -1;                                                                                   \
    size = std::size_t(most);                                                                      \
  })

FAULTS_FILE(int, open, (const char *path, int flags, mode_t mode), (path, flags, mode))
FAULTS_FILE(int, open64, (const char *path, int flags, mode_t mode), (path, flags, mode))
FAULTS_FILE(int, openat, (int at, const char *path, int flags, mode_t mode),
            (at, path, flags, mode))
FAULTS_FILE(int, openat64, (int at, const char *path, int flags, mode_t mode),
            (at, path, flags, mode))
FAULTS_POINTER(FILE *, fopen, (const char *path, const char *mode), (path, mode))
FAULTS_POINTER(FILE *, fopen64, (const char *path, const char *mode), (path, mode))
FAULTS_POINTER(DIR *, opendir, (const char *path), (path))
FAULTS_POINTER(DIR *, fdopendir, (int fd), (fd))
FAULTS_FILE(int, mkdir, (const char *path, mode_t mode), (path, mode))
FAULTS_FILE(int, mkdirat, (int at, const char *path, mode_t mode), (at, path, mode))
FAULTS_FILE(int, rename, (const char *from, const char *to), (from, to))
FAULTS_FILE(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
FAULTS_FILE(int, unlink, (const char *path), (path))
FAULTS_FILE(int, unlinkat, (int at, const char *path, int flags), (at, path, flags))
FAULTS_FILE(int, fsync, (int fd), (fd))
FAULTS_FILE(int, fdatasync, (int fd), (fd))
FAULTS_FILE(int, ftruncate, (int fd, off_t size), (fd, size))
FAULTS_FILE(int, ftruncate64, (int fd, off_t size), (fd, size))
FAULTS_FILE(int, flock, (int fd, int operation), (fd, operation))
FAULTS_FILE(int, fchmod, (int fd, mode_t mode), (fd, mode))
FAULTS_FILE(int, futimens, (int fd, const timespec *times), (fd, times))
FAULTS_FILE(int, stat, (const char *path, struct stat *info), (path, info))
FAULTS_FILE(int, lstat, (const char *path, struct stat *info), (path, info))
FAULTS_FILE(int, fstat, (int fd, struct stat *info), (fd, info))
FAULTS_FILE(int, fstatat, (int at, const char *path, struct stat *info, int flags),
            (at, path, info, flags))
FAULTS_FILE(int, fstatfs, (int fd, struct statfs *info), (fd, info))
FAULTS_FILE(ssize_t, readlinkat, (int at, const char *path, char *to, std::size_t size),
            (at, path, to, size))
FAULTS_FILE(int, memfd_create, (const char *name, unsigned flags), (name, flags))
FAULTS_FILE(int, pipe2, (int *ends, int flags), (ends, flags))
FAULTS_FUNCTION(int, posix_fallocate, (int fd, off_t at, off_t size), (fd, at, size),
                if (faults::fails("posix_fallocate")) return errno)
FAULTS_FUNCTION(int, pthread_create,
                (pthread_t * thread, const pthread_attr_t *how, void *(*run)(void *), void *with),
                (thread, how, run, with), if (faults::fails("pthread_create")) return EAGAIN)
FAULTS_FUNCTION(void *, mmap, (void *at, std::size_t size, int may, int how, int fd, off_t from),
                (at, size, may, how, fd, from), if (faults::fails("mmap")) return MAP_FAILED)
FAULTS_TRANSFER(read, (int fd, void *to, std::size_t size), (fd, to, size))
FAULTS_TRANSFER(write, (int fd, const void *from, std::size_t size), (fd, from, size))
FAULTS_TRANSFER(pread, (int fd, void *to, std::size_t size, off_t at), (fd, to, size, at))
FAULTS_TRANSFER(pread64, (int fd, void *to, std::size_t size, off_t at), (fd, to, size, at))
FAULTS_TRANSFER(pwrite, (int fd, const void *from, std::size_t size, off_t at),
                (fd, from, size, at))
FAULTS_TRANSFER(pwrite64, (int fd, const void *from, std::size_t size, off_t at),
                (fd, from, size, at))

// Memory: of C and C++ at once where nobody else stands before malloc, else of C++ alone.
#ifdef __SANITIZE_ADDRESS__

static void *faultsNew(std::size_t size, std::size_t alignment) {
  void *memory = nullptr;
  if (!faults::isHit(faults::Kind::Allocation, "operator new"))
    memory = alignment ? ::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment)
                       : std::malloc(size ? size : 1);
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void *operator new(std::size_t size) { return faultsNew(size, 0); }
void *operator new[](std::size_t size) { return faultsNew(size, 0); }
void *operator new(std::size_t size, std::align_val_t a) { return faultsNew(size, std::size_t(a)); }
void *operator new[](std::size_t size, std::align_val_t a) {
  return faultsNew(size, std::size_t(a));
}
void operator delete(void *p) noexcept { std::free(p); }
void operator delete[](void *p) noexcept { std::free(p); }
void operator delete(void *p, std::size_t) noexcept { std::free(p); }
void operator delete[](void *p, std::size_t) noexcept { std::free(p); }
void operator delete(void *p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void *p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void *p, std::size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void *p, std::size_t, std::align_val_t) noexcept { std::free(p); }

#else

extern "C" void *__libc_malloc(std::size_t), *__libc_calloc(std::size_t, std::size_t),
    *__libc_realloc(void *, std::size_t), *__libc_memalign(std::size_t, std::size_t);

#define FAULTS_MEMORY(name, given, parameters, arguments)                                          \
  extern "C" [[gnu::visibility("default")]] void *faults_##name parameters __asm__(#name);         \
  extern "C" void *faults_##name parameters {                                                      \
    if (faults::isHit(faults::Kind::Allocation, #name)) {                                          \
      errno = ENOMEM;                                                                              \
      return nullptr;                                                                              \
    }                                                                                              \
    return given arguments;                                                                        \
  }

FAULTS_MEMORY(malloc, __libc_malloc, (std::size_t size), (size))
FAULTS_MEMORY(calloc, __libc_calloc, (std::size_t n, std::size_t size), (n, size))
FAULTS_MEMORY(realloc, __libc_realloc, (void *p, std::size_t size), (p, size))
FAULTS_MEMORY(aligned_alloc, __libc_memalign, (std::size_t to, std::size_t size), (to, size))
FAULTS_MEMORY(memalign, __libc_memalign, (std::size_t to, std::size_t size), (to, size))

#endif
