# SPDX-License-Identifier: MIT
"""Models of transformers and torch_geometric with random weights, as small as their configurations allow, and things that
only new versions of torch have. Each is a Case, which imports what it needs when it is made."""
import torch
import torch.nn.functional as F
from torch import nn

import poptorch
from layers import attention


class Case:
    """make(): a module and its inputs. package: what it needs. train: whether a step of training is tried too."""

    def __init__(self, make, package, train=True, bound=1e-4):
        self.make, self.package, self.train, self.bound = make, package, train, bound


def tokens(*shape, words=37):
    return torch.randint(3, words, shape)


def edges(nodes, n):
    return torch.randint(0, nodes, (2, n))


# ---- transformers


class Named(nn.Module):
    """A model whose inputs have names, and of whose outputs one counts."""

    def __init__(self, model, names, output, fixed=None):
        super().__init__()
        self.model, self.names, self.output, self.fixed = model, names, output, fixed or {}

    def forward(self, *inputs):
        return self.model(**dict(zip(self.names, inputs)), **self.fixed)[self.output]


def _transformer(kind, config, inputs, output="logits", fixed=None, model=None, **settings):
    def make():
        import transformers
        made = getattr(transformers, config)(**settings)
        made.use_cache = False
        given = inputs()
        return Named(getattr(transformers, model or kind)(made), list(given), output, fixed), list(given.values())
    return make


def _text(**more):
    return lambda: {"input_ids": tokens(2, 9), **more}


def _padded():
    return {"input_ids": tokens(2, 9), "attention_mask": torch.tensor([[1] * 9, [1] * 6 + [0] * 3])}


_bert = dict(vocab_size=37, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32,
             max_position_embeddings=32, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
_gpt = dict(vocab_size=37, n_embd=16, n_layer=2, n_head=2, n_positions=32, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
            bos_token_id=1, eos_token_id=2)
_llama = dict(vocab_size=37, hidden_size=16, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
              intermediate_size=24, max_position_embeddings=32, attention_dropout=0.0, bos_token_id=1, eos_token_id=2,
              pad_token_id=0)
_seq2seq = dict(vocab_size=37, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
                decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, dropout=0.0, attention_dropout=0.0,
                activation_dropout=0.0, encoder_layerdrop=0.0, decoder_layerdrop=0.0, bos_token_id=1, eos_token_id=2,
                pad_token_id=0, decoder_start_token_id=1)
_picture = dict(hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, image_size=12, patch_size=4,
                hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, num_labels=5)


def _pictures(size):
    return lambda: {"pixel_values": torch.rand(2, 3, size, size)}


def _text_and_targets():
    return {"input_ids": tokens(2, 7), "decoder_input_ids": tokens(2, 5)}


def _clip():
    import transformers
    text = {key: value for key, value in _llama.items() if key not in ("num_key_value_heads",)}
    vision = dict(hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, image_size=12, patch_size=4)
    made = transformers.CLIPConfig(text_config={**text, "eos_token_id": 2}, vision_config=vision, projection_dim=8)
    model = transformers.CLIPModel(made)
    return Named(model, ["input_ids", "pixel_values"], "logits_per_text"), [tokens(2, 7), torch.rand(2, 3, 12, 12)]


_TRANSFORMERS = {
    "bert": _transformer("BertForMaskedLM", "BertConfig", _text(), **_bert),
    "bert padded": _transformer("BertForMaskedLM", "BertConfig", _padded, **_bert),
    "roberta": _transformer("RobertaForMaskedLM", "RobertaConfig", _text(), **_bert, pad_token_id=1),
    "distilbert": _transformer("DistilBertForMaskedLM", "DistilBertConfig", _text(), vocab_size=37, dim=16, n_layers=2,
                               n_heads=2, hidden_dim=32, max_position_embeddings=32, dropout=0.0, attention_dropout=0.0),
    "electra": _transformer("ElectraForMaskedLM", "ElectraConfig", _text(), **_bert, embedding_size=8),
    "deberta-v2": _transformer("DebertaV2ForMaskedLM", "DebertaV2Config", _text(), **_bert, relative_attention=True,
                               position_buckets=8, norm_rel_ebd="layer_norm", share_att_key=True, pos_att_type=["p2c", "c2p"],
                               pooler_dropout=0.0, type_vocab_size=0),
    "gpt2": _transformer("GPT2LMHeadModel", "GPT2Config", _text(), **_gpt),
    "gpt2 padded": _transformer("GPT2LMHeadModel", "GPT2Config", _padded, **_gpt),
    "gpt-j": _transformer("GPTJForCausalLM", "GPTJConfig", _text(), **_gpt, rotary_dim=4),
    "gpt-neox": _transformer("GPTNeoXForCausalLM", "GPTNeoXConfig", _text(), vocab_size=37, hidden_size=16, num_hidden_layers=2,
                             num_attention_heads=2, intermediate_size=32, max_position_embeddings=32, hidden_dropout=0.0,
                             attention_dropout=0.0, bos_token_id=1, eos_token_id=2),
    "llama": _transformer("LlamaForCausalLM", "LlamaConfig", _text(), **_llama),
    "llama padded": _transformer("LlamaForCausalLM", "LlamaConfig", _padded, **_llama),
    "llama eager": _transformer("LlamaForCausalLM", "LlamaConfig", _text(), **_llama, attn_implementation="eager"),
    "mistral": _transformer("MistralForCausalLM", "MistralConfig", _text(), **_llama, sliding_window=4),
    "qwen2": _transformer("Qwen2ForCausalLM", "Qwen2Config", _text(), **_llama),
    "gemma": _transformer("GemmaForCausalLM", "GemmaConfig", _text(), **_llama, head_dim=4),
    "opt": _transformer("OPTForCausalLM", "OPTConfig", _text(), vocab_size=37, hidden_size=16, num_hidden_layers=2, ffn_dim=32,
                        num_attention_heads=2, max_position_embeddings=32, word_embed_proj_dim=16, dropout=0.0,
                        attention_dropout=0.0, layerdrop=0.0, bos_token_id=1, eos_token_id=2, pad_token_id=0),
    "mixtral": _transformer("MixtralForCausalLM", "MixtralConfig", _text(), **_llama, num_local_experts=4,
                            num_experts_per_tok=2),
    "mixtral batched": _transformer("MixtralForCausalLM", "MixtralConfig", _text(), **_llama, num_local_experts=4,
                                    num_experts_per_tok=2, experts_implementation="batched_mm"),
    "mamba": _transformer("MambaForCausalLM", "MambaConfig", _text(), vocab_size=37, hidden_size=16, state_size=4,
                          num_hidden_layers=2, time_step_rank=2, bos_token_id=1, eos_token_id=2, pad_token_id=0),
    "t5": _transformer("T5ForConditionalGeneration", "T5Config", _text_and_targets, vocab_size=37, d_model=16, d_kv=8, d_ff=32,
                       num_layers=2, num_heads=2, dropout_rate=0.0, decoder_start_token_id=0, pad_token_id=0, eos_token_id=1),
    "bart": _transformer("BartForConditionalGeneration", "BartConfig", _text_and_targets, **_seq2seq,
                         max_position_embeddings=32),
    "vit": _transformer("ViTForImageClassification", "ViTConfig", _pictures(12), **_picture),
    "swin": _transformer("SwinForImageClassification", "SwinConfig", _pictures(16), image_size=16, patch_size=2, embed_dim=8,
                         depths=[2, 2], num_heads=[2, 2], window_size=4, drop_path_rate=0.0, hidden_dropout_prob=0.0,
                         attention_probs_dropout_prob=0.0, num_labels=5),
    "convnext": _transformer("ConvNextForImageClassification", "ConvNextConfig", _pictures(16), hidden_sizes=[8, 16],
                             depths=[1, 1], num_stages=2, patch_size=2, drop_path_rate=0.0, num_labels=5),
    "wav2vec2": _transformer("Wav2Vec2ForCTC", "Wav2Vec2Config", lambda: {"input_values": torch.rand(2, 200)}, vocab_size=11,
                             hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=32, conv_dim=[8, 8],
                             conv_stride=[4, 2], conv_kernel=[8, 3], num_conv_pos_embeddings=4,
                             num_conv_pos_embedding_groups=2, hidden_dropout=0.0, activation_dropout=0.0, attention_dropout=0.0,
                             feat_proj_dropout=0.0, final_dropout=0.0, layerdrop=0.0, mask_time_prob=0.0,
                             mask_feature_prob=0.0),
    "whisper": _transformer("WhisperForConditionalGeneration", "WhisperConfig", lambda: {
        "input_features": torch.rand(2, 8, 32), "decoder_input_ids": tokens(2, 5)}, **_seq2seq, num_mel_bins=8,
        max_source_positions=16, max_target_positions=16),
    "clip": _clip,
}


class Whole(nn.Module):
    """A model whose result is a ModelOutput, as it is."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids):
        return self.model(input_ids)


def _whole_output():
    import transformers
    return Whole(transformers.BertModel(transformers.BertConfig(**_bert))), [tokens(2, 9)]


def _whole_with_cache():
    """What a causal model gives unless told otherwise: its keys and values too."""
    import transformers
    return Whole(transformers.LlamaForCausalLM(transformers.LlamaConfig(**_llama))), [tokens(2, 9)]


def _own_loss():
    """The loss that the model works out of labels."""
    module, given = _TRANSFORMERS["llama"]()
    module.names, module.output = ["input_ids", "labels"], "loss"
    return module, [*given, given[0].clone()]


def _generation():
    """Four steps with a cache of fixed size, which buffers hold."""
    import transformers

    class Steps(nn.Module):
        def __init__(self):
            super().__init__()
            config = transformers.LlamaConfig(**_llama)
            self.model = transformers.LlamaForCausalLM(config)
            self.cache = transformers.StaticCache(config=config, max_cache_len=8)
            self.cache.early_initialization(batch_size=1, num_heads=2, head_dim=4, dtype=torch.float,
                                            device=torch.device("cpu"))
            for i, layer in enumerate(self.cache.layers):
                self.register_buffer(f"keys{i}", layer.keys)
                self.register_buffer(f"values{i}", layer.values)

        def forward(self, token):
            for layer in self.cache.layers:
                layer.keys.zero_()
                layer.values.zero_()
            out = []
            for step in range(4):
                position = torch.tensor([step], device=token.device)
                logits = self.model(input_ids=token, past_key_values=self.cache, cache_position=position,
                                    position_ids=position[None], use_cache=True).logits
                token = logits[:, -1:].argmax(-1)
                out.append(logits)
            return torch.cat(out, 1)

    return Steps(), [tokens(1, 1)]


# ---- torch_geometric


def _graph(kind, *sizes, **settings):
    def make():
        from torch_geometric import nn as geometric
        if kind == "GINConv":
            sizes_ = (nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 6)),)
        else:
            sizes_ = sizes
        return getattr(geometric, kind)(*sizes_, **settings), [torch.rand(7, 5), edges(7, 16)]
    return make


def _pooled():
    from torch_geometric import nn as geometric

    class Pooled(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = geometric.SAGEConv(5, 6)

        def forward(self, x, edge_index, batch):
            x = self.conv(x, edge_index)
            return torch.cat([geometric.global_mean_pool(x, batch, 2), geometric.global_max_pool(x, batch, 2),
                              geometric.global_add_pool(x, batch, 2)], -1)

    return Pooled(), [torch.rand(7, 5), edges(7, 16), torch.tensor([0, 0, 0, 1, 1, 1, 1])]


def _messages():
    from torch_geometric import nn as geometric

    class Own(geometric.MessagePassing):
        def __init__(self):
            super().__init__(aggr="mean")
            self.linear = nn.Linear(10, 6)

        def forward(self, x, edge_index):
            return self.propagate(edge_index, x=x)

        def message(self, x_i, x_j):
            return self.linear(torch.cat([x_i, x_j - x_i], -1))

    return Own(), [torch.rand(7, 5), edges(7, 16)]


_GEOMETRIC = {
    "GCN": _graph("GCNConv", 5, 6, add_self_loops=False), "SAGE": _graph("SAGEConv", 5, 6),
    "SAGE max": _graph("SAGEConv", 5, 6, aggr="max"), "GAT": _graph("GATConv", 5, 6, heads=2, add_self_loops=False),
    "GATv2": _graph("GATv2Conv", 5, 6, add_self_loops=False), "GIN": _graph("GINConv"),
    "GraphConv": _graph("GraphConv", 5, 6), "TransformerConv": _graph("TransformerConv", 5, 6), "pools": _pooled,
    "messages": _messages, "whole GCN": _graph("GCN", 5, 8, 2, 6, add_self_loops=False),
}


# ---- torch itself


class Of(nn.Module):
    """A function as a module, with parameters that are its first arguments."""

    def __init__(self, function, *parameters):
        super().__init__()
        self.function, self.parameters_ = function, nn.ParameterList(nn.Parameter(p) for p in parameters)

    def forward(self, *inputs):
        return self.function(*self.parameters_, *inputs)


def _of(function, parameters=(), inputs=()):
    return lambda: (Of(function, *(torch.randn(shape) for shape in parameters)), [torch.randn(shape) for shape in inputs])


def _attention(mask=None, **keywords):
    q, k = (2, 4, 5, 8), (2, 2 if keywords.get("enable_gqa") else 4, 7 if not keywords.get("is_causal") else 5, 8)

    def function(w, query, key, value):
        given = mask(query.shape[-2], key.shape[-2]) if mask else None
        return attention(query * w, key, value * w, attn_mask=given, **keywords)
    return _of(function, [(8,)], [q, k, k])


def _chosen(name, **keywords):
    """Attention by an algorithm that the program names."""
    def function(w, query, key, value):
        with torch.nn.attention.sdpa_kernel(getattr(torch.nn.attention.SDPBackend, name)):
            return F.scaled_dot_product_attention(query * w, key, value, **keywords)
    return _of(function, [(8,)], [(2, 4, 5, 8)] * 3)


def _module(make, *shapes):
    return lambda: (make(), [torch.randn(shape) for shape in shapes])


def _layer():
    return nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)


def _parametrised(name, make=lambda: nn.Linear(6, 6)):
    def made():
        return nn.Sequential(getattr(nn.utils.parametrizations, name)(make())), [torch.randn(3, 6)]
    return made


class Called(nn.Module):
    """torch.func.functional_call with weights that are computed."""

    def __init__(self):
        super().__init__()
        self.linear, self.scale = nn.Linear(4, 4), nn.Parameter(torch.rand(4))

    def forward(self, x):
        weights = {"weight": self.linear.weight * self.scale, "bias": self.linear.bias}
        call = getattr(torch, "func", None)
        call = call.functional_call if call else nn.utils.stateless.functional_call
        return call(self.linear, weights, (x,))


class Hooked(nn.Module):
    """Hooks with keywords, before and after, that are always called."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.linear.register_forward_pre_hook(lambda module, args, kwargs: ((args[0] * 2,), kwargs), with_kwargs=True)
        self.linear.register_forward_hook(lambda module, args, kwargs, result: result + 1, with_kwargs=True, always_call=True)

    def forward(self, x):
        return self.linear(x)


def _compiled():
    return torch.compile(nn.Sequential(nn.Linear(4, 4), nn.GELU()), backend="eager"), [torch.randn(3, 4)]


def _compiled_inside():
    model = nn.Sequential(nn.Linear(4, 4), torch.compile(nn.Linear(4, 4), backend="eager"), nn.Tanh())
    model[0].compile(backend="eager")
    return model, [torch.randn(3, 4)]


def _grouped(w, x):
    return torch._grouped_mm(x.bfloat16(), w.bfloat16(), offs=torch.tensor([2, 5, 8], dtype=torch.int32)).float()


def _segments(x):
    lengths = torch.tensor([2, 1, 3])
    return torch.stack([torch.segment_reduce(x, how, lengths=lengths) for how in ("sum", "mean", "max", "min")])


def _reduced(x, y):
    index = torch.tensor([0, 2, 1, 1])
    return torch.cat([x.index_reduce(0, index, y, how, include_self=include) for how in ("mean", "amax", "amin")
                      for include in (True, False)])


class Turned(nn.Module):
    """Rotary positions by complex numbers."""

    def __init__(self):
        super().__init__()
        angles = torch.outer(torch.arange(5).float(), torch.tensor([1.0, 0.3]))
        self.turns = torch.polar(torch.ones_like(angles), angles)
        self.scale = nn.Parameter(torch.ones(4))

    def forward(self, x):
        pairs = torch.view_as_complex((x * self.scale).reshape(*x.shape[:-1], -1, 2))
        return torch.view_as_real(pairs * self.turns).flatten(2)


_TORCH = {
    "attention": _attention(), "attention causal": _attention(is_causal=True), "attention scale": _attention(scale=0.3),
    "attention groups": _attention(enable_gqa=True), "attention groups causal": _attention(enable_gqa=True, is_causal=True),
    "attention bools": _attention(lambda n, m: torch.ones(n, m).bool().tril(1)),
    "attention floats": _attention(lambda n, m: torch.arange(n * m).reshape(n, m) / 10.0),
    "attention math": _chosen("MATH"), "attention flash": _chosen("FLASH_ATTENTION", is_causal=True),
    "attention hidden rows": _attention(lambda n, m: torch.ones(n, m).bool().tril(-1)),
    "encoder": _module(lambda: nn.TransformerEncoder(_layer(), 2), (2, 5, 8)),
    "whole transformer": _module(lambda: nn.Transformer(8, 2, 1, 1, 16, 0.0, batch_first=True), (2, 5, 8), (2, 3, 8)),
    "rms norm": _module(lambda: nn.RMSNorm(8), (3, 8)), "group norm": _module(lambda: nn.GroupNorm(2, 4), (2, 4, 5)),
    "batch norm": _module(lambda: nn.BatchNorm2d(4), (3, 4, 5, 5)),
    "lstm": lambda: (Last(nn.LSTM(4, 5, 2)), [torch.randn(6, 2, 4)]),
    "gru": lambda: (Last(nn.GRU(4, 5, bidirectional=True)), [torch.randn(6, 2, 4)]),
    "conv": _module(lambda: nn.Sequential(nn.Conv2d(3, 4, 3), nn.SiLU(), nn.MaxPool2d(2), nn.Flatten()), (2, 3, 8, 8)),
    "weight norm": _parametrised("weight_norm"), "spectral norm": _parametrised("spectral_norm"),
    "orthogonal": _parametrised("orthogonal"), "functional call": _module(Called, (3, 4)), "hooks": _module(Hooked, (3, 4)),
    "compiled": _compiled, "compiled inside": _compiled_inside, "segment_reduce": _of(_segments, [(6, 3)]),
    "index_reduce": _of(_reduced, [(4, 3), (4, 3)]), "complex": _module(Turned, (2, 5, 4)),
    "upsample exact": _of(lambda x: F.interpolate(x, scale_factor=2, mode="nearest-exact"), [(1, 2, 3, 3)]),
    "checkpoint": _of(lambda w, x: torch.utils.checkpoint.checkpoint(lambda v: (v * w).sin(), x, use_reentrant=False), [(4,)],
                      [(3, 4)]),
    "vmap": _of(lambda w, x: torch.vmap(lambda row: row * w)(x), [(4,)], [(3, 4)]),
    "einsum": _of(lambda w, x: torch.einsum("bij,kj->bik", x, w), [(3, 4)], [(2, 5, 4)]),
    "unfold": _of(lambda w, x: F.unfold(x * w, 2).sum(1), [(1,)], [(1, 2, 4, 4)]),
    "isin": _of(lambda w, x: torch.where(torch.isin(torch.arange(4), torch.tensor([1, 3])), x, w), [(4,)], [(3, 4)]),
}


class Last(nn.Module):
    """What a layer gives first."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, *inputs):
        return self.layer(*inputs)[0]


class Causal(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.TransformerEncoder(_layer(), 1)

    def forward(self, x):
        mask = nn.Transformer.generate_square_subsequent_mask(x.shape[1])
        return self.encoder(x, mask=mask, is_causal=True)


_TORCH["encoder causal"] = _module(Causal, (2, 5, 8))
_TORCH["multi-head"] = lambda: (Last(nn.MultiheadAttention(8, 2, batch_first=True)), [torch.randn(2, 5, 8)] * 3)
# Integers up to 256, sums too: torch computes them in bfloat16 without rounding, and the device in float32.
_TORCH["grouped products"] = lambda: (Of(_grouped, torch.randint(-3, 4, (3, 16, 16)).float()),
                                      [torch.randint(-3, 4, (8, 16)).float()])

CASES = {f"transformers {name}": Case(make, "transformers") for name, make in _TRANSFORMERS.items()}
CASES["transformers whole output"] = Case(_whole_output, "transformers", train=False)
CASES["transformers whole output with cache"] = Case(_whole_with_cache, "transformers", train=False)
CASES["transformers own loss"] = Case(_own_loss, "transformers")
CASES["transformers generation"] = Case(_generation, "transformers", train=False)
CASES.update({f"torch_geometric {name}": Case(make, "torch_geometric") for name, make in _GEOMETRIC.items()})
CASES.update({f"torch {name}": Case(make, "torch") for name, make in _TORCH.items()})
CASES["torch grouped products"].bound = 2e-2  # of gradients in bfloat16


class Trained(nn.Module):
    """The mean square distance of what a model gives to fixed numbers, or its own loss."""

    def __init__(self, model, wanted):
        super().__init__()
        self.model, self.wanted = model, wanted

    def forward(self, *inputs):
        found = self.model(*inputs)
        return poptorch.identity_loss(found if found.dim() == 0 else (found - self.wanted).pow(2).mean(), "none")
