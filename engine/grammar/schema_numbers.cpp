#include "engine/grammar/schema_numbers.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"
#include "engine/grammar/json_pieces.h"

namespace lacuna {
namespace {

constexpr int kMinDecimals = 2;
constexpr int kMaxDecimals = 6;

struct Bound {
    double value = 0;
    bool exclusive = false;
};

/// The tighter of two keywords that bound the same side.
Result<std::optional<Bound>> boundOf(const SchemaPlace& place, std::string_view inclusive,
                                     std::string_view exclusive, bool lower) {
    std::optional<Bound> bound;
    for (const std::string_view keyword : {inclusive, exclusive}) {
        const OrderedJson* given = place.find(keyword);
        if (given == nullptr) continue;
        if (!given->is_number())
            return place.wrong(format("{} is {}; expected a number", keyword, given->dump()));
        const Bound one{given->get<double>(), keyword == exclusive};
        const bool tighter =
            !bound || (lower ? one.value >= bound->value : one.value <= bound->value);
        if (tighter) bound = one;
    }
    return bound;
}

int decimalsOf(double value) {
    for (int decimals = 0; decimals <= kMaxDecimals; ++decimals) {
        const double scaled = value * std::pow(10.0, decimals);
        if (std::abs(scaled - std::round(scaled)) <= 1e-9 * std::max(1.0, std::abs(scaled)))
            return decimals;
    }
    return kMaxDecimals + 1;
}

/// Bounds in units of the last decimal place.
struct Span {
    std::int64_t least = -kMaxWhole;
    std::int64_t most = kMaxWhole;
};

Result<Span> spanOf(const SchemaPlace& place, int decimals) {
    LACUNA_TRY(const auto lower, boundOf(place, "minimum", "exclusiveMinimum", true));
    LACUNA_TRY(const auto upper, boundOf(place, "maximum", "exclusiveMaximum", false));
    const double scale = std::pow(10.0, decimals);
    // A bound that is a number of this many decimals is hit exactly; others lie between two.
    const auto units = [&](double value, bool up) {
        const double scaled = value * scale;
        const double near = std::round(scaled);
        const bool exact = std::abs(scaled - near) <= 1e-9 * std::max(1.0, std::abs(scaled));
        const double chosen = exact ? near : up ? std::ceil(scaled) : std::floor(scaled);
        constexpr auto kLimit = static_cast<double>(kMaxWhole);
        return std::pair{static_cast<std::int64_t>(std::clamp(chosen, -kLimit - 1, kLimit + 1)),
                         exact};
    };
    Span span;
    if (lower) {
        const auto [value, exact] = units(lower->value, true);
        span.least = std::max(span.least, value + (lower->exclusive && exact ? 1 : 0));
    }
    if (upper) {
        const auto [value, exact] = units(upper->value, false);
        span.most = std::min(span.most, value - (upper->exclusive && exact ? 1 : 0));
    }
    if (span.least > span.most) return place.wrong("no number lies between its bounds");
    return span;
}

}  // namespace

Result<GrammarNode> integerOf(const SchemaPlace& place) {
    LACUNA_TRY(const Span span, spanOf(place, 0));
    return wholeNode(span.least, span.most);
}

Result<GrammarNode> numberOf(const SchemaPlace& place) {
    LACUNA_TRY(const auto lower, boundOf(place, "minimum", "exclusiveMinimum", true));
    LACUNA_TRY(const auto upper, boundOf(place, "maximum", "exclusiveMaximum", false));
    if (!lower && !upper) return anyNumberNode();
    int decimals = kMinDecimals;
    for (const auto& bound : {lower, upper})
        if (bound) decimals = std::max(decimals, decimalsOf(bound->value));
    if (decimals > kMaxDecimals)
        return place.unsupported(format("a bound with more than {} decimals", kMaxDecimals));
    LACUNA_TRY(const Span span, spanOf(place, decimals));
    std::vector<GrammarNode> choices{fixedPointNode(span.least, span.most, decimals)};
    if (const auto whole = spanOf(place, 0))
        choices.push_back(wholeNode(whole->least, whole->most));
    return choiceNode(std::move(choices));
}

}  // namespace lacuna
