// SPDX-License-Identifier: MIT
#include "backend/OnHost.hpp"
#include "backend/Kernels.hpp"
#include "base/Text.hpp"
#include <algorithm>

namespace poplar::backend {

namespace step = executable::step;

namespace {

// By variable. All that a step writes is read as well where it may write only a part.
struct Touched {
  const executable::Image &image;
  std::vector<bool> read, written;

  explicit Touched(const executable::Image &image)
      : image(image), read(image.variables.size()), written(image.variables.size()) {}

  void add(const tensor::View &view, bool reads, bool writes) {
    for (const auto &piece : view.pieces) {
      const auto var = piece.var.value;
      const bool whole = image.variables[var].elements == view.numElements();
      read[var] = read[var] || reads || !whole;
      written[var] = written[var] || writes;
    }
    if (view.metadata)
      add(*view.metadata, true, false);
  }
  void add(const step::Kernel &kernel) {
    for (std::size_t i = 0; i < kernel.numOperands(); ++i)
      add(kernel.operand(i), kernel.reads(i), i < kernel.outputs.size());
  }
  void add(const step::Execute &execute) {
    for (const auto v : image.computeSets[execute.set].vertices) {
      const auto &fields = image.vertexType(v).fields;
      for (std::size_t f = 0; f < fields.size(); ++f)
        add(image.slots[image.vertices[v].firstSlot + f],
            fields[f].direction != codelet::FieldDirection::Input);
    }
    if (execute.verdict)
      add(*execute.verdict, true, true);
  }
  void add(const executable::Slot &slot, bool writes) {
    if (slot.kind != executable::SlotKind::Edges)
      return;
    for (auto e = slot.first; e < slot.first + slot.count; ++e)
      for (std::uint32_t r = 0; r < image.edges[e].numRuns; ++r) {
        const auto var = image.runs[image.edges[e].firstRun + r].var;
        read[var] = true;
        written[var] = written[var] || writes;
      }
  }
};

} // namespace

std::vector<std::uint32_t> OnHost::take(const executable::Image &image,
                                        std::vector<std::uint32_t> &steps,
                                        const BackendKind &kind) {
  std::vector<std::uint32_t> taken;
  std::erase_if(steps, [&](std::uint32_t index) {
    const auto *kernel = executable::as<step::Kernel>(image.steps[index]);
    const bool takes =
        kernel ? implementationOf(kernel->name, kind.name).where == Where::Host
               : executable::is<step::Execute>(image.steps[index]) && !kind.runsVertices;
    if (takes)
      taken.push_back(index);
    return takes;
  });
  return taken;
}

OnHost::OnHost(const HostSetup &setup, Backend &device)
    : device_(device), cpu_(findBackend("cpu").make(setup)) {
  for (const auto &step : setup.steps)
    steps_.emplace(step.step, bind(*setup.image, step.step));
}

OnHost::Step OnHost::bind(const executable::Image &image, std::uint32_t index) {
  Touched touched(image);
  const auto &step = image.steps[index];
  if (const auto *kernel = executable::as<step::Kernel>(step))
    touched.add(*kernel);
  else
    touched.add(*executable::as<step::Execute>(step));
  Step out;
  for (std::uint32_t v = 0; v < image.variables.size(); ++v) {
    const auto &variable = image.variables[v];
    const auto begin = variable.arenaOffset, end = begin + variable.bytes();
    if (touched.read[v] && begin != end)
      out.read.add(begin, end);
    if (touched.written[v] && begin != end)
      out.written.add(begin, end);
  }
  findPlaces(out);
  return out;
}

void OnHost::findPlaces(Step &step) {
  step.in = placeOf(step.read);
  step.out = placeOf(step.written);
  buffer_.resize(
      std::max({buffer_.size(), std::size_t(step.in.bytes), std::size_t(step.out.bytes)}));
}

OnHost::Moved OnHost::placeOf(const analysis::RangeSet &bytes) {
  Transfer transfer;
  std::uint64_t packed = 0;
  for (const auto &[begin, end] : bytes.ranges()) {
    transfer.toHost.push_back({std::int64_t(begin), std::int64_t(packed), end - begin, {}});
    packed += end - begin;
  }
  transfer.fromHost = reversed(transfer.toHost);
  return {device_.place(transfer), cpu_->place(transfer), packed};
}

void OnHost::fetch(const Step &step, const Turn &turn) {
  for (const auto r : turn.replicas) {
    device_.read(step.in.device, r, buffer_.data());
    cpu_->write(step.in.cpu, r, buffer_.data());
  }
}

void OnHost::put(const Step &step, const Turn &turn) {
  for (const auto r : turn.replicas) {
    cpu_->read(step.out.cpu, r, buffer_.data());
    device_.write(step.out.device, r, buffer_.data());
  }
}

void OnHost::run(std::uint32_t index, const Turn &turn) {
  const auto &step = steps_.at(index);
  fetch(step, turn);
  cpu_->run(index, turn);
  put(step, turn);
  tell(index, step, turn);
}

// All that some part reads, and writes.
SegmentId OnHost::prepareSegment(const Segment &segment) {
  Whole whole{cpu_->prepareSegment(segment), {}, {}};
  for (const auto &part : segment.parts) {
    const auto &step = steps_.at(part.step);
    whole.parts.push_back(&step);
    whole.all.read.unite(step.read);
    whole.all.written.unite(step.written);
  }
  findPlaces(whole.all);
  segments_.push_back(std::move(whole));
  return SegmentId(segments_.size() - 1);
}

// What a part has not written yet is not there to be put back.
std::uint64_t OnHost::runSegment(SegmentId id, const Turn &turn, const Times &times) {
  const auto &whole = segments_[id];
  fetch(whole.all, turn);
  try {
    const auto done = cpu_->runSegment(whole.onCpu, turn, times);
    if (done)
      put(whole.all, turn);
    return done;
  } catch (const SegmentFault &fault) {
    if (fault.turns)
      put(whole.all, turn);
    for (std::uint32_t i = 0; i < fault.part; ++i)
      put(*whole.parts[i], turn);
    throw;
  }
}

std::vector<std::uint64_t> OnHost::count(std::uint32_t index, const Turn &turn) {
  const auto &step = steps_.at(index);
  fetch(step, turn);
  auto cycles = cpu_->count(index, turn);
  put(step, turn);
  tell(index, step, turn);
  return cycles;
}

void OnHost::tell(std::uint32_t index, const Step &step, const Turn &turn) const {
  const auto replicas = turn.replicas.size();
  if (told_)
    told_(index, replicas * step.in.bytes, replicas * step.out.bytes);
}

static std::string counted(std::uint64_t n, const char *what) {
  return base::str(base::thousands(n), ' ', what, n == 1 ? "" : "s");
}

std::string OnHost::report(const executable::Image &image, const std::string &backend) const {
  std::map<std::string, unsigned> kernels;
  unsigned sets = 0;
  std::uint64_t there = 0, back = 0;
  for (const auto &[index, step] : steps_) {
    if (const auto *kernel = executable::as<step::Kernel>(image.steps[index]))
      ++kernels[kernel->name];
    else
      ++sets;
    there += step.in.bytes;
    back += step.out.bytes;
  }
  std::string lacks;
  const auto add = [&](const std::string &what) { lacks += (lacks.empty() ? "" : ", ") + what; };
  for (const auto &[name, n] : kernels)
    add(base::str(name, " (", counted(n, "step"), ")"));
  if (sets)
    add(counted(sets, "compute set"));
  return base::str("Backend \"", backend, "\" does not run ", lacks,
                   ": the host does. If each of them runs once, ", counted(there, "byte"),
                   " are copied to the host and ", base::thousands(back),
                   " back, for each replica.");
}

} // namespace poplar::backend
