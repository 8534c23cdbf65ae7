// SPDX-License-Identifier: MIT
#include "Listing.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <fstream>
#include <iomanip>
#include <sstream>

namespace popc {
namespace {

std::string trimmed(const std::string &text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == text.npos)
    return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") + 1 - begin);
}

// The lines of files that can be read; others are empty.
class Sources {
public:
  std::string line(const std::string &file, unsigned number) {
    auto [at, isNew] = files_.try_emplace(file);
    if (isNew && !file.empty()) {
      std::ifstream in(file);
      for (std::string text; std::getline(in, text);)
        at->second.push_back(text);
    }
    return number > 0 && number <= at->second.size() ? at->second[number - 1] : std::string();
  }

private:
  std::map<std::string, std::vector<std::string>> files_;
};

std::string count(std::uint64_t n, const char *what) {
  return base::str(base::thousands(n), " ", what, n == 1 ? "" : "s");
}

// What sets the length of a pass, and why there are no fewer.
std::string slots(const LoopCost &loop) {
  const auto free = [&](unsigned used) { return loop.bundles - std::min(used, loop.bundles); };
  std::string text = base::str("main slot ", loop.main, ", auxiliary slot ", loop.aux, " of ",
                               count(loop.bundles, "bundle"));
  if (free(loop.main) == 0)
    return text + ": the main slot decides";
  if (free(loop.aux) == 0)
    return text + ": the auxiliary slot decides";
  return text + base::str("\n  not pipelined: ", loop.bundles - std::max(loop.main, loop.aux),
                          " more than the fuller slot needs, for instructions that wait for others",
                          "\n  of the same pass, or for a jump; passes do not overlap");
}

std::string vectors(const LoopCost &loop) {
  std::string text;
  if (loop.isInnermost && loop.narrow > 0)
    text = base::str("  not vectorised: ", loop.narrow, " of ", loop.accesses,
                     loop.accesses == 1 ? " access moves " : " accesses move ", loop.width,
                     loop.width < 4 ? " bytes or fewer" : " bytes",
                     ", and could move 8; the compiler keeps\n",
                     "  to the types of the source: float2 and half4 fill an access\n");
  for (const auto &function : loop.calls)
    text += base::str("  calls ", function, "\n");
  return text;
}

// Where passes take different ways.
std::string perPass(const LoopCost &loop) {
  if (loop.passes == 0 || loop.total == loop.passes * loop.bundles)
    return {};
  std::ostringstream text;
  text << ", " << std::fixed << std::setprecision(1) << double(loop.total) / double(loop.passes)
       << " bundles each on average";
  return text.str();
}

class Printer {
public:
  void vertex(const VertexCycles &vertex) {
    heading(vertex);
    table(vertex);
    for (std::size_t i = 0; i < vertex.loops.size(); ++i)
      loop(vertex, i);
    out_ << '\n';
  }
  std::string text() const { return out_.str(); }

private:
  void heading(const VertexCycles &vertex) {
    out_ << vertex.name << ": ";
    if (vertex.hasRun) {
      out_ << count(vertex.bundles, "bundle") << ", " << count(vertex.cycles, "cycle")
           << (vertex.sizes.empty() ? "" : " with " + vertex.sizes) << '\n';
      if (vertex.dependsOnData)
        out_ << "The count depends on data; here all elements are zero.\n";
    } else if (!vertex.problem.empty()) {
      out_ << "bundles of one pass. It has not run: " << vertex.problem << '\n';
    } else {
      out_ << "bundles of one pass. For those of a run, give --sizes: " << vertex.missing << '\n';
    }
  }

  void table(const VertexCycles &vertex) {
    std::string file;
    for (const LineCost &line : vertex.lines) {
      if (line.file != file && !line.file.empty())
        out_ << line.file << '\n';
      if (&line == &vertex.lines.front() || (line.file != file && !line.file.empty()))
        out_ << "  line loop  main   aux bundles" << (vertex.hasRun ? "       total" : "") << '\n';
      file = line.file.empty() ? file : line.file;
      row(line, vertex);
    }
  }

  void row(const LineCost &line, const VertexCycles &vertex) {
    out_ << std::setw(6) << (line.line ? base::str(line.line) : "") << std::setw(5)
         << (line.loop < 0 ? "" : base::str(line.loop + 1)) << std::setw(6) << line.main
         << std::setw(6) << line.aux << std::setw(8) << line.bundles;
    if (vertex.hasRun)
      out_ << std::setw(12) << base::thousands(line.total);
    out_ << "  "
         << (line.line ? trimmed(sources_.line(line.file, line.line)) : "(entry, exit, headers)")
         << '\n';
  }

  void loop(const VertexCycles &vertex, std::size_t index) {
    const LoopCost &loop = vertex.loops[index];
    out_ << "loop " << index + 1;
    if (loop.line)
      out_ << ", line " << loop.line;
    if (loop.parent >= 0)
      out_ << ", in loop " << loop.parent + 1;
    const std::string trips = tripExpression(sources_.line(loop.file, loop.line));
    if (vertex.hasRun)
      out_ << ": " << base::thousands(loop.passes) << (loop.passes == 1 ? " pass" : " passes")
           << (trips.empty() ? "" : " (" + trips + ")") << perPass(loop);
    else if (!trips.empty())
      out_ << ": a pass while " << trips;
    out_ << '\n';
    out_ << "  " << slots(loop) << '\n' << vectors(loop);
    for (const Bundle &bundle : loop.code)
      out_ << "    " << std::left << std::setw(24) << bundle.main << std::right << "|"
           << (bundle.aux.empty() ? "" : " " + bundle.aux) << '\n';
  }

  std::ostringstream out_;
  Sources sources_;
};

} // namespace

std::string tripExpression(const std::string &line) {
  for (const std::string word : {"for", "while"}) {
    const auto at = line.find(word);
    const auto open = at == line.npos ? at : line.find_first_not_of(" \t", at + word.size());
    if (open == line.npos || line[open] != '(')
      continue;
    std::vector<std::string> parts(1);
    int depth = 1;
    for (auto i = open + 1; i < line.size(); ++i) {
      const char c = line[i];
      depth += (c == '(') - (c == ')');
      if (depth == 0)
        return trimmed(parts.size() == 1 ? parts[0] : parts[1]);
      if (c == ';' && depth == 1)
        parts.emplace_back();
      else
        parts.back() += c;
    }
  }
  return {};
}

std::string listing(const std::vector<VertexCycles> &vertices) {
  Printer printer;
  for (const VertexCycles &vertex : vertices)
    printer.vertex(vertex);
  return printer.text();
}

} // namespace popc
