// The full cache reads the context once, answers, and is rolled back to the end of the context; its
// logits for each following token are stored. A compacted copy is then fed the same tokens. Its
// greedy answer equals that of the full cache as long as the top tokens agree; only from the first
// difference on it is decoded token by token.

#include "engine/quality/shadow_run.h"

#include <algorithm>
#include <iterator>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/compress/driver/compaction_trigger.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/text_pass.h"
#include "engine/model/model_cache.h"
#include "engine/quality/divergence.h"
#include "engine/values/compaction_sentences.h"

namespace lacuna {
namespace {

constexpr std::size_t kMaxLogitBytes = std::size_t{512} << 20;

}  // namespace

ShadowRun::ShadowRun(Transformer& model, ThreadPool& pool, ShadowText text,
                     const ShadowOptions& options)
    : model_(model), pool_(pool), text_(std::move(text)), options_(options) {}

Result<std::unique_ptr<ShadowRun>> ShadowRun::read(Transformer& model, ThreadPool& pool,
                                                   ShadowText text, const ShadowOptions& options) {
    std::unique_ptr<ShadowRun> run(new ShadowRun(model, pool, std::move(text), options));
    LACUNA_TRY_STATUS(run->checkText());
    LACUNA_TRY_STATUS(run->readContext());
    LACUNA_TRY_STATUS(run->answerFull());
    LACUNA_TRY_STATUS(run->keepFullCache());
    return run;
}

Status ShadowRun::checkText() const {
    const ModelSpec& spec = model_.model().spec;
    const std::size_t after =
        text_.continuation.size() + static_cast<std::size_t>(std::max(text_.answerTokens, 0));
    if (text_.context.empty() || text_.continuation.empty() || after < 2)
        return fail(ErrorCode::InvalidArgument, format("{} tokens of text and {} after them cannot "
                                                       "be measured; at least 1 and 2 are needed",
                                                       text_.context.size(), after));
    if (text_.context.size() + after > static_cast<std::size_t>(spec.context))
        return fail(ErrorCode::ContextFull,
                    format("{} tokens and {} after them exceed the context of {}",
                           text_.context.size(), after, spec.context));
    const std::size_t bytes = after * static_cast<std::size_t>(spec.vocabulary) * sizeof(float);
    if (bytes > kMaxLogitBytes)
        return fail(ErrorCode::Range, format("{} tokens after the context need {} MiB of logits, "
                                             "but at most {} are allowed; measure fewer",
                                             after, bytes >> 20, kMaxLogitBytes >> 20));
    return {};
}

Result<View<const float, 2>> ShadowRun::forward(KvCache& cache, std::span<const TokenId> tokens,
                                                LogitsFor logits, QueryObserver* observer) {
    const BatchRun run{.tokens = tokens, .cache = &cache, .logits = logits, .observer = observer};
    return model_.forward({&run, 1}, {.cancelled = options_.cancelled});
}

Status ShadowRun::readContext() {
    const ModelSpec& spec = model_.model().spec;
    LACUNA_TRY(full_, makeFullCache(spec, options_.type));
    compactor_ = std::make_unique<Compactor>(
        compactorModel(model_.model(), options_.seed, options_.profiles), full_->shape(), pool_,
        clock_);
    compactor_->reads(text_.context);
    const auto step = static_cast<std::size_t>(std::max(options_.chunk, 1));
    for (std::size_t at = 0; at < text_.context.size(); at += step) {
        const auto chunk =
            std::span(text_.context).subspan(at, std::min(step, text_.context.size() - at));
        LACUNA_TRY([[maybe_unused]] const auto none,
                   forward(*full_, chunk, LogitsFor::None, compactor_->observeAll(*full_)));
    }
    return {};
}

Status ShadowRun::answerFull() {
    followed_ = text_.continuation;
    if (text_.answerTokens < 1) return {};
    const auto step = static_cast<std::size_t>(std::max(options_.chunk, 1));
    for (std::size_t at = 0; at + 1 < followed_.size(); at += step) {
        const auto chunk =
            std::span(followed_).subspan(at, std::min(step, followed_.size() - 1 - at));
        LACUNA_TRY([[maybe_unused]] const auto none,
                   forward(*full_, chunk, LogitsFor::None, nullptr));
    }
    LACUNA_TRY(const auto rows,
               forward(*full_, std::span(followed_).last(1), LogitsFor::LastToken, nullptr));
    const TokenId first = topToken(rows.row(0));
    LACUNA_TRY(answer_, decode(*full_, first, text_.answerTokens));
    followed_.insert(followed_.end(), answer_.begin(), answer_.end());
    return backToContext();
}

Status ShadowRun::backToContext() {
    return full_->rollback(full_->offset().value - static_cast<std::int32_t>(text_.context.size()));
}

Result<std::vector<TokenId>> ShadowRun::decode(KvCache& cache, TokenId fed, int most) {
    std::vector<TokenId> answer{fed};
    while (static_cast<int>(answer.size()) < most &&
           !model_.model().tokenizer.isEndOfTurn(answer.back())) {
        LACUNA_TRY(const auto rows,
                   forward(cache, std::span(answer).last(1), LogitsFor::LastToken, nullptr));
        answer.push_back(topToken(rows.row(0)));
    }
    return answer;
}

/// Stores the logits of the full cache for every token that follows the context.
Status ShadowRun::keepFullCache() {
    const ModelSpec& spec = model_.model().spec;
    const auto fed = std::span(followed_).first(followed_.size() - 1);
    QueryCapture capture(spec, full_->offset(), static_cast<int>(fed.size()), options_.headTokens);
    const auto step = static_cast<std::size_t>(std::max(options_.chunk, 1));
    for (std::size_t at = 0; at < fed.size(); at += step) {
        const auto chunk = fed.subspan(at, std::min(step, fed.size() - at));
        LACUNA_TRY(const auto rows, forward(*full_, chunk, LogitsFor::AllTokens,
                                            options_.headTokens > 0 ? &capture : nullptr));
        logits_.insert(logits_.end(), rows.data(), rows.data() + rows.size());
    }
    LACUNA_TRY_STATUS(backToContext());
    if (options_.headTokens > 0) heads_.emplace(*full_, capture, spec, pool_);
    return {};
}

/// Performs each pass once; its duration is reported for every setting that uses its queries.
Result<TextReading> ShadowRun::readingFor(const QueryRequest& request) {
    const auto known = passed_.find(kindOf(request));
    if (known != passed_.end()) return known->second.reading;
    const std::int64_t start = clock_.nowNs();
    const QueryReader reader = queryReader({.model = &model_,
                                            .tokens = text_.context,
                                            .type = options_.type,
                                            .chunk = options_.chunk,
                                            .cancelled = options_.cancelled});
    LACUNA_TRY(const TextReading reading, reader(request));
    passed_.emplace(kindOf(request), Passed{reading, millisecondsSince(clock_, start)});
    return reading;
}

Result<CompactionReport> ShadowRun::compact(KvCache& cache, const ShadowSetting& setting) {
    LACUNA_TRY(const KvOptions kv, optionsFor(setting, std::ssize(text_.context)));
    double reusedMs = 0;
    const QueryReader reader = [&](const QueryRequest& request) {
        const auto known = passed_.find(kindOf(request));
        reusedMs += known != passed_.end() ? known->second.ms : 0;
        return readingFor(request);
    };
    CompactionReport report = compactor_->compact(cache, kv, {.reader = reader});
    report.queriesMs += reusedMs;
    report.totalMs += reusedMs;
    LACUNA_TRY_STATUS(checkCompacted(report, std::ssize(text_.context)));
    return report;
}

/// Makes the cache to be measured: a copy of the full one, or one that reads the text into its
/// codes.
Result<TrialCache> ShadowRun::trial(const ShadowSetting& setting) {
    if (codesRows(setting) || setting.kv.window)
        return readTrial(trialDependencies(model_, pool_, options_), text_.context, setting);
    TrialCache made;
    LACUNA_TRY(made.cache, full_->clone());
    LACUNA_TRY(made.report, compact(*made.cache, setting));
    return made;
}

Result<QualityRecord> ShadowRun::measure(const ShadowSetting& setting) {
    LACUNA_TRY(const TrialCache made, trial(setting));
    const std::unique_ptr<KvCache>& copy = made.cache;
    const KvStats stats = copy->stats();
    QualityRecord record;
    record.contextTokens = stats.tokens;
    record.liveBytes = stats.liveBytes;
    record.logicalBytes = stats.logicalBytes;
    record.allocatedBytes = stats.allocatedBytes;
    record.numbers = stats.numbers;
    const KvStats whole = full_->stats();
    record.fullAllocatedBytes = whole.allocatedBytes;
    record.fullNumbers = whole.numbers;
    if (made.report) {
        record.evictions = made.report->slotsBefore - made.report->slotsAfter;
        record.compactionMs = made.report->totalMs;
        record.note = exclusionText(made.report->notes);
        record.heldOutError = made.report->heldOutError;
    }
    if (heads_ && !setting.rows) record.heads = heads_->compare(*copy);
    LACUNA_TRY(const std::vector<TokenId> tops, follow(*copy, record));
    if (!answer_.empty()) {
        LACUNA_TRY(record.greedy, answerCompacted(*copy, tops));
    }
    return record;
}

/// Feeds the following tokens, compares every row, and returns the top token after each.
Result<std::vector<TokenId>> ShadowRun::follow(KvCache& cache, QualityRecord& record) {
    const auto fed = std::span(followed_).first(followed_.size() - 1);
    const auto vocabulary = static_cast<std::size_t>(model_.model().spec.vocabulary);
    const auto step = static_cast<std::size_t>(std::max(options_.chunk, 1));
    const auto count = static_cast<double>(fed.size());
    std::vector<TokenId> tops;
    for (std::size_t at = 0; at < fed.size(); at += step) {
        const auto chunk = fed.subspan(at, std::min(step, fed.size() - at));
        LACUNA_TRY(const auto rows, forward(cache, chunk, LogitsFor::AllTokens, nullptr));
        for (std::size_t i = 0; i < chunk.size(); ++i) {
            const auto whole = std::span(logits_).subspan((at + i) * vocabulary, vocabulary);
            const auto other = rows.row(static_cast<std::int64_t>(i));
            const RowDivergence one = rowDivergence(whole, other);
            record.kl.push_back(one.kl);
            record.sameTop += one.sameTop() ? 1 : 0;
            record.fullNll += negativeLogLikelihood(whole, followed_[at + i + 1]) / count;
            record.compactedNll += negativeLogLikelihood(other, followed_[at + i + 1]) / count;
            tops.push_back(one.otherTop);
        }
    }
    return tops;
}

/// `tops` holds the top token after each token that was fed.
Result<GreedyAgreement> ShadowRun::answerCompacted(KvCache& cache,
                                                   const std::vector<TokenId>& tops) {
    GreedyAgreement found;
    found.answered = static_cast<std::int64_t>(answer_.size());
    const std::size_t before = text_.continuation.size() - 1;  // rows before the first one of the
                                                               // answer
    std::size_t same = 0;
    while (same < answer_.size() && tops[before + same] == answer_[same]) ++same;
    found.agreed = static_cast<std::int64_t>(same);
    found.tokens.assign(answer_.begin(), answer_.begin() + static_cast<std::ptrdiff_t>(same));
    if (!found.same()) {
        LACUNA_TRY_STATUS(cache.rollback(static_cast<int>(answer_.size() - 1 - same)));
        LACUNA_TRY(const auto own,
                   decode(cache, tops[before + same], text_.answerTokens - static_cast<int>(same)));
        found.tokens.insert(found.tokens.end(), own.begin(), own.end());
    }
    LACUNA_TRY(found.fullText, textOf(answer_));
    LACUNA_TRY(found.text, textOf(found.tokens));
    return found;
}

Result<std::string> ShadowRun::textOf(std::span<const TokenId> tokens) const {
    return model_.model().tokenizer.decode(tokens, SpecialOutput::Hide);
}

}  // namespace lacuna
