#pragma once
/// \file
/// Builds small GGUF files in memory, valid and broken ones: every count, type and offset can be
/// set to invalid values. For tests only.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::test {

/// Appends numbers and strings as GGUF stores them.
class Bytes {
  public:
    template <class T>
    Bytes& put(T value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    Bytes& raw(std::string_view text) {
        bytes_ += text;
        return *this;
    }
    Bytes& text(std::string_view value) { return put<std::uint64_t>(value.size()).raw(value); }
    [[nodiscard]] const std::string& str() const { return bytes_; }

  private:
    std::string bytes_;
};

struct BuiltTensor {
    std::string name;
    std::vector<std::uint64_t> dims;                     ///< as in the file: innermost first
    std::uint32_t type = 0;                              ///< F32
    std::optional<std::uint64_t> offset = std::nullopt;  ///< nullopt = after the previous tensor
    std::optional<std::uint32_t> dimensionCount = std::nullopt;  ///< nullopt = the size of `dims`
    std::string data = {};
};

class GgufBuilder {
  public:
    std::string magic = "GGUF";
    std::uint32_t version = 3;
    std::uint32_t alignment = 32;  ///< alignment of the layout; the metadata key must be added
                                   ///< separately
    std::optional<std::uint64_t> tensorCount;
    std::optional<std::uint64_t> entryCount;
    std::vector<BuiltTensor> tensors;
    std::string tail;  ///< appended at the end of the file

    GgufBuilder& raw(std::string_view key, std::uint32_t type, std::string_view value) {
        entries_.push_back({std::string(key), Bytes().text(key).put(type).raw(value).str()});
        return *this;
    }
    /// Appends the bytes of an entire entry, for broken keys.
    GgufBuilder& rawEntry(std::string_view bytes) {
        entries_.push_back({"", std::string(bytes)});
        return *this;
    }
    GgufBuilder& text(std::string_view key, std::string_view value) {
        return raw(key, 8, Bytes().text(value).str());
    }
    GgufBuilder& u32(std::string_view key, std::uint32_t value) {
        return raw(key, 4, Bytes().put(value).str());
    }
    GgufBuilder& f32(std::string_view key, float value) {
        return raw(key, 6, Bytes().put(value).str());
    }
    GgufBuilder& texts(std::string_view key, const std::vector<std::string>& values) {
        Bytes bytes;
        bytes.put<std::uint32_t>(8).put<std::uint64_t>(values.size());
        for (const std::string& value : values) bytes.text(value);
        return raw(key, 9, bytes.str());
    }
    template <class T>
    GgufBuilder& numbers(std::string_view key, std::uint32_t elementType,
                         const std::vector<T>& values) {
        Bytes bytes;
        bytes.put(elementType).put<std::uint64_t>(values.size());
        for (const T& value : values) bytes.put(value);
        return raw(key, 9, bytes.str());
    }
    /// Removes an entry, so that it is absent or can be replaced.
    GgufBuilder& without(std::string_view key) {
        std::erase_if(entries_, [&](const Entry& entry) { return entry.key == key; });
        return *this;
    }
    GgufBuilder& withoutTensor(std::string_view name) {
        std::erase_if(tensors, [&](const BuiltTensor& tensor) { return tensor.name == name; });
        return *this;
    }
    /// Adds an F32 tensor of zeros. `dims` innermost first.
    GgufBuilder& tensor(std::string_view name, std::vector<std::uint64_t> dims) {
        std::uint64_t elements = 1;
        for (const std::uint64_t extent : dims) elements *= extent;
        BuiltTensor built;
        built.name = name;
        built.dims = std::move(dims);
        built.data.assign(elements * sizeof(float), '\0');
        tensors.push_back(std::move(built));
        return *this;
    }
    /// Gives a tensor another shape and zeros of that size. `dims` innermost first.
    GgufBuilder& reshape(std::string_view name, std::vector<std::uint64_t> dims) {
        std::uint64_t elements = 1;
        for (const std::uint64_t extent : dims) elements *= extent;
        BuiltTensor& built = find(name);
        built.dims = std::move(dims);
        built.data.assign(elements * sizeof(float), '\0');
        return *this;
    }
    [[nodiscard]] BuiltTensor& find(std::string_view name) {
        for (BuiltTensor& tensor : tensors)
            if (tensor.name == name) return tensor;
        tensors.push_back({std::string(name), {}});
        return tensors.back();
    }
    [[nodiscard]] std::vector<std::string> keys() const {
        std::vector<std::string> names;
        for (const Entry& entry : entries_) names.push_back(entry.key);
        return names;
    }

    [[nodiscard]] std::string build() const {
        Bytes file;
        file.raw(magic).put(version);
        file.put<std::uint64_t>(tensorCount.value_or(tensors.size()));
        file.put<std::uint64_t>(entryCount.value_or(entries_.size()));
        for (const Entry& entry : entries_) file.raw(entry.bytes);
        std::string data;
        for (const BuiltTensor& tensor : tensors) {
            file.text(tensor.name);
            file.put(
                tensor.dimensionCount.value_or(static_cast<std::uint32_t>(tensor.dims.size())));
            for (const std::uint64_t extent : tensor.dims) file.put(extent);
            file.put(tensor.type).put(tensor.offset.value_or(data.size()));
            data += tensor.data;
            pad(data);
        }
        std::string out = file.str();
        if (!tensors.empty()) pad(out);
        return out + data + tail;
    }

  private:
    struct Entry {
        std::string key;
        std::string bytes;
    };
    void pad(std::string& bytes) const {
        while (bytes.size() % alignment != 0) bytes += '\0';
    }
    std::vector<Entry> entries_;
};

/// Returns a container with two keys and two tensors, about 700 bytes.
inline GgufBuilder smallGguf() {
    GgufBuilder builder;
    builder.text("general.architecture", "llama").u32("llama.block_count", 1);
    builder.numbers<float>("some.scores", 6, std::vector<float>(24, 0.5F))
        .texts("some.names", {"a", "bc", "", "a longer name"});
    builder.tensor("first", {16, 2}).tensor("second", {32});
    return builder;
}

/// Returns a valid Llama model: 1 layer, 2 heads over 1 KV head of half the hidden size, all
/// weights zero. Its vocabulary is the 256 bytes with SentencePiece names and three control tokens.
inline GgufBuilder tinyLlama(std::uint32_t hidden = 8) {
    const std::uint64_t kv = hidden / 2;
    constexpr std::uint64_t kWide = 16;
    constexpr std::uint64_t kTokens = 259;
    GgufBuilder builder;
    builder.text("general.architecture", "llama").text("general.name", "tiny");
    builder.u32("llama.block_count", 1)
        .u32("llama.context_length", 64)
        .u32("llama.embedding_length", hidden);
    builder.u32("llama.feed_forward_length", kWide).u32("llama.attention.head_count", 2);
    builder.u32("llama.attention.head_count_kv", 1)
        .f32("llama.attention.layer_norm_rms_epsilon", 1e-5F);
    std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
    std::vector<std::int32_t> types{2, 3, 3};
    constexpr char kDigits[] = "0123456789ABCDEF";
    for (std::size_t byte = 0; byte < 256; ++byte) {
        tokens.push_back(std::string("<0x") + kDigits[byte / 16] + kDigits[byte % 16] + ">");
        types.push_back(6);
    }
    builder.text("tokenizer.ggml.model", "llama").texts("tokenizer.ggml.tokens", tokens);
    builder.numbers<std::int32_t>("tokenizer.ggml.token_type", 5, types);
    builder.numbers<float>("tokenizer.ggml.scores", 6, std::vector<float>(kTokens, 0.0F));
    builder.u32("tokenizer.ggml.unknown_token_id", 0).u32("tokenizer.ggml.bos_token_id", 1);
    builder.u32("tokenizer.ggml.eos_token_id", 2);
    builder.tensor("token_embd.weight", {hidden, kTokens}).tensor("output_norm.weight", {hidden});
    builder.tensor("blk.0.attn_norm.weight", {hidden})
        .tensor("blk.0.attn_q.weight", {hidden, hidden});
    builder.tensor("blk.0.attn_k.weight", {hidden, kv}).tensor("blk.0.attn_v.weight", {hidden, kv});
    builder.tensor("blk.0.attn_output.weight", {hidden, hidden})
        .tensor("blk.0.ffn_norm.weight", {hidden});
    builder.tensor("blk.0.ffn_gate.weight", {hidden, kWide})
        .tensor("blk.0.ffn_up.weight", {hidden, kWide});
    builder.tensor("blk.0.ffn_down.weight", {kWide, hidden});
    return builder;
}

}  // namespace lacuna::test
