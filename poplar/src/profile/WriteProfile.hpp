// SPDX-License-Identifier: MIT
// From an image and what ran to profile.pop (tables: pva/Schema.hpp). A file appears whole or not
// at all; whatever goes wrong with it ends in poplar_error naming the path and the remedy.
#pragma once
#include "arch/System.hpp"
#include "executable/Image.hpp"
#include "poplar/TargetType.hpp"
#include "profile/Recorder.hpp"
#include "pva/pva.hpp"

namespace poplar::profile {

struct ProfileSource {
  const executable::Image *image;
  const arch::System *system; // the whole device
  TargetType targetType = TargetType::IPU_MODEL;
  const Recorder *recorder = nullptr; // null: the execution is left out
  bool loweredVars = false; // autoReport.outputLoweredVars, autoReport.all: placement per tile
  std::map<std::string, std::string> options = {}; // of the engine, as shown to readers
};

// Makes the directory if it is missing.
void writeProfile(const std::string &path, const ProfileSource &source);
// Makes the folder of a report's file, as autoReport.directory promises; poplar_error.
const std::string &inReportDirectory(const std::string &path);

// The same without a file: what Engine::getReport returns, and the summary is made of.
pva::Report makeReport(const ProfileSource &source);

} // namespace poplar::profile
