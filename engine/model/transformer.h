#pragma once
/// \file
/// The forward pass: runs of new tokens and their caches in, logits out. Weights are read-only; all
/// activations are made once and reused. Owned by the engine thread.
/// Precision: f32 activations and accumulation in Exact; int8 activations for quantised weights,
/// and bf16 for F16/BF16 weights and for the attention of many rows, in Fast; int8 activations in
/// two terms for quantised weights, int8 for what meets rotated codes, else f32, in TwoTerms.

#include <functional>
#include <memory>
#include <span>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/base/thread_pool.h"
#include "engine/format/load_model.h"
#include "engine/kernels/kernels.h"
#include "engine/kv/kv_cache.h"
#include "engine/model/layer_tail.h"
#include "engine/tensor/view.h"
#include "engine/values/precision.h"

namespace lacuna {

enum class LogitsFor { None, LastToken, AllTokens };

/// A run of new tokens of one sequence; token i stands at cache->offset() + i.
struct BatchRun {
    std::span<const TokenId> tokens;
    KvCache* cache = nullptr;
    LogitsFor logits = LogitsFor::LastToken;
    QueryObserver* observer = nullptr;  ///< null: queries are not collected, and cost nothing
    /// Where the sequence will end as far as it is known (a prompt fed in chunks). Rotary scalings
    /// that ask for the length (LongRope, Dynamic) then treat all its chunks alike, as one step
    /// would; a value before this run's own end changes nothing.
    Position promptEnd{};
};

struct ForwardOptions {
    /// Asked between matrix products; true ends the step with Cancelled, all caches as before.
    std::function<bool()> cancelled;
    /// Begins in the middle, for one run. Nothing is appended: its cache is as before whatever
    /// comes of it.
    const LayerTail* tail = nullptr;
    LayerInputObserver layerInput = {};
};

class Transformer {
  public:
    struct Options {
        Precision precision = Precision::Fast;
        int maxTokens = 256;  ///< most tokens of one forward; activations are sized for it
        const KernelTable* kernels = nullptr;  ///< null: the fastest this processor can run
    };
    /// Errors: NoMemory, ModelTypeUse.
    [[nodiscard]] static Result<std::unique_ptr<Transformer>> create(
        std::shared_ptr<const LoadedModel> model, ThreadPool& pool, Options options);
    virtual ~Transformer() = default;
    /// Appends every run to its cache and returns logits [rows, vocabulary] in order of runs and
    /// tokens, valid until the next call. On error every cache is as before. Errors: NoMemory,
    /// Cancelled, ModelNonFinite, ModelChanged (a file of the weights is not what it was),
    /// InvalidArgument (token id out of range).
    [[nodiscard]] virtual Result<View<const float, 2>> forward(std::span<const BatchRun> runs,
                                                               const ForwardOptions& options) = 0;
    [[nodiscard]] virtual const LoadedModel& model() const = 0;
    [[nodiscard]] virtual std::size_t activationBytes() const = 0;
};

}  // namespace lacuna
