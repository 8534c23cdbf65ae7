// SPDX-License-Identifier: MIT
// A new file changes the time of its folder, so that folders whose time is the same need no look at
// their names: a hit costs one stat for each.
#include "codelet/Lookups.hpp"
#include <cctype>
#include <ctime>
#include <filesystem>
#include <map>
#include <set>
#include <sys/stat.h>
#include <unistd.h>

namespace poplar::codelet {
namespace {

namespace fs = std::filesystem;

// File systems tell times in ticks of the kernel, of up to ten milliseconds.
constexpr std::int64_t tick = 20'000'000, second = 1'000'000'000;

bool exists(const std::string &path) { return ::access(path.c_str(), F_OK) == 0; }

std::int64_t modifiedTime(const std::string &path) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0)
    return 0;
  return std::int64_t(s.st_mtim.tv_sec) * second + s.st_mtim.tv_nsec;
}

bool take(std::string_view &text, std::string_view word) {
  if (text.substr(0, word.size()) != word)
    return false;
  text.remove_prefix(word.size());
  return true;
}

void skipBlanks(std::string_view &text, std::string_view alsoThese = "") {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t' ||
                           alsoThese.find(text.front()) != alsoThese.npos))
    text.remove_prefix(1);
}

std::string_view nextLine(std::string_view &text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// The name behind the word, if the text goes on with one.
bool nameAt(std::string_view text, std::string &name) {
  take(text, "_next");
  skipBlanks(text, "(");
  if (text.empty() || (text.front() != '"' && text.front() != '<'))
    return false;
  const char close = text.front() == '"' ? '"' : '>';
  text.remove_prefix(1);
  const auto end = text.find_first_of(std::string{close, '\n'});
  if (end == text.npos || end == 0 || text[end] != close)
    return false;
  name = text.substr(0, end);
  return true;
}

// The name by which a file is found in a folder; empty if it is not below.
std::string nameBelow(const std::string &file, const std::string &folder) {
  const bool below = file.size() > folder.size() + 1 &&
                     file.compare(0, folder.size(), folder) == 0 && file[folder.size()] == '/';
  return below ? file.substr(folder.size() + 1) : std::string();
}

} // namespace

std::int64_t reliableTime(const std::string &path) {
  const auto time = modifiedTime(path);
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return time > std::int64_t(now.tv_sec) * second + now.tv_nsec - tick ? -1 : time;
}

SearchPath parseSearchPath(std::string_view output) {
  SearchPath path;
  const auto add = [&](std::string_view folder) {
    std::string absolute = fs::absolute(folder).lexically_normal().string();
    while (absolute.size() > 1 && absolute.back() == '/')
      absolute.pop_back();
    path.folders.push_back(std::move(absolute));
  };
  bool listing = false;
  while (!output.empty()) {
    auto line = nextLine(output);
    if (line.find("search starts here:") != line.npos)
      listing = true;
    else if (take(line, "End of search list"))
      listing = false;
    else if (listing && take(line, " "))
      add(line);
    else if (take(line, "ignoring nonexistent directory \""))
      add(line.substr(0, line.find('"')));
    else if (const auto program = line.substr(0, line.find(' ', 1));
             program.size() > 8 && program.substr(program.size() - 8) == "/cc1plus")
      path.program = program.substr(1);
  }
  return path;
}

std::vector<std::string> includedNames(std::string_view source) {
  std::vector<std::string> names;
  std::string name;
  for (const std::string_view word : {"include", "import"})
    for (auto at = source.find(word); at != source.npos; at = source.find(word, at + 1))
      if (nameAt(source.substr(at + word.size()), name))
        names.push_back(name);
  return names;
}

std::vector<Lookup> observeLookups(const std::vector<MentioningFile> &mentioning,
                                   const std::vector<std::string> &found, const SearchPath &path) {
  std::set<std::string> names;
  std::map<std::string, std::set<std::string>> byFolder;
  const auto look = [&](const std::string &folder, const std::string &name) {
    const fs::path candidate = fs::path(folder) / name;
    byFolder[candidate.parent_path().string()].insert(candidate.filename().string());
  };
  for (const auto &file : mentioning)
    for (auto &name : includedNames(file.text)) {
      if (!file.folder.empty())
        look(file.folder, name);
      names.insert(std::move(name));
    }
  for (const auto &file : found) // names that macros made
    for (const auto &folder : path.folders)
      if (auto name = nameBelow(file, folder); !name.empty())
        names.insert(std::move(name));
  for (const auto &folder : path.folders)
    for (const auto &name : names)
      look(folder, name);
  std::vector<Lookup> lookups;
  for (const auto &[folder, wanted] : byFolder) {
    Lookup lookup{folder, reliableTime(folder), {}};
    for (const auto &name : wanted)
      lookup.names += (exists(folder + "/" + name) ? "+" : "-") + name + "\n";
    lookups.push_back(std::move(lookup));
  }
  return lookups;
}

bool unchanged(const Lookup &lookup) {
  const auto time = modifiedTime(lookup.folder);
  if (time == lookup.modified)
    return true;
  std::string_view names = lookup.names;
  while (!names.empty()) {
    const auto line = nextLine(names);
    const std::string path = lookup.folder + "/" + std::string(line.substr(1));
    if (exists(path) != (line.front() == '+'))
      return false;
  }
  return true;
}

} // namespace poplar::codelet
