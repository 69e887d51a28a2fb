#pragma once
/// \file
/// What a compactor needs of a loaded model: its facts, and queries from a forward pass.

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/compress/compactor.h"
#include "engine/compress/query_source.h"
#include "engine/format/model_spec.h"
#include "engine/model/transformer.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

/// Facts of the model. Pure function.
[[nodiscard]] CompactorModel compactorModel(const ModelSpec& spec, std::uint64_t seed,
                                            HeadProfiles profiles);

/// The instruction to repeat what stands before it, as a message of the person's. Errors: those of
/// promptTokens.
[[nodiscard]] Result<std::vector<TokenId>> repeatInstruction(const LoadedModel& model);

/// A forward pass over a conversation for the queries that come of it: of the text itself at its
/// own places, or of the text once more after an instruction to repeat it. The pass fills a cache
/// of its own, which keeps every token and goes when the pass is done; the conversation stays as it
/// is. Runs on the calling thread, between two steps; costs what reading the text as a prompt does,
/// a repetition about twice that and more. docs/attention-matching.md, "Reference queries".
struct QueryPass {
    Transformer* model = nullptr;
    std::span<const TokenId> tokens;  ///< of the conversation; a wish says how many count
    DType type = DType::F16;          ///< of the cache that is filled
    int chunk = 128;                  ///< tokens per forward pass, at most those the model allows
    /// Most bytes that its cache may take.
    std::int64_t mostBytes = std::numeric_limits<std::int64_t>::max();
    std::function<bool()> cancelled = {};  ///< asked within forward passes; true ends the pass
};

/// Queries of a wish for Context or Repeat, a fair sample of bounded size. Errors: ContextFull (a
/// repetition passes the context of the model), NoMemory (mostBytes), Cancelled, those of
/// promptTokens and Transformer::forward.
[[nodiscard]] Result<ReferenceQueries> passForQueries(const QueryWish& wish, const QueryPass& pass);

/// The same for a wish with scores: the text is read, and after it, again and again, an instruction
/// to repeat it from some place on and the next piece of it, of about 2,048 tokens or of what the
/// context has room for (arXiv 2505.23416). Three readings of the text or less. Errors: likewise;
/// ContextFull where no piece worth repeating fits after the text.
[[nodiscard]] Result<TextReading> passForScores(const QueryWish& wish, const QueryPass& pass);

/// Either, to be handed down. What `pass` points to must outlive it.
[[nodiscard]] QueryReader queryReader(QueryPass pass);

}  // namespace lacuna
