// SPDX-License-Identifier: MIT
// Loading images and serving their hooks.
#include "codelet/Load.hpp"
#include "base/Fork.hpp"
#include "base/Text.hpp"
#include "codelet/Checks.hpp"
#include "codelet/Toolchain.hpp"
#include "poplar/codelet/Hooks.hpp"
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace poplar::codelet {
namespace {

// ---- hooks ----

base::ForkMutex printMutex; // threads may have one stream behind their hooks
thread_local PrintTarget printTarget;

int print(const char *format, va_list arguments) {
  const InsideHook hook;
  va_list again;
  va_copy(again, arguments);
  const int size = std::vsnprintf(nullptr, 0, format, again);
  va_end(again);
  if (size < 0)
    return size;
  std::string text(std::size_t(size) + 1, '\0');
  std::vsnprintf(text.data(), text.size(), format, arguments);
  printText(std::string_view(text).substr(0, std::size_t(size)));
  return size;
}

void assertFailed(const char *expression, const char *file, unsigned line, const char *function) {
  const InsideHook hook;
  PlainText vertex;
  if (const auto *call = currentCall())
    call->names->name(*call, vertex);
  throw TrapError(base::str(vertex.view().empty()
                                ? "Assertion failed in a codelet: "
                                : base::str(vertex.view(), ": assertion failed: "),
                            expression, " (", function, ", ", file, ":", line, ")"));
}

// xorshift64*: a thread's vertices run one after the other, so one state per thread is enough.
thread_local std::uint64_t randomState = 0x9e3779b97f4a7c15ull;
unsigned long long random64() {
  randomState ^= randomState >> 12;
  randomState ^= randomState << 25;
  randomState ^= randomState >> 27;
  return randomState * 0x2545f4914f6cdd1dull;
}

unsigned tileId() {
  const auto *call = currentCall();
  return call ? call->names->tile(*call) : 0;
}
unsigned long long cycles() {
  const auto *call = currentCall();
  return call ? call->cycles : 0;
}

// A vertex finds in them what the last one on its thread put there, as on a worker.
unsigned *registers() {
  thread_local unsigned all[256] = {};
  return all;
}

const Hooks hooks = {print,     assertFailed, checkFailed, random64, touched,
                     undefined, tileId,       cycles,      registers};

} // namespace

bool isHook(std::uintptr_t address) {
  return address - reinterpret_cast<std::uintptr_t>(&hooks) < sizeof hooks;
}

namespace {

// ---- images ----

} // namespace

class LoadedImage {
public:
  LoadedImage(const std::string &bytes, const std::string &name) {
    if (writeToMemory(bytes))
      handle_ = ::dlopen(base::str("/proc/self/fd/", fd_).c_str(), RTLD_NOW | RTLD_LOCAL);
    const char *error = handle_ ? nullptr : ::dlerror();
    const auto setHooks = symbol<void (*)(const Hooks *)>("openipu_set_hooks");
    entries_ = symbol<const Entry *>("openipu_entries");
    if (!setHooks || !entries_) {
      const std::string reason = handle_ ? "it has no entries"
                                 : error ? error
                                         : std::strerror(errno);
      close();
      throw LinkError(
          base::str("Codelet ", name, " cannot be loaded: ", reason, ". Compile it again."));
    }
    setHooks(&hooks);
    code_ = codeWith(entries_);
  }
  ~LoadedImage() { close(); }
  LoadedImage(const LoadedImage &) = delete;
  LoadedImage &operator=(const LoadedImage &) = delete;
  Entry entry(std::size_t type) const { return entries_[type]; }
  CodeRange code() const { return code_; }
  template <class T> T symbol(const char *name) const {
    return handle_ ? reinterpret_cast<T>(::dlsym(handle_, name)) : nullptr;
  }

private:
  bool writeToMemory(const std::string &bytes) {
    fd_ = ::memfd_create("openipu-codelet", MFD_CLOEXEC);
    bool written = fd_ >= 0;
    for (std::size_t done = 0; written && done < bytes.size();) {
      const ssize_t n = ::write(fd_, bytes.data() + done, bytes.size() - done);
      written = n > 0;
      done += written ? std::size_t(n) : 0;
    }
    return written;
  }
  // The executable segments of the loaded object that this address is in.
  static CodeRange codeWith(const void *address) {
    struct Search {
      std::uintptr_t address;
      CodeRange found;
    } search{reinterpret_cast<std::uintptr_t>(address), {}};
    ::dl_iterate_phdr(
        [](dl_phdr_info *object, std::size_t, void *data) {
          auto &wanted = *static_cast<Search *>(data);
          CodeRange code{UINTPTR_MAX, 0, UINTPTR_MAX, 0};
          bool isIt = false;
          for (int i = 0; i < object->dlpi_phnum; ++i) {
            const auto &segment = object->dlpi_phdr[i];
            const auto begin = object->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
            if (segment.p_type != PT_LOAD)
              continue;
            isIt = isIt || (wanted.address >= begin && wanted.address < end);
            code.imageBegin = std::min(code.imageBegin, begin);
            code.imageEnd = std::max(code.imageEnd, end);
            if (segment.p_flags & PF_X) {
              code.begin = std::min(code.begin, begin);
              code.end = std::max(code.end, end);
            }
          }
          if (isIt)
            wanted.found = code;
          return int(isIt);
        },
        &search);
    return search.found;
  }
  void close() {
    if (handle_)
      ::dlclose(handle_);
    if (fd_ >= 0)
      ::close(fd_);
  }
  void *handle_ = nullptr;
  int fd_ = -1; // stays open: dlopen tells libraries apart by path, and the path is the number
  const Entry *entries_ = nullptr;
  CodeRange code_;
};

struct LoadedModule::Impl {
  std::mutex mutex;
  std::map<std::pair<Variant, unsigned>, std::unique_ptr<LoadedImage>> images;
};

LoadedModule::LoadedModule(std::shared_ptr<const Module> module)
    : module_(std::move(module)), impl_(std::make_unique<Impl>()) {
  if (!machineRuns(module_->machine))
    throw LinkError(
        base::str("Codelet ", module_->sourceName, " was compiled for ", module_->machine,
                  " processors, and this one is not. Compile it again on this machine."));
}
LoadedModule::~LoadedModule() = default;

Entry LoadedModule::entry(std::size_t type, Variant variant, unsigned threadSlot) {
  if (type >= module_->types.size())
    throw std::out_of_range(base::str("codelet ", module_->sourceName, " has ",
                                      module_->types.size(), " vertex types; number ", type,
                                      " was asked for"));
  return image(variant, threadSlot).entry(type);
}

CodeRange LoadedModule::code(Variant variant, unsigned threadSlot) {
  return image(variant, threadSlot).code();
}

const void *LoadedModule::symbol(const char *name, Variant variant) {
  return image(variant, 0).symbol<const void *>(name);
}

const LoadedImage &LoadedModule::image(Variant variant, unsigned threadSlot) {
  const std::string &bytes = variant == Variant::Fast      ? module_->image
                             : variant == Variant::Counted ? module_->countedImage
                                                           : module_->checkedImage;
  const std::lock_guard lock(impl_->mutex);
  auto &image = impl_->images[{variant, module_->mutableStatics ? threadSlot : 0}];
  if (!image)
    image = std::make_unique<LoadedImage>(bytes, module_->sourceName);
  return *image;
}

PrintTarget setPrintTarget(PrintTarget target) { return std::exchange(printTarget, target); }

void printText(std::string_view text) {
  const std::lock_guard lock(printMutex);
  if (printTarget.hook)
    printTarget.hook(text.data(), text.size(), printTarget.context);
  else
    std::fwrite(text.data(), 1, text.size(), stdout);
}

void seedRandom(std::uint64_t seed) { randomState = seed ? seed : 0x9e3779b97f4a7c15ull; }

} // namespace poplar::codelet
