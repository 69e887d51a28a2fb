#include "engine/base/json.h"

#include <algorithm>
#include <set>
#include <type_traits>
#include <vector>

#include "engine/base/big_integer.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

// Sizes of the library's values, including allocator overhead.
constexpr std::size_t kValueBytes = 24;      ///< 16, in a vector that grows by doubling
constexpr std::size_t kContainerBytes = 48;  ///< a list or map on the heap
constexpr std::size_t kMemberBytes = 96;     ///< a node of a map with its key
constexpr std::size_t kStringBytes = 48;
constexpr std::size_t kLongDigits = 19;            ///< shorter numbers always fit into 64 bits
constexpr std::size_t kInPlace = 15;               ///< longest string that needs no allocation
constexpr std::size_t kMostSearched = 50'000'000;  ///< key comparisons: half of 10,000 squared
constexpr std::size_t kFreeBytes = std::size_t{64} << 20;

/// Returns the index of the closing quote of a string whose content begins at `at`, or the end of
/// the text.
std::size_t stringEnd(std::string_view text, std::size_t at) {
    while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
    return std::min(at, text.size());
}

Status checkSize(std::string_view text, const JsonLimits& limits) {
    // The library treats a NUL as the end and ignores the rest.
    if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        return fail(ErrorCode::Json, format("not valid JSON at byte {}: a NUL byte", nul));
    const std::size_t most = kFreeBytes + text.size() * static_cast<std::size_t>(limits.growth);
    const std::size_t needed = jsonMemory(text);
    if (needed <= most) return {};
    return fail(ErrorCode::Json,
                format("its {} bytes would take about {} MiB of memory as lists and objects; at "
                       "most {} MiB are allowed for a text of this length",
                       text.size(), needed >> 20, most >> 20));
}

/// Forwards parse events to the library's own value builder and refuses input that the builder
/// would accept, such as duplicate keys. The library's parser with a callback would search a list
/// again after each object in it, which takes quadratic time.
template <class Tree>
class Watched final : public nlohmann::json_sax<Tree> {
    using typename nlohmann::json_sax<Tree>::number_integer_t;
    using typename nlohmann::json_sax<Tree>::number_unsigned_t;
    using typename nlohmann::json_sax<Tree>::number_float_t;
    using typename nlohmann::json_sax<Tree>::string_t;
    using typename nlohmann::json_sax<Tree>::binary_t;

  public:
    Watched(Tree& value, int maxDepth) : builder_(value, false), maxDepth_(maxDepth) {}

    bool null() override { return builder_.null(); }
    bool boolean(bool value) override { return builder_.boolean(value); }
    bool number_integer(number_integer_t value) override { return builder_.number_integer(value); }
    bool number_unsigned(number_unsigned_t value) override {
        return builder_.number_unsigned(value);
    }
    bool number_float(number_float_t value, const string_t& text) override {
        // The library would round integers beyond 64 bits.
        if constexpr (std::is_same_v<Tree, OrderedJson>) {
            if (text.find_first_of(".eE") == string_t::npos) {
                binary_t digits(typename binary_t::container_type(text.begin(), text.end()));
                return builder_.binary(digits);
            }
        }
        return builder_.number_float(value, text);
    }
    bool string(string_t& value) override { return builder_.string(value); }
    bool binary(binary_t& value) override { return builder_.binary(value); }
    bool start_object(std::size_t size) override { return opens() && builder_.start_object(size); }
    bool key(string_t& name) override {
        // An ordered object is a list that is searched linearly for each key.
        if constexpr (std::is_same_v<Tree, OrderedJson>) searched_ += keys_.back().size();
        if (searched_ > kMostSearched)
            return refuse("an object has too many members; at most 10000 are allowed");
        if (!keys_.back().insert(name).second)
            return refuse(format("key \"{}\" appears twice", name));
        return builder_.key(name);
    }
    bool end_object() override {
        keys_.pop_back();
        return builder_.end_object();
    }
    bool start_array(std::size_t size) override { return opens() && builder_.start_array(size); }
    bool end_array() override {
        keys_.pop_back();
        return builder_.end_array();
    }
    bool parse_error(std::size_t position, const std::string& /*token*/,
                     const nlohmann::detail::exception& problem) override {
        const bool syntax = dynamic_cast<const typename Tree::parse_error*>(&problem) != nullptr;
        const std::string shown = jsonErrorText(problem.what());
        return refuse(syntax ? format("not valid JSON at byte {}: {}", position, shown) : shown);
    }

    [[nodiscard]] const std::string& complaint() const { return complaint_; }

  private:
    bool refuse(std::string complaint) {
        complaint_ = std::move(complaint);
        return false;
    }
    bool opens() {
        if (std::ssize(keys_) >= maxDepth_)
            return refuse(format("nested deeper than {}", maxDepth_));
        keys_.emplace_back();
        return true;
    }

    nlohmann::detail::json_sax_dom_parser<Tree> builder_;
    int maxDepth_;
    std::size_t searched_ = 0;
    std::vector<std::set<std::string>> keys_;  // keys of the enclosing lists and objects
    std::string complaint_;
};

template <class Tree>
Result<Tree> parsed(std::string_view text, const JsonLimits& limits) {
    LACUNA_TRY_STATUS(checkSize(text, limits));
    try {
        Tree value;
        Watched<Tree> watched(value, limits.depth);
        if (Tree::sax_parse(text.begin(), text.end(), &watched)) return value;
        return fail(ErrorCode::Json, watched.complaint());
    } catch (const typename Tree::exception& e) {
        return fail(ErrorCode::Json, jsonErrorText(e.what()));
    }
}

}  // namespace

std::size_t jsonMemory(std::string_view text) {
    std::size_t bytes = kValueBytes;
    for (std::size_t at = 0; at < text.size(); ++at) {
        switch (text[at]) {
            case '[':
            case '{':
                bytes += kContainerBytes + kValueBytes;  // the container itself and its first value
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
                if (text[at] >= '0' && text[at] <= '9') {
                    const std::size_t end =
                        std::min(text.find_first_not_of("0123456789", at), text.size());
                    // Integers beyond 64 bits are stored as digits.
                    if (end - at >= kLongDigits) bytes += kContainerBytes + (end - at) + 16;
                    at = end - 1;
                }
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

namespace {

bool holdsBigInteger(const OrderedJson& value) {
    if (!value.is_structured()) return isBigInteger(value);
    return std::ranges::any_of(value, holdsBigInteger);
}

std::string dumped(const OrderedJson& value, int indent) {
    return value.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

/// Writes like the library, which has no format for the digits of big integers.
void write(std::string& out, const OrderedJson& value, int indent, int depth) {
    if (!value.is_structured() || value.empty()) {
        out += isBigInteger(value) ? bigIntegerText(value) : dumped(value, -1);
        return;
    }
    const auto breakLine = [&](int levels) {
        if (indent < 0) return;
        out += '\n';
        out.append(static_cast<std::size_t>(indent) * static_cast<std::size_t>(levels), ' ');
    };
    out += value.is_array() ? '[' : '{';
    bool first = true;
    for (const auto& [key, item] : value.items()) {
        if (!first) out += ',';
        first = false;
        breakLine(depth + 1);
        if (value.is_object()) out += dumped(OrderedJson(key), -1) + (indent < 0 ? ":" : ": ");
        write(out, item, indent, depth + 1);
    }
    breakLine(depth);
    out += value.is_array() ? ']' : '}';
}

}  // namespace

std::string bigIntegerText(const OrderedJson& value) {
    const auto& digits = value.get_binary();
    return {digits.begin(), digits.end()};
}

std::string dumpJson(const OrderedJson& value, int indent) {
    if (!holdsBigInteger(value)) return dumped(value, indent);
    std::string out;
    write(out, value, indent, 0);
    return out;
}

std::string jsonErrorText(std::string_view what) {
    constexpr std::size_t kMaxValue = 200;
    if (what.starts_with("[json.exception."))
        what.remove_prefix(std::min(what.find("] "), what.size() - 2) + 2);
    if (what.starts_with("parse error at "))
        what.remove_prefix(std::min(what.find(": "), what.size() - 2) + 2);
    std::size_t end = std::min(what.size(), kMaxValue);
    while (end > 0 && end < what.size() && (static_cast<unsigned char>(what[end]) & 0xC0U) == 0x80U)
        --end;
    return std::string(what.substr(0, end)) + (end < what.size() ? "..." : "");
}

}  // namespace lacuna
