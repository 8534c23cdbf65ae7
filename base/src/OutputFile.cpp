// SPDX-License-Identifier: MIT
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "Name.hpp"
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <linux/magic.h>
#include <optional>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace base {
namespace {

// Where the bytes of a path go, at the end of all links.
struct Destination {
  Descriptor folder;
  std::string path, name;
  struct stat info {};                    // of what is there
  bool exists = false, ofProcess = false; // ofProcess: /proc/self/fd/1, where /dev/stdout leads

  bool isReplaced() const { return !exists || (S_ISREG(info.st_mode) && !ofProcess); }
};

Descriptor openFolderOf(const std::string &path, const std::string &folder) {
  Descriptor fd(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!fd && errno == ENOENT)
    throw FileError(path, str("The file \"", path, "\" cannot be written: there is no folder \"",
                              folder, "\". Make it first, or choose another."));
  if (!fd)
    failToWrite(path, errno);
  return fd;
}

std::string followed(const Destination &place, const std::string &folder, const std::string &path) {
  if (!isTrustedUser(place.info.st_uid))
    throw UnsafeError(path, str("The file \"", path, "\" is not written: \"", place.path,
                                "\" is a link that user ", place.info.st_uid,
                                " made. Remove it, or choose another path."));
  char target[4096];
  const ssize_t size = ::readlinkat(place.folder.get(), place.name.c_str(), target, sizeof target);
  if (size <= 0)
    failToWrite(path, errno);
  const std::string text(target, std::size_t(size));
  return text[0] == '/' ? text : folder + "/" + text;
}

bool isProcess(int folder) {
  struct statfs system {};
  return ::fstatfs(folder, &system) == 0 && system.f_type == PROC_SUPER_MAGIC;
}

Destination placeOf(const std::string &path) {
  requireName(path);
  std::string at = path;
  for (int links = 0; links < 40; ++links) {
    const auto slash = at.rfind('/');
    const auto folder = slash == std::string::npos ? "." : slash == 0 ? "/" : at.substr(0, slash);
    Destination place;
    place.path = at;
    place.name = slash == std::string::npos ? at : at.substr(slash + 1);
    if (place.name.empty())
      failToWrite(path, path.empty() ? ENOENT : EISDIR);
    place.folder = openFolderOf(path, folder);
    place.ofProcess = isProcess(place.folder.get());
    const int follow = place.ofProcess ? 0 : AT_SYMLINK_NOFOLLOW;
    place.exists = ::fstatat(place.folder.get(), place.name.c_str(), &place.info, follow) == 0;
    if (!place.exists && errno != ENOENT)
      failToWrite(path, errno);
    if (!place.exists || !S_ISLNK(place.info.st_mode))
      return place;
    at = followed(place, folder, path);
  }
  failToWrite(path, ELOOP);
}

Destination checkedPlace(const std::string &path) {
  Destination place = placeOf(path);
  if (place.exists && S_ISDIR(place.info.st_mode))
    failToWrite(path, EISDIR);
  const bool talks = S_ISFIFO(place.info.st_mode) || S_ISSOCK(place.info.st_mode);
  if (place.exists && talks && !place.ofProcess && !isTrustedUser(place.info.st_uid))
    throw UnsafeError(path, str("The file \"", path, "\" is not written: it is a pipe that user ",
                                place.info.st_uid, " made. Remove it, or choose another path."));
  return place;
}

Descriptor openExisting(const Destination &place, int flags) {
  return Descriptor(
      ::openat(place.folder.get(), place.name.c_str(),
               O_WRONLY | O_NOCTTY | O_CLOEXEC | (place.ofProcess ? 0 : O_NOFOLLOW) | flags, 0666));
}

// A reader that goes away is an error, and not the end of the process.
class NoPipeSignal {
public:
  NoPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const std::timespec now{};
    if (!::sigismember(&before_, SIGPIPE))
      ::sigtimedwait(&pipe_, nullptr, &now);
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t pipe_, before_;
};

// 0, or why it failed. O_APPEND: standard output may be a file that others write to as well.
int copyInto(const Destination &place, int from) {
  const NoPipeSignal guard;
  const Descriptor to = openExisting(place, O_APPEND);
  struct stat info {};
  if (!to || ::fstat(to.get(), &info) != 0)
    return errno;
  if ((info.st_mode & S_IFMT) != (place.info.st_mode & S_IFMT))
    return EBUSY; // another file has taken its place
  DescriptorStream out(to.get());
  std::string part(1 << 20, 0);
  for (off_t at = 0; !out.error();) {
    const ssize_t n = ::pread(from, part.data(), part.size(), at);
    if (n <= 0)
      return n < 0 ? errno : 0;
    out.write(part.data(), n).flush();
    at += n;
  }
  return out.error();
}

} // namespace

struct OutputFile::Impl {
  explicit Impl(const std::string &output) : path(output), place(checkedPlace(output)) {
    if (place.isReplaced()) {
      clearLeftovers(place.folder.get());
      file.emplace(place.folder.get(), path, 0666); // less what umask takes away
      if (place.exists && place.info.st_uid == ::geteuid())
        ::fchmod(file->get(), place.info.st_mode & 0777); // who could not read it still cannot
    } else {
      memory = Descriptor(::memfd_create("openipu-output", MFD_CLOEXEC));
      if (!memory)
        failToWrite(path, errno);
    }
    stream.emplace(descriptor());
  }
  int descriptor() const { return file ? file->get() : memory.get(); }
  void close() {
    stream->flush();
    if (stream->error())
      failToWrite(path, stream->error());
  }
  void commit() {
    close();
    errno = 0;
    const int error = !file ? copyInto(place, memory.get()) : file->moveTo(place.name) ? 0 : errno;
    if (error)
      failToWrite(path, error);
  }
  std::string path;
  Destination place;
  std::optional<NewFile> file;
  Descriptor memory; // in place of `file` where something else than a file is written to
  std::optional<DescriptorStream> stream;
};

OutputFile::OutputFile(const std::string &path) : impl_(std::make_unique<Impl>(path)) {}
OutputFile::~OutputFile() = default;
std::ostream &OutputFile::stream() { return *impl_->stream; }
int OutputFile::descriptor() const { return impl_->descriptor(); }
bool OutputFile::failed() const { return impl_->stream->error() != 0; }
void OutputFile::close() { impl_->close(); }
void OutputFile::commit() { impl_->commit(); }

void writeWhole(const std::string &path, std::string_view bytes) {
  OutputFile file(path);
  file.stream().write(bytes.data(), std::streamsize(bytes.size()));
  file.commit();
}

void makeFolderOf(const std::string &path) {
  requireName(path);
  const auto folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  if (!folder.empty())
    std::filesystem::create_directories(folder, error);
  if (error)
    throw FileError(folder.string(), str("The folder \"", folder.string(), "\" cannot be made: ",
                                         error.message(), ". Choose another one."));
}

Descriptor openInPlace(const std::string &path, Begin begin) {
  const Destination place = checkedPlace(path);
  const bool append = begin == Begin::AtEnd || !place.isReplaced();
  Descriptor file = openExisting(place, O_CREAT | (append ? O_APPEND : O_TRUNC));
  if (!file)
    failToWrite(path, errno);
  return file;
}

} // namespace base
