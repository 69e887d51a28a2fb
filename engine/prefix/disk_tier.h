#pragma once
/// \file
/// Caches in pages on disk: which pages of a text are there, whether reading them is worth it, and
/// both directions between a cache and its pages. A cache that holds every token goes in pages of
/// 256 tokens, of which every text that begins alike reads as many as it shares, and one of the
/// tokens that are left, for texts that begin with all of them; one that was compacted or forgets
/// by age goes whole, for texts that begin with all of it. Finding and loading are for one thread
/// at a time; storing looks, encodes and writes on the store's thread. docs/disk-tier.md.

#include <memory>
#include <span>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/work_budget.h"
#include "engine/kv/kv_factory.h"
#include "engine/prefix/page_codec.h"
#include "engine/prefix/page_store.h"
#include "engine/values/prefix_values.h"

namespace lacuna {

/// Pages of the start of a text.
struct StoredStart {
    std::int64_t tokens = 0;  ///< that they give; 0: there are none
    std::int64_t bytes = 0;   ///< to be read
    PageKind kind = PageKind::Run;
    std::vector<PageKey> keys;  ///< in order
    std::string codec;          ///< of the first
    std::int64_t covered = 0;   ///< tokens in them, cut back to those that are given
    std::string unread = {};    ///< why the page that follows is not decoded, or empty
};

/// The two numbers and what follows from them.
struct LoadDecision {
    bool load = false;
    double loadMs = 0;     ///< predicted: reading and decoding; 0: not known
    double computeMs = 0;  ///< predicted: evaluating these tokens; 0: not known
    LoadReason reason = LoadReason::Nothing;
};

struct LoadedStart {
    std::unique_ptr<KvCache> cache;
    std::int64_t tokens = 0;
    std::int64_t bytes = 0;
    double milliseconds = 0;
    std::string codec;  ///< of the first page that does not keep rows bit for bit; empty: all do
};

/// Pages of a start, read and decoded one at a time, so that others may do something between two.
/// For one thread at a time; the tier and its store outlive it.
class StartLoading {
  public:
    StartLoading(StartLoading&&) noexcept;
    StartLoading& operator=(StartLoading&&) noexcept;
    ~StartLoading();
    /// Reads the next page. False: that was the last one, or it is damaged or gone. Errors:
    /// NoMemory.
    [[nodiscard]] Result<bool> next();
    /// What was loaded: a new cache with these tokens, or with fewer where a page turned out to be
    /// damaged or gone. Errors: NotFound (not even the first page). @pre next() said false
    [[nodiscard]] Result<LoadedStart> finish();

  private:
    friend class DiskTier;
    struct Impl;
    explicit StartLoading(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Refusals to load between two probes.
inline constexpr int kProbeEvery = 16;

class DiskTier {
  public:
    /// `codecs` decode by their names and identities, and a page of any other is a miss that is
    /// written anew; new pages get the first one that takes the rows. The store outlives the tier,
    /// and what was queued keeps the codecs.
    DiskTier(PageStore& store, std::vector<std::unique_ptr<PageCodec>> codecs,
             const Clock* clock = nullptr);

    /// What is there of the first `most` of these tokens, for caches of this choice, where it is
    /// more than `beyond`.
    [[nodiscard]] StoredStart find(const PageSpace& space, std::span<const TokenId> tokens,
                                   std::int64_t most, const KvChoice& choice,
                                   std::int64_t beyond = 0);
    /// Whether to load it where `held` tokens are there already. `secondsPerToken` of evaluating,
    /// as the caller measured last; 0: as was measured before (notePrefill).
    [[nodiscard]] LoadDecision decide(const PageSpace& space, const StoredStart& start,
                                      std::int64_t held, double secondsPerToken);
    /// A new cache with these tokens, or with fewer where a page turns out to be damaged or gone.
    /// Errors: Cancelled, NotFound (not even the first page), NoMemory, those of makeCache.
    [[nodiscard]] Result<LoadedStart> load(const PageSpace& space, std::span<const TokenId> tokens,
                                           const StoredStart& start, const KvChoice& choice,
                                           const StopAsked& stop = {});
    /// The same in pieces. Errors: NotFound, those of makeCache.
    [[nodiscard]] Result<StartLoading> begin(const PageSpace& space,
                                             std::span<const TokenId> tokens,
                                             const StoredStart& start, const KvChoice& choice);
    /// Queues what is not stored yet of a cache over these tokens. Rows are shared with the cache
    /// until they are written. False: nothing was queued, for it is too short, cannot be shared, or
    /// the queue is full. @pre between steps; the cache covers the tokens
    bool store(const PageSpace& space, std::span<const TokenId> tokens, KvCache& cache);
    /// How fast a model evaluates prompts here.
    void notePrefill(const PageSpace& space, std::int64_t tokens, double seconds);

  private:
    friend class StartLoading;
    struct Codecs {
        std::vector<std::unique_ptr<PageCodec>> all;
        [[nodiscard]] const PageCodec* find(std::string_view name, std::uint64_t identity) const;
        /// Whether a run lies there that one of them decodes.
        [[nodiscard]] bool decodesPage(const PageStore& store, const PageHeader& header) const;
        /// Why none decodes it.
        [[nodiscard]] std::string whyNone(std::string_view name) const;
    };
    struct Text;  ///< a cache with its tokens, as it is queued
    static void writePages(PageStore& store, const Codecs& codecs, const Text& text,
                           const StopAsked& stop);
    static void writeWhole(PageStore& store, const Text& text);
    [[nodiscard]] StoredStart findRuns(const PageSpace& space, std::span<const TokenId> tokens,
                                       std::int64_t most, const KvChoice& choice,
                                       std::int64_t beyond);
    [[nodiscard]] Status loadPage(const PageStore::Page& page, KvCache& cache) const;
    [[nodiscard]] Result<std::unique_ptr<KvCache>> loadWhole(const PageStore::Page& page,
                                                             const KvChoice& choice) const;

    PageStore& store_;
    std::shared_ptr<const Codecs> codecs_;
    SteadyClock steady_;
    const Clock& clock_;
    int refusals_ = 0;
};

}  // namespace lacuna
