#pragma once
/// \file
/// The forward pass: computes logits from runs of new tokens and their caches. Weights are
/// read-only; all activations are allocated once and reused. Owned by the engine thread. Precision:
/// f32 activations and accumulation in Exact; int8 activations for quantised weights, and bf16 for
/// F16/BF16 weights and for the attention of many rows, in Fast; int8 activations in two terms for
/// quantised weights, int8 for operands of rotated codes, otherwise f32, in TwoTerms.

#include <functional>
#include <memory>
#include <span>
#include <vector>

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

/// A run of new tokens of one sequence; token i has position cache->offset() + i.
struct BatchRun {
    std::span<const TokenId> tokens;
    KvCache* cache = nullptr;
    LogitsFor logits = LogitsFor::LastToken;
    QueryObserver* observer = nullptr;  ///< null = queries are not collected and cost nothing
    /// Known end of the sequence (a prompt fed in chunks). Rotary scalings that depend on the
    /// length (LongRope, Dynamic) then treat all its chunks like one step; a value before this
    /// run's own end has no effect.
    Position promptEnd{};
    /// Receives the hidden states [tokens, hidden]: the normed output of the last layer; may be
    /// null.
    std::vector<float>* hidden = nullptr;
    /// For a draft block: the hidden states before each token [tokens, hidden]; otherwise ignored.
    View<const float, 2> before{};
};

struct ForwardOptions {
    /// Polled between matrix products; returning true ends the step with Cancelled and leaves all
    /// caches unchanged.
    std::function<bool()> cancelled;
    /// Starts at a later layer, for one run. Nothing is appended: its cache stays unchanged even on
    /// success.
    const LayerTail* tail = nullptr;
    LayerInputObserver layerInput = {};
};

class Transformer {
  public:
    struct Options {
        Precision precision = Precision::Fast;
        int maxTokens = 256;  ///< largest number of tokens of one forward pass; activations are
                              ///< sized for it
        const KernelTable* kernels = nullptr;  ///< null = the fastest that this processor can run
        bool draftBlock = false;  ///< computes only the model's draft block (DraftBlock)
    };
    /// Errors: NoMemory, ModelTypeUse, Unsupported (the model has no draft block).
    [[nodiscard]] static Result<std::unique_ptr<Transformer>> create(
        std::shared_ptr<const LoadedModel> model, ThreadPool& pool, Options options);
    virtual ~Transformer() = default;
    /// Appends every run to its cache and returns logits [rows, vocabulary] in order of runs and
    /// tokens, valid until the next call. On error every cache is unchanged. Errors: NoMemory,
    /// Cancelled, ModelNonFinite, ModelChanged (a file of the weights has changed), InvalidArgument
    /// (token id out of range).
    [[nodiscard]] virtual Result<View<const float, 2>> forward(std::span<const BatchRun> runs,
                                                               const ForwardOptions& options) = 0;
    [[nodiscard]] virtual const LoadedModel& model() const = 0;
    [[nodiscard]] virtual std::size_t activationBytes() const = 0;
};

}  // namespace lacuna
