// SPDX-License-Identifier: MIT
#include "pva/Spread.hpp"
#include <algorithm>
#include <cstdio>

namespace pva {

const std::vector<ModelErrors> &modelErrors() {
  static const std::vector<ModelErrors> errors = {
#define ERRORS(kind, rows, mean, median, worst) {kind, rows, mean / 100.0, median / 100.0, worst},
#include "ModelErrors.def"
#undef ERRORS
  };
  return errors;
}

namespace {

bool startsWith(const std::string &text, const char *with) { return text.rfind(with, 0) == 0; }

// The matrix unit's vertices are those of products, whatever they are used for; those of few
// channels have measurements of their own.
std::string measuredAs(const std::string &vertex) {
  if (startsWith(vertex, "popsparse::"))
    return "sparse";
  if (startsWith(vertex, "poplin::ConvPartial")) {
    const bool product = vertex.find("1x1") != std::string::npos ||
                         startsWith(vertex, "poplin::ConvPartialnx1") ||
                         startsWith(vertex, "poplin::ConvPartial1xN");
    const auto type = vertex.find('<');
    const bool half = type != std::string::npos && vertex.compare(type + 1, 4, "half") == 0;
    return !product ? "convolution" : half ? "products, half" : "products, float";
  }
  for (const char *library : {"poplin::", "popops::", "popnn::", "poprand::", "poplar_rt::"})
    if (startsWith(vertex, library))
      return "whole models";
  return "C++ vertices";
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, share < 0.1 ? "%.1f %%" : "%.0f %%", 100 * share);
  return text;
}

const ModelErrors *errorsOf(const std::string &kind) {
  const auto &all = modelErrors();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto &each) { return each.kind == kind; });
  return found == all.end() ? nullptr : &*found;
}

} // namespace

std::string measuredAs(CycleKind kind, const std::vector<std::string> &vertices) {
  switch (kind) {
  case CycleKind::Compute:
    // Vertices of different types in one set are parts of one operator.
    return vertices.empty() ? "whole models" : measuredAs(vertices.front());
  case CycleKind::Rearrange:
    return "on-tile copies";
  case CycleKind::Exchange:
    return "exchange";
  case CycleKind::GlobalExchange:
    return "links";
  case CycleKind::Host:
    return "host";
  case CycleKind::Sync:
    return "sync";
  case CycleKind::Control:
    break;
  }
  return "control";
}

std::string measuredAs(const Program &program) {
  std::vector<std::string> vertices;
  if (const auto *execute = dynamic_cast<const OnTileExecuteProgram *>(&program))
    for (const auto &group : execute->computeset().vertices())
      vertices.push_back(group.type().name());
  return measuredAs(cycleKind(program), vertices);
}

std::vector<Spread::Part> Spread::parts() const {
  std::vector<Part> parts;
  for (const auto &[kind, cycles] : cycles_) {
    if (!cycles)
      continue;
    Part part{kind, cycles, 0, std::nullopt};
    if (const auto *errors = errorsOf(kind); errors && errors->rows) {
      part.rows = errors->rows;
      part.mean = errors->mean;
    }
    parts.push_back(part);
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto &a, const auto &b) { return a.cycles > b.cycles; });
  return parts;
}

std::uint64_t Spread::total() const {
  std::uint64_t sum = 0;
  for (const auto &[kind, cycles] : cycles_)
    sum += cycles;
  return sum;
}

double Spread::measured() const {
  double sum = 0;
  for (const auto &part : parts())
    sum += part.mean ? double(part.cycles) : 0;
  return total() ? sum / double(total()) : 0;
}

std::optional<double> Spread::mean() const {
  double errors = 0, cycles = 0;
  for (const auto &part : parts())
    if (part.mean) {
      errors += *part.mean * double(part.cycles);
      cycles += double(part.cycles);
    }
  return cycles > 0 ? std::optional(errors / cycles) : std::nullopt;
}

std::string Spread::inWords() const {
  const auto all = double(total());
  std::string text;
  for (const auto &part : parts())
    if (const auto share = double(part.cycles) / all; share >= 0.005)
      text += (text.empty() ? "" : ", ") + percent(share) + " " + part.kind +
              (part.mean             ? " ±" + percent(*part.mean)
               : errorsOf(part.kind) ? " (sets constants)"
                                     : " (not measured)");
  return text;
}

} // namespace pva
