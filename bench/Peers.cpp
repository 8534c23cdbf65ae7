// SPDX-License-Identifier: MIT
#include "Peers.hpp"
#include "base/Threads.hpp"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <dlfcn.h>
#include <dnnl.hpp>
#include <memory>
#include <sstream>
#include <thread>
#include <vector>

extern "C" void omp_set_num_threads(int);

namespace bench {

Gemm openBlas() {
  // Both variants of the package install under this name.
  void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return {};
  using Sgemm =
      void (*)(int order, int transA, int transB, int m, int n, int k, float alpha, const float *a,
               int lda, const float *b, int ldb, float beta, float *c, int ldc);
  auto sgemm = reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
  if (!sgemm)
    return {};
  return [sgemm](std::size_t m, std::size_t n, std::size_t k, const float *a, const float *b,
                 float *c) {
    constexpr int rowMajor = 101, plain = 111;
    sgemm(rowMajor, plain, plain, int(m), int(n), int(k), 1, a, int(k), b, int(n), 0, c, int(n));
  };
}

namespace {

using namespace dnnl;
using Dims = memory::dims;

struct Bound { // a primitive with its memories, kept alive by the closure
  engine cpu{engine::kind::cpu, 0};
  stream queue{cpu};
  primitive work;
  std::unordered_map<int, memory> memories;
  void add(int argument, const memory::desc &desc) {
    memory m(desc, cpu);
    std::fill_n(static_cast<float *>(m.get_data_handle()), desc.get_size() / sizeof(float), 0.5f);
    memories.emplace(argument, m);
  }
};

std::function<void()> call(std::shared_ptr<Bound> bound) {
  return [bound] {
    bound->work.execute(bound->queue, bound->memories);
    bound->queue.wait();
  };
}

memory::desc desc(Dims dims, memory::format_tag tag) { return {dims, memory::data_type::f32, tag}; }

} // namespace

std::function<void()> dnnlMatMul(std::size_t m, std::size_t n, std::size_t k) {
  auto b = std::make_shared<Bound>();
  using tag = memory::format_tag;
  auto x = desc({long(m), long(k)}, tag::ab), w = desc({long(k), long(n)}, tag::ab),
       y = desc({long(m), long(n)}, tag::ab);
  matmul::primitive_desc pd(matmul::desc(x, w, y), b->cpu);
  b->work = matmul(pd);
  b->add(DNNL_ARG_SRC, x);
  b->add(DNNL_ARG_WEIGHTS, w);
  b->add(DNNL_ARG_DST, y);
  return call(b);
}

std::function<void()> dnnlConvolution(const ConvShape &s, ConvPass pass) {
  auto b = std::make_shared<Bound>();
  using tag = memory::format_tag;
  auto x = desc({s.batch, s.in, s.side, s.side}, tag::nhwc),
       y = desc({s.batch, s.out, s.outSide(), s.outSide()}, tag::nhwc),
       w = desc({s.out, s.in, s.kernel, s.kernel}, tag::any);
  const Dims stride{1, 1}, pad{s.pad, s.pad};
  convolution_forward::primitive_desc forward(
      {prop_kind::forward_training, algorithm::convolution_auto, x, w, y, stride, pad, pad},
      b->cpu);
  if (pass == ConvPass::Forward) {
    b->work = convolution_forward(forward);
    b->add(DNNL_ARG_SRC, x);
    b->add(DNNL_ARG_WEIGHTS, forward.weights_desc());
    b->add(DNNL_ARG_DST, y);
  } else if (pass == ConvPass::Data) {
    convolution_backward_data::primitive_desc pd(
        {algorithm::convolution_direct, x, w, y, stride, pad, pad}, b->cpu, forward);
    b->work = convolution_backward_data(pd);
    b->add(DNNL_ARG_DIFF_SRC, x);
    b->add(DNNL_ARG_WEIGHTS, pd.weights_desc());
    b->add(DNNL_ARG_DIFF_DST, y);
  } else {
    convolution_backward_weights::primitive_desc pd(
        {algorithm::convolution_direct, x, w, y, stride, pad, pad}, b->cpu, forward);
    b->work = convolution_backward_weights(pd);
    b->add(DNNL_ARG_SRC, x);
    b->add(DNNL_ARG_DIFF_WEIGHTS, pd.diff_weights_desc());
    b->add(DNNL_ARG_DIFF_DST, y);
  }
  return call(b);
}

static double timed(unsigned calls, const std::function<void()> &work) {
  work();
  const auto start = std::chrono::steady_clock::now();
  for (unsigned i = 0; i < calls; ++i)
    work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() / calls;
}

Beside beside(unsigned repeats, const std::function<void()> &ours,
              const std::function<void()> &peer) {
  constexpr unsigned rounds = 7;
  std::vector<double> a, b;
  std::thread([&] { // warm both, then take turns
    omp_set_num_threads(int(base::numThreads()));
    timed(1, peer);
  })
      .join();
  for (unsigned i = 0; i < rounds; ++i) {
    a.push_back(timed(repeats, ours));
    std::thread([&] {
      omp_set_num_threads(int(base::numThreads()));
      b.push_back(timed(repeats, peer));
    }).join();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  return {a[rounds / 2], b[rounds / 2]};
}

std::map<std::string, double> torchSeconds(const std::vector<std::string> &names) {
  std::string command =
      OPENIPU_PYTHON " " OPENIPU_BENCH "/torch_peer.py " + std::to_string(base::numThreads());
  for (const auto &name : names)
    command += " " + name;
  std::map<std::string, double> out;
  FILE *pipe = popen((command + " 2>/dev/null").c_str(), "r");
  char name[128];
  double value;
  while (pipe && std::fscanf(pipe, "%127s %lf", name, &value) == 2)
    out[name] = value;
  if (pipe)
    pclose(pipe);
  return out;
}

} // namespace bench
