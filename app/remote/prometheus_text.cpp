// Each line is parsed in a single pass without backtracking.

#include "app/remote/prometheus_text.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "engine/base/string_format.h"

namespace lacuna::app {

namespace {

bool isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':';
}
bool isNameByte(char c) {
    return isNameStart(c) || (c >= '0' && c <= '9');
}

/// Parses one line from left to right.
class LineCursor {
  public:
    explicit LineCursor(std::string_view line) : m_rest(line) {}

    void skipBlanks() {
        while (!m_rest.empty() && (m_rest.front() == ' ' || m_rest.front() == '\t'))
            m_rest.remove_prefix(1);
    }
    [[nodiscard]] bool ended() const { return m_rest.empty(); }
    [[nodiscard]] bool take(char c) {
        if (m_rest.empty() || m_rest.front() != c) return false;
        m_rest.remove_prefix(1);
        return true;
    }
    [[nodiscard]] std::string_view takeName() {
        std::size_t length = 0;
        if (!m_rest.empty() && isNameStart(m_rest.front()))
            while (length < m_rest.size() && isNameByte(m_rest[length])) ++length;
        return takeBytes(length);
    }
    [[nodiscard]] std::string_view takeWord() {
        return takeBytes(std::min(m_rest.find_first_of(" \t"), m_rest.size()));
    }
    /// Returns the text between quotation marks; nullopt if the closing mark is missing.
    [[nodiscard]] std::optional<std::string> takeQuoted() {
        if (!take('"')) return std::nullopt;
        std::string text;
        while (!m_rest.empty()) {
            const char c = takeBytes(1).front();
            if (c == '"') return text;
            if (c != '\\') {
                text += c;
                continue;
            }
            if (m_rest.empty()) break;
            const char escaped = takeBytes(1).front();
            if (escaped == 'n')
                text += '\n';
            else if (escaped == '\\' || escaped == '"')
                text += escaped;
            else
                text.append({'\\', escaped});  // Prometheus keeps unknown escapes verbatim.
        }
        return std::nullopt;
    }

  private:
    std::string_view takeBytes(std::size_t length) {
        const std::string_view taken = m_rest.substr(0, length);
        m_rest.remove_prefix(length);
        return taken;
    }
    std::string_view m_rest;
};

std::optional<double> numberFrom(std::string_view word) {
    const bool negative = word.starts_with('-');
    std::string_view bare = word;
    if (negative || word.starts_with('+')) bare.remove_prefix(1);
    if (bare == "Inf" || bare == "inf" || bare == "INF" || bare == "Infinity")
        return negative ? -std::numeric_limits<double>::infinity()
                        : std::numeric_limits<double>::infinity();
    if (word == "NaN" || word == "nan" || word == "NAN")
        return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    const auto [end, problem] = std::from_chars(bare.data(), bare.data() + bare.size(), value);
    if (problem != std::errc() || end != bare.data() + bare.size() || bare.starts_with('-'))
        return std::nullopt;
    return negative ? -value : value;
}

MetricType typeFrom(std::string_view word) {
    if (word == "counter") return MetricType::Counter;
    if (word == "gauge") return MetricType::Gauge;
    if (word == "histogram") return MetricType::Histogram;
    if (word == "summary") return MetricType::Summary;
    return MetricType::Untyped;
}

/// Reads "# TYPE name kind"; other comments are ignored.
void readComment(LineCursor line, MetricScrape& scrape) {
    line.skipBlanks();
    if (line.takeWord() != "TYPE") return;
    line.skipBlanks();
    const std::string_view name = line.takeWord();
    line.skipBlanks();
    if (!name.empty()) scrape.types.insert_or_assign(std::string(name), typeFrom(line.takeWord()));
}

/// Returns an error message; empty on success.
std::string readLabels(LineCursor& line, MetricSample& sample) {
    for (;;) {
        line.skipBlanks();
        if (line.take('}')) return {};
        const std::string_view name = line.takeName();
        if (name.empty()) return "a label has no name";
        line.skipBlanks();
        if (!line.take('=')) return format("label {} has no value", name);
        line.skipBlanks();
        std::optional<std::string> text = line.takeQuoted();
        if (!text) return format("the value of label {} is not terminated", name);
        sample.labels.emplace_back(name, std::move(*text));
        line.skipBlanks();
        if (line.take(',')) continue;
        if (line.take('}')) return {};
        return format("label {} is followed by neither a comma nor a brace", name);
    }
}

std::string readSample(LineCursor line, MetricSample& sample) {
    sample.name = line.takeName();
    if (sample.name.empty()) return "the name is missing";
    line.skipBlanks();
    if (line.take('{'))
        if (std::string problem = readLabels(line, sample); !problem.empty()) return problem;
    line.skipBlanks();
    const std::string_view word = line.takeWord();
    const std::optional<double> value = numberFrom(word);
    if (!value) return format("\"{}\" is not a number", word.substr(0, 40));
    sample.value = *value;
    line.skipBlanks();
    const std::string_view time = line.takeWord();
    if (!time.empty() && !numberFrom(time))
        return format("\"{}\" after the value is not a time", time.substr(0, 40));
    line.skipBlanks();
    return line.ended() ? std::string() : "there is more text after the value";
}

}  // namespace

Result<MetricScrape> readMetrics(std::string_view text) {
    if (text.size() > kMaxScrapeBytes)
        return fail(ErrorCode::Range,
                    format("the metrics are larger than {} MiB", kMaxScrapeBytes / 1024 / 1024));
    MetricScrape scrape;
    std::size_t number = 0;
    while (!text.empty()) {
        ++number;
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.ends_with('\r')) line.remove_suffix(1);
        LineCursor cursor(line);
        cursor.skipBlanks();
        if (cursor.ended()) continue;
        if (scrape.samples.size() + scrape.types.size() > kMaxScrapeSamples)
            return fail(ErrorCode::Range,
                        format("there are more than {} metrics", kMaxScrapeSamples));
        if (cursor.take('#')) {
            readComment(cursor, scrape);
            continue;
        }
        MetricSample sample;
        if (const std::string problem = readSample(cursor, sample); !problem.empty())
            return fail(ErrorCode::Corrupt, format("line {} of the metrics: {}", number, problem));
        scrape.samples.push_back(std::move(sample));
    }
    return scrape;
}

}  // namespace lacuna::app
