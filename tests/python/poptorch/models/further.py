# SPDX-License-Identifier: MIT
"""More models of transformers and layers of torch_geometric, in the words of packages.py: whoever names one of these families
expects it to run as those do."""
import torch
from torch import nn

from packages import (Case, Named, _bert, _gpt, _graph, _llama, _picture, _pictures, _seq2seq, _text, _text_and_targets,
                      _transformer, edges, tokens)

_sound = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, conv_dim=[8, 8],
              conv_stride=[4, 2], conv_kernel=[8, 3], num_conv_pos_embeddings=4, num_conv_pos_embedding_groups=2,
              hidden_dropout=0.0, activation_dropout=0.0, attention_dropout=0.0, feat_proj_dropout=0.0, final_dropout=0.0,
              layerdrop=0.0, mask_time_prob=0.0, mask_feature_prob=0.0, vocab_size=11)
_t5 = dict(vocab_size=37, d_model=16, d_kv=8, d_ff=32, num_layers=2, num_heads=2, dropout_rate=0.0, decoder_start_token_id=0,
           pad_token_id=0, eos_token_id=1)
_experts = dict(num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16)


def _language(name, **settings):
    return _transformer(f"{name}ForCausalLM", f"{name}Config", _text(), **settings)


def _masked(name, **settings):
    return _transformer(f"{name}ForMaskedLM", f"{name}Config", _text(), **settings)


def _classes(name, size=12, **settings):
    return _transformer(f"{name}ForImageClassification", f"{name}Config", _pictures(size), **settings)


def _pair(model, name=None, **settings):
    return _transformer(model, f"{name or model.split('For')[0]}Config", _text_and_targets, **settings)


def _waves(name, **settings):
    return _transformer(f"{name}ForCTC", f"{name}Config", lambda: {"input_values": torch.rand(2, 200)}, **_sound, **settings)


def _siglip():
    import transformers
    text = dict(vocab_size=37, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
                max_position_embeddings=16, projection_size=16, bos_token_id=1, eos_token_id=2, pad_token_id=0)
    vision = dict(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, image_size=12, patch_size=4)
    model = transformers.SiglipModel(transformers.SiglipConfig(text_config=text, vision_config=vision))
    return Named(model, ["input_ids", "pixel_values"], "logits_per_text"), [tokens(2, 7), torch.rand(2, 3, 12, 12)]


_TRANSFORMERS = {
    # Encoders of text.
    "albert": _masked("Albert", **_bert, embedding_size=8, classifier_dropout_prob=0.0),
    "xlm-roberta": _masked("XLMRoberta", **_bert, pad_token_id=1),
    "camembert": _masked("Camembert", **_bert, pad_token_id=1),
    "mpnet": _masked("MPNet", **_bert, relative_attention_num_buckets=8, pad_token_id=1),
    "modernbert": _masked("ModernBert", vocab_size=37, hidden_size=16, intermediate_size=24, num_hidden_layers=2,
                          num_attention_heads=2, max_position_embeddings=32, local_attention=4, global_attn_every_n_layers=2,
                          pad_token_id=0, bos_token_id=1, eos_token_id=2, cls_token_id=1, sep_token_id=2),
    "fnet": _masked("FNet", vocab_size=37, hidden_size=16, num_hidden_layers=2, intermediate_size=32, hidden_dropout_prob=0.0,
                    max_position_embeddings=32, pad_token_id=0),
    "longformer": _transformer("LongformerForMaskedLM", "LongformerConfig", lambda: {"input_ids": tokens(2, 8)}, **_bert,
                               attention_window=[4, 4], pad_token_id=1),
    "big bird": _masked("BigBird", **_bert, attention_type="original_full"),
    "funnel": _masked("Funnel", vocab_size=37, d_model=16, n_head=2, d_head=8, d_inner=32, block_sizes=[1, 1],
                      num_decoder_layers=1, hidden_dropout=0.0, attention_dropout=0.0, activation_dropout=0.0),
    "layoutlm": _masked("LayoutLM", **_bert, max_2d_position_embeddings=16),
    "megatron": _masked("MegatronBert", **_bert),
    "bert classes": _transformer("BertForSequenceClassification", "BertConfig", _text(), **_bert, num_labels=3),
    "bert answers": _transformer("BertForQuestionAnswering", "BertConfig", _text(), output="start_logits", **_bert),
    # Languages, word by word.
    "falcon": _language("Falcon", vocab_size=37, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, hidden_dropout=0.0,
                        attention_dropout=0.0, bos_token_id=1, eos_token_id=2),
    "bloom": _language("Bloom", vocab_size=37, hidden_size=16, n_layer=2, n_head=2, hidden_dropout=0.0, attention_dropout=0.0,
                       bos_token_id=1, eos_token_id=2, pad_token_id=0),
    "mpt": _language("Mpt", vocab_size=37, d_model=16, n_heads=2, n_layers=2, expansion_ratio=2, max_seq_len=32),
    "phi": _language("Phi", **_llama, resid_pdrop=0.0, embd_pdrop=0.0, partial_rotary_factor=0.5),
    "phi3": _language("Phi3", **_llama, resid_pdrop=0.0, embd_pdrop=0.0),
    "stablelm": _language("StableLm", **_llama, partial_rotary_factor=0.5),
    "gemma2": _language("Gemma2", **_llama, head_dim=4, sliding_window=4, query_pre_attn_scalar=4),
    "gemma3": _transformer("Gemma3ForCausalLM", "Gemma3TextConfig", _text(), **_llama, head_dim=4, sliding_window=4,
                           query_pre_attn_scalar=4),
    "qwen3": _language("Qwen3", **_llama, head_dim=4),
    "qwen3 experts": _language("Qwen3Moe", **_llama, head_dim=4, **_experts),
    "qwen2 experts": _language("Qwen2Moe", **_llama, **_experts, shared_expert_intermediate_size=16),
    "olmo2": _language("Olmo2", **_llama), "olmo experts": _language("Olmoe", **_llama, num_experts=4, num_experts_per_tok=2),
    "cohere": _language("Cohere", **_llama), "granite": _language("Granite", **_llama),
    "starcoder2": _language("Starcoder2", **_llama, residual_dropout=0.0, embedding_dropout=0.0),
    "nemotron": _language("Nemotron", **_llama), "smollm3": _language("SmolLM3", **_llama),
    "glm": _language("Glm", **_llama, head_dim=4), "helium": _language("Helium", **_llama, head_dim=4),
    "gpt-oss": _language("GptOss", **_llama, head_dim=4, num_local_experts=4, num_experts_per_tok=2, sliding_window=4),
    "deepseek v3": _language("DeepseekV3", **{**_llama, "num_key_value_heads": 4}, moe_intermediate_size=16, n_routed_experts=4,
                             n_group=1, topk_group=1, num_experts_per_tok=2, first_k_dense_replace=1, kv_lora_rank=8,
                             q_lora_rank=8, qk_rope_head_dim=4, qk_nope_head_dim=4, v_head_dim=4),
    "gpt big code": _language("GPTBigCode", **_gpt),
    "gpt-neo": _language("GPTNeo", vocab_size=37, hidden_size=16, num_layers=2, attention_types=[[["global", "local"], 1]],
                         num_heads=2, window_size=4, max_position_embeddings=32, resid_dropout=0.0, embed_dropout=0.0,
                         attention_dropout=0.0, bos_token_id=1, eos_token_id=2),
    "codegen": _language("CodeGen", **_gpt, rotary_dim=4),
    "xglm": _language("XGLM", vocab_size=37, d_model=16, num_layers=2, attention_heads=2, ffn_dim=32, dropout=0.0,
                      attention_dropout=0.0, max_position_embeddings=32),
    "xlnet": _transformer("XLNetLMHeadModel", "XLNetConfig", _text(), vocab_size=37, d_model=16, n_layer=2, n_head=2,
                          d_inner=32, dropout=0.0),
    "mamba2": _language("Mamba2", vocab_size=37, hidden_size=16, num_heads=4, head_dim=8, state_size=8, n_groups=1, expand=2,
                        chunk_size=4, num_hidden_layers=2, bos_token_id=1, eos_token_id=2, pad_token_id=0),
    "falcon mamba": _language("FalconMamba", vocab_size=37, hidden_size=16, state_size=4, num_hidden_layers=2,
                              time_step_rank=2, bos_token_id=1, eos_token_id=2, pad_token_id=0),
    "rwkv": _language("Rwkv", vocab_size=37, hidden_size=16, num_hidden_layers=2, attention_hidden_size=16,
                      intermediate_size=32, context_length=32),
    "recurrent gemma": _language("RecurrentGemma", vocab_size=37, hidden_size=16, num_hidden_layers=3, num_attention_heads=2,
                                 intermediate_size=32, lru_width=16, attention_window_size=4, bos_token_id=1, eos_token_id=2,
                                 pad_token_id=0),
    # Pairs of an encoder and a decoder.
    "mt5": _pair("MT5ForConditionalGeneration", **_t5), "umt5": _pair("UMT5ForConditionalGeneration", **_t5),
    "long t5": _pair("LongT5ForConditionalGeneration", **_t5, local_radius=3),
    "pegasus": _pair("PegasusForConditionalGeneration", **_seq2seq, max_position_embeddings=32),
    "mbart": _pair("MBartForConditionalGeneration", **_seq2seq, max_position_embeddings=32),
    "marian": _pair("MarianMTModel", "Marian", **_seq2seq, max_position_embeddings=32, decoder_vocab_size=37),
    "blenderbot": _pair("BlenderbotForConditionalGeneration", **_seq2seq, max_position_embeddings=32),
    "m2m100": _pair("M2M100ForConditionalGeneration", **_seq2seq, max_position_embeddings=32),
    # Pictures.
    "deit": _classes("DeiT", **_picture),
    "beit": _classes("Beit", drop_path_rate=0.0, **_picture), "dinov2": _classes("Dinov2", **_picture),
    "vit msn": _classes("ViTMSN", **_picture), "yolos": _transformer(
        "YolosForObjectDetection", "YolosConfig", _pictures(12), **{**_picture, "image_size": [12, 12]},
        num_detection_tokens=3),
    "resnet": _classes("ResNet", 16, embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic", num_labels=5),
    "regnet": _classes("RegNet", 16, embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], groups_width=4, num_labels=5),
    "convnext v2": _classes("ConvNextV2", 16, hidden_sizes=[8, 16], depths=[1, 1], num_stages=2, patch_size=2,
                            drop_path_rate=0.0, num_labels=5),
    "swin v2": _classes("Swinv2", 16, image_size=16, patch_size=2, embed_dim=8, depths=[2, 2], num_heads=[2, 2], window_size=4,
                        drop_path_rate=0.0, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=5),
    "segformer": _classes("Segformer", 32, num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[8, 16],
                          patch_sizes=[7, 3], strides=[4, 2], num_attention_heads=[1, 2], mlp_ratios=[2, 2],
                          hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, classifier_dropout_prob=0.0,
                          drop_path_rate=0.0, num_labels=5),
    "poolformer": _classes("PoolFormer", 32, num_encoder_blocks=2, depths=[1, 1], hidden_sizes=[8, 16], patch_sizes=[7, 3],
                           strides=[4, 2], padding=[2, 1], mlp_ratio=2.0, drop_path_rate=0.0, num_labels=5),
    "mobilenet v2": _classes("MobileNetV2", 32, depth_multiplier=0.35, min_depth=8, classifier_dropout_prob=0.0, num_labels=5),
    "siglip": _siglip,
    # Sounds, and series.
    "hubert": _waves("Hubert"), "wavlm": _waves("WavLM", num_buckets=8, max_bucket_distance=16), "sew": _waves(
        "SEW", squeeze_factor=2),
    "audio spectrogram": _transformer("ASTForAudioClassification", "ASTConfig", lambda: {"input_values": torch.rand(2, 24, 16)},
                                      hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
                                      patch_size=8, frequency_stride=8, time_stride=8, max_length=24, num_mel_bins=16,
                                      hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=5),
    "patchtst": _transformer("PatchTSTForPrediction", "PatchTSTConfig", lambda: {"past_values": torch.rand(2, 16, 2)},
                             output="prediction_outputs", num_input_channels=2, context_length=16, patch_length=4,
                             patch_stride=4, d_model=16, num_hidden_layers=1, num_attention_heads=2, ffn_dim=32,
                             prediction_length=4, attention_dropout=0.0, positional_dropout=0.0, path_dropout=0.0,
                             ff_dropout=0.0, head_dropout=0.0, loss="mse"),
}


# ---- torch_geometric


def _layer(kind, *sizes, more=None, network=None, **settings):
    """A layer whose messages have numbers for each edge, too."""
    def make():
        from torch_geometric import nn as geometric
        torch.manual_seed(3)
        first = (network(),) if network else ()
        inputs = [torch.rand(7, 5), edges(7, 16)] + ([torch.rand(*more)] if more else [])
        return getattr(geometric, kind)(*sizes[:2 if network else None], *first, **settings), inputs
    return make


def _norm():
    from torch_geometric import nn as geometric

    class Normed(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.norm = geometric.GraphConv(5, 6), geometric.GraphNorm(6)
            self.batch, self.last = geometric.BatchNorm(6), nn.Linear(6, 2)

        def forward(self, x, edge_index, batch):
            x = self.norm(self.conv(x, edge_index), batch, 2).relu()
            return self.last(self.batch(x))

    return Normed(), [torch.rand(7, 5), edges(7, 16), torch.tensor([0, 0, 0, 1, 1, 1, 1])]


def _attentive():
    from torch_geometric import nn as geometric

    class Attentive(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = geometric.SAGEConv(5, 6)
            self.pool = geometric.aggr.AttentionalAggregation(nn.Linear(6, 1))

        def forward(self, x, edge_index, batch):
            return self.pool(self.conv(x, edge_index), batch, dim_size=2)

    return Attentive(), [torch.rand(7, 5), edges(7, 16), torch.tensor([0, 0, 0, 1, 1, 1, 1])]


_GEOMETRIC = {
    "SG": _graph("SGConv", 5, 6, K=2, add_self_loops=False), "TAG": _graph("TAGConv", 5, 6),
    "ARMA": _graph("ARMAConv", 5, 6), "Leaky": _graph("LEConv", 5, 6), "Gated": _graph("ResGatedGraphConv", 5, 6),
    "Cluster": _graph("ClusterGCNConv", 5, 6, add_self_loops=False), "Edge": _layer(
        "EdgeConv", network=lambda: nn.Sequential(nn.Linear(10, 6), nn.ReLU())),
    "CG": _layer("CGConv", 5, dim=3, more=(16, 3)),
    "GINE": _layer("GINEConv", network=lambda: nn.Linear(5, 6), edge_dim=3, more=(16, 3)),
    "NN": _layer("NNConv", 5, 6, network=lambda: nn.Linear(3, 30), more=(16, 3)),
    "weighted GCN": _layer("GCNConv", 5, 6, add_self_loops=False, more=(16,)),
    "weighted Graph": _layer("GraphConv", 5, 6, more=(16,)),
    "whole GAT": _graph("GAT", 5, 8, 2, 6, add_self_loops=False), "whole SAGE": _graph("GraphSAGE", 5, 8, 2, 6, jk="cat"),
    "whole GIN": _graph("GIN", 5, 8, 2, 6), "norms": _norm, "attentive pool": _attentive,
}

CASES = {f"transformers {name}": Case(make, "transformers") for name, make in _TRANSFORMERS.items()}
CASES.update({f"torch_geometric {name}": Case(make, "torch_geometric") for name, make in _GEOMETRIC.items()})
