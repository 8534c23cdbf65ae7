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
  return {placeOf(image, touched.read), placeOf(image, touched.written)};
}

OnHost::Moved OnHost::placeOf(const executable::Image &image, const std::vector<bool> &variables) {
  Transfer transfer;
  std::uint64_t bytes = 0;
  for (std::uint32_t v = 0; v < variables.size(); ++v) {
    const auto &variable = image.variables[v];
    if (!variables[v] || !variable.bytes())
      continue;
    transfer.toHost.push_back(
        {std::int64_t(variable.arenaOffset), std::int64_t(bytes), variable.bytes(), {}});
    bytes += variable.bytes();
  }
  transfer.fromHost = reversed(transfer.toHost);
  return {device_.place(transfer), cpu_->place(transfer), bytes};
}

void OnHost::fetch(const Step &step, const Turn &turn) {
  buffer_.resize(std::max(buffer_.size(), std::size_t(std::max(step.in.bytes, step.out.bytes))));
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
