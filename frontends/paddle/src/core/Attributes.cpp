// SPDX-License-Identifier: MIT
#include "core/Attributes.hpp"

#include "base/Text.hpp"
#include <algorithm>
#include <iterator>

namespace paddleipu {

namespace {

bool contains(const std::vector<std::string> &all, const std::string &name) {
  return std::find(all.begin(), all.end(), name) != all.end();
}

// On any operator.
const std::vector<std::string> common = {
    "op_role",   "op_role_var", "op_namescope",    "op_device", "op_callstack",
    "ipu_index", "ipu_stage",   "with_quant_attr", "is_test",   "trainable_statistics"};

// Read only under conditions that other attributes make, or about kernels of other devices.
const std::vector<std::string> &sometimes() {
  static const std::vector<std::string> names = [] {
    std::istringstream text(
        "adaptive add_sub align_corners align_mode allow_out_of_range alpha anchors "
        "approximate asvector axes axis begin_norm_axis beta bias bias_after_scale blank "
        "bool_values ceil_mode centered class_num clip_bbox coeff col conf_thresh "
        "data_format data_layout decrease_axis delta depth descending diag_num diag_step "
        "diag_val dilations dim dims downsample_ratio dropout_implementation "
        "dropout_prob dtype enable_scale_and_shift end end_axes end_axis ends epsilon "
        "exclusive expand_times factor first_n fix_seed flatten force_cpu fp32_values "
        "fuse_relu_before_depthwise_conv fuse_with_relu global_pooling grid_sizes groups "
        "high ignore_index in_dtype infer_flags input_dim_idx int32_values int64_values "
        "interp_method iou_aware iou_aware_factor is_distributed is_sparse is_src_index "
        "k keep_dim keepdim keepdims ksize lambda largest lazy_mode low lr_ratio margin "
        "max max_norm mean message min min_row_size_to_use_multithread mode momentum "
        "multi_precision norm_by_times normalize num num_flatten_dims "
        "numeric_stable_mode offset one_hot_depth out_d out_dtype out_h out_w "
        "output_dim_idx output_padding output_size overwrite p padding_algorithm "
        "padding_idx paddings per_activation pooling_type porder print_phase "
        "print_tensor_layout print_tensor_lod print_tensor_name print_tensor_shape "
        "print_tensor_type reduce_all reduction regularization_coeff "
        "regularization_method remote_prefetch rescale_grad reverse rho scale scale_a "
        "scale_b scale_x_y sections seed shape shape_op slope soft_label sorted start "
        "start_axis starts std step stop_axis str_value strides summarize t_max t_min "
        "target_shape threshold trans_x trans_y transpose_X transpose_Y use_cudnn "
        "use_global_stats use_mkldnn use_nesterov use_quantizer use_softmax value values "
        "weight_decay with_decay x_num_col_dims y_num_col_dims");
    return std::vector<std::string>{std::istream_iterator<std::string>(text), {}};
  }();
  return names;
}

} // namespace

void refuseUnknownAttributes(const Call &c, const std::set<std::string> &read) {
  for (const auto &attr : c.op().attrs()) {
    if (read.count(attr.name()) || contains(common, attr.name()) ||
        contains(sometimes(), attr.name()))
      continue;
    auto candidates = sometimes();
    candidates.insert(candidates.end(), read.begin(), read.end());
    c.fail("there is no attribute \"", attr.name(), "\".",
           base::didYouMean(attr.name(), candidates));
  }
}

void refuseFusions(const Call &c) {
  for (const auto &attr : c.op().attrs())
    if (attr.name().rfind("fuse_", 0) == 0 && attr.name() != "fuse_relu_before_depthwise_conv" &&
        (attr.b() || !attr.s().empty()))
      c.unimplemented("its attribute ", attr.name(),
                      " asks for another operator within it, which "
                      "is not there: save the model before it is optimised for another device.");
}

Attributes attributesOf(const Call &c) {
  Attributes out;
  for (const auto &attr : c.op().attrs()) {
    if (contains(common, attr.name()))
      continue;
    if (attr.type() == proto::STRINGS)
      out.set(attr.name(), c.texts(attr.name().c_str()));
    else if (auto value = frontend::attributeOf(argumentOf(attr)))
      out.set(attr.name(), std::move(*value));
    else
      c.unimplemented("its attribute ", attr.name(),
                      " is a block or a variable, which an operator of PopART cannot take.");
  }
  return out;
}

} // namespace paddleipu
