// SPDX-License-Identifier: MIT
// Runs steps that a backend cannot run: kernels that it does not have, and vertices if it runs
// none. The variables that such a step touches are read out of the backend's memory into the same
// places of a cpu backend's, the step runs there, and what it wrote goes back; of a segment, all of
// it once. Operands so lie as they would if all ran on the cpu, and results are the same bits.
#pragma once
#include "analysis/RangeSet.hpp"
#include "backend/Backend.hpp"
#include <functional>
#include <map>
#include <vector>

namespace poplar::backend {

class OnHost final : public StepRunner {
public:
  // The steps that this kind of backend leaves to the host; the others stay in `steps`.
  static std::vector<std::uint32_t>
  take(const executable::Image &image, std::vector<std::uint32_t> &steps, const BackendKind &kind);

  OnHost(const HostSetup &setup, Backend &device);

  bool runs(std::uint32_t step) const { return steps_.contains(step); }
  void run(std::uint32_t step, const Turn &turn) override;
  std::vector<std::uint64_t> count(std::uint32_t step, const Turn &turn) override;
  SegmentId prepareSegment(const Segment &segment) override;
  std::uint64_t runSegment(SegmentId id, const Turn &turn, const Times &times) override;
  Backend &cpu() { return *cpu_; }
  // A sentence for people who wonder where the time goes.
  std::string report(const executable::Image &image, const std::string &backend) const;
  // Of every step that runs, in bytes of all replicas.
  using Told = std::function<void(std::uint32_t step, std::uint64_t there, std::uint64_t back)>;
  void tell(Told told) { told_ = std::move(told); }

private:
  struct Moved { // the same variables in both memories
    Place device, cpu;
    std::uint64_t bytes;
  };
  struct Step {
    analysis::RangeSet read, written; // bytes
    Moved in, out;
  };
  struct Whole { // a segment
    SegmentId onCpu;
    std::vector<const Step *> parts;
    Step all;
  };
  Step bind(const executable::Image &image, std::uint32_t step);
  void findPlaces(Step &step);
  Moved placeOf(const analysis::RangeSet &bytes);
  void fetch(const Step &step, const Turn &turn);
  void put(const Step &step, const Turn &turn);
  void tell(std::uint32_t index, const Step &step, const Turn &turn) const;

  Backend &device_;
  std::unique_ptr<Backend> cpu_;
  std::map<std::uint32_t, Step> steps_;
  std::vector<Whole> segments_;
  std::vector<std::byte> buffer_;
  Told told_;
};

} // namespace poplar::backend
