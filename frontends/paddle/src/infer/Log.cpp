// SPDX-License-Identifier: MIT
#include "infer/Log.hpp"

#include <chrono>
#include <cstdio>
#include <ctime>
#include <unistd.h>

namespace paddle_infer {

namespace {

// glog's line: level, month, day, time, thread, place.
void line(char level, const char *place, const std::string &text) {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::system_clock::to_time_t(now);
  const auto micros =
      std::chrono::duration_cast<std::chrono::microseconds>(now.time_since_epoch()).count() %
      1000000;
  std::tm local{};
  localtime_r(&seconds, &local);
  std::fprintf(stderr, "%c%02d%02d %02d:%02d:%02d.%06ld %5d %s] %s\n", level, local.tm_mon + 1,
               local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec, long(micros),
               int(gettid()), place, text.c_str());
}
void info(const char *place, const std::string &text) { line('I', place, text); }
void analysis(const char *pass) { std::fprintf(stderr, "--- Running analysis [%s]\n", pass); }

} // namespace

void logWarning(const std::string &text) { line('W', "analysis_predictor.cc:1024", text); }
void logAnalysis() {
  analysis("ir_graph_build_pass");
  analysis("ir_graph_clean_pass");
  analysis("ir_analysis_pass");
  std::fprintf(stderr, "--- Running IR pass [inference_process_pass]\n");
}
void logExecutor(const std::vector<std::string> &feeds, const std::vector<std::string> &fetches) {
  info("ir_analysis_pass.cc:46", "argument has no fuse statis");
  analysis("ir_params_sync_among_devices_pass");
  analysis("adjust_cudnn_workspace_size_pass");
  analysis("inference_op_replace_pass");
  analysis("ir_graph_to_program_pass");
  info("analysis_predictor.cc:1024", "======= optimize end =======");
  for (auto it = feeds.rbegin(); it != feeds.rend(); ++it)
    info("naive_executor.cc:102", "---  skip [feed], feed -> " + *it);
  for (const auto &name : fetches)
    info("naive_executor.cc:102", "---  skip [" + name + "], fetch -> fetch");
}

} // namespace paddle_infer
