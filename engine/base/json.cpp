#include "engine/base/json.h"

#include <algorithm>
#include <set>
#include <vector>

#include "engine/base/json_complaint.h"
#include "engine/base/json_limits.h"
#include "engine/base/ordered_json.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

// Of the values of the library, with what the allocator adds.
constexpr std::size_t kValueBytes = 24;      ///< 16, in a list that grows by doubling
constexpr std::size_t kContainerBytes = 48;  ///< a list or a map that something points to
constexpr std::size_t kMemberBytes = 96;     ///< a node of a map with its key
constexpr std::size_t kStringBytes = 48;
constexpr std::size_t kInPlace = 15;  ///< characters of a string without memory of its own
constexpr std::size_t kFreeBytes = std::size_t{64} << 20;

/// Where a string that begins behind its quote at `at` ends: the closing quote, or the end.
std::size_t stringEnd(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at, text.size());
}

Status checkSize(std::string_view text, const JsonLimits& limits) {
    // The library takes a NUL for the end and does not look at what follows.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        return fail(ErrorCode::Json, format("not valid JSON at byte {}: a NUL byte", nul));
    const std::size_t most = kFreeBytes + text.size() * static_cast<std::size_t>(limits.growth);
    const std::size_t needed = jsonMemory(text);
    if (needed <= most) return {};
    return fail(ErrorCode::Json,
                format("its {} bytes would take about {} MiB of memory as lists and objects; at "
                       "most {} MiB are used for a text of this length",
                       text.size(), needed >> 20, most >> 20));
}

template <class Tree>
Result<Tree> parsed(std::string_view text, const JsonLimits& limits) {
    LACUNA_TRY_STATUS(checkSize(text, limits));
    const int maxDepth = limits.depth;
    std::vector<std::set<std::string>> keys;
    std::string complaint;
    const auto watch = [&](int depth, typename Tree::parse_event_t event, Tree& item) {
        if (!complaint.empty()) return false;
        switch (event) {
            case Tree::parse_event_t::object_start:
            case Tree::parse_event_t::array_start:
                if (depth >= maxDepth) complaint = format("nested deeper than {}", maxDepth);
                keys.emplace_back();
                break;
            case Tree::parse_event_t::object_end:
            case Tree::parse_event_t::array_end:
                if (!keys.empty()) keys.pop_back();
                break;
            case Tree::parse_event_t::key:
                if (!keys.empty() && !keys.back().insert(item.template get<std::string>()).second)
                    complaint =
                        format("key \"{}\" appears twice", item.template get<std::string>());
                break;
            case Tree::parse_event_t::value:
                break;
        }
        return complaint.empty();
    };
    try {
        Tree value = Tree::parse(text.begin(), text.end(), watch, true);
        if (!complaint.empty()) return fail(ErrorCode::Json, complaint);
        return value;
    } catch (const typename Tree::parse_error& e) {
        return fail(ErrorCode::Json, format("not valid JSON at byte {}: {}", e.byte, jsonComplaint(e.what())));
    } catch (const typename Tree::exception& e) {
        return fail(ErrorCode::Json, jsonComplaint(e.what()));
    }
}

}  // namespace

std::size_t jsonMemory(std::string_view text) {
    std::size_t bytes = kValueBytes;
    for (std::size_t at = 0; at < text.size(); ++at) {
        switch (text[at]) {
            case '[':
            case '{':
                bytes += kContainerBytes + kValueBytes;  // itself, and its first value
                break;
            case ',':
                bytes += kValueBytes;
                break;
            case ':':
                bytes += kMemberBytes - kStringBytes;  // the key was counted as a string
                break;
            case '"': {
                const std::size_t end = stringEnd(text, at + 1);
                const std::size_t length = end - std::min(at + 1, end);
                bytes += kStringBytes + (length > kInPlace ? length + 1 : 0);
                at = end;
                break;
            }
            default:
                break;
        }
    }
    return bytes;
}

Result<Json> parseJson(std::string_view text, const JsonLimits& limits) {
    return parsed<Json>(text, limits);
}

Result<Json> parseJson(std::string_view text, int maxDepth) {
    return parsed<Json>(text, {.depth = maxDepth});
}

Result<OrderedJson> parseOrderedJson(std::string_view text, int maxDepth) {
    return parsed<OrderedJson>(text, {.depth = maxDepth});
}

std::string dumpJson(const OrderedJson& value, int indent) {
    return value.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace lacuna
