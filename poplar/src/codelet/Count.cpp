// SPDX-License-Identifier: MIT
#include "codelet/Count.hpp"
#include "base/Text.hpp"
#include <algorithm>
#include <set>
#include <vector>

namespace poplar::codelet {
namespace {

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string_view trimmed(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line;
}

// Labels of exception tables and debug information are not reached by jumps.
bool startsBlock(std::string_view label) {
  static constexpr std::string_view passive[] = {".LEH", ".LFB", ".LFE",   ".LVL",  ".LBB",
                                                 ".LBI", ".LBE", ".LCOLD", ".LHOT", ".LFSB"};
  for (const auto prefix : passive)
    if (startsWith(label, prefix))
      return false;
  return true;
}

bool isGlue(std::string_view function) {
  static constexpr std::string_view runtime[] = {"printf", "puts", "putchar"};
  for (const auto name : runtime)
    if (function == name)
      return true;
  return startsWith(function, "openipu") && !startsWith(function, "openipu_one_");
}

// Calls with a length in rdx, and the registers' contents at the call: every 8 bytes cost a load
// and a store (or a store).
bool copiesBytes(std::string_view function) {
  return function == "memcpy" || function == "memmove";
}
bool fillsBytes(std::string_view function) { return function == "memset"; }

const char *const countedCall = R"(	.text
	.globl	openipu_counted_call
	.hidden	openipu_counted_call
	.type	openipu_counted_call, @function
openipu_counted_call:
	.cfi_startproc
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %r15, 0
	pushq	%rcx
	.cfi_adjust_cfa_offset 8
	subq	$8, %rsp
	.cfi_adjust_cfa_offset 8
	xorl	%r15d, %r15d
	call	*%rdx
	addq	$8, %rsp
	.cfi_adjust_cfa_offset -8
	popq	%rcx
	.cfi_adjust_cfa_offset -8
	movq	%r15, (%rcx)
	popq	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore %r15
	ret
	.cfi_endproc
	.size	openipu_counted_call, .-openipu_counted_call
)";

class Rewriter {
public:
  Rewriter(arch::Pairing pairing, const std::map<std::string, VertexState> &vertices,
           CountedLines *lines)
      : pairing_(pairing), vertices_(vertices), marked_(lines) {}

  CountedAssembly rewrite(std::string_view assembly) {
    while (!assembly.empty()) {
      const auto end = std::min(assembly.find('\n'), assembly.size());
      line(assembly.substr(0, end));
      assembly.remove_prefix(std::min(end + 1, assembly.size()));
    }
    endFunction();
    addWrappers();
    addTables();
    return {join(), code()};
  }

private:
  struct Counted {
    unsigned instructions = 0;
    bool dependsOnData = false;
    std::set<std::string> calls;
  };

  void line(std::string_view text) {
    const std::string_view content = trimmed(text);
    if (content.empty() || content.front() == '#')
      return startsWith(content, "#APP") || startsWith(content, "#NO_APP") ? keep(text) : void();
    const std::string_view code = trimmed(content.substr(0, content.find('#')));
    const std::string_view word = code.substr(0, code.find_first_of(" \t\""));
    if (!word.empty() && word.back() == ':')
      return label(text, word.substr(0, word.size() - 1));
    if (content.front() == '.')
      return directive(text, content);
    instruction(text, content);
  }

  void directive(std::string_view text, std::string_view content) {
    if (startsWith(content, ".section") || startsWith(content, ".text") ||
        startsWith(content, ".data") || startsWith(content, ".bss"))
      initialisers_ = content.find(".init_array") != content.npos ||
                      content.find(".fini_array") != content.npos;
    if (startsWith(content, ".type") && content.find("@function") != content.npos) {
      const std::string_view rest = trimmed(content.substr(5));
      functions_.insert(std::string(rest.substr(0, rest.find(','))));
    }
    if (startsWith(content, ".size"))
      endFunction();
    if (initialisers_ && startsWith(content, ".quad"))
      return wrapInitialiser(trimmed(content.substr(5)));
    keep(text);
  }

  void wrapInitialiser(std::string_view function) {
    const std::string wrapper = base::str("openipu_init_", wrapped_.size());
    function = function.substr(0, function.find_first_of(" \t#"));
    wrapped_.emplace_back(wrapper, function);
    keep("\t.quad\t" + wrapper);
  }

  void label(std::string_view text, std::string_view name) {
    if (functions_.count(std::string(name))) {
      endFunction();
      function_ = std::string(name);
    } else if (startsBlock(name)) {
      beginBlock(name);
    }
    keep(text);
  }

  void beginBlock(std::string_view label) {
    blocks_.push_back({std::string(label), {}, {}, {}});
    places_.push_back(0);
    open_ = true;
  }

  void instruction(std::string_view text, std::string_view content) {
    HostInstruction i = parseInstruction(content);
    if (function_.empty() || isGlue(function_) || i.mnemonic == "endbr64")
      return keep(text);
    if (!open_)
      beginBlock({});
    if (blocks_.back().instructions.empty() && places_.back() == 0) {
      places_.back() = lines_.size();
      keep(""); // the counting instruction goes here
    }
    if (marked_)
      mark(i);
    if (const std::string target = callee(i); !target.empty())
      noteCall(target, i.mark);
    if (i.isRepeated)
      addRepeated(i);
    keep(text);
    open_ = !endsBlock(i);
    if (!i.isRepeated)
      blocks_.back().instructions.push_back(std::move(i));
  }

  void mark(HostInstruction &i) {
    i.mark = ++marked_->marks;
    keep(base::str(".Lopenipu_mark_", i.mark, ":"));
  }
  unsigned addLength(unsigned mark) {
    marked_->lengths.push_back({function_, mark, marked_->places});
    return marked_->places++;
  }
  // Adds to a number in memory. The flags may be in use, and so may 128 bytes below the stack.
  static std::string adding(std::string_view what, unsigned place, unsigned times = 1) {
    std::string text = "\tleaq\t-128(%rsp), %rsp\n\tpushfq\n";
    while (times-- > 0)
      text += base::str("\taddq\t", what, ", openipu_visits+", 8 * place, "(%rip)\n");
    return text + "\tpopfq\n\tleaq\t128(%rsp), %rsp";
  }

  void noteCall(const std::string &target, unsigned mark) {
    graph_[function_].calls.insert(target);
    // Flags and r11 are dead at a call.
    if (copiesBytes(target) || fillsBytes(target)) {
      keep("\tleaq\t7(%rdx), %r11");
      keep("\tshrq\t$3, %r11");
      keep(base::str("\timulq\t$", copiesBytes(target) ? 2 : 1, ", %r11, %r11"));
      keep("\taddq\t%r11, %r15");
      if (marked_)
        keep(adding("%r11", addLength(mark)));
    }
  }

  // rep movs and rep stos run rcx times. The flags may be in use, and leaq leaves them alone.
  void addRepeated(const HostInstruction &i) {
    const bool copies = startsWith(i.mnemonic, "movs");
    keep(base::str("\tleaq\t(%r15,%rcx,", copies ? 2 : 1, "), %r15"));
    if (marked_)
      keep(adding("%rcx", addLength(i.mark), copies ? 2 : 1));
    graph_[function_].instructions += copies ? 2 : 1;
  }

  // Now the whole function is known: every block gets its cost.
  void endFunction() {
    if (!blocks_.empty()) {
      const Function function = valuesOf(ControlFlow(std::move(blocks_)));
      const auto costs = tileCost(function, pairing_);
      const auto vertex = vertices_.find(function_);
      graph_[function_].dependsOnData =
          dependsOnData(function, vertex == vertices_.end() ? nullptr : &vertex->second);
      const unsigned firstPlace = marked_ ? note(function, costs) : 0;
      for (std::size_t b = 0; b < costs.size(); ++b) {
        graph_[function_].instructions += costs[b].instructions;
        if (costs[b].bundles > 0 && places_[b] > 0)
          lines_[places_[b]] = base::str("\tleaq\t", costs[b].bundles, "(%r15), %r15");
        if (marked_ && places_[b] > 0)
          lines_[places_[b]] += "\n" + adding("$1", firstPlace + unsigned(b));
      }
    }
    blocks_.clear();
    places_.clear();
    function_.clear();
    open_ = false;
  }

  // The function's blocks and loops. Returns the place of the first block's visits.
  unsigned note(const Function &function, const std::vector<BlockCost> &costs) {
    const auto firstBlock = unsigned(marked_->blocks.size()), firstPlace = marked_->places;
    const auto firstLoop = int(marked_->loops.size());
    for (unsigned b = 0; b < costs.size(); ++b) {
      const int loop = function.flow.loopOf(b);
      marked_->blocks.push_back({function_, loop == noLoop ? noLoop : firstLoop + loop,
                                 marked_->places++, costs[b].bundles, costs[b].issued});
    }
    for (const Loop &loop : function.flow.loops())
      marked_->loops.push_back(
          {firstBlock + loop.header, loop.parent == noLoop ? noLoop : firstLoop + loop.parent, 0});
    for (const Node &node : function.nodes)
      if (const int loop = function.flow.loopOf(node.block);
          loop != noLoop && (node.op == Op::Branch || node.op == Op::Jump))
        marked_->loops[unsigned(firstLoop + loop)].mark = node.mark;
    return firstPlace;
  }

  void addTables() {
    if (!marked_)
      return;
    for (const auto &[name, function] : graph_)
      marked_->calls[name] = function.calls;
    keep(base::str("\t.section\t.data.rel.ro, \"aw\"\n\t.align 8\n\t.globl\topenipu_marks\n",
                   "\t.type\topenipu_marks, @object\nopenipu_marks:\n\t.quad\t0"));
    for (unsigned i = 1; i <= marked_->marks; ++i)
      keep(base::str("\t.quad\t.Lopenipu_mark_", i));
    keep("\t.size\topenipu_marks, .-openipu_marks");
    keep(base::str("\t.align 8\n\t.globl\topenipu_places\n\t.hidden\topenipu_places\n",
                   "openipu_places:\n\t.quad\t", marked_->places));
    for (const char *table : {"openipu_visits", "openipu_kept"})
      keep(base::str(
          "\t.bss\n\t.align 8\n\t.globl\t", table, "\n\t.type\t", table, ", @object\n\t.size\t",
          table, ", ", 8 * marked_->places, "\n",
          table == std::string_view("openipu_visits") ? base::str("\t.hidden\t", table, "\n") : "",
          table, ":\n\t.zero\t", 8 * marked_->places + 8));
    keep("\t.text");
  }

  // Static initialisers run while somebody else owns r15.
  void addWrappers() {
    keep(countedCall);
    for (const auto &[wrapper, function] : wrapped_)
      keep(base::str("\t.type\t", wrapper, ", @function\n", wrapper, ":\n\tpushq\t%r15\n\tcall\t",
                     function, "\n\tpopq\t%r15\n\tret\n\t.size\t", wrapper, ", .-", wrapper));
  }

  void keep(std::string_view text) { lines_.emplace_back(text); }

  std::string join() const {
    std::string text;
    for (const std::string &l : lines_)
      if (!l.empty())
        text += l, text += '\n';
    return text;
  }

  void reach(const std::string &function, std::set<std::string> &seen) const {
    const auto at = graph_.find(function);
    if (at == graph_.end() || !seen.insert(function).second)
      return;
    for (const std::string &callee : at->second.calls)
      reach(callee, seen);
  }

  // Four bytes an instruction; a function's cold part has the same name with a suffix and is
  // reached by a jump. What is defined elsewhere may do anything.
  std::map<std::string, CountedAssembly::Code> code() const {
    std::map<std::string, CountedAssembly::Code> all;
    for (const auto &[name, function] : graph_) {
      std::set<std::string> seen;
      reach(name, seen);
      auto &sum = all[name];
      for (const std::string &f : seen) {
        const Counted &one = graph_.at(f);
        sum.bytes += 4 * one.instructions;
        sum.dependsOnData = sum.dependsOnData || one.dependsOnData ||
                            std::any_of(one.calls.begin(), one.calls.end(), [&](const auto &c) {
                              return !graph_.count(c) && !isKnown(c);
                            });
      }
    }
    return all;
  }
  static bool isKnown(const std::string &function) {
    double ignored = 0;
    return isGlue(function) || copiesBytes(function) || fillsBytes(function) ||
           startsWith(function, "__") || functionBundles(function, ignored);
  }

  const arch::Pairing pairing_;
  const std::map<std::string, VertexState> &vertices_;
  CountedLines *const marked_; // or null
  std::vector<std::string> lines_;
  std::vector<Block> blocks_;       // of the function that is being read
  std::vector<std::size_t> places_; // of their counting instructions; 0: none
  std::vector<std::pair<std::string, std::string>> wrapped_;
  std::set<std::string> functions_;
  std::map<std::string, Counted> graph_;
  std::string function_;
  bool open_ = false, initialisers_ = false;
};

} // namespace

CountedAssembly countAssembly(std::string_view assembly, arch::Pairing pairing,
                              const std::map<std::string, VertexState> &vertices,
                              CountedLines *lines) {
  return Rewriter(pairing, vertices, lines).rewrite(assembly);
}

} // namespace poplar::codelet
