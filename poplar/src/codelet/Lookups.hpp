// SPDX-License-Identifier: MIT
// Where the compiler looked for included files, found or not. A cached codelet is good only while
// it would find the same ones: a header that appears in an earlier folder shadows the one that was
// read, and __has_include tells files apart that are never read. Every name that a file mentions is
// followed through every folder of the search path; that is more than the compiler does, so a
// result may be thrown away without need, but never kept without right.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace poplar::codelet {

// One folder and the names that were looked for in it.
struct Lookup {
  std::string folder;
  std::int64_t modified = 0; // nanoseconds; 0: there was none; -1: too young to be relied on
  std::string names;         // each as "+name\n" if it was there and "-name\n" if not
};

// What `g++ -v -E` says of itself.
struct SearchPath {
  std::vector<std::string> folders; // absolute; also those that do not exist
  std::string program;              // that compiles, behind the driver
};
SearchPath parseSearchPath(std::string_view verboseOutput);

// Names between quotes or angles behind include, include_next, import and __has_include.
std::vector<std::string> includedNames(std::string_view source);

struct MentioningFile {
  std::string folder; // where names in quotes are looked for first; empty: nowhere
  std::string text;
};

// `found` are the files that were read, absolute.
std::vector<Lookup> observeLookups(const std::vector<MentioningFile> &mentioning,
                                   const std::vector<std::string> &found, const SearchPath &path);

bool unchanged(const Lookup &lookup);

// The time of a file's last change, or -1 if another change could still get the same one. 0: none.
std::int64_t reliableTime(const std::string &path);

} // namespace poplar::codelet
