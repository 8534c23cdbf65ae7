// SPDX-License-Identifier: MIT
// A command: its options, and how it ends. Errors go to standard error with the name of the command
// in front, and make the exit status 1; a wrong command line makes it 2.
#pragma once
#include "machine/Attributes.hpp"
#include "machine/Partition.hpp"
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>

namespace CLI {
class App;
}

namespace gctool {

using Json = nlohmann::ordered_json;

struct Outcome {
  Outcome(std::string output, bool isGood = true) : text(std::move(output)), good(isGood) {}
  std::string text;
  bool good; // false: what was tested failed, and the exit status is 1
};

class Tool {
public:
  Tool(const std::string &name, const std::string &description,
       const std::string &versionNames = "-v,--version");
  ~Tool();

  struct About {
    std::string help;
    std::string group = "Allowed options";
  };
  void flag(const std::string &names, bool &value, const About &about);
  void number(const std::string &names, unsigned &value, unsigned least, unsigned most,
              const About &about);
  void number(const std::string &names, std::optional<unsigned> &value, unsigned least,
              unsigned most, const About &about);
  // The option alone means `bare`.
  void number(const std::string &names, double &value, double least, double most, double bare,
              const About &about);
  void choice(const std::string &names, std::string &value, std::vector<std::string> values,
              const About &about);
  void hidden(const std::string &names, const std::function<void()> &given); // takes any words
  void rest(std::vector<std::string> &words, const std::string &help);       // what follows --
  // -d and -j, as all tools have them.
  void device(unsigned &id);
  void json(bool &value, const std::string &names = "-j,--json-output");

  // Parses, calls `work` and prints what it returns.
  int run(int argc, char **argv, const std::function<Outcome()> &work);

private:
  std::string name_;
  std::unique_ptr<CLI::App> app_;
};

machine::Group groupOf(const machine::Domain &domain, unsigned id); // Error for an id that is none
std::string whoHolds(const std::vector<unsigned> &ipus); // " by process 7 (/bin/x) of alice", or ""
Json jsonOf(const machine::Attributes &attributes);      // "id" first, then by name
std::string textOf(const Json &json);
std::string lines(const machine::Attributes &attributes, const std::string &indent);

} // namespace gctool
