#pragma once
/// \file
/// What conversations have of each other's reading: before a turn begins, the prefix cache is asked
/// for a longer start of its prompt than the conversation's own cache has; when a prompt was read
/// when an answer ends, and before it is first compacted, what the cache is then is stored. Who may
/// share with whom is written here, from the model, the settings that change rows, and what the
/// question says of privacy. Owned by the engine thread; called between two steps.
/// docs/prefix-cache.md, "In a session".

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
#include "engine/session/conversation_store.h"
#include "engine/session/engine_doors.h"
#include "engine/session/model_holder.h"
#include "engine/settings/conversation_settings.h"

namespace lacuna {

/// The spaces of a conversation under these settings. `rows`: the least exact arithmetic that its
/// rows were computed with; nothing: that of the settings.
[[nodiscard]] PrefixSpaces prefixSpaces(const ModelFacts& model, const EngineConfig& config,
                                        const std::string& salt,
                                        std::optional<Precision> rows = std::nullopt);

class PrefixSharing {
  public:
    struct Means {
        ModelHolder& models;
        ConversationStore& conversations;
        const ConversationSettings& settings;
        EngineDoors& doors;
        Logger& log;
        /// Keeps everything, because a recording says how much is reused: a replay may hold caches
        /// longer than the session did, and must not find less.
        bool keepsAll = false;
        /// Of the disk tier; empty: there is none.
        std::filesystem::path folder = {};
        /// Where what was calibrated on a model is kept that does not lie next to it.
        std::filesystem::path calibrations = {};
    };
    explicit PrefixSharing(Means means);

    /// A question, and what there is for it.
    struct Wish {
        ConversationId conversation;
        std::span<const TokenId> prompt;
        const PrefixUse& use;
        std::optional<std::int64_t> most;
        bool ownCache = false;  ///< what is held is not exchanged for as much that is stored
        /// Called before the conversation's cache is exchanged.
        std::function<void()> exchanges;
        StopAsked stop = {};     ///< ends reading from the disk
        bool inPieces = false;   ///< others are answered meanwhile
        std::int64_t group = 0;  ///< Submit::promptGroup
    };
    struct Origin {
        PrefixMatch match = PrefixMatch::None;
        std::string note;  ///< why a longer start was of no use, or empty
        /// The disk is read for it, in pieces: nothing has changed, and it is asked again then.
        bool pending = false;
    };
    /// Lets the sequence go on from what is stored, where that is more than it has itself. @pre a
    /// model is in use
    Origin begin(const Wish& wish, Sequence& sequence);
    /// Whether the disk is being read in pieces for a question that waits for it.
    [[nodiscard]] bool loading() const { return pages_ != nullptr && pages_->loading(); }
    /// Reads its next page. @pre loading
    void loadOn() { pages_->loadOn(); }
    /// That question is no more.
    void forgetLoading() {
        if (pages_ != nullptr) pages_->forgetLoading();
    }
    /// First tokens of a prompt that need not be read, as things are now, whoever has them. @pre a
    /// model is in use
    [[nodiscard]] std::int64_t reusable(const Wish& wish, const Sequence& sequence) const;
    /// Stores what the cache of a conversation is now. @pre a model is in use
    void keep(ConversationId id, Sequence& sequence, PrefixRole role);
    /// Stores a cache of these tokens that the conversation is about to compact.
    void keepWhole(ConversationId id, std::span<const TokenId> tokens, KvCache& cache);
    /// Keeps the cache of a prompt that was just read for the other answers of its group; nothing
    /// where the group has one. @pre a model is in use
    void keepForGroup(std::int64_t group, ConversationId id, Sequence& sequence);
    void endGroup(std::int64_t group);
    /// The conversation is no more.
    void forget(ConversationId id) { known_.erase(id); }
    /// Caches of earlier boundaries of what the conversation has read, which its own cache cannot
    /// be cut back to: those to be saved with it. @pre a model is in use
    [[nodiscard]] Checkpoints checkpointsOf(ConversationId id, const Sequence& sequence);
    /// A cache of the longest start of what the conversation has read that is kept whole, of `most`
    /// tokens at most and without the newest one; else why there is none. @pre a model is in use
    [[nodiscard]] PrefixAnswer wholeStart(ConversationId id, const Sequence& sequence,
                                          std::int64_t most, const StopAsked& stop);
    /// How the newest question of the conversation shares.
    [[nodiscard]] const PrefixUse& useOf(ConversationId id) const;
    /// `tokens` of a prompt were read in so long.
    void noteReading(int tokens, double seconds);
    /// Of prompts, as measured last; 0: none was read yet.
    [[nodiscard]] double secondsPerToken() const { return secondsPerToken_; }
    /// The limit may be another one.
    void settingsChanged();
    /// Drops what refers to the model, before it is unloaded.
    void releaseModel();
    /// Drops the entries in memory that the model in use cannot read: of every other model, and all
    /// of them while none is loaded.
    void modelChanged();
    /// What is kept there goes.
    void clear(bool memory, bool disk);
    /// How closely new pages of the disk tier's folder keep rows from now on.
    void keepPagesAs(PageFidelity fidelity);
    /// Says what became of the disk tier since something was said last.
    void settle();
    /// Whether settle() will have something to say without anybody asking.
    [[nodiscard]] bool writes() const { return pages_ != nullptr && pages_->changes(); }

    /// Bytes that no cache of a conversation holds as well.
    [[nodiscard]] std::int64_t bytesAlone() const;
    /// Of the disk tier's folder, as it was looked at last.
    [[nodiscard]] std::int64_t bytesOnDisk() const { return pages_ ? pages_->bytes() : 0; }
    /// Makes room for caches in use; false where there is nothing left to give.
    bool giveOneBack();
    void giveAllBack() noexcept {
        store_.clear();
        groups_.clear();
    }

  private:
    /// A prompt that several answers of one request begin with.
    struct GroupPrompt {
        PrefixSpaces spaces;
        std::vector<TokenId> tokens;
        std::unique_ptr<KvCache> cache;
    };
    [[nodiscard]] bool takeFromGroup(const Wish& wish, Sequence& sequence);
    [[nodiscard]] bool cacheIsOfSettings(ConversationId id, const KvCache& cache) const;
    [[nodiscard]] std::unique_ptr<KvCache> checkpointWithin(ConversationId id,
                                                            const Sequence& sequence,
                                                            std::int64_t most);
    /// Notes what the rows of a conversation are computed with from now on; those of its cache that
    /// `stay` were computed with what was noted before.
    void noteRows(ConversationId id, bool stay);
    /// Of the cache that a conversation has, under the settings in force.
    [[nodiscard]] PrefixSpaces spacesOf(ConversationId id) const;
    void store(ConversationId id, std::span<const TokenId> tokens, KvCache& cache, PrefixRole role);
    void say();
    void limitDisk();
    /// Pages are written and read as the model in use has it.
    void codePages();
    [[nodiscard]] PrefixDiskStats diskStats() const;

    /// What is known of a conversation.
    struct Known {
        PrefixUse use = {};                            ///< of its newest question
        std::optional<Precision> rows = std::nullopt;  ///< least exact arithmetic of its cache's
                                                       ///< rows; nothing: not known
    };

    const Means means_;
    std::map<ConversationId, Known> known_;
    std::unique_ptr<PrefixPages> pages_;  ///< null before the disk tier was first asked for
    PrefixStore store_;
    std::map<std::int64_t, GroupPrompt> groups_;
    std::string transformOf_;  ///< fingerprint of the model it was looked for
    std::shared_ptr<const TransformCodec> transform_;  ///< null: none was calibrated on it
    double secondsPerToken_ = 0;
    std::string trouble_;  ///< of the disk tier, as it was said last
};

}  // namespace lacuna
