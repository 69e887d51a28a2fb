#include "engine/prefix/prefix_pages.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/prefix/row_codecs.h"
#include "engine/prefix/transform_page_codec.h"

namespace lacuna {
namespace {

/// Fewer tokens are not worth a lookup.
constexpr std::int64_t kLeastGain = 64;
/// A shorter read is not split into pieces: other turns do not notice the pause.
constexpr double kWorthPiecesMs = 30;
/// Minimum time between counts, since counting the files of a large folder takes as long as writing
/// a page.
constexpr std::int64_t kBetweenCountsNs = 5'000'000'000;

/// Returns the codecs of a folder; the first one encodes new pages.
std::vector<std::unique_ptr<PageCodec>> codecsFor(PageFidelity fidelity,
                                                  const PrefixPages::Coding& coding) {
    std::vector<std::unique_ptr<PageCodec>> codecs;
    if (fidelity == PageFidelity::Auto && coding.transform != nullptr)
        if (auto transform = makeTransformPageCodec(coding.transform, coding.pool))
            codecs.push_back(std::move(transform));
    if (fidelity != PageFidelity::Exact) codecs.push_back(makeEightBitCodec(coding.pool));
    codecs.push_back(makeRowsCodec(coding.pool));
    return codecs;
}

}  // namespace

struct PrefixPages::Folder {
    Mutex mutex;
    PageStoreStats stats LACUNA_GUARDED_BY(mutex);
    std::int64_t files LACUNA_GUARDED_BY(mutex) = 0;
    std::int64_t tokens LACUNA_GUARDED_BY(mutex) = 0;
    bool changed LACUNA_GUARDED_BY(mutex) = false;
    std::atomic<int> looks{0};   ///< pending calls of look
    std::int64_t countedNs = 0;  ///< accessed by the store's thread only
    SteadyClock clock;

    /// Runs on the store's thread.
    void look(PageStore& store) {
        const std::int64_t now = clock.nowNs();
        const bool last = looks == 1;
        const bool counts = countedNs == 0 || (last && now - countedNs > kBetweenCountsNs);
        PageStoreStats found = store.stats();
        std::int64_t many = 0;
        std::int64_t covered = 0;
        if (counts) {
            countedNs = now;
            for (const ModelUsage& one : store.usage()) {
                if (one.sort != StoredFile::Page && one.sort != StoredFile::Whole) continue;
                many += one.files;
                covered += one.tokens;
            }
        }
        MutexLock lock(mutex);
        if (counts) {
            files = many;
            tokens = covered;
        } else {
            files = std::max<std::int64_t>(
                files + (found.pagesWritten - stats.pagesWritten) - (found.evicted - stats.evicted),
                0);
        }
        stats = std::move(found);
        // Published together: if the engine saw neither queued work nor a change, it would sleep
        // until its next command.
        changed = true;
        --looks;
    }
};

PrefixPages::PrefixPages(PageStoreOptions options)
    : folder_(std::make_shared<Folder>()),
      path_(options.folder),
      limit_(options.limitBytes),
      fidelity_(pageFidelityOf(options.folder)) {
    store_ = PageStore::open(std::move(options));
    codeWith({});
    lookAround();
}

void PrefixPages::codeWith(Coding coding) {
    if (tier_ != nullptr && coding == coding_) return;
    pending_.reset();
    coding_ = std::move(coding);
    tier_ = std::make_unique<DiskTier>(*store_, codecsFor(fidelity_, coding_));
}

/// Surveys the folder after all work queued so far.
void PrefixPages::lookAround() {
    if (limit_ == 0) return;
    ++folder_->looks;
    if (!store_->enqueue(
            0, [folder = folder_, &store = *store_](const auto&) { folder->look(store); }))
        --folder_->looks;
}

PageSpace PrefixPages::pageSpace(const PrefixSpaces& spaces, const std::string& space) const {
    return {.model = PageStore::modelName(spaces.model), .settings = store_->hashOfSettings(space)};
}

PrefixPages::Start PrefixPages::longest(const PrefixQuery& query, std::int64_t beyond,
                                        std::int64_t most) {
    Start best;
    for (const std::string* space : {&query.spaces.full, &query.spaces.compacted}) {
        if (space->empty()) continue;
        Start start{.space = pageSpace(query.spaces, *space), .pages = {}};
        start.pages = tier_->find(start.space, query.tokens, most, *query.choice, beyond);
        const bool says = best.pages.tokens == 0 && !start.pages.unread.empty();
        if (start.pages.tokens > best.pages.tokens || says) best = std::move(start);
    }
    return best;
}

PrefixAnswer PrefixPages::miss(PrefixMiss reason, std::optional<PrefixLoad> load) {
    ++stats_.misses[static_cast<std::size_t>(reason)];
    PrefixAnswer none;
    none.load = load;
    return none;
}

PrefixAnswer PrefixPages::find(const PrefixQuery& query, std::int64_t beyond, std::int64_t most) {
    if (query.choice == nullptr || !store_->usable() || most - beyond < kLeastGain) return {};
    if (pending_ != nullptr && pending_->isFor(query, most)) {
        const auto pending = std::move(pending_);
        ++stats_.lookups;
        return given(query, pending->start, beyond, pending->load,
                     pending->error ? Result<LoadedStart>(tl::unexpected<Error>(*pending->error))
                                    : pending->pages.finish());
    }
    pending_.reset();
    ++stats_.lookups;
    const Start start = longest(query, beyond, most);
    if (start.pages.tokens <= beyond) {
        PrefixAnswer none = miss(beyond >= kPageTokens ? PrefixMiss::Held : PrefixMiss::Nothing);
        if (!start.pages.unread.empty())
            none.note = format("a page of this text on disk is not used: {}", start.pages.unread);
        return none;
    }
    const LoadDecision decision =
        tier_->decide(start.space, start.pages, beyond, query.secondsPerToken);
    PrefixLoad load{.reason = decision.reason,
                    .tokens = start.pages.tokens - beyond,
                    .bytes = start.pages.bytes,
                    .loadMs = decision.loadMs,
                    .computeMs = decision.computeMs};
    stats_.last = load;
    const bool takesLong = decision.loadMs <= 0 || decision.loadMs > kWorthPiecesMs;
    if (decision.load && query.inPieces && takesLong && start.pages.keys.size() > 1)
        return begin(query, start, most, load);
    if (decision.load) return read(query, start, beyond, load);
    PrefixAnswer none = miss(PrefixMiss::Slower, load);
    none.note = format(
        "{} more tokens are on disk, but reading them would take about {:.0f} ms and computing "
        "them {:.0f}",
        load.tokens, load.loadMs, load.computeMs);
    return none;
}

PrefixAnswer PrefixPages::read(const PrefixQuery& query, const Start& start, std::int64_t beyond,
                               PrefixLoad load) {
    return given(query, start, beyond, load,
                 tier_->load(start.space, query.tokens, start.pages, *query.choice,
                             query.stop != nullptr ? *query.stop : StopRequested()));
}

bool PrefixPages::Pending::isFor(const PrefixQuery& query, std::int64_t effectiveMaximum) const {
    return ended && most == effectiveMaximum && spaces.full == query.spaces.full &&
           spaces.compacted == query.spaces.compacted && std::ranges::equal(tokens, query.tokens);
}

/// The lookup is counted when the query is repeated and finds what was read.
PrefixAnswer PrefixPages::begin(const PrefixQuery& query, const Start& start, std::int64_t most,
                                const PrefixLoad& load) {
    auto pages = tier_->begin(start.space, query.tokens, start.pages, *query.choice);
    if (!pages) return given(query, start, 0, load, tl::unexpected<Error>(pages.error()));
    --stats_.lookups;
    pending_ =
        std::make_unique<Pending>(Pending{.spaces = query.spaces,
                                          .tokens = {query.tokens.begin(), query.tokens.end()},
                                          .most = most,
                                          .start = start,
                                          .load = load,
                                          .pages = std::move(*pages)});
    PrefixAnswer later;
    later.pending = true;
    return later;
}

void PrefixPages::loadNextPage() {
    const auto more = pending_->pages.next();
    if (!more) pending_->error = more.error();
    pending_->ended = !more || !*more;
}

PrefixAnswer PrefixPages::given(const PrefixQuery& query, const Start& start, std::int64_t beyond,
                                PrefixLoad load, Result<LoadedStart> loaded) {
    lookAround();
    if (!loaded || loaded->tokens <= beyond) {
        PrefixAnswer none = miss(PrefixMiss::Failed, load);
        none.note =
            loaded ? "pages of this text on disk are damaged or missing" : describe(loaded.error());
        return none;
    }
    load.tookMs = loaded->milliseconds;
    load.tokens = loaded->tokens - beyond;
    load.bytes = loaded->bytes;
    stats_.last = load;
    ++stats_.hits;
    stats_.tokensReused += load.tokens;
    stats_.bytesRead += loaded->bytes;
    stats_.readSeconds += loaded->milliseconds / 1000;
    stats_.savedSeconds += std::max((load.computeMs - load.tookMs) / 1000, 0.0);
    PrefixAnswer answer;
    answer.match = start.pages.covered == static_cast<std::int64_t>(query.tokens.size())
                       ? PrefixMatch::Exact
                       : PrefixMatch::Shorter;
    answer.tokens = loaded->tokens;
    answer.cache = std::move(loaded->cache);
    answer.load = load;
    if (!loaded->codec.empty())
        answer.note = format(
            "{} tokens were read from disk, where {} stores rounded rows: close to the computed "
            "ones, but not identical (lacuna tier codec)",
            loaded->tokens, loaded->codec);
    return answer;
}

void PrefixPages::stored(const PrefixSpaces& spaces, std::span<const TokenId> tokens,
                         KvCache& cache) {
    if (store_->usable() && tier_->store(pageSpace(spaces, spaces.of(cache)), tokens, cache))
        lookAround();
}

void PrefixPages::noteReading(const std::string& model, std::int64_t tokens, double seconds) {
    if (model != readingModel_) {
        readingModel_ = model;
        readingTokens_ = 0;
        readingSeconds_ = 0;
    }
    readingTokens_ += tokens;
    readingSeconds_ += seconds;
    if (limit_ == 0 || readingTokens_ < kPageTokens) return;
    tier_->notePrefill({.model = PageStore::modelName(model), .settings = 0}, readingTokens_,
                       readingSeconds_);
    readingTokens_ = 0;
    readingSeconds_ = 0;
}

void PrefixPages::limit(std::int64_t bytes) {
    pending_.reset();
    // Evict on the store's thread if it accepts work.
    const bool later =
        bytes > 0 && limit_ > 0 &&
        store_->enqueue(0, [bytes, &store = *store_](const auto&) { store.setLimit(bytes); });
    if (!later) store_->setLimit(bytes);
    limit_ = bytes;
    lookAround();
}

void PrefixPages::clear() {
    pending_.reset();
    static_cast<void>(store_->enqueue(0, [folder = folder_, &store = *store_](const auto&) {
        static_cast<void>(store.clear(std::nullopt));
        folder->countedNs = 0;
    }));
    lookAround();
}

Status PrefixPages::setFidelity(PageFidelity fidelity) {
    LACUNA_TRY_STATUS(storePageFidelity(path_, fidelity));
    fidelity_ = fidelity;
    pending_.reset();
    tier_ = std::make_unique<DiskTier>(*store_, codecsFor(fidelity_, coding_));
    return {};
}

bool PrefixPages::busy() const {
    return folder_->looks > 0;
}

bool PrefixPages::changes() const {
    MutexLock lock(folder_->mutex);
    return folder_->changed || folder_->looks > 0;
}

bool PrefixPages::takeChange() {
    MutexLock lock(folder_->mutex);
    return std::exchange(folder_->changed, false);
}

std::int64_t PrefixPages::bytes() const {
    MutexLock lock(folder_->mutex);
    return folder_->stats.bytes;
}

PrefixDiskStats PrefixPages::stats() const {
    PrefixDiskStats all = stats_;
    all.limitBytes = limit_;
    all.fidelity = fidelity_;
    MutexLock lock(folder_->mutex);
    const PageStoreStats folder = folder_->stats;
    all.bytes = folder.bytes;
    all.files = folder_->files;
    all.tokens = folder_->tokens;
    all.pagesWritten = folder.pagesWritten;
    all.bytesWritten = folder.bytesWritten;
    all.bytesWrittenToday = folder.bytesWrittenToday;
    all.notStorable = folder.unsupported;
    all.dropped = folder.dropped;
    all.writeFailures = folder.writeFailures;
    all.skippedInPause = folder.skippedInPause;
    all.rejectedLarge = folder.rejected;
    all.evicted = folder.evicted;
    all.quarantined = folder.quarantined;
    all.encoded = folder.encoded;
    all.decoded = folder.decoded;
    all.queued = folder_->looks;
    all.queuedBytes = folder.queuedBytes;
    all.problem = folder.problem;
    return all;
}

}  // namespace lacuna
