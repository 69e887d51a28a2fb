#pragma once
/// \file
/// Forward pass over a conversation that collects its queries, those of a repetition after an
/// instruction together with attention scores, or scores predicted from the layer inputs. It fills
/// a temporary uncompacted cache; the conversation is unchanged. docs/attention-matching.md,
/// "Reference queries"; docs/eviction.md, "Scores by repetition".
///
/// The pass runs in chunks and can be dropped between any two; running it at once gives the same
/// result. It costs as much as reading the text as a prompt; a repetition adds at most twice that.
/// Called on the thread that owns the model.

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
#include "engine/compress/driver/query_source.h"
#include "engine/kv/kv_cache.h"
#include "engine/model/transformer.h"
#include "engine/tensor/dtype.h"
#include "engine/tensor/view.h"

namespace lacuna {

/// Returns the instruction to repeat the preceding text, as a user message. Errors: those of
/// promptTokens.
[[nodiscard]] Result<std::vector<TokenId>> repeatInstruction(const LoadedModel& model);

/// Limits the logits of one forward pass; 40 MB for a vocabulary of 150,000.
inline constexpr std::size_t kLogitRows = 64;

/// Uses the logits of a repetition that a pass makes anyway. Called on the thread of the pass.
class RepetitionRows {
  public:
    virtual ~RepetitionRows() = default;
    /// Returns the number of rows of logits it needs for the first of these tokens, which follow
    /// the instruction without its last token; 0 if it cannot use them.
    [[nodiscard]] virtual std::size_t rowsNeeded(std::span<const TokenId> repeated) = 0;
    /// Takes the rows from index `first`; all rows before it were taken.
    virtual void take(std::size_t first, View<const float, 2> rows) = 0;
};

/// Parameters of a pass.
struct QueryPass {
    Transformer* model = nullptr;
    std::span<const TokenId> tokens;  ///< tokens of the conversation; the requested length is part
                                      ///< of QueryRequest
    DType type = DType::F16;          ///< number type of the temporary cache
    int chunk = 128;                  ///< tokens per forward pass, at most the model's limit
    /// Maximum size of the temporary cache.
    std::int64_t maxBytes = std::numeric_limits<std::int64_t>::max();
    std::function<bool()> cancelled = {};  ///< polled within forward passes; true cancels the pass
    /// Cache of the conversation. A repetition continues a copy of it if it holds exactly the
    /// requested tokens uncompressed, instead of reading them again. Null: the text is read.
    KvCache* full = nullptr;
    RepetitionRows* rows = nullptr;  ///< receives logits of a repetition in one piece; or null
};

class TextPass {
  public:
    /// Plans the pass and makes its cache; computes nothing yet, and does not need `pass.tokens`
    /// afterwards. Context and Repeat give a uniform sample of queries of bounded size. With scores
    /// the text is read, then repeatedly an instruction to continue it from some position and the
    /// next piece of it. A piece has about 2,048 tokens, or fewer if the context is short
    /// (arXiv:2505.23416). Errors: ContextFull (a repetition exceeds the model's context, or no
    /// useful piece fits after the text), NoMemory (maxBytes), those of promptTokens.
    [[nodiscard]] static Result<std::unique_ptr<TextPass>> begin(const QueryRequest& request,
                                                                 const QueryPass& pass);
    ~TextPass();

    [[nodiscard]] bool done() const { return segment_ == plan_.size(); }
    [[nodiscard]] double share() const;  ///< fed share of the planned tokens, 0..1
    /// Size of the filled cache and the scores.
    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    /// Feeds the next chunk. Only the model, the chunk size, `cancelled` and `rows` of `pass` are
    /// used. Errors: those of Transformer::forward. A chunk that failed or was cancelled can be fed
    /// again. @pre !done()
    [[nodiscard]] Status step(const QueryPass& pass);
    /// Returns the result. No other function may be called afterwards. @pre done()
    [[nodiscard]] TextReading take();

  private:
    /// Consecutive tokens to feed, and whether their queries are collected.
    struct Segment {
        std::vector<TokenId> tokens;
        bool counts = false;
        int begins = 0;          ///< tokens of the piece that begins here, otherwise 0
        int rollbackTokens = 0;  ///< tokens to roll back afterwards, at the end of a piece
    };
    class Observer;

    TextPass() = default;
    [[nodiscard]] Status planReading(const QueryRequest& request, const QueryPass& pass);
    [[nodiscard]] Status planPieces(const QueryRequest& request, const QueryPass& pass);
    [[nodiscard]] Status beginPiece(int tokens);
    [[nodiscard]] Status rollBack(int tokens);
    void add(std::span<const TokenId> tokens, bool counts);
    [[nodiscard]] Status makeCache(const QueryRequest& request, const QueryPass& pass,
                                   std::size_t tokens, std::int64_t scored, KvCache* full);

    std::vector<Segment> plan_;
    std::size_t segment_ = 0;  ///< index of the current segment
    std::size_t at_ = 0;       ///< tokens of the segment fed so far
    std::size_t total_ = 0, fed_ = 0;
    std::unique_ptr<KvCache> cache_;
    bool speculates_ = false;  ///< a piece is open as a span that will be taken back
    Position promptEnd_{};
    std::int64_t bytes_ = 0;
    std::size_t rows_ = 0;  ///< rows of logits to be taken at the start of the counted segment
    std::unique_ptr<Observer> observer_;
};

/// Performs a complete pass. Errors: those of begin and step.
[[nodiscard]] Result<TextReading> readText(const QueryRequest& request, const QueryPass& pass);
/// Wraps readText() as a QueryReader. Everything that `pass` points to must outlive it.
[[nodiscard]] QueryReader queryReader(QueryPass pass);

}  // namespace lacuna
