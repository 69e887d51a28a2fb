#pragma once
/// \file
/// Parser for the Prometheus text format 0.0.4, as served at an engine's /metrics. Pure functions.
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
    std::vector<MetricSample> samples;                     ///< in input order
    std::map<std::string, MetricType, std::less<>> types;  ///< declared by TYPE lines
};

/// Limits on the text, samples and types of one scrape, because parsing runs once a second on the
/// GUI thread.
inline constexpr std::size_t kMaxScrapeBytes = 1024 * 1024;
inline constexpr std::size_t kMaxScrapeSamples = 20'000;

/// Parses a scrape as common exporters write it: either kind of line end, blanks and tabs between
/// parts, a comma after the last label, timestamps (ignored), any comments. Errors: Corrupt with
/// the line number (invalid name, label or value; exemplars, which are another format), Range (too
/// long).
[[nodiscard]] Result<MetricScrape> readMetrics(std::string_view text);

}  // namespace lacuna::app
