// SPDX-License-Identifier: MIT
// openipu: which OpenIPU this is, and where its documents, lessons and examples lie.
#include "base/Text.hpp"
#include "machine/Attributes.hpp"
#include "Tool.hpp"
#include <filesystem>

namespace {

// Of an SDK; none in a build folder.
std::vector<std::pair<std::string, std::filesystem::path>> places() {
  const auto bin = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const auto share = bin.parent_path() / "share" / "openipu";
  std::vector<std::pair<std::string, std::filesystem::path>> found;
  for (const auto &[name, path] : {std::pair{"documents", share / "docs"},
                                   {"lessons", share / "docs" / "lessons"},
                                   {"examples", share / "examples"},
                                   {"tools", bin}})
    if (std::filesystem::exists(share) && std::filesystem::exists(path))
      found.emplace_back(name, path);
  return found;
}

std::string work(bool json) {
  const auto version = machine::softwareVersion();
  const auto parts = places();
  if (json) {
    gctool::Json all{{"version", version}, {"interface", "3.3.0"}};
    for (const auto &[name, path] : parts)
      all[name] = path.string();
    return gctool::textOf(all);
  }
  auto text = base::str("OpenIPU ", version, ", with the interface of Poplar SDK 3.3.0\n");
  for (const auto &[name, path] : parts)
    text += base::str("  ", name, std::string(12 - name.size(), ' '), path.string(), "\n");
  return text + "Next: gc-info -l shows the simulated IPUs.\n";
}

} // namespace

int main(int argc, char **argv) {
  bool json = false;
  gctool::Tool tool("openipu", "Says which OpenIPU this is, and where its parts lie.");
  tool.json(json);
  return tool.run(argc, argv, [&] { return work(json); });
}
