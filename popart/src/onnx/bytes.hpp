// SPDX-License-Identifier: MIT
// The bytes that models and weights are read from, and who keeps them alive: a mapped file, a text
// that was handed over, or the caller, for as long as a call lasts.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <time.h>
#include <vector>

namespace popart::onnxmodel {

// A whole file, mapped. popart::error that says why not.
class MappedFile {
public:
  explicit MappedFile(const std::filesystem::path &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;
  MappedFile &operator=(const MappedFile &) = delete;

  std::string_view bytes() const { return {static_cast<const char *>(data_), size_}; }
  // popart::error if somebody wrote into the file itself and `data` is part of it: those bytes are
  // others now, or gone. A new file that takes its place under the same name does no harm.
  void requireUnchanged(const void *data) const;

private:
  std::filesystem::path path_;
  int file_ = -1;
  void *data_ = nullptr;
  std::size_t size_ = 0;
  timespec written_ = {};
};

struct Bytes {
  std::string_view view;
  std::shared_ptr<const void> owner; // null: the caller's, who may take them back
  static Bytes of(std::string text);
};

// Copies that stand together in one block, which is returned; `pieces` then refers to it.
std::shared_ptr<const void> keep(std::vector<std::string_view> &pieces);

} // namespace popart::onnxmodel
