// SPDX-License-Identifier: MIT
// Runs the passes of a compiler, whatever they transform. A compiler is a list of passes, each with
// a name and a line on what holds afterwards. The runner times them, leaves out those that the user
// names and that may be left out, writes the text before and after those he wants to see, and
// checks the thing after each of them in development builds.
#pragma once
#include "base/Error.hpp"
#include "base/Log.hpp"
#include <chrono>
#include <functional>
#include <set>
#include <vector>

namespace base {

#ifdef NDEBUG
constexpr bool developmentBuild = false;
#else
constexpr bool developmentBuild = true;
#endif

// Needed: what follows relies on it, or results would differ. Optional: it only makes things faster
// or smaller.
enum class Skip { Needed, Optional };

template <class Thing> struct Pass {
  const char *name;
  Skip skip;
  const char *holds; // afterwards
  std::function<void(Thing &)> run;
  std::function<bool(const Thing &)> applies = {}; // none: always
};

// The environment variables of one compiler's passes.
struct PassVariables {
  const char *compiler; // the beginning of names of files: "popart"
  const char *skip;     // names of passes with commas between
  const char *dump;     // the same, or "all"
};

// What the user asks for. Throws std::invalid_argument for a name that no pass has, with all names,
// and for a pass that must not be left out, with what relies on it.
class PassWishes {
public:
  struct Known {
    const char *name;
    Skip skip;
    const char *holds;
  };
  PassWishes(const PassVariables &variables, const std::vector<Known> &passes);

  bool skips(const char *name) const { return skipped_.count(name); }
  bool dumps(const char *name) const { return dumped_.count(name); }
  // Into OPENIPU_DUMP_DIR: popart-1.07-fuse.before.txt, of the process's first compilation.
  // FileError if that is not possible.
  void dump(const char *name, std::size_t index, const char *when, const std::string &text) const;
  bool checks() const { return checks_; } // OPENIPU_CHECK_PASSES, or a development build

private:
  std::set<std::string> skipped_, dumped_;
  std::string prefix_;
  bool checks_;
};

template <class Thing> struct PassHooks {
  std::function<std::string(const Thing &)> text;
  std::function<void(const Thing &)> validate;         // throws what is wrong with it
  std::function<std::string(const Thing &)> size = {}; // for the log: "12 nodes"
  std::function<void(const Pass<Thing> &)> begins = {}, ends = {};
};

template <class Thing>
PassWishes wishesFor(const PassVariables &variables, const std::vector<Pass<Thing>> &passes) {
  std::vector<PassWishes::Known> known;
  for (const auto &pass : passes)
    known.push_back({pass.name, pass.skip, pass.holds});
  return {variables, known};
}

template <class Thing> class PassRunner {
public:
  PassRunner(const PassWishes &wishes, const Logger &log, const PassHooks<Thing> &hooks)
      : wishes_(wishes), log_(log), hooks_(hooks) {}

  void run(const std::vector<Pass<Thing>> &passes, Thing &thing) const {
    for (std::size_t i = 0; i < passes.size(); ++i)
      if (!passes[i].applies || passes[i].applies(thing))
        runOne(passes[i], i, thing);
  }

private:
  void runOne(const Pass<Thing> &pass, std::size_t index, Thing &thing) const {
    if (wishes_.skips(pass.name)) {
      log_.info("pass \"", pass.name, "\": left out");
      return;
    }
    if (hooks_.begins)
      hooks_.begins(pass);
    const bool dumps = wishes_.dumps(pass.name);
    if (dumps)
      wishes_.dump(pass.name, index, "before", hooks_.text(thing));
    const auto start = std::chrono::steady_clock::now();
    pass.run(thing);
    const auto took = std::chrono::steady_clock::now() - start;
    if (log_.enabled(LogLevel::Info))
      log_.info("pass \"", pass.name, "\": ", hooks_.size ? hooks_.size(thing) + ", " : "",
                std::chrono::duration<double, std::milli>(took).count(), " ms");
    if (dumps)
      wishes_.dump(pass.name, index, "after", hooks_.text(thing));
    if (wishes_.checks())
      check(pass, thing);
    if (hooks_.ends)
      hooks_.ends(pass);
  }
  void check(const Pass<Thing> &pass, const Thing &thing) const try {
    hooks_.validate(thing);
  } catch (const std::exception &e) {
    throw InternalError(str("After the pass \"", pass.name, "\": ", e.what()));
  }

  const PassWishes &wishes_;
  const Logger &log_;
  const PassHooks<Thing> &hooks_;
};

} // namespace base
