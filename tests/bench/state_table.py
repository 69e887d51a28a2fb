#!/usr/bin/env python3
"""Memory of published models per token and per state, computed from their configurations, as a Markdown table.

    state_table.py [CONFIG.json ...]

Without files: the models of published_models.json, which has the members of each config.json that the figures follow from. A file
is the config.json of a model, or of a multimodal one, whose text part counts. Keys and values have 16 bits; a latent row counts once,
since its values are a part of its keys. A state is float32: the columns of the newest tokens before the convolution, and a matrix for
each head. A checkpoint in 8 bits has one byte for each number of a matrix, and a float32 scale for each of its rows.
"""
import argparse
import json
import os
import sys

MIB = 1024 * 1024


class Memory:
    """Layers with keys and values, and numbers of recurrent layers."""

    def __init__(self):
        self.attention = self.recurrent = 0
        self.numbers = 0  # of keys and values, per token
        self.columns = self.matrix = self.rows = 0

    def attend(self, layers, numbers):
        self.attention += layers
        self.numbers += layers * numbers

    def recur(self, layers, kernel, channels, heads=0, key=0, value=0):
        self.recurrent += layers
        self.columns += layers * (kernel - 1) * channels
        self.matrix += layers * heads * key * value
        self.rows += layers * heads * key

    def per_token(self):
        return 2 * self.numbers

    def state(self):
        return 4 * (self.columns + self.matrix)

    def checkpoint(self):
        return 4 * (self.columns + self.rows) + self.matrix


def delta_net(memory, c, layers):
    full = sum(kind == "full_attention" for kind in c["layer_types"]) if "layer_types" in c else layers // c["full_attention_interval"]
    keys, values = c["linear_num_key_heads"] * c["linear_key_head_dim"], c["linear_num_value_heads"] * c["linear_value_head_dim"]
    memory.attend(full, 2 * c["num_key_value_heads"] * c["head_dim"])
    memory.recur(layers - full, c["linear_conv_kernel_dim"], 2 * keys + values, c["linear_num_value_heads"], c["linear_key_head_dim"],
                 c["linear_value_head_dim"])


def short_convolution(memory, c, layers):
    full = len(c["full_attn_idxs"]) if c.get("full_attn_idxs") else sum(kind == "full_attention" for kind in c["layer_types"])
    memory.attend(full, 2 * c["num_key_value_heads"] * c["hidden_size"] // c["num_attention_heads"])
    memory.recur(layers - full, c["conv_L_cache"], c["hidden_size"])


def mamba(memory, layers, heads, dim, state, groups, kernel):
    memory.recur(layers, kernel, heads * dim + 2 * groups * state, heads, state, dim)


def granite(memory, c, layers):
    full = sum(kind in ("attention", "full_attention") for kind in c["layer_types"])
    memory.attend(full, 2 * c["num_key_value_heads"] * c["hidden_size"] // c["num_attention_heads"])
    mamba(memory, layers - full, c["mamba_n_heads"], c["mamba_d_head"], c["mamba_d_state"], c["mamba_n_groups"], c["mamba_d_conv"])


def nemotron(memory, c, layers):
    pattern = c["hybrid_override_pattern"]
    memory.attend(pattern.count("*"), 2 * c["num_key_value_heads"] * c["head_dim"])
    mamba(memory, pattern.count("M"), c["mamba_num_heads"], c["mamba_head_dim"], c["ssm_state_size"], c["n_groups"], c["conv_kernel"])


def falcon(memory, c, layers):
    memory.attend(layers, 2 * c["num_key_value_heads"] * c["head_dim"])
    mamba(memory, layers, c["mamba_n_heads"], c["mamba_d_head"], c["mamba_d_state"], c["mamba_n_groups"], c["mamba_d_conv"])


def kimi(memory, c, layers):
    linear = c["linear_attn_config"]
    heads, dim = linear["num_heads"], linear["head_dim"]
    memory.attend(len(linear["full_attn_layers"]), c["kv_lora_rank"] + c["qk_rope_head_dim"])
    memory.recur(len(linear["kda_layers"]), linear["short_conv_kernel_size"], 3 * heads * dim, heads, dim, dim)


def mamba2(memory, c, layers):
    mamba(memory, layers, c["num_heads"], c["head_dim"], c["state_size"], c["n_groups"], c["conv_kernel"])


def latent(memory, c, layers):
    memory.attend(layers, c["kv_lora_rank"] + c["qk_rope_head_dim"])


FAMILIES = {"qwen3_5": delta_net, "qwen3_5_text": delta_net, "qwen3_5_moe": delta_net, "qwen3_5_moe_text": delta_net, "qwen3_next": delta_net,
            "lfm2": short_convolution, "lfm2_moe": short_convolution, "granitemoehybrid": granite, "nemotron_h": nemotron, "falcon_h1": falcon,
            "kimi_linear": kimi, "mamba2": mamba2, "deepseek_v2": latent, "deepseek_v3": latent, "glm4_moe_lite": latent}


def memory_of(config):
    text = config.get("text_config", config)
    kind = text["model_type"]
    if kind not in FAMILIES:
        sys.exit(f"{kind} is none of {', '.join(sorted(FAMILIES))}")
    memory = Memory()
    FAMILIES[kind](memory, text, text["num_hidden_layers"])
    return memory


def row(name, memory):
    token, state, checkpoint = memory.per_token(), memory.state(), memory.checkpoint()
    worth = f"{state / token:,.0f}" if state and token else "-"
    return [name, str(memory.attention), str(memory.recurrent), f"{token / 1024:.1f}" if token else "-",
            f"{token * 32768 / MIB:,.0f}" if token else "-", f"{state / MIB:.2f}" if state else "-",
            f"{checkpoint / MIB:.2f}" if state else "-", worth]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("configs", nargs="*", metavar="CONFIG.json")
    files = options.parse_args().configs
    models = {os.path.basename(os.path.dirname(os.path.abspath(path))): json.load(open(path, encoding="utf-8")) for path in files}
    if not files:
        models = json.load(open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "published_models.json"), encoding="utf-8"))
    print("| model | attention layers | recurrent layers | KiB per token | MiB at 32,768 tokens | MiB per state | MiB per checkpoint in 8 bits "
          "| tokens that a state is worth |")
    print("|---|" + "--:|" * 7)
    for name, config in models.items():
        print("| " + " | ".join(row(name, memory_of(config))) + " |")


if __name__ == "__main__":
    main()
