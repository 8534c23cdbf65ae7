// SPDX-License-Identifier: MIT
#include "base/PassRunner.hpp"
#include "base/Environment.hpp"
#include "base/OutputFile.hpp"
#include <algorithm>
#include <atomic>
#include <iomanip>
#include <map>
#include <mutex>
#include <stdexcept>

namespace base {

namespace {

std::vector<std::string> itemsOf(const char *variable) {
  std::vector<std::string> items;
  std::istringstream text(textFromEnvironment(variable));
  for (std::string item; std::getline(text, item, ',');) {
    item.erase(0, item.find_first_not_of(' '));
    item.erase(item.find_last_not_of(' ') + 1);
    if (!item.empty())
      items.push_back(item);
  }
  return items;
}

// Those that may be given, each once.
std::vector<std::string> namesOf(const std::vector<PassWishes::Known> &passes, bool all) {
  std::vector<std::string> names;
  for (const auto &pass : passes)
    if ((all || pass.skip == Skip::Optional) &&
        std::find(names.begin(), names.end(), pass.name) == names.end())
      names.push_back(pass.name);
  return names;
}

[[noreturn]] void refuseUnknown(const char *variable, const std::string &item,
                                const std::vector<std::string> &names) {
  throw std::invalid_argument(str(variable, ": there is no pass \"", brief(item), "\".",
                                  didYouMean(item, names), " The passes are ", list(names, ", "),
                                  "."));
}

void checkSkip(const char *variable, const std::string &item,
               const std::vector<PassWishes::Known> &passes) {
  const auto found = std::find_if(passes.begin(), passes.end(),
                                  [&](const auto &pass) { return pass.name == item; });
  if (found == passes.end())
    refuseUnknown(variable, item, namesOf(passes, true));
  if (found->skip == Skip::Needed)
    throw std::invalid_argument(
        str(variable, ": the pass \"", item, "\" cannot be left out: what follows relies on it (",
            found->holds, "). Those that can are ", list(namesOf(passes, false), ", "), "."));
}

// 1, 2, ... for every compiler.
unsigned nextCompilation(const std::string &compiler) {
  static std::mutex mutex;
  static std::map<std::string, unsigned> compilations;
  std::lock_guard lock(mutex);
  return ++compilations[compiler];
}

} // namespace

PassWishes::PassWishes(const PassVariables &variables, const std::vector<Known> &passes)
    : checks_(developmentBuild || numberFromEnvironment("OPENIPU_CHECK_PASSES", 0, 0, 1)) {
  for (const auto &item : itemsOf(variables.skip)) {
    checkSkip(variables.skip, item, passes);
    skipped_.insert(item);
  }
  const auto names = namesOf(passes, true);
  for (const auto &item : itemsOf(variables.dump))
    if (item == "all")
      dumped_.insert(names.begin(), names.end());
    else if (std::find(names.begin(), names.end(), item) == names.end())
      refuseUnknown(variables.dump, item, names);
    else
      dumped_.insert(item);
  if (dumped_.empty())
    return;
  const auto folder = textFromEnvironment("OPENIPU_DUMP_DIR");
  prefix_ = str(folder.empty() ? "." : folder, '/', variables.compiler, '-',
                nextCompilation(variables.compiler), '.');
}

void PassWishes::dump(const char *name, std::size_t index, const char *when,
                      const std::string &text) const {
  std::string plain = name;
  std::replace(plain.begin(), plain.end(), ' ', '-');
  writeWhole(
      str(prefix_, std::setw(2), std::setfill('0'), index + 1, '-', plain, '.', when, ".txt"),
      text);
}

} // namespace base
