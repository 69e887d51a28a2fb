// Sampling has two phases: when a step ends at the sampled token, the logits of the compacted cache
// are stored; they are compared once the shadow has read as far. During an answer both happen in
// one step, because the shadow only lacks the tokens since the previous sample. For the first
// sample of a conversation it has everything to read, which takes several steps. Samples deferred
// to a pause keep their tokens, so a message in between does not invalidate them.

#include "engine/quality/quality_meter.h"

#include <algorithm>
#include <utility>

#include "engine/model/model_cache.h"

namespace lacuna {
namespace {

/// Most tokens that one step may add: the newest token and the drafted ones after it.
constexpr std::int64_t kMaxStep = 17;
/// Number of samples of an answer that are deferred to the pause, and the distance in tokens
/// between the first two. The distances double, and a text is sampled again when it has grown by a
/// quarter.
constexpr std::size_t kPauseSamples = 4;
constexpr std::int64_t kPauseDistance = 16;

/// Returns true if the cache holds less than an uncompressed one would: slots were evicted, or rows
/// are coded.
bool holdsLess(const KvCache& cache) {
    const KvShape& shape = cache.shape();
    const KvStats stats = cache.stats();
    return stats.compactions > 0 || shape.coded() ||
           stats.slotsTotal < stats.tokens * shape.headCount();
}

double milliseconds(std::int64_t fromNs, std::int64_t toNs) {
    return static_cast<double>(toNs - fromNs) * 1e-6;
}

}  // namespace

bool QualityMeter::due(std::int64_t tokens, const MeterOptions& options) const {
    const bool first = newest_ < 0 || tokens < newest_;
    if (options.every > 0) return pending_.empty() && (first || tokens >= newest_ + options.every);
    if (!options.pauses || pending_.size() >= kPauseSamples) return false;
    if (!pending_.empty()) return tokens >= newest_ + (kPauseDistance << (pending_.size() - 1));
    return first || tokens >= newest_ + newest_ / 4;
}

void QualityMeter::beforeStep(const Sequence& sequence, const MeterOptions& options,
                              LogitsTap& tap) const {
    tap.clear();
    const bool wanted =
        holdsLess(sequence.cache()) && due(sequence.cache().offset().value + kMaxStep, options);
    tap.watch(wanted ? &sequence.cache() : nullptr);
}

Result<std::optional<LiveQuality>> QualityMeter::afterStep(const Sequence& sequence,
                                                           const MeterOptions& options,
                                                           const LogitsTap& tap, int tokens,
                                                           double stepMs,
                                                           const ForwardOptions& forward) {
    if (options.every <= 0 && !options.pauses) {
        release();
        return std::nullopt;
    }
    const std::int64_t begin = clock_.nowNs();
    decodeMs_ += stepMs;
    const auto rows = tap.rows();
    const auto all = static_cast<std::int64_t>(sequence.tokens().size());
    if (options.every > 0 && !pending_.empty() &&
        pending_.front().tokens.size() > sequence.tokens().size())
        pending_.clear();
    if (rows.extent(0) > 0 && tokens > 0 && due(all, options)) {
        const auto row = rows.row(std::min<std::int64_t>(tokens, rows.extent(0)) - 1);
        pending_.push_back(
            {{sequence.tokens().begin(), sequence.tokens().end()}, {row.begin(), row.end()}});
        newest_ = all;
    }
    if (pending_.empty()) return std::nullopt;
    if (options.every <= 0) {
        costMs_ += milliseconds(begin, clock_.nowNs());
        return std::nullopt;
    }
    auto sample = measure(&sequence, options, forward);
    costMs_ += milliseconds(begin, clock_.nowNs());
    if (!sample) {
        release();
        return tl::unexpected<Error>(sample.error());
    }
    if (!*sample) return std::nullopt;
    (*sample)->costMs = std::exchange(costMs_, 0.0);
    (*sample)->decodeMs = std::exchange(decodeMs_, 0.0);
    return sample;
}

Result<std::optional<LiveQuality>> QualityMeter::inPause(const Sequence* sequence,
                                                         const MeterOptions& options,
                                                         const ForwardOptions& forward) {
    const std::int64_t begin = clock_.nowNs();
    auto sample = measure(sequence, options, forward);
    pauseMs_ += milliseconds(begin, clock_.nowNs());
    if (!sample) {
        if (sample.error().code != ErrorCode::Cancelled) release();
        return tl::unexpected<Error>(sample.error());
    }
    if (!*sample) return std::nullopt;
    // The answer is measured as a unit, so its first sample carries the total cost.
    (*sample)->costMs = std::exchange(costMs_, 0.0);
    (*sample)->decodeMs = std::exchange(decodeMs_, 0.0);
    (*sample)->pauseMs = std::exchange(pauseMs_, 0.0);
    if (pending_.empty()) releaseShadow();
    return sample;
}

/// Reads one more chunk into the shadow; returns the sample if that was the last one.
Result<std::optional<LiveQuality>> QualityMeter::measure(const Sequence* sequence,
                                                         const MeterOptions& options,
                                                         const ForwardOptions& forward) {
    const std::span<const TokenId> wanted = pending_.front().tokens;
    LACUNA_TRY_STATUS(follow(wanted, options, forward));
    if (tokens_.size() < wanted.size()) return std::nullopt;
    const LiveQuality sample = compare(sequence, options);
    pending_.pop_front();
    return sample;
}

/// Truncates the shadow to its common prefix with `tokens`, excluding their last one.
Status QualityMeter::rollBackTo(std::span<const TokenId> tokens, DType type) {
    if (shadow_ == nullptr || shadow_->shape().type != type) {
        tokens_.clear();
        shadow_.reset();  // frees the memory before the new one is allocated
        LACUNA_TRY(shadow_, makeFullCache(model_.model().spec, type));
    }
    const auto apart = std::mismatch(tokens_.begin(), tokens_.end(), tokens.begin(), tokens.end());
    const auto common =
        std::min(static_cast<std::size_t>(apart.first - tokens_.begin()), tokens.size() - 1);
    LACUNA_TRY_STATUS(shadow_->rollback(static_cast<int>(tokens_.size() - common)));
    tokens_.resize(common);
    return {};
}

Status QualityMeter::follow(std::span<const TokenId> tokens, const MeterOptions& options,
                            const ForwardOptions& forward) {
    LACUNA_TRY_STATUS(rollBackTo(tokens, options.type));
    const std::size_t left = tokens.size() - tokens_.size();
    const auto chunk = tokens.subspan(
        tokens_.size(), std::min(left, static_cast<std::size_t>(std::max(options.chunk, 1))));
    const bool last = chunk.size() == left;
    const auto newest = Position(static_cast<std::int32_t>(tokens.size()) - 1);
    queries_.emplace(model_.model().spec, newest, 1, 1);
    const BatchRun run{.tokens = chunk,
                       .cache = shadow_.get(),
                       .logits = last ? LogitsFor::LastToken : LogitsFor::None,
                       .observer = last && options.heads > 0 ? &*queries_ : nullptr};
    LACUNA_TRY(const auto rows, model_.forward({&run, 1}, forward));
    tokens_.insert(tokens_.end(), chunk.begin(), chunk.end());
    if (last) row_.assign(rows.row(0).begin(), rows.row(0).end());
    return {};
}

LiveQuality QualityMeter::compare(const Sequence* sequence, const MeterOptions& options) {
    const RowDivergence one = rowDivergence(row_, pending_.front().row);
    LiveQuality sample;
    sample.tokens = static_cast<std::int64_t>(pending_.front().tokens.size());
    sample.kl = one.kl;
    sample.sameTop = one.sameTop();
    if (sequence != nullptr) sample.outputError = headError(*sequence, options.heads);
    sample.shadowBytes = shadowBytes();
    return sample;
}

std::optional<double> QualityMeter::headError(const Sequence& sequence, int heads) {
    const ModelSpec& spec = model_.model().spec;
    // A conversation that continued in the meantime holds tokens the shadow has not read.
    if (heads < 1 || sequence.tokens().size() != tokens_.size()) return std::nullopt;
    std::vector<int> chosen;
    const KvShape& shape = shadow_->shape();
    const int all = shape.headCount();
    for (int tried = 0; tried < all && static_cast<int>(chosen.size()) < heads; ++tried) {
        if (!spec.layer(shape.placeOf(nextHead_).layer.value).sliding) chosen.push_back(nextHead_);
        nextHead_ = (nextHead_ + 1) % all;
    }
    // The queries are unknown if no observer was attached.
    if (chosen.empty() || !queries_->observed()) return std::nullopt;
    std::vector<double> errors(chosen.size());
    pool_.parallelFor(static_cast<int>(chosen.size()), [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        const auto [layer, head] = shape.placeOf(chosen[at]);
        errors[at] = compareHead(*shadow_, sequence.cache(), layer, head,
                                 queries_->gather(layer, head), spec)
                         .outputError;
    });
    double sum = 0;
    for (const double error : errors) sum += error;
    return sum / static_cast<double>(errors.size());
}

void QualityMeter::releaseShadow() {
    shadow_.reset();
    tokens_.clear();
    tokens_.shrink_to_fit();
    row_.clear();
    queries_.reset();
}

void QualityMeter::release() {
    releaseShadow();
    pending_.clear();
    newest_ = -1;
    costMs_ = decodeMs_ = pauseMs_ = 0;
}

std::int64_t QualityMeter::shadowBytes() const {
    return shadow_ == nullptr ? 0 : shadow_->stats().allocatedBytes;
}

std::int64_t QualityMeter::requestedTokens() const {
    return static_cast<std::int64_t>(pending_.back().tokens.size());
}

}  // namespace lacuna
