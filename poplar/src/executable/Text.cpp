// SPDX-License-Identifier: MIT
#include "executable/Text.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <cctype>

namespace poplar::executable {

using base::str;

namespace {

// On one line, whatever is in a name.
std::string quoted(const std::string &text) {
  std::string out = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      out += str('\\', c);
    else
      out += std::iscntrl(static_cast<unsigned char>(c)) ? '?' : c;
  return out + '"';
}
std::string quotedUnlessEmpty(const std::string &text) {
  return text.empty() ? "" : " " + quoted(text);
}
bool isPlain(const std::string &text) {
  return std::ranges::all_of(text, [](unsigned char c) { return std::isprint(c); });
}
std::string bytesOrText(const std::string &text) {
  if (isPlain(text))
    return quoted(text);
  std::string digits;
  for (unsigned char c : text.substr(0, 8))
    digits += {"0123456789abcdef"[c >> 4], "0123456789abcdef"[c & 15]};
  if (text.size() <= 8)
    return str('<', digits, '>');
  return str('<', text.size(), " bytes ", base::hex(base::hashBytes(text.data(), text.size())),
             '>');
}

std::string plus(std::int64_t offset) { return offset ? str(offset > 0 ? "+" : "", offset) : ""; }
std::string place(std::uint32_t var, std::int64_t offset) {
  return (var == none ? std::string("host") : str('v', var)) + plus(offset);
}

std::string tiles(std::uint64_t first, std::uint64_t count) {
  return count == 1 ? str("tile ", first) : str("tiles ", first, '-', first + count - 1);
}

// ---- variables

// tile 0: [0:4], tiles 1-3: 4 each
std::string mappingText(const SharedList<MappedRange> &mapping) {
  std::string out;
  const auto &ranges = mapping.list();
  for (std::size_t i = 0, next; i < ranges.size(); i = next) {
    const auto size = ranges[i].end - ranges[i].begin;
    for (next = i + 1; next < ranges.size() && ranges[next].tile == ranges[next - 1].tile + 1 &&
                       ranges[next].begin == ranges[next - 1].end &&
                       ranges[next].end - ranges[next].begin == size;
         ++next)
      ;
    out += str(i ? ", " : " on ", tiles(ranges[i].tile, next - i), ": ", ranges[i].begin, "-",
               ranges[next - 1].end - 1);
  }
  return out;
}

std::string variableText(const Variable &var) {
  constexpr const char *kinds[] = {"", " constant", " replication index"};
  auto out = str(quoted(var.name), ' ', spelling(var.type), base::list(var.shape),
                 kinds[unsigned(var.kind)], mappingText(var.mapping));
  for (const auto &initial : var.initial)
    out += str(", from ", initial.begin, ' ', bytesOrText(initial.bytes));
  if (!var.alwaysLive)
    out += ", not always live";
  return out;
}

// ---- vertices

std::string edgeText(const Image &image, const Edge &edge) {
  std::string out;
  for (std::uint32_t i = 0; i < edge.numRuns; ++i) {
    const auto &run = image.runs[edge.firstRun + i];
    out += str(i ? " " : "", place(run.var, run.offset), 'x', run.count);
    if (run.stride != 1)
      out += str('/', run.stride);
  }
  return out;
}

std::string slotText(const Image &image, const codelet::Field &field, const Slot &slot) {
  if (slot.kind == SlotKind::Unset)
    return "";
  auto out = str(' ', field.name, '=');
  if (slot.kind == SlotKind::Value)
    return out + bytesOrText(image.values.substr(slot.first, slot.count * sizeOf(field.type)));
  for (std::uint32_t i = 0; i < slot.count; ++i)
    out += str(i ? " | " : "(", edgeText(image, image.edges[slot.first + i]));
  return out + (slot.count ? ")" : "()");
}

std::string vertexText(const Image &image, std::uint32_t index) {
  const auto &vertex = image.vertices[index];
  const auto &type = image.vertexType(index);
  auto out = str("    ", type.name, " on tile ", vertex.tile);
  for (std::size_t i = 0; i < type.fields.size(); ++i)
    out += slotText(image, type.fields[i], image.slots[vertex.firstSlot + i]);
  if (vertex.cycles != noEstimate)
    out += str(", ", vertex.cycles, " cycles");
  if (vertex.flops)
    out += str(", ", vertex.flops, " flops");
  return out + "\n";
}

std::string computeSetText(const Image &image, std::size_t index) {
  auto out = str("  compute set ", index, ' ', quoted(image.computeSets[index].name), "\n");
  for (auto vertex : image.computeSets[index].vertices)
    out += vertexText(image, vertex);
  return out;
}

// ---- the host's side

template <class Each> void table(std::string &out, const auto &rows, const char *title, Each each) {
  for (std::size_t i = 0; i < rows.size(); ++i)
    out += str("  ", title, ' ', i, ": ", each(rows[i]), "\n");
}

std::string valuesText(const std::vector<std::pair<TypeId, std::uint64_t>> &values) {
  std::string out;
  for (const auto &[type, elements] : values)
    out += str(out.empty() ? "" : ", ", spelling(type), '[', elements, ']');
  return str('(', out, ')');
}

std::string hostText(const Image &image) {
  std::string out;
  table(out, image.streams, "stream", [](const Stream &s) {
    return str(quoted(s.handle), ' ', spelling(s.type), '[', s.elements, ']',
               s.toDevice ? " to the device" : " to the host", s.broadcast ? ", broadcast" : "",
               s.bufferingDepth == 1 ? "" : str(", depth ", s.bufferingDepth));
  });
  table(out, image.remoteBuffers, "remote buffer", [](const RemoteBuffer &b) {
    return str(quoted(b.handle), ' ', spelling(b.type), '[', b.repeats, ',', b.elements, ']');
  });
  table(out, image.hostFunctions, "host function", [](const HostFunction &f) {
    return str(quoted(f.handle), ' ', valuesText(f.inputs), " -> ", valuesText(f.outputs));
  });
  const auto access = [&](const HostAccess &a) {
    return str(quoted(a.handle), ' ', text(a.view, image));
  };
  table(out, image.hostReads, "host read", access);
  table(out, image.hostWrites, "host write", access);
  return out;
}

// ---- steps

// The members of a step, in the order in which its kind describes them.
class Members : public steps::Nothing {
public:
  explicit Members(const Image &image) : image_(image) {}
  std::string out;

  void reads(const tensor::View &v) { view("reads", v); }
  void writes(const tensor::View &v) { view("writes", v); }
  void changes(const tensor::View &v) { view("changes", v); }
  void forgets(const tensor::View &v) { view("forgets", v); }
  void names(const tensor::View &v) { view("names", v); }
  void moves(const std::vector<Move> &moves, steps::Arrives = {}) {
    for (const auto &move : moves)
      out += ' ' + executable::text(move);
  }
  void computeSet(std::uint32_t i) { out += quotedUnlessEmpty(image_.computeSets.at(i).name); }
  void function(std::uint32_t i) { out += str(" function ", i); }
  void hostFunction(std::uint32_t i) { out += " " + quoted(image_.hostFunctions.at(i).handle); }
  void stream(std::uint32_t i) { out += " " + quoted(image_.streams.at(i).handle); }
  void remoteBuffer(std::uint32_t i) { out += " " + quoted(image_.remoteBuffers.at(i).handle); }
  void replica(std::uint32_t i) { out += str(" replica ", i); }
  void tile(std::uint32_t i) { out += str(" tile ", i); }
  void number(const auto &number) {
    if (std::uint64_t(number) != none)
      out += str(' ', std::int64_t(number));
  }
  void flag(const auto &flag) {
    if (flag)
      out += " yes";
  }
  void text(const std::string &text) {
    if (!text.empty())
      out += " " + bytesOrText(text);
  }

private:
  void view(const char *role, const tensor::View &view) {
    out += str(' ', role, ' ', executable::text(view, image_));
  }
  const Image &image_;
};

std::string phaseText(const Phase &phase) {
  const std::string kind = nameOf(phase.kind);
  auto out = kind + (phase.name == kind ? "" : quotedUnlessEmpty(phase.name));
  const std::pair<std::uint64_t, const char *> numbers[] = {{phase.cycles, " cycles"},
                                                            {phase.bytes, " bytes"},
                                                            {phase.messages, " messages"},
                                                            {phase.flops, " flops"}};
  for (const auto &[number, unit] : numbers)
    if (number)
      out += str(' ', number, unit);
  std::uint64_t count = 0;
  for (const auto &share : phase.tiles)
    count += share.count;
  return count ? str(out, " on ", count, count == 1 ? " tile" : " tiles") : out;
}

// A line for each phase.
void addCost(std::string &out, const Cost &cost, const std::string &indent) {
  for (const auto &phase : cost.phases)
    out += str(indent, "- ", phaseText(phase), '\n');
  if (!cost.measured)
    out += indent + "- still to be counted\n";
}

void addTree(std::string &out, const Image &image, std::uint32_t root) {
  std::vector<std::pair<std::uint32_t, std::size_t>> waiting{{root, 1}};
  while (!waiting.empty()) {
    const auto [index, depth] = waiting.back();
    waiting.pop_back();
    const auto &step = image.steps[index];
    const std::string indent(2 * depth, ' ');
    out += str(indent, index, ' ', text(image, step), '\n');
    addCost(out, step.cost, indent + "  ");
    const auto parts = partsOf(step);
    for (auto part = parts.rbegin(); part != parts.rend(); ++part)
      waiting.emplace_back(*part, depth + 1);
  }
}

bool alike(const TileMemory &a, const TileMemory &b) {
  return std::ranges::equal(a.category, b.category) && a.total() == b.total() &&
         a.peakStep == b.peakStep;
}

} // namespace

std::string text(const Move &move) {
  auto out = str(place(move.fromVar, move.fromOffset), " -> ", place(move.toVar, move.toOffset));
  for (const auto &loop : move.loops)
    out += str(" {", loop.extent, ": ", loop.from, ", ", loop.to, '}');
  return out;
}

// All of a variable is its name alone; else shape and strided pieces.
std::string text(const tensor::View &view, const Image &image) {
  if (view.pieces.size() == 1) {
    const auto var = view.pieces[0].var;
    const auto &variable = image.variables[var.value];
    if (view == tensor::wholeVariable(nullptr, var, variable.type, variable.shape))
      return place(var.value, 0);
  }
  auto out = str(spelling(view.type), base::list(view.shape), '(');
  for (const auto &piece : view.pieces) {
    out += str(&piece == view.pieces.data() ? "" : ", ", place(piece.var.value, piece.offset));
    for (const auto &loop : piece.loops)
      out += str(" {", loop.extent, ": ", loop.stride, '}');
  }
  return out + ')';
}

std::string text(const Image &image, const Step &step) {
  Members members(image);
  describe(step, members);
  return str(kindName(step), quotedUnlessEmpty(step.name), step.name.empty() ? "" : ":",
             members.out);
}

std::string textOfVariables(const Image &image) {
  std::string out = "variables:\n";
  for (std::size_t i = 0; i < image.variables.size(); ++i)
    out += str("  v", i, ' ', variableText(image.variables[i]),
               image.arenaBytes ? str(", at ", image.variables[i].arenaOffset) : "", '\n');
  return image.arenaBytes ? str(out, "  in ", image.arenaBytes, " bytes of the host\n") : out;
}

std::string textOfPrograms(const Image &image) {
  std::string out;
  for (const auto &[title, list] :
       {std::pair("program", &image.programs), std::pair("function", &image.functions)})
    for (std::size_t i = 0; i < list->size(); ++i) {
      out += str(title, ' ', i, ":\n");
      addTree(out, image, (*list)[i]);
    }
  return out;
}

std::string textOfMemory(const Image &image) {
  std::string out = "memory:\n";
  const auto &all = image.memory.tiles;
  for (std::size_t first = 0, next; first < all.size(); first = next) {
    const auto &tile = all[first];
    for (next = first + 1; next < all.size() && alike(tile, all[next]); ++next)
      ;
    out += str("  ", tiles(first, next - first), ": ", tile.alwaysLive, " bytes");
    if (tile.peakNotAlwaysLive)
      out += str(" and ", tile.peakNotAlwaysLive,
                 tile.peakStep == none ? "" : str(" in step ", tile.peakStep));
    for (unsigned c = 0; c < numMemoryCategories; ++c)
      if (tile.category[c])
        out += str(", ", memoryCategoryName(MemoryCategory(c)), ' ', tile.category[c]);
    out += '\n';
  }
  for (std::size_t i = 0; i < image.memory.steps.size(); ++i) {
    out += str("  alive in step ", image.memory.steps[i].step, ":");
    for (auto var : image.memory.liveAt(i))
      out += str(" v", var);
    out += '\n';
  }
  return image.memory.outOfMemory ? out + "  out of memory\n" : out;
}

std::string text(const Image &image) {
  auto out = textOfVariables(image);
  if (const auto host = hostText(image); !host.empty())
    out += "host:\n" + host;
  if (!image.computeSets.empty())
    out += "vertices:\n";
  for (std::size_t i = 0; i < image.computeSets.size(); ++i)
    out += computeSetText(image, i);
  out += textOfPrograms(image);
  if (!image.memory.tiles.empty() || !image.memory.steps.empty())
    out += textOfMemory(image);
  return out;
}

} // namespace poplar::executable
