#pragma once
/// \file
/// What other engines call their figures, and what we call them: one table of names. The family of
/// an engine is known from the names alone. What an engine does not report stays absent; nothing is
/// made up and nothing is zero for want of a report. Pure functions and values.
/// docs/remote-engines.md, "Figures".

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "app/remote/prometheus_text.h"

namespace lacuna::app {

enum class EngineFamily { Unknown, Lacuna, Vllm, Sglang, LlamaServer, LmCache };

/// By the prefixes of the names; an engine that speaks for several is the first of them, as Lacuna
/// and vLLM with LMCache beside it do.
[[nodiscard]] EngineFamily familyOf(const MetricScrape& scrape);
/// Whether LMCache reports alongside the engine.
[[nodiscard]] bool hasLmCache(const MetricScrape& scrape);
/// "vLLM"; that of Unknown is empty.
[[nodiscard]] std::string_view familyName(EngineFamily family);

/// Our series. Shares are 0..1, times seconds, sizes bytes.
enum class Figure {
    Running,             ///< answers being written
    Waiting,             ///< requests in the queue
    CacheShare,          ///< of the cache in use
    CacheTokens,         ///< tokens held
    CacheCapacity,       ///< tokens that there is room for
    LogicalBytes,        ///< what an uncompressed cache would hold
    LiveBytes,           ///< of rows that are kept
    AllocatedBytes,      ///< of buffers
    ResidentBytes,       ///< memory of the process
    QualityKl,           ///< nats, measured against the whole cache
    AnswerTokens,        ///< written so far
    PromptTokens,        ///< of prompts so far
    AnswerRate,          ///< tokens a second, as the engine says itself
    PromptRate,          ///< the same of prompts
    PrefixQueried,       ///< tokens looked up in the prefix cache
    PrefixHit,           ///< of them, those found
    PrefixHitShare,      ///< as the engine says itself
    Answered,            ///< requests that ended
    Preempted,           ///< requests put back in the queue
    Drafted,             ///< proposed tokens
    Accepted,            ///< of them, those taken
    AcceptedShare,       ///< as the engine says itself
    Compactions,         ///< done
    CompactionStall,     ///< seconds that answers waited for compactions
    FirstToken,          ///< time to the first token
    BetweenTokens,       ///< time from one token to the next
    WholeRequest,        ///< time of a request
    Queued,              ///< time in the queue
    Prefill,             ///< time of reading the prompt
    Decode,              ///< time of writing the answer
    PromptSize,          ///< tokens of a prompt
    AnswerSize,          ///< tokens of an answer
    OffloadBytes,        ///< of a cache beside the engine, in the machine's memory
    OffloadDiskBytes,    ///< on its disk
    OffloadRemoteBytes,  ///< on other machines
    OffloadStored,       ///< tokens put there
    OffloadFetched,      ///< tokens taken from there
    OffloadHitShare,     ///< of tokens looked up there
    OffloadFetchTime,    ///< time of a fetch
    OffloadEvictions,    ///< dropped for want of room
};
inline constexpr std::size_t kFigureCount = 40;

enum class FigureKind {
    Gauge,       ///< as it stands now
    Counter,     ///< rises; shown as a rate
    EndCounter,  ///< rises when a request ends, all at once: there is no rate of it
    Mean,        ///< sum and count of a histogram; shown as the mean of what was new
};
/// How several samples of one name (engines, ranks, slots) become one figure.
enum class FigureSum { Add, Mean, Greatest };

struct FigureName {
    std::string_view name;  ///< without "_total", and without "_sum" and "_count" of a mean
    Figure figure;
    FigureKind kind;
    FigureSum sum = FigureSum::Add;
    std::string_view label = {};  ///< only samples with this label ...
    std::string_view text = {};   ///< ... of this text
};
/// Of two names for one figure the earlier one counts.
[[nodiscard]] std::span<const FigureName> figureNames();

/// One figure as a scrape has it.
struct FigureReading {
    const FigureName* name = nullptr;  ///< null: the engine does not report it
    double value = 0;                  ///< gauge, counter, or sum
    double count = 0;                  ///< of a mean
};
using FigureReadings = std::array<FigureReading, kFigureCount>;
[[nodiscard]] FigureReadings readingsOf(const MetricScrape& scrape);

/// What is shown of a figure: each part may be absent by itself.
struct FigureValue {
    bool reported = false;
    std::optional<double> now;    ///< gauge, rate in each second, or mean since the scrape before
    std::optional<double> total;  ///< of counters: so far; of means: over all so far
};
using FigureValues = std::array<FigureValue, kFigureCount>;

[[nodiscard]] inline const FigureValue& valueOf(const FigureValues& values, Figure figure) {
    return values[static_cast<std::size_t>(figure)];
}

/// Turns readings, one after the other, into values: counters into rates, histograms into means.
/// A counter that fell belongs to an engine that was started again: no rate comes of that step.
class FigureMeter {
  public:
    [[nodiscard]] FigureValues next(const FigureReadings& readings, std::int64_t timeNs);
    void reset() { m_before.reset(); }

  private:
    struct Before {
        FigureReadings readings;
        std::int64_t timeNs = 0;
    };
    std::optional<Before> m_before;
};

/// Tokens a second of answers and of prompts now; nothing where none are written, or the engine
/// does not say.
[[nodiscard]] std::optional<double> answerRate(const FigureValues& values);
[[nodiscard]] std::optional<double> promptRate(const FigureValues& values);
/// Share of prompt tokens found in the prefix cache since the scrape before.
[[nodiscard]] std::optional<double> prefixHitShare(const FigureValues& values);
/// Of the cache in use, said or from tokens and their room.
[[nodiscard]] std::optional<double> cacheShare(const FigureValues& values);

}  // namespace lacuna::app
