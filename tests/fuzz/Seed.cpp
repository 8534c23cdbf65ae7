// SPDX-License-Identifier: MIT
// libFuzzer's start: puts the target's valid inputs into the first corpus folder on the command
// line, so that fuzzing begins behind the first check of the format that is current.
#include "Fuzz.hpp"
#include <filesystem>
#include <fstream>

extern "C" int LLVMFuzzerInitialize(int *argc, char ***argv) {
  for (int i = 1; i < *argc; ++i) {
    std::filesystem::path folder((*argv)[i]);
    if (!std::filesystem::is_directory(folder))
      continue;
    int number = 0;
    for (const auto &bytes : fuzz::validInputs())
      std::ofstream(folder / ("valid-" + std::to_string(number++)), std::ios::binary) << bytes;
    break;
  }
  return 0;
}
