// Many threads that start from each other's prefixes: a prefix store behind one lock, caches that
// are read and written outside of it while others hold the same rows, pages that a disk store
// writes meanwhile and others load, and one transform bundle requested by all at once. Every row is
// checked against its token and position. `lacuna_sharing_threads THREADS ROUNDS` prints one line;
// exit status 1 if a row is wrong or nothing was shared. The test run uses a short form, the full
// one (50 threads, 1,000 rounds, with TSan) is manual: tests/long-runs.md.

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <thread>

#include "engine/base/lazy.h"
#include "engine/base/mutex.h"
#include "engine/prefix/prefix_store.h"
#include "engine/prefix/transform_page_codec.h"
#include "tests/support/sample_transform.h"
#include "tier_fixture.h"

namespace lacuna {
namespace {

using test::pagesIn;

constexpr int kDocuments = 16;
constexpr int kVersions = 8;  // versions of each document, which differ from the 128th token on
const PrefixSpaces kSpaces{.full = "model", .compacted = "model, compacted"};
/// The rows of a head exceed 64 KiB, from which caches share them.
const KvShape kShape{.layers = 1, .kvHeads = 2, .keyDim = 128, .valueDim = 128, .type = DType::F16};
const KvChoice kChoice{.shape = kShape, .window = {}, .layers = {}};

struct Tally {
    std::atomic<std::int64_t> hits = 0, fromDisk = 0, coded = 0, built = 0, wrong = 0;
};

/// State shared by all threads.
struct Shared {
    explicit Shared(const std::filesystem::path& folder)
        : pages(PageStore::open(test::tierOptions(folder))) {}
    Mutex mutex;
    PrefixStore store LACUNA_GUARDED_BY(mutex){{.limitBytes = 64 << 20, .minTokens = 128}};
    std::unique_ptr<PageStore> pages;
    Lazy<int, TransformCodec> bundles;
    std::shared_ptr<const TransformCodec> bundle LACUNA_GUARDED_BY(mutex);
    Tally tally;
};

/// Returns a number, exact in 16 bits, for a token at a position.
float numberOf(TokenId token, std::int64_t position, std::size_t column) {
    return static_cast<float>((token * 31 + position * 7 + static_cast<std::int64_t>(column)) % 61 -
                              30) /
           8;
}

std::vector<TokenId> textOf(std::uint64_t document, std::uint64_t version, std::int64_t length) {
    std::vector<TokenId> text;
    for (std::int64_t i = 0; i < length; ++i)
        text.push_back(static_cast<TokenId>(
            randomBits(document, i < 128 ? 0 : version + 1, static_cast<std::uint64_t>(i)) %
            5'000));
    return text;
}

/// Appends tokens [cache.offset(), text.size()).
bool evaluate(KvCache& cache, std::span<const TokenId> text) {
    const std::int64_t first = cache.offset().value;
    const int count = static_cast<int>(static_cast<std::int64_t>(text.size()) - first);
    const std::size_t width = static_cast<std::size_t>(kShape.kvHeads * kShape.keyDim);
    std::vector<float> rows(static_cast<std::size_t>(count) * width);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto place = static_cast<std::size_t>(first) + i / width;
        rows[i] = numberOf(text[place], static_cast<std::int64_t>(place), i % width);
    }
    if (!cache.beginAppend(count)) return false;
    const View<const float, 3> view{rows.data(), {count, kShape.kvHeads, kShape.keyDim}};
    cache.writeLayer(LayerIndex(0), view, view);
    cache.commitAppend();
    return true;
}

/// Checks every eighth row and the first and newest ones. Returns the number of wrong rows.
std::int64_t wrongRows(const KvCache& cache, std::span<const TokenId> text) {
    const auto dim = static_cast<std::size_t>(kShape.keyDim);
    std::vector<float> row(dim);
    std::int64_t wrong = 0;
    for (int head = 0; head < kShape.kvHeads; ++head) {
        const KvHeadView view = cache.head(LayerIndex(0), HeadIndex(head));
        if (view.slots != cache.offset().value) return 1;
        for (int slot = view.slots - 1; slot >= 0; slot -= slot > 8 ? 8 : 1)
            for (const bool keys : {true, false}) {
                (keys ? readKeys : readValues)(view, kShape.keyDim, slot, 1, row.data());
                for (std::size_t n = 0; n < dim; ++n)
                    if (row[n] != numberOf(text[static_cast<std::size_t>(slot)], slot,
                                           static_cast<std::size_t>(head) * dim + n)) {
                        ++wrong;
                        break;
                    }
            }
    }
    return wrong;
}

class Worker {
  public:
    Worker(Shared& shared, std::uint64_t number)
        : shared_(shared), number_(number), tier_(*shared.pages, test::exactCodecs()) {}

    void round(std::uint64_t at) {
        const std::vector<TokenId> text = textAt(at);
        auto cache = begin(text);
        check(*cache, text);
        expect(evaluate(*cache, text));
        keep(text, *cache, PrefixRole::User);
        if (at % 4 == 0) (void)tier_.store(test::tierSpace(), text, *cache);
        runSlice(*cache, text, 48, at);
        // Diverges in the middle, which writes rows that others are reading.
        expect(cache->rollback(cache->offset().value - 200).has_value());
        runSlice(*cache, std::span(text).first(200), 80, at + 1'000'000);
        if (at % 16 == 5) loadFromDisk(textAt(at - 1));
        if (at % 32 == 2) code();
    }

  private:
    [[nodiscard]] std::vector<TokenId> textAt(std::uint64_t at) const {
        return textOf(at % kDocuments, (at / 3 + number_) % kVersions,
                      260 + static_cast<std::int64_t>(at % 5) * 24);
    }

    std::unique_ptr<KvCache> begin(std::span<const TokenId> text) {
        PrefixAnswer answer;
        {
            const MutexLock lock(shared_.mutex);
            answer = shared_.store.find({.spaces = kSpaces, .tokens = text});
        }
        if (answer.cache == nullptr) return makeCache(kChoice).value();
        ++shared_.tally.hits;
        return std::move(answer.cache);
    }

    void keep(std::span<const TokenId> text, KvCache& cache, PrefixRole role) {
        const MutexLock lock(shared_.mutex);
        (void)shared_.store.insert(kSpaces, text, cache, role);
    }

    /// Appends `more` tokens that no other text has.
    void runSlice(KvCache& cache, std::span<const TokenId> text, std::int64_t more,
                  std::uint64_t at) {
        std::vector<TokenId> longer(text.begin(), text.end());
        const auto own = textOf(1'000 + number_, at, more);
        longer.insert(longer.end(), own.begin(), own.end());
        expect(evaluate(cache, longer));
        keep(longer, cache, PrefixRole::Assistant);
        check(cache, longer);
    }

    void loadFromDisk(std::span<const TokenId> text) {
        const StoredStart start = tier_.find(test::tierSpace(), text,
                                             static_cast<std::int64_t>(text.size()) - 1, kChoice);
        if (start.tokens == 0) return;
        const auto loaded = tier_.load(test::tierSpace(), text, start, kChoice);
        if (!loaded) return;  // the page was evicted meanwhile
        ++shared_.tally.fromDisk;
        check(*loaded->cache, text.first(static_cast<std::size_t>(loaded->tokens)));
    }

    void code() {
        const auto codec = shared_.bundles.get(0, [this] {
            ++shared_.tally.built;
            return TransformCodec::make(test::sampleTransform());
        });
        if (!codec) return expect(false);
        {
            const MutexLock lock(shared_.mutex);
            shared_.bundle = *codec;  // kept alive as by a model
        }
        const TransformIdentity& id = (*codec)->bundle().identity;
        const KvShape shape{.layers = id.layers,
                            .kvHeads = id.kvHeads,
                            .keyDim = id.keyDim,
                            .valueDim = id.valueDim,
                            .type = DType::F16};
        const auto text = textOf(7, 7, 200);
        const auto cache = test::cacheOver(text, shape);
        const TransformPageCodec coder(
            *codec,
            {.coding = {.code = StoredCode::Step, .step = 0.05F}, .sinks = 4, .window = 64});
        const TokenRun run{0, 200};
        const auto page = coder.encode(*cache, run);
        if (!page) return expect(false);
        if (firstPage_.empty()) firstPage_ = *page;
        expect(*page == firstPage_);
        auto back = makeCache({.shape = shape, .window = {}, .layers = {}}).value();
        expect(coder.decode(*page, run, *back).has_value());
        expect(back->offset() == cache->offset());
        ++shared_.tally.coded;
    }

    void check(const KvCache& cache, std::span<const TokenId> text) {
        shared_.tally.wrong += wrongRows(cache, text);
    }
    void expect(bool right) { shared_.tally.wrong += right ? 0 : 1; }

    Shared& shared_;
    const std::uint64_t number_;
    DiskTier tier_;
    std::vector<std::byte> firstPage_;
};

int run(std::uint64_t threads, std::uint64_t rounds, const std::filesystem::path& folder) {
    Shared shared(folder);
    std::vector<std::thread> all;
    for (std::uint64_t number = 0; number < threads; ++number)
        all.emplace_back([&shared, number, rounds] {
            Worker worker(shared, number);
            for (std::uint64_t at = 0; at < rounds; ++at) worker.round(at);
        });
    for (std::thread& one : all) one.join();
    shared.pages->drain();
    const MutexLock lock(shared.mutex);
    shared.store.checkInvariants();
    const Tally& tally = shared.tally;
    std::printf(
        "{\"threads\": %llu, \"rounds\": %llu, \"hits\": %lld, \"from_disk\": %lld, "
        "\"coded\": %lld, \"built\": %lld, \"pages\": %zu, \"wrong\": %lld}\n",
        static_cast<unsigned long long>(threads), static_cast<unsigned long long>(rounds),
        static_cast<long long>(tally.hits), static_cast<long long>(tally.fromDisk),
        static_cast<long long>(tally.coded), static_cast<long long>(tally.built),
        pagesIn(folder).size(), static_cast<long long>(tally.wrong));
    return tally.wrong == 0 && tally.built == 1 && tally.hits > 0 && tally.fromDisk > 0 &&
                   tally.coded > 0
               ? 0
               : 1;
}

}  // namespace
}  // namespace lacuna

int main(int argc, char** argv) {
    const long long threads = argc > 1 ? std::atoll(argv[1]) : 8;
    const long long rounds = argc > 2 ? std::atoll(argv[2]) : 40;
    const lacuna::test::TemporaryFolder folder;
    return lacuna::run(static_cast<std::uint64_t>(threads), static_cast<std::uint64_t>(rounds),
                       folder.path());
}
