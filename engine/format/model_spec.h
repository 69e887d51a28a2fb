#pragma once
/// \file
/// Hyperparameters of a model, checked once when they are read. Immutable afterwards.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/format/recurrent_spec.h"
#include "engine/recurrent/mixer.h"

namespace lacuna {

// Limits of supported models: far above every real one, low enough that products of two of them fit
// 64 bits and a hostile file cannot cause excessive work.
inline constexpr int kMaxLayers = 1024;
inline constexpr int kMaxHeads = 1024;
inline constexpr int kMaxHidden = 1 << 20;
inline constexpr int kMaxHeadDim = 1 << 14;
inline constexpr int kMaxFeedForward = 1 << 22;
inline constexpr int kMaxExperts = 4096;
inline constexpr int kMaxVocabulary = 1 << 20;
inline constexpr int kMaxContext = 0x7FFFFFFF;

/// The elements of a head that rotate together.
enum class RopePairing {
    Halves,       ///< (i, i + dim/2): Hugging Face order; GGUF of qwen2, qwen3
    Interleaved,  ///< (2i, 2i+1): GGUF of llama, whose Q and K rows are permuted to match
};

/// Divisors of at least this number stop the rotation of a pair.
inline constexpr float kUnrotatedPair = 1e30F;

/// Rotary position embedding (Su et al. 2021) and its scaling. Sources: Linear: Chen et al. 2023
/// (arXiv:2306.15595); Dynamic: NTK-aware base that grows with the length; Llama3: the Llama 3.1
/// model card; Yarn: Peng et al. 2023 (arXiv:2309.00071); LongRope: Ding et al. 2024
/// (arXiv:2402.13753). All as in Hugging Face transformers, `modeling_rope_utils`.
struct RopeSpec {
    enum class Scaling { None, Linear, Llama3, Yarn, LongRope, Dynamic };
    float base = 10000.0F;
    int dim = 0;  ///< elements of a head that rotate; even, <= headDim
    RopePairing pairing = RopePairing::Halves;
    Scaling scaling = Scaling::None;
    float factor = 1.0F;
    float lowFrequencyFactor = 1.0F;   ///< Llama3
    float highFrequencyFactor = 4.0F;  ///< Llama3
    int originalContext = 0;           ///< tokens; Llama3, Yarn, LongRope, Dynamic
    float betaFast = 32.0F;            ///< Yarn: rotations above which a pair is unchanged
    float betaSlow = 1.0F;             ///< Yarn: rotations below which a pair is interpolated
    bool truncate = true;              ///< Yarn: bounds of the ramp rounded to whole pairs
    float magnitude = 1.0F;            ///< factor on cosine and sine; Yarn, LongRope
    /// LongRope: divisors per pair [dim/2] up to originalContext tokens, and beyond.
    std::vector<float> shortFactors;
    std::vector<float> longFactors;
    /// Divisors per pair [dim/2], or empty: `rope_freqs.weight` of GGUF; in gemma4 kUnrotatedPair
    /// for the pairs that do not rotate.
    std::vector<float> frequencyFactors;
};

enum class QkNorm {
    None,
    PerHead,    ///< RMS norm of each query and key head before RoPE: qwen3, gemma3
    FullWidth,  ///< one RMS norm over all heads of a row: olmo2
    /// RMS norm without gain of each head in layers that rotate. A rotation preserves the length,
    /// so the norm may precede or follow it: llama4.
    RotatedHeads,
    HeadGains,  ///< layer norm without bias of each head before RoPE, with its own gains: stablelm
};

/// Location of the norms of a layer.
enum class NormPlacement {
    Before,  ///< on the input of attention and feed-forward: llama and most others
    After,   ///< on their output, before the residual is added: olmo2
    Both,    ///< gemma2, gemma3
};

/// The operation of a norm before its gain. Rms: Zhang & Sennrich 2019; Layer: Ba et al. 2016,
/// which also subtracts the mean.
enum class NormKind { Rms, Layer };

/// Activation of the feed-forward. ReluSquared: So et al. 2021; Xielu: Huang & Schlag 2024
/// (arXiv:2411.13010); SwigluClamped: ClampedSwiglu.
enum class Activation { Silu, GeluTanh, ReluSquared, Xielu, SwigluClamped };

/// The gated activation of gpt-oss: (up + 1) gate sigmoid(alpha gate), with gate clamped to at most
/// `limit` and up to +-limit.
struct ClampedSwiglu {
    float alpha = 1.702F;
    float limit = 7.0F;
    friend bool operator==(const ClampedSwiglu&, const ClampedSwiglu&) = default;
};

/// The learnt numbers of Activation::Xielu in one layer, as files hold them. With p and n as
/// softplus of the first two: p x^2 + beta x above 0, otherwise (expm1(min(x, epsilon)) - x) (beta
/// + n) + beta x.
struct XieluCurve {
    float alphaPositive = 0.0F;
    float alphaNegative = 0.0F;
    float beta = 0.5F;
    float epsilon = -1e-6F;
    friend bool operator==(const XieluCurve&, const XieluCurve&) = default;
};

/// Queries at position p are multiplied by 1 + scale * log(1 + floor((p + offset) / length)).
struct QueryTemperature {
    float scale = 0.0F;            ///< 0 = none
    int length = 0;                ///< tokens
    int offset = 0;                ///< tokens; 0 in ministral3, 1 in llama4
    bool unrotatedLayers = false;  ///< only in layers that do not rotate: llama4
};

/// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434, sec. 2.1) in its absorbed form: the
/// cache holds one row for each token, the part of its key that rotates followed by a latent. Every
/// query head reads this row as its key, after a matrix of the head has mapped the rest of the
/// query into the space of the latent, and the latent as its value.
struct LatentAttention {
    int length = 0;     ///< elements of the latent
    int rotated = 0;    ///< elements of a key and of a query head that rotate
    int unrotated = 0;  ///< other elements of a query head before its matrix is applied
    int value = 0;      ///< elements of a head of the output, after the head's matrix
    int queryRank = 0;  ///< elements of the latent of the queries; 0 = they have none
    [[nodiscard]] int keyLength() const { return rotated + length; }
    [[nodiscard]] int queryLength() const { return unrotated + rotated; }
    friend bool operator==(const LatentAttention&, const LatentAttention&) = default;
};

/// Epsilon of the norms of latents, whatever ModelSpec::rmsEpsilon is: the default of the norm's
/// class in Hugging Face transformers.
inline constexpr float kLatentNormEpsilon = 1e-6F;

/// Properties that differ between the layers of one model. In `layerSpecs` a size of 0 stands for
/// that of the model; ModelSpec::layer replaces it, and sets what follows from latent attention.
struct LayerSpec {
    bool sliding = false;  ///< attention sees the newest `window` tokens only, and uses `localRope`
    bool rotary = true;    ///< false: no position embedding (smollm3)
    bool experts = false;  ///< mixture of experts instead of, or in parallel with, one feed-forward
    int kvHeads = 0;
    int headDim = 0;      ///< elements of a query or key head
    int valueDim = 0;     ///< elements of a value head, usually those of a key head
    int feedForward = 0;  ///< inner width of the dense feed-forward
    /// The layer has no keys and values of its own: it reads the rows of this earlier one. gemma4.
    std::optional<int> readsCacheOf = {};
    /// The values are the projected keys, before the keys' norm and rotation: gemma4.
    bool keysAsValues = false;
    /// A value is the end of its key and is not stored: latent attention.
    bool valuesInKeys = false;
    LayerMixer mixer = LayerMixer::Attention;
    bool mixerOnly = false;  ///< no feed-forward: mamba2, nemotron_h
    friend bool operator==(const LayerSpec&, const LayerSpec&) = default;
};

/// Conversion of the router's logits to scores.
enum class ExpertScoring {
    Softmax,  ///< over all experts; if normalised, it equals a softmax over the chosen ones
    Sigmoid,
    /// Two experts; the weight of each is a softmax over the experts that are almost as good
    /// (Phi-3.5-MoE, arXiv:2404.14219).
    SparseMixer,
};

/// Mixture of experts (Shazeer et al. 2017): the router's logits are converted to scores, and the
/// outputs of the best `perToken` experts are summed with their scores as weights.
struct ExpertSpec {
    int count = 0;  ///< 0: dense
    int perToken = 0;
    int feedForward = 0;           ///< inner width of one expert
    int sharedFeedForward = 0;     ///< inner width of the expert that every token uses; 0 = none
    bool normaliseWeights = true;  ///< the chosen weights are divided by their sum
    float weightScale = 1.0F;      ///< factor on the chosen weights
    ExpertScoring scoring = ExpertScoring::Softmax;
    /// Each expert has a bias that affects its selection but not its weight (DeepSeek-V3,
    /// arXiv:2412.19437).
    bool selectionBias = false;
    /// Experts form `groups` groups of equal size, and are chosen from the `groupsPerToken` groups
    /// with the largest sum of their two best scores (DeepSeek-V3).
    int groups = 1;
    int groupsPerToken = 1;
    int groupBest = 2;              ///< scores that are summed to compare groups; 1 in DeepSeek-V2
    float smallestSum = 1e-20F;     ///< lower limit of the divisor of the weights
    float jitter = 0.01F;           ///< SparseMixer: experts within twice this share are included
    bool routerBias = false;        ///< bias of the router's logits: gpt-oss
    bool biases = false;            ///< biases of gate, up and down of each expert: gpt-oss
    bool weighsInput = false;       ///< weights multiply the input of an expert: llama4
    bool sharedExpertGate = false;  ///< the sigmoid of a gate scales the shared expert: qwen2moe
    /// Experts run in parallel with the dense feed-forward, each branch with norms of its own, and
    /// the router reads the normed residual; weights are multiplied by a factor of the expert:
    /// gemma4.
    bool parallelToDense = false;
};

struct ModelSpec {
    std::string architecture;  ///< GGUF name of a row of architectures.h: "llama", "qwen3moe"
    std::string name;          ///< from the file, or its file name
    std::string licence;       ///< empty if the file does not state it
    std::string fileType;      ///< recipe of the file or commonest matrix type, "Q4_K_M"
    int layers = 0;
    int hidden = 0;
    int heads = 0;
    // Sizes of a layer; if the layers differ, the largest of all. Code that handles one layer asks
    // layer() for its own.
    int kvHeads = 0;
    int headDim = 0;
    int feedForward = 0;
    int vocabulary = 0;
    int context = 0;           ///< trained context, tokens
    float rmsEpsilon = 1e-6F;  ///< epsilon of every norm, whatever its kind
    RopeSpec rope;
    std::optional<RopeSpec> localRope;  ///< RoPE of sliding layers; nullopt = `rope` (gemma3 has
                                        ///< its own)
    bool tiedEmbeddings = false;
    bool qkvBias = false;
    bool outputBias = false;       ///< bias of the matrix after attention
    bool feedForwardBias = false;  ///< biases of gate, up and down
    bool logitBias = false;        ///< bias of the output matrix
    QkNorm qkNorm = QkNorm::None;
    bool qkNormAfterRotary = false;  ///< query and key norms follow the rotation: hunyuan
    bool valueNorm = false;          ///< RMS norm without gain of each value head: gemma4
    NormPlacement norms = NormPlacement::Before;
    NormKind normKind = NormKind::Rms;
    bool normBias = false;  ///< biases of the norms of the hidden size
    /// Attention and feed-forward read the same normed row, and both are added to the residual.
    bool parallelResidual = false;
    Activation activation = Activation::Silu;
    bool gated = true;              ///< false: down(activation(up(x))), without a gate
    std::vector<XieluCurve> xielu;  ///< [layers] for Activation::Xielu, otherwise empty
    ClampedSwiglu swiglu;           ///< for Activation::SwigluClamped
    QueryTemperature temperature;
    /// Number of tokens that a sliding layer sees, including its own; 0 = no layer slides.
    int window = 0;
    /// Sliding layers see the tokens of their own chunk of `window` tokens: llama4.
    bool chunked = false;
    /// Each query head has a score without a value in the denominator of its softmax
    /// (arXiv:2309.17453, sec. 3.3): gpt-oss.
    bool sinks = false;
    std::vector<float> sinkScores;  ///< [layers, heads], read from the tensors
    /// Elements P of the embedding that each layer has of each token and adds to its output, gated;
    /// 0 = none: gemma4.
    int layerEmbedding = 0;
    /// Number of layers for multi-token prediction after the last one. They take no part in the
    /// model's own logits.
    int draftLayers = 0;
    /// The file holds a block for multi-token prediction (DraftBlock), the first of these layers or
    /// a part of its own.
    bool draftBlock = false;
    std::vector<LayerSpec> layerSpecs;  ///< [layers]; empty = no layer differs
    RecurrentSpec recurrent;
    /// The mixers of the recurrent layers, in their order; null before the weights are loaded.
    std::shared_ptr<const std::vector<MixerWeights>> mixers;
    /// The query matrix also projects a gate of each query element, head by head; its sigmoid
    /// multiplies the output of attention: qwen35.
    bool attentionGate = false;
    /// Latent attention of every layer that attends: one KV head of keyLength() elements.
    std::optional<LatentAttention> latent;
    ExpertSpec experts;
    float embeddingScale = 1.0F;  ///< factor on the embedding: gemma (root of hidden), granite
    float residualScale = 1.0F;   ///< factor on each branch before it is added: granite
    std::optional<float> attentionScale;  ///< factor on query x key; nullopt = headDim^-1/2
    float logitScale = 1.0F;              ///< factor on the logits; granite: 1 / logits_scaling
    float attentionSoftCap = 0.0F;        ///< c: c tanh(score / c); 0: none (gemma2)
    float logitSoftCap = 0.0F;            ///< the same on the logits
    /// 128-bit hash over metadata and tensor table (names, types, shapes, and the first and last 4
    /// KiB of each tensor's data), hexadecimal.
    std::string fingerprint;
    std::uint64_t parameters = 0;   ///< a matrix stored twice counts once
    std::uint64_t weightBytes = 0;  ///< bytes of all tensors in use, as they are in the file
    /// Memory of the weights once they are loaded, whether copied or mapped: without tables whose
    /// rows are looked up in the file, with norms, biases and some matrices decoded to F32.
    std::uint64_t residentBytes = 0;
    std::uint64_t tableBytes = 0;  ///< bytes of those tables, of which a token reads one row each
    /// Names of metadata keys or fields that are unknown and unused, printable.
    std::vector<std::string> unusedKeys;
    /// The file holds an image encoder, which is ignored: the model reads only text.
    bool imageEncoder = false;

    /// Returns the properties of a layer with all its sizes.
    [[nodiscard]] LayerSpec layer(int index) const;
    /// Returns the head size of the first layer that slides, or that does not; `headDim` without
    /// one.
    [[nodiscard]] int headDimOf(bool sliding) const;
    /// Returns the layer whose rows a layer reads: its own, or LayerSpec::readsCacheOf.
    [[nodiscard]] int cacheLayer(int index) const {
        return layer(index).readsCacheOf.value_or(index);
    }
    /// Returns true if a layer has attention over rows.
    [[nodiscard]] bool attends(int index) const {
        const LayerMixer mixer = layer(index).mixer;
        return mixer == LayerMixer::Attention || mixer == LayerMixer::Both;
    }
    [[nodiscard]] bool isRecurrent(int index) const {
        const LayerMixer mixer = layer(index).mixer;
        return mixer == LayerMixer::Recurrent || mixer == LayerMixer::Both;
    }
    /// Returns true if every layer has KV heads, head size and rows of its own, all of one size,
    /// and values as long as keys.
    [[nodiscard]] bool uniformCache() const;
    /// Returns sentences that name them and an image encoder; empty if there are none.
    [[nodiscard]] std::string unusedKeysNote() const;
    /// Refuses unsupported hyperparameters: Model* errors naming field, found, expected.
    [[nodiscard]] Status check() const;
};

}  // namespace lacuna
