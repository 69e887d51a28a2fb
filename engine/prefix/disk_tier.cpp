#include "engine/prefix/disk_tier.h"

#include <algorithm>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kv/stored_rows.h"
#include "engine/prefix/row_codecs.h"

namespace lacuna {
namespace {

/// What is read in less is noise to the measurement of a rate.
constexpr std::int64_t kLeastMeasured = 64 * 1024;
constexpr std::string_view kWholeCodec = "state";

/// One page of a text after the other.
class Chain {
  public:
    Chain(const PageSecret& secret, PageSpace space, std::span<const TokenId> tokens)
        : secret_(secret),
          space_(std::move(space)),
          spaceKey_(spaceKey(secret, space_)),
          tokens_(tokens) {}

    /// Whether there is another page within the first `most` tokens.
    [[nodiscard]] bool more(std::int64_t most) const {
        return next_ + kPageTokens <=
               std::min<std::int64_t>(most, static_cast<std::int64_t>(tokens_.size()));
    }
    /// @pre more
    PageKey take(PageWish& wish) {
        wish.kind = PageKind::Run;
        wish.parent = parent_;
        wish.space = space_;
        wish.first = next_;
        wish.tokens = tokens_.subspan(static_cast<std::size_t>(next_), kPageTokens);
        parent_ = pageKey(secret_, spaceKey_, parent_, PageKind::Run, wish.tokens);
        next_ += kPageTokens;
        return parent_;
    }
    /// The page of a whole cache over the first `tokens`.
    PageKey whole(std::int64_t tokens, PageWish& wish) const {
        wish.kind = PageKind::Whole;
        wish.parent = {};
        wish.space = space_;
        wish.first = 0;
        wish.tokens = tokens_.first(static_cast<std::size_t>(tokens));
        return pageKey(secret_, spaceKey_, {}, PageKind::Whole, wish.tokens);
    }

  private:
    const PageSecret& secret_;
    PageSpace space_;
    PageKey spaceKey_;
    std::span<const TokenId> tokens_;
    PageKey parent_;
    std::int64_t next_ = 0;
};

std::string loadRate(std::string_view codec) {
    return format("load.{}", codec);
}

std::string prefillRate(const PageSpace& space) {
    return format("prefill.{}", space.model);
}

PageHeader headerOf(const PageWish& wish, const PageKey& key) {
    return {.kind = wish.kind,
            .key = key,
            .parent = wish.parent,
            .space = wish.space,
            .codec = {},
            .codecIdentity = 0,
            .run = {wish.first, static_cast<std::int64_t>(wish.tokens.size())},
            .layout = wish.layout,
            .stateBytes = 0};
}

}  // namespace

DiskTier::DiskTier(PageStore& store, std::vector<std::unique_ptr<PageCodec>> codecs,
                   const Clock* clock)
    : store_(store),
      codecs_(std::make_shared<const Codecs>(Codecs{std::move(codecs)})),
      clock_(clock != nullptr ? *clock : steady_) {}

const PageCodec* DiskTier::Codecs::find(std::string_view name, std::uint64_t identity) const {
    const auto at = std::ranges::find_if(all, [&](const auto& codec) {
        return codec->name() == name && codec->identity() == identity;
    });
    return at == all.end() ? nullptr : at->get();
}

StoredStart DiskTier::find(const PageSpace& space, std::span<const TokenId> tokens,
                           std::int64_t most, const KvChoice& choice) {
    StoredStart start;
    if (!store_.usable()) return start;
    most = std::min(most, static_cast<std::int64_t>(tokens.size()));
    Chain chain(store_.secret(), space, tokens);
    PageWish wish;
    wish.layout = cacheLayoutOf(choice);
    while (chain.more(most)) {
        const PageKey key = chain.take(wish);
        const auto page = store_.look(key, wish);
        if (!page) break;
        if (codecs_->find(page->header.codec, page->header.codecIdentity) == nullptr) {
            store_.reportMiss(key, space, {PageFault::Codec, "nobody here decodes it"});
            break;
        }
        if (start.keys.empty()) start.codec = page->header.codec;
        start.keys.push_back(key);
        start.bytes += page->bytes;
        start.tokens += kPageTokens;
    }
    for (const std::int64_t length : store_.wholeLengths(space, most)) {
        if (length <= start.tokens) break;
        const PageKey key = chain.whole(length, wish);
        // Of another text of this length there is no page under this key: no miss is counted.
        if (!store_.holds(headerOf(wish, key), PageStore::AnyCodec::Yes)) continue;
        const auto page = store_.look(key, wish);
        if (!page) continue;
        return {.tokens = length,
                .bytes = page->bytes,
                .kind = PageKind::Whole,
                .keys = {key},
                .codec = page->header.codec};
    }
    return start;
}

LoadDecision DiskTier::decide(const PageSpace& space, const StoredStart& start, std::int64_t held,
                              double secondsPerToken) {
    LoadDecision decision;
    if (start.tokens <= held) return decision;
    if (const auto rate = store_.rate(loadRate(start.codec)); rate && rate->value > 0)
        decision.loadMs = 1000 * static_cast<double>(start.bytes) / rate->value;
    if (secondsPerToken <= 0)
        if (const auto rate = store_.rate(prefillRate(space)); rate && rate->value > 0)
            secondsPerToken = 1 / rate->value;
    decision.computeMs = 1000 * static_cast<double>(start.tokens - held) * secondsPerToken;
    if (decision.loadMs <= 0 || decision.computeMs <= 0)
        decision.reason = LoadReason::Unknown;
    else if (decision.loadMs < decision.computeMs)
        decision.reason = LoadReason::Faster;
    else
        decision.reason = ++refusals_ % kProbeEvery == 0 ? LoadReason::Probe : LoadReason::Slower;
    decision.load = decision.reason != LoadReason::Slower;
    return decision;
}

Status DiskTier::loadPage(const PageStore::Page& page, KvCache& cache) const {
    const PageHeader& header = page.parsed.header;
    const PageCodec* const codec = codecs_->find(header.codec, header.codecIdentity);
    if (codec == nullptr) return fail(ErrorCode::Unsupported, "nobody here decodes it");
    return codec->decode(page.parsed.rows, header.run, cache);
}

Result<std::unique_ptr<KvCache>> DiskTier::loadWhole(const PageStore::Page& page,
                                                     const KvChoice& choice) const {
    std::string state(static_cast<std::size_t>(page.parsed.header.stateBytes), '\0');
    LACUNA_TRY_STATUS(decompressFrame(
        page.parsed.rows, std::as_writable_bytes(std::span(state.data(), state.size()))));
    LACUNA_TRY(auto cache, loadCacheFor(state, choice));
    if (cache->offset().value != static_cast<std::int64_t>(page.parsed.tokens.size()))
        return fail(ErrorCode::Corrupt, format("it covers {} tokens", cache->offset().value));
    return cache;
}

Result<LoadedStart> DiskTier::load(const PageSpace& space, std::span<const TokenId> tokens,
                                   const StoredStart& start, const KvChoice& choice,
                                   std::stop_token stop) {
    if (start.keys.empty() || start.tokens > static_cast<std::int64_t>(tokens.size()))
        return fail(ErrorCode::NotFound, "no page is stored of this text");
    const std::int64_t begun = clock_.nowNs();
    Chain chain(store_.secret(), space, tokens);
    PageWish wish;
    wish.layout = cacheLayoutOf(choice);
    LoadedStart loaded;
    std::vector<PageKey> used;
    if (start.kind == PageKind::Run) {
        LACUNA_TRY(loaded.cache, makeCache(choice));
    }
    for (std::size_t i = 0; i < start.keys.size(); ++i) {
        if (stop.stop_requested())
            return fail(ErrorCode::Cancelled, "reading the stored start of the text was cancelled");
        const PageKey key =
            start.kind == PageKind::Run ? chain.take(wish) : chain.whole(start.tokens, wish);
        const auto page = store_.read(key, wish);
        if (!page) break;
        Status decoded;
        if (start.kind == PageKind::Run) {
            decoded = loadPage(*page, *loaded.cache);
        } else if (auto cache = loadWhole(*page, choice)) {
            loaded.cache = std::move(*cache);
        } else {
            decoded = tl::unexpected<Error>(std::move(cache).error());
        }
        if (!decoded) {
            if (decoded.error().code == ErrorCode::NoMemory)
                return tl::unexpected<Error>(std::move(decoded).error());
            const bool damaged = decoded.error().code == ErrorCode::Corrupt ||
                                 decoded.error().code == ErrorCode::KvNonFinite;
            store_.reportMiss(
                key, space,
                {damaged ? PageFault::Content : PageFault::Codec, decoded.error().what});
            break;
        }
        loaded.tokens += page->parsed.header.run.count;
        loaded.bytes += static_cast<std::int64_t>(page->bytes.size());
        used.push_back(key);
    }
    if (used.empty()) return fail(ErrorCode::NotFound, "the stored pages of this text are gone");
    loaded.milliseconds = millisecondsSince(clock_, begun);
    if (loaded.bytes >= kLeastMeasured && loaded.milliseconds > 0)
        store_.noteRate(loadRate(start.codec),
                        1000 * static_cast<double>(loaded.bytes) / loaded.milliseconds);
    store_.touch(space, used);
    return loaded;
}

bool DiskTier::store(const PageSpace& space, std::span<const TokenId> tokens, KvCache& cache) {
    if (!store_.usable() || static_cast<std::int64_t>(tokens.size()) != cache.offset().value ||
        tokens.size() < kPageTokens)
        return false;
    return holdsRowsOfTokens(cache) ? storePages(space, tokens, cache)
                                    : storeWhole(space, tokens, cache);
}

bool DiskTier::storePages(const PageSpace& space, std::span<const TokenId> tokens, KvCache& cache) {
    struct Page {
        PageHeader header;
        std::vector<TokenId> tokens;
    };
    Chain chain(store_.secret(), space, tokens);
    PageWish wish;
    wish.layout = cacheLayoutOf(choiceOfCache(cache));
    std::vector<Page> pages;
    std::vector<PageKey> keys;
    std::int64_t missing = 0;
    while (chain.more(static_cast<std::int64_t>(tokens.size()))) {
        const PageKey key = chain.take(wish);
        PageHeader header = headerOf(wish, key);
        if (!store_.holds(header, PageStore::AnyCodec::Yes)) ++missing;
        pages.push_back({std::move(header), {wish.tokens.begin(), wish.tokens.end()}});
        keys.push_back(key);
    }
    if (missing == 0) {
        store_.touch(space, keys);
        return false;
    }
    if (cache.snapshots() == nullptr) return false;
    auto twin = cache.snapshots()->snapshot();
    if (!twin) return false;
    const std::int64_t bytes = cache.stats().liveBytes;
    const std::shared_ptr<const KvCache> rows = std::move(*twin);
    return store_.enqueue(bytes, [&store = store_, codecs = codecs_, rows, keys,
                                  pages = std::move(pages)](const std::stop_token& stop) mutable {
        for (Page& page : pages) {
            if (stop.stop_requested()) return;
            if (store.holds(page.header, PageStore::AnyCodec::Yes)) continue;
            auto written = PageStore::Written::No;
            for (const auto& codec : codecs->all) {
                const auto encoded = codec->encode(*rows, page.header.run);
                if (!encoded) continue;
                page.header.codec = codec->name();
                page.header.codecIdentity = codec->identity();
                written = store.write(page.header, page.tokens, *encoded);
                break;
            }
            // What follows a page that is not there is never found.
            if (written == PageStore::Written::No) break;
        }
        store.touch(pages.front().header.space, keys);
    });
}

bool DiskTier::storeWhole(const PageSpace& space, std::span<const TokenId> tokens, KvCache& cache) {
    const Chain chain(store_.secret(), space, tokens);
    PageWish wish;
    wish.layout = cacheLayoutOf(choiceOfCache(cache));
    const PageKey key = chain.whole(static_cast<std::int64_t>(tokens.size()), wish);
    PageHeader header = headerOf(wish, key);
    header.codec = kWholeCodec;
    if (store_.holds(header, PageStore::AnyCodec::No)) {
        store_.touch(space, {key});
        return false;
    }
    auto state = cache.save();
    if (!state) return false;
    header.stateBytes = state->size();
    const auto bytes = static_cast<std::int64_t>(state->size());
    return store_.enqueue(
        bytes, [&store = store_, header, state = std::move(*state),
                ids = std::vector<TokenId>(tokens.begin(), tokens.end())](const std::stop_token&) {
            const auto frame = compressFrame(std::as_bytes(std::span(state)));
            if (!frame) return;
            if (store.write(header, ids, *frame) != PageStore::Written::No)
                store.touch(header.space, {header.key});
        });
}

void DiskTier::notePrefill(const PageSpace& space, std::int64_t tokens, double seconds) {
    if (tokens < kPageTokens || seconds <= 0) return;
    store_.noteRate(prefillRate(space), static_cast<double>(tokens) / seconds);
}

}  // namespace lacuna
