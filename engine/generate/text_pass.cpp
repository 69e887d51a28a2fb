#include "engine/generate/text_pass.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/generate/cache_shape.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/prompt.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

constexpr std::string_view kInstruction = "Repeat the text above, word for word.";

constexpr std::size_t kPiece = 2048;   // length in tokens, as in the paper
constexpr std::size_t kMinPiece = 64;  // shorter pieces would cost more for instructions than for
                                       // text
constexpr std::size_t kTail = 8;  // tokens quoted to identify the start of a piece, as in the paper
// Maximum additional length of an instruction due to the quoted tail.
constexpr std::size_t kQuoteRoom = 4 * kTail;

/// Returns true if a copy of the cache can replace reading the `tokens` it covers.
bool holdsUncompressed(const KvCache& cache, std::size_t tokens) {
    const KvShape& shape = cache.shape();
    return cache.offset().value == static_cast<std::int32_t>(tokens) &&
           cache.stats().compactions == 0 && cache.capabilities().holdsEveryToken && !shape.coded();
}

/// Encodes an instruction as a user message that can follow any conversation.
Result<std::vector<TokenId>> instruction(const LoadedModel& model, std::string_view words) {
    const std::vector<ChatMessage> asked{{"user", std::string(words)}};
    LACUNA_TRY(auto tokens, promptTokens(model, asked));
    const auto& bos = model.tokenizer.data().bos;
    // Remove BOS, unless the template starts every message with it.
    if (bos && !tokens.empty() && tokens.front() == *bos && std::ranges::count(tokens, *bos) == 1)
        tokens.erase(tokens.begin());
    return tokens;
}

/// Asks for the text after `tail`, or from its beginning if `tail` is empty.
Result<std::vector<TokenId>> askedFrom(const LoadedModel& model, std::span<const TokenId> tail,
                                       std::size_t plain) {
    if (tail.empty()) return instruction(model, kInstruction);
    LACUNA_TRY(const std::string words, model.tokenizer.decode(tail));
    LACUNA_TRY(auto tokens,
               instruction(model, format("Repeat the text above, word for word, from after \"{}\".",
                                         words)));
    // A tail that encodes to many tokens must not use up the room of the piece.
    if (tokens.size() > plain + kQuoteRoom) return instruction(model, kInstruction);
    return tokens;
}

}  // namespace

Result<std::vector<TokenId>> repeatInstruction(const LoadedModel& model) {
    return instruction(model, kInstruction);
}

/// Collects what the pass was requested for. A chunk may be observed again from its beginning.
class TextPass::Observer final : public QueryObserver {
  public:
    explicit Observer(const QueryRequest& request) : queries_(request.shape, request.seed, 0) {
        if (request.predictedBy != nullptr) predicted_.emplace(request.predictedBy);
    }
    void score(const KvCache& cache, std::int64_t tokens, const CompactorModel& model,
               ThreadPool& pool) {
        sinks_ = model.sinks;
        scores_.emplace(
            cache, tokens, model.heads,
            LogitScaling{.scale = model.scale, .softCap = model.softCap, .sinks = sinks_.get()},
            pool);
    }
    /// Sets whether the following queries count. Returns true if the observer needs them at all.
    [[nodiscard]] bool wants(bool counts) {
        counts_ = counts;
        return counts || predicted_.has_value();
    }
    [[nodiscard]] bool observesInputs() const override { return predicted_.has_value(); }
    void observeInputs(LayerIndex layer, View<const float, 2> inputs, Position first) override {
        if (predicted_) predicted_->observeInputs(layer, inputs, first);
    }
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        if (!counts_) return;
        if (scores_) scores_->observeQueries(layer, queries, first);
        // Queries of all pieces get consecutive positions as in one text, even though the cache is
        // rolled back.
        queries_.observeQueries(layer, queries, scores_ ? place_ : first);
    }
    void passed(std::size_t tokens) {
        if (counts_) place_ = place_ + static_cast<std::int32_t>(tokens);
    }
    void countPiece() { scores_->countPiece(); }
    [[nodiscard]] TextReading take() {
        TextReading reading(std::move(queries_));
        reading.predicted = std::move(predicted_);
        if (scores_) reading.scores = std::make_shared<const ReconstructionScores>(scores_->take());
        return reading;
    }

  private:
    ReferenceQueries queries_;
    std::optional<PredictedScores> predicted_;
    std::shared_ptr<const AttentionSinks> sinks_;  ///< used by the scores
    std::optional<ReconstructionObserver> scores_;
    bool counts_ = false;
    Position place_{};
};

TextPass::~TextPass() = default;

Result<std::unique_ptr<TextPass>> TextPass::begin(const QueryRequest& request,
                                                  const QueryPass& pass) {
    std::unique_ptr<TextPass> made(new TextPass);
    made->observer_ = std::make_unique<Observer>(request);
    LACUNA_TRY_STATUS(request.scoredOn != nullptr ? made->planPieces(request, pass)
                                                  : made->planReading(request, pass));
    return made;
}

/// Reads the text once, and a second time after the instruction if a repetition is requested.
Status TextPass::planReading(const QueryRequest& request, const QueryPass& pass) {
    const auto text = pass.tokens.first(static_cast<std::size_t>(request.end.value));
    const auto turn = static_cast<std::size_t>(request.turn.value);
    if (request.source == QuerySource::Repeat) {
        const LoadedModel& model = pass.model->model();
        LACUNA_TRY(const auto asked, repeatInstruction(model));
        const auto again = turn > 0 ? text.first(turn) : text;
        const std::size_t all = text.size() + asked.size() + again.size();
        const auto context = static_cast<std::size_t>(model.spec.context);
        if (all > context)
            return fail(
                ErrorCode::ContextFull,
                format("it would take {} tokens, but the context of the model has room for {}", all,
                       context));
        std::vector<TokenId> first(text.begin(), text.end());
        first.insert(first.end(), asked.begin(), asked.end());
        add(first, false);
        add(again, true);
    } else {
        add(text.first(turn), false);
        add(text.subspan(turn), true);
    }
    return makeCache(request, pass, total_, 0, nullptr);
}

Status TextPass::planPieces(const QueryRequest& request, const QueryPass& pass) {
    const LoadedModel& model = pass.model->model();
    const auto whole = pass.tokens.first(static_cast<std::size_t>(request.end.value));
    const auto turn = static_cast<std::size_t>(request.turn.value);
    const auto text = turn > 0 ? whole.first(turn) : whole;
    LACUNA_TRY(const auto plain, repeatInstruction(model));
    const auto context = static_cast<std::size_t>(model.spec.context);
    const std::size_t taken = whole.size() + plain.size() + kQuoteRoom;
    const std::size_t room = context > taken ? std::min(kPiece, context - taken) : 0;
    if (text.empty() || plain.empty() || room < std::min(kMinPiece, text.size()))
        return fail(ErrorCode::ContextFull,
                    format("it would take {} tokens with its first piece, but the context of the "
                           "model has room for {}",
                           taken + std::min(kMinPiece, text.size()), context));
    const std::size_t pieces = (text.size() + room - 1) / room;
    const std::size_t length = (text.size() + pieces - 1) / pieces;
    const bool continues = pass.full != nullptr && request.predictedBy == nullptr &&
                           holdsUncompressed(*pass.full, whole.size());
    LACUNA_TRY_STATUS(makeCache(request, pass, taken + length,
                                static_cast<std::int64_t>(text.size()),
                                continues ? pass.full : nullptr));
    if (!continues) add(whole, false);
    for (std::size_t at = 0; at < text.size(); at += length) {
        const std::size_t tail = std::min(at, kTail);
        LACUNA_TRY(auto asked, askedFrom(model, text.subspan(at - tail, tail), plain.size()));
        // The last token of the instruction is the query that predicts the first token of the
        // piece.
        std::vector<TokenId> counts(1, asked.back());
        asked.pop_back();
        const auto piece = text.subspan(at, std::min(length, text.size() - at));
        counts.insert(counts.end(), piece.begin(), piece.end());
        if (pieces == 1 && pass.rows != nullptr) rows_ = pass.rows->rowsNeeded(counts);
        const std::size_t first = plan_.size();
        add(asked, false);
        add(counts, true);
        plan_[first].begins = plan_.back().rollbackTokens =
            static_cast<int>(asked.size() + counts.size());
    }
    return {};
}

void TextPass::add(std::span<const TokenId> tokens, bool counts) {
    if (tokens.empty()) return;
    plan_.push_back({.tokens = {tokens.begin(), tokens.end()}, .counts = counts});
    total_ += tokens.size();
}

/// Makes a cache for `tokens` tokens, or a copy of `full` that will hold as many, and scores for
/// `scored` of them.
Status TextPass::makeCache(const QueryRequest& request, const QueryPass& pass, std::size_t tokens,
                           std::int64_t scored, KvCache* full) {
    const ModelSpec& spec = pass.model->model().spec;
    KvOptions whole;
    whole.type = pass.type;
    whole.layerCaches = LayerCaches::Uniform;
    const std::int64_t held = full != nullptr ? full->offset().value : 0;
    bytes_ = cacheBytes(cacheModelOf(spec), whole, static_cast<std::int64_t>(tokens) - held) +
             (scored > 0 ? ReconstructionScores::bytes(plainShapeOf(spec), scored) : 0);
    if (bytes_ > pass.maxBytes) {
        return fail(
            ErrorCode::NoMemory,
            format(
                "its cache would take {:.1f} MiB, but only {:.1f} MiB are left below cache_limit",
                static_cast<double>(bytes_) / kMiB,
                static_cast<double>(std::max<std::int64_t>(pass.maxBytes, 0)) / kMiB));
    }
    if (full != nullptr) {
        LACUNA_TRY(cache_, full->share());
    } else {
        LACUNA_TRY(cache_, makeFullCache(spec, pass.type));
        promptEnd_ = Position(static_cast<std::int32_t>(tokens));
    }
    if (scored > 0)
        observer_->score(*cache_, scored, compactorModel(spec, request.seed, {}),
                         *request.scoredOn);
    return {};
}

double TextPass::share() const {
    return total_ == 0 ? 1.0 : static_cast<double>(fed_) / static_cast<double>(total_);
}

Status TextPass::step(const QueryPass& pass) {
    const Segment& segment = plan_[segment_];
    auto count =
        std::min(static_cast<std::size_t>(std::max(pass.chunk, 1)), segment.tokens.size() - at_);
    const bool gives = segment.counts && pass.rows != nullptr && at_ < rows_;
    if (gives) count = std::min({count, kLogitRows, rows_ - at_});
    const BatchRun run{.tokens = std::span(segment.tokens).subspan(at_, count),
                       .cache = cache_.get(),
                       .logits = gives ? LogitsFor::AllTokens : LogitsFor::None,
                       .observer = observer_->wants(segment.counts) ? observer_.get() : nullptr,
                       .promptEnd = promptEnd_};
    if (at_ == 0 && segment.begins > 0) LACUNA_TRY_STATUS(beginPiece(segment.begins));
    LACUNA_TRY(const auto rows, pass.model->forward({&run, 1}, {.cancelled = pass.cancelled}));
    if (gives) pass.rows->take(at_, rows);
    at_ += run.tokens.size();
    fed_ += run.tokens.size();
    observer_->passed(run.tokens.size());
    if (at_ < segment.tokens.size()) return {};
    at_ = 0;
    ++segment_;
    if (segment.rollbackTokens == 0) return {};
    observer_->countPiece();
    return rollBack(segment.rollbackTokens);
}

/// Recurrent layers can be rolled back by any number of tokens only in a span of speculation.
Status TextPass::beginPiece(int tokens) {
    if (cache_->states() == nullptr || speculates_) return {};
    LACUNA_TRY_STATUS(cache_->speculation().begin(tokens));
    speculates_ = true;
    return {};
}

Status TextPass::rollBack(int tokens) {
    if (!speculates_) return cache_->rollback(tokens);
    LACUNA_TRY_STATUS(cache_->speculation().rewind(tokens));
    speculates_ = false;
    return cache_->speculation().commit();
}

TextReading TextPass::take() {
    return observer_->take();
}

Result<TextReading> readText(const QueryRequest& request, const QueryPass& pass) {
    LACUNA_TRY(const auto text, TextPass::begin(request, pass));
    while (!text->done()) LACUNA_TRY_STATUS(text->step(pass));
    return text->take();
}

QueryReader queryReader(QueryPass pass) {
    return
        [pass = std::move(pass)](const QueryRequest& request) { return readText(request, pass); };
}

}  // namespace lacuna
