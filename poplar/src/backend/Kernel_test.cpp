// SPDX-License-Identifier: MIT
#include "backend/InterpreterTest.hpp"
#include "backend/Kernels.hpp"
#include "base/FloatMode.hpp"
#include "base/testing/Message.hpp"
#include "base/Threads.hpp"
#include "openipu/Attributes.hpp"
#include "openipu/Kernel.hpp"
#include "poplar/exceptions.hpp"
#include "tensor/View.hpp"
#include <gtest/gtest.h>

using namespace poplar;
using namespace poplar::backend;
using namespace poplar::backend::testing;

namespace {

// out = in * attribute; one dimension, any strides.
void scale(const KernelArgs &args) {
  const auto &in = args.inputs[0], &out = args.outputs[0];
  int factor = args.attributes[0] - '0';
  for (std::size_t i = 0; i < in.elements; ++i)
    out.as<int>()[std::int64_t(i) * out.strides[0]] =
        factor * in.as<int>()[std::int64_t(i) * in.strides[0]];
}

// out = in * 1e-10.
void shrink(const KernelArgs &args) {
  base::parallelFor(args.inputs[0].elements, 1, [&](std::size_t begin, std::size_t end, unsigned) {
    for (auto i = begin; i < end; ++i)
      args.out<float>(0)[i] = args.in<float>(0)[i] * 1e-10f;
  });
}

const openipu::Registered registeredScale{{.name = "test.scale", .run = scale}},
    registeredShrink{{.name = "test.shrink", .run = shrink}},
    registeredElsewhere{{.name = "test.scale", .run = scale, .backend = "test.other"}};

void addKernel(Builder &b, tensor::View out, tensor::View in, const char *name = "test.scale") {
  executable::step::Kernel kernel;
  kernel.name = name;
  kernel.attributes = "3";
  kernel.outputs = {{std::move(out), false}};
  kernel.inputs = {std::move(in)};
  b.put(std::move(kernel));
}

} // namespace

TEST(Kernel, RunsOnContiguousAndStridedOperands) {
  Builder b;
  auto in = b.ints({1, 2, 3, 4}), out = b.variable(2);
  addKernel(b, b.view(out), tensor::reverse(tensor::subSample(b.view(in), 2, 0), 0));
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(out), (std::vector<int>{9, 3}));
}

TEST(Kernel, IrregularViewsAreGatheredAndScattered) {
  Builder b;
  auto in = b.ints({1, 2, 3, 4, 5}), out = b.variable(6);
  auto a = tensor::slice(b.view(in), 0, 2, 0), c = tensor::slice(b.view(in), 4, 5, 0);
  auto x = tensor::slice(b.view(out), 5, 6, 0), y = tensor::slice(b.view(out), 0, 2, 0);
  addKernel(b, tensor::concat({&x, &y}, 0), tensor::concat({&a, &c}, 0));
  Loaded loaded(b);
  loaded.run();
  EXPECT_EQ(loaded.ints(out), (std::vector<int>{6, 15, 0, 0, 0, 3}));
}

TEST(Kernel, FloatDenormalsAreZeroAndTheCallersModeStays) {
  Builder b;
  // A product that is denormal, one that is normal, and an operand that is denormal.
  auto in = b.values<float>({1e-30f, 1e-20f, 1e-40f}, TypeId::Float);
  auto out = b.variable(3, TypeId::Float);
  addKernel(b, b.view(out), b.view(in), "test.shrink");
  Loaded loaded(b);
  const auto mode = base::floatMode();
  loaded.run();
  EXPECT_EQ(base::floatMode(), mode);
  EXPECT_EQ(loaded.read<float>(out), (std::vector<float>{0, 1e-20f * 1e-10f, 0}));
}

TEST(Kernel, UnknownNamesAreRefusedWhenLoading) {
  Builder b;
  auto v = b.ints({1});
  addKernel(b, b.view(v), b.view(v), "test.scal");
  try {
    Loaded loaded(b);
    FAIL();
  } catch (const poplar_error &error) {
    EXPECT_NE(std::string(error.what()).find("Did you mean \"test.scale\""), std::string::npos);
  }
}

TEST(Kernel, TheSameNameTwiceForABackendNamesBothPlaces) {
  const auto first = openipu::SourcePlace::here();
  registerKernel({.name = "test.twice", .run = scale}, first);
  registerKernel({.name = "test.twice", .run = scale, .backend = "test.other"});
  const auto second = openipu::SourcePlace::here();
  try {
    registerKernel({.name = "test.twice", .run = shrink}, second);
    FAIL();
  } catch (const poplar_error &error) {
    const std::string text = error.what();
    for (const auto &part :
         {base::str("Kernel_test.cpp:", first.line), base::str("Kernel_test.cpp:", second.line),
          std::string("\"test.twice\" of backend \"cpu\"")})
      EXPECT_NE(text.find(part), std::string::npos) << text;
  }
  EXPECT_EQ(findKernel("test.twice").run, &scale);
}

TEST(Kernel, WhatABackendLacksIsTheHosts) {
  EXPECT_EQ(implementationOf("test.scale", "cpu").where, Where::Here);
  EXPECT_EQ(implementationOf("test.scale", "test.other").where, Where::Here);
  EXPECT_NE(implementationOf("test.scale", "test.other").kernel, &findKernel("test.scale"));
  const auto host = implementationOf("test.shrink", "test.other");
  EXPECT_EQ(host.where, Where::Host);
  EXPECT_EQ(host.kernel, &findKernel("test.shrink"));
}

TEST(Attributes, AreReadInTheOrderInWhichTheyWereWritten) {
  struct Pair {
    std::uint16_t a, b;
  };
  const std::vector<Pair> pairs{{1, 2}, {3, 4}};
  const auto bytes =
      openipu::AttributeWriter().put(1.5f).put(pairs).put(std::string("text")).put(true).take();
  openipu::AttributeReader in(bytes);
  EXPECT_EQ(in.get<float>(), 1.5f);
  EXPECT_EQ(in.getVector<Pair>()[1].b, 4);
  EXPECT_EQ(in.getString(), "text");
  EXPECT_FALSE(in.empty());
  EXPECT_TRUE(in.get<bool>());
  EXPECT_TRUE(in.empty());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(base::testing::messageOf<std::runtime_error>([&] {
                openipu::AttributeReader part(std::string_view(bytes).substr(0, size));
                part.get<float>(), part.getVector<Pair>(), part.getString(), part.get<bool>();
              }),
              "The attributes of a kernel end too early: the executable is damaged, or was written "
              "by another version. Compile it again.");
}
