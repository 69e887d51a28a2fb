#pragma once
/// \file
/// Disk-backed PrefixTier: consulted on a memory miss, notified on every insert. It returns a cache
/// only if reading is predicted to be faster than computing. Only reading a hit blocks on the disk;
/// writing and surveying the folder run on the store's thread. Owned by the engine thread.
/// docs/disk-tier.md, "In a session".

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/transform/transform_codec.h"
#include "engine/prefix/disk_tier.h"
#include "engine/prefix/page_fidelity.h"
#include "engine/prefix/prefix_store.h"

namespace lacuna {

class PrefixPages final : public PrefixTier {
  public:
    explicit PrefixPages(PageStoreOptions options);

    /// Codec settings for subsequent reads and writes.
    struct Coding {
        ThreadPool* pool = nullptr;  ///< decodes rows in parallel; null decodes on the caller's
                                     ///< thread
        /// Calibrated on the current model; null if there is no calibration.
        std::shared_ptr<const TransformCodec> transform = nullptr;
        friend bool operator==(const Coding&, const Coding&) = default;
    };
    void codeWith(Coding coding);

    /// Skips the lookup if it could gain too few tokens. @pre the pool of the latest Coding is
    /// alive
    [[nodiscard]] PrefixAnswer find(const PrefixQuery& query, std::int64_t beyond,
                                    std::int64_t most) override;
    void stored(const PrefixSpaces& spaces, std::span<const TokenId> tokens,
                KvCache& cache) override;

    /// Returns true while a prefix is being read in pieces for a query that will be repeated.
    [[nodiscard]] bool loading() const { return pending_ != nullptr && !pending_->ended; }
    /// Reads its next page. @pre loading()
    void loadNextPage();
    /// Cancels the reading; the query will not be repeated.
    void cancelLoading() { pending_.reset(); }

    /// Records that evaluating `tokens` of a prompt took `seconds`. The rate is persisted once
    /// enough tokens were measured.
    void noteReading(const std::string& model, std::int64_t tokens, double seconds);
    /// 0 turns the tier off and keeps existing files.
    void limit(std::int64_t bytes);
    /// Removes the files of all models.
    void clear();
    /// Sets how new pages are encoded, here and for later users of the folder. Errors: Write.
    [[nodiscard]] Status setFidelity(PageFidelity fidelity);

    [[nodiscard]] std::int64_t limit() const { return limit_; }
    [[nodiscard]] PrefixDiskStats stats() const;
    /// Same value as in stats().
    [[nodiscard]] std::int64_t bytes() const;
    /// Returns true while work is queued whose outcome stats() does not include yet.
    [[nodiscard]] bool busy() const;
    /// Returns true while work is queued, or if takeChange() has yet to report a change.
    [[nodiscard]] bool changes() const;
    /// Returns true once after each change in the folder.
    [[nodiscard]] bool takeChange();

  private:
    struct Start {
        PageSpace space;
        StoredStart pages;
    };
    /// State published by the store's thread. It outlives this object, since the store is closed
    /// last.
    struct Folder;
    [[nodiscard]] Start longest(const PrefixQuery& query, std::int64_t beyond, std::int64_t most);
    [[nodiscard]] PageSpace pageSpace(const PrefixSpaces& spaces, const std::string& space) const;
    [[nodiscard]] PrefixAnswer miss(PrefixMiss reason, std::optional<PrefixLoad> load = {});
    /// A prefix that is read in pieces, and the query it is read for.
    struct Pending {
        PrefixSpaces spaces;
        std::vector<TokenId> tokens;
        std::int64_t most = 0;
        Start start;
        PrefixLoad load;
        StartLoading pages;
        bool ended = false;
        std::optional<Error> error = std::nullopt;
        [[nodiscard]] bool isFor(const PrefixQuery& query, std::int64_t effectiveMaximum) const;
    };
    [[nodiscard]] PrefixAnswer read(const PrefixQuery& query, const Start& start,
                                    std::int64_t beyond, PrefixLoad load);
    [[nodiscard]] PrefixAnswer begin(const PrefixQuery& query, const Start& start,
                                     std::int64_t most, const PrefixLoad& load);
    [[nodiscard]] PrefixAnswer given(const PrefixQuery& query, const Start& start,
                                     std::int64_t beyond, PrefixLoad load,
                                     Result<LoadedStart> loaded);
    void lookAround();

    std::shared_ptr<Folder> folder_;
    const std::filesystem::path path_;
    std::unique_ptr<PageStore> store_;
    std::unique_ptr<DiskTier> tier_;
    Coding coding_;
    std::int64_t limit_ = 0;
    PageFidelity fidelity_;             ///< setting of the folder
    PrefixDiskStats stats_;             ///< counters of this object
    std::unique_ptr<Pending> pending_;  ///< destroyed before the tier it reads from
    std::string readingModel_;
    std::int64_t readingTokens_ = 0;
    double readingSeconds_ = 0;
};

}  // namespace lacuna
