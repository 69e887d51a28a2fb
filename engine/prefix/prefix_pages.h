#pragma once
/// \file
/// The disk tier as the slower place of a PrefixStore: asked where memory has no longer start of a
/// text, shown what is stored, and answering only where reading is predicted to be faster than
/// computing. Nothing here waits for the disk but the reading of a hit: writing, and what is said
/// of the folder, is the work of the store's thread. Owned by the engine thread. docs/disk-tier.md,
/// "In a session".

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/mutex.h"
#include "engine/base/thread_pool.h"
#include "engine/compress/transform_codec.h"
#include "engine/prefix/disk_tier.h"
#include "engine/prefix/page_fidelity.h"
#include "engine/prefix/prefix_store.h"

namespace lacuna {

class PrefixPages final : public PrefixTier {
  public:
    explicit PrefixPages(PageStoreOptions options);

    /// What pages are written and read with from now on.
    struct Coding {
        ThreadPool* pool = nullptr;  ///< rows are decoded on its threads; null: on the caller's
        /// Calibrated on the model in use; null: nothing was.
        std::shared_ptr<const TransformCodec> transform = nullptr;
        friend bool operator==(const Coding&, const Coding&) = default;
    };
    void codeWith(Coding coding);

    /// Nothing is asked for fewer tokens more than are worth a look. @pre the pool that was given
    /// last is there
    [[nodiscard]] PrefixAnswer find(const PrefixQuery& query, std::int64_t beyond,
                                    std::int64_t most) override;
    void stored(const PrefixSpaces& spaces, std::span<const TokenId> tokens,
                KvCache& cache) override;

    /// Whether a start is being read in pieces for a text that will be asked for again.
    [[nodiscard]] bool loading() const { return pending_ != nullptr && !pending_->ended; }
    /// Reads its next page. @pre loading
    void loadOn();
    /// Nobody will ask for it again.
    void forgetLoading() { pending_.reset(); }

    /// `tokens` of a prompt were read in so long. Kept over restarts once enough have come.
    void noteReading(const std::string& model, std::int64_t tokens, double seconds);
    /// 0: nothing is kept or read, and what is there stays.
    void limit(std::int64_t bytes);
    /// Removes what is there, of all models.
    void clear();
    /// New pages are kept so from now on, here and by whoever opens the folder later. Errors:
    /// Write.
    [[nodiscard]] Status keepAs(PageFidelity fidelity);

    [[nodiscard]] std::int64_t limit() const { return limit_; }
    [[nodiscard]] PrefixDiskStats stats() const;
    /// As in stats().
    [[nodiscard]] std::int64_t bytes() const;
    /// Whether work waits, of which stats() will tell.
    [[nodiscard]] bool busy() const;
    /// Work is queued, or takeChange has not reported the end of some yet.
    [[nodiscard]] bool changes() const;
    /// True once after something happened in the folder.
    [[nodiscard]] bool takeChange();

  private:
    struct Start {
        PageSpace space;
        StoredStart pages;
    };
    /// What the store's thread says; outlives the pages, since the store is closed last.
    struct Folder;
    [[nodiscard]] Start longest(const PrefixQuery& query, std::int64_t beyond, std::int64_t most);
    [[nodiscard]] PageSpace pageSpace(const PrefixSpaces& spaces, const std::string& space) const;
    [[nodiscard]] PrefixAnswer miss(PrefixMiss reason, std::optional<PrefixLoad> load = {});
    /// What is read in pieces, and for whom.
    struct Pending {
        PrefixSpaces spaces;
        std::vector<TokenId> tokens;
        std::int64_t most = 0;
        Start start;
        PrefixLoad load;
        StartLoading pages;
        bool ended = false;
        std::optional<Error> error = std::nullopt;
        [[nodiscard]] bool isFor(const PrefixQuery& query, std::int64_t mostNow) const;
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
    PageFidelity fidelity_;             ///< of the folder
    PrefixDiskStats stats_;             ///< what is counted here
    std::unique_ptr<Pending> pending_;  ///< goes before the tier it reads with
    std::string readingModel_;
    std::int64_t readingTokens_ = 0;
    double readingSeconds_ = 0;
};

}  // namespace lacuna
