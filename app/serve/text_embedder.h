#pragma once
/// \file
/// Text embeddings from the served model: hidden states after the last layer and the final norm,
/// pooled. Runs alongside the engine with its own activations and threads over the same weights, so
/// a running answer shares only the cores. Attention is causal, as for answers. Internally
/// synchronised: one text at a time. docs/server.md, "Embeddings".

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/result.h"
#include "engine/base/work_budget.h"
#include "engine/format/load_model.h"
#include "engine/values/precision.h"

namespace lacuna::app {

enum class Pooling {
    Mean,  ///< mean over all tokens
    First,
    Last,
    None,  ///< no pooling: one vector per token
};

/// Accepts "mean", "cls", "last" or "none"; nullopt for any other name.
[[nodiscard]] std::optional<Pooling> poolingOf(std::string_view name);

/// Scales to unit length; a zero vector is unchanged.
void normalise(std::span<float> vector);

class TextEmbedder {
  public:
    /// Errors: those of Transformer::create.
    [[nodiscard]] static Result<std::unique_ptr<TextEmbedder>> create(
        std::shared_ptr<const LoadedModel> model, Precision precision, int threads);
    ~TextEmbedder();

    /// Returns one vector [width], or one per token for Pooling::None; not normalised. Errors:
    /// those of Transformer::forward; Cancelled if `stop` returns true. @pre `tokens` is not empty
    /// and fits the context
    [[nodiscard]] Result<std::vector<std::vector<float>>> embed(std::span<const TokenId> tokens,
                                                                Pooling pooling,
                                                                const StopRequested& stop);
    [[nodiscard]] int width() const;

  private:
    struct Parts;
    explicit TextEmbedder(std::unique_ptr<Parts> parts);

    Mutex m_mutex;
    std::unique_ptr<Parts> m_parts LACUNA_GUARDED_BY(m_mutex);
    int m_width = 0;
};

}  // namespace lacuna::app
