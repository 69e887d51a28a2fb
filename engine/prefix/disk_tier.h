#pragma once
/// \file
/// Converts between caches and pages on disk, and predicts whether reading is worth it. An
/// uncompacted cache is stored as pages of 256 tokens, shared by all texts with that prefix, and a
/// shorter page for the remaining tokens. A compacted cache, or one that evicts by age, is stored
/// as one page for texts that begin with all of its tokens. Finding and loading need external
/// synchronisation; storing checks, encodes and writes on the store's thread. docs/disk-tier.md.

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

/// Pages of a stored prefix.
struct StoredStart {
    std::int64_t tokens = 0;  ///< tokens they provide; 0 if there are none
    std::int64_t bytes = 0;   ///< bytes to read
    PageKind kind = PageKind::Run;
    std::vector<PageKey> keys;  ///< keys in chain order
    std::string codec;          ///< codec of the first page
    std::int64_t covered = 0;   ///< tokens in the pages, before truncation to `tokens`
    std::string unread = {};    ///< why the following page cannot be decoded; empty if it can
};

/// The two predictions and the resulting decision.
struct LoadDecision {
    bool load = false;
    double loadMs = 0;     ///< predicted time to read and decode; 0 if unknown
    double computeMs = 0;  ///< predicted time to evaluate these tokens; 0 if unknown
    LoadReason reason = LoadReason::Nothing;
};

struct LoadedStart {
    std::unique_ptr<KvCache> cache;
    std::int64_t tokens = 0;
    std::int64_t bytes = 0;
    double milliseconds = 0;
    std::string codec;  ///< codec of the first lossy page; empty if all pages are exact
};

/// Reads and decodes the pages of a prefix one at a time, so that other work can run in between.
/// Not thread-safe; the tier and its store outlive it.
class StartLoading {
  public:
    StartLoading(StartLoading&&) noexcept;
    StartLoading& operator=(StartLoading&&) noexcept;
    ~StartLoading();
    /// Reads the next page. Returns false if there is none left, or if it is damaged or missing.
    /// Errors: NoMemory.
    [[nodiscard]] Result<bool> next();
    /// Returns a new cache with these tokens, or with fewer if a page is damaged or missing.
    /// Errors: NotFound (not even the first page). @pre next() returned false
    [[nodiscard]] Result<LoadedStart> finish();

  private:
    friend class DiskTier;
    struct Impl;
    explicit StartLoading(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

/// Number of refusals to load before one load is tried to refresh the measured rate.
inline constexpr int kProbeEvery = 16;

class DiskTier {
  public:
    /// Codecs are found by name and identity; a page of any other codec is a miss and is rewritten.
    /// New pages use the first codec that accepts the rows. The store outlives the tier; queued
    /// work keeps the codecs alive.
    DiskTier(PageStore& store, std::vector<std::unique_ptr<PageCodec>> codecs,
             const Clock* clock = nullptr);

    /// Finds the pages of the first `most` tokens for caches made with `choice`, if they provide
    /// more than `beyond`.
    [[nodiscard]] StoredStart find(const PageSpace& space, std::span<const TokenId> tokens,
                                   std::int64_t most, const KvChoice& choice,
                                   std::int64_t beyond = 0);
    /// Decides whether to load a prefix if `held` tokens are already present. `secondsPerToken` is
    /// the caller's latest measurement of evaluation; 0 uses the recorded rate (notePrefill).
    [[nodiscard]] LoadDecision decide(const PageSpace& space, const StoredStart& start,
                                      std::int64_t held, double secondsPerToken);
    /// Returns a new cache with these tokens, or with fewer if a page is damaged or missing.
    /// Errors: Cancelled, NotFound (not even the first page), NoMemory, those of makeCache.
    [[nodiscard]] Result<LoadedStart> load(const PageSpace& space, std::span<const TokenId> tokens,
                                           const StoredStart& start, const KvChoice& choice,
                                           const StopRequested& stop = {});
    /// Like load(), but in pieces. Errors: NotFound, those of makeCache.
    [[nodiscard]] Result<StartLoading> begin(const PageSpace& space,
                                             std::span<const TokenId> tokens,
                                             const StoredStart& start, const KvChoice& choice);
    /// Queues the parts of a cache that are not stored yet. Rows are shared with the cache until
    /// they are written. Returns false if nothing was queued: the text is too short, the cache
    /// cannot be shared, or the queue is full. @pre no step is running; the cache covers exactly
    /// the tokens
    bool store(const PageSpace& space, std::span<const TokenId> tokens, KvCache& cache);
    /// Records how fast a model evaluates prompts on this machine.
    void notePrefill(const PageSpace& space, std::int64_t tokens, double seconds);

  private:
    friend class StartLoading;
    struct Codecs {
        std::vector<std::unique_ptr<PageCodec>> all;
        [[nodiscard]] const PageCodec* find(std::string_view name, std::uint64_t identity) const;
        /// Returns true if the run is stored in a form that one of the codecs decodes.
        [[nodiscard]] bool decodesPage(const PageStore& store, const PageHeader& header) const;
        /// Explains why no codec decodes it.
        [[nodiscard]] std::string missingCodecReason(std::string_view name) const;
    };
    struct Text;  ///< a cache and its tokens, as queued
    static void writePages(PageStore& store, const Codecs& codecs, const Text& text,
                           const StopRequested& stop);
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
