#include "engine/base/json_reader.h"

#include <cmath>
#include <limits>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

const Json kNull = nullptr;
const Json kEmptyObject = Json::object();
const Json kEmptyList = Json::array();

}  // namespace

std::string LocatedValue::path() const {
    if (name.empty()) return std::string(owner);
    return owner.empty() ? std::string(name) : format("{}.{}", owner, name);
}

void LocatedValue::wrong(std::string_view found) const {
    reading.note(ErrorCode::Config, format("{} is {}", path(), found));
}

const Json& LocatedValue::list() const {
    if (json.is_array()) return json;
    wrong(format("{}; expected a list", json.type_name()));
    return kEmptyList;
}

std::string LocatedValue::text() const {
    if (json.is_string()) return json.get<std::string>();
    wrong(format("{}; expected text", json.type_name()));
    return {};
}

std::vector<std::string> LocatedValue::texts() const {
    std::vector<std::string> result;
    for (const Json& item : list()) {
        if (item.is_string())
            result.push_back(item.get<std::string>());
        else
            wrong(format("a list with {} in it; expected texts", item.type_name()));
    }
    return result;
}

std::optional<TokenId> tokenOf(const Json& item) {
    if (!item.is_number_unsigned() || item.get<std::uint64_t>() > 0x7fffffffU) return std::nullopt;
    return item.get<TokenId>();
}

std::vector<TokenId> LocatedValue::tokens() const {
    std::vector<TokenId> result;
    for (const Json& item : list()) {
        if (const auto token = tokenOf(item)) {
            result.push_back(*token);
            continue;
        }
        reading.note(ErrorCode::Config,
                     format("{} holds {}; expected token ids", path(), item.dump()));
        break;
    }
    return result;
}

std::int64_t LocatedValue::count() const {
    constexpr auto kMaxValue = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (json.is_number_unsigned() && json.get<std::uint64_t>() <= kMaxValue)
        return json.get<std::int64_t>();
    wrong(format("{}; expected a whole number of 0 or more", json.dump()));
    return 0;
}

int LocatedValue::smallCount() const {
    const std::int64_t value = count();
    if (value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
    wrong(format("{}; expected at most {}", value, std::numeric_limits<int>::max()));
    return 0;
}

std::uint64_t LocatedValue::bits() const {
    if (json.is_number_unsigned()) return json.get<std::uint64_t>();
    wrong(format("{}; expected a whole number of 0 or more", json.dump()));
    return 0;
}

double LocatedValue::number() const {
    if (json.is_number()) return json.get<double>();
    wrong(format("{}; expected a number", json.dump()));
    return 0;
}

std::vector<double> LocatedValue::numbers() const {
    std::vector<double> result;
    for (const Json& item : list()) {
        if (item.is_number())
            result.push_back(item.get<double>());
        else
            wrong(format("a list with {} in it; expected numbers", item.type_name()));
    }
    return result;
}

bool LocatedValue::flag() const {
    if (json.is_boolean()) return json.get<bool>();
    wrong(format("{}; expected true or false", json.dump()));
    return false;
}

bool LocatedValue::zeroOrOne() const {
    const std::int64_t value = count();
    if (value > 1) wrong(format("{}; expected 0 or 1", value));
    return value == 1;
}

double LocatedValue::amount() const {
    if (json.is_number() && std::isfinite(json.get<double>()) && json.get<double>() >= 0)
        return json.get<double>();
    wrong(format("{}; expected a number of 0 or more", json.dump()));
    return 0;
}

ObjectReader::ObjectReader(const LocatedValue& object, UnknownMembers unknownMembers)
    : object_(object.json.is_object() ? object.json : kEmptyObject),
      path_(object.path()),
      reading_(object.reading),
      unknownMembers_(unknownMembers) {
    if (!object.json.is_object())
        reading_.note(ErrorCode::Config,
                      format("{} is {}; expected an object", path_.empty() ? "the document" : path_,
                             object.json.type_name()));
}

ObjectReader::~ObjectReader() {
    if (unknownMembers_ == UnknownMembers::Allowed) return;
    try {
        for (const auto& [name, value] : object_.items()) {
            if (asked_.contains(name)) continue;
            const LocatedValue stranger{value, path_, name, reading_};
            reading_.note(ErrorCode::Config,
                          format("{} is not a field of this version", stranger.path()));
        }
    } catch (...) {  // must not throw: the short sentence needs no allocation
        reading_.note(ErrorCode::NoMemory, "out of memory");
    }
}

LocatedValue ObjectReader::member(std::string_view name) {
    asked_.emplace(name);
    const auto found = object_.find(name);
    if (found != object_.end()) return {*found, path_, name, reading_};
    const LocatedValue missing{kNull, path_, name, reading_};
    missing.wrong("missing");
    return missing;
}

}  // namespace lacuna
