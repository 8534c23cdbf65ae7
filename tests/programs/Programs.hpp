// SPDX-License-Identifier: MIT
// What every test of a whole program needs: a small graph on a model, and running it.
#pragma once
#include <gtest/gtest.h>
#include <numeric>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <sstream>

namespace programs {

inline poplar::Device smallModel(unsigned tiles = 4, unsigned ipus = 1) {
  poplar::IPUModel model;
  model.tilesPerIPU = tiles;
  model.numIPUs = ipus;
  return model.createDevice();
}

inline void addCodelets(poplar::Graph &graph, const std::string &body) {
  std::stringstream source("#include <poplar/Vertex.hpp>\nusing namespace poplar;\n" + body);
  graph.addCodelets(source);
}

template <class T> std::vector<T> iota(std::size_t n, T start = 0) {
  std::vector<T> out(n);
  std::iota(out.begin(), out.end(), start);
  return out;
}

template <class T>
std::vector<T> read(poplar::Engine &engine, const std::string &handle, std::size_t n) {
  std::vector<T> out(n);
  engine.readTensor(handle, out.data(), out.data() + n);
  return out;
}

} // namespace programs
