// SPDX-License-Identifier: MIT
// Names for diagnostics. Every construction function takes a DebugContext: a path "outer/inner",
// the place in the source, and the DebugInfo it belongs to. Names need not be unique. A DebugInfo
// describes one call of one software layer; if a streamer is open it is written to the debug file
// when it is destroyed.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <poplar/ProfileValue.hpp>
#include <poplar/StringRef.hpp>
#include <string>

namespace poplar {

// A place in a source file: function, file and line.
class SourceLocation {
public:
  SourceLocation() = default;
  SourceLocation(const char *function, const char *file, unsigned line)
      : function_(function), file_(file), line_(line) {}
#if defined(__GNUC__) || defined(__clang__)
  static SourceLocation Current(const char *function = __builtin_FUNCTION(),
                                const char *file = __builtin_FILE(),
                                unsigned line = __builtin_LINE()) {
    return SourceLocation(function, file, line);
  }
#else
  // The place of the call that it is a default argument of.
  static SourceLocation Current() { return SourceLocation(); }
#endif
  const char *getFunctionName() const { return function_; }           // "" if it is not known
  const char *getFileName() const { return file_; }                   // "" if it is not known
  unsigned getLineNumber() const { return line_; }                    // 0 if it is not known
  bool isValid() const { return file_ != nullptr && *file_ != '\0'; } // false if no file is known

private:
  const char *function_ = "";
  const char *file_ = "";
  unsigned line_ = 0;
};

using DebugId = std::uint64_t;                      // identifies a DebugInfo within the process
enum class DebugSerializationFormat { JSON, CBOR }; // format of the debug file

class DebugInfo;
class DebugContext;

// A name under a parent's path, and the parent's id. What libraries keep of a DebugContext.
class DebugNameAndId {
public:
  DebugNameAndId(std::string name = "", DebugId debugId = {}, std::string parentPath = "");
  DebugNameAndId(const char *name);
  DebugNameAndId(DebugId debugId);
  DebugNameAndId(const DebugInfo &debugInfo, std::string name = "");
  DebugNameAndId(const DebugNameAndId &debugNameAndId, std::string name);
  DebugNameAndId(const DebugNameAndId &) = default;
  DebugNameAndId(DebugNameAndId &&) = default;
  DebugNameAndId &operator=(const DebugNameAndId &) = default;
  DebugNameAndId &operator=(DebugNameAndId &&) = default;

  std::string getPathName() const; // the parent's path and the name, joined by "/"
  const std::string &getName() const { return name_; } // without the parent's path
  DebugId getParentId() const { return parentId_; }    // 0 if there is no parent

private:
  std::string parentPath_, name_;
  DebugId parentId_;
};

class DebugContext {
public:
  DebugContext(SourceLocation loc = SourceLocation::Current()) : loc_(loc) {}
  DebugContext(const char *name, SourceLocation loc = SourceLocation::Current());
  DebugContext(StringRef name, SourceLocation loc = SourceLocation::Current());
  DebugContext(std::string name, SourceLocation loc = SourceLocation::Current());
  DebugContext(const DebugInfo &debugInfo, std::string name = "",
               SourceLocation loc = SourceLocation::Current());
  DebugContext(const DebugNameAndId &debugNameAndId, std::string name = "",
               SourceLocation loc = SourceLocation::Current());
  DebugContext(const DebugContext &debugContext, StringRef name,
               SourceLocation loc = SourceLocation::Current());
  DebugContext(const DebugContext &) = default;
  DebugContext(DebugContext &&) = default;
  DebugContext &operator=(const DebugContext &) = default;
  DebugContext &operator=(DebugContext &&) = default;

  // Parent path and name joined by "/", empty parts left out.
  std::string getPathName() const;
  const std::string &getName() const { return name_; }
  DebugId getParentId() const { return parentId_; }
  const SourceLocation &getLocation() const { return loc_; }

private:
  std::string parentPath_, name_;
  DebugId parentId_ = 0;
  SourceLocation loc_;
};

std::ostream &operator<<(std::ostream &out, const DebugContext &context);
std::ostream &operator<<(std::ostream &out, const DebugNameAndId &nameAndId);

// What one call of a software layer is called, and what it was given. Made at the begin of the
// call, written to the debug file at its end.
class DebugInfo {
public:
  DebugInfo(const DebugContext &debugContext, std::string layer);
  virtual ~DebugInfo();
  DebugInfo(const DebugInfo &) = delete;
  DebugInfo &operator=(const DebugInfo &) = delete;

  DebugId getId() const;           // for the DebugContext of calls made inside
  std::string getPathName() const; // the path of the context it was made with
  // False, and nothing changes, if the key is already set.
  bool setValue(std::string name, ProfileValue value);

  // From here on every DebugInfo is recorded; closeStreamer (or the end of the process) completes
  // the file.
  static void
  initializeStreamer(const std::string &fileName,
                     const DebugSerializationFormat &format = DebugSerializationFormat::CBOR);
  // Completes the debug file and closes it; later DebugInfo objects are not recorded.
  static void closeStreamer();

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace poplar
