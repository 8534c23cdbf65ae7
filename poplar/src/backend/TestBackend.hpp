// SPDX-License-Identifier: MIT
// For tests: a backend of a few kernels whose memory is apart from the host's. Pages are mapped for
// each replica and protected outside of the backend's own functions, so that whoever touches them
// by another way than read and write ends the process.
#pragma once
#include "backend/Backend.hpp"
#include "backend/Kernels.hpp"
#include <cstring>
#include <sys/mman.h>

namespace poplar::backend::testing {

class TestBackend final : public Backend {
public:
  static constexpr const char *name = "test.apart";
  static void registerOnce() {
    static const bool done = [] {
      registerBackend(
          {.name = name, .traits = {.overwrites = false}, .make = [](const Setup &setup) {
             return std::make_unique<TestBackend>(setup);
           }});
      return true;
    }();
    (void)done;
  }

  explicit TestBackend(const Setup &setup) : setup_(setup) {
    for (unsigned r = 0; r < setup.options.numReplicas; ++r) {
      auto *p =
          mmap(nullptr, bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (p == MAP_FAILED)
        throw std::bad_alloc();
      memory_.push_back(static_cast<std::byte *>(p));
    }
  }
  ~TestBackend() override {
    for (auto *p : memory_)
      munmap(p, bytes());
  }

  void load() override {
    const auto &image = *setup_.image;
    for (unsigned r = 0; r < memory_.size(); ++r) {
      const Open open(*this, r);
      std::memset(memory_[r], setup_.options.poison ? 0xff : 0, bytes());
      for (const auto &variable : image.variables) {
        auto *at = memory_[r] + variable.arenaOffset;
        for (const auto &value : variable.initial)
          std::memcpy(at + value.begin * sizeOf(variable.type), value.bytes.data(),
                      value.bytes.size());
        const auto number = setup_.options.firstReplica + r;
        if (variable.kind == executable::VariableKind::ReplicationIndex)
          std::memcpy(at, &number, sizeof number);
      }
    }
  }

  void run(std::uint32_t step, const Turn &turn) override {
    using namespace executable;
    ++steps;
    for (auto r : turn.replicas) {
      const Open open(*this, r);
      if (const auto *copy = as<step::Copy>(setup_.image->steps[step]))
        run(*copy, r);
      else if (const auto *kernel = as<step::Kernel>(setup_.image->steps[step]))
        run(*kernel, r, turn);
    }
  }
  std::vector<std::uint64_t> count(std::uint32_t, const Turn &) override {
    return {};
  } // no vertices

  Place place(const Transfer &transfer) override {
    places_.push_back(transfer);
    return Place(places_.size() - 1);
  }
  void read(Place place, unsigned replica, std::byte *to) const override {
    const Open open(*this, replica);
    move(places_[place].toHost, memory_[replica], to);
  }
  void write(Place place, unsigned replica, const std::byte *from) override {
    const Open open(*this, replica);
    move(places_[place].fromHost, from, memory_[replica]);
  }

  const volatile std::byte *address() const {
    return memory_[0];
  }                                 // for a test that must not use it
  inline static unsigned steps = 0; // that ran here

private:
  class Open {
  public:
    Open(const TestBackend &backend, unsigned replica)
        : memory_(backend.memory_[replica]), bytes_(backend.bytes()) {
      mprotect(memory_, bytes_, PROT_READ | PROT_WRITE);
    }
    ~Open() { mprotect(memory_, bytes_, PROT_NONE); }
    Open(const Open &) = delete;

  private:
    std::byte *memory_;
    std::size_t bytes_;
  };

  std::size_t bytes() const { return setup_.image->arenaBytes + 1; }

  static void move(const RawMove &m, std::size_t level, const std::byte *from, std::byte *to) {
    if (level == m.loops.size())
      return void(std::memcpy(to, from, m.unit));
    const auto &loop = m.loops[level];
    for (std::uint64_t i = 0; i < loop.extent; ++i)
      move(m, level + 1, from + std::int64_t(i) * loop.from, to + std::int64_t(i) * loop.to);
  }
  static void move(const std::vector<RawMove> &moves, const std::byte *from, std::byte *to) {
    for (const auto &m : moves)
      move(m, 0, from + m.from, to + m.to);
  }

  // All sources are read before any destination is written.
  void run(const executable::step::Copy &copy, unsigned replica) {
    const auto packed = throughBuffer(resolve(copy.data, *setup_.image));
    std::vector<std::byte> buffer(packed.bytes);
    move(packed.in, memory_[replica], buffer.data());
    move(packed.out, buffer.data(), memory_[replica]);
  }

  void run(const executable::step::Kernel &kernel, unsigned replica, const Turn &turn) {
    std::vector<std::vector<std::byte>> data;
    std::vector<std::vector<std::int64_t>> strides;
    std::vector<KernelOperand> operands;
    for (std::size_t i = 0; i < kernel.numOperands(); ++i) {
      const auto &view = kernel.operand(i);
      strides.push_back(rowMajor(view.shape));
      data.emplace_back(view.numElements() * sizeOf(view.type));
      move(packingMoves(view, *setup_.image), memory_[replica], data.back().data());
    }
    for (std::size_t i = 0; i < kernel.numOperands(); ++i) {
      const auto &view = kernel.operand(i);
      operands.push_back({data[i].data(), view.type, view.shape, strides[i], view.numElements()});
    }
    const std::span<const KernelOperand> all(operands);
    implementationOf(kernel.name, name)
        .kernel->run({.outputs = all.first(kernel.outputs.size()),
                      .inputs = all.subspan(kernel.outputs.size()),
                      .attributes = kernel.attributes,
                      .key = turn.drawnAt(replica, 0),
                      .replica = replica});
    for (std::size_t i = 0; i < kernel.outputs.size(); ++i)
      move(reversed(packingMoves(kernel.operand(i), *setup_.image)), data[i].data(),
           memory_[replica]);
  }

  Setup setup_;
  std::vector<std::byte *> memory_;
  std::vector<Transfer> places_;
};

} // namespace poplar::backend::testing
