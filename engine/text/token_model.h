#pragma once
/// \file
/// What the kinds of tokenizers have in common: a piece of text in, ids out. Models are immutable
/// after creation and may be used from many threads.

#include <string_view>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/text/text_work.h"

namespace lacuna {

class TokenModel {
  public:
    virtual ~TokenModel() = default;
    /// Appends the ids of one piece, normalised and pre-split, to `out`.
    /// Errors: TokVocab when the vocabulary can neither spell it nor call it unknown; those of
    /// `work` once it is over.
    [[nodiscard]] virtual Status encodeInto(std::string_view piece, TextWork& work,
                                            std::vector<TokenId>& out) const = 0;
};

}  // namespace lacuna
