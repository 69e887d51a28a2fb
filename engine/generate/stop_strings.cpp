#include "engine/generate/stop_strings.h"

#include <algorithm>
#include <utility>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

/// Returns the length of the longest suffix of `text` that is a proper prefix of `stop`.
std::size_t openStart(std::string_view text, std::string_view stop) {
    for (std::size_t n = std::min(text.size(), stop.size() - 1); n > 0; --n)
        if (text.substr(text.size() - n) == stop.substr(0, n)) return n;
    return 0;
}

}  // namespace

Result<StopStrings> StopStrings::create(std::vector<std::string> strings) {
    if (strings.size() > kMaxStrings)
        return fail(ErrorCode::InvalidArgument,
                    format("{} stop strings are given; at most {} are allowed", strings.size(),
                           kMaxStrings));
    if (std::ranges::any_of(strings, &std::string::empty))
        return fail(ErrorCode::InvalidArgument,
                    "a stop string is empty; each needs at least one character");
    return StopStrings(std::move(strings));
}

StopStrings::Outcome StopStrings::push(std::string_view text) {
    held_ += text;
    std::size_t first = std::string::npos;
    const std::string* found = nullptr;
    for (const std::string& stop : strings_)
        if (const std::size_t at = held_.find(stop); at < first) {
            first = at;
            found = &stop;
        }
    if (found != nullptr) {
        std::string shown = held_.substr(0, first);
        held_.clear();
        return {std::move(shown), true, *found};
    }
    std::size_t open = 0;
    for (const std::string& stop : strings_) open = std::max(open, openStart(held_, stop));
    std::string shown = held_.substr(0, held_.size() - open);
    held_.erase(0, held_.size() - open);
    return {.text = std::move(shown)};
}

std::string StopStrings::finish() {
    return std::exchange(held_, {});
}

}  // namespace lacuna
