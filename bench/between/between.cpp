// SPDX-License-Identifier: MIT
// openipu-between, started twice by mpirun: an all-reduce of 100 MB beside MPI_Allreduce of the
// same numbers, taking turns, and what a collective of one number costs. Instance 0 prints the
// medians: wall seconds of ours and of MPI's, processor seconds of both, then the seconds of a
// small one.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <exception>
#include <functional>
#include <gcl/Collectives.hpp>
#include <mpi.h>
#include <openipu/TargetDifferences.hpp>
#include <poplar/Engine.hpp>
#include <poplar/IPUModel.hpp>
#include <poplar/Program.hpp>
#include <poputil/TileMapping.hpp>
#include <vector>

namespace {

using namespace poplar;

double now(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

struct Times {
  std::vector<double> wall, processor;
  void measure(const std::function<void()> &work) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double w = now(CLOCK_MONOTONIC), p = now(CLOCK_PROCESS_CPUTIME_ID);
    work();
    double spent[] = {now(CLOCK_MONOTONIC) - w, now(CLOCK_PROCESS_CPUTIME_ID) - p};
    MPI_Allreduce(MPI_IN_PLACE, spent, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    wall.push_back(spent[0]);
    processor.push_back(spent[1]);
  }
};
double median(std::vector<double> v) {
  std::sort(v.begin(), v.end());
  return v[v.size() / 2];
}

struct Reduced {
  Device device;
  Engine engine;

  static Device model() {
    IPUModel m;
    auto device = m.createDevice();
    device.attach();
    return device;
  }
  // `turns` collectives of n numbers in a run.
  static Executable compiled(const Device &device, unsigned all, std::size_t n, unsigned turns) {
    Graph graph(openipu::targetOfAll(device.getTarget(), 1, all), replication_factor(all));
    auto t = graph.addVariable(FLOAT, {n});
    poputil::mapTensorLinearly(graph, t);
    program::Sequence body;
    gcl::allReduceInPlaceCrossReplica(graph, t, gcl::CollectiveOperator::MEAN, body);
    return compileGraph(graph, {program::Repeat(turns, body)},
                        {{"debug.allowOutOfMemory", "true"}});
  }
  Reduced(unsigned rank, unsigned all, std::size_t n, unsigned turns)
      : device(model()), engine(compiled(device, all, n, turns),
                                {{"target.firstRuntimeReplica", std::to_string(rank)},
                                 {"target.numberRuntimeReplica", "1"}}) {
    engine.load(device);
  }
};

} // namespace

int main(int argc, char **argv) try {
  int level = 0; // as programs have it: what goes on beside compute needs it
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  int rank = 0, size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  constexpr std::size_t n = 100'000'000 / sizeof(float);
  constexpr unsigned repeats = 15, turns = 2000;
  Times ours, mpi, small;
  {
    Reduced large(unsigned(rank), unsigned(size), n, 1);
    std::vector<float> values(n, 1);
    for (unsigned i = 0; i <= repeats; ++i) {
      ours.measure([&] { large.engine.run(0); });
      mpi.measure([&] {
        MPI_Allreduce(MPI_IN_PLACE, values.data(), int(n), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
      });
    }
  }
  Reduced one(unsigned(rank), unsigned(size), 1, turns);
  for (unsigned i = 0; i <= repeats; ++i)
    small.measure([&] { one.engine.run(0); });
  for (auto *times : {&ours, &mpi, &small}) { // the first is thrown away
    times->wall.erase(times->wall.begin());
    times->processor.erase(times->processor.begin());
  }
  if (rank == 0)
    std::printf("%g %g %g %g %g\n", median(ours.wall), median(mpi.wall), median(ours.processor),
                median(mpi.processor), median(small.wall) / turns);
  MPI_Finalize();
  return 0;
} catch (const std::exception &e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 1;
}
