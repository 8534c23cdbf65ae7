// SPDX-License-Identifier: MIT
#include "backend/Steady.hpp"
#include <algorithm>

namespace poplar::backend {

using executable::none;
namespace step = executable::step;

static bool meet(const analysis::RangeSet &a, const analysis::RangeSet &b) {
  return std::ranges::any_of(
      b.ranges(), [&](const auto &range) { return a.intersects(range.begin, range.end); });
}

Steady::Steady(const executable::Image &image) : image_(image) {
  analysis::RangeSet fields; // of vertices, whatever their direction
  for (const auto &run : image.runs)
    addVariable(fields, run.var);
  for (auto step : image.programs) {
    auto &program = programs_.emplace_back();
    program.steps.resize(image.steps.size());
    reach(program, step);
    if (program.runsVertices)
      program.written.unite(fields);
  }
}

void Steady::reach(Program &program, std::uint32_t index) {
  if (program.steps[index])
    return;
  program.steps[index] = true;
  const auto &step = image_.steps[index];
  addWrites(program, step);
  for (auto part : inside(image_, step))
    reach(program, part);
}

// Operands of other steps than kernels count as written, though many are only read. Those of
// outlined code are only named, and its arguments are not copied here.
void Steady::addWrites(Program &program, const executable::Step &step) {
  const auto *copy = executable::as<step::Copy>(step);
  if (executable::is<step::Sequence>(step) || (copy && copy->passesArgument))
    return;
  program.runsVertices = program.runsVertices || executable::is<step::Execute>(step);
  for (const auto &move : movesOf(step))
    if (move.toVar != none)
      addVariable(program.written, move.toVar);
  if (const auto *kernel = executable::as<step::Kernel>(step))
    for (const auto &output : kernel->outputs)
      addView(program.written, output.tensor);
  else
    for (const auto *view : viewsOf(step))
      addView(program.written, *view);
}

void Steady::addVariable(analysis::RangeSet &bytes, std::uint32_t index) const {
  const auto &variable = image_.variables[index];
  if (variable.bytes())
    bytes.add(variable.arenaOffset, variable.arenaOffset + variable.bytes());
}

void Steady::addView(analysis::RangeSet &bytes, const tensor::View &view) const {
  for (const auto &piece : view.pieces)
    addVariable(bytes, piece.var.value);
  if (view.metadata)
    addView(bytes, *view.metadata);
}

bool Steady::add(std::uint32_t step, std::uint32_t kernel, const tensor::View &view) {
  analysis::RangeSet bytes;
  addView(bytes, view);
  for (const auto &program : programs_)
    if (program.steps[step] && meet(program.written, bytes))
      return false;
  if (steady_.size() <= kernel)
    steady_.resize(kernel + 1);
  steady_[kernel].unite(bytes);
  return true;
}

std::vector<std::uint32_t> Steady::disturbedBy(std::uint32_t program) const {
  std::vector<std::uint32_t> kernels;
  for (std::uint32_t i = 0; i < steady_.size(); ++i)
    if (meet(programs_[program].written, steady_[i]))
      kernels.push_back(i);
  return kernels;
}

} // namespace poplar::backend
