#pragma once
/// \file
/// Maps the metric names of other engines to our figures, and detects the engine family from those
/// names. A figure that the engine does not report stays absent; it is never estimated or set to
/// zero. Pure functions and values. docs/remote-engines.md, "Figures".

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "app/remote/prometheus_text.h"

namespace lacuna::app {

enum class EngineFamily { Unknown, Lacuna, Vllm, Sglang, LlamaServer, LmCache };

/// Detects the family by name prefix. If several match, the first in the table wins, for example
/// Lacuna or vLLM when LMCache reports as well.
[[nodiscard]] EngineFamily familyOf(const MetricScrape& scrape);
/// Returns true if LMCache metrics are present.
[[nodiscard]] bool hasLmCache(const MetricScrape& scrape);
/// Returns the display name, such as "vLLM"; empty for Unknown.
[[nodiscard]] std::string_view familyName(EngineFamily family);

/// Our time series. Shares are in 0..1, times in seconds, sizes in bytes.
enum class Figure {
    Running,             ///< number of answers being written
    Waiting,             ///< number of queued requests
    CacheShare,          ///< share of the cache in use
    CacheTokens,         ///< tokens held in the cache
    CacheCapacity,       ///< cache capacity in tokens
    LogicalBytes,        ///< size of an uncompressed cache with the same tokens
    LiveBytes,           ///< size of the live rows
    AllocatedBytes,      ///< size of the allocated buffers
    ResidentBytes,       ///< resident memory of the process
    QualityKl,           ///< divergence from the full cache, in nats
    AnswerTokens,        ///< answer tokens written so far
    PromptTokens,        ///< prompt tokens read so far
    AnswerRate,          ///< answer tokens per second, as reported by the engine
    PromptRate,          ///< prompt tokens per second, as reported by the engine
    PrefixQueried,       ///< tokens looked up in the prefix cache
    PrefixHit,           ///< tokens found in the prefix cache
    PrefixHitShare,      ///< as reported by the engine
    Answered,            ///< completed requests
    Preempted,           ///< requests returned to the queue
    Drafted,             ///< drafted tokens
    Accepted,            ///< drafted tokens that were accepted
    AcceptedShare,       ///< as reported by the engine
    Compactions,         ///< completed compactions
    CompactionStall,     ///< seconds that answers were stalled by compactions
    FirstToken,          ///< time to the first token
    BetweenTokens,       ///< time between two tokens
    WholeRequest,        ///< total time of a request
    Queued,              ///< time in the queue
    Prefill,             ///< time to read the prompt
    Decode,              ///< time to write the answer
    PromptSize,          ///< prompt length in tokens
    AnswerSize,          ///< answer length in tokens
    OffloadBytes,        ///< bytes offloaded to host memory
    OffloadDiskBytes,    ///< bytes offloaded to disk
    OffloadRemoteBytes,  ///< bytes offloaded to other machines
    OffloadStored,       ///< tokens written to the offload cache
    OffloadFetched,      ///< tokens read from the offload cache
    OffloadHitShare,     ///< share of looked-up tokens found in the offload cache
    OffloadFetchTime,    ///< time of one fetch
    OffloadEvictions,    ///< entries evicted to free space
};
inline constexpr std::size_t kFigureCount = 40;

enum class FigureKind {
    Gauge,       ///< current value
    Counter,     ///< monotonic; shown as a rate
    EndCounter,  ///< counter incremented only when a request ends, so its rate is meaningless
    Mean,        ///< sum and count of a histogram; shown as the mean since the previous scrape
};
/// How several samples of one name (engines, ranks, slots) are aggregated into one figure.
enum class FigureSum { Add, Mean, Greatest };

struct FigureName {
    std::string_view name;  ///< metric name without the suffix "_total", "_sum" or "_count"
    Figure figure;
    FigureKind kind;
    FigureSum sum = FigureSum::Add;
    std::string_view label = {};  ///< if not empty, only samples with this label match
    std::string_view text = {};   ///< required value of `label`
};
/// The table of known metric names. If two names map to one figure, the earlier one wins.
[[nodiscard]] std::span<const FigureName> figureNames();

/// The value of one figure in one scrape.
struct FigureReading {
    const FigureName* name = nullptr;  ///< null if the engine does not report it
    double value = 0;                  ///< gauge, counter, or histogram sum
    double count = 0;                  ///< histogram count, for a mean
};
using FigureReadings = std::array<FigureReading, kFigureCount>;
[[nodiscard]] FigureReadings readingsOf(const MetricScrape& scrape);

/// Displayed value of a figure; either part may be absent.
struct FigureValue {
    bool reported = false;
    std::optional<double> now;  ///< gauge value, rate per second, or mean since the previous scrape
    std::optional<double> total;  ///< counter total so far, or mean over the engine's lifetime
};
using FigureValues = std::array<FigureValue, kFigureCount>;

[[nodiscard]] inline const FigureValue& valueOf(const FigureValues& values, Figure figure) {
    return values[static_cast<std::size_t>(figure)];
}

/// Converts successive readings into values: counters into rates, histograms into means. A counter
/// that decreased indicates a restarted engine, so that interval yields no rate.
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

/// Current answer or prompt tokens per second; nullopt if none are processed or the engine does not
/// report them.
[[nodiscard]] std::optional<double> answerRate(const FigureValues& values);
[[nodiscard]] std::optional<double> promptRate(const FigureValues& values);
/// Share of prompt tokens found in the prefix cache since the previous scrape.
[[nodiscard]] std::optional<double> prefixHitShare(const FigureValues& values);
/// Share of the cache in use, either reported or computed from tokens and capacity.
[[nodiscard]] std::optional<double> cacheShare(const FigureValues& values);

}  // namespace lacuna::app
