// SPDX-License-Identifier: MIT
// An IPU that has shown an error has a file beside its own, ipu7.error, until it is reset.
#include "base/Folder.hpp"
#include "LeaseFile.hpp"
#include "machine/Lease.hpp"
#include "machine/Runtime.hpp"
#include <unistd.h>

namespace machine {
namespace {

std::string fileOf(unsigned ipu) { return leaseFile(ipu) + ".error"; }

} // namespace

std::optional<std::string> errorStateOf(unsigned ipu) {
  std::string why, text;
  const auto file = runtimeFolder().open(fileOf(ipu), why);
  if (!file || !base::readAll(file.get(), text) || text.empty())
    return std::nullopt;
  return text.substr(0, text.find('\n')).substr(0, 100);
}

void setErrorState(const std::vector<unsigned> &ipus, const std::string &error) {
  const auto folder = runtimeFolder();
  for (const unsigned ipu : ipus)
    try {
      const auto file = folder.openOrMake(fileOf(ipu));
      writeText(file.get(), error + "\n");
    } catch (const base::FileError &) { // the error itself is what matters
    }
}

void clearErrorState(const std::vector<unsigned> &ipus) {
  const auto folder = runtimeFolder();
  for (const unsigned ipu : ipus)
    ::unlinkat(folder.get(), fileOf(ipu).c_str(), 0);
}

} // namespace machine
