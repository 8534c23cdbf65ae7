// SPDX-License-Identifier: MIT
#include "pva/Program.hpp"
#include "base/Text.hpp"
#include "Data.hpp"
#include <algorithm>

namespace pva {

using detail::CodeRange;
using detail::TileRange;

// ---- variables, vertex types, compute sets ----

std::string Variable::name() const { return data_->variables[index_].name; }
std::string Variable::type() const { return data_->variables[index_].type; }
std::uint64_t Variable::size() const { return data_->variables[index_].size; }
bool Variable::alwaysLive() const { return data_->variables[index_].alwaysLive; }

std::string VertexType::name() const { return data_->vertexTypes[index_].name; }
std::uint64_t VertexType::size() const { return data_->vertexTypes[index_].size; }
std::uint64_t VertexType::codeBytes() const { return data_->vertexTypes[index_].code; }

template <class Visit>
static void forGroup(const detail::Data &data, std::uint32_t set, std::uint32_t type, Visit visit) {
  for (const auto &group : data.computeSets[set].groups)
    if (group.type == type)
      visit(group);
}

NumberByTile VertexGroup::countByTile() const {
  NumberByTile result(data_->target.tiles());
  forGroup(*data_, computeSet_, type_, [&](const detail::GroupRange &g) {
    std::fill_n(result.begin() + g.first, g.tiles, g.count);
  });
  return result;
}
static std::uint64_t sumOf(const detail::Data &data, std::uint32_t set, std::uint32_t type,
                           std::uint64_t detail::GroupRange::*field) {
  std::uint64_t sum = 0;
  forGroup(data, set, type, [&](const detail::GroupRange &g) { sum += g.*field * g.tiles; });
  return sum;
}
std::uint64_t VertexGroup::count() const {
  return sumOf(*data_, computeSet_, type_, &detail::GroupRange::count);
}
std::uint64_t VertexGroup::estimatedCycles() const {
  return sumOf(*data_, computeSet_, type_, &detail::GroupRange::cycles);
}
std::uint64_t VertexGroup::estimatedFlops() const {
  return sumOf(*data_, computeSet_, type_, &detail::GroupRange::flops);
}

std::string ComputeSet::name() const { return data_->computeSets[index_].name; }
std::vector<VertexGroup> ComputeSet::vertices() const {
  std::vector<VertexGroup> result;
  auto last = detail::none;
  for (const auto &group : data_->computeSets[index_].groups)
    if (group.type != last)
      result.emplace_back(data_, index_, last = group.type);
  return result;
}
// The vertices of a compute set take the same time wherever it is executed, so any program that
// executes it will do.
NumberByTile ComputeSet::estimatedCyclesByTile() const {
  for (std::uint32_t i = 0; i < data_->programs.size(); ++i)
    if (data_->programs[i].computeSet == index_ &&
        data_->programs[i].type == Program::Type::OnTileExecute)
      return data_->programObjects[i]->estimatedCyclesByTile();
  return NumberByTile(data_->target.tiles());
}

// ---- programs ----

static const char *const typeNames[] = {
    "Sequence",      "Repeat",     "Call",           "Switch",          "OnEveryTileSwitch",
    "OnTileExecute", "DoExchange", "GlobalExchange", "StreamCopyBegin", "StreamCopyMid",
    "StreamCopyEnd", "Sync",       "Sans",           "SyncAns",         "WriteUndef",
    "Block",         "BlockFlush", "Unknown"};

std::string toString(Program::Type type) { return typeNames[unsigned(type)]; }
Program::Type programType(const std::string &name) {
  auto end = std::end(typeNames) - 1;
  return Program::Type(std::find(std::begin(typeNames), end, name) - std::begin(typeNames));
}

Program::~Program() = default;
detail::DataRef Program::data() const { return data_->shared_from_this(); }
std::string Program::name() const { return data_->programs[index_].name; }
Program::Type Program::type() const { return data_->programs[index_].type; }
std::uint64_t Program::count() const { return data_->programs[index_].count; }
std::uint64_t Program::cycles() const { return data_->programs[index_].cycles; }
std::uint64_t Program::bytes() const { return data_->programs[index_].bytes; }
std::uint64_t Program::messages() const { return data_->programs[index_].messages; }
std::uint64_t Program::debugId() const { return data_->programs[index_].debugId; }

std::vector<ProgramRef> Program::children() const {
  std::vector<ProgramRef> result;
  for (auto child : data_->programs[index_].children)
    result.push_back(data_->program(child));
  return result;
}
std::vector<Variable> Program::vars() const {
  std::vector<Variable> result;
  for (auto var : data_->programs[index_].vars)
    result.emplace_back(data(), var);
  return result;
}

template <class Range>
static NumberByTile spread(const detail::Data &data, const std::vector<Range> &ranges,
                           std::uint64_t Range::*field) {
  NumberByTile result(data.target.tiles());
  for (const auto &range : ranges)
    std::fill_n(result.begin() + range.first, range.count, range.*field);
  return result;
}
static std::uint64_t sumOver(const detail::ProgramRow &program, std::uint64_t TileRange::*field) {
  std::uint64_t sum = 0;
  for (const auto &range : program.tiles)
    sum += range.*field * range.count;
  return sum;
}

NumberByTile Program::estimatedCyclesByTile() const {
  return spread(*data_, data_->programs[index_].tiles, &TileRange::cycles);
}
NumberByTile Program::bytesSentByTile() const {
  return spread(*data_, data_->programs[index_].tiles, &TileRange::bytesOut);
}
NumberByTile Program::bytesReceivedByTile() const {
  return spread(*data_, data_->programs[index_].tiles, &TileRange::bytesIn);
}
NumberByTile Program::controlCodeByTile() const {
  return spread(*data_, data_->programs[index_].code, &CodeRange::control);
}
NumberByTile Program::codeBytesByTile() const {
  return spread(*data_, data_->programs[index_].code, &CodeRange::exchange);
}
std::uint64_t Program::codeBytes() const {
  std::uint64_t sum = 0;
  for (const auto &range : data_->programs[index_].code)
    sum += (range.control + range.exchange) * range.count;
  return sum;
}
std::uint64_t Program::threadCycles() const {
  return sumOver(data_->programs[index_], &TileRange::threadCycles);
}
std::uint64_t Program::tileCycles() const {
  return sumOver(data_->programs[index_], &TileRange::cycles);
}

std::uint64_t Program::activeTiles() const {
  std::uint64_t sum = 0;
  for (const auto &range : data_->programs[index_].tiles)
    sum += range.count;
  return sum;
}

static double balance(const detail::ProgramRow &program, std::uint64_t tiles) {
  std::uint64_t slowest = 0;
  for (const auto &range : program.tiles)
    slowest = std::max(slowest, range.cycles);
  const double all = double(slowest) * double(tiles);
  return all > 0 ? double(sumOver(program, &TileRange::cycles)) / all : 0;
}
double Program::tileBalance() const {
  return balance(data_->programs[index_], data_->target.tiles());
}
double Program::activeTileBalance() const {
  return balance(data_->programs[index_], activeTiles());
}

// ---- types ----

ComputeSet OnTileExecuteProgram::computeset() const {
  return ComputeSet(data(), data_->programs[index_].computeSet);
}

void OnTileExecuteProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitOnTileExecute(*this);
}
void DoExchangeProgram::accept(ProgramVisitor &visitor) const { visitor.visitDoExchange(*this); }
template <> void SequenceProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitSequence(*this);
}
template <> void RepeatProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitRepeat(*this);
}
template <> void CallProgram::accept(ProgramVisitor &visitor) const { visitor.visitCall(*this); }
template <> void SwitchProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitSwitch(*this);
}
template <> void OnEveryTileSwitchProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitOnEveryTileSwitch(*this);
}
template <> void GlobalExchangeProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitGlobalExchange(*this);
}
template <> void StreamCopyBeginProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitStreamCopyBegin(*this);
}
template <> void StreamCopyMidProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitStreamCopyMid(*this);
}
template <> void StreamCopyEndProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitStreamCopyEnd(*this);
}
template <> void SyncProgram::accept(ProgramVisitor &visitor) const { visitor.visitSync(*this); }
template <> void SansProgram::accept(ProgramVisitor &visitor) const { visitor.visitSans(*this); }
template <> void SyncAnsProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitSyncAns(*this);
}
template <> void WriteUndefProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitWriteUndef(*this);
}
template <> void BlockProgram::accept(ProgramVisitor &visitor) const { visitor.visitBlock(*this); }
template <> void BlockFlushProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitBlockFlush(*this);
}
template <> void UnknownProgram::accept(ProgramVisitor &visitor) const {
  visitor.visitUnknown(*this);
}

ProgramVisitor::~ProgramVisitor() = default;

namespace detail {

template <class T> static std::unique_ptr<Program> make(const Data &data, std::uint32_t index) {
  return std::make_unique<T>(data, index);
}

std::unique_ptr<Program> makeProgram(const Data &data, std::uint32_t index) {
  static constexpr std::unique_ptr<Program> (*makers[])(const Data &, std::uint32_t) = {
      make<SequenceProgram>,
      make<RepeatProgram>,
      make<CallProgram>,
      make<SwitchProgram>,
      make<OnEveryTileSwitchProgram>,
      make<OnTileExecuteProgram>,
      make<DoExchangeProgram>,
      make<GlobalExchangeProgram>,
      make<StreamCopyBeginProgram>,
      make<StreamCopyMidProgram>,
      make<StreamCopyEndProgram>,
      make<SyncProgram>,
      make<SansProgram>,
      make<SyncAnsProgram>,
      make<WriteUndefProgram>,
      make<BlockProgram>,
      make<BlockFlushProgram>,
      make<UnknownProgram>};
  return makers[unsigned(data.programs[index].type)](data, index);
}

} // namespace detail
} // namespace pva
