#pragma once
/// \file
/// A forward pass over a conversation for what comes of it: the queries of the text at its own
/// places, or of the text once more after an instruction to repeat it, with what they look at, or
/// scores that are foretold from what the layers read. The pass fills a cache of its own, which
/// keeps every token and goes with it; the conversation stays as it is. It is made a chunk at a
/// time, by whoever has time for one, and can be dropped between any two; made at once it gives the
/// same. Costs what reading the text as a prompt does, a repetition two readings more at most.
/// Called on the thread that owns the model. docs/attention-matching.md, "Reference queries";
/// docs/eviction.md, "Scores by repetition".

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/compress/query_source.h"
#include "engine/kv/kv_cache.h"
#include "engine/model/transformer.h"
#include "engine/tensor/dtype.h"

namespace lacuna {

/// The instruction to repeat what stands before it, as a message of the person's. Errors: those of
/// promptTokens.
[[nodiscard]] Result<std::vector<TokenId>> repeatInstruction(const LoadedModel& model);

/// What a pass is made with.
struct QueryPass {
    Transformer* model = nullptr;
    std::span<const TokenId> tokens;  ///< of the conversation; a wish says how many count
    DType type = DType::F16;          ///< of the cache that is filled
    int chunk = 128;                  ///< tokens per forward pass, at most those the model allows
    /// Most bytes that its cache may take.
    std::int64_t mostBytes = std::numeric_limits<std::int64_t>::max();
    std::function<bool()> cancelled = {};  ///< asked within forward passes; true ends the pass
};

class TextPass {
  public:
    /// Plans the pass and makes its cache; nothing is computed yet, and `pass.tokens` are not
    /// needed any more. A wish for Context or Repeat brings a fair sample of queries, of bounded
    /// size. With scores the text is read, and after it, again and again, an instruction to repeat
    /// it from some place on and the next piece of it, of about 2,048 tokens or of what the context
    /// has room for (arXiv 2505.23416). Errors: ContextFull (a repetition passes the context of the
    /// model, or no piece worth repeating fits after the text), NoMemory (mostBytes), those of
    /// promptTokens.
    [[nodiscard]] static Result<std::unique_ptr<TextPass>> begin(const QueryWish& wish,
                                                                 const QueryPass& pass);
    ~TextPass();

    [[nodiscard]] bool done() const { return stretch_ == plan_.size(); }
    [[nodiscard]] double share() const;  ///< 0..1 of the tokens that are to be fed
    /// Bytes that its cache takes once it is full, and its scores.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// Feeds the next chunk; of `pass` the model, the chunk and whether it is cancelled are read.
    /// Errors: those of Transformer::forward. A chunk that failed or was cancelled can be fed
    /// again. @pre not done
    [[nodiscard]] Status step(const QueryPass& pass);
    /// What came of it. Nothing else may be called afterwards. @pre done
    [[nodiscard]] TextReading take();

  private:
    /// Tokens that are fed in a row, and whether their queries count.
    struct Stretch {
        std::vector<TokenId> tokens;
        bool counts = false;
        int goesBack = 0;  ///< tokens that are taken back after it: a piece ends with it
    };
    class Observer;

    TextPass() = default;
    [[nodiscard]] Status planReading(const QueryWish& wish, const QueryPass& pass);
    [[nodiscard]] Status planPieces(const QueryWish& wish, const QueryPass& pass);
    void add(std::span<const TokenId> tokens, bool counts);
    [[nodiscard]] Status makeCache(const QueryWish& wish, const QueryPass& pass, std::size_t tokens,
                                   std::int64_t scored);

    std::vector<Stretch> plan_;
    std::size_t stretch_ = 0;  ///< being fed
    std::size_t at_ = 0;       ///< of its tokens, those that were
    std::size_t total_ = 0, fed_ = 0;
    std::unique_ptr<KvCache> cache_;
    Position promptEnd_{};
    std::int64_t bytes_ = 0;
    std::unique_ptr<Observer> observer_;
};

/// A pass from its beginning to its end. Errors: those of begin and step.
[[nodiscard]] Result<TextReading> readText(const QueryWish& wish, const QueryPass& pass);
/// The same, to be handed down. What `pass` points to must outlive it.
[[nodiscard]] QueryReader queryReader(QueryPass pass);

}  // namespace lacuna
