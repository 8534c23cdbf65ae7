// SPDX-License-Identifier: MIT
#include "codelet/Count.hpp"
#include "base/Text.hpp"
#include "codelet/InstructionCost.hpp"
#include <cmath>
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
  static constexpr std::string_view passive[] = {".LEH", ".LFB",   ".LFE",  ".LVL", ".LBB",
                                                 ".LBE", ".LCOLD", ".LHOT", ".LFSB"};
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
  CountedAssembly rewrite(std::string_view assembly) {
    while (!assembly.empty()) {
      const auto end = std::min(assembly.find('\n'), assembly.size());
      line(assembly.substr(0, end));
      assembly.remove_prefix(std::min(end + 1, assembly.size()));
    }
    closeBlock();
    addWrappers();
    return {join(), codeBytes()};
  }

private:
  struct Function {
    unsigned instructions = 0;
    std::set<std::string> calls;
  };

  void line(std::string_view text) {
    const std::string_view content = trimmed(text);
    if (content.empty() || content.front() == '#')
      return keep(text);
    if (content.back() == ':' && content.find_first_of(" \t\"") == std::string_view::npos)
      return label(text, content.substr(0, content.size() - 1));
    if (content.front() == '.')
      return directive(text, content);
    instruction(text, content);
  }

  void directive(std::string_view text, std::string_view content) {
    if (startsWith(content, ".section") || startsWith(content, ".text") ||
        startsWith(content, ".data") || startsWith(content, ".bss")) {
      closeBlock();
      initialisers_ = content.find(".init_array") != content.npos ||
                      content.find(".fini_array") != content.npos;
    }
    if (startsWith(content, ".type") && content.find("@function") != content.npos) {
      const std::string_view rest = trimmed(content.substr(5));
      functions_.insert(std::string(rest.substr(0, rest.find(','))));
    }
    if (initialisers_ && startsWith(content, ".quad"))
      return wrapInitialiser(trimmed(content.substr(5)));
    keep(text);
  }

  void wrapInitialiser(std::string_view function) {
    const std::string wrapper = base::str("openipu_init_", wrapped_.size());
    wrapped_.emplace_back(wrapper, function);
    keep("\t.quad\t" + wrapper);
  }

  void label(std::string_view text, std::string_view name) {
    if (functions_.count(std::string(name))) {
      closeBlock();
      function_ = std::string(name);
    } else if (startsBlock(name)) {
      closeBlock();
    }
    keep(text);
  }

  void instruction(std::string_view text, std::string_view content) {
    HostInstruction i = parseInstruction(content);
    if (function_.empty() || isGlue(function_))
      return keep(text);
    if (i.mnemonic == "endbr64")
      return keep(text);
    if (!open_) {
      open_ = true;
      blockStart_ = lines_.size();
      keep(""); // the counting instruction goes here
    }
    if (const std::string target = callee(i); !target.empty())
      noteCall(target);
    if (i.isRepeated)
      addRepeated(i);
    keep(text);
    const bool last = endsBlock(i);
    if (!i.isRepeated)
      block_.push_back(std::move(i));
    if (last)
      closeBlock();
  }

  void noteCall(const std::string &target) {
    graph_[function_].calls.insert(target);
    // Flags and r11 are dead at a call.
    if (copiesBytes(target) || fillsBytes(target)) {
      const double perWord = arch::bundlesPer(arch::Instruction::Store) +
                             (copiesBytes(target) ? arch::bundlesPer(arch::Instruction::Load) : 0);
      keep("\tleaq\t7(%rdx), %r11");
      keep("\tshrq\t$3, %r11");
      keep(base::str("\timulq\t$", units(perWord), ", %r11, %r11"));
      keep("\taddq\t%r11, %r15");
    }
  }

  // rep movs and rep stos run rcx times. The flags may be in use, and leaq leaves them alone.
  void addRepeated(const HostInstruction &i) {
    const bool copies = startsWith(i.mnemonic, "movs");
    const double each = arch::bundlesPer(arch::Instruction::Store) +
                        (copies ? arch::bundlesPer(arch::Instruction::Load) : 0);
    unsigned rest = units(each);
    // r15 += rest * rcx as a sum of powers of two up to eight.
    for (unsigned step = 8; step > 0; step /= 2)
      for (; rest >= step; rest -= step)
        keep(base::str("\tleaq\t(%r15,%rcx,", step, "), %r15"));
    graph_[function_].instructions += copies ? 2 : 1;
  }

  static unsigned units(double bundles) {
    return unsigned(std::lround(bundles * countUnitsPerBundle));
  }

  void closeBlock() {
    if (!open_)
      return;
    const TileCost cost = costOf(block_);
    graph_[function_].instructions += cost.instructions;
    if (const unsigned n = units(cost.bundles); n > 0)
      lines_[blockStart_] = base::str("\tleaq\t", n, "(%r15), %r15");
    block_.clear();
    open_ = false;
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
  // reached by a jump.
  std::map<std::string, std::uint32_t> codeBytes() const {
    std::map<std::string, std::uint32_t> bytes;
    for (const auto &[name, function] : graph_) {
      std::set<std::string> seen;
      reach(name, seen);
      for (const std::string &f : seen)
        bytes[name] += 4 * graph_.at(f).instructions;
    }
    return bytes;
  }

  std::vector<std::string> lines_;
  std::vector<HostInstruction> block_;
  std::vector<std::pair<std::string, std::string>> wrapped_;
  std::set<std::string> functions_;
  std::map<std::string, Function> graph_;
  std::string function_;
  std::size_t blockStart_ = 0;
  bool open_ = false, initialisers_ = false;
};

} // namespace

CountedAssembly countAssembly(std::string_view assembly) { return Rewriter().rewrite(assembly); }

} // namespace poplar::codelet
