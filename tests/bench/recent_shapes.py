"""Shapes of 2025 and 2026 for make_model.py: experts, recurrent layers, layers that differ. Numbers of parameters agree with the
published ones of the text models (billions): LFM2 1.17, Granite 6.94, gpt-oss 20.9, Qwen3 30.5, Qwen3.5 0.75 and 1.88, Gemma 4
4.65. Fewer layers than the model has keep its pattern.

A tensor is (name, type, sizes, value): `sizes` has the length of a row first. A number as value fills the tensor; None means
random weights. Small matrices that decide much (routers, decays) are F32 or Q8_0 as in files that are offered for download.
"""

CHAT = ("{% for m in messages %}{{ '<|im_start|>' + m['role'] + '\\n' + m['content'] + '<|im_end|>\\n' }}{% endfor %}"
        "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}")

SHAPES = {
    "qwen3.5-0.8b": dict(family="qwen35", layers=24, hidden=1024, ff=3584, heads=8, kv=2, dim=256, vocab=248320),
    "qwen3.5-small": dict(family="qwen35", layers=8, hidden=128, ff=256, heads=4, kv=2, dim=64, vocab=4096, mixers=4, state=32),
    "qwen3.5-2b": dict(family="qwen35", layers=24, hidden=2048, ff=6144, heads=8, kv=2, dim=256, vocab=248320),
    "lfm2-1.2b": dict(family="lfm2", layers=16, hidden=2048, ff=8192, heads=32, kv=8, dim=64, vocab=65536,
                      attention=[2, 5, 8, 10, 12, 14]),
    "granite-4-h-tiny": dict(family="granitehybrid", layers=40, hidden=1536, ff=512, shared=1024, experts=64, used=6,
                             heads=12, kv=4, dim=128, vocab=100352, attention=[5, 15, 25, 35]),
    "gpt-oss-20b": dict(family="gpt-oss", layers=24, hidden=2880, ff=2880, experts=32, used=4, heads=64, kv=8, dim=64,
                        vocab=201088),
    "qwen3-30b-a3b": dict(family="qwen3moe", layers=48, hidden=2048, ff=768, experts=128, used=8, heads=32, kv=4, dim=128,
                          vocab=151936),
    "gemma-4-e2b": dict(family="gemma4", layers=35, hidden=1536, ff=6144, heads=8, kv=1, dim=512, vocab=262144, shared=20),
}


def vector(name, count, value=1.0):
    return name, "F32", [count], value


def norm_names(s, names, layer):
    return [vector(f"blk.{layer}.{name}.weight", s["hidden"]) for name in names]


def dense(s, matrix, at, width):
    yield matrix(at + "ffn_gate.weight", s["hidden"], width)
    yield matrix(at + "ffn_up.weight", s["hidden"], width)
    yield matrix(at + "ffn_down.weight", width, s["hidden"])


def experts(s, matrix, at):
    yield at + "ffn_gate_inp.weight", "F32", [s["hidden"], s["experts"]], None
    yield matrix(at + "ffn_gate_exps.weight", s["hidden"], s["ff"], s["experts"])
    yield matrix(at + "ffn_up_exps.weight", s["hidden"], s["ff"], s["experts"])
    yield matrix(at + "ffn_down_exps.weight", s["ff"], s["hidden"], s["experts"])


def attention(s, matrix, at, dim, heads_in_q=1, norms=True):
    yield matrix(at + "attn_q.weight", s["hidden"], heads_in_q * s["heads"] * dim)
    yield matrix(at + "attn_k.weight", s["hidden"], s["kv"] * dim)
    yield matrix(at + "attn_v.weight", s["hidden"], s["kv"] * dim)
    yield matrix(at + "attn_output.weight", s["heads"] * dim, s["hidden"])
    if norms:
        yield vector(at + "attn_q_norm.weight", dim)
        yield vector(at + "attn_k_norm.weight", dim)


def common(m, a, s, context, epsilon, base):
    m.number(a + "block_count", s["layers"])
    m.number(a + "context_length", context)
    m.number(a + "embedding_length", s["hidden"])
    m.number(a + "attention.head_count", s["heads"])
    m.real(a + "attention.layer_norm_rms_epsilon", epsilon)
    m.real(a + "rope.freq_base", base)
    m.number(a + "vocab_size", s["vocab"])


def head_sizes(m, a, dim):
    m.number(a + "attention.key_length", dim)
    m.number(a + "attention.value_length", dim)


def expert_counts(m, a, s):
    m.number(a + "expert_count", s["experts"])
    m.number(a + "expert_used_count", s["used"])
    m.number(a + "expert_feed_forward_length", s["ff"])


# gated DeltaNet in three of four layers
def qwen35_keys(m, a, s):
    common(m, a, s, 262144, 1e-6, 1e7)
    head_sizes(m, a, s["dim"])
    m.number(a + "attention.head_count_kv", s["kv"])
    m.number(a + "feed_forward_length", s["ff"])
    m.number(a + "rope.dimension_count", s["dim"] // 4)
    pairs = s["dim"] // 8
    m.integers(a + "rope.dimension_sections", [(pairs + 2) // 3, (pairs + 1) // 3, pairs // 3, 0])
    m.number(a + "full_attention_interval", 4)
    heads, state = qwen35_mixer(s)
    for key, value in (("conv_kernel", 4), ("state_size", state), ("group_count", heads), ("time_step_rank", heads),
                       ("inner_size", heads * state)):
        m.number(a + "ssm." + key, value)
    m.string("tokenizer.chat_template", CHAT)


def qwen35_mixer(s):
    return s.get("mixers", 16), s.get("state", 128)


def qwen35_layer(s, matrix, layer):
    at = f"blk.{layer}."
    heads, state = qwen35_mixer(s)
    inner = heads * state
    yield from norm_names(s, ["attn_norm", "post_attention_norm"], layer)
    yield from dense(s, matrix, at, s["ff"])
    if layer % 4 == 3:
        yield from attention(s, matrix, at, s["dim"], heads_in_q=2)
        return
    yield matrix(at + "attn_qkv.weight", s["hidden"], 3 * inner)
    yield matrix(at + "attn_gate.weight", s["hidden"], inner)
    yield at + "ssm_alpha.weight", "Q8_0", [s["hidden"], heads], None
    yield at + "ssm_beta.weight", "Q8_0", [s["hidden"], heads], None
    yield at + "ssm_conv1d.weight", "F32", [4, 3 * inner], None
    yield vector(at + "ssm_a", heads, -1.0)
    yield vector(at + "ssm_dt.bias", heads, -2.0)
    yield vector(at + "ssm_norm.weight", state)
    yield matrix(at + "ssm_out.weight", inner, s["hidden"])


# short convolutions
def lfm2_keys(m, a, s):
    common(m, a, s, 128000, 1e-5, 1e6)
    m.integers(a + "attention.head_count_kv", [s["kv"] if i in s["attention"] else 0 for i in range(s["layers"])])
    m.number(a + "feed_forward_length", s["ff"])
    m.number(a + "rope.dimension_count", s["dim"])
    m.number(a + "shortconv.l_cache", 3)


def lfm2_layer(s, matrix, layer):
    at = f"blk.{layer}."
    yield from norm_names(s, ["attn_norm", "ffn_norm"], layer)
    yield from dense(s, matrix, at, s["ff"])
    if layer in s["attention"]:
        yield from attention(s, matrix, at, s["dim"])
        return
    yield at + "shortconv.conv.weight", "F32", [3, s["hidden"]], None
    yield matrix(at + "shortconv.in_proj.weight", s["hidden"], 3 * s["hidden"])
    yield matrix(at + "shortconv.out_proj.weight", s["hidden"], s["hidden"])


# Mamba-2 in nine of ten layers, and experts
def granite_keys(m, a, s):
    common(m, a, s, 131072, 1e-5, 1e4)
    m.integers(a + "attention.head_count_kv", [s["kv"] if i in s["attention"] else 0 for i in range(s["layers"])])
    m.number(a + "feed_forward_length", s["ff"])
    m.number(a + "rope.dimension_count", s["dim"])
    m.flag(a + "rope.scaling.finetuned", False)
    expert_counts(m, a, s)
    m.number(a + "expert_shared_feed_forward_length", s["shared"])
    for key, value in (("attention.scale", 0.0078125), ("embedding_scale", 12.0), ("residual_scale", 0.22),
                       ("logit_scale", 6.0)):
        m.real(a + key, value)
    for key, value in (("conv_kernel", 4), ("state_size", 128), ("group_count", 1), ("time_step_rank", 48),
                       ("inner_size", 3072)):
        m.number(a + "ssm." + key, value)


def granite_layer(s, matrix, layer):
    at = f"blk.{layer}."
    yield from norm_names(s, ["attn_norm", "ffn_norm"], layer)
    yield from experts(s, matrix, at)
    yield matrix(at + "ffn_gate_shexp.weight", s["hidden"], s["shared"])
    yield matrix(at + "ffn_up_shexp.weight", s["hidden"], s["shared"])
    yield matrix(at + "ffn_down_shexp.weight", s["shared"], s["hidden"])
    if layer in s["attention"]:
        yield from attention(s, matrix, at, s["dim"], norms=False)
        return
    yield matrix(at + "ssm_in.weight", s["hidden"], 2 * 3072 + 2 * 128 + 48)
    yield at + "ssm_conv1d.weight", "F32", [4, 3072 + 2 * 128], None
    yield vector(at + "ssm_conv1d.bias", 3072 + 2 * 128, 0.0)
    yield vector(at + "ssm_dt.bias", 48, -2.0)
    yield at + "ssm_a", "F32", [1, 48], -1.0
    yield at + "ssm_d", "F32", [1, 48], 1.0
    yield at + "ssm_norm.weight", "F32", [3072, 1], 1.0
    yield matrix(at + "ssm_out.weight", 3072, s["hidden"])


# experts in MXFP4, windows in every second layer
def gpt_oss_keys(m, a, s):
    common(m, a, s, 131072, 1e-5, 150000.0)
    head_sizes(m, a, s["dim"])
    m.number(a + "attention.head_count_kv", s["kv"])
    m.number(a + "feed_forward_length", s["ff"])
    m.number(a + "rope.dimension_count", s["dim"])
    m.number(a + "attention.sliding_window", 128)
    m.string(a + "rope.scaling.type", "yarn")
    m.real(a + "rope.scaling.factor", 32.0)
    m.number(a + "rope.scaling.original_context_length", 4096)
    expert_counts(m, a, s)


def gpt_oss_layer(s, matrix, layer):
    at = f"blk.{layer}."
    yield from norm_names(s, ["attn_norm", "post_attention_norm"], layer)
    yield from attention(s, matrix, at, s["dim"], norms=False)
    yield from experts(s, matrix, at)
    yield vector(at + "attn_sinks.weight", s["heads"], 0.0)
    for name, width in (("attn_q", s["heads"] * s["dim"]), ("attn_k", s["kv"] * s["dim"]), ("attn_v", s["kv"] * s["dim"]),
                        ("attn_output", s["hidden"]), ("ffn_gate_inp", s["experts"])):
        yield vector(f"{at}{name}.bias", width, 0.0)
    for name, width in (("gate", s["ff"]), ("up", s["ff"]), ("down", s["hidden"])):
        yield f"{at}ffn_{name}_exps.bias", "F32", [width, s["experts"]], 0.0


# 128 experts
def qwen3moe_keys(m, a, s):
    common(m, a, s, 40960, 1e-6, 1e6)
    head_sizes(m, a, s["dim"])
    m.number(a + "attention.head_count_kv", s["kv"])
    m.number(a + "feed_forward_length", 6144)
    m.number(a + "rope.dimension_count", s["dim"])
    expert_counts(m, a, s)


def qwen3moe_layer(s, matrix, layer):
    at = f"blk.{layer}."
    yield from norm_names(s, ["attn_norm", "ffn_norm"], layer)
    yield from attention(s, matrix, at, s["dim"])
    yield from experts(s, matrix, at)


# windows in four of five layers, heads of two sizes, embeddings for each layer, shared caches
def gemma4_keys(m, a, s):
    common(m, a, s, 131072, 1e-6, 1e6)
    head_sizes(m, a, s["dim"])
    own = s["layers"] - s["shared"]
    m.integers(a + "feed_forward_length", [s["ff"]] * own + [2 * s["ff"]] * s["shared"])
    m.number(a + "attention.head_count_kv", s["kv"])
    m.number(a + "attention.key_length_swa", 256)
    m.number(a + "attention.value_length_swa", 256)
    m.number(a + "attention.sliding_window", 512)
    m.flags(a + "attention.sliding_window_pattern", [i % 5 != 4 for i in range(s["layers"])])
    m.number(a + "attention.shared_kv_layers", s["shared"])
    m.number(a + "embedding_length_per_layer_input", 256)
    m.number(a + "rope.dimension_count", s["dim"])
    m.number(a + "rope.dimension_count_swa", 256)
    m.real(a + "rope.freq_base_swa", 1e4)
    m.real(a + "final_logit_softcapping", 30.0)


def gemma4_layer(s, matrix, layer):
    at = f"blk.{layer}."
    yield from norm_names(s, ["attn_norm", "post_attention_norm", "ffn_norm", "post_ffw_norm", "post_norm"], layer)
    yield from attention(s, matrix, at, 256 if layer % 5 != 4 else s["dim"])
    yield from dense(s, matrix, at, s["ff"] if layer < s["layers"] - s["shared"] else 2 * s["ff"])
    yield vector(at + "layer_output_scale.weight", 1)
    yield matrix(at + "inp_gate.weight", s["hidden"], 256)
    yield matrix(at + "proj.weight", 256, s["hidden"])


FAMILIES = {
    "qwen35": (qwen35_keys, qwen35_layer),
    "lfm2": (lfm2_keys, lfm2_layer),
    "granitehybrid": (granite_keys, granite_layer),
    "gpt-oss": (gpt_oss_keys, gpt_oss_layer),
    "qwen3moe": (qwen3moe_keys, qwen3moe_layer),
    "gemma4": (gemma4_keys, gemma4_layer),
}


def keys(m, s):
    FAMILIES[s["family"]][0](m, s["family"] + ".", s)


def tensors(s, type_of):
    """Yields (name, type, sizes, value). `type_of` chooses by name and row length."""
    def matrix(name, *sizes):
        kind = "MXFP4" if s["family"] == "gpt-oss" and "_exps." in name else type_of(name, sizes[0])
        return name, kind, list(sizes), None
    yield matrix("token_embd.weight", s["hidden"], s["vocab"])
    if s["family"] in ("gpt-oss", "qwen3moe"):
        yield matrix("output.weight", s["hidden"], s["vocab"])
    yield vector("token_embd_norm.weight" if s["family"] == "lfm2" else "output_norm.weight", s["hidden"])
    if s["family"] == "gemma4":
        width = 256 * s["layers"]
        yield "per_layer_token_embd.weight", "Q4_K", [width, s["vocab"]], None
        yield "per_layer_model_proj.weight", "F16", [s["hidden"], width], None
        yield vector("per_layer_proj_norm.weight", 256)
        yield vector("rope_freqs.weight", s["dim"] // 2)
    for layer in range(s["layers"]):
        yield from FAMILIES[s["family"]][1](s, matrix, layer)
