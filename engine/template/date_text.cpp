#include "engine/template/date_text.h"

#include <array>
#include <chrono>
#include <optional>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::size_t kMaxPattern = 256;
constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::size_t kShortName = 3;

struct Moment {
    int year = 1970;
    unsigned month = 1;
    unsigned day = 1;
    unsigned weekday = 4;
    int dayOfYear = 1;
    std::int64_t secondOfDay = 0;
};

Moment momentOf(std::int64_t unixTime) {
    const std::chrono::sys_seconds instant{std::chrono::seconds(unixTime)};
    const auto midnight = std::chrono::floor<std::chrono::days>(instant);
    const std::chrono::year_month_day date(midnight);
    const std::chrono::sys_days newYear(date.year() / std::chrono::January / 1);
    Moment moment;
    moment.year = static_cast<int>(date.year());
    moment.month = static_cast<unsigned>(date.month());
    moment.day = static_cast<unsigned>(date.day());
    moment.weekday = std::chrono::weekday(midnight).c_encoding();
    moment.dayOfYear = static_cast<int>((midnight - newYear).count()) + 1;
    moment.secondOfDay = (instant - midnight).count();
    return moment;
}

std::string clockText(const Moment& moment) {
    const std::int64_t s = moment.secondOfDay;
    return format("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
}

/// Returns the expansion of one letter; nullopt for an unknown letter.
std::optional<std::string> partFor(char letter, const Moment& m) {
    const std::int64_t hour = m.secondOfDay / 3600;
    switch (letter) {
        case 'a':
            return std::string(kDays[m.weekday].substr(0, kShortName));
        case 'A':
            return std::string(kDays[m.weekday]);
        case 'b':
            return std::string(kMonths[m.month - 1].substr(0, kShortName));
        case 'B':
            return std::string(kMonths[m.month - 1]);
        case 'd':
            return format("{:02}", m.day);
        case 'e':
            return format("{:2}", m.day);
        case 'H':
            return format("{:02}", hour);
        case 'I':
            return format("{:02}", (hour + 11) % 12 + 1);
        case 'j':
            return format("{:03}", m.dayOfYear);
        case 'm':
            return format("{:02}", m.month);
        case 'M':
            return format("{:02}", m.secondOfDay / 60 % 60);
        case 'p':
            return std::string(hour < 12 ? "AM" : "PM");
        case 'S':
            return format("{:02}", m.secondOfDay % 60);
        case 'y':
            return format("{:02}", m.year % 100);
        case 'Y':
            return format("{}", m.year);
        case 'F':
            return format("{}-{:02}-{:02}", m.year, m.month, m.day);
        case 'T':
            return clockText(m);
        case '%':
            return std::string("%");
        default:  // a character of a template, not an enumerator
            return std::nullopt;
    }
}

std::string withoutPadding(const std::string& text) {
    const std::size_t begin = text.find_first_not_of("0 ");
    return begin == std::string::npos ? "0" : text.substr(begin);
}

}  // namespace

Result<std::string> dateText(std::string_view pattern, std::int64_t unixTime) {
    if (pattern.size() > kMaxPattern)
        return fail(ErrorCode::TplRuntime,
                    format("a date format has {} bytes; at most {} are allowed", pattern.size(),
                           kMaxPattern));
    const Moment moment = momentOf(unixTime);
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%') {
            out += pattern[i];
            continue;
        }
        const bool bare = i + 1 < pattern.size() && pattern[i + 1] == '-';
        i += bare ? 2 : 1;
        auto part = i < pattern.size() ? partFor(pattern[i], moment) : std::nullopt;
        if (!part)
            return fail(ErrorCode::TplRuntime,
                        format("the date format \"{}\" is not supported", pattern));
        out += bare ? withoutPadding(std::move(*part)) : *part;
    }
    return out;
}

}  // namespace lacuna
