#pragma once
/// \file
/// Strict parser of Prometheus' text format 0.0.4; violations are reported as a sentence.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::test {

inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

struct Exposition {
    std::map<std::string, std::string> types = {};  ///< by metric family
    std::map<std::string, double> values = {};      ///< by name including labels, as written
    std::vector<std::string> problems = {};
    [[nodiscard]] bool has(const std::string& series) const { return values.contains(series); }
    [[nodiscard]] double of(const std::string& series) const {
        const auto found = values.find(series);
        return found == values.end() ? std::nan("") : found->second;
    }
};

inline bool isMetricName(std::string_view name, bool colons) {
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) return false;
    for (const char c : name)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_' || (c == ':' && colons)))
            return false;
    return true;
}

/// Parses the labels between braces without `le` and advances `at`. An empty result means success.
inline std::string readLabels(std::string_view line, std::size_t& at, std::string& rest,
                              std::string& le) {
    std::set<std::string> names;
    ++at;
    while (at < line.size() && line[at] != '}') {
        const std::size_t equals = line.find("=\"", at);
        if (equals == std::string_view::npos) return "a label without a value";
        const std::string name(line.substr(at, equals - at));
        if (!isMetricName(name, false)) return "label name " + name;
        if (!names.insert(name).second) return "label twice: " + name;
        std::string value;
        at = equals + 2;
        for (; at < line.size() && line[at] != '"'; ++at) {
            if (line[at] == '\\') {
                ++at;
                if (at >= line.size() ||
                    std::string_view("\\\"n").find(line[at]) == std::string_view::npos)
                    return "an escape that is none";
            }
            value += line[at];
        }
        if (at >= line.size()) return "a label's value has no end";
        ++at;
        if (name == "le")
            le = value;
        else
            rest += name + "=\"" + value + "\",";
        if (at < line.size() && line[at] == ',') ++at;
    }
    if (at >= line.size()) return "labels without an end";
    ++at;
    return {};
}

inline Exposition readExposition(std::string_view text) {
    Exposition result;
    const auto wrong = [&](std::string_view line, const std::string& why) {
        result.problems.push_back(why + ": " + std::string(line));
    };
    if (text.empty() || text.back() != '\n') wrong("", "the last line has no end");
    std::string family;
    std::set<std::string> helped;
    struct Buckets {
        double last = -kUnbounded, count = -1;
    };
    std::map<std::string, Buckets> buckets;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        if (line.starts_with("# HELP ")) {
            family = line.substr(7, line.find(' ', 7) - 7);
            if (!helped.insert(family).second) wrong(line, "HELP twice");
            continue;
        }
        if (line.starts_with("# TYPE ")) {
            const std::size_t space = line.find(' ', 7);
            const std::string name(line.substr(7, space - 7)), type(line.substr(space + 1));
            if (name != family) wrong(line, "TYPE of another family than HELP");
            if (!isMetricName(name, true)) wrong(line, "name");
            if (type != "counter" && type != "gauge" && type != "histogram" && type != "summary")
                wrong(line, "type");
            if ((type == "counter") != name.ends_with("_total"))
                wrong(line, "_total is of counters");
            if (!result.types.emplace(name, type).second) wrong(line, "TYPE twice");
            continue;
        }
        std::size_t at = line.find_first_of("{ ");
        if (at == std::string_view::npos) {
            wrong(line, "no sample");
            continue;
        }
        const std::string name(line.substr(0, at));
        std::string labels, le;
        if (line[at] == '{')
            if (const std::string why = readLabels(line, at, labels, le); !why.empty())
                wrong(line, why);
        const std::string number(line.substr(std::min(at + 1, line.size())));
        char* end = nullptr;
        const double value = std::strtod(number.c_str(), &end);
        if (number.empty() || *end != '\0' || std::isnan(value)) wrong(line, "value");
        const std::string type = result.types[family];
        if (type == "histogram") {
            if (name == family + "_bucket") {
                Buckets& so = buckets[family + labels];
                const double bound = le == "+Inf" ? kUnbounded : std::strtod(le.c_str(), nullptr);
                if (!(bound > so.last)) wrong(line, "bounds that do not rise");
                if (value < so.count) wrong(line, "buckets that fall");
                so = {bound, value};
            } else if (name == family + "_count") {
                const Buckets& so = buckets[family + labels];
                if (so.last != kUnbounded || so.count != value)
                    wrong(line, "count and open bucket");
            } else if (name != family + "_sum") {
                wrong(line, "no sample of this histogram");
            }
        } else if (type == "summary") {
            if (name != family + "_sum" && name != family + "_count")
                wrong(line, "no sample of this summary");
        } else if (name != family || !le.empty()) {
            wrong(line, "a sample of another family");
        }
        const std::string series(line.substr(0, at));
        if (!result.values.emplace(series, value).second) wrong(line, "series twice");
    }
    for (const auto& [name, type] : result.types)
        if (!helped.contains(name)) wrong(name, "no HELP");
    return result;
}

}  // namespace lacuna::test
