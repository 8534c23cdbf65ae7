// SPDX-License-Identifier: MIT
// The kernels of collectives. "gcl.across" sees all replicas at once; "gcl.within" the rows of one
// tensor. Both come down to reducing or copying boxes of elements between members.
#include "gcl/kernels/Collective.hpp"
#include "base/Text.hpp"
#include "base/Threads.hpp"
#include "Between.hpp"
#include "openipu/Kernel.hpp"
#include "openipu/Transport.hpp"
#include "Operands.hpp"
#include "poplar/exceptions.hpp"
#include "popops/Box.hpp"
#include "popops/CopyRun.hpp"
#include "Reduce.hpp"
#include <algorithm>
#include <functional>

namespace gcl {

namespace {

using kernels::Kind;
using openipu::KernelArgs;
using openipu::KernelOperand;
using popops::slice::Box;

constexpr std::size_t elementsPerThread = 1 << 14;

using Sources = std::vector<const std::byte *>;
using Sinks = std::vector<std::byte *>;

void inParts(const Box &box, std::size_t work,
             const std::function<void(std::size_t, std::size_t, unsigned)> &body) {
  auto inner = std::max<std::size_t>(1, box.elements() / std::max<std::size_t>(1, box.outer()));
  auto grain = elementsPerThread / (inner * std::max<std::size_t>(1, work));
  base::parallelFor(box.outer(), std::max<std::size_t>(1, grain), body);
}

void reduceBox(CollectiveOperator op, openipu::TypeId type, const Box &box, const Sources &from,
               const Sinks &to) {
  auto bytes = std::int64_t(sizeOf(type));
  inParts(box, from.size(), [&](std::size_t begin, std::size_t end, unsigned) {
    auto sources = from;
    auto sinks = to;
    box.runs(begin, end,
             [&](std::int64_t t, std::int64_t f, std::size_t n, std::int64_t ts, std::int64_t fs) {
               for (std::size_t i = 0; i != from.size(); ++i)
                 sources[i] = from[i] + f * bytes;
               for (std::size_t i = 0; i != to.size(); ++i)
                 sinks[i] = to[i] + t * bytes;
               reduceRun(op, type, {sources, sinks, fs, ts, n});
             });
  });
}

void copyBox(openipu::TypeId type, const Box &box, const std::byte *from, std::byte *to) {
  auto bytes = std::int64_t(sizeOf(type));
  if (from == to)
    return;
  inParts(box, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    box.runs(begin, end,
             [&](std::int64_t t, std::int64_t f, std::size_t n, std::int64_t ts, std::int64_t fs) {
               popops::slice::copyRun(to + t * bytes, ts, from + f * bytes, fs, n,
                                      std::size_t(bytes));
             });
  });
}

// Dimensions from `toDim` of one tensor, from `fromDim` of the other.
Box boxOf(const KernelOperand &to, std::size_t toDim, const KernelOperand &from,
          std::size_t fromDim) {
  std::vector<Box::Dim> dims;
  for (auto d = toDim; d < to.shape.size(); ++d)
    dims.push_back({to.shape[d], to.strides[d], from.strides[d - toDim + fromDim]});
  return Box(std::move(dims));
}

std::byte *at(const KernelOperand &t, std::size_t index) { // of the first dimension
  return t.data + std::int64_t(index) * t.strides[0] * std::int64_t(sizeOf(t.type));
}

// Elements [begin, end) of a vector, out of [0, size), to the beginning of another.
Box partBox(const KernelOperand &to, std::int64_t fromStride, std::size_t n) {
  return Box({{n, to.strides[0], fromStride}});
}

void zeroFrom(const KernelOperand &to, std::size_t begin) {
  static const std::uint64_t nothing = 0;
  if (begin < to.elements)
    popops::slice::copyRun(at(to, begin), to.strides[0],
                           reinterpret_cast<const std::byte *>(&nothing), 0, to.elements - begin,
                           sizeOf(to.type));
}

// One group and one tensor of it.
struct Members {
  std::vector<KernelOperand> to, from;

  Sources sources() const {
    Sources out;
    for (const auto &t : from)
      out.push_back(t.data);
    return out;
  }
  Sinks sinks() const {
    Sinks out;
    for (const auto &t : to)
      out.push_back(t.data);
    return out;
  }
};

void allReduce(const Members &m, CollectiveOperator op) {
  auto box = boxOf(m.to[0], 0, m.from[0], 0);
  if (op != CollectiveOperator::LOCAL)
    return reduceBox(op, m.to[0].type, box, m.sources(), m.sinks());
  for (std::size_t i = 0; i != m.to.size(); ++i)
    copyBox(m.to[0].type, box, m.from[i].data, m.to[i].data);
}

void reduceScatter(const Members &m, CollectiveOperator op) {
  auto part = m.to[0].elements, all = m.from[0].elements;
  for (std::size_t i = 0; i != m.to.size(); ++i) {
    auto begin = std::min(all, i * part), n = std::min(part, all - begin);
    Sources from;
    for (const auto &t : m.from)
      from.push_back(at(t, begin));
    auto box = partBox(m.to[i], m.from[0].strides[0], n);
    if (n && op == CollectiveOperator::LOCAL)
      copyBox(m.to[i].type, box, from[i], m.to[i].data);
    else if (n)
      reduceBox(op, m.to[i].type, box, from, {m.to[i].data});
    zeroFrom(m.to[i], n);
  }
}

void move(const Members &m, Kind kind) {
  auto fromDim = kind == Kind::AllToAll ? 1u : 0u, toDim = kind == Kind::Broadcast ? 0u : 1u;
  auto box = boxOf(m.to[0], toDim, m.from[0], fromDim);
  for (std::size_t i = 0; i != m.to.size(); ++i) {
    if (kind == Kind::Broadcast) {
      copyBox(m.to[i].type, box, m.from[0].data, m.to[i].data);
      continue;
    }
    for (std::size_t j = 0; j != m.from.size(); ++j)
      copyBox(m.to[i].type, box, kind == Kind::AllToAll ? at(m.from[j], i) : m.from[j].data,
              at(m.to[i], j));
  }
}

void runCollective(const Members &m, const Request &r) {
  if (r.kind == Kind::AllReduce)
    allReduce(m, r.op);
  else if (r.kind == Kind::ReduceScatter)
    reduceScatter(m, r.op);
  else
    move(m, r.kind);
}

void runAcross(std::span<const KernelArgs> replicas) {
  auto request = Request::read(replicas[0].attributes);
  if (const auto *peers = openipu::peersOfKernel())
    return runBetween(replicas, request, *peers);
  if (replicas.size() % (std::size_t(request.group.size) * request.group.stride) != 0)
    throw poplar::application_runtime_error(
        base::str("A collective for groups of ", request.group.size, " replicas was reached by ",
                  replicas.size(),
                  " of them. All replicas must take the same way to it: do not "
                  "put collectives into branches whose condition differs."));
  for (const auto &members : kernels::membersOf(request.group, unsigned(replicas.size())))
    runHere(replicas, members, request);
}

// Rows of an operand [rows, n] as operands of their own.
void addRows(const KernelOperand &t, std::vector<KernelOperand> &to) {
  for (std::size_t i = 0; i != t.shape[0]; ++i) {
    auto row = t;
    row.data = at(t, i);
    row.shape = t.shape.subspan(1);
    row.strides = t.strides.subspan(1);
    row.elements = t.elements / t.shape[0];
    to.push_back(row);
  }
}

// The parts are the rows one after the other, so a gathered row has [parts, n / parts].
void gatherWithin(const KernelArgs &args) {
  std::vector<KernelOperand> rows;
  addRows(args.outputs[0], rows);
  for (const auto &row : rows) {
    std::size_t begin = 0;
    for (const auto &part : args.inputs) {
      auto n = std::min(part.elements, row.elements - begin);
      copyBox(row.type, partBox(row, part.strides[0], n), part.data, at(row, begin));
      begin += n;
    }
  }
}

void runWithin(const KernelArgs &args) {
  auto request = Request::read(args.attributes);
  if (request.kind == Kind::AllGather)
    return gatherWithin(args);
  Members m;
  addRows(args.inputs[0], m.from);
  if (request.kind == Kind::AllReduce)
    addRows(args.outputs[0], m.to);
  else
    m.to.assign(args.outputs.begin(), args.outputs.end());
  runCollective(m, request);
}

const openipu::Registered across{{.name = kernels::across, .runAcross = runAcross}};
const openipu::Registered within{
    {.name = kernels::within, .run = runWithin, .nans = openipu::movedNans}};

} // namespace

void copyOperand(const KernelOperand &operand, std::byte *dense, bool fromOperand) {
  std::vector<std::int64_t> strides(operand.shape.size());
  std::int64_t stride = 1;
  for (auto d = strides.size(); d-- != 0; stride *= std::int64_t(operand.shape[d]))
    strides[d] = stride;
  auto packed = operand;
  packed.data = dense;
  packed.strides = strides;
  const auto &to = fromOperand ? packed : operand, &from = fromOperand ? operand : packed;
  copyBox(operand.type, boxOf(to, 0, from, 0), from.data, to.data);
}

void runHere(std::span<const KernelArgs> replicas, const std::vector<unsigned> &members,
             const Request &request) {
  for (std::size_t t = 0; t != replicas[0].outputs.size(); ++t) {
    Members m;
    for (auto r : members) {
      m.to.push_back(replicas[r].outputs[t]);
      m.from.push_back(replicas[r].inputs.empty() ? replicas[r].outputs[t] : replicas[r].inputs[t]);
    }
    runCollective(m, request);
  }
}

} // namespace gcl
