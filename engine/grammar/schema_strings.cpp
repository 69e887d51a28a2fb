#include "engine/grammar/schema_strings.h"

#include <array>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/grammar/json_pieces.h"
#include "engine/grammar/schema_pattern.h"

namespace lacuna {
namespace {

constexpr std::int64_t kMaxLength = 100'000;

// February ends with the 28th, so that every date exists; seconds end with 59.
#define LACUNA_DATE                                                                         \
    "[0-9]{4}-((01|03|05|07|08|10|12)-(0[1-9]|[12][0-9]|3[01])|(04|06|09|11)-(0[1-9]|[12][" \
    "0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
#define LACUNA_TIME                                                                                \
    "([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]" \
    ")"

/// Formats as patterns (RFC 3339, RFC 4122).
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kFormats{
    {{"date", "^" LACUNA_DATE "$"},
     {"time", "^" LACUNA_TIME "$"},
     {"date-time", "^" LACUNA_DATE "T" LACUNA_TIME "$"},
     {"uuid", "^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"}}};

#undef LACUNA_DATE
#undef LACUNA_TIME

Result<std::string> patternOf(const SchemaPlace& place) {
    if (const OrderedJson* pattern = place.find("pattern")) {
        if (place.has("format")) return place.unsupported("a pattern beside a format");
        if (!pattern->is_string()) return place.wrong("pattern is no text");
        return pattern->get<std::string>();
    }
    const OrderedJson* wanted = place.find("format");
    for (const auto& [name, pattern] : kFormats)
        if (*wanted == OrderedJson(std::string(name))) return std::string(pattern);
    return place.unsupported(format("format {}", wanted->dump()));
}

}  // namespace

Result<GrammarNode> stringOf(const SchemaPlace& place, const GrammarNode& character,
                             WorkBudget& work) {
    const bool measured = place.has("minLength") || place.has("maxLength");
    if (place.has("pattern") || place.has("format")) {
        if (measured) return place.unsupported("a length beside a pattern or format");
        LACUNA_TRY(const std::string pattern, patternOf(place));
        auto node = patternNode(pattern, work);
        if (!node)
            return tl::unexpected<Error>(
                withPrefix(std::move(node).error(), "JSON schema at " + place.path));
        return quotedNode(std::move(*node));
    }
    LACUNA_TRY(const std::int64_t least, place.count("minLength", 0, kMaxLength));
    LACUNA_TRY(const std::int64_t most, place.count("maxLength", kMaxLength, kMaxLength));
    if (most < least) return place.wrong("maxLength is below minLength");
    return quotedNode(
        repeatNode(character, static_cast<int>(least),
                   place.has("maxLength") ? static_cast<int>(most) : GrammarNode::kUnbounded));
}

}  // namespace lacuna
