// SPDX-License-Identifier: MIT
// Files that users name as outputs. They appear whole, by commit(), or not at all. A link of the
// user's stays and its target is replaced; a link of another user is refused. A FIFO, a device or
// /dev/stdout gets the bytes and stays what it is. A missing folder is an error that names it.
#pragma once
#include "base/DescriptorStream.hpp"
#include "base/NewFile.hpp"
#include <concepts>
#include <memory>
#include <ostream>
#include <string_view>

namespace base {

class OutputFile {
public:
  explicit OutputFile(const std::string &path); // FileError, UnsafeError; so do the others
  ~OutputFile();
  OutputFile(const OutputFile &) = delete;
  std::ostream &stream();
  int descriptor() const; // the file on its way, for those who write and seek by themselves
  bool failed() const;    // something was not written; commit() says why
  void close();           // everything is written, under another name still
  void commit();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// The whole file at once; what a writer throws passes, and leaves nothing behind.
void writeWhole(const std::string &path, std::string_view bytes);
template <std::invocable<std::ostream &> Write>
void writeWhole(const std::string &path, const Write &write) {
  OutputFile file(path);
  try {
    write(file.stream());
  } catch (...) {
    if (file.failed())
      file.close(); // says why, whatever the writer made of it
    throw;
  }
  file.commit();
}

// The folder of a file, for calls that promise to make it.
void makeFolderOf(const std::string &path);

// For logs and traces, which grow where they are: appended to, or begun anew. The same rules.
enum class Begin { Anew, AtEnd };
Descriptor openInPlace(const std::string &path, Begin begin);

} // namespace base
