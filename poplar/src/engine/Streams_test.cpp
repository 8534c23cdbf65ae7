// SPDX-License-Identifier: MIT
#include "base/testing/Message.hpp"
#include "engine/Streams.hpp"
#include "poplar/exceptions.hpp"
#include <cstring>
#include <gtest/gtest.h>
#include <thread>

using namespace poplar;
using namespace poplar::engine;

namespace {

executable::Image imageWith(unsigned replicas, bool broadcast, unsigned depth = 1) {
  executable::Image image;
  image.replicationFactor = replicas;
  image.streams.push_back({"in", TypeId::Int, 2, true, broadcast, depth});
  image.streams.push_back({"out", TypeId::Int, 2, false, false, 1});
  return image;
}

// Delivers (n, n) for n = 0, 1, ...; advances when a transfer is complete, as stateful callbacks
// must.
struct Counter : StreamCallback {
  explicit Counter(std::string &log, int available = 1000) : log(log), available(available) {}
  Result prefetch(void *p) override {
    log += 'p';
    if (next >= available)
      return Result::NotAvailable;
    write(p, next++);
    return Result::Success;
  }
  void fetch(void *p) override {
    log += 'f';
    next = done;
    write(p, next++);
  }
  void complete() override {
    log += 'c';
    ++done;
  }
  void invalidatePrefetched() override {
    log += 'i';
    next = done;
  }
  static void write(void *p, int value) {
    int both[2] = {value, value};
    std::memcpy(p, both, sizeof both);
  }
  std::string &log;
  int available, next = 0, done = 0;
};

int transfer(Streams &streams, unsigned replica = 0) {
  int value;
  std::memcpy(&value, streams.beginRead(0, replica), sizeof value);
  streams.endRead(0, replica);
  return value;
}

template <class Work> std::string failure(Work work) {
  return base::testing::messageOf<stream_connection_error>(work);
}

} // namespace

TEST(Streams, CircularBuffersAdvanceAndWrap) {
  auto image = imageWith(1, false);
  Streams streams(image, image.replicationFactor);
  int data[] = {0, 0, 1, 1, 2, 2};
  streams.connect("in", data, data + 6);
  for (int expected : {0, 1, 2, 0, 1})
    EXPECT_EQ(transfer(streams), expected);
  streams.connect("in", data + 2);
  EXPECT_EQ(transfer(streams), 1);
  EXPECT_EQ(transfer(streams), 1);
}

TEST(Streams, ReplicasHaveTheirOwnPartOfABuffer) {
  auto image = imageWith(2, false);
  Streams streams(image, image.replicationFactor);
  int data[] = {0, 0, 1, 1, 2, 2, 3, 3};
  streams.connect("in", data, data + 8);
  EXPECT_EQ(transfer(streams, 0), 0);
  EXPECT_EQ(transfer(streams, 1), 2);
  EXPECT_EQ(transfer(streams, 0), 1);
  EXPECT_EQ(transfer(streams, 1), 3);
  EXPECT_EQ(transfer(streams, 0), 0);
}

TEST(Streams, SizesThatAreNoMultipleAreRefused) {
  auto image = imageWith(2, false);
  Streams streams(image, image.replicationFactor);
  int data[6];
  auto text = failure([&] { streams.connect("in", data, data + 6); });
  for (auto part : {"\"in\"", "2 elements", "24 bytes", "multiple of 16"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  EXPECT_NE(failure([&] { streams.connect("in", data, data); }), "no error");
}

TEST(Streams, UnknownAndUnconnectedStreamsAreNamed) {
  auto image = imageWith(1, false);
  Streams streams(image, image.replicationFactor);
  EXPECT_NE(failure([&] { streams.connect("int", nullptr); }).find("Did you mean \"in\""),
            std::string::npos);
  auto text = failure([&] { streams.beginRead(0, 0); });
  EXPECT_NE(text.find("\"in\""), std::string::npos);
  EXPECT_NE(text.find("connectStream"), std::string::npos);
}

TEST(Streams, WithoutPrefetchEveryTransferFetches) {
  auto image = imageWith(1, false);
  Streams streams(image, image.replicationFactor);
  std::string log;
  streams.connect("in", std::make_unique<Counter>(log));
  EXPECT_EQ(transfer(streams), 0);
  EXPECT_EQ(transfer(streams), 1);
  streams.endRun();
  EXPECT_EQ(log, "fcfc");
}

TEST(Streams, DataThatLieReadyAreReadWhereTheyAre) {
  static const int ready[] = {7, 7, 8, 8};
  struct Ready : openipu::DirectSource { // every other transfer lies ready
    explicit Ready(std::string &log) : log(log) {}
    const void *data() override {
      log += 'd';
      return done % 2 ? nullptr : ready + done;
    }
    Result prefetch(void *) override {
      log += 'p';
      return Result::NotAvailable;
    }
    void fetch(void *p) override {
      log += 'f';
      Counter::write(p, 100 + done);
    }
    void complete() override {
      log += 'c';
      ++done;
    }
    std::string &log;
    int done = 0;
  };
  auto image = imageWith(1, false);
  Streams streams(image, image.replicationFactor);
  streams.configure({.prefetch = true});
  std::string log;
  streams.connect("in", std::make_unique<Ready>(log));
  EXPECT_EQ(static_cast<const void *>(streams.beginRead(0, 0)), ready);
  streams.endRead(0, 0);
  EXPECT_EQ(transfer(streams), 101);
  EXPECT_EQ(transfer(streams), 8);
  streams.endRun();
  EXPECT_EQ(log, "dcdfcpdc");
}

TEST(Streams, PrefetchedDataAreUsedAndTheRestIsInvalidated) {
  auto image = imageWith(1, false);
  Streams streams(image, image.replicationFactor);
  streams.configure({.prefetch = true});
  std::string log;
  streams.connect("in", std::make_unique<Counter>(log));
  EXPECT_EQ(transfer(streams), 0);
  EXPECT_EQ(transfer(streams), 1);
  streams.endRun();
  EXPECT_EQ(log, "fcpcpi");
  EXPECT_EQ(transfer(streams), 2);
}

TEST(Streams, BufferingDepthAllowsSeveralPrefetches) {
  auto image = imageWith(1, false, 3);
  Streams streams(image, image.replicationFactor);
  streams.configure({.prefetch = true});
  std::string log;
  streams.connect("in", std::make_unique<Counter>(log));
  for (int i = 0; i < 10; ++i)
    EXPECT_EQ(transfer(streams), i);
  EXPECT_EQ(log.substr(0, 7), "fcpppcp");
  streams.configure({.prefetch = true, .maxLookahead = 1});
  streams.connect("in", std::make_unique<Counter>(log));
  log.clear();
  EXPECT_EQ(transfer(streams), 0);
  EXPECT_EQ(log, "fcp");
}

TEST(Streams, FetchIsCalledWhenPrefetchHadNothing) {
  auto image = imageWith(1, false);
  Streams streams(image, image.replicationFactor);
  streams.configure({.prefetch = true});
  std::string log;
  streams.connect("in", std::make_unique<Counter>(log, 0));
  EXPECT_EQ(transfer(streams), 0);
  EXPECT_EQ(transfer(streams), 1);
  EXPECT_EQ(log, "fcpfcp");
}

TEST(Streams, ReconnectingInvalidates) {
  auto image = imageWith(1, false);
  Streams streams(image, image.replicationFactor);
  streams.configure({.prefetch = true});
  std::string first, second;
  streams.connect("in", std::make_unique<Counter>(first));
  transfer(streams);
  streams.connect("in", std::make_unique<Counter>(second));
  EXPECT_EQ(first, "fcpi");
  EXPECT_EQ(transfer(streams), 0);
}

TEST(Streams, BroadcastStreamsHaveOneEndpoint) {
  auto image = imageWith(4, true);
  Streams streams(image, image.replicationFactor);
  int data[] = {7, 7};
  streams.connect("in", data, data + 2);
  EXPECT_EQ(transfer(streams), 7);
  std::string log;
  EXPECT_NE(
      failure([&] { streams.connect("in", 1, std::make_unique<Counter>(log)); }).find("broadcast"),
      std::string::npos);
}

TEST(Streams, OutputCallbacksReceiveTheData) {
  auto image = imageWith(1, false);
  Streams streams(image, image.replicationFactor);
  int seen = 0;
  streams.connect(
      "out", StreamCallbackHandle([&](void *p) { std::memcpy(&seen, p, sizeof seen); }).release());
  Counter::write(streams.beginWrite(1, 0), 42);
  streams.endWrite(1, 0);
  EXPECT_EQ(seen, 42);
}

TEST(Streams, OtherThreadsDeliverTheSameData) {
  for (auto mode : {CallbackMode::Collaborative, CallbackMode::Dedicated}) {
    auto image = imageWith(1, false, 2);
    Streams streams(image, image.replicationFactor);
    streams.configure({.prefetch = true, .mode = mode, .threads = 2});
    std::string log;
    streams.connect("in", std::make_unique<Counter>(log));
    for (int i = 0; i < 50; ++i)
      ASSERT_EQ(transfer(streams), i);
    streams.endRun(); // a prefetch may still be on its way to the log
  }
}
