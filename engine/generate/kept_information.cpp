#include "engine/generate/kept_information.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/random.h"
#include "engine/base/string_format.h"
#include "engine/base/units.h"
#include "engine/kernels/cpu_features.h"
#include "engine/kernels/kernels.h"
#include "engine/kv/eviction/eviction_plan.h"
#include "engine/kv/kv_factory.h"
#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

constexpr std::int64_t kWholeTexts = 2048;  // texts of up to this many tokens are measured
                                            // completely
constexpr int kSamples = 64;
constexpr std::int64_t kSampleTokens = 32;
// Number of tokens fed before a sample, so that the model can locate the passage.
constexpr std::int64_t kLeadTokens = 16;
// Tokens less probable than e^-12 of the most likely, with the full cache, count as one.
constexpr float kFarBelow = 12.0F;
constexpr std::size_t kMostLikely = 256;
constexpr std::uint64_t kPlaceStream = 0x6b657074;  // "kept"

/// The part of a distribution used to compute the divergence.
struct LikelyTokens {
    std::vector<TokenId> ids;     ///< the most likely one first, then in ascending order
    std::vector<float> logProbs;  ///< log-probability of each
};

struct Row {
    TokenId top = 0;
    double topLogit = 0;
    double logSum = 0;  ///< relative to topLogit
    [[nodiscard]] double logProb(std::span<const float> logits, TokenId token) const {
        return static_cast<double>(logits[static_cast<std::size_t>(token)]) - topLogit - logSum;
    }
};

Row rowOf(std::span<const float> logits, std::vector<float>& scratch) {
    const auto count = static_cast<std::int64_t>(logits.size());
    Row row;
    row.top = static_cast<TokenId>(std::ranges::max_element(logits) - logits.begin());
    const float top = logits[static_cast<std::size_t>(row.top)];
    scratch.assign(logits.begin(), logits.end());
    row.topLogit = static_cast<double>(top);
    row.logSum = std::log(static_cast<double>(bestKernels().expSum(scratch.data(), top, count)));
    return row;
}

LikelyTokens likelyOf(std::span<const float> logits, const Row& row) {
    LikelyTokens likely;
    const float least = static_cast<float>(row.topLogit) - kFarBelow;
    for (std::size_t i = 0; i < logits.size(); ++i)
        if (logits[i] > least) likely.ids.push_back(static_cast<TokenId>(i));
    const auto before = [&](TokenId a, TokenId b) {
        const float first = logits[static_cast<std::size_t>(a)];
        const float second = logits[static_cast<std::size_t>(b)];
        return first > second || (first == second && a < b);
    };
    if (likely.ids.size() > kMostLikely) {
        std::ranges::nth_element(likely.ids, likely.ids.begin() + kMostLikely, before);
        likely.ids.resize(kMostLikely);
        std::ranges::sort(likely.ids);
    }
    for (const TokenId id : likely.ids)
        likely.logProbs.push_back(static_cast<float>(row.logProb(logits, id)));
    return likely;
}

double divergence(const LikelyTokens& full, std::span<const float> logits, const Row& row) {
    constexpr double kTiny = 1e-9;
    double kl = 0;
    double p = 0;
    double q = 0;
    for (std::size_t i = 0; i < full.ids.size(); ++i) {
        const auto logP = static_cast<double>(full.logProbs[i]);
        const double logQ = row.logProb(logits, full.ids[i]);
        kl += std::exp(logP) * (logP - logQ);
        p += std::exp(logP);
        q += std::exp(logQ);
    }
    const double restP = std::max(1 - p, 0.0);
    if (restP > kTiny) kl += restP * std::log(restP / std::max(1 - q, kTiny));
    return std::max(kl, 0.0);
}

double nearestRank(const std::vector<double>& ascending, double share) {
    const auto count = static_cast<double>(ascending.size());
    const auto rank = static_cast<std::size_t>(std::max(std::ceil(share * count), 1.0));
    return ascending[std::min(rank, ascending.size()) - 1];
}

struct Sums {
    double gain = 0, lost = 0;
    void add(const RepeatedToken& token) {
        gain += token.gain();
        lost += token.lost();
    }
    [[nodiscard]] double kept() const { return gain > 0 ? 1 - lost / gain : 1; }
};

struct Passage {
    Sums sums;
    std::int64_t first = 0, end = 0;  ///< range of tokens in the text
    std::size_t rows = 0;             ///< tokens measured up to the end of the passage
};

/// Splits into complete passages; a piece shorter than a passage is one passage.
std::vector<Passage> passagesOf(std::span<const RepeatedToken> tokens) {
    std::vector<Passage> passages;
    for (std::size_t at = 0; at < tokens.size();) {
        std::size_t end = at;
        Passage passage;
        passage.first = tokens[at].position;
        while (end < tokens.size() && end - at < kPassageTokens &&
               tokens[end].piece == tokens[at].piece)
            passage.sums.add(tokens[end++]);
        passage.end = tokens[end - 1].position + 1;
        passage.rows = end;
        const bool begins = at == 0 || tokens[at - 1].piece != tokens[at].piece;
        if (begins || end - at == kPassageTokens) passages.push_back(passage);
        at = end;
    }
    return passages;
}

/// Returns the passage with the lowest share kept, among measured passages whose gain exceeds the
/// median of all; null if none is measured.
const Passage* weakestOf(const std::vector<Passage>& passages, std::size_t measured) {
    if (passages.empty()) return nullptr;
    std::vector<double> gains;
    for (const Passage& passage : passages) gains.push_back(passage.sums.gain);
    const auto middle = gains.begin() + static_cast<std::ptrdiff_t>((gains.size() - 1) / 2);
    std::ranges::nth_element(gains, middle);
    const Passage* weakest = nullptr;
    for (const Passage& passage : passages) {
        const bool counts = passages.size() == 1 || passage.sums.gain > *middle;
        if (!counts || passage.rows > measured) continue;
        if (weakest == nullptr || passage.sums.kept() < weakest->sums.kept()) weakest = &passage;
    }
    return weakest;
}

/// Standard error of a ratio of two sums, estimated from the variation between pieces.
double errorOf(std::span<const RepeatedToken> tokens, const Sums& all, double share) {
    if (share >= 1 || all.gain <= 0) return 0;
    std::vector<Sums> pieces;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (i == 0 || tokens[i].piece != tokens[i - 1].piece) pieces.emplace_back();
        pieces.back().add(tokens[i]);
    }
    if (pieces.size() < 2) return 0;
    const double ratio = all.lost / all.gain;
    double squares = 0;
    for (const Sums& piece : pieces) {
        const double off = piece.lost - ratio * piece.gain;
        squares += off * off;
    }
    const auto count = static_cast<double>(pieces.size());
    return std::sqrt(squares * count / (count - 1) * (1 - share)) / all.gain;
}

}  // namespace

double RepeatedToken::gain() const {
    return std::exp(full) * std::max(full - near, 0.0);
}

double RepeatedToken::lost() const {
    return std::min(std::exp(full) * std::max(full - compacted, 0.0), gain());
}

KeptInformation keptInformation(std::span<const RepeatedToken> all, double share,
                                std::size_t measured) {
    KeptInformation kept;
    const std::span<const RepeatedToken> tokens = all.first(measured);
    if (tokens.empty()) return kept;
    Sums sums;
    std::vector<double> kl;
    std::int64_t same = 0;
    for (const RepeatedToken& token : tokens) {
        sums.add(token);
        kl.push_back(token.kl);
        same += token.sameTop ? 1 : 0;
    }
    const auto count = static_cast<double>(tokens.size());
    kept.tokens = static_cast<std::int64_t>(tokens.size());
    kept.all = sums.kept();
    kept.error = errorOf(tokens, sums, share * count / static_cast<double>(all.size()));
    kept.sameTop = static_cast<double>(same) / count;
    for (const double one : kl) kept.klMean += one / count;
    std::ranges::sort(kl);
    kept.klP99 = nearestRank(kl, 0.99);

    const std::vector<Passage> passages = passagesOf(all);
    if (const Passage* weakest = weakestOf(passages, measured)) {
        kept.worst = weakest->sums.kept();
        kept.worstFirst = weakest->first;
        kept.worstEnd = weakest->end;
    }
    return kept;
}

bool exceeds(const LossThresholds& limit, std::span<const RepeatedToken> tokens,
             std::size_t measured) {
    double gain = 0;
    double lost = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        gain += tokens[i].gain();
        if (i < measured) lost += tokens[i].lost();
    }
    if (lost > (1 - limit.all) * gain) return true;
    const std::vector<Passage> passages = passagesOf(tokens);
    const Passage* weakest = weakestOf(passages, measured);
    return weakest != nullptr && weakest->sums.kept() < limit.worst;
}

RepetitionText measuredText(std::span<const TokenId> tokens, const KvOptions& options,
                            std::optional<std::int64_t> question) {
    const auto count = static_cast<std::int64_t>(tokens.size());
    std::int64_t end = std::max<std::int64_t>(count - options.keepRecent, 0);
    if (question) end = std::min(end, *question);
    return {.tokens = tokens, .end = end, .nSink = options.nSink, .type = options.type};
}

/// Progress of a cache that repeats the pieces one after the other.
struct RepetitionRun {
    std::unique_ptr<KvCache> base;   ///< covers the text and the instruction; null before it is
                                     ///< begun
    std::size_t fed = 0;             ///< instruction tokens fed
    std::unique_ptr<KvCache> going;  ///< covers the current piece as well; null between pieces
    std::size_t piece = 0;
    std::size_t at = 0;        ///< tokens of the piece fed so far
    std::size_t row = 0;       ///< index of the next counted token
    std::size_t computed = 0;  ///< total number of tokens fed
};

struct RepetitionGauge::Impl {
    enum class Stage { Reading, Full, Near, Idle, Compacted, Done };
    /// Consecutive tokens to feed; those before `counted` only provide context.
    struct Piece {
        std::vector<TokenId> tokens;  ///< starts with the last token of the instruction
        std::size_t counted = 1;
        std::int64_t position = 0;  ///< index of the first counted token in the text
    };

    [[nodiscard]] Status plan(std::size_t context, std::uint64_t seed);
    void addPiece(std::int64_t lead, std::int64_t first, std::int64_t count);
    [[nodiscard]] Status read();
    [[nodiscard]] Status nearCache();
    [[nodiscard]] Status repeat();
    [[nodiscard]] Status feedInstruction();
    [[nodiscard]] Status feedPiece();
    void take(View<const float, 2> rows, std::size_t firstRow, std::span<const TokenId> drawn);
    void take(std::span<const float> logits, std::size_t at, TokenId drawn,
              std::vector<float>& scratch);
    void enter(Stage next);
    /// Returns true while the repetition with the full cache has not begun.
    [[nodiscard]] bool awaitsRows() const { return stage == Stage::Full && run.base == nullptr; }
    [[nodiscard]] ForwardOptions forward() const { return {.cancelled = dependencies.cancelled}; }

    RepetitionContext dependencies;
    std::vector<TokenId> text;
    std::int64_t end = 0;
    int nSink = 0;
    KvCache* cache = nullptr;          ///< the cache to be measured
    std::unique_ptr<KvCache> whole;    ///< replaces a cache that was compacted before
    std::vector<TokenId> instruction;  ///< without its last token
    TokenId asks = 0;                  ///< last token of the instruction
    std::vector<Piece> pieces;
    double share = 1;  ///< measured share of the text
    Stage stage = Stage::Full;
    RepetitionRun run;
    std::size_t perRun = 0;  ///< tokens fed per run
    std::size_t taken = 0;   ///< rows of the full cache taken from another pass
    std::vector<RepeatedToken> tokens;
    std::vector<LikelyTokens> likely;
    std::optional<LossThresholds> limit;  ///< stops the measurement of a compacted cache early
    std::size_t measured = 0;             ///< measured tokens of the last compacted cache
};

RepetitionGauge::RepetitionGauge(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RepetitionGauge::~RepetitionGauge() = default;

Result<std::unique_ptr<RepetitionGauge>> RepetitionGauge::begin(const RepetitionText& text,
                                                                KvCache& cache,
                                                                RepetitionContext dependencies) {
    auto impl = std::make_unique<Impl>();
    impl->dependencies = std::move(dependencies);
    impl->text.assign(text.tokens.begin(), text.tokens.end());
    impl->end = std::min(text.end, static_cast<std::int64_t>(text.tokens.size()));
    impl->nSink = text.nSink;
    impl->cache = &cache;
    const LoadedModel& model = impl->dependencies.model->model();
    LACUNA_TRY(impl->instruction, repeatInstruction(model));
    LACUNA_TRY_STATUS(impl->plan(static_cast<std::size_t>(model.spec.context), text.seed));
    const KvShape& shape = cache.shape();
    if (cache.stats().compactions > 0 || shape.coded()) {
        KvOptions full;
        full.type = text.type;
        full.layerCaches = LayerCaches::Uniform;
        const std::int64_t bytes = cacheBytes(cacheModelOf(model.spec), full,
                                              static_cast<std::int64_t>(impl->text.size()));
        if (bytes > impl->dependencies.maxBytes)
            return fail(
                ErrorCode::NoMemory,
                format(
                    "the full cache to measure against would take {:.1f} MiB, but only {:.1f} MiB "
                    "are left below cache_limit",
                    static_cast<double>(bytes) / kMiB,
                    static_cast<double>(std::max<std::int64_t>(impl->dependencies.maxBytes, 0)) /
                        kMiB));
        LACUNA_TRY(impl->whole, makeFullCache(model.spec, text.type));
        impl->stage = Impl::Stage::Reading;
    }
    return std::unique_ptr<RepetitionGauge>(new RepetitionGauge(std::move(impl)));
}

/// Selects the complete text if it is short enough to be repeated; otherwise samples, one in each
/// of equally long parts.
Status RepetitionGauge::Impl::plan(std::size_t context, std::uint64_t seed) {
    if (end < kPassageTokens)
        return fail(
            ErrorCode::InvalidArgument,
            format("{} tokens are too few to measure how much of their information is kept", end));
    if (instruction.empty())
        return fail(ErrorCode::InvalidArgument, "the instruction to repeat the text is empty");
    asks = instruction.back();
    instruction.pop_back();
    const std::size_t before = text.size() + instruction.size() + 1;
    if (end <= kWholeTexts && before + static_cast<std::size_t>(end) <= context) {
        addPiece(0, 0, end);
    } else if (before + kLeadTokens + kSampleTokens <= context) {
        const std::int64_t samples =
            std::clamp<std::int64_t>(end / (kLeadTokens + kSampleTokens), 1, kSamples);
        for (std::int64_t i = 0; i < samples; ++i) {
            const std::int64_t from = end * i / samples;
            const std::int64_t to = end * (i + 1) / samples;
            const std::int64_t room = std::max<std::int64_t>(to - from - kSampleTokens, 0);
            const std::int64_t first =
                from + static_cast<std::int64_t>(
                           randomBits(seed, kPlaceStream, static_cast<std::uint64_t>(i)) %
                           static_cast<std::uint64_t>(room + 1));
            addPiece(std::min(first, kLeadTokens), first, std::min(kSampleTokens, end - first));
        }
        share = static_cast<double>(tokens.size()) / static_cast<double>(end);
    } else {
        return fail(ErrorCode::ContextFull,
                    format("it would take {} tokens, but the context of the model has room for {}",
                           before + kLeadTokens + kSampleTokens, context));
    }
    perRun = instruction.size();
    for (const Piece& piece : pieces) perRun += piece.tokens.size() - 1;
    likely.resize(tokens.size());
    return {};
}

void RepetitionGauge::Impl::addPiece(std::int64_t lead, std::int64_t first, std::int64_t count) {
    Piece piece;
    piece.counted = static_cast<std::size_t>(lead) + 1;
    piece.position = first;
    piece.tokens.push_back(asks);
    piece.tokens.insert(piece.tokens.end(), text.begin() + (first - lead),
                        text.begin() + first + count);
    for (std::int64_t i = 0; i < count; ++i)
        tokens.push_back({.position = first + i, .piece = static_cast<int>(pieces.size())});
    pieces.push_back(std::move(piece));
}

void RepetitionGauge::Impl::enter(Stage next) {
    stage = next;
    run = {};
}

/// Reads a chunk of the text into a full cache.
Status RepetitionGauge::Impl::read() {
    const auto at = static_cast<std::size_t>(whole->offset().value);
    const auto chunk = static_cast<std::size_t>(std::max(dependencies.chunk, 1));
    const BatchRun one{.tokens = std::span(text).subspan(at, std::min(chunk, text.size() - at)),
                       .cache = whole.get(),
                       .logits = LogitsFor::None,
                       .promptEnd = Position(static_cast<std::int32_t>(text.size()))};
    LACUNA_TRY([[maybe_unused]] const auto none, dependencies.model->forward({&one, 1}, forward()));
    run.computed += one.tokens.size();
    if (at + one.tokens.size() == text.size()) {
        cache = whole.get();
        enter(Stage::Full);
    }
    return {};
}

/// Makes a cache with only the tokens that are always kept. Layers with a window are unchanged, as
/// in every compaction.
Status RepetitionGauge::Impl::nearCache() {
    LACUNA_TRY(run.base, cache->clone());
    const KvShape shape = run.base->shape();
    CompactionPlan plan;
    for (int layer = 0; layer < shape.layers; ++layer) {
        for (int head = 0; head < shape.heads(LayerIndex(layer)); ++head) {
            HeadCompaction one;
            const KvHeadView view = run.base->head(LayerIndex(layer), HeadIndex(head));
            if (!isKeptFull(*run.base, {}, layer) && view.slots > 0) {
                one.keep = SlotMarks(view.slots);
                for (int slot = 0; slot < view.slots; ++slot) {
                    const int position = view.positions != nullptr ? view.positions[slot] : slot;
                    if (position < nSink || position >= end) one.keep.add(slot);
                }
                if (one.keep.count() == view.slots) one.keep = {};
            }
            plan.heads.push_back(std::move(one));
        }
    }
    LACUNA_TRY_STATUS(compactInPlace(*run.base, plan, *dependencies.pool));
    constexpr std::int64_t kSlice = std::int64_t{1} << 30;
    while (defragmentCache(*run.base, kSlice, *dependencies.pool, true)) {
    }
    return {};
}

Status RepetitionGauge::Impl::feedInstruction() {
    const auto chunk = static_cast<std::size_t>(std::max(dependencies.chunk, 1));
    const BatchRun one{
        .tokens =
            std::span(instruction).subspan(run.fed, std::min(chunk, instruction.size() - run.fed)),
        .cache = run.base.get(),
        .logits = LogitsFor::None};
    LACUNA_TRY([[maybe_unused]] const auto none, dependencies.model->forward({&one, 1}, forward()));
    run.fed += one.tokens.size();
    run.computed += one.tokens.size();
    return {};
}

/// Feeds a chunk of the piece and computes logits for each token that precedes a counted one.
Status RepetitionGauge::Impl::feedPiece() {
    const Piece& piece = pieces[run.piece];
    if (run.going == nullptr) {
        LACUNA_TRY(run.going, run.base->share());
    }
    const std::size_t last = piece.tokens.size() - 1;
    const std::size_t silent = piece.counted - 1;  // tokens that do not precede a counted one
    const bool leads = run.at < silent;
    const std::size_t until = leads ? silent : last;
    const auto chunk = static_cast<std::size_t>(std::max(dependencies.chunk, 1));
    const std::size_t count = std::min({until - run.at, chunk, leads ? chunk : kLogitRows});
    const BatchRun one{.tokens = std::span(piece.tokens).subspan(run.at, count),
                       .cache = run.going.get(),
                       .logits = leads ? LogitsFor::None : LogitsFor::AllTokens};
    LACUNA_TRY(const auto rows, dependencies.model->forward({&one, 1}, forward()));
    if (!leads) take(rows, run.row, std::span(piece.tokens).subspan(run.at + 1, count));
    run.at += count;
    run.computed += count;
    if (!leads) run.row += count;
    if (run.at < last) return {};
    run.going.reset();
    run.at = 0;
    ++run.piece;
    return {};
}

/// Evaluates rows of logits, each belonging to the token before one of `drawn`.
void RepetitionGauge::Impl::take(View<const float, 2> rows, std::size_t firstRow,
                                 std::span<const TokenId> drawn) {
    const int count = static_cast<int>(drawn.size());
    const int tasks = std::min(count, dependencies.pool->threads());
    dependencies.pool->parallelFor(tasks, [&](int task) {
        std::vector<float> scratch;
        for (int i = task; i < count; i += tasks)
            take(rows.row(i), firstRow + static_cast<std::size_t>(i),
                 drawn[static_cast<std::size_t>(i)], scratch);
    });
}

void RepetitionGauge::Impl::take(std::span<const float> logits, std::size_t at, TokenId drawn,
                                 std::vector<float>& scratch) {
    const Row row = rowOf(logits, scratch);
    RepeatedToken& token = tokens[at];
    LikelyTokens& full = likely[at];
    const double logProb = row.logProb(logits, drawn);
    switch (stage) {
        case Stage::Full: {
            token.full = logProb;
            full = likelyOf(logits, row);
            const auto top =
                static_cast<std::size_t>(std::ranges::find(full.ids, row.top) - full.ids.begin());
            std::swap(full.ids[0], full.ids[top]);
            std::swap(full.logProbs[0], full.logProbs[top]);
            return;
        }
        case Stage::Near:
            token.near = logProb;
            return;
        default:
            token.compacted = logProb;
            token.kl = divergence(full, logits, row);
            token.sameTop = full.ids[0] == row.top;
    }
}

Status RepetitionGauge::Impl::repeat() {
    if (run.base == nullptr && stage == Stage::Near) return nearCache();
    if (run.base == nullptr) {
        LACUNA_TRY(run.base, cache->share());
        return {};
    }
    if (run.fed < instruction.size()) return feedInstruction();
    LACUNA_TRY_STATUS(feedPiece());
    if (stage == Stage::Compacted) measured = run.row;
    const bool ends = stage == Stage::Compacted && limit && exceeds(*limit, tokens, measured);
    if (run.piece < pieces.size() && !ends) return {};
    if (stage == Stage::Full)
        enter(Stage::Near);
    else
        enter(stage == Stage::Near ? Stage::Idle : Stage::Done);
    if (stage == Stage::Idle) {
        cache = nullptr;
        whole.reset();
    }
    return {};
}

std::size_t RepetitionGauge::rowsNeeded(std::span<const TokenId> repeated) {
    if (!impl_->awaitsRows() || impl_->pieces.size() != 1) return 0;
    const auto asked = std::span(impl_->pieces[0].tokens);
    const std::size_t rows = asked.size() - 1;
    const bool same = impl_->pieces[0].counted == 1 && repeated.size() >= rows &&
                      std::ranges::equal(repeated.first(rows), asked.first(rows));
    return same ? rows : 0;
}

void RepetitionGauge::take(std::size_t first, View<const float, 2> rows) {
    if (!impl_->awaitsRows()) return;
    if (first == 0) impl_->taken = 0;
    if (first != impl_->taken) return;  // the rows of a pass that began before this gauge
    const auto drawn = std::span(impl_->pieces[0].tokens).subspan(1);
    const auto count = std::min(static_cast<std::size_t>(rows.extent(0)), drawn.size() - first);
    impl_->take(rows, first, drawn.subspan(first, count));
    impl_->taken += count;
    if (impl_->taken == drawn.size()) impl_->enter(Impl::Stage::Near);
}

bool RepetitionGauge::ready() const {
    return impl_->stage == Impl::Stage::Idle || impl_->stage == Impl::Stage::Compacted ||
           impl_->stage == Impl::Stage::Done;
}

Status RepetitionGauge::begin(KvCache& compacted, const std::optional<LossThresholds>& limit) {
    impl_->enter(Impl::Stage::Compacted);
    impl_->limit = limit;
    LACUNA_TRY(impl_->run.base, compacted.share());
    return {};
}

bool RepetitionGauge::done() const {
    return impl_->stage == Impl::Stage::Done;
}

double RepetitionGauge::share() const {
    const auto of = [](std::size_t done, std::size_t all) {
        return all == 0 ? 1.0 : static_cast<double>(done) / static_cast<double>(all);
    };
    const double run = of(impl_->run.computed, impl_->perRun);
    switch (impl_->stage) {
        case Impl::Stage::Reading:
            return of(impl_->run.computed, impl_->text.size()) / 3;
        case Impl::Stage::Full:
            return impl_->whole != nullptr ? (1 + run) / 3 : run / 2;
        case Impl::Stage::Near:
            return impl_->whole != nullptr ? (2 + run) / 3 : (1 + run) / 2;
        case Impl::Stage::Compacted:
            return run;
        case Impl::Stage::Idle:
        case Impl::Stage::Done:
            break;
    }
    return 1;
}

Status RepetitionGauge::step() {
    return impl_->stage == Impl::Stage::Reading ? impl_->read() : impl_->repeat();
}

KeptInformation RepetitionGauge::kept() const {
    return keptInformation(impl_->tokens, impl_->share, impl_->measured);
}

std::span<const RepeatedToken> RepetitionGauge::tokens() const {
    return std::span(impl_->tokens).first(impl_->measured);
}

Result<KeptInformation> RepetitionGauge::keptBy(KvCache& compacted,
                                                const std::optional<LossThresholds>& limit) {
    while (!ready()) LACUNA_TRY_STATUS(step());
    LACUNA_TRY_STATUS(begin(compacted, limit));
    while (!done()) LACUNA_TRY_STATUS(step());
    return kept();
}

Status LateGauge::plan() {
    if (gauge_ == nullptr) {
        LACUNA_TRY(gauge_, RepetitionGauge::begin(text_, cache_, dependencies_));
    }
    return {};
}

std::size_t LateGauge::rowsNeeded(std::span<const TokenId> repeated) {
    return plan() ? gauge_->rowsNeeded(repeated) : 0;
}

void LateGauge::take(std::size_t first, View<const float, 2> rows) {
    if (gauge_ != nullptr) gauge_->take(first, rows);
}

Result<KeptInformation> LateGauge::keptBy(KvCache& compacted,
                                          const std::optional<LossThresholds>& limit) {
    LACUNA_TRY_STATUS(plan());
    return gauge_->keptBy(compacted, limit);
}

}  // namespace lacuna
