#pragma once
/// \file
/// Counters of the server, fed by engine events, RequestScheduler and EmbeddingQueue.
/// metrics_text.h exports them, cache_admin.h shows parts of them. Owned by the server's thread.
/// docs/server.md, "Metrics".

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "app/serve/histogram.h"
#include "app/serve/request_scheduler.h"
#include "engine/session/event.h"

namespace lacuna::app {

/// All counters, since program start unless noted otherwise. An unknown figure is absent.
struct ServerCounts {
    struct Compaction {
        CompactionMethod kind;
        CompactionResult result;
        CompactionCause cause;
        friend auto operator<=>(const Compaction&, const Compaction&) = default;
    };
    /// Prompt tokens looked up in caches, and the number found.
    struct Lookups {
        std::int64_t asked = 0, found = 0;
    };
    ServerCounts();

    // --- answers, counted at their end (llama.cpp's metrics) ---
    std::int64_t readTokens = 0, writtenTokens = 0, decodePasses = 0;
    double readSeconds = 0, writtenSeconds = 0;
    std::int64_t draftRounds = 0, drafted = 0, accepted = 0, shifted = 0;
    std::map<std::string, std::int64_t, std::less<>> ends;  ///< by vLLM's finish reason

    // --- answers, counted while they run (vLLM's metrics) ---
    std::int64_t promptTokens = 0, generatedTokens = 0;
    Lookups lookups;
    std::int64_t hits = 0, misses = 0;  ///< prompts with and without any cached tokens
    Histogram timeToFirstToken, betweenTokens, wholeRequest, queued, prefill, decode, inference,
        promptSizes, answerSizes;

    // --- engine steps, each counted once for any number of answers ---
    std::int64_t steps = 0, partsOfSteps = 0;
    std::int64_t maxTokens = 0;
    std::optional<std::int64_t> residentBytes;

    std::int64_t embeddedTexts = 0;  ///< texts embedded

    // --- caches ---
    std::map<ConversationId, KvStats> caches;     ///< after each cache's last step
    std::map<ConversationId, std::string> kinds;  ///< cacheKind() per cache
    std::optional<PrefixStats> prefixes;  ///< nullopt before the first use of the prefix cache
    PrefixDiskStats disk;                 ///< meaningless while `prefixes` is nullopt

    // --- compactions ---
    std::set<ConversationId> compacting;  ///< caches being compacted in the background
    std::map<Compaction, std::int64_t> compactions;
    std::int64_t compacted = 0, compactionsFailed = 0;
    std::int64_t compactionsLimited = 0;  ///< reduced or skipped because of the loss limit
    std::optional<KeptInformation> kept;  ///< from the newest compaction that measured it
    std::string lastCompactionError;
    Histogram compactionSeconds;
    double stallSeconds = 0;
    std::int64_t droppedSlots = 0, freedBytes = 0;
    double droppedTokens = 0;  ///< sum over compactions of the mean over heads
    std::int64_t restores = 0, restoresFailed = 0, restoredTokens = 0;
    std::map<std::string, std::int64_t> questionsLookedBack{
        {"nothing", 0}, {"offered", 0}, {"restored", 0}, {"skipped", 0}};  ///< by result
    double lookBackSeconds = 0;

    // --- quality ---
    std::optional<Precision> precision;
    std::optional<double> precisionKl;
    std::int64_t qualitySamples = 0;
    std::int64_t qualityCount = 0;  ///< samples under the settings in effect
    double qualityKl = 0;           ///< sum of their KL divergences
};

class ServerMetrics {
  public:
    using Clock = std::chrono::steady_clock;
    using Slots = std::vector<RequestScheduler::Slot>;
    using Lookups = ServerCounts::Lookups;

    /// @pre called before RequestScheduler takes the same event, because the end of an answer
    /// starts the next one there
    void take(const Event& event, const Slots& slots, Clock::time_point now = Clock::now());
    /// Counts embedded texts; `took` is in seconds.
    void embedded(std::int64_t texts, std::int64_t tokens, double took);
    /// Marks the cache of a conversation as released: later engine events about it are ignored in
    /// `caches` until its next answer begins.
    void remove(ConversationId conversation) {
        m_counts.caches.erase(conversation);
        m_counts.compacting.erase(conversation);
        m_released.insert(conversation);
    }

    [[nodiscard]] const ServerCounts& counts() const { return m_counts; }
    /// Returns the state of a slot's cache after its last step; null if it has none.
    [[nodiscard]] const KvStats* cacheOf(ConversationId conversation) const;
    /// Lookups within the last `span`, at most 15 minutes.
    [[nodiscard]] Lookups lookupsSince(std::chrono::minutes span,
                                       Clock::time_point now = Clock::now()) const;

  private:
    struct Answer {
        Clock::time_point asked, started, last = {};
        std::int64_t promptTokens = 0, tokens = 0;
    };
    struct Moment {
        Clock::time_point at;
        Lookups before;  // totals before `at`
    };
    void on(const TurnStarted& turn, const Slots& slots, Clock::time_point now);
    void on(const TokenText& token, Clock::time_point now);
    void on(const TurnFinished& turn, Clock::time_point now);
    void on(const StepSample& sample);
    void on(const CompactionReport& report);
    void on(const SpanRestored& span);

    ServerCounts m_counts;
    std::map<ConversationId, Answer> m_answers;  // answers that have not ended
    std::set<ConversationId> m_released;         // conversations whose cache was released
    std::deque<Moment> m_history;
    std::optional<SafePoint> m_lastStep;
    int m_heads = 0;  // sum over all layers
};

}  // namespace lacuna::app
