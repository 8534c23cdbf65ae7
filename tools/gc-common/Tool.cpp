// SPDX-License-Identifier: MIT
#include "Tool.hpp"
#include "base/Folder.hpp"
#include "base/Text.hpp"
#include "machine/Error.hpp"
#include <CLI/CLI.hpp>
#include <iostream>

namespace gctool {

Tool::Tool(const std::string &name, const std::string &description, const std::string &versionNames)
    : name_(name), app_(std::make_unique<CLI::App>(description, name)) {
  app_->get_option("--help")->group("Allowed options");
  app_->set_version_flag(versionNames,
                         name + " " + machine::softwareVersion() + " (OpenIPU, simulated IPUs)")
      ->group("Allowed options");
}
Tool::~Tool() = default;

void Tool::flag(const std::string &names, bool &value, const About &about) {
  app_->add_flag(names, value, about.help)->group(about.group);
}

void Tool::number(const std::string &names, unsigned &value, unsigned least, unsigned most,
                  const About &about) {
  app_->add_option(names, value, about.help)
      ->check(CLI::Range(least, most))
      ->capture_default_str()
      ->group(about.group);
}

void Tool::number(const std::string &names, std::optional<unsigned> &value, unsigned least,
                  unsigned most, const About &about) {
  app_->add_option_function<unsigned>(
          names, [&value](unsigned given) { value = given; }, about.help)
      ->check(CLI::Range(least, most))
      ->group(about.group);
}

void Tool::number(const std::string &names, double &value, double least, double most, double bare,
                  const About &about) {
  app_->add_option_function<std::string>(
          names,
          [&value, bare](const std::string &text) {
            value = text.empty() ? bare : std::stod(text);
          },
          about.help)
      ->expected(0, 1)
      ->check(CLI::Range(least, most))
      ->group(about.group);
}

void Tool::choice(const std::string &names, std::string &value, std::vector<std::string> values,
                  const About &about) {
  app_->add_option(names, value, about.help)
      ->check(CLI::IsMember(std::move(values), CLI::ignore_case))
      ->capture_default_str()
      ->group(about.group);
}

void Tool::hidden(const std::string &names, const std::function<void()> &given) {
  app_->add_option_function<std::vector<std::string>>(
          names, [given](const std::vector<std::string> &) { given(); })
      ->expected(0, 3)
      ->group("");
}

void Tool::rest(std::vector<std::string> &words, const std::string &help) {
  app_->add_option("words", words, help)->group("Allowed options");
}

void Tool::device(unsigned &id) {
  number("-d,--device-id", id, 0, 2 * machine::mostIpus,
         {"id of the device; gc-info -l lists them"});
}

void Tool::json(bool &value, const std::string &names) {
  flag(names, value, {"print JSON; every value is a text"});
}

int Tool::run(int argc, char **argv, const std::function<Outcome()> &work) {
  bool good = true;
  try {
    app_->parse(argc, argv);
    const auto outcome = work();
    good = outcome.good;
    std::cout << outcome.text << std::flush;
  } catch (const CLI::ParseError &e) {
    if (e.get_exit_code() == 0) // help, or the version
      return app_->exit(e, std::cout, std::cerr);
    std::cerr << name_ << ": " << e.what() << "\nRun with --help for more information.\n";
    return 2;
  } catch (const base::FileError &e) { // of a chip's description
    std::cerr << name_ << ": \"" << e.path << "\": " << e.what() << "\n";
    return 1;
  } catch (const std::exception &e) {
    std::cerr << name_ << ": " << e.what() << "\n";
    return 1;
  }
  if (!std::cout)
    std::cerr << name_ << ": the output could not be written\n";
  return good && std::cout ? 0 : 1;
}

machine::Group groupOf(const machine::Domain &domain, unsigned id) {
  const auto groups = domain.groups();
  if (id >= groups.size())
    throw machine::Error(base::str("there is no device ", id, " in partition ",
                                   domain.partition.name, ": its ids are 0 to ", groups.size() - 1,
                                   ". gc-info -l lists them."));
  return groups[id];
}

std::string whoHolds(const std::vector<unsigned> &ipus) {
  for (const unsigned ipu : ipus)
    if (const auto holder = machine::holderOf(ipu))
      return base::str(" by process ", holder->processId, " (", holder->executable, ") of ",
                       holder->user);
  return "";
}

Json jsonOf(const machine::Attributes &attributes) {
  Json out = Json::object();
  if (const auto id = attributes.find("id"); id != attributes.end())
    out["id"] = id->second;
  for (const auto &[key, value] : attributes)
    out[key] = value;
  return out;
}

std::string textOf(const Json &json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string lines(const machine::Attributes &attributes, const std::string &indent) {
  std::string text;
  for (const auto &[key, value] : attributes)
    text += indent + key + ": " + value + "\n";
  return text;
}

} // namespace gctool
