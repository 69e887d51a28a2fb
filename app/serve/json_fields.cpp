#include "app/serve/json_fields.h"

#include <algorithm>
#include <cmath>

#include "engine/base/string_format.h"

namespace lacuna::app {
namespace {

constexpr std::size_t kShown = 100;

std::string shown(const OrderedJson& value) {
    std::string text = dumpJson(value);
    if (text.size() > kShown) text.replace(kShown, std::string::npos, "...");
    return text;
}

}  // namespace

ApiResult<OrderedJson> bodyObject(const std::string& body) {
    const auto broken = [](std::string message) {
        return tl::unexpected<ApiError>(
            ApiError{.status = 400, .message = std::move(message), .code = "JSON"});
    };
    if (body.empty()) return broken("the body is empty; expected a JSON object");
    if (body.starts_with("\xEF\xBB\xBF"))
        return broken("the body begins with a byte order mark at byte 0; expected a JSON object");
    auto value = parseOrderedJson(body);
    if (!value) return broken(value.error().what);
    if (!value->is_object()) return broken("the body has to be a JSON object");
    return std::move(*value);
}

JsonFields::JsonFields(const OrderedJson& object, std::string path)
    : m_object(object), m_path(std::move(path)) {}

const OrderedJson* JsonFields::find(std::string_view name) {
    m_read.emplace(name);
    const auto found = m_object.find(std::string(name));
    return found == m_object.end() || found->is_null() ? nullptr : &*found;
}

std::optional<bool> JsonFields::boolean(std::string_view name) {
    const OrderedJson* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (value->is_boolean()) return value->get<bool>();
    wrongType(name, "true or false", *value);
    return std::nullopt;
}

std::optional<std::int64_t> JsonFields::integer(std::string_view name, std::int64_t least,
                                                std::int64_t most) {
    const OrderedJson* value = find(name);
    if (value == nullptr) return std::nullopt;
    std::optional<std::int64_t> whole;
    if (value->is_number_unsigned()) {
        const auto number = value->get<std::uint64_t>();
        if (number <= static_cast<std::uint64_t>(most)) whole = static_cast<std::int64_t>(number);
    } else if (value->is_number_integer()) {
        whole = value->get<std::int64_t>();
    } else if (value->is_number_float() &&
               std::nearbyint(value->get<double>()) == value->get<double>() &&
               std::abs(value->get<double>()) < 1e15) {
        whole = static_cast<std::int64_t>(value->get<double>());  // some clients write integers
                                                                  // as 8.0
    } else if (!value->is_number()) {
        wrongType(name, "a whole number", *value);
        return std::nullopt;
    }
    if (whole && *whole >= least && *whole <= most) return whole;
    refuse(name,
           format("{} is {}; allowed are whole numbers from {} to {}", place(name), shown(*value),
                  least, most),
           "RANGE");
    return std::nullopt;
}

std::optional<double> JsonFields::number(std::string_view name, double least, double most) {
    const OrderedJson* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_number()) {
        wrongType(name, "a number", *value);
        return std::nullopt;
    }
    const double number = value->get<double>();
    if (number >= least && number <= most) return number;
    refuse(name, format("{} is {}; allowed is {} to {}", place(name), shown(*value), least, most),
           "RANGE");
    return std::nullopt;
}

std::optional<std::string> JsonFields::text(std::string_view name, std::size_t maxBytes) {
    const OrderedJson* value = find(name);
    if (value == nullptr) return std::nullopt;
    if (!value->is_string()) {
        wrongType(name, "a string", *value);
        return std::nullopt;
    }
    auto text = value->get<std::string>();
    if (text.size() <= maxBytes) return text;
    refuse(name,
           format("{} has {} bytes; at most {} are allowed", place(name), text.size(), maxBytes),
           "RANGE");
    return std::nullopt;
}

void JsonFields::wrongType(std::string_view name, std::string_view expected,
                           const OrderedJson& found) {
    refuse(name, format("{} is {}; expected {}", place(name), shown(found), expected), "TYPE");
}

void JsonFields::refuse(std::string_view name, std::string message, std::string code) {
    refuse(ApiError{.status = 400,
                    .message = std::move(message),
                    .param = place(name),
                    .code = code.empty() ? "INVALID_ARGUMENT" : std::move(code)});
}

void JsonFields::refuse(ApiError error) {
    if (!m_error) m_error = std::move(error);
}

std::vector<std::string> JsonFields::unread() const {
    std::vector<std::string> names;
    for (const auto& [name, value] : m_object.items())
        if (!m_read.contains(name)) names.push_back(m_path + name);
    return names;
}

}  // namespace lacuna::app
