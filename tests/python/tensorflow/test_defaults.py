# SPDX-License-Identifier: MIT
"""Constructors of Keras, one by one: names, order and values of their arguments."""
import inspect

import pytest
from tensorflow import keras

OF_KERNEL = ("kernel_initializer='glorot_uniform', bias_initializer='zeros', kernel_regularizer=None, bias_regularizer=None, "
             "activity_regularizer=None, kernel_constraint=None, bias_constraint=None")
OF_SEPARABLE = ("depthwise_initializer='glorot_uniform', pointwise_initializer='glorot_uniform', bias_initializer='zeros', "
                "depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, "
                "depthwise_constraint=None, pointwise_constraint=None, bias_constraint=None")
OF_CELL = ("kernel_initializer='glorot_uniform', recurrent_initializer='orthogonal', bias_initializer='zeros', "
           "{forget}kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, "
           "{activity}kernel_constraint=None, "
           "recurrent_constraint=None, bias_constraint=None, dropout=0.0, recurrent_dropout=0.0")
OF_RNN = "return_sequences=False, return_state=False, go_backwards=False, stateful=False"


def cell(forget="", activity=""):
    return OF_CELL.format(forget=forget, activity=activity)


ACTIVITY, FORGET = "activity_regularizer=None, ", "unit_forget_bias=True, "
GATES = "units, activation='tanh', recurrent_activation='sigmoid', use_bias=True, "
BOTH = "beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None"
LAYERS = {
    "Dense": f"units, activation=None, use_bias=True, {OF_KERNEL}",
    "Activation": "activation", "Dropout": "rate, noise_shape=None, seed=None", "Flatten": "data_format=None",
    "Reshape": "target_shape", "Permute": "dims", "RepeatVector": "n",
    "Lambda": "function, output_shape=None, mask=None, arguments=None",
    "Conv1D": f"filters, kernel_size, strides=1, padding='valid', data_format='channels_last', dilation_rate=1, groups=1, "
              f"activation=None, use_bias=True, {OF_KERNEL}",
    "Conv2D": f"filters, kernel_size, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1), groups=1, "
              f"activation=None, use_bias=True, {OF_KERNEL}",
    "Conv3D": f"filters, kernel_size, strides=(1, 1, 1), padding='valid', data_format=None, dilation_rate=(1, 1, 1), "
              f"groups=1, activation=None, use_bias=True, {OF_KERNEL}",
    "Conv1DTranspose": f"filters, kernel_size, strides=1, padding='valid', output_padding=None, data_format=None, "
                       f"dilation_rate=1, activation=None, use_bias=True, {OF_KERNEL}",
    "Conv2DTranspose": f"filters, kernel_size, strides=(1, 1), padding='valid', output_padding=None, data_format=None, "
                       f"dilation_rate=(1, 1), activation=None, use_bias=True, {OF_KERNEL}",
    "Conv3DTranspose": f"filters, kernel_size, strides=(1, 1, 1), padding='valid', output_padding=None, data_format=None, "
                       f"dilation_rate=(1, 1, 1), activation=None, use_bias=True, {OF_KERNEL}",
    "DepthwiseConv2D": "kernel_size, strides=(1, 1), padding='valid', depth_multiplier=1, data_format=None, "
                       "dilation_rate=(1, 1), activation=None, use_bias=True, depthwise_initializer='glorot_uniform', "
                       "bias_initializer='zeros', depthwise_regularizer=None, bias_regularizer=None, "
                       "activity_regularizer=None, depthwise_constraint=None, bias_constraint=None",
    "SeparableConv1D": f"filters, kernel_size, strides=1, padding='valid', data_format=None, dilation_rate=1, "
                       f"depth_multiplier=1, activation=None, use_bias=True, {OF_SEPARABLE}",
    "SeparableConv2D": f"filters, kernel_size, strides=(1, 1), padding='valid', data_format=None, dilation_rate=(1, 1), "
                       f"depth_multiplier=1, activation=None, use_bias=True, {OF_SEPARABLE}",
    "MaxPooling1D": "pool_size=2, strides=None, padding='valid', data_format='channels_last'",
    "MaxPooling2D": "pool_size=(2, 2), strides=None, padding='valid', data_format=None",
    "MaxPooling3D": "pool_size=(2, 2, 2), strides=None, padding='valid', data_format=None",
    "AveragePooling1D": "pool_size=2, strides=None, padding='valid', data_format='channels_last'",
    "AveragePooling2D": "pool_size=(2, 2), strides=None, padding='valid', data_format=None",
    "AveragePooling3D": "pool_size=(2, 2, 2), strides=None, padding='valid', data_format=None",
    "GlobalMaxPooling1D": "data_format='channels_last', keepdims=False",
    "GlobalAveragePooling2D": "data_format=None, keepdims=False",
    "GlobalAveragePooling3D": "data_format=None, keepdims=False",
    "BatchNormalization": "axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True, beta_initializer='zeros', "
                          "gamma_initializer='ones', moving_mean_initializer='zeros', moving_variance_initializer='ones', "
                          + BOTH,
    "LayerNormalization": "axis=-1, epsilon=0.001, center=True, scale=True, beta_initializer='zeros', "
                          "gamma_initializer='ones', " + BOTH,
    "SpatialDropout1D": "rate", "SpatialDropout2D": "rate, data_format=None", "SpatialDropout3D": "rate, data_format=None",
    "GaussianNoise": "stddev", "GaussianDropout": "rate", "AlphaDropout": "rate, noise_shape=None, seed=None",
    "ActivityRegularization": "l1=0.0, l2=0.0",
    "Embedding": "input_dim, output_dim, embeddings_initializer='uniform', embeddings_regularizer=None, "
                 "activity_regularizer=None, embeddings_constraint=None, mask_zero=False, input_length=None",
    "Masking": "mask_value=0.0",
    "SimpleRNNCell": "units, activation='tanh', use_bias=True, " + cell(), "LSTMCell": GATES + cell(FORGET),
    "GRUCell": GATES + cell() + ", reset_after=True",
    "SimpleRNN": f"units, activation='tanh', use_bias=True, {cell('', ACTIVITY)}, {OF_RNN}, unroll=False",
    "LSTM": f"{GATES}{cell(FORGET, ACTIVITY)}, {OF_RNN}, time_major=False, unroll=False",
    "GRU": f"{GATES}{cell('', ACTIVITY)}, {OF_RNN}, unroll=False, time_major=False, reset_after=True",
    "RNN": f"cell, {OF_RNN}, unroll=False, time_major=False", "StackedRNNCells": "cells",
    "Bidirectional": "layer, merge_mode='concat', weights=None, backward_layer=None", "TimeDistributed": "layer",
    "Attention": "use_scale=False", "AdditiveAttention": "use_scale=True",
    "MultiHeadAttention": f"num_heads, key_dim, value_dim=None, dropout=0.0, use_bias=True, output_shape=None, "
                          f"attention_axes=None, {OF_KERNEL}",
    "Add": "", "Subtract": "", "Multiply": "", "Average": "", "Maximum": "", "Minimum": "", "Concatenate": "axis=-1",
    "Dot": "axes, normalize=False", "LeakyReLU": "alpha=0.3", "ELU": "alpha=1.0", "ThresholdedReLU": "theta=1.0",
    "PReLU": "alpha_initializer='zeros', alpha_regularizer=None, alpha_constraint=None, shared_axes=None",
    "Softmax": "axis=-1", "ReLU": "max_value=None, negative_slope=0.0, threshold=0.0",
    "ZeroPadding1D": "padding=1", "ZeroPadding2D": "padding=(1, 1), data_format=None",
    "ZeroPadding3D": "padding=(1, 1, 1), data_format=None", "Cropping1D": "cropping=(1, 1)",
    "Cropping2D": "cropping=((0, 0), (0, 0)), data_format=None",
    "Cropping3D": "cropping=((1, 1), (1, 1), (1, 1)), data_format=None", "UpSampling1D": "size=2",
    "UpSampling2D": "size=(2, 2), data_format=None, interpolation='nearest'",
    "UpSampling3D": "size=(2, 2, 2), data_format=None",
    "Rescaling": "scale, offset=0.0", "Resizing": "height, width, interpolation='bilinear'", "CenterCrop": "height, width",
    "Normalization": "axis=-1, mean=None, variance=None", "RandomFlip": "mode='horizontal_and_vertical', seed=None"}
AT = "num_thresholds=200, class_id=None, name=None, dtype=None"
ADAM = "learning_rate=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-7, "
OTHERS = {
    "optimizers": {
        "SGD": "learning_rate=0.01, momentum=0.0, nesterov=False, name='SGD'", "Adam": ADAM + "amsgrad=False, name='Adam'",
        "Adamax": ADAM + "name='Adamax'", "Nadam": ADAM + "name='Nadam'",
        "RMSprop": "learning_rate=0.001, rho=0.9, momentum=0.0, epsilon=1e-7, centered=False, name='RMSprop'",
        "Adagrad": "learning_rate=0.001, initial_accumulator_value=0.1, epsilon=1e-7, name='Adagrad'",
        "Adadelta": "learning_rate=0.001, rho=0.95, epsilon=1e-7, name='Adadelta'",
        "Ftrl": "learning_rate=0.001, learning_rate_power=-0.5, initial_accumulator_value=0.1, l1_regularization_strength=0.0, "
                "l2_regularization_strength=0.0, name='Ftrl', l2_shrinkage_regularization_strength=0.0, beta=0.0"},
    "optimizers.schedules": {
        "ExponentialDecay": "initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None",
        "InverseTimeDecay": "initial_learning_rate, decay_steps, decay_rate, staircase=False, name=None",
        "PiecewiseConstantDecay": "boundaries, values, name=None",
        "PolynomialDecay": "initial_learning_rate, decay_steps, end_learning_rate=0.0001, power=1.0, cycle=False, name=None",
        "CosineDecay": "initial_learning_rate, decay_steps, alpha=0.0, name=None",
        "CosineDecayRestarts": "initial_learning_rate, first_decay_steps, t_mul=2.0, m_mul=1.0, alpha=0.0, name=None"},
    "losses": {
        "MeanSquaredError": "reduction='auto', name='mean_squared_error'",
        "MeanAbsoluteError": "reduction='auto', name='mean_absolute_error'",
        "MeanAbsolutePercentageError": "reduction='auto', name='mean_absolute_percentage_error'",
        "MeanSquaredLogarithmicError": "reduction='auto', name='mean_squared_logarithmic_error'",
        "BinaryCrossentropy": "from_logits=False, label_smoothing=0, axis=-1, reduction='auto', name='binary_crossentropy'",
        "CategoricalCrossentropy": "from_logits=False, label_smoothing=0, axis=-1, reduction='auto', "
                                   "name='categorical_crossentropy'",
        "SparseCategoricalCrossentropy": "from_logits=False, reduction='auto', name='sparse_categorical_crossentropy'",
        "Hinge": "reduction='auto', name='hinge'", "SquaredHinge": "reduction='auto', name='squared_hinge'",
        "CategoricalHinge": "reduction='auto', name='categorical_hinge'", "Poisson": "reduction='auto', name='poisson'",
        "LogCosh": "reduction='auto', name='log_cosh'", "KLDivergence": "reduction='auto', name='kl_divergence'",
        "Huber": "delta=1.0, reduction='auto', name='huber_loss'",
        "CosineSimilarity": "axis=-1, reduction='auto', name='cosine_similarity'"},
    "metrics": {
        "Mean": "name='mean', dtype=None", "Sum": "name='sum', dtype=None", "Accuracy": "name='accuracy', dtype=None",
        "MeanTensor": "name='mean_tensor', dtype=None, shape=None",
        "BinaryAccuracy": "name='binary_accuracy', dtype=None, threshold=0.5",
        "CategoricalAccuracy": "name='categorical_accuracy', dtype=None",
        "SparseCategoricalAccuracy": "name='sparse_categorical_accuracy', dtype=None",
        "TopKCategoricalAccuracy": "k=5, name='top_k_categorical_accuracy', dtype=None",
        "SparseTopKCategoricalAccuracy": "k=5, name='sparse_top_k_categorical_accuracy', dtype=None",
        "TruePositives": "thresholds=None, name=None, dtype=None", "FalseNegatives": "thresholds=None, name=None, dtype=None",
        "Precision": "thresholds=None, top_k=None, class_id=None, name=None, dtype=None",
        "Recall": "thresholds=None, top_k=None, class_id=None, name=None, dtype=None",
        "AUC": "num_thresholds=200, curve='ROC', summation_method='interpolation', name=None, dtype=None, thresholds=None, "
               "multi_label=False, num_labels=None, label_weights=None, from_logits=False",
        "SensitivityAtSpecificity": "specificity, " + AT, "SpecificityAtSensitivity": "sensitivity, " + AT,
        "PrecisionAtRecall": "recall, " + AT, "RecallAtPrecision": "precision, " + AT,
        "MeanIoU": "num_classes, name=None, dtype=None", "MeanSquaredError": "name='mean_squared_error', dtype=None",
        "RootMeanSquaredError": "name='root_mean_squared_error', dtype=None",
        "MeanAbsoluteError": "name='mean_absolute_error', dtype=None",
        "CosineSimilarity": "name='cosine_similarity', dtype=None, axis=-1", "LogCoshError": "name='logcosh', dtype=None",
        "KLDivergence": "name='kullback_leibler_divergence', dtype=None", "Poisson": "name='poisson', dtype=None",
        "BinaryCrossentropy": "name='binary_crossentropy', dtype=None, from_logits=False, label_smoothing=0",
        "CategoricalCrossentropy": "name='categorical_crossentropy', dtype=None, from_logits=False, label_smoothing=0",
        "SparseCategoricalCrossentropy": "name='sparse_categorical_crossentropy', dtype=None, from_logits=False, axis=-1",
        "MeanRelativeError": "normalizer, name=None, dtype=None", "Hinge": "name='hinge', dtype=None"},
    "initializers": {
        "Constant": "value=0", "RandomNormal": "mean=0.0, stddev=0.05, seed=None",
        "RandomUniform": "minval=-0.05, maxval=0.05, seed=None", "TruncatedNormal": "mean=0.0, stddev=0.05, seed=None",
        "VarianceScaling": "scale=1.0, mode='fan_in', distribution='truncated_normal', seed=None",
        "Orthogonal": "gain=1.0, seed=None", "Identity": "gain=1.0", "GlorotUniform": "seed=None", "GlorotNormal": "seed=None",
        "HeUniform": "seed=None", "HeNormal": "seed=None", "LecunUniform": "seed=None", "LecunNormal": "seed=None"},
    "regularizers": {"L1": "l1=0.01", "L2": "l2=0.01", "L1L2": "l1=0.0, l2=0.0", "l1_l2": "l1=0.01, l2=0.01"},
    "constraints": {"MaxNorm": "max_value=2, axis=0", "UnitNorm": "axis=0",
                    "MinMaxNorm": "min_value=0.0, max_value=1.0, rate=1.0, axis=0"},
    "activations": {"relu": "x, alpha=0.0, max_value=None, threshold=0.0", "elu": "x, alpha=1.0", "softmax": "x, axis=-1",
                    "gelu": "x, approximate=False"}}
ROWS = [("layers", name, text) for name, text in LAYERS.items()] + [
    (module, name, text) for module, names in OTHERS.items() for name, text in names.items()]


def arguments(thing):
    parameters = inspect.signature(thing).parameters.values()
    return [(p.name, p.default) for p in parameters if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]


@pytest.mark.parametrize("module,name,text", ROWS, ids=lambda v: v if len(v) < 40 else "")
def test_arguments(module, name, text):
    space = {}
    exec(f"def keras({text}): pass", space)
    thing = keras
    for part in f"{module}.{name}".split("."):
        thing = getattr(thing, part)
    plain = {"name", "trainable", "dtype", "dynamic"} if module == "layers" and not text else set()
    assert [a for a in arguments(thing) if a[0] not in plain] == arguments(space["keras"])


FIT = {
    "compile": "optimizer='rmsprop', loss=None, metrics=None, loss_weights=None, weighted_metrics=None, run_eagerly=None, "
               "steps_per_execution=None",
    "fit": "x=None, y=None, batch_size=None, epochs=1, verbose='auto', callbacks=None, validation_split=0.0, "
           "validation_data=None, shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0, steps_per_epoch=None, "
           "validation_steps=None, validation_batch_size=None, validation_freq=1, max_queue_size=10, workers=1, "
           "use_multiprocessing=False",
    "evaluate": "x=None, y=None, batch_size=None, verbose=1, sample_weight=None, steps=None, callbacks=None, "
                "max_queue_size=10, workers=1, use_multiprocessing=False, return_dict=False",
    "predict": "x, batch_size=None, verbose=0, steps=None, callbacks=None, max_queue_size=10, workers=1, "
               "use_multiprocessing=False"}


@pytest.mark.parametrize("name", FIT)
def test_arguments_of_a_model(name):
    space = {}
    exec(f"def keras(self, {FIT[name]}): pass", space)
    assert arguments(getattr(keras.Model, name)) == arguments(space["keras"])


def test_every_layer_has_a_row():
    """Aliases and what others are made of aside."""
    aside = {"InputSpec", "Layer", "Wrapper", "InputLayer", "CategoryEncoding", "OperationLayer"}
    for name in keras.layers.__all__:
        thing = getattr(keras.layers, name)
        if not isinstance(thing, type) or thing.__name__ != name or name in aside or "Global" in name:
            continue
        assert name in LAYERS, name


def test_names_of_layers():
    keras.backend.clear_session()
    for kind, name in ((keras.layers.Dense(1), "dense"), (keras.layers.Conv2D(1, 1), "conv2d"),
                       (keras.layers.MaxPooling2D(), "max_pooling2d"),
                       (keras.layers.BatchNormalization(), "batch_normalization"),
                       (keras.layers.LSTM(1), "lstm"), (keras.layers.GRU(1), "gru"), (keras.layers.SimpleRNN(1), "simple_rnn"),
                       (keras.layers.ReLU(), "re_lu"), (keras.layers.LeakyReLU(), "leaky_re_lu"),
                       (keras.layers.PReLU(), "p_re_lu"),
                       (keras.layers.ELU(), "elu"), (keras.layers.Conv2DTranspose(1, 1), "conv2d_transpose"),
                       (keras.layers.GlobalAveragePooling2D(), "global_average_pooling2d"),
                       (keras.layers.ZeroPadding2D(), "zero_padding2d"), (keras.layers.UpSampling2D(), "up_sampling2d"),
                       (keras.layers.DepthwiseConv2D(1), "depthwise_conv2d"), (keras.layers.Dense(1), "dense_1")):
        assert kind.name == name
