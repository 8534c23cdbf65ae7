// SPDX-License-Identifier: MIT
// The models whose compilation is measured, by name: cnn, resnet50-infer, resnet50, bert-base,
// bert-large.
#pragma once
#include "ModelGraphs.hpp"
#include <memory>
#include <popart/session.hpp>

namespace bench {

ModelGraph modelOf(const std::string &name);
std::unique_ptr<popart::Session> sessionOf(const std::string &name, ModelGraph model,
                                           popart::SessionOptions options);

} // namespace bench
