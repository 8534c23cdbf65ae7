// SPDX-License-Identifier: MIT
#include "pva/Compilation.hpp"
#include "base/Text.hpp"
#include "Data.hpp"
#include "pva/Error.hpp"
#include <algorithm>
#include <set>

namespace pva {

std::vector<std::uint32_t> detail::Data::liveAt(std::uint32_t step) const {
  std::call_once(liveOnce_, [this] {
    std::vector<LiveAt::Life> lives;
    for (std::uint32_t i = 0; i < variables.size(); ++i)
      for (const auto &span : variables[i].live)
        lives.push_back({i, span});
    live_ = LiveAt(std::move(lives), std::uint32_t(liveness.size()));
  });
  return live_(step);
}

template <class T>
static std::vector<T> handles(const detail::DataRef &data, std::size_t begin, std::size_t end) {
  std::vector<T> result;
  result.reserve(end - begin);
  for (auto i = begin; i < end; ++i)
    result.emplace_back(data, std::uint32_t(i));
  return result;
}

static std::vector<ProgramRef> programsAt(const detail::Data &data,
                                          const std::vector<std::uint32_t> &indices) {
  std::vector<ProgramRef> result;
  for (auto index : indices)
    result.push_back(data.program(index));
  return result;
}

static void checkLowered(const detail::Data &data, std::uint64_t tile) {
  if (data.parts.empty())
    throw Error(base::str("Profile \"", data.path, "\" has no lowered variables. ",
                          "Set the engine option autoReport.outputLoweredVars to true."));
  if (tile >= data.target.tiles())
    throw Error(
        base::str("There is no tile ", tile, ": the target has ", data.target.tiles(), "."));
}

// How much of a variable lies on these tiles.
static std::uint64_t bytesWithin(const detail::Data &data, std::uint32_t variable,
                                 std::uint64_t begin, std::uint64_t end) {
  std::uint64_t bytes = 0;
  for (auto index : data.variables[variable].parts) {
    const auto &part = data.parts[index];
    const auto first = std::max<std::uint64_t>(begin, part.first);
    const auto last = std::min<std::uint64_t>(end, std::uint64_t(part.first) + part.count);
    bytes += last > first ? (last - first) * part.size : 0;
  }
  return bytes;
}

// ---- target, graph ----

Target::Type Target::type() const {
  const auto &type = data_->target.type;
  return type == "IPU"         ? Type::Ipu
         : type == "IPU_MODEL" ? Type::IpuModel
         : type == "CPU"       ? Type::Cpu
                               : Type::Unknown;
}
IPU::Architecture Target::architecture() const {
  const auto &name = data_->target.architecture;
  return name == "ipu1"    ? IPU::Architecture::Ipu1
         : name == "ipu2"  ? IPU::Architecture::Ipu2
         : name == "ipu21" ? IPU::Architecture::Ipu21
                           : IPU::Architecture::Unknown;
}
std::string Target::architectureName() const { return data_->target.architecture; }
std::uint64_t Target::numIPUs() const { return data_->target.ipus; }
std::uint64_t Target::numReplicas() const { return data_->target.replicas; }
std::uint64_t Target::ipusPerReplica() const { return numIPUs() / numReplicas(); }
std::uint64_t Target::numTiles() const { return numIPUs() * tilesPerIpu(); }
std::uint64_t Target::tilesPerIpu() const { return data_->target.tilesPerIpu; }
std::uint64_t Target::tilesPerReplica() const { return ipusPerReplica() * tilesPerIpu(); }
std::uint64_t Target::bytesPerTile() const { return data_->target.bytesPerTile; }
std::uint64_t Target::bytesPerIPU() const { return bytesPerTile() * tilesPerIpu(); }
std::uint64_t Target::totalMemory() const { return bytesPerTile() * numTiles(); }
std::uint64_t Target::memoryPerReplica() const { return bytesPerTile() * tilesPerReplica(); }
std::uint64_t Target::clockFrequency() const { return data_->target.clockHz; }
std::uint64_t Target::workersPerTile() const { return data_->target.workers; }

std::uint64_t Graph::numComputeSets() const { return data_->graph.computeSets; }
std::uint64_t Graph::numVertices() const { return data_->graph.vertices; }
std::uint64_t Graph::numEdges() const { return data_->graph.edges; }
std::uint64_t Graph::numVars() const { return data_->graph.variables; }

// ---- memory ----

std::vector<std::string> MemoryCategories::names() const { return data_->categories; }
MemoryCategory MemoryCategories::find(const std::string &name) const {
  const auto &names = data_->categories;
  const auto at = std::size_t(std::find(names.begin(), names.end(), name) - names.begin());
  return MemoryCategory(data_, tile_, at);
}
std::uint64_t MemoryCategory::total() const {
  const auto &bytes = data_->tiles[tile_].categories;
  return category_ < bytes.size() ? bytes[category_] : 0;
}
MemoryBytes MemoryCategory::interleaved() const {
  const auto &variables = data_->variables;
  if (total() == 0 || std::none_of(variables.begin(), variables.end(),
                                   [](const auto &variable) { return variable.interleaved; }))
    return 0;
  if (data_->parts.empty())
    throw Error("MemoryCategory::interleaved: the profile does not say where its variables lie. "
                "Make it with the engine option autoReport.outputLoweredVars.");
  std::uint64_t sum = 0;
  for (const auto &part : data_->parts)
    if (part.isOn(tile_) && part.category == category_ && part.variable < variables.size() &&
        variables[part.variable].interleaved)
      sum += part.size;
  return std::min(sum, total()); // parts that are never live together share bytes
}
MemoryBytes MemoryCategory::overflowed() const {
  if (total() == 0 || TileMemory(data_, tile_).overflowed().includingGaps() == 0)
    return 0;
  throw Error(base::str("MemoryCategory::overflowed: tile ", tile_,
                        " overflows, and the profile does not say which category is beyond its "
                        "memory. TileMemory::overflowed says by how much."));
}

// What comes and goes is variables, messages and rearranged copies at the tile's peak; all else
// stays. What is always live and belongs to no other category is variables.
static bool comesAndGoes(const std::string &category) {
  return category == "message" || category == "rearrangement";
}
std::uint64_t MemoryCategory::alwaysLiveBytes() const {
  if (category_ >= data_->categories.size() || comesAndGoes(data_->categories[category_]))
    return 0;
  if (data_->categories[category_] != "variable")
    return total();
  auto rest = data_->tiles[tile_].alwaysLive;
  for (std::size_t i = 0; i < data_->categories.size(); ++i)
    if (i != category_ && !comesAndGoes(data_->categories[i]))
      rest -= std::min(rest, MemoryCategory(data_, tile_, i).total());
  return std::min(rest, total());
}

MemoryUse TileMemory::total() const {
  const auto &tile = data_->tiles[tile_];
  return MemoryUse(tile.total + tile.gaps, tile.total);
}
MemoryUse TileMemory::overflowed() const {
  const auto limit = data_->target.bytesPerTile;
  auto beyond = [&](std::uint64_t bytes) { return bytes > limit ? bytes - limit : 0; };
  return MemoryUse(beyond(total().includingGaps()), beyond(total().excludingGaps()));
}
std::uint64_t TileMemory::alwaysLiveBytes() const { return data_->tiles[tile_].alwaysLive; }
std::uint64_t TileMemory::notAlwaysLiveBytes() const { return data_->tiles[tile_].notAlwaysLive; }
ProgramRef TileMemory::peakProgram() const {
  return data_->program(data_->tiles[tile_].peakProgram);
}
std::vector<TileVertices> TileMemory::vertices() const {
  std::set<std::uint32_t> types;
  for (const auto &set : data_->computeSets)
    for (const auto &group : set.groups)
      if (tile_ >= group.first && tile_ - group.first < group.tiles)
        types.insert(group.type);
  std::vector<TileVertices> result;
  for (auto type : types)
    result.emplace_back(data_, type);
  return result;
}

std::vector<Tile> IPU::tiles() const {
  const auto perIpu = std::size_t(data_->target.tilesPerIpu), end = data_->tiles.size();
  return handles<Tile>(data_, std::min(index_ * perIpu, end), std::min((index_ + 1) * perIpu, end));
}

// ---- liveness ----

ProgramRef LivenessProgramStep::program() const {
  return data_->program(data_->liveness[index_].program);
}
LiveMemory LivenessProgramStep::notAlwaysLiveMemory() const {
  const auto &row = data_->liveness[index_];
  std::vector<Variable> variables;
  for (auto variable : data_->liveAt(index_))
    variables.emplace_back(data_, variable);
  return LiveMemory(row.size, std::move(variables));
}
std::uint64_t LivenessProgramStep::notAlwaysLiveBytes() const {
  return data_->liveness[index_].size;
}
LiveMemory LivenessProgramStep::notAlwaysLiveMemoryForTile(std::uint64_t tile) const {
  checkLowered(*data_, tile);
  return inTiles(tile, tile + 1);
}
LiveMemory LivenessProgramStep::notAlwaysLiveMemoryForIpu(std::uint64_t ipu) const {
  const std::uint64_t perIpu = data_->target.tilesPerIpu;
  checkLowered(*data_, ipu < data_->target.ipusPerReplica() ? ipu * perIpu : ~std::uint64_t(0));
  return inTiles(ipu * perIpu, (ipu + 1) * perIpu);
}
LiveMemory LivenessProgramStep::inTiles(std::uint64_t begin, std::uint64_t end) const {
  std::uint64_t bytes = 0;
  std::vector<Variable> variables;
  for (auto variable : data_->liveAt(index_)) {
    const auto here = bytesWithin(*data_, variable, begin, end);
    bytes += here;
    if (here > 0)
      variables.emplace_back(data_, variable);
  }
  return LiveMemory(bytes, std::move(variables));
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> EquivalenceClass::steps() const {
  if (variable_ < data_->variables.size())
    return Variable(data_, variable_).liveSteps();
  const auto &category = data_->categories[variable_ - data_->variables.size()];
  if (data_->liveness.empty() || comesAndGoes(category))
    return {};
  return {{0, data_->liveness.size() - 1}};
}
std::vector<std::pair<std::uint64_t, std::uint64_t>> Variable::liveSteps() const {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> result;
  const auto &variable = data_->variables[index_];
  if (variable.alwaysLive && !data_->liveness.empty())
    result.emplace_back(0, data_->liveness.size() - 1);
  else
    for (const auto &span : variable.live)
      result.emplace_back(span.first, span.last);
  return result;
}

// ---- lowered variables ----

bool LoweredVariable::hasUnloweredVar() const {
  return data_->partOf(index_).variable != detail::none;
}
std::uint64_t LoweredVariable::bytes() const { return data_->partOf(index_).size; }
std::uint64_t LoweredVariable::tileId() const {
  const auto &part = data_->partOf(index_);
  return part.first + (index_ - part.firstId);
}
std::string LoweredVariable::category() const {
  return data_->categories[data_->partOf(index_).category];
}
std::string LoweredVariable::name() const {
  return hasUnloweredVar() ? unloweredVar().name() : category();
}
Variable LoweredVariable::unloweredVar() const {
  if (!hasUnloweredVar())
    throw Error(base::str("Lowered variable ", index_, " (", category(),
                          ") stands for no variable of the graph. ",
                          "Ask hasUnloweredVar() first."));
  return Variable(data_, data_->partOf(index_).variable);
}
EquivalenceClass LoweredVariable::equivalenceClass() const {
  const auto &part = data_->partOf(index_);
  return EquivalenceClass(data_, part.variable != detail::none
                                     ? part.variable
                                     : std::uint32_t(data_->variables.size()) + part.category);
}

std::vector<LoweredVariable> LoweredVariables::allBriefVars() const {
  return handles<LoweredVariable>(data_, 0, data_->numParts);
}
std::vector<LoweredVariable> LoweredVariables::forTile(std::uint64_t tile) const {
  std::vector<LoweredVariable> result;
  checkLowered(*data_, tile);
  for (const auto &part : data_->parts)
    if (part.isOn(tile))
      result.emplace_back(data_, part.firstId + std::uint32_t(tile - part.first));
  return result;
}

// ---- all together ----

std::vector<Tile> CompilationReport::tiles() const {
  return handles<Tile>(data_, 0, data_->tiles.size());
}
std::vector<IPU> CompilationReport::ipus() const {
  return handles<IPU>(data_, 0, data_->target.ipusPerReplica());
}
std::vector<ProgramRef> CompilationReport::programs() const {
  return programsAt(*data_, data_->entries);
}
std::vector<ProgramRef> CompilationReport::functions() const {
  return programsAt(*data_, data_->functions);
}
std::vector<ProgramRef> CompilationReport::allPrograms() const {
  std::vector<ProgramRef> result;
  for (std::uint32_t i = 0; i < data_->programs.size(); ++i)
    result.push_back(data_->program(i));
  return result;
}
std::vector<ComputeSet> CompilationReport::computeSets() const {
  return handles<ComputeSet>(data_, 0, data_->computeSets.size());
}
std::vector<VertexType> CompilationReport::vertexTypes() const {
  return handles<VertexType>(data_, 0, data_->vertexTypes.size());
}
std::vector<Variable> CompilationReport::variables() const {
  return handles<Variable>(data_, 0, data_->variables.size());
}
std::vector<Variable> CompilationReport::alwaysLiveVariables() const {
  auto result = variables();
  result.erase(std::remove_if(result.begin(), result.end(),
                              [](const Variable &v) { return !v.alwaysLive(); }),
               result.end());
  return result;
}
std::vector<Variable> CompilationReport::alwaysLiveVariablesForTile(std::uint64_t tile) const {
  checkLowered(*data_, tile);
  std::set<std::uint32_t> found;
  for (const auto &part : data_->parts)
    if (part.isOn(tile) && part.variable != detail::none &&
        data_->variables[part.variable].alwaysLive)
      found.insert(part.variable);
  std::vector<Variable> result;
  for (auto variable : found)
    result.emplace_back(data_, variable);
  return result;
}
std::vector<LivenessProgramStep> CompilationReport::livenessProgramSteps() const {
  return handles<LivenessProgramStep>(data_, 0, data_->liveness.size());
}
std::vector<std::pair<std::string, std::uint64_t>> CompilationReport::vertexMemory() const {
  return {data_->vertexMemory.begin(), data_->vertexMemory.end()};
}
std::uint64_t CompilationReport::interleavedBytes() const {
  std::uint64_t sum = 0;
  for (const auto &variable : data_->variables)
    sum += variable.interleaved ? variable.size : 0;
  return sum;
}

} // namespace pva
