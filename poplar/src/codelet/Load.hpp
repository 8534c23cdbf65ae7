// SPDX-License-Identifier: MIT
// Runs a Module's code: each image is written to a memfd and loaded with dlopen, and every vertex
// type has entries.
//
// Statics: writable static data of a codelet is one copy per tile on the IPU, one copy per loaded
// image here. When Module::mutableStatics is set, entry() loads one image per thread slot, so that
// threads do not see each other's statics; a static's value does not follow a tile from one thread
// to another.
//
// Checked mode: compileChecked gives a Module with other offsets; write CheckedScalarRecord /
// CheckedVectorRecord (Module.hpp) with a FieldCheck that outlives the run, and call
// Variant::Checked entries. Input reads look at `written`, Output and InOut accesses set it, so the
// engine only has to supply the shadow (arena shadow with shadowStride = element size, or a private
// one for gathered fields, copied back with the data). A violation throws TrapError naming vertex,
// field and index, through compute(), to the caller of the entry.
#pragma once
#include "codelet/Errors.hpp"
#include "codelet/Guard.hpp"
#include "codelet/Module.hpp"
#include <cstddef>
#include <cstdint>
#include <memory>

namespace poplar::codelet {

enum class Variant : std::uint8_t { Fast, Counted, Checked };

// Vertices are hostSize bytes each. MultiVertex types run workers numWorkers-1 .. 0 on the same
// state. `now` points to the vertex that runs (codelets of older archives leave it alone).
struct Entry {
  void (*run)(void *const *vertices, std::size_t n, void *const **now) = nullptr;
  // AND of the results; void counts as true
  bool (*runReturning)(void *const *vertices, std::size_t n, void *const **now) = nullptr;
  // Counted images only. bundles[i]: worker bundles issued by vertex i (MultiVertex: its slowest
  // worker); bundleSums[i]: over all workers. Returns like runReturning. Never zero, the same on
  // every run and machine.
  bool (*runCounted)(void *const *vertices, std::size_t n, std::uint64_t *bundles,
                     std::uint64_t *bundleSums) = nullptr;
};

class LoadedModule {
public:
  explicit LoadedModule(std::shared_ptr<const Module> module);
  ~LoadedModule();
  LoadedModule(const LoadedModule &) = delete;
  LoadedModule &operator=(const LoadedModule &) = delete;

  const Module &module() const { return *module_; }
  // Entries of module().types[type]. `threadSlot` matters only with mutableStatics: ask once per
  // thread, keep it. The first call for a variant loads the image (about 0.2 ms); later calls are
  // an array access under a lock.
  Entry entry(std::size_t type, Variant variant = Variant::Fast, unsigned threadSlot = 0);
  CodeRange code(Variant variant, unsigned threadSlot = 0); // where its machine code is
  const void *symbol(const char *name, Variant variant);    // of data that it shows; or null

private:
  struct Impl;
  const class LoadedImage &image(Variant variant, unsigned threadSlot);
  std::shared_ptr<const Module> module_;
  std::unique_ptr<Impl> impl_;
};

// Where printf of the vertices that this thread runs goes: whole formatted pieces, in the order of
// execution. Default: standard output, which is what no hook means. Gives the one before, for who
// takes its place for a while.
using PrintHook = void (*)(const char *text, std::size_t size, void *context);
struct PrintTarget {
  PrintHook hook = nullptr;
  void *context = nullptr;
};
PrintTarget setPrintTarget(PrintTarget target);
// Text that was kept for a while, to where the calling thread prints.
void printText(std::string_view text);

// Starts the random numbers of __builtin_ipu_urand* on the calling thread. An engine that wants
// them independent of the number of threads seeds before every vertex.
void seedRandom(std::uint64_t seed);

} // namespace poplar::codelet
