#pragma once
/// \file
/// What a model is: plain hyperparameters, checked once when they are read. Immutable afterwards.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace lacuna {

/// Which elements of a head rotate together.
enum class RopePairing {
    Halves,       ///< (i, i + dim/2): Hugging Face order; GGUF of qwen2, qwen3
    Interleaved,  ///< (2i, 2i+1): GGUF of llama, whose Q and K rows are permuted to match
};

/// Rotary position embedding (Su et al. 2021) and its scaling.
struct RopeSpec {
    enum class Scaling { None, Linear, Llama3 };
    float base = 10000.0F;
    int dim = 0;  ///< elements of a head that rotate; even, <= headDim
    RopePairing pairing = RopePairing::Halves;
    Scaling scaling = Scaling::None;
    float factor = 1.0F;
    float lowFrequencyFactor = 1.0F;   ///< Llama3
    float highFrequencyFactor = 4.0F;  ///< Llama3
    int originalContext = 0;           ///< Llama3, tokens
    /// GGUF `rope_freqs.weight`: divisors per pair [dim/2]; empty when the file has none.
    std::vector<float> frequencyFactors;
};

struct ModelSpec {
    std::string architecture;  ///< "llama", "qwen2", "qwen3"
    std::string name;          ///< from the file, or its file name
    std::string licence;       ///< empty when the file does not say
    std::string fileType;      ///< commonest matrix type, "Q8_0"
    int layers = 0;
    int hidden = 0;
    int heads = 0;
    int kvHeads = 0;
    int headDim = 0;
    int feedForward = 0;
    int vocabulary = 0;
    int context = 0;  ///< trained context, tokens
    float rmsEpsilon = 1e-6F;
    RopeSpec rope;
    bool tiedEmbeddings = false;
    bool qkvBias = false;
    bool qkNorm = false;
    /// 128-bit hash over metadata and tensor table (names, types, shapes, and the first and last 4
    /// KiB of each tensor's data), hexadecimal.
    std::string fingerprint;
    std::uint64_t parameters = 0;
    std::uint64_t weightBytes = 0;

    /// Refuses what cannot be computed: Model* errors naming field, found, expected.
    [[nodiscard]] Status check() const;
};

}  // namespace lacuna
