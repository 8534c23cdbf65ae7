// SPDX-License-Identifier: MIT
#include "paddle_inference_api.h"

#include "base/Text.hpp"
#include "format/Files.hpp"
#include <algorithm>
#include <filesystem>
#include <functional>
#include <sstream>

namespace paddle_infer {

namespace {

using paddleipu::FileError;

// The one file of a folder with this ending.
std::string only(const std::string &folder, const std::string &ending) {
  std::string found;
  std::error_code problem;
  for (const auto &entry : std::filesystem::directory_iterator(folder, problem)) {
    if (entry.path().extension() != ending)
      continue;
    if (!found.empty())
      throw FileError("The folder " + folder + " has several " + ending +
                      " files. Name the two files of the model.");
    found = entry.path().string();
  }
  if (found.empty())
    throw FileError("The folder " + folder + " has no " + ending +
                    " file: it is not there, or holds no model of "
                    "paddle.static.save_inference_model.");
  return found;
}

void positive(const char *name, int value) {
  if (value < 1)
    throw popart::error("{} must be at least 1, not {}.", name, value);
}

std::string trimmed(const std::string &text) {
  const auto from = text.find_first_not_of(" \t\r"), to = text.find_last_not_of(" \t\r");
  return from == std::string::npos ? "" : text.substr(from, to - from + 1);
}
bool truth(const std::string &text) {
  std::string lower = text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return char(std::tolower(c)); });
  if (lower == "true" || lower == "1")
    return true;
  if (lower == "false" || lower == "0")
    return false;
  throw std::invalid_argument("neither true nor false");
}

} // namespace

Config::Config(const std::string &model_dir) { SetModel(model_dir); }
Config::Config(const std::string &prog_file, const std::string &params_file) {
  SetModel(prog_file, params_file);
}
void Config::SetModel(const std::string &model_dir) {
  SetModel(only(model_dir, ".pdmodel"), only(model_dir, ".pdiparams"));
}
void Config::SetModel(const std::string &prog_file, const std::string &params_file) {
  prog_file_ = prog_file;
  params_file_ = params_file;
  from_memory_ = false;
}
void Config::SetModelBuffer(const char *prog, std::size_t prog_size, const char *params,
                            std::size_t params_size) {
  prog_.assign(prog, prog_size);
  params_.assign(params, params_size);
  from_memory_ = true;
}

void Config::EnableIpu(int ipu_device_num, int ipu_micro_batch_size, bool ipu_enable_pipelining,
                       int ipu_batches_per_step) {
  positive("ipu_device_num", ipu_device_num);
  positive("ipu_micro_batch_size", ipu_micro_batch_size);
  positive("ipu_batches_per_step", ipu_batches_per_step);
  if (ipu_enable_pipelining && ipu_batches_per_step < ipu_device_num)
    throw popart::error(
        "A pipeline over ipu_device_num={} IPUs needs ipu_batches_per_step >= {}, not {}.",
        ipu_device_num, ipu_device_num, ipu_batches_per_step);
  use_ipu_ = true;
  device_num_ = ipu_device_num;
  micro_batch_ = ipu_micro_batch_size;
  pipelining_ = ipu_enable_pipelining;
  batches_ = ipu_batches_per_step;
}
void Config::SetIpuConfig(bool ipu_enable_fp16, int ipu_replica_num,
                          float ipu_available_memory_proportion, bool ipu_enable_half_partial,
                          bool ipu_enable_model_runtime_executor) {
  positive("ipu_replica_num", ipu_replica_num);
  if (!(ipu_available_memory_proportion > 0 && ipu_available_memory_proportion <= 1))
    throw popart::error("ipu_available_memory_proportion must be above 0 and at most 1, not {}.",
                        ipu_available_memory_proportion);
  fp16_ = ipu_enable_fp16;
  replicas_ = ipu_replica_num;
  memory_proportion_ = ipu_available_memory_proportion;
  half_partial_ = ipu_enable_half_partial;
  model_runtime_ = ipu_enable_model_runtime_executor;
}
void Config::SetIpuCustomInfo(const std::vector<std::vector<std::string>> &ipu_custom_ops_info,
                              const std::map<std::string, bool> &ipu_custom_patterns) {
  for (const auto &info : ipu_custom_ops_info)
    if (info.size() != 4)
      throw popart::error(
          "ipu_custom_ops_info needs [paddle_op, popart_op, domain, version] each, not {} texts.",
          info.size());
  custom_ops_ = ipu_custom_ops_info;
  patterns_ = ipu_custom_patterns;
}

void Config::LoadIpuConfig(const std::string &config_path) {
  std::istringstream lines(paddleipu::contentsOf(config_path, "IPU configuration"));
  Config next = *this;
  const std::map<std::string, std::function<void(const std::string &)>> known{
      {"ipu_device_num", [&](const std::string &v) { next.device_num_ = std::stoi(v); }},
      {"ipu_micro_batch_size", [&](const std::string &v) { next.micro_batch_ = std::stoi(v); }},
      {"ipu_enable_pipelining", [&](const std::string &v) { next.pipelining_ = truth(v); }},
      {"ipu_batches_per_step", [&](const std::string &v) { next.batches_ = std::stoi(v); }},
      {"ipu_enable_fp16", [&](const std::string &v) { next.fp16_ = truth(v); }},
      {"ipu_replica_num", [&](const std::string &v) { next.replicas_ = std::stoi(v); }},
      {"ipu_available_memory_proportion",
       [&](const std::string &v) { next.memory_proportion_ = std::stof(v); }},
      {"ipu_enable_half_partial", [&](const std::string &v) { next.half_partial_ = truth(v); }},
      {"ipu_enable_model_runtime_executor",
       [&](const std::string &v) { next.model_runtime_ = truth(v); }}};
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (trimmed(line).empty())
      continue;
    const auto comma = line.find(',');
    const auto name = trimmed(line.substr(0, comma));
    const auto it = known.find(name);
    const auto where = base::str(config_path, ":", number, ": ");
    if (comma == std::string::npos || it == known.end())
      throw popart::error(where + "\"" + line +
                          "\" is no line \"name, value\" of an IPU configuration.");
    try {
      it->second(trimmed(line.substr(comma + 1)));
    } catch (const std::exception &) {
      throw popart::error(where + name + " cannot be \"" + trimmed(line.substr(comma + 1)) + "\".");
    }
  }
  next.EnableIpu(next.device_num_, next.micro_batch_, next.pipelining_, next.batches_);
  positive("ipu_replica_num", next.replicas_);
  *this = next;
}

std::string Config::Summary() const {
  return base::str("model file: ", from_memory_ ? "memory" : prog_file_,
                   "\nparams file: ", from_memory_ ? "memory" : params_file_,
                   "\nuse_ipu: ", use_ipu_ ? "true" : "false", "\nipu_device_num: ", device_num_,
                   "\nipu_micro_batch_size: ", micro_batch_,
                   "\nipu_enable_pipelining: ", pipelining_ ? "true" : "false",
                   "\nipu_batches_per_step: ", batches_,
                   "\nipu_enable_fp16: ", fp16_ ? "true" : "false",
                   "\nipu_replica_num: ", replicas_, "\n");
}

} // namespace paddle_infer
