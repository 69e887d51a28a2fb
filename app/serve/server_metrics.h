#pragma once
/// \file
/// What the server counts, as the text that Prometheus reads (format 0.0.4). The names of vLLM's
/// and llama.cpp's servers stand for the same things here, so that charts made for those fill;
/// under lacuna_ is what those do not show. Everything comes from events of the engine and from the
/// desk; a figure that is not known is absent. Owned by the server's thread; a scrape waits for
/// nobody. docs/server.md, "Metrics".

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "app/serve/answer_desk.h"
#include "engine/session/event.h"

namespace lacuna::app {

/// Counts of values by upper bounds that rise; the last bucket has none.
class Histogram {
  public:
    explicit Histogram(std::span<const double> bounds)
        : m_bounds(bounds), m_counts(bounds.size() + 1) {}
    void add(double value);
    [[nodiscard]] std::span<const double> bounds() const { return m_bounds; }
    /// In each bucket alone, the open one last.
    [[nodiscard]] const std::vector<std::int64_t>& counts() const { return m_counts; }
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] double sum() const { return m_sum; }
    /// Upper bound of the bucket that so much of all values lies within, 0..1; nothing where there
    /// is no value or it lies in the open bucket.
    [[nodiscard]] std::optional<double> boundOf(double share) const;

  private:
    std::span<const double> m_bounds;
    std::vector<std::int64_t> m_counts;
    std::int64_t m_count = 0;
    double m_sum = 0;
};

/// What is not counted but looked at when somebody asks.
struct ServingNow {
    std::string model = {};  ///< name for clients; empty: none is loaded
    std::string version = {};
    int context = 0;
    std::int64_t created = 0;  ///< seconds since 1970
    EngineConfig config = {};  ///< in force
};

class ServerMetrics {
  public:
    using Clock = std::chrono::steady_clock;
    using Slots = std::vector<AnswerDesk::Slot>;

    /// Prompt tokens that were looked up in caches, and those found there.
    struct Lookups {
        std::int64_t asked = 0, found = 0;
    };
    struct Compactions {
        std::int64_t done = 0, failed = 0;
        std::string lastError = {};
    };

    ServerMetrics();

    /// @pre called before the desk takes the same event: an answer's end begins the next one there
    void take(const Event& event, const Slots& slots, Clock::time_point now = Clock::now());
    /// The conversation's cache is given back.
    void forget(ConversationId conversation) { m_caches.erase(conversation); }
    [[nodiscard]] std::string text(const ServingNow& now, const AnswerDesk& desk) const;

    // --- for the administration ---
    /// Of a slot's cache after its last step; null where it has none.
    [[nodiscard]] const KvStats* cacheOf(ConversationId conversation) const;
    [[nodiscard]] Lookups lookups() const { return m_lookups; }
    /// Of the last minutes, 15 at most.
    [[nodiscard]] Lookups lookupsSince(std::chrono::minutes span,
                                       Clock::time_point now = Clock::now()) const;
    [[nodiscard]] std::int64_t hits() const { return m_hits; }  ///< prompts that found something
    [[nodiscard]] std::int64_t misses() const { return m_misses; }
    /// Nothing before the prefix cache was used.
    [[nodiscard]] const std::optional<PrefixStats>& prefixes() const { return m_prefixes; }
    /// Of their disk tier; counts for nothing before prefixes() is there.
    [[nodiscard]] const PrefixDiskStats& prefixDisk() const { return m_prefixDisk; }
    [[nodiscard]] const Compactions& compactions() const { return m_compactions; }
    [[nodiscard]] const Histogram& compactionSeconds() const { return m_compactionSeconds; }

  private:
    struct Answer {
        Clock::time_point asked, started, last = {};
        std::int64_t promptTokens = 0, tokens = 0;
    };
    void on(const TurnStarted& turn, const Slots& slots, Clock::time_point now);
    void on(const TokenText& token, Clock::time_point now);
    void on(const TurnFinished& turn, Clock::time_point now);
    void on(const StepSample& sample);
    void on(const CompactionReport& report);
    void on(const SpanBroughtBack& span);

    std::map<ConversationId, Answer> m_answers;
    std::map<ConversationId, KvStats> m_caches;

    // llama.cpp's: when an answer has ended
    std::int64_t m_readTokens = 0, m_writtenTokens = 0, m_decodeSteps = 0;
    double m_readSeconds = 0, m_writtenSeconds = 0;
    // vLLM's: as they come
    std::int64_t m_promptTokens = 0, m_generatedTokens = 0;
    std::map<std::string, std::int64_t, std::less<>> m_ends;  // by vLLM's reason
    std::int64_t m_drafts = 0, m_drafted = 0, m_accepted = 0, m_shifted = 0;
    Lookups m_lookups;
    struct Moment {
        Clock::time_point at;
        Lookups before;  // everything up to then
    };
    std::deque<Moment> m_history;
    std::int64_t m_hits = 0, m_misses = 0;
    // steps of the engine, each once however many answers took part
    std::int64_t m_steps = 0, m_partsOfSteps = 0;
    std::optional<SafePoint> m_lastStep;
    std::int64_t m_mostTokens = 0;
    std::optional<std::int64_t> m_residentBytes;
    std::optional<PrefixStats> m_prefixes;  // as said last
    PrefixDiskStats m_prefixDisk;

    std::map<std::tuple<CompactionMethod, CompactionResult, CompactionCause>, std::int64_t>
        m_compactionCounts;
    Compactions m_compactions;
    std::int64_t m_restores = 0, m_restoresFailed = 0, m_restoredTokens = 0;
    std::map<std::string, std::int64_t> m_questionsLookedBack{
        {"nothing", 0}, {"offered", 0}, {"restored", 0}, {"skipped", 0}};  ///< by result
    double m_lookBackSeconds = 0;
    double m_stallSeconds = 0;
    std::int64_t m_droppedSlots = 0, m_freedBytes = 0;
    std::optional<Precision> m_precision;
    std::optional<double> m_precisionKl;
    std::int64_t m_qualitySamples = 0;  // ever
    std::int64_t m_qualityCount = 0;    // under the settings in force
    double m_qualityKl = 0;

    Histogram m_timeToFirstToken, m_betweenTokens, m_wholeRequest, m_queued, m_prefill, m_decode,
        m_inference, m_promptSizes, m_answerSizes, m_compactionSeconds;
};

}  // namespace lacuna::app
