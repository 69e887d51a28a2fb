#pragma once
/// \file
/// Shares prompt prefixes between conversations. Before a turn begins, the prefix cache is searched
/// for a longer prefix of the prompt than the conversation's own cache holds. The cache is stored
/// after a prompt was read, when an answer ends, and before the first compaction. Who shares with
/// whom follows from the model, the settings that affect rows, and the privacy options of the
/// request. Owned by the engine thread; called between two steps. See docs/prefix-cache.md, "In a
/// session".

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/log.h"
#include "engine/prefix/prefix_pages.h"
#include "engine/prefix/prefix_store.h"
#include "engine/session/engine_io.h"
#include "engine/session/model_holder.h"
#include "engine/session/sequence_pool.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

/// Returns the prefix spaces of a conversation under these settings. `rows` is the least exact
/// arithmetic that its rows were computed with; nullopt uses the precision of the settings.
[[nodiscard]] PrefixSpaces prefixSpaces(const ModelFacts& model, const EngineConfig& config,
                                        const std::string& salt,
                                        std::optional<Precision> rows = std::nullopt);

class PrefixSharing {
  public:
    struct Dependencies {
        ModelHolder& models;
        SequencePool& conversations;
        const ConversationSettings& settings;
        EngineIo& io;
        Logger& log;
        /// Replay only: nothing is dropped. The recording states how much is reused, and a replay
        /// may hold caches longer than the recorded session but must not find less.
        bool keepsAll = false;
        /// Folder of the disk tier; empty disables it.
        std::filesystem::path folder = {};
        /// Folder of calibrations that are not stored next to the model.
        std::filesystem::path calibrations = {};
    };
    explicit PrefixSharing(Dependencies dependencies);

    /// A lookup for one turn.
    struct Request {
        ConversationId conversation;
        std::span<const TokenId> prompt;
        const PrefixUse& use;
        std::optional<std::int64_t> most;
        bool ownCache = false;  ///< keeps its own cache unless a stored one is longer
        /// Called before the conversation's cache is replaced.
        std::function<void()> exchanges;
        StopRequested stop = {};  ///< cancels reading from disk
        bool inPieces = false;    ///< read in pieces because other turns are running
        std::int64_t group = 0;   ///< Submit::promptGroup
    };
    struct Origin {
        PrefixMatch match = PrefixMatch::None;
        std::string note;  ///< why a longer prefix could not be used; may be empty
        /// True while pages are being read in pieces: nothing has changed, and begin() is called
        /// again later.
        bool pending = false;
    };
    /// Starts the sequence from a stored prefix if that is longer than its own. @pre a model is
    /// loaded
    Origin begin(const Request& request, Sequence& sequence);
    /// Returns true while pages are being read in pieces for a waiting turn.
    [[nodiscard]] bool loading() const { return pages_ != nullptr && pages_->loading(); }
    /// Reads the next page. @pre loading
    void loadNextPage() { pages_->loadNextPage(); }
    /// Cancels that reading because the turn was cancelled.
    void cancelLoading() {
        if (pages_ != nullptr) pages_->cancelLoading();
    }
    /// Returns how many leading tokens of a prompt are currently available from its own cache or
    /// from the prefix cache. @pre a model is loaded
    [[nodiscard]] std::int64_t reusable(const Request& request, const Sequence& sequence) const;
    /// Stores the current cache of a conversation. @pre a model is loaded
    void keep(ConversationId id, Sequence& sequence, PrefixRole role);
    /// Stores a cache of these tokens just before the conversation compacts it.
    void keepFullCache(ConversationId id, std::span<const TokenId> tokens, KvCache& cache);
    /// Keeps the cache of a prompt just read for the other turns of its group; does nothing if the
    /// group already has one. @pre a model is loaded
    void keepForGroup(std::int64_t group, ConversationId id, Sequence& sequence);
    void endGroup(std::int64_t group);
    /// Removes a deleted conversation.
    void remove(ConversationId id) { known_.erase(id); }
    /// Returns caches at earlier boundaries of the conversation's text that its own cache cannot be
    /// truncated to; they are saved together with it. @pre a model is loaded
    [[nodiscard]] Checkpoints checkpointsOf(ConversationId id, const Sequence& sequence);
    /// Returns a cache of the longest prefix of the conversation's text that is stored
    /// uncompressed, with at most `most` tokens and without the newest one; otherwise the reason
    /// why there is none. @pre a model is loaded
    [[nodiscard]] PrefixAnswer fullStart(ConversationId id, const Sequence& sequence,
                                         std::int64_t most, const StopRequested& stop);
    /// Returns how the newest turn of the conversation uses the prefix cache.
    [[nodiscard]] const PrefixUse& useOf(ConversationId id) const;
    /// Records that reading `tokens` of a prompt took `seconds`.
    void noteReading(int tokens, double seconds);
    /// Returns the moving average for prompt tokens; 0 before the first prompt.
    [[nodiscard]] double secondsPerToken() const { return secondsPerToken_; }
    /// Applies the limits of the current settings.
    void settingsChanged();
    /// Drops all references to the model before it is unloaded.
    void releaseModel();
    /// Drops entries in memory that the loaded model cannot use: those of other models, or all if
    /// none is loaded.
    void modelChanged();
    /// Deletes all entries of the selected tiers.
    void clear(bool memory, bool disk);
    /// Sets how closely new pages of the disk tier's folder keep rows.
    void setPageFidelity(PageFidelity fidelity);
    /// Publishes changes of the disk tier since the last publication.
    void settle();
    /// Returns true if the disk tier has pending changes that settle() will publish.
    [[nodiscard]] bool writes() const { return pages_ != nullptr && pages_->changes(); }

    /// Returns the bytes that are not shared with the cache of a conversation.
    [[nodiscard]] std::int64_t bytesAlone() const;
    /// Returns the size of the disk tier's folder when it was last checked.
    [[nodiscard]] std::int64_t bytesOnDisk() const { return pages_ ? pages_->bytes() : 0; }
    /// Releases one entry to make room for caches in use; returns false if there is none.
    bool releaseOne();
    void releaseAll() noexcept {
        store_.clear();
        groups_.clear();
    }

  private:
    /// Common prompt of the turns of one request.
    struct GroupPrompt {
        PrefixSpaces spaces;
        std::vector<TokenId> tokens;
        std::unique_ptr<KvCache> cache;
    };
    [[nodiscard]] bool startFromGroup(const Request& request, Sequence& sequence);
    [[nodiscard]] bool cacheMatchesSettings(ConversationId id, const KvCache& cache) const;
    [[nodiscard]] std::unique_ptr<KvCache> checkpointWithin(ConversationId id,
                                                            const Sequence& sequence,
                                                            std::int64_t most);
    /// Records the arithmetic used for the rows of a conversation from this point on. If rows
    /// `stay` in its cache, they were computed with the arithmetic recorded before.
    void noteRows(ConversationId id, bool stay);
    /// Returns the spaces of the conversation's cache under the current settings.
    [[nodiscard]] PrefixSpaces spacesOf(ConversationId id) const;
    void store(ConversationId id, std::span<const TokenId> tokens, KvCache& cache, PrefixRole role);
    void publishStats();
    void limitDisk();
    /// Configures the coding of pages for the loaded model.
    void codePages();
    [[nodiscard]] PrefixDiskStats diskStats() const;

    /// State of a conversation.
    struct Known {
        PrefixUse use = {};                            ///< options of its newest turn
        std::optional<Precision> rows = std::nullopt;  ///< least exact arithmetic of its rows, if
                                                       ///< known
    };

    const Dependencies dependencies_;
    std::map<ConversationId, Known> known_;
    std::unique_ptr<PrefixPages> pages_;  ///< null until the disk tier is first enabled
    PrefixStore store_;
    std::map<std::int64_t, GroupPrompt> groups_;
    std::string transformOf_;  ///< fingerprint of the model for which `transform_` was looked up
    std::shared_ptr<const TransformCodec> transform_;  ///< null if none was calibrated
    double secondsPerToken_ = 0;
    std::string reportedProblem_;  ///< disk tier error that was last reported
};

}  // namespace lacuna
