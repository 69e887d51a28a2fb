#pragma once
/// \file
/// Vectors of texts from the model that is served: the states after its last layer and final norm,
/// pooled. Works alongside the engine, with activations and threads of its own over the same
/// weights, so that an answer that is being written waits for nothing but its share of the cores.
/// Attention looks backwards only, as in answers. Internally synchronised: one text at a time.
/// docs/server.md, "Embeddings".

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
    Mean,  ///< of all tokens
    First,
    Last,
    None,  ///< one vector for each token, as it is
};

/// "mean", "cls", "last" or "none"; no other name is one.
[[nodiscard]] std::optional<Pooling> poolingOf(std::string_view name);

/// Of unit length; the vector of zeros stays what it is.
void normalise(std::span<float> vector);

class TextEmbedder {
  public:
    /// Errors: those of Transformer::create.
    [[nodiscard]] static Result<std::unique_ptr<TextEmbedder>> create(
        std::shared_ptr<const LoadedModel> model, Precision precision, int threads);
    ~TextEmbedder();

    /// One vector [width], or, for Pooling::None, one for each token; not normalised. Errors: those
    /// of Transformer::forward, Cancelled once `stop` says so. @pre tokens not empty, within the
    /// context
    [[nodiscard]] Result<std::vector<std::vector<float>>> embed(std::span<const TokenId> tokens,
                                                                Pooling pooling,
                                                                const StopAsked& stop);
    [[nodiscard]] int width() const;

  private:
    struct Parts;
    explicit TextEmbedder(std::unique_ptr<Parts> parts);

    Mutex m_mutex;
    std::unique_ptr<Parts> m_parts LACUNA_GUARDED_BY(m_mutex);
    int m_width = 0;
};

}  // namespace lacuna::app
