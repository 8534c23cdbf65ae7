// SPDX-License-Identifier: MIT
// What every example needs: an attached device, and a verdict that becomes the exit code.
#pragma once
#include <cmath>
#include <iostream>
#include <poplar/DeviceManager.hpp>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

// The first simulated IPU (or group of IPUs) that no other program holds.
inline poplar::Device attachIpu(unsigned numIPUs = 1) {
  auto manager = poplar::DeviceManager::createDeviceManager();
  for (auto &device : manager.getDevices(poplar::TargetType::IPU, numIPUs))
    if (device.attach())
      return std::move(device);
  throw std::runtime_error("No simulated IPU is free. Raise OPENIPU_NUM_IPUS to have more.");
}

inline int verdict(bool ok, const std::string &what) {
  std::cout << (ok ? "ok: " : "WRONG: ") << what << "\n";
  return ok ? 0 : 1;
}

inline bool isNear(const std::vector<float> &a, const std::vector<float> &b, float tolerance) {
  for (std::size_t i = 0; i < a.size() && i < b.size(); ++i)
    if (!(std::fabs(a[i] - b[i]) <= tolerance * (1 + std::fabs(b[i]))))
      return false;
  return a.size() == b.size();
}
