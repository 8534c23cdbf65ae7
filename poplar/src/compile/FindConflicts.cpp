// SPDX-License-Identifier: MIT
// Written elements are kept as ranges, sorted only when vertices do not come in ascending order. A
// variable with strided writers gets one bit per element instead. Who met whom is looked up only
// after a conflict is known.
#include "compile/FindConflicts.hpp"
#include "analysis/Placement.hpp"
#include "base/Text.hpp"
#include "poplar/exceptions.hpp"
#include <algorithm>
#include <optional>
#include <span>

namespace poplar::compile {

using namespace analysis;
using namespace executable;
using codelet::FieldDirection;

namespace {

struct Owner {
  std::uint32_t vertex, field;
  bool operator==(const Owner &) const = default;
};
struct Write {
  std::uint64_t begin, end;
  Owner owner;
  std::uint32_t run;
};
struct StridedWrite {
  std::uint32_t run;
  Owner owner;
};

bool writes(FieldDirection d) { return d == FieldDirection::Output || d == FieldDirection::InOut; }

bool contains(const Run &run, std::uint64_t element) {
  auto pattern = patternOf(run);
  return pattern.elementsBelow(element + 1) != pattern.elementsBelow(element);
}

template <class Visit> // visit(Owner, direction, run index)
void forEachRun(const Image &image, std::uint32_t vertex, Visit visit) {
  const auto &fields = image.vertexType(vertex).fields;
  for (std::uint32_t f = 0; f != fields.size(); ++f) {
    const auto &slot = image.slots[image.vertices[vertex].firstSlot + f];
    if (slot.kind != SlotKind::Edges)
      continue;
    for (auto e = slot.first; e != slot.first + slot.count; ++e)
      for (auto r = image.edges[e].firstRun; r != image.edges[e].firstRun + image.edges[e].numRuns;
           ++r)
        if (image.runs[r].count)
          visit(Owner{vertex, f}, fields[f].direction, r);
  }
}

class Conflicts {
public:
  Conflicts(const Image &image, std::uint32_t computeSet, std::vector<std::uint32_t> &slotOf,
            SharedInOut shared)
      : image_(image), set_(image.computeSets[computeSet]), slotOf_(slotOf), shared_(shared) {}
  ~Conflicts() {
    for (const auto &written : written_)
      slotOf_[written.var] = none;
  }

  void check() {
    for (auto vertex : set_.vertices)
      forEachRun(image_, vertex, [&](Owner owner, FieldDirection direction, std::uint32_t run) {
        if (writes(direction))
          addWrite(owner, run);
      });
    for (auto &written : written_)
      checkWrites(written);
    for (auto vertex : set_.vertices)
      forEachRun(image_, vertex, [&](Owner owner, FieldDirection direction, std::uint32_t run) {
        if (direction == FieldDirection::Input)
          checkRead(owner, image_.runs[run]);
      });
  }

private:
  struct Written {
    std::uint32_t var;
    bool ascending = true;
    std::vector<Write> ranges;
    std::vector<StridedWrite> strided;
    std::vector<bool> bits; // only with strided writers, and where InOut fields share elements
  };

  void addWrite(Owner owner, std::uint32_t index) {
    const auto &run = image_.runs[index];
    rejectTarget(owner, run);
    if (slotOf_[run.var] == none) {
      slotOf_[run.var] = std::uint32_t(written_.size());
      written_.push_back({run.var, true, {}, {}, {}});
    }
    auto &written = written_[slotOf_[run.var]];
    auto pattern = patternOf(run);
    if (pattern.count > 1) {
      written.strided.push_back({index, owner});
      return;
    }
    written.ascending =
        written.ascending && (written.ranges.empty() || written.ranges.back().end <= pattern.begin);
    written.ranges.push_back({pattern.begin, pattern.begin + pattern.block, owner, index});
  }

  void rejectTarget(Owner owner, const Run &run) const {
    const auto &var = image_.variables[run.var];
    if (var.kind != VariableKind::Ordinary)
      throw graph_connection_error(
          base::str(text(owner), " is written by the vertex but connected to constant \"", var.name,
                    "\". Connect it to a variable."));
    if (run.stride == 0 && run.count > 1)
      failOverlap(run.var, std::uint64_t(run.offset), owner, owner);
  }

  void checkWrites(Written &written) {
    auto &ranges = written.ranges;
    if (!written.ascending)
      std::stable_sort(ranges.begin(), ranges.end(),
                       [](const Write &a, const Write &b) { return a.begin < b.begin; });
    bool meet = false;
    std::size_t widest = 0; // the range that goes furthest so far
    for (std::size_t i = 1; i < ranges.size(); ++i) {
      if (ranges[widest].end > ranges[i].begin) {
        if (!mayShare(ranges[widest], ranges[i]))
          failOverlap(written.var, ranges[i].begin, ranges[widest].owner, ranges[i].owner);
        meet = true;
      }
      widest = ranges[i].end > ranges[widest].end ? i : widest;
    }
    if (meet || !written.strided.empty())
      checkStrided(written);
  }

  // Whether both vertices work on the tile's memory itself, where each sees what the other writes.
  bool mayShare(const Write &a, const Write &b) const {
    return shared_ == SharedInOut::Allowed && a.owner.vertex != b.owner.vertex &&
           image_.vertices[a.owner.vertex].tile == image_.vertices[b.owner.vertex].tile &&
           inPlace(a) && inPlace(b);
  }
  bool inPlace(const Write &write) const {
    const auto &vertex = image_.vertices[write.owner.vertex];
    const auto &field = image_.vertexType(write.owner.vertex).fields[write.owner.field];
    const auto &slot = image_.slots[vertex.firstSlot + write.owner.field];
    const auto size = sizeOf(field.type);
    if (field.direction != FieldDirection::InOut ||
        write.begin * size % std::max<std::uint64_t>(size, field.minAlign))
      return false;
    const auto edges = std::span(image_.edges).subspan(slot.first, slot.count);
    const auto &mapping = image_.variables[image_.runs[write.run].var].mapping;
    return std::ranges::any_of(
               edges, [&](const Edge &e) { return e.firstRun == write.run && e.numRuns == 1; }) &&
           std::ranges::all_of(mapping, [&](const auto &range) {
             return range.end <= write.begin || range.begin >= write.end ||
                    range.tile == vertex.tile;
           });
  }

  void checkStrided(Written &written) {
    written.bits.assign(image_.variables[written.var].elements, false);
    for (const auto &range : written.ranges)
      std::fill(written.bits.begin() + std::ptrdiff_t(range.begin),
                written.bits.begin() + std::ptrdiff_t(range.end), true);
    for (const auto &write : written.strided) {
      auto pattern = patternOf(image_.runs[write.run]);
      for (std::uint64_t i = 0; i != pattern.count; ++i) {
        auto element = pattern.begin + i * pattern.stride;
        if (written.bits[element])
          failOverlap(written.var, element, *writerOf(written.var, element, write.owner, write.run),
                      write.owner);
        written.bits[element] = true;
      }
    }
  }

  void checkRead(Owner reader, const Run &run) const {
    if (slotOf_[run.var] == none)
      return;
    const auto &written = written_[slotOf_[run.var]];
    auto pattern = patternOf(run);
    for (std::uint64_t i = 0; i != pattern.count; ++i) {
      auto begin = pattern.begin + i * pattern.stride;
      if (written.bits.empty())
        checkReadOfRanges(reader, written, begin, begin + pattern.block);
      else
        checkReadOfBits(reader, written, begin, begin + pattern.block);
    }
  }

  void checkReadOfRanges(Owner reader, const Written &written, std::uint64_t begin,
                         std::uint64_t end) const {
    auto at = std::upper_bound(written.ranges.begin(), written.ranges.end(), begin,
                               [](std::uint64_t x, const Write &write) { return x < write.end; });
    for (; at != written.ranges.end() && at->begin < end; ++at)
      if (at->owner.vertex != reader.vertex)
        failRead(written.var, std::max(begin, at->begin), reader, at->owner);
  }

  void checkReadOfBits(Owner reader, const Written &written, std::uint64_t begin,
                       std::uint64_t end) const {
    for (auto element = begin; element != end; ++element)
      if (written.bits[element] && !writesElement(reader.vertex, written.var, element))
        failRead(written.var, element, reader, *writerOf(written.var, element, reader, none));
  }

  bool writesElement(std::uint32_t vertex, std::uint32_t var, std::uint64_t element) const {
    bool found = false;
    forEachRun(image_, vertex, [&](Owner, FieldDirection direction, std::uint32_t run) {
      found = found || (writes(direction) && image_.runs[run].var == var &&
                        contains(image_.runs[run], element));
    });
    return found;
  }

  // The first writer of an element through another run than `except`; known to exist.
  std::optional<Owner> writerOf(std::uint32_t var, std::uint64_t element, Owner fallback,
                                std::uint32_t except) const {
    for (auto vertex : set_.vertices) {
      std::optional<Owner> found;
      forEachRun(image_, vertex, [&](Owner owner, FieldDirection direction, std::uint32_t run) {
        if (!found && run != except && writes(direction) && image_.runs[run].var == var &&
            contains(image_.runs[run], element))
          found = owner;
      });
      if (found)
        return found;
    }
    return fallback;
  }

  std::string fieldName(Owner owner) const {
    return image_.vertexType(owner.vertex).fields[owner.field].name;
  }
  std::string text(Owner owner) const {
    return base::str(describeVertex(image_, owner.vertex), ", field \"", fieldName(owner), "\"");
  }
  std::string place(std::uint32_t var, std::uint64_t element) const {
    return base::str("element ", element, " of variable \"", image_.variables[var].name, "\" ",
                     base::list(image_.variables[var].shape));
  }

  [[noreturn]] void failOverlap(std::uint32_t var, std::uint64_t element, Owner a, Owner b) const {
    if (a == b)
      throw graph_connection_error(
          base::str(text(a), " holds ", place(var, element),
                    " twice. An output must not contain the same element more than once."));
    if (a.vertex == b.vertex)
      throw graph_connection_error(
          base::str(describeVertex(image_, a.vertex), ": fields \"", fieldName(a), "\" and \"",
                    fieldName(b), "\" both write ", place(var, element),
                    ". Connect one of them to another tensor, or use one InOut field."));
    const bool inOut =
        direction(a) == FieldDirection::InOut && direction(b) == FieldDirection::InOut;
    throw graph_connection_error(base::str(
        "Two vertices write ", place(var, element), " in one compute set: ", text(a), "; and ",
        text(b),
        ". Their order is not defined: put them in different compute sets, or let them write "
        "different elements.",
        !inOut ? ""
        : shared_ == SharedInOut::Allowed
            ? " debug.allowOverlappingInOut does not help: it needs two vertices on one tile, and "
              "fields that are contiguous and lie on that tile."
            : " If each uses only a part that the other does not touch, set the engine option "
              "debug.allowOverlappingInOut to \"true\"."));
  }
  FieldDirection direction(Owner owner) const {
    return image_.vertexType(owner.vertex).fields[owner.field].direction;
  }
  [[noreturn]] void failRead(std::uint32_t var, std::uint64_t element, Owner reader,
                             Owner writer) const {
    throw graph_connection_error(base::str(
        "One vertex reads ", place(var, element),
        " while another writes it in one compute set: ", text(reader), " reads; ", text(writer),
        " writes. Put them in different compute sets, or let the reader use a copy."));
  }

  const Image &image_;
  const ComputeSet &set_;
  std::vector<std::uint32_t>
      &slotOf_; // by variable: index in written_; all `none` between compute sets
  const SharedInOut shared_;
  std::vector<Written> written_;
};

} // namespace

std::string describeVertex(const Image &image, std::uint32_t vertex) {
  return base::str("Vertex ", vertex, " (", image.vertexType(vertex).name, " in compute set \"",
                   image.computeSets[image.vertices[vertex].computeSet].name, "\")");
}

void findConflicts(const Image &image, const std::vector<std::uint8_t> &computeSets,
                   SharedInOut shared) {
  std::vector<std::uint32_t> slotOf(image.variables.size(), none);
  for (std::uint32_t cs = 0; cs != image.computeSets.size(); ++cs)
    if (computeSets[cs])
      Conflicts(image, cs, slotOf, shared).check();
}

} // namespace poplar::compile
