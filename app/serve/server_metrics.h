#pragma once
/// \file
/// What the server counts. Everything comes from events of the engine, from the desk and from
/// whoever makes vectors; metrics_text.h writes it out, cache_admin.h shows parts of it. Owned by
/// the server's thread. docs/server.md, "Metrics".

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "app/serve/answer_desk.h"
#include "app/serve/histogram.h"
#include "engine/session/event.h"

namespace lacuna::app {

/// All figures, since the program began where nothing else is said. A figure that is not known is
/// absent.
struct ServerCounts {
    struct Compaction {
        CompactionMethod kind;
        CompactionResult result;
        CompactionCause cause;
        friend auto operator<=>(const Compaction&, const Compaction&) = default;
    };
    /// Prompt tokens that were looked up in caches, and those found there.
    struct Lookups {
        std::int64_t asked = 0, found = 0;
    };
    ServerCounts();

    // --- answers, when they have ended (llama.cpp's family) ---
    std::int64_t readTokens = 0, writtenTokens = 0, decodePasses = 0;
    double readSeconds = 0, writtenSeconds = 0;
    std::int64_t draftRounds = 0, drafted = 0, accepted = 0, shifted = 0;
    std::map<std::string, std::int64_t, std::less<>> ends;  ///< by vLLM's reason

    // --- answers, as they come (vLLM's family) ---
    std::int64_t promptTokens = 0, generatedTokens = 0;
    Lookups lookups;
    std::int64_t hits = 0, misses = 0;  ///< prompts that found something, or nothing
    Histogram timeToFirstToken, betweenTokens, wholeRequest, queued, prefill, decode, inference,
        promptSizes, answerSizes;

    // --- steps of the engine, each once however many answers took part ---
    std::int64_t steps = 0, partsOfSteps = 0;
    std::int64_t mostTokens = 0;
    std::optional<std::int64_t> residentBytes;

    std::int64_t embeddedTexts = 0;  ///< texts that vectors were made of

    // --- caches ---
    std::map<ConversationId, KvStats> caches;     ///< after the last step of each
    std::map<ConversationId, std::string> kinds;  ///< cacheKind() of each
    std::optional<PrefixStats> prefixes;          ///< nothing before the prefix cache was used
    PrefixDiskStats disk;                         ///< counts for nothing before `prefixes`

    // --- compactions ---
    std::set<ConversationId> compacting;  ///< whose cache is being compacted in the background
    std::map<Compaction, std::int64_t> compactions;
    std::int64_t compacted = 0, compactionsFailed = 0;
    std::int64_t compactionsLimited = 0;  ///< done or skipped because of the limit on the loss
    std::optional<KeptInformation> kept;  ///< by the newest compaction that was measured
    std::string lastCompactionError;
    Histogram compactionSeconds;
    double stallSeconds = 0;
    std::int64_t droppedSlots = 0, freedBytes = 0;
    double droppedTokens = 0;  ///< mean over the heads of each compaction
    std::int64_t restores = 0, restoresFailed = 0, restoredTokens = 0;
    std::map<std::string, std::int64_t> questionsLookedBack{
        {"nothing", 0}, {"offered", 0}, {"restored", 0}, {"skipped", 0}};  ///< by result
    double lookBackSeconds = 0;

    // --- quality ---
    std::optional<Precision> precision;
    std::optional<double> precisionKl;
    std::int64_t qualitySamples = 0;
    std::int64_t qualityCount = 0;  ///< under the settings in force
    double qualityKl = 0;           ///< their sum
};

class ServerMetrics {
  public:
    using Clock = std::chrono::steady_clock;
    using Slots = std::vector<AnswerDesk::Slot>;
    using Lookups = ServerCounts::Lookups;

    /// @pre called before the desk takes the same event: an answer's end begins the next one there
    void take(const Event& event, const Slots& slots, Clock::time_point now = Clock::now());
    /// Vectors were made of so many texts, in `took` seconds.
    void embedded(std::int64_t texts, std::int64_t tokens, double took);
    /// The conversation's cache is given back: what the engine still says of it is not counted
    /// among the caches, until its next answer begins.
    void forget(ConversationId conversation) {
        m_counts.caches.erase(conversation);
        m_counts.compacting.erase(conversation);
        m_forgotten.insert(conversation);
    }

    [[nodiscard]] const ServerCounts& counts() const { return m_counts; }
    /// Of a slot's cache after its last step; null where it has none.
    [[nodiscard]] const KvStats* cacheOf(ConversationId conversation) const;
    /// Of the last minutes, 15 at most.
    [[nodiscard]] Lookups lookupsSince(std::chrono::minutes span,
                                       Clock::time_point now = Clock::now()) const;

  private:
    struct Answer {
        Clock::time_point asked, started, last = {};
        std::int64_t promptTokens = 0, tokens = 0;
    };
    struct Moment {
        Clock::time_point at;
        Lookups before;  // everything up to then
    };
    void on(const TurnStarted& turn, const Slots& slots, Clock::time_point now);
    void on(const TokenText& token, Clock::time_point now);
    void on(const TurnFinished& turn, Clock::time_point now);
    void on(const StepSample& sample);
    void on(const CompactionReport& report);
    void on(const SpanBroughtBack& span);

    ServerCounts m_counts;
    std::map<ConversationId, Answer> m_answers;  // that have not ended
    std::set<ConversationId> m_forgotten;        // their caches
    std::deque<Moment> m_history;
    std::optional<SafePoint> m_lastStep;
    int m_heads = 0;  // of all layers
};

}  // namespace lacuna::app
