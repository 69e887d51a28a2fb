#include "engine/session/jobs/cache_format_migrations.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/string_format.h"
#include "engine/kv/kv_options.h"
#include "engine/quality/format_table.h"
#include "engine/settings/facts.h"
#include "engine/settings/setting_value.h"

namespace lacuna {
namespace {

// Memory of an old cache released per call; a step waits while the system reclaims it.
constexpr std::int64_t kBytesGivenBack = std::int64_t{16} << 20;
constexpr std::int64_t kAllRows = std::int64_t{1} << 40;
constexpr const char* kNoMemory = "there is not enough memory for both";
constexpr const char* kGivenBack = "the cache was released";
/// Settings that determine the code of rows and may change in the middle of a conversation.
constexpr std::array<std::string_view, 4> kRowSettings = {"kv_type", "v_type", "exact_window",
                                                          "kv_rotation"};

int bitsOf(DType type, const KvQuant& quant) {
    return quant.plain() ? static_cast<int>(8 * rowBytes(type, 1)) : quant.bits;
}

std::string nameOf(DType type, const KvQuant& quant) {
    const auto found = std::ranges::find_if(kRowTypes, [&](const NamedRowType& row) {
        return row.type.quant == quant && (!quant.plain() || row.type.type == type);
    });
    return found != kRowTypes.end() ? std::string(found->name) : format("{} bits", quant.bits);
}

/// Returns "t4", or "t4/t2" if they differ.
std::string shortName(const KvShape& shape) {
    return formatName(nameOf(shape.type, shape.keyQuant), nameOf(shape.type, shape.valueQuant));
}

std::string formatsOf(const KvShape& shape) {
    const std::string keys = nameOf(shape.type, shape.keyQuant);
    const std::string values = nameOf(shape.type, shape.valueQuant);
    return keys == values ? keys : format("{} keys and {} values", keys, values);
}

/// Returns true if some rows get a different format with at least as many bits as their current
/// one.
bool asksForMore(const KvShape& from, const KvShape& to) {
    const auto more = [&](KvQuant KvShape::*side) {
        const KvQuant& a = from.*side;
        const KvQuant& b = to.*side;
        return !(a == b && (!a.plain() || from.type == to.type)) &&
               bitsOf(to.type, b) >= bitsOf(from.type, a);
    };
    return more(&KvShape::keyQuant) || more(&KvShape::valueQuant);
}

std::string mebibytes(std::int64_t bytes) {
    return format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

}  // namespace

void CacheFormatMigrations::settingsChanged(const ConversationFilter& which,
                                            const ConversationSettings& before) {
    const ModelFacts* const facts = dependencies_.models.facts();
    if (facts == nullptr) return;
    dependencies_.conversations.forEachNamed([&](ConversationId id, const Sequence& sequence) {
        if (!which(id)) return;
        const KvCache& cache = sequence.cache();
        const KvChoice target =
            withRowsOf(cache, cacheChoice(cacheModelOf(*facts), dependencies_.settings.of(id).kv));
        const auto running = running_.find(id);
        const bool goesOn = running != running_.end();
        if (goesOn && sameRows(running->second.rows->target(), target)) return;
        if (matchesChoice(cache, target)) {
            if (goesOn) cancel(running, cache);
            return;
        }
        // After several changes, the first previous settings are the ones that describe the cache.
        SettingTexts back =
            goesOn ? std::move(running->second.published.back) : settingsOf(cache, before.of(id));
        running_.erase(id);
        begin(id, sequence, target, std::move(back));
    });
}

CacheFormatMigrations::SettingTexts CacheFormatMigrations::settingsOf(
    const KvCache& cache, const EngineConfig& before) const {
    SettingTexts texts;
    const CacheModel model = cacheModelOf(*dependencies_.models.facts());
    if (!matchesChoice(cache, withRowsOf(cache, cacheChoice(model, before.kv)))) return texts;
    for (const std::string_view key : kRowSettings)
        texts.emplace_back(key, settingValueText(before, key));
    return texts;
}

std::int64_t CacheFormatMigrations::rowsOfSlice(const Recoding& one) const {
    const KvExtent most = one.rows->target().shape.largest();
    return std::max<std::int64_t>(dependencies_.numbersAtOnce / (most.keyDim + most.valueDim), 1);
}

/// Both caches exist until the end.
Result<std::unique_ptr<RowRecoding>> CacheFormatMigrations::make(ConversationId id,
                                                                 const KvCache& cache,
                                                                 const KvChoice& target) const {
    const std::int64_t bytes = recodedBytes(cache, target.shape);
    const std::int64_t left = dependencies_.compactions.passBytes();
    if (bytes > left)
        return fail(ErrorCode::NoMemory,
                    format("both caches together need {}, but cache_limit leaves {}",
                           mebibytes(bytes), mebibytes(std::max<std::int64_t>(left, 0))));
    const KvOptions& kv = dependencies_.settings.of(id).kv;
    const bool evicts = kv.method == CompactionMethod::Eviction && kv.budget.has_value();
    return RowRecoding::begin(cache, target, {.norms = evicts});
}

void CacheFormatMigrations::begin(ConversationId id, const Sequence& sequence,
                                  const KvChoice& target, SettingTexts back) {
    const KvCache& cache = sequence.cache();
    const auto one = running_.try_emplace(id).first;
    one->second.published = {.conversation = id,
                             .from = shortName(cache.shape()),
                             .to = shortName(target.shape),
                             .back = std::move(back)};
    auto rows = make(id, cache, target);
    if (!rows) {
        dropFailed(one, rows.error());
        return;
    }
    one->second.rows = std::move(*rows);
    publishProgress(one->second, cache);
    if (cache.offset().value == 0 || !asksForMore(cache.shape(), target.shape)) return;
    dependencies_.io.post(
        Notice{format("The cache of conversation {} changes from {} to {}: rounded-away bits "
                      "cannot be restored, so only new tokens gain precision.",
                      id.value, formatsOf(cache.shape()), formatsOf(target.shape))});
}

void CacheFormatMigrations::publishProgress(Recoding& one, const KvCache& cache) {
    if (cache.offset().value == 0) return;
    one.published.at = dependencies_.io.at();
    one.published.share = one.rows->share(cache);
    dependencies_.io.post(one.published);
}

void CacheFormatMigrations::cancel(Running::iterator one, const KvCache& cache) {
    const double share = one->second.rows->share(cache);
    if (cache.offset().value > 0)
        dependencies_.io.post(
            Notice{format("The cache of conversation {} stays in {}: converting it to {} was "
                          "cancelled at {:.0f} % of its rows, and nothing has changed.",
                          one->first.value, formatsOf(cache.shape()),
                          formatsOf(one->second.rows->target().shape), 100 * share)});
    drop(one, ErrorCode::Cancelled, "it was cancelled and nothing has changed");
}

/// Must not throw: also called when memory ran out, which releases the new cache.
CacheFormatMigrations::Running::iterator CacheFormatMigrations::drop(Running::iterator one,
                                                                     ErrorCode code,
                                                                     const char* reason) {
    CacheRecoded last = std::move(one->second.published);
    const auto next = running_.erase(one);
    try {
        last.at = dependencies_.io.at();
        last.ended = true;
        last.error = Error{code, reason, {}};
        dependencies_.io.post(std::move(last));
    } catch (const std::bad_alloc&) {  // the recoding has ended even if the event is lost
    }
    return next;
}

CacheFormatMigrations::Running::iterator CacheFormatMigrations::dropFailed(Running::iterator one,
                                                                           const Error& error) {
    publishFailure(one->first, error);
    return drop(one, error.code, error.what.c_str());
}

void CacheFormatMigrations::dropUnneeded() {
    for (auto one = running_.begin(); one != running_.end();) {
        const Sequence* const sequence = dependencies_.conversations.find(one->first);
        const bool gone = sequence == nullptr;
        if (gone || matchesChoice(sequence->cache(), one->second.rows->target()))
            one = drop(one, ErrorCode::Cancelled,
                       gone ? kGivenBack : "this cache was replaced by another one");
        else
            ++one;
    }
}

bool CacheFormatMigrations::free(ConversationId id) {
    return !dependencies_.conversations.find(id)->compactor().busy();
}

void CacheFormatMigrations::advance(Running::iterator one, std::int64_t rows) {
    Sequence& sequence = *dependencies_.conversations.find(one->first);
    Recoding& recoding = one->second;
    const std::int64_t begin = dependencies_.io.clock().nowNs();
    Result<bool> done = false;
    try {
        done = recoding.rows->advance(sequence.cache(),
                                      {.rows = rows, .kept = sequence.takeMinTokens()},
                                      dependencies_.models.model()->pool());
    } catch (const std::bad_alloc&) {
        done = fail(ErrorCode::NoMemory, kNoMemory);
    }
    if (!done) {
        dropFailed(one, done.error());
        return;
    }
    if (!recoding.ready || !*done) ++recoding.slices;
    recoding.slowestMs =
        std::max(recoding.slowestMs, millisecondsSince(dependencies_.io.clock(), begin));
    recoding.ready = *done;
    publishProgress(recoding, sequence.cache());
}

/// Also publishes the end for an empty cache, because a replay needs the point.
void CacheFormatMigrations::exchange(Running::iterator one, bool inPause) {
    const ConversationId id = one->first;
    Sequence& sequence = *dependencies_.conversations.find(id);
    const KvStats before = sequence.cache().stats();
    const std::int64_t begin = dependencies_.io.clock().nowNs();
    try {
        auto made = one->second.rows->take(sequence.cache());
        if (!made) {
            dropFailed(one, made.error());
            return;
        }
        sequence.exchangeCache(std::move(*made));
    } catch (const std::bad_alloc&) {
        dropFailed(one, fail(ErrorCode::NoMemory, kNoMemory).value());
        return;
    }
    const double slowest =
        std::max(one->second.slowestMs, millisecondsSince(dependencies_.io.clock(), begin));
    const std::int64_t slices = one->second.slices;
    CacheRecoded last = std::move(one->second.published);
    left_.push_back(std::move(one->second.rows));
    running_.erase(one);
    last.at = dependencies_.io.at();
    last.share = 1;
    last.ended = true;
    last.inPause = inPause;
    dependencies_.io.post(std::move(last));
    if (before.tokens == 0) return;
    dependencies_.telemetry.publish(id, sequence);
    dependencies_.io.post(
        Notice{format("The cache of conversation {} is now in {}: {} instead of {}. It was "
                      "converted in {} slices of at most {:.0f} ms.",
                      id.value, formatsOf(sequence.cache().shape()),
                      mebibytes(sequence.cache().stats().liveBytes), mebibytes(before.liveBytes),
                      slices, slowest)});
}

void CacheFormatMigrations::publishFailure(ConversationId id, const Error& error) const {
    dependencies_.io.post(
        Notice{format("The cache of conversation {} keeps its number format until its next "
                      "question, which reads the text again: {}",
                      id.value, describe(error))});
}

bool CacheFormatMigrations::release() {
    if (left_.empty()) return false;
    if (!left_.back()->release(kBytesGivenBack)) left_.pop_back();
    return true;
}

void CacheFormatMigrations::afterStep(const ConversationFilter& answering) {
    static_cast<void>(release());
    if (running_.empty()) return;
    dropUnneeded();
    auto next = running_.end();
    for (auto one = running_.begin(); one != running_.end(); ++one) {
        if (!free(one->first)) continue;
        if (next == running_.end() || (answering(one->first) && !answering(next->first)))
            next = one;
    }
    if (next == running_.end()) return;
    const ConversationId id = next->first;
    advance(next, rowsOfSlice(next->second));
    if (const auto one = running_.find(id); one != running_.end() && one->second.ready)
        exchange(one, false);
}

void CacheFormatMigrations::turnBegins(bool first) {
    if (running_.empty() || !first) return;
    dropUnneeded();
    for (auto one = running_.begin(); one != running_.end();) {
        const ConversationId id = one->first;
        const KvCache& cache = dependencies_.conversations.find(id)->cache();
        const KvChoice target = one->second.rows->target();
        one->second = {.rows = nullptr, .published = std::move(one->second.published)};
        auto rows = make(id, cache, target);
        if (!rows) {
            one = dropFailed(one, rows.error());
            continue;
        }
        one->second.rows = std::move(*rows);
        publishProgress(one++->second, cache);
    }
}

bool CacheFormatMigrations::leadsTo(ConversationId id, const KvChoice& choice) const {
    const auto one = running_.find(id);
    return one != running_.end() && sameRows(one->second.rows->target(), choice);
}

bool CacheFormatMigrations::target() {
    if (!left_.empty()) return true;
    if (running_.empty()) return false;
    dropUnneeded();
    // A replay recodes in pauses only if the recording contains it.
    return !running_.empty() && std::ranges::all_of(running_, [this](const auto& one) {
        return free(one.first) &&
               dependencies_.io.backgroundPolicy(dependencies_.io.at(), one.first) ==
                   BackgroundPolicy::WhenReady;
    });
}

void CacheFormatMigrations::advance(std::int64_t /*room*/) {
    if (release()) return;
    for (auto one = running_.begin(); one != running_.end(); ++one)
        if (!one->second.ready) return advance(one, rowsOfSlice(one->second));
    finish();
}

void CacheFormatMigrations::finish(std::optional<ConversationId> only) {
    dropUnneeded();
    std::vector<ConversationId> all;
    for (const auto& one : running_)
        if ((!only || *only == one.first) && free(one.first)) all.push_back(one.first);
    for (const ConversationId id : all) {
        advance(running_.find(id), kAllRows);
        if (const auto one = running_.find(id); one != running_.end()) exchange(one, true);
    }
}

void CacheFormatMigrations::abandon(const ConversationFilter& which) {
    left_.clear();
    for (auto one = running_.begin(); one != running_.end();)
        one = which(one->first) ? drop(one, ErrorCode::Cancelled, kGivenBack) : std::next(one);
}

}  // namespace lacuna
