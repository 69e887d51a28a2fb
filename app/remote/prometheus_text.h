#pragma once
/// \file
/// Prometheus' text format 0.0.4 as values: what an engine's /metrics says. Pure functions.
/// Source: Prometheus documentation, "Exposition formats", text-based format.

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"

namespace lacuna::app {

/// One line: `name{label="text",...} value`.
struct MetricSample {
    std::string name;
    std::vector<std::pair<std::string, std::string>> labels;
    double value = 0;  ///< may be NaN or infinite
};

enum class MetricType { Untyped, Counter, Gauge, Histogram, Summary };

struct MetricScrape {
    std::vector<MetricSample> samples;                     ///< in the order of the text
    std::map<std::string, MetricType, std::less<>> types;  ///< as TYPE lines say
};

/// Longest text that is read, and most samples and types in it: it is read once a second on the
/// GUI thread.
inline constexpr std::size_t kMaxScrapeBytes = 1024 * 1024;
inline constexpr std::size_t kMaxScrapeSamples = 20'000;

/// Takes what exporters in use print: line ends of either kind, blanks and tabs between parts, a
/// comma after the last label, timestamps (left out), comments of any kind. Errors: Corrupt with
/// the number of the line (a name, label or value that is none; exemplars, which are another
/// format), Range (too long).
[[nodiscard]] Result<MetricScrape> readMetrics(std::string_view text);

}  // namespace lacuna::app
