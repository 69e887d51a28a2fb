#include "engine/prefix/disk_tier.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kv/stored_rows.h"
#include "engine/prefix/row_codecs.h"

namespace lacuna {
namespace {

/// Smaller reads are too noisy to measure a rate.
constexpr std::int64_t kLeastMeasured = 64 * 1024;
constexpr std::string_view kWholeCodec = "state";
/// Shorter remainders after the last full page are evaluated again, since a file costs more.
constexpr std::int64_t kLeastTail = 16;

/// Iterates over the pages of a text.
class Chain {
  public:
    Chain(const PageSecret& secret, PageSpace space, std::span<const TokenId> tokens)
        : secret_(&secret),
          space_(std::move(space)),
          spaceKey_(spaceKey(secret, space_)),
          tokens_(tokens) {}

    /// Number of tokens in the pages so far, and of those that follow.
    [[nodiscard]] std::int64_t at() const { return next_; }
    [[nodiscard]] std::int64_t left() const {
        return static_cast<std::int64_t>(tokens_.size()) - next_;
    }
    /// Returns true if another full page follows.
    [[nodiscard]] bool more() const { return left() >= kPageTokens; }
    /// @pre tokens <= left()
    PageKey take(PageQuery& request, std::int64_t tokens = kPageTokens) {
        request.kind = PageKind::Run;
        request.parent = parent_;
        request.space = space_;
        request.first = next_;
        request.tokens =
            tokens_.subspan(static_cast<std::size_t>(next_), static_cast<std::size_t>(tokens));
        parent_ = pageKey(*secret_, spaceKey_, parent_, PageKind::Run, request.tokens);
        next_ += tokens;
        return parent_;
    }
    /// Returns the key that a shorter page would have here. @pre tokens <= left()
    PageKey tail(PageQuery& request, std::int64_t tokens) const {
        return Chain(*this).take(request, tokens);
    }
    /// Returns the key of the page with a whole cache over the first `tokens`.
    PageKey whole(std::int64_t tokens, PageQuery& request) const {
        request.kind = PageKind::Whole;
        request.parent = {};
        request.space = space_;
        request.first = 0;
        request.tokens = tokens_.first(static_cast<std::size_t>(tokens));
        return pageKey(*secret_, spaceKey_, {}, PageKind::Whole, request.tokens);
    }

  private:
    const PageSecret* secret_;
    PageSpace space_;
    PageKey spaceKey_;
    std::span<const TokenId> tokens_;
    PageKey parent_;
    std::int64_t next_ = 0;
};

/// Runs `work` and counts its time as that of a codec. Unsupported does not count as a failure.
template <class Work>
auto counted(PageStore& store, PageStore::Coding direction, const Work& work) {
    const SteadyClock clock;
    const std::int64_t begun = clock.nowNs();
    auto result = work();
    if (result || result.error().code != ErrorCode::Unsupported)
        store.noteCoding(direction, secondsSince(clock, begun), !result.has_value());
    return result;
}

std::string loadRate(std::string_view codec) {
    return format("load.{}", codec);
}

std::string prefillRate(const PageSpace& space) {
    return format("prefill.{}", space.model);
}

PageHeader headerOf(const PageQuery& request, const PageKey& key) {
    return {.kind = request.kind,
            .key = key,
            .parent = request.parent,
            .space = request.space,
            .codec = {},
            .codecIdentity = 0,
            .run = {request.first, static_cast<std::int64_t>(request.tokens.size())},
            .layout = request.layout,
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

bool DiskTier::Codecs::decodesPage(const PageStore& store, const PageHeader& header) const {
    const auto there = store.codecOf(header);
    return there && find(there->name, there->identity) != nullptr;
}

std::string DiskTier::Codecs::missingCodecReason(std::string_view name) const {
    const bool known =
        std::ranges::any_of(all, [&](const auto& codec) { return codec->name() == name; });
    return known ? format("it was written by {} with another calibration", name)
                 : format("it was written by {}, which is not available now", name);
}

namespace {

/// Returns the longest page, shorter than a full one and longer than `beyond`, that continues the
/// text.
std::optional<PageKey> tailOf(PageStore& store, const PageSpace& space, const Chain& chain,
                              PageQuery& request, std::int64_t beyond = 0) {
    const std::int64_t most = std::min<std::int64_t>(kPageTokens - 1, chain.left());
    for (const std::int64_t length : store.runLengths(space, chain.at(), most)) {
        if (length <= beyond) break;
        const PageKey key = chain.tail(request, length);
        if (store.codecOf(headerOf(request, key))) return key;
    }
    return std::nullopt;
}

/// Returns true if pages cover token `beyond`. Checked first, to avoid reading all the pages before
/// it in vain.
bool goesBeyond(PageStore& store, const PageSpace& space, Chain chain, PageQuery request,
                std::int64_t beyond) {
    while (chain.more() && chain.at() + kPageTokens <= beyond) chain.take(request);
    if (chain.more()) {
        const PageKey key = chain.tail(request, kPageTokens);
        if (store.codecOf(headerOf(request, key))) return true;
    }
    return tailOf(store, space, chain, request, beyond - chain.at()).has_value();
}

/// Removes shorter pages that are a prefix of the full page in their position.
void removeTails(PageStore& store, const PageSpace& space, const Chain& chain) {
    PageQuery request;
    for (const std::int64_t length : store.runLengths(space, chain.at(), kPageTokens - 1))
        store.remove(space, chain.tail(request, length));
}

}  // namespace

StoredStart DiskTier::findRuns(const PageSpace& space, std::span<const TokenId> tokens,
                               std::int64_t most, const KvChoice& choice, std::int64_t beyond) {
    StoredStart start;
    Chain chain(store_.secret(), space, tokens);
    PageQuery request;
    request.layout = cacheLayoutOf(choice);
    if (beyond >= kPageTokens && !goesBeyond(store_, space, chain, request, beyond)) return start;
    const auto add = [&](const PageKey& key) {
        const auto page = store_.look(key, request);
        if (!page) return false;
        if (codecs_->find(page->header.codec, page->header.codecIdentity) == nullptr) {
            start.unread = codecs_->missingCodecReason(page->header.codec);
            store_.reportMiss(key, space, {PageFault::Codec, start.unread});
            return false;
        }
        if (start.keys.empty()) start.codec = page->header.codec;
        start.keys.push_back(key);
        start.bytes += page->bytes;
        start.covered += page->header.run.count;
        return true;
    };
    while (chain.more() && chain.at() < most) {
        Chain next = chain;
        if (!add(next.take(request))) break;
        chain = std::move(next);
    }
    if (chain.at() < most)
        if (const auto tail = tailOf(store_, space, chain, request)) add(*tail);
    start.tokens = std::min(start.covered, most);
    return start;
}

StoredStart DiskTier::find(const PageSpace& space, std::span<const TokenId> tokens,
                           std::int64_t most, const KvChoice& choice, std::int64_t beyond) {
    if (!store_.usable()) return {};
    most = std::min(most, static_cast<std::int64_t>(tokens.size()));
    const StoredStart start = findRuns(space, tokens, most, choice, beyond);
    const Chain chain(store_.secret(), space, tokens);
    PageQuery request;
    request.layout = cacheLayoutOf(choice);
    for (const std::int64_t length : store_.storedLengths(space, most)) {
        if (length <= std::max(start.tokens, beyond)) break;
        const PageKey key = chain.whole(length, request);
        // Other texts of this length have other keys: a missing page does not count as a miss.
        if (!store_.codecOf(headerOf(request, key))) continue;
        const auto page = store_.look(key, request);
        if (!page) continue;
        return {.tokens = length,
                .bytes = page->bytes,
                .kind = PageKind::Whole,
                .keys = {key},
                .codec = page->header.codec,
                .covered = length};
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
    if (codec == nullptr)
        return fail(ErrorCode::Unsupported, codecs_->missingCodecReason(header.codec));
    return counted(store_, PageStore::Coding::Decode,
                   [&] { return codec->decode(page.parsed.rows, header.run, cache); });
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

struct StartLoading::Impl {
    Impl(DiskTier& of, const PageSpace& where, std::span<const TokenId> text,
         const StoredStart& pages, const KvChoice& choiceOf)
        : tier(of),
          space(where),
          tokens(text.begin(), text.end()),
          start(pages),
          choice(choiceOf),
          chain(of.store_.secret(), where, tokens) {
        request.layout = cacheLayoutOf(choice);
    }
    [[nodiscard]] Status decode(const PageKey& key, const PageStore::Page& page);

    DiskTier& tier;
    const PageSpace space;
    const std::vector<TokenId> tokens;
    const StoredStart start;
    const KvChoice choice;
    Chain chain;
    PageQuery request;
    LoadedStart loaded;
    std::vector<PageKey> used;
};

StartLoading::StartLoading(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
StartLoading::StartLoading(StartLoading&&) noexcept = default;
StartLoading& StartLoading::operator=(StartLoading&&) noexcept = default;
StartLoading::~StartLoading() = default;

Status StartLoading::Impl::decode(const PageKey& key, const PageStore::Page& page) {
    Status decoded;
    if (start.kind == PageKind::Run) {
        decoded = tier.loadPage(page, *loaded.cache);
    } else if (auto cache = counted(tier.store_, PageStore::Coding::Decode,
                                    [&] { return tier.loadWhole(page, choice); })) {
        loaded.cache = std::move(*cache);
    } else {
        decoded = tl::unexpected<Error>(std::move(cache).error());
    }
    if (!decoded && decoded.error().code != ErrorCode::NoMemory) {
        const bool damaged = decoded.error().code == ErrorCode::Corrupt ||
                             decoded.error().code == ErrorCode::KvNonFinite;
        tier.store_.reportMiss(
            key, space, {damaged ? PageFault::Content : PageFault::Codec, decoded.error().what});
    }
    return decoded;
}

Result<bool> StartLoading::next() {
    Impl& i = *impl_;
    DiskTier& tier = i.tier;
    if (i.used.size() == i.start.keys.size()) return false;
    const std::int64_t begun = tier.clock_.nowNs();
    const PageKey key =
        i.start.kind == PageKind::Run
            ? i.chain.take(i.request,
                           std::min<std::int64_t>(kPageTokens, i.start.covered - i.chain.at()))
            : i.chain.whole(i.start.covered, i.request);
    const auto page = tier.store_.read(key, i.request);
    if (!page) return false;
    const Status decoded = i.decode(key, *page);
    if (!decoded && decoded.error().code == ErrorCode::NoMemory)
        return tl::unexpected<Error>(decoded.error());
    i.loaded.milliseconds += millisecondsSince(tier.clock_, begun);
    if (!decoded) return false;
    if (const std::string& codec = page->parsed.header.codec;
        i.loaded.codec.empty() && codec != kRowsCodec && codec != kWholeCodec)
        i.loaded.codec = codec;
    i.loaded.tokens += page->parsed.header.run.count;
    i.loaded.bytes += static_cast<std::int64_t>(page->bytes.size());
    i.used.push_back(key);
    return i.used.size() < i.start.keys.size();
}

Result<LoadedStart> StartLoading::finish() {
    Impl& i = *impl_;
    LoadedStart& loaded = i.loaded;
    if (i.used.empty())
        return fail(ErrorCode::NotFound, "the stored pages of this text no longer exist");
    if (loaded.tokens > i.start.tokens) {
        LACUNA_TRY_STATUS(loaded.cache->rollback(static_cast<int>(loaded.tokens - i.start.tokens)));
        loaded.tokens = i.start.tokens;
    }
    const double rate = loaded.bytes >= kLeastMeasured && loaded.milliseconds > 0
                            ? 1000 * static_cast<double>(loaded.bytes) / loaded.milliseconds
                            : 0;
    // The index is updated on the store's thread, to keep it off the engine thread.
    static_cast<void>(
        i.tier.store_.enqueue(0, [&store = i.tier.store_, space = i.space, used = i.used, rate,
                                  name = loadRate(i.start.codec)](const auto&) {
            if (rate > 0) store.noteRate(name, rate);
            store.touch(space, used);
        }));
    return std::move(loaded);
}

Result<StartLoading> DiskTier::begin(const PageSpace& space, std::span<const TokenId> tokens,
                                     const StoredStart& start, const KvChoice& choice) {
    if (start.keys.empty() || start.covered > static_cast<std::int64_t>(tokens.size()))
        return fail(ErrorCode::NotFound, "no page of this text is stored");
    auto impl = std::make_unique<StartLoading::Impl>(*this, space, tokens, start, choice);
    if (start.kind == PageKind::Run) {
        LACUNA_TRY(impl->loaded.cache, makeCache(choice));
    }
    return StartLoading(std::move(impl));
}

Result<LoadedStart> DiskTier::load(const PageSpace& space, std::span<const TokenId> tokens,
                                   const StoredStart& start, const KvChoice& choice,
                                   const StopRequested& stop) {
    LACUNA_TRY(StartLoading loading, begin(space, tokens, start, choice));
    for (bool more = true; more;) {
        if (stop && stop())
            return fail(ErrorCode::Cancelled, "reading the prefix entry was cancelled");
        LACUNA_TRY(more, loading.next());
    }
    return loading.finish();
}

struct DiskTier::Text {
    PageSpace space;
    std::vector<TokenId> tokens;
    std::unique_ptr<KvCache> cache;  ///< shares its rows with the original
};

bool DiskTier::store(const PageSpace& space, std::span<const TokenId> tokens, KvCache& cache) {
    if (!store_.usable() || static_cast<std::int64_t>(tokens.size()) != cache.offset().value ||
        tokens.size() < kPageTokens)
        return false;
    auto twin = cache.share();
    if (!twin) {
        store_.noteUnsupported();
        return false;
    }
    const auto text =
        std::make_shared<const Text>(Text{space, {tokens.begin(), tokens.end()}, std::move(*twin)});
    return store_.enqueue(cache.stats().contentBytes(), [&store = store_, codecs = codecs_,
                                                         text](const std::stop_token& ended) {
        const StopRequested stop = [&ended] { return ended.stop_requested(); };
        if (holdsRowsOfTokens(*text->cache))
            writePages(store, *codecs, *text, stop);
        else
            writeWhole(store, *text);
    });
}

void DiskTier::writePages(PageStore& store, const Codecs& codecs, const Text& text,
                          const StopRequested& stop) {
    Chain chain(store.secret(), text.space, text.tokens);
    PageQuery request;
    request.layout = cacheLayoutOf(choiceOfCache(*text.cache));
    std::vector<PageKey> keys;
    const auto put = [&](PageHeader& header) {
        if (codecs.decodesPage(store, header)) return PageStore::Written::AlreadyThere;
        for (const auto& codec : codecs.all) {
            const auto encoded = counted(store, PageStore::Coding::Encode,
                                         [&] { return codec->encode(*text.cache, header.run); });
            if (!encoded) continue;
            header.codec = codec->name();
            header.codecIdentity = codec->identity();
            return store.write(header, request.tokens, *encoded);
        }
        store.noteUnsupported();
        return PageStore::Written::No;
    };
    while (chain.more() || chain.left() >= kLeastTail) {
        if (stop()) return;
        const Chain before = chain;
        const PageKey key = chain.take(request, std::min<std::int64_t>(kPageTokens, chain.left()));
        PageHeader header = headerOf(request, key);
        const PageStore::Written written = put(header);
        // Pages after a missing one would never be found.
        if (written == PageStore::Written::No) break;
        keys.push_back(key);
        if (written == PageStore::Written::Yes && header.run.count == kPageTokens)
            removeTails(store, text.space, before);
    }
    store.touch(text.space, keys);
}

void DiskTier::writeWhole(PageStore& store, const Text& text) {
    const Chain chain(store.secret(), text.space, text.tokens);
    PageQuery request;
    request.layout = cacheLayoutOf(choiceOfCache(*text.cache));
    const PageKey key = chain.whole(static_cast<std::int64_t>(text.tokens.size()), request);
    PageHeader header = headerOf(request, key);
    header.codec = kWholeCodec;
    if (store.codecOf(header) == PageStore::CodecName{header.codec, header.codecIdentity})
        return store.touch(text.space, {key});
    const auto state = text.cache->save();
    if (!state) return store.noteUnsupported();
    header.stateBytes = state->size();
    const auto frame = counted(store, PageStore::Coding::Encode,
                               [&] { return compressFrame(std::as_bytes(std::span(*state))); });
    if (!frame) return store.noteUnsupported();
    if (store.write(header, text.tokens, *frame) != PageStore::Written::No)
        store.touch(text.space, {key});
}

void DiskTier::notePrefill(const PageSpace& space, std::int64_t tokens, double seconds) {
    if (tokens < kPageTokens || seconds <= 0) return;
    const double rate = static_cast<double>(tokens) / seconds;
    static_cast<void>(store_.enqueue(0, [&store = store_, name = prefillRate(space),
                                         rate](const auto&) { store.noteRate(name, rate); }));
}

}  // namespace lacuna
