#pragma once
/// \file
/// Writes lines in Prometheus' text format 0.0.4, with HELP and TYPE before the samples of a
/// family. Source: Prometheus, "Exposition formats".

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/serve/histogram.h"
#include "engine/base/string_format.h"

namespace lacuna::app {

class MetricsWriter {
  public:
    using Labels = std::vector<std::pair<std::string_view, std::string>>;

    void family(std::string_view name, std::string_view type, std::string_view help);
    template <class Number>
    void sample(Number value, const Labels& labels = {}, std::string_view suffix = {}) {
        addName(labels, suffix);
        m_text += format(" {}\n", value);
    }
    template <class Number>
    void counter(std::string_view name, std::string_view help, Number value,
                 const Labels& labels = {}) {
        family(name, "counter", help);
        sample(value, labels);
    }
    template <class Number>
    void gauge(std::string_view name, std::string_view help, Number value,
               const Labels& labels = {}) {
        family(name, "gauge", help);
        sample(value, labels);
    }
    void histogram(std::string_view name, std::string_view help, const Histogram& values,
                   const Labels& labels = {});
    [[nodiscard]] std::string take() { return std::move(m_text); }

  private:
    void addName(const Labels& labels, std::string_view suffix);

    std::string m_text;
    std::string m_name;  ///< metric family of the samples being written
};

}  // namespace lacuna::app
