// SPDX-License-Identifier: MIT
// For tests: compiles codelet text in a cache of the test's own, and builds vertices by hand as the
// engine does.
#pragma once
#include "base/Text.hpp"
#include "codelet/Compile.hpp"
#include "codelet/Load.hpp"
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <list>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace poplar::codelet::test {

// One cache folder for the whole test process: nothing of the user's is touched.
inline std::string cacheDirectory() {
  static const std::string folder = [] {
    std::string name = "/tmp/openipu-codelet-test-XXXXXX";
    if (!::mkdtemp(name.data()))
      throw std::runtime_error("mkdtemp");
    static struct Remover {
      std::string path;
      ~Remover() {
        std::error_code e;
        std::filesystem::remove_all(path, e);
      }
    } remover{name};
    return name;
  }();
  return folder;
}
inline void useTestCache() { ::setenv("OPENIPU_CACHE_DIR", cacheDirectory().c_str(), 1); }

inline std::shared_ptr<const Module> compileText(const std::string &text,
                                                 const std::string &flags = {},
                                                 const std::string &arch = "ipu2") {
  useTestCache();
  return std::make_shared<const Module>(
      compileSource(SourceInput::fromText(text, "test.cpp"), {flags, arch, true}));
}

inline std::string prologue() { return "#include <poplar/Vertex.hpp>\nusing namespace poplar;\n"; }

// The raw storage of one vertex. Fields are bound to vectors that the test owns.
class VertexStorage {
public:
  explicit VertexStorage(const VertexType &type)
      : type_(type), storage_((type.hostSize + 63) / 16 + 1) {}
  void *address() { return storage_.data(); }
  template <class T> void plain(const std::string &field, T value) {
    ASSERT_EQ(at(field).hostSize, sizeof(T)) << field;
    std::memcpy(slot(field), &value, sizeof value);
  }
  template <class T> T plain(const std::string &field) {
    T value;
    std::memcpy(&value, slot(field), sizeof value);
    return value;
  }
  template <class T> void scalar(const std::string &field, T &value) {
    put(field, ScalarRecord{address(&value)});
  }
  template <class T> void vector(const std::string &field, std::vector<T> &values) {
    put(field, VectorRecord{address(values.data()), values.size()});
  }
  template <class T> void rows(const std::string &field, std::vector<std::vector<T>> &rows) {
    auto &records = inner_.emplace_back();
    for (auto &row : rows)
      records.push_back({address(row.data()), row.size()});
    ASSERT_EQ(at(field).hostInnerStride, sizeof(VectorRecord));
    put(field, VectorRecord{records.data(), records.size()});
  }
  template <class Record> void put(const std::string &field, const Record &record) {
    ASSERT_EQ(at(field).hostSize, sizeof(Record)) << field;
    std::memcpy(slot(field), &record, sizeof record);
  }
  const Field &at(const std::string &field) const {
    const Field *f = type_.find(field);
    if (!f)
      throw std::runtime_error("no field " + field);
    return *f;
  }

private:
  template <class T> static void *address(const T *p) {
    return const_cast<std::remove_const_t<T> *>(p);
  }
  char *slot(const std::string &field) {
    return reinterpret_cast<char *>(storage_.data()) + at(field).hostOffset;
  }
  struct alignas(16) Block {
    char bytes[16];
  };
  const VertexType &type_;
  std::vector<Block> storage_;
  std::list<std::vector<VectorRecord>> inner_;
};

inline std::size_t typeIndex(const Module &module, const std::string &name) {
  const VertexType *type = module.find(name);
  if (!type)
    throw std::runtime_error("no vertex type " + name);
  return std::size_t(type - module.types.data());
}

// Where entries say which vertex runs.
inline void *const *now = nullptr;

// One module, loaded; runs single vertices in any variant.
class Bench {
public:
  explicit Bench(const std::string &text, const std::string &flags = {},
                 const std::string &arch = "ipu2")
      : module(compileText(text, flags, arch)), loaded(module) {}
  const VertexType &type(const std::string &name) const {
    return module->types[typeIndex(*module, name)];
  }
  bool run(const std::string &name, VertexStorage &vertex) {
    void *v = vertex.address();
    return loaded.entry(typeIndex(*module, name)).runReturning(&v, 1, &now);
  }
  std::uint64_t count(const std::string &name, VertexStorage &vertex,
                      std::uint64_t *sum = nullptr) {
    void *v = vertex.address();
    std::uint64_t bundles = 0, all = 0;
    loaded.entry(typeIndex(*module, name), Variant::Counted).runCounted(&v, 1, &bundles, &all);
    if (sum)
      *sum = all;
    return bundles;
  }
  std::shared_ptr<const Module> module;
  LoadedModule loaded;
};

} // namespace poplar::codelet::test
