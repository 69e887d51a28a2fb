#pragma once
/// \file
/// A second, smaller model that guesses what the first will draw: same vocabulary, weights and
/// activations of its own. Owned by the engine thread.

#include <memory>

#include "engine/model/transformer.h"

namespace lacuna {

struct DraftModel {
    std::shared_ptr<const LoadedModel> loaded;
    std::unique_ptr<Transformer> transformer;  ///< replaced when threads or chunks change
};

/// Whether the token ids of both mean the same texts. Errors: Incompatible, naming the first
/// difference (size, a piece, a special token, the ids of a sample text). Contract: SP-9.
[[nodiscard]] Status checkDraftVocabulary(const LoadedModel& target, const LoadedModel& draft);

}  // namespace lacuna
