// SPDX-License-Identifier: MIT
// Debug names, and the DebugInfo objects that end up in the debug information file.
#include "poplar/DebugContext.hpp"
#include "base/Fork.hpp"
#include "types/DebugStreamer.hpp"
#include "types/ProfileJson.hpp"
#include <algorithm>
#include <atomic>
#include <ostream>

namespace poplar {
namespace {

std::string join(const std::string &path, const std::string &name) {
  return path.empty() ? name : name.empty() ? path : path + "/" + name;
}

std::atomic<DebugId> nextId{1}; // 0: no parent

// The open file, if any; closed at the end of the process.
struct Streaming {
  base::ForkMutex mutex;
  std::unique_ptr<types::DebugStreamer> streamer;
  std::atomic<bool> open{false};
};
Streaming &streaming() {
  static Streaming instance;
  return instance;
}

} // namespace

bool types::debugFileIsOpen() { return streaming().open.load(std::memory_order_relaxed); }

void types::checkpointDebugFile() {
  auto &s = streaming();
  std::lock_guard lock(s.mutex);
  if (s.streamer)
    s.streamer->checkpoint();
}

DebugNameAndId::DebugNameAndId(std::string name, DebugId debugId, std::string parentPath)
    : parentPath_(std::move(parentPath)), name_(std::move(name)), parentId_(debugId) {}
DebugNameAndId::DebugNameAndId(const char *name) : DebugNameAndId(std::string(name)) {}
DebugNameAndId::DebugNameAndId(DebugId debugId) : DebugNameAndId(std::string(), debugId) {}
DebugNameAndId::DebugNameAndId(const DebugInfo &debugInfo, std::string name)
    : DebugNameAndId(std::move(name), debugInfo.getId(), debugInfo.getPathName()) {}
DebugNameAndId::DebugNameAndId(const DebugNameAndId &parent, std::string name)
    : DebugNameAndId(std::move(name), parent.parentId_, parent.getPathName()) {}
std::string DebugNameAndId::getPathName() const { return join(parentPath_, name_); }

DebugContext::DebugContext(const char *name, SourceLocation loc)
    : name_(name ? name : ""), loc_(loc) {}
DebugContext::DebugContext(StringRef name, SourceLocation loc) : name_(name), loc_(loc) {}
DebugContext::DebugContext(std::string name, SourceLocation loc)
    : name_(std::move(name)), loc_(loc) {}
DebugContext::DebugContext(const DebugInfo &parent, std::string name, SourceLocation loc)
    : parentPath_(parent.getPathName()), name_(std::move(name)), parentId_(parent.getId()),
      loc_(loc) {}
DebugContext::DebugContext(const DebugNameAndId &parent, std::string name, SourceLocation loc)
    : parentPath_(parent.getPathName()), name_(std::move(name)), parentId_(parent.getParentId()),
      loc_(loc) {}
DebugContext::DebugContext(const DebugContext &parent, StringRef name, SourceLocation loc)
    : parentPath_(parent.getPathName()), name_(name), parentId_(parent.parentId_), loc_(loc) {}
std::string DebugContext::getPathName() const { return join(parentPath_, name_); }

std::ostream &operator<<(std::ostream &out, const DebugContext &context) {
  return out << context.getPathName();
}
std::ostream &operator<<(std::ostream &out, const DebugNameAndId &name) {
  return out << name.getPathName();
}

struct DebugInfo::Impl {
  DebugId id;
  DebugContext context;
  std::string layer;
  std::vector<std::pair<std::string, ProfileValue>> values; // in the order they were set

  nlohmann::ordered_json entry(types::DebugStreamer &file) const {
    nlohmann::ordered_json e{{"id", id},
                             {"parentId", context.getParentId()},
                             {"name", file.indexOf(context.getName())},
                             {"layer", layer}};
    if (const auto &at = context.getLocation(); at.isValid())
      e["location"] = {{"fileName", file.indexOf(at.getFileName())},
                       {"functionName", file.indexOf(at.getFunctionName())},
                       {"lineNumber", at.getLineNumber()}};
    for (const auto &[key, value] : values)
      e[key] = types::toJson(value);
    return e;
  }
};

static void openAskedFile() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (const auto file = types::askedDebugFile(); !file.empty() && !types::debugFileIsOpen())
      DebugInfo::initializeStreamer(file, DebugSerializationFormat::CBOR);
  });
}

DebugInfo::DebugInfo(const DebugContext &context, std::string layer)
    : impl_(new Impl{nextId++, context, std::move(layer), {}}) {
  openAskedFile();
}

DebugInfo::~DebugInfo() {
  auto &s = streaming();
  std::lock_guard lock(s.mutex);
  if (s.streamer)
    s.streamer->write(impl_->entry(*s.streamer));
}

DebugId DebugInfo::getId() const { return impl_->id; }
std::string DebugInfo::getPathName() const { return impl_->context.getPathName(); }

bool DebugInfo::setValue(std::string name, ProfileValue value) {
  auto &values = impl_->values;
  if (std::ranges::any_of(values, [&](const auto &v) { return v.first == name; }))
    return false;
  values.emplace_back(std::move(name), std::move(value));
  return true;
}

void DebugInfo::initializeStreamer(const std::string &fileName,
                                   const DebugSerializationFormat &format) {
  closeStreamer();
  auto streamer = std::make_unique<types::DebugStreamer>(fileName, format);
  auto &s = streaming();
  std::lock_guard lock(s.mutex);
  s.streamer = std::move(streamer);
  s.open = true;
}

void DebugInfo::closeStreamer() {
  auto &s = streaming();
  std::lock_guard lock(s.mutex);
  s.open = false;
  if (const auto streamer = std::move(s.streamer))
    streamer->close();
}

} // namespace poplar
