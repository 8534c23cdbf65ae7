// SPDX-License-Identifier: MIT
// The leaf steps of an image in the form in which backends get them (openipu/BoundStep.hpp).
#pragma once
#include "backend/Backend.hpp"
#include "backend/KernelUses.hpp"

namespace poplar::backend {

// `backend`: whose kernels they name.
std::vector<BoundStep> bindSteps(const executable::Image &image, const KernelUses &uses,
                                 const std::vector<std::uint32_t> &steps,
                                 const std::string &backend);

// All of a setup but the steps.
HostSetup setupOf(std::shared_ptr<const executable::Image> image, const arch::System &system,
                  const KernelUses &uses, const RunOptions &options, Host &host);

} // namespace poplar::backend
