// SPDX-License-Identifier: MIT
#include "Cycles.hpp"
#include "base/Arithmetic.hpp"
#include "base/Text.hpp"
#include "codelet/Checks.hpp"
#include "codelet/Guard.hpp"
#include "codelet/Load.hpp"
#include "codelet/Symbols.hpp"
#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <sys/mman.h>
#include <thread>

namespace popc {
namespace {

using namespace poplar::codelet;
using poplar::TypeId;

constexpr std::uint64_t mostElements = 1u << 24;
const char *const tooMany = ": no tile has room for this many; at most 16777216 elements";

// ---- a vertex with operands of zeros ----

template <class T> void storeAs(double value, void *to) {
  const T number = T(value);
  std::memcpy(to, &number, sizeof number);
}

void storeNumber(TypeId type, double value, void *to) {
  switch (type) {
  case TypeId::Float:
    return storeAs<float>(value, to);
  case TypeId::Double:
    return storeAs<double>(value, to);
  case TypeId::Half:
    return storeAs<_Float16>(value, to);
  case TypeId::Quarter:
  case TypeId::QuarterMetadata:
    throw std::invalid_argument("--sizes has no values for fields of type quarter");
  default:
    break;
  }
  const auto bits = std::int64_t(value); // little endian: the low bytes
  std::memcpy(to, &bits, sizeOf(type));
}

bool isFloating(TypeId type) {
  return type == TypeId::Float || type == TypeId::Half || type == TypeId::Double ||
         type == TypeId::Quarter;
}

class ZeroVertex {
public:
  explicit ZeroVertex(const VertexType &type) : type_(type), state_(room(type.hostSize)) {}

  void bind(const Field &field, const Size &size) {
    char *slot = state_ + field.hostOffset;
    if (field.shape == FieldShape::Scalar && field.direction == FieldDirection::Plain)
      return storeNumber(field.type, size.value, slot);
    if (field.shape == FieldShape::Scalar) {
      char *data = room(sizeOf(field.type));
      if (size.value != 0)
        storeNumber(field.type, size.value, data);
      if (field.type == TypeId::Quarter)
        return put(slot, QuarterScalarRecord{data, metadata_});
      return put(slot, ScalarRecord{data});
    }
    if (field.shape == FieldShape::Vector)
      return vector(slot, field.type, size.outer, room(size.outer * sizeOf(field.type)));
    char *inner = room(size.outer * field.hostInnerStride);
    const std::uint64_t row = base::roundUp(size.inner * sizeOf(field.type), align);
    char *data = room(size.outer * row);
    for (std::uint64_t i = 0; i < size.outer; ++i)
      vector(inner + i * field.hostInnerStride, field.type, size.inner, data + i * row);
    put(slot, VectorRecord{inner, size.outer});
  }
  void *address() const { return state_; }

private:
  void vector(char *slot, TypeId type, std::uint64_t elements, char *data) {
    if (type == TypeId::Quarter)
      return put(slot, QuarterVectorRecord{data, elements, metadata_});
    put(slot, VectorRecord{data, elements});
  }
  template <class Record> static void put(char *slot, const Record &record) {
    std::memcpy(slot, &record, sizeof record);
  }
  // Zeros, with a little more after them, since codelets may read ahead. What goes further meets a
  // page that nobody may touch, and not our own memory.
  char *room(std::uint64_t bytes) {
    return memory_.emplace_back(base::roundUp(bytes, align) + align).begin();
  }
  class Room {
  public:
    explicit Room(std::uint64_t bytes)
        : bytes_(bytes), size_(base::roundUp(bytes, page) + page),
          memory_(
              ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
      if (memory_ == MAP_FAILED || ::mprotect(end(), page, PROT_NONE) != 0)
        throw std::bad_alloc();
    }
    ~Room() { ::munmap(memory_, size_); }
    Room(const Room &) = delete;
    Room &operator=(const Room &) = delete;
    char *begin() const { return end() - bytes_; }

  private:
    char *end() const { return static_cast<char *>(memory_) + size_ - page; }
    static constexpr std::uint64_t page = 4096;
    std::uint64_t bytes_, size_;
    void *memory_;
  };
  static constexpr std::uint64_t align = 64;
  const VertexType &type_;
  std::list<Room> memory_;
  char *state_;
  std::uint8_t metadata_[8] = {};
};

// What a vertex needs to run; says what it lacks.
std::string missingSizes(const VertexType &type, const Sizes &sizes) {
  std::string missing;
  for (const Field &field : type.fields) {
    const bool decides = field.shape != FieldShape::Scalar ||
                         (field.direction == FieldDirection::Plain && !isFloating(field.type));
    if (decides && !sizes.count(field.name))
      missing += (missing.empty() ? "" : ", ") + field.name;
  }
  return missing;
}

void checkSize(const VertexType &type, const Field &field, const Size &size) {
  const bool table =
      field.shape == FieldShape::VectorOfVectors || field.shape == FieldShape::VectorList;
  if (table != size.isTable)
    throw std::invalid_argument(
        base::str("--sizes ", field.name, "=", size.text, ": this field of ", type.name, " ",
                  table ? "is a vector of vectors; write ROWSxELEMENTS, like 4x16"
                        : "is not a vector of vectors; write one number"));
  if (field.shape != FieldShape::Scalar && (size.value < 0 || size.value != std::floor(size.value)))
    throw std::invalid_argument(base::str("--sizes ", field.name, "=", size.text,
                                          ": a vector has a whole number of elements"));
  if (field.shape == FieldShape::Vector && size.outer > mostElements)
    throw std::invalid_argument(base::str("--sizes ", field.name, "=", size.text, tooMany));
}

class OneVertex final : public VertexNames {
public:
  explicit OneVertex(const VertexType &type) : type_(type) {}
  void name(const VertexCall &, PlainText &to) const override { to << "Vertex " << type_.name; }
  std::string_view computeSet() const override { return "popc --cycles"; }
  std::uint32_t tile(const VertexCall &) const override { return 0; }
  std::span<const FieldCheck> operands(const VertexCall &) const override { return {}; }

private:
  const VertexType &type_;
};

// Takes what runs too long out of its call.
class Watchdog {
public:
  explicit Watchdog(std::chrono::milliseconds limit) : thread_([this, limit] { watch(limit); }) {}
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Watchdog(const Watchdog &) = delete;
  Watchdog &operator=(const Watchdog &) = delete;
  const std::atomic<bool> &stop() const { return stop_; }

private:
  void watch(std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, limit, [&] { return done_; }))
      return;
    stop_ = true;
    interruptCalls();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_; // last: it uses the others
};

// ---- lines ----

struct Place {
  std::string file;
  unsigned line = 0;
  auto operator<=>(const Place &) const = default;
};

class Report {
public:
  Report(CountedModule counted, std::chrono::milliseconds limit)
      : limit_(limit), counted_(std::move(counted)), lines_(counted_.lines),
        loaded_(std::make_shared<const Module>(counted_.module)) {
    const auto marks =
        static_cast<const std::uintptr_t *>(loaded_.symbol("openipu_marks", Variant::Counted));
    for (unsigned i = 0; i <= lines_.marks; ++i)
      places_.push_back(i == 0 ? Place{} : placeOf(marks[i]));
  }

  VertexCycles vertex(std::size_t index, const Sizes &sizes) {
    const VertexType &type = counted_.module.types[index];
    VertexCycles result;
    result.name = type.name;
    result.dependsOnData = type.dependsOnData;
    result.missing = missingSizes(type, sizes);
    visits_.assign(lines_.places, 0);
    if (result.missing.empty())
      tryRun(index, sizes, result);
    functions_.clear();
    reach(counted_.functions[index]);
    rows_.clear();
    loopOf_.clear();
    addLoops(result);
    for (const auto &block : lines_.blocks)
      if (functions_.count(block.function))
        addBlock(block, result);
    for (const auto &length : lines_.lengths)
      if (functions_.count(length.function) && visits_[length.place])
        row(places_[length.mark], -1).total += visits_[length.place];
    finish(result);
    return result;
  }

private:
  static Place placeOf(std::uintptr_t address) {
    const std::string text = sourceLine(address);
    const auto colon = text.rfind(':');
    if (colon == text.npos)
      return {};
    return {text.substr(0, colon), unsigned(std::strtoul(text.c_str() + colon + 1, nullptr, 10))};
  }

  void tryRun(std::size_t index, const Sizes &sizes, VertexCycles &result) {
    try {
      run(index, sizes, result);
    } catch (const TrapError &e) {
      result.problem = e.what();
    } catch (const std::invalid_argument &e) {
      result.problem = e.what();
    } catch (...) {
      result.problem = "its compute() threw an exception";
    }
  }

  void run(std::size_t index, const Sizes &sizes, VertexCycles &result) {
    const VertexType &type = counted_.module.types[index];
    ZeroVertex vertex(type);
    for (const Field &field : type.fields) {
      const auto given = sizes.find(field.name);
      if (given != sizes.end()) {
        checkSize(type, field, given->second);
        result.sizes +=
            base::str(result.sizes.empty() ? "" : ",", field.name, "=", given->second.text);
      }
      vertex.bind(field, given == sizes.end() ? Size{} : given->second);
    }
    const OneVertex name(type);
    const FaultHandlers handlers(true);
    const Watchdog watchdog(limit_);
    VertexCall call{.names = &name,
                    .code = loaded_.code(Variant::Counted),
                    .stop = &watchdog.stop(),
                    .operands = {}};
    const auto entry = loaded_.entry(index, Variant::Counted).runCounted;
    void *const vertices[] = {vertex.address()};
    std::uint64_t bundles = 0, sum = 0;
    call.now = vertices;
    callGuarded(call, reinterpret_cast<const void *>(entry), vertices, 1, &bundles, &sum);
    if (call.failed() && watchdog.stop())
      throw std::invalid_argument("it does not end with operands of zeros. Give values to its "
                                  "scalar fields with which it ends");
    if (call.failed()) {
      PlainText text;
      describeFault(call, text);
      throw std::invalid_argument(
          base::str("it ran with operands of zeros and failed:", text.view(),
                    " Do the values of --sizes fit together?"));
    }
    const auto kept =
        static_cast<const std::uint64_t *>(loaded_.symbol("openipu_kept", Variant::Counted));
    visits_.assign(kept, kept + lines_.places);
    result.hasRun = true;
    result.bundles = bundles;
    result.cycles = bundles * counted_.module.numWorkers;
  }

  void reach(const std::string &function) {
    if (!functions_.insert(function).second)
      return;
    if (const auto at = lines_.calls.find(function); at != lines_.calls.end())
      for (const auto &callee : at->second)
        reach(callee);
  }

  LineCost &row(const Place &place, int loop) {
    LineCost &row = rows_[{place, loop}];
    row.file = place.file;
    row.line = place.line;
    row.loop = loop;
    return row;
  }

  void addLoops(VertexCycles &result) {
    for (std::size_t l = 0; l < lines_.loops.size(); ++l) {
      const auto &loop = lines_.loops[l];
      const auto &header = lines_.blocks[loop.header];
      if (!functions_.count(header.function))
        continue;
      loopOf_[int(l)] = int(result.loops.size());
      const Place &place = places_[loop.mark];
      LoopCost cost;
      cost.file = place.file;
      cost.line = place.line;
      cost.passes = visits_[header.place];
      result.loops.push_back(std::move(cost));
    }
    for (const auto &[from, to] : loopOf_)
      if (const int parent = lines_.loops[std::size_t(from)].parent; parent >= 0) {
        result.loops[std::size_t(to)].parent = loopOf_.at(parent);
        result.loops[std::size_t(loopOf_.at(parent))].isInnermost = false;
      }
  }

  // The line of an instruction; of what belongs to no instruction alone, that of its loop.
  Place lineOf(const Issued &issued, const CountedLines::Block &block) const {
    if (issued.mark != 0 || block.loop < 0)
      return places_[issued.mark];
    return places_[lines_.loops[std::size_t(block.loop)].mark];
  }

  void addBlock(const CountedLines::Block &block, VertexCycles &result) {
    const int loop = block.loop < 0 ? -1 : loopOf_.at(block.loop);
    std::vector<const Issued *> owner(block.bundles, nullptr);
    std::vector<Bundle> code(block.bundles);
    for (const Issued &issued : block.issued) {
      const bool isAux = issued.slot == arch::Slot::Aux;
      LineCost &line = row(lineOf(issued, block), loop);
      (isAux ? line.aux : line.main) += issued.bundles;
      const std::string text = base::str(issued.isCall ? functionName(issued.what) : issued.what,
                                         issued.bundles > 1 ? base::str(" x", issued.bundles) : "");
      (isAux ? code[issued.at].aux : code[issued.at].main) =
          base::str(text, " :", lineOf(issued, block).line);
      for (unsigned i = issued.at; i < issued.at + issued.bundles; ++i)
        if (!owner[i] || !isAux)
          owner[i] = &issued;
      if (loop >= 0)
        note(issued, result.loops[std::size_t(loop)]);
    }
    const Issued *last = nullptr;
    for (unsigned i = 0; i < block.bundles; ++i) {
      last = owner[i] ? owner[i] : last;
      LineCost &line = row(last ? lineOf(*last, block) : Place{}, loop);
      ++line.bundles;
      line.total += visits_[block.place];
    }
    if (loop < 0)
      return;
    auto &cost = result.loops[std::size_t(loop)];
    cost.bundles += block.bundles;
    cost.total += block.bundles * visits_[block.place];
    for (const Bundle &bundle : code)
      if (!bundle.main.empty() || !bundle.aux.empty())
        cost.code.push_back(bundle);
  }

  static void note(const Issued &issued, LoopCost &loop) {
    (issued.slot == arch::Slot::Aux ? loop.aux : loop.main) += issued.bundles;
    if (issued.bytes > 0) {
      ++loop.accesses;
      loop.narrow += issued.bytes < 8;
      if (issued.bytes < 8)
        loop.width = loop.narrow == 1 ? issued.bytes : std::max(loop.width, issued.bytes);
    }
    if (const auto name = functionName(issued.what);
        issued.isCall && std::find(loop.calls.begin(), loop.calls.end(), name) == loop.calls.end())
      loop.calls.push_back(name);
  }

  void finish(VertexCycles &result) {
    std::uint64_t sum = 0;
    for (auto &[key, line] : rows_)
      sum += line.total;
    if (result.hasRun && sum < result.bundles) // a vertex is charged one bundle at least
      row({}, -1).total += result.bundles - sum;
    for (auto &[key, line] : rows_)
      if (line.bundles + line.main + line.aux + line.total > 0)
        result.lines.push_back(line);
  }

  std::chrono::milliseconds limit_;
  CountedModule counted_;
  const CountedLines &lines_;
  LoadedModule loaded_;
  std::vector<Place> places_; // by mark
  // Of the vertex at hand:
  std::vector<std::uint64_t> visits_;
  std::set<std::string> functions_;
  std::map<std::pair<Place, int>, LineCost> rows_;
  std::map<int, int> loopOf_;
};

void requireKnownNames(const Sizes &sizes, const std::vector<VertexType> &types) {
  std::vector<std::string> known;
  for (const VertexType &type : types)
    for (const Field &field : type.fields)
      known.push_back(field.name);
  for (const auto &[name, size] : sizes)
    if (std::find(known.begin(), known.end(), name) == known.end())
      throw std::invalid_argument(base::str("--sizes: no vertex has a field \"", name, "\".",
                                            base::didYouMean(name, known)));
}

std::optional<std::uint64_t> wholeNumber(const std::string &text) {
  if (text.empty() || text.size() > 12 || text.find_first_not_of("0123456789") != text.npos)
    return std::nullopt;
  return std::strtoull(text.c_str(), nullptr, 10);
}

Size parseSize(const std::string &name, const std::string &text) {
  const auto fail = [&](const char *why) -> Size {
    throw std::invalid_argument(base::str("--sizes ", name, "=", text, ": ", why));
  };
  Size size;
  size.text = text;
  if (const auto x = text.find('x'); x != text.npos) {
    const auto outer = wholeNumber(text.substr(0, x)), inner = wholeNumber(text.substr(x + 1));
    if (!outer || !inner)
      return fail("write ROWSxELEMENTS with whole numbers, like 4x16");
    if (*outer > mostElements || *inner > mostElements || *outer * *inner > mostElements)
      throw std::invalid_argument(base::str("--sizes ", name, "=", text, tooMany));
    size.outer = *outer, size.inner = *inner, size.isTable = true;
    return size;
  }
  char *end = nullptr;
  size.value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !std::isfinite(size.value) || std::abs(size.value) > 1e15)
    return fail("this is not a number");
  size.outer = size.value > 0 ? std::uint64_t(size.value) : 0;
  return size;
}

} // namespace

Sizes parseSizes(const std::string &text) {
  Sizes sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const auto equals = item.find('=');
    if (equals == item.npos || equals == 0)
      throw std::invalid_argument(base::str(
          "--sizes: \"", item, "\" is not FIELD=SIZE. Example: --sizes in=1024,out=1024"));
    const std::string name = item.substr(0, equals);
    if (!sizes.emplace(name, parseSize(name, item.substr(equals + 1))).second)
      throw std::invalid_argument(base::str("--sizes names \"", name, "\" twice"));
    begin = end + 1;
  }
  return sizes;
}

std::vector<VertexCycles> cyclesOf(const SourceInput &source, const CompileOptions &options,
                                   const Sizes &sizes, std::chrono::milliseconds limit) {
  auto counted = compileForLines(source, options);
  const auto types = counted.module.types;
  requireKnownNames(sizes, types);
  std::vector<VertexCycles> all;
  if (types.empty())
    return all;
  Report report(std::move(counted), limit);
  for (std::size_t i = 0; i < types.size(); ++i)
    all.push_back(report.vertex(i, sizes));
  return all;
}

} // namespace popc
