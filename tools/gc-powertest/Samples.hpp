// SPDX-License-Identifier: MIT
// What the sensors of the cards of a device show. All of it is simulated: power is the energy
// model's, and the one temperature of a board or a die stands in the place of all its sensors.
#pragma once
#include "Tool.hpp"

namespace gcpower {

struct IpuSample {
  unsigned index = 0;  // on its card
  bool tested = false; // it belongs to the device
  double watts = 0, degrees = 0;
};

struct CardSample {
  std::string serial;
  double degrees = 0, megahertz = 0;
  std::vector<IpuSample> ipus; // by index

  double watts() const;
};

// Of the cards that the device stands on, now.
std::vector<CardSample> sampleOf(const machine::Domain &domain, const machine::Group &device);

std::string headerOf(const CardSample &card); // two lines
std::string lineOf(const CardSample &card, unsigned sample);
gctool::Json jsonOf(const CardSample &card);

} // namespace gcpower
