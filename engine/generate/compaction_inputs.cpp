#include "engine/generate/compaction_inputs.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/string_format.h"
#include "engine/compress/family_policy.h"
#include "engine/generate/prompt.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/model_cache.h"
#include "engine/model/rope.h"

namespace lacuna {

CompactorModel compactorModel(const ModelSpec& spec, std::uint64_t seed, HeadProfiles profiles) {
    CompactorModel model{
        .heads = spec.heads,
        .scale = spec.attentionScale.value_or(1.0F / std::sqrt(static_cast<float>(spec.headDim))),
        .softCap = spec.attentionSoftCap,
        .seed = seed,
        .profiles = std::move(profiles)};
    model.rotation = {.frequencies = ropeFrequencies(spec.rope),
                      .interleaved = spec.rope.pairing == RopePairing::Interleaved,
                      .magnitude = double{spec.rope.magnitude},
                      .variesWithLength = spec.rope.scaling == RopeSpec::Scaling::Dynamic ||
                                          spec.rope.scaling == RopeSpec::Scaling::LongRope};
    model.familyPolicy = policyForFamily(spec.architecture, spec.qkNorm != QkNorm::None).policy;
    for (int layer = 0; layer < spec.layers; ++layer) {
        if (spec.layer(layer).sliding) model.slidingLayers.push_back(layer);
        if (!spec.layer(layer).rotary) model.rotation.stillLayers.push_back(layer);
    }
    return model;
}

namespace {

constexpr std::string_view kInstruction = "Repeat the text above, word for word.";

/// What is read, and from which place on its queries count.
struct Reading {
    std::vector<TokenId> tokens;
    std::size_t counts = 0;
};

/// An instruction as a message of the person's, after whatever the conversation ends with.
Result<std::vector<TokenId>> instruction(const LoadedModel& model, std::string_view words) {
    const std::vector<ChatMessage> asked{{"user", std::string(words)}};
    LACUNA_TRY(auto tokens, promptTokens(model, asked));
    const auto& bos = model.tokenizer.data().bos;
    // Where every message begins with that token, it begins no text.
    if (bos && !tokens.empty() && tokens.front() == *bos && std::ranges::count(tokens, *bos) == 1)
        tokens.erase(tokens.begin());
    return tokens;
}

Result<Reading> readingOf(const QueryWish& wish, const QueryPass& pass) {
    const auto text = pass.tokens.first(static_cast<std::size_t>(wish.end.value));
    const auto turn = static_cast<std::size_t>(wish.turn.value);
    Reading reading{.tokens = {text.begin(), text.end()}, .counts = turn};
    if (wish.source != QuerySource::Repeat) return reading;
    LACUNA_TRY(const auto asked, instruction(pass.model->model(), kInstruction));
    const auto again = turn > 0 ? text.first(turn) : text;
    reading.tokens.insert(reading.tokens.end(), asked.begin(), asked.end());
    reading.counts = reading.tokens.size();
    reading.tokens.insert(reading.tokens.end(), again.begin(), again.end());
    const auto context = static_cast<std::size_t>(pass.model->model().spec.context);
    if (reading.tokens.size() > context)
        return fail(ErrorCode::ContextFull,
                    format("it would make {} tokens, and the context of the model has room for {}",
                           reading.tokens.size(), context));
    return reading;
}

/// For a cache of so many tokens, and `more` bytes.
Status checkRoom(const ModelSpec& spec, const QueryPass& pass, std::size_t tokens,
                 std::int64_t more = 0) {
    KvOptions whole;
    whole.type = pass.type;
    whole.layerCaches = LayerCaches::Uniform;
    const std::int64_t bytes =
        cacheBytes(cacheModelOf(spec), whole, static_cast<std::int64_t>(tokens)) + more;
    if (bytes <= pass.mostBytes) return {};
    constexpr double kMiB = 1024.0 * 1024.0;
    return fail(ErrorCode::NoMemory,
                format("its cache would take {:.1f} MiB, {:.1f} MiB are left below cache_limit",
                       static_cast<double>(bytes) / kMiB,
                       static_cast<double>(std::max<std::int64_t>(pass.mostBytes, 0)) / kMiB));
}

}  // namespace

Result<std::vector<TokenId>> repeatInstruction(const LoadedModel& model) {
    return instruction(model, kInstruction);
}

namespace {

/// Shows everything to one, and queries to another from a place on.
class ShownPass final : public QueryObserver {
  public:
    ShownPass(QueryObserver& shown, ReferenceQueries& queries) : shown_(shown), queries_(queries) {}
    [[nodiscard]] bool wantsInputs() const override { return shown_.wantsInputs(); }
    void observeInputs(LayerIndex layer, View<const float, 2> inputs, Position first) override {
        shown_.observeInputs(layer, inputs, first);
    }
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        shown_.observeQueries(layer, queries, first);
        if (counts) queries_.observeQueries(layer, queries, first);
    }

    bool counts = false;

  private:
    QueryObserver& shown_;
    ReferenceQueries& queries_;
};

}  // namespace

Result<ReferenceQueries> passForQueries(const QueryWish& wish, const QueryPass& pass) {
    const ModelSpec& spec = pass.model->model().spec;
    LACUNA_TRY(const Reading reading, readingOf(wish, pass));
    LACUNA_TRY_STATUS(checkRoom(spec, pass, reading.tokens.size()));
    LACUNA_TRY(const auto cache, makeWholeCache(spec, pass.type));
    ReferenceQueries queries(wish.shape, wish.seed, 0);
    std::optional<ShownPass> shown;
    if (wish.shown != nullptr) shown.emplace(*wish.shown, queries);
    const std::span<const TokenId> all(reading.tokens);
    const auto chunk = static_cast<std::size_t>(std::max(pass.chunk, 1));
    for (std::size_t at = 0; at < all.size();) {
        const bool counts = at >= reading.counts;
        const std::size_t end = counts ? all.size() : reading.counts;
        if (shown) shown->counts = counts;
        QueryObserver* const whole = shown ? &*shown : nullptr;
        const BatchRun run{.tokens = all.subspan(at, std::min(chunk, end - at)),
                           .cache = cache.get(),
                           .logits = LogitsFor::None,
                           .observer = whole == nullptr && counts ? &queries : whole,
                           .promptEnd = Position(static_cast<std::int32_t>(all.size()))};
        LACUNA_TRY([[maybe_unused]] const auto none,
                   pass.model->forward({&run, 1}, {.cancelled = pass.cancelled}));
        at += run.tokens.size();
    }
    return queries;
}

namespace {

constexpr std::size_t kPiece = 2048;   // tokens, as in the paper
constexpr std::size_t kMinPiece = 64;  // shorter ones would cost more for instructions than for
                                       // text
constexpr std::size_t kTail = 8;       // tokens that say where a piece begins, as in the paper
// What an instruction may be longer than the plain one for quoting the tail.
constexpr std::size_t kQuoteRoom = 4 * kTail;

/// Gathers scores, and the queries as of one text however often the cache goes back.
class RepetitionObserver final : public QueryObserver {
  public:
    RepetitionObserver(ReconstructionObserver& scores, ReferenceQueries& queries)
        : scores_(scores), queries_(queries) {}
    void observeQueries(LayerIndex layer, View<const float, 3> queries, Position first) override {
        scores_.observeQueries(layer, queries, first);
        queries_.observeQueries(layer, queries, place_);
    }
    void passed(std::size_t tokens) { place_ = place_ + static_cast<std::int32_t>(tokens); }

  private:
    ReconstructionObserver& scores_;
    ReferenceQueries& queries_;
    Position place_{};
};

/// The cache of a pass, and how tokens come into it.
struct Repetition {
    const QueryPass& pass;
    std::unique_ptr<KvCache> cache;
    Position promptEnd{};

    [[nodiscard]] Status feed(std::span<const TokenId> tokens, RepetitionObserver* observer) {
        const auto chunk = static_cast<std::size_t>(std::max(pass.chunk, 1));
        for (std::size_t at = 0; at < tokens.size();) {
            const BatchRun run{.tokens = tokens.subspan(at, std::min(chunk, tokens.size() - at)),
                               .cache = cache.get(),
                               .logits = LogitsFor::None,
                               .observer = observer,
                               .promptEnd = promptEnd};
            LACUNA_TRY([[maybe_unused]] const auto none,
                       pass.model->forward({&run, 1}, {.cancelled = pass.cancelled}));
            at += run.tokens.size();
            if (observer != nullptr) observer->passed(run.tokens.size());
        }
        return {};
    }
};

/// Asks for the text from after `tail` on; for its beginning where there is none.
Result<std::vector<TokenId>> askedFrom(const LoadedModel& model, std::span<const TokenId> tail,
                                       std::size_t plain) {
    if (tail.empty()) return instruction(model, kInstruction);
    LACUNA_TRY(const std::string words, model.tokenizer.decode(tail));
    LACUNA_TRY(auto tokens,
               instruction(model, format("Repeat the text above, word for word, from after \"{}\".",
                                         words)));
    // A tail that spells badly must not take the room of the piece.
    if (tokens.size() > plain + kQuoteRoom) return instruction(model, kInstruction);
    return tokens;
}

}  // namespace

Result<TextReading> passForScores(const QueryWish& wish, const QueryPass& pass) {
    const LoadedModel& model = pass.model->model();
    const auto whole = pass.tokens.first(static_cast<std::size_t>(wish.end.value));
    const auto turn = static_cast<std::size_t>(wish.turn.value);
    const auto text = turn > 0 ? whole.first(turn) : whole;
    LACUNA_TRY(const auto plain, instruction(model, kInstruction));
    const auto context = static_cast<std::size_t>(model.spec.context);
    const std::size_t taken = whole.size() + plain.size() + kQuoteRoom;
    const std::size_t room = context > taken ? std::min(kPiece, context - taken) : 0;
    if (text.empty() || plain.empty() || room < std::min(kMinPiece, text.size()))
        return fail(ErrorCode::ContextFull,
                    format("it would make {} tokens with its first piece, and the context of the "
                           "model has room for {}",
                           taken + std::min(kMinPiece, text.size()), context));
    const std::size_t pieces = (text.size() + room - 1) / room;
    const std::size_t length = (text.size() + pieces - 1) / pieces;
    const KvShape shape{.layers = model.spec.layers,
                        .kvHeads = model.spec.kvHeads,
                        .keyDim = model.spec.headDim,
                        .valueDim = model.spec.headDim};
    const auto scored = static_cast<std::int64_t>(text.size());
    LACUNA_TRY_STATUS(
        checkRoom(model.spec, pass, taken + length, ReconstructionScores::bytes(shape, scored)));
    LACUNA_TRY(auto cache, makeWholeCache(model.spec, pass.type));
    const CompactorModel facts = compactorModel(model.spec, wish.seed, {});
    ReconstructionObserver scores(*cache, scored, facts.heads,
                                  {.scale = facts.scale, .softCap = facts.softCap}, *wish.scoredOn);
    ReferenceQueries queries(wish.shape, wish.seed, 0);
    RepetitionObserver observer(scores, queries);
    Repetition repetition{.pass = pass,
                          .cache = std::move(cache),
                          .promptEnd = Position(static_cast<std::int32_t>(taken + length))};
    LACUNA_TRY_STATUS(repetition.feed(whole, nullptr));
    for (std::size_t at = 0; at < text.size(); at += length) {
        const std::size_t tail = std::min(at, kTail);
        LACUNA_TRY(auto asked, askedFrom(model, text.subspan(at - tail, tail), plain.size()));
        // The last token of the instruction looks for the first one of the piece.
        std::vector<TokenId> counts(1, asked.back());
        asked.pop_back();
        const auto piece = text.subspan(at, std::min(length, text.size() - at));
        counts.insert(counts.end(), piece.begin(), piece.end());
        LACUNA_TRY_STATUS(repetition.feed(asked, nullptr));
        LACUNA_TRY_STATUS(repetition.feed(counts, &observer));
        scores.countPiece();
        LACUNA_TRY_STATUS(
            repetition.cache->rollback(static_cast<int>(asked.size() + counts.size())));
    }
    TextReading reading(std::move(queries));
    reading.scores = std::make_shared<const ReconstructionScores>(scores.take());
    return reading;
}

QueryReader queryReader(QueryPass pass) {
    return [pass = std::move(pass)](const QueryWish& wish) -> Result<TextReading> {
        if (wish.scoredOn != nullptr) return passForScores(wish, pass);
        return passForQueries(wish, pass);
    };
}

}  // namespace lacuna
