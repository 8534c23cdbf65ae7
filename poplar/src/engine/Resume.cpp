// SPDX-License-Identifier: MIT
#include "openipu/Resume.hpp"
#include "Access.hpp"
#include "backend/Changes.hpp"
#include "engine/EngineImpl.hpp"
#include <algorithm>
#include <cstring>

namespace poplar {

namespace {

// What handles stand for: flags by variable and by remote buffer of an image.
struct Named {
  std::vector<bool> variables, buffers;

  Named(const executable::Image &image, const openipu::Handles &handles)
      : variables(image.variables.size()) {
    const auto wanted = [&](const std::string &handle) {
      return std::find(handles.begin(), handles.end(), handle) != handles.end();
    };
    std::vector<bool> streams;
    for (const auto &stream : image.streams)
      streams.push_back(stream.toDevice && wanted(stream.handle));
    for (const auto &buffer : image.remoteBuffers)
      buffers.push_back(wanted(buffer.handle));
    for (const auto &step : image.steps)
      if (const auto *copy = executable::as<executable::step::HostToDevice>(step);
          copy && streams[copy->stream])
        for (const auto &move : copy->data)
          if (move.toVar != executable::none)
            variables[move.toVar] = true;
  }
};

} // namespace

bool Engine::Impl::resume() {
  const Turn turn(*this, "Engine::run");
  if (state != State::Loaded && state != State::Failed)
    return false;
  if (state == State::Failed && (deviceLost || apart() || !interpreter->isIntact()))
    return false;
  interpreter->resume();
  state = State::Loaded;
  return true;
}

void Engine::Impl::clear(const openipu::Handles &handles) {
  const Turn turn(*this, "Engine::run");
  const Named named(*image, handles);
  for (std::uint32_t v = 0; v < image->variables.size(); ++v) {
    if (!named.variables[v])
      continue;
    const auto &variable = image->variables[v];
    auto at = cleared.find(v);
    if (at == cleared.end())
      at = cleared
               .emplace(v, interpreter->view(tensor::wholeVariable({}, tensor::VarId{v},
                                                                   variable.type, variable.shape)))
               .first;
    const std::vector<std::byte> zeros(at->second.bytes());
    for (unsigned r = 0; r < replicas(); ++r)
      interpreter->write(at->second, r, zeros.data());
  }
  for (std::uint32_t b = 0; b < image->remoteBuffers.size(); ++b)
    for (unsigned r = 0; r < replicas() && named.buffers[b]; ++r) {
      const auto &remote = image->remoteBuffers[b];
      std::memset(remoteBuffer(b, r), 0, remote.elements * remote.repeats * sizeOf(remote.type));
    }
}

openipu::Changed Engine::Impl::changedByLastRun(const openipu::Handles &handles,
                                                std::uint64_t turns) {
  Named named(*image, handles);
  return backend::Changes(*image, std::move(named.variables), std::move(named.buffers))
      .until(interpreter->trail(), turns);
}

namespace openipu {

bool resume(Engine &engine) { return Access::impl(engine).resume(); }
void clear(Engine &engine, const Handles &handles) { Access::impl(engine).clear(handles); }
Changed changedByLastRun(const Engine &engine, const Handles &handles, std::uint64_t turns) {
  return Access::impl(engine).changedByLastRun(handles, turns);
}

} // namespace openipu
} // namespace poplar
