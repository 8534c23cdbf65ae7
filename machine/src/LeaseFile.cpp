// SPDX-License-Identifier: MIT
// Lines of text, because whoever wonders who holds an IPU may look with nothing but cat. A holder
// that died leaves its text behind, but not its lock.
#include "LeaseFile.hpp"
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "machine/Lease.hpp"
#include "machine/Runtime.hpp"
#include <algorithm>
#include <ctime>
#include <fcntl.h>
#include <filesystem>
#include <pwd.h>
#include <sstream>
#include <unistd.h>

namespace machine {
namespace {

constexpr std::size_t longestLine = 500; // eight of them fit before the record of what is used

std::string now() {
  const std::time_t t = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&t, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &utc);
  return text;
}

std::string userName() {
  passwd entry{}, *found = nullptr;
  char buffer[4096];
  const bool known = ::getpwuid_r(::getuid(), &entry, buffer, sizeof buffer, &found) == 0 && found;
  return known ? entry.pw_name : std::to_string(::getuid());
}

std::string linkOf(const char *path) {
  std::error_code ignored;
  return std::filesystem::read_symlink(path, ignored).string();
}

std::string commandLine() {
  const base::Descriptor file(::open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC));
  std::string text(4 * longestLine, 0);
  const ssize_t n = file ? ::read(file.get(), text.data(), text.size()) : 0;
  text.resize(std::size_t(std::max<ssize_t>(0, n)));
  while (!text.empty() && text.back() == 0)
    text.pop_back();
  std::ranges::replace(text, '\0', ' ');
  return text;
}

std::string hostName() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string line(std::string text) {
  for (char &c : text) // whatever a user calls his programs, lines stay lines
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return text.substr(0, longestLine) + "\n";
}

// What does not change while a process lives.
struct Self {
  long processId = 0;
  std::string executable, command, user, host, space;
};
const Self &self() {
  thread_local Self known;
  if (known.processId != long(::getpid()))
    known = {long(::getpid()), linkOf("/proc/self/exe"),   commandLine(), userName(),
             hostName(),       linkOf("/proc/self/ns/pid")};
  return known;
}

bool readHolder(std::istream &text, Holder &holder) {
  std::string numbers, space;
  if (!(text >> holder.processId) || !std::getline(text >> std::ws, holder.executable) ||
      !std::getline(text, holder.user) || !std::getline(text, holder.startTime) ||
      !std::getline(text, holder.command) || !std::getline(text, holder.host) ||
      !std::getline(text, space) || !(text >> holder.firstIpu >> holder.device))
    return false;
  holder.otherNamespace = space != self().space;
  return true;
}

} // namespace

std::string leaseFile(unsigned ipu) { return base::str("ipu", ipu); }

std::string describeSelf(unsigned firstIpu, unsigned device) {
  const auto &me = self();
  return base::str(me.processId, '\n', line(me.executable), line(me.user), line(now()),
                   line(me.command), line(me.host), line(me.space), firstIpu, ' ', device, '\n');
}

std::string ownCommandLine() { return self().command; }

bool writeText(int file, const std::string &text) { // with the zero that ends it: more may follow
  return ::pwrite(file, text.c_str(), text.size() + 1, 0) == ssize_t(text.size() + 1);
}

bool isFree(unsigned ipu) {
  std::string why;
  const auto file = runtimeFolder().open(leaseFile(ipu), why);
  return !file || !isLocked(file.get());
}

std::optional<Holder> holderOf(unsigned ipu) {
  std::string why;
  const auto file = runtimeFolder().open(leaseFile(ipu), why);
  if (!file || !isLocked(file.get()))
    return std::nullopt;
  char bytes[8 * longestLine + 1] = "";
  const ssize_t n = ::pread(file.get(), bytes, sizeof bytes - 1, 0);
  std::istringstream text(n > 0 ? std::string(bytes) : std::string());
  Holder holder;
  return readHolder(text, holder) ? std::optional(holder) : std::nullopt;
}

std::optional<UsageView> usageOf(const Holder &holder) {
  std::string why;
  const auto file = runtimeFolder().open(leaseFile(holder.firstIpu), why);
  return file ? readUsage(file.get()) : std::nullopt;
}

} // namespace machine
