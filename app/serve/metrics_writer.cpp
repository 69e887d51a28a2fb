#include "app/serve/metrics_writer.h"

#include <cstdint>

namespace lacuna::app {
namespace {

std::string escaped(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        if (c == '\\' || c == '"') safe += '\\';
        if (c == '\n')
            safe += "\\n";
        else
            safe += c;
    }
    return safe;
}

}  // namespace

void MetricsWriter::family(std::string_view name, std::string_view type, std::string_view help) {
    m_name = name;
    m_text += format("# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

void MetricsWriter::addName(const Labels& labels, std::string_view suffix) {
    m_text += m_name;
    m_text += suffix;
    if (labels.empty()) return;
    std::string_view before = "{";
    for (const auto& [name, text] : labels)
        m_text += format("{}{}=\"{}\"", std::exchange(before, ","), name, escaped(text));
    m_text += '}';
}

void MetricsWriter::histogram(std::string_view name, std::string_view help, const Histogram& values,
                              const Labels& labels) {
    family(name, "histogram", help);
    std::int64_t below = 0;
    for (std::size_t i = 0; i < values.counts().size(); ++i) {
        below += values.counts()[i];
        Labels bucket = labels;
        bucket.emplace_back("le", i < values.bounds().size() ? format("{}", values.bounds()[i])
                                                             : std::string("+Inf"));
        sample(below, bucket, "_bucket");
    }
    sample(values.sum(), labels, "_sum");
    sample(values.count(), labels, "_count");
}

}  // namespace lacuna::app
