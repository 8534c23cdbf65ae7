// SPDX-License-Identifier: MIT
// popvision: looks at reports and traces, in a browser or in the terminal.
#include "Access.hpp"
#include "base/OutputFile.hpp"
#include "base/Text.hpp"
#include "Compare.hpp"
#include "Export.hpp"
#include "Page.hpp"
#include "Plot.hpp"
#include "Routes.hpp"
#include "Serve.hpp"
#include "Tables.hpp"
#include "Terminal.hpp"
#include "Views.hpp"
#include <algorithm>
#include <charconv>
#include <CLI/CLI.hpp>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace popvision;

namespace {

struct Options {
  std::vector<std::string> paths;
  std::string output, table, plot = "step";
  ServeOptions serve;
  std::int64_t tile = -1, step = -1;
  std::optional<std::string> failAbove;
  bool json = false, csv = false, browser = true, open = false;
};

std::string pretty(const std::string &json) {
  return nlohmann::ordered_json::parse(json).dump(2, ' ', false,
                                                  nlohmann::json::error_handler_t::replace) +
         "\n";
}

// What a command prints.
struct Shown {
  Shown(std::string printed, std::string why = "")
      : text(std::move(printed)), problem(std::move(why)) {}
  std::string text;
  std::string problem; // why the command fails all the same
};

// The one report that a command in the terminal is about.
std::shared_ptr<const Model> only(const Site &site) {
  if (site.numReports() == 1)
    return site.report(0);
  std::string names;
  for (std::size_t i = 0; i < site.numReports(); ++i)
    names += "\n  " + site.files(i).profile;
  throw std::runtime_error(site.numReports()
                               ? "There are several reports here; give one of:" + names
                               : "There is no profile.pop here.");
}

Shown summary(const Options &options, const Site &site) {
  const auto model = only(site);
  if (options.csv)
    return summaryCsv(*model, options.table);
  if (!options.json)
    return summaryText(*model);
  return pretty("{\"summary\":" + toJson(view::summary(*model)) +
                ",\"insights\":" + toJson(view::insights(*model)) + "}");
}
Shown memory(const Options &options, const Site &site) {
  const auto model = only(site);
  if (options.csv)
    return options.tile >= 0 ? tileCsv(*model, std::uint64_t(options.tile), options.table)
                             : memoryCsv(*model, options.table);
  if (options.tile >= 0)
    return options.json ? pretty(toJson(view::tile(*model, std::uint64_t(options.tile))))
                        : tileText(*model, std::uint64_t(options.tile));
  return options.json ? pretty(toJson(view::memory(*model))) : memoryText(*model);
}
Shown liveness(const Options &options, const Site &site) {
  const auto model = only(site);
  if (options.csv)
    return options.step >= 0 ? livenessStepCsv(*model, options.step, options.table)
                             : livenessCsv(*model, options.table);
  if (options.json && options.step >= 0)
    return pretty(livenessJson(*model, options.step));
  return options.json ? pretty("{\"liveness\":" + toJson(view::liveness(*model)) +
                               ",\"variables\":" + toJson(view::variables(*model)) + "}")
                      : livenessText(*model, options.step);
}
// Of a report what the IPU did, of traces what the host did.
Shown trace(const Options &options, const Site &site) {
  if (site.numTraces() && !site.numReports())
    return options.csv    ? hostCsv(hostTraces(site), options.table)
           : options.json ? pretty(hostPerfetto(hostTraces(site)))
                          : hostText(hostTraces(site));
  const auto model = only(site);
  return options.csv    ? traceCsv(*model, options.table)
         : options.json ? pretty(toJson(view::trace(*model)))
                        : traceText(*model);
}

Shown plot(const Options &options, const Site &site) { return plotSvg(*only(site), options.plot); }

// A path for each report; or both below one.
void wantTwo(const Options &options, const Site &site) {
  const auto wrong = [](const std::string &why, const std::vector<Files> &found) {
    std::string names;
    for (const auto &files : found)
      names += "\n  " + files.profile;
    throw std::runtime_error(why + names);
  };
  for (const auto &path : options.paths)
    if (options.paths.size() == 2) {
      const auto found = find({path}).reports;
      if (found.empty())
        wrong(base::str("\"", path, "\" holds traces and no profile.pop; compare wants reports."),
              found);
      if (found.size() > 1)
        wrong(base::str("\"", path, "\" holds several reports; give one of:"), found);
    }
  if (site.numReports() != 2)
    throw std::runtime_error(
        base::str("compare wants two reports; these are ", site.numReports(), "."));
}

// "5%", "5 %", "0.5".
double percentOf(std::string text) {
  const auto given = text;
  while (!text.empty() && (text.back() == ' ' || text.back() == '%'))
    text.pop_back();
  double value = 0;
  const auto *end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (result.ec != std::errc() || result.ptr != end || !(value >= 0) || !std::isfinite(value) ||
      std::count(given.begin(), given.end(), '%') > 1)
    throw std::runtime_error(base::str("--fail-above wants a percentage from 0 on, such as 5% or "
                                       "0.5%, not \"",
                                       base::brief(given), "\"."));
  return value;
}

Shown compare(const Options &options, const Site &site) {
  const double limit = options.failAbove ? percentOf(*options.failAbove) : 0;
  wantTwo(options, site);
  const auto comparison = compared(*site.report(0), *site.report(1));
  return {options.json  ? pretty(compareJson(comparison))
          : options.csv ? compareCsv(comparison)
                        : compareText(comparison),
          options.failAbove ? grownBeyond(comparison, limit) : ""};
}

void write(const std::string &path, const std::string &text) {
  base::writeWhole(path, text);
  std::cout << "Wrote " << path << " (" << base::thousands(text.size()) << " bytes)\n";
}

void wantPage() {
  if (!hasPage())
    throw std::runtime_error(
        "The page is not in this build: it needs node and npm (apt install nodejs npm). "
        "`popvision summary`, `memory`, `liveness`, `trace` and `compare` work without.");
}

void exportTo(const Options &options, const Site &site) {
  wantPage();
  for (std::size_t i = 0; i < site.numReports(); ++i)
    site.report(i); // what cannot be read is told here
  write(options.output, pageWith(bundle(site)));
}

// A page that leads to ours. Everybody sees the arguments of everybody's programs: a browser that
// gets the name of a file which only its user can read gives no token away.
class Lead {
public:
  explicit Lead(const std::string &url) {
    base::writeWhole(file(),
                     "<!doctype html><meta http-equiv=refresh content=\"0;url=" + url + "\">");
  }
  std::string file() const { return folder_.file("open.html"); }

private:
  base::TemporaryFolder folder_;
};

// The browser outlives us if it likes: it is of another session, so our Ctrl-C is not its, and does
// not hold our output, or who reads that to its end would wait for the browser's.
[[noreturn]] void becomeBrowser(const std::string &file) {
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  ::setsid();
  if (const int nowhere = ::open("/dev/null", O_RDWR); nowhere >= 0)
    for (const int each : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      ::dup2(nowhere, each);
  ::execlp("xdg-open", "xdg-open", file.c_str(), nullptr);
  ::_exit(1);
}

// Where there is a screen.
std::unique_ptr<Lead> openBrowser(const std::string &url) {
  if (!std::getenv("DISPLAY") && !std::getenv("WAYLAND_DISPLAY"))
    return nullptr;
  std::unique_ptr<Lead> lead;
  try {
    lead = std::make_unique<Lead>(url);
  } catch (const std::exception &problem) { // the address is on the screen
    std::cerr << "popvision: no browser is opened: " << problem.what() << "\n";
    return nullptr;
  }
  const auto file = lead->file();
  if (const auto child = ::fork(); child == 0) {
    if (::fork() == 0)
      becomeBrowser(file);
    ::_exit(0);
  } else if (child > 0) {
    ::waitpid(child, nullptr, 0);
  }
  return lead;
}

// While the browser starts, what its first view needs is read.
std::jthread readAhead(const Site &site) {
  return std::jthread([&site] {
    try {
      if (site.numReports())
        site.report(0);
      else
        hostTraces(site);
    } catch (const std::exception &) { // the page says what is wrong
    }
  });
}

void show(const Options &options, const Site &site) {
  wantPage();
  std::jthread reading; // begun when the server's signals are its own
  std::unique_ptr<Lead> lead;
  auto how = options.serve;
  how.token = options.open ? "" : makeToken();
  serve(site, how, [&](const std::string &url) {
    reading = readAhead(site);
    std::cout << "PopVision: " << url << "   (Ctrl-C ends it)\n";
    const auto port = url.substr(url.rfind(':') + 1, url.rfind('/') - url.rfind(':') - 1);
    if (std::getenv("SSH_CONNECTION"))
      std::cout << "From your own machine: ssh -L " << port << ":127.0.0.1:" << port
                << " THIS_HOST, then open it there.\n";
    std::cout << std::flush;
    if (options.browser)
      lead = openBrowser(url);
  });
}

using Command = Shown (*)(const Options &, const Site &);

CLI::App *command(CLI::App &app, Options &options, const char *name, const char *help, Command work,
                  Command &chosen) {
  auto *sub = app.add_subcommand(name, help);
  sub->add_option("PATH", options.paths, "profile.pop, a trace, or a folder of them")->required();
  auto *json = sub->add_flag("--json", options.json, "JSON, the same that the page draws");
  sub->add_flag("--csv", options.csv, "CSV with all rows of one table")->excludes(json);
  sub->callback([&chosen, work] { chosen = work; });
  return sub;
}

void addTable(CLI::App &sub, Options &options, const std::string &names) {
  sub.add_option("--table", options.table, "which table of --csv: " + names)
      ->type_name("NAME")
      ->needs("--csv");
}

int run(int argc, char **argv) {
  CLI::App app("Where cycles, memory and host time go: reports (profile.pop) and traces (pvti, "
               "Chrome) in a browser or in "
               "the terminal.",
               "popvision");
  app.set_version_flag("--version", POPVISION_VERSION);
  Options options;
  Command chosen = nullptr;
  app.add_option("PATH", options.paths, "profile.pop, a trace, or a folder of them; serves a page");
  auto *toFile =
      app.add_option("--export", options.output, "write one self-contained HTML file and end");
  app.add_option("--port", options.serve.port, "default: a free one")
      ->check(CLI::Range(0, 65535))
      ->excludes(toFile);
  app.add_option("--host", options.serve.address,
                 "address to serve on; others than 127.0.0.1 let other machines read")
      ->capture_default_str()
      ->excludes(toFile);
  app.add_flag("!--no-browser", options.browser, "only print the address");
  app.add_flag("--no-token", options.open, "everybody who can reach the address may read")
      ->excludes(toFile);
  auto *sub = command(app, options, "summary", "target, memory, cycles, and what to do about them",
                      summary, chosen);
  addTable(*sub, options,
           "figures, cycles, step, spread, ipus, crossings, streams, insights, options");
  sub = command(app, options, "memory", "by tile and category", memory, chosen);
  sub->add_option("--tile", options.tile, "one tile")->check(CLI::NonNegativeNumber);
  addTable(*sub, options, "tiles, categories; with --tile: variables, categories");
  sub = command(app, options, "liveness", "memory over steps", liveness, chosen);
  sub->add_option("--step", options.step, "one step")->check(CLI::NonNegativeNumber);
  addTable(*sub, options, "steps, variables; with --step: variables");
  sub = command(app, options, "trace", "programs by cycles, or host events by time", trace, chosen);
  addTable(*sub, options, "programs, runs, steps, operations; of traces: events");
  auto *both = command(app, options, "compare", "two reports: a step, memory, what changed most",
                       compare, chosen);
  both->add_option("--fail-above", options.failAbove,
                   "5%: exit status 1 if a step's cycles, the fullest tile or memory grew by more")
      ->type_name("PERCENT");
  auto *picture = app.add_subcommand("plot", "an SVG picture with a caption, for a paper");
  picture->add_option("PATH", options.paths, "profile.pop, or a folder of one")->required();
  picture->add_option("--of", options.plot, "step: its cycles by kind; memory: of each tile")
      ->type_name("NAME")
      ->capture_default_str();
  picture->callback([&chosen] { chosen = plot; });
  CLI11_PARSE(app, argc, argv);
  if (options.paths.empty()) {
    std::cout << app.help();
    return 2;
  }
  const Site site(options.paths);
  if (chosen) {
    const auto shown = chosen(options, site);
    std::cout << shown.text << std::flush;
    if (!shown.problem.empty())
      throw std::runtime_error(shown.problem);
  } else if (!options.output.empty())
    exportTo(options, site);
  else
    show(options, site);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception &e) {
    std::cerr << "popvision: " << e.what() << "\n";
    return 1;
  }
}
