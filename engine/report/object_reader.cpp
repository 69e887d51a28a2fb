#include "engine/report/object_reader.h"

#include <cmath>
#include <limits>

#include "engine/base/string_format.h"

namespace lacuna {
namespace {

const Json kNull = nullptr;
const Json kEmptyObject = Json::object();
const Json kEmptyList = Json::array();

}  // namespace

ObjectReader::ObjectReader(const Json& object, std::string path, ReadProblem& problem)
    : object_(object.is_object() ? object : kEmptyObject),
      path_(std::move(path)),
      problem_(problem) {
    if (!object.is_object())
        problem_.note(ErrorCode::Config,
                      format("{} is {}; expected an object", path_.empty() ? "the report" : path_,
                             object.type_name()));
}

ObjectReader::~ObjectReader() {
    for (const auto& [key, value] : object_.items())
        if (!asked_.contains(key))
            problem_.note(ErrorCode::Config,
                          format("{} is not a field of this version of the report", pathOf(key)));
}

std::string ObjectReader::pathOf(std::string_view key) const {
    return path_.empty() ? std::string(key) : format("{}.{}", path_, key);
}

void ObjectReader::wrong(std::string_view key, std::string_view found) {
    problem_.note(ErrorCode::Config, format("{} is {}", pathOf(key), found));
}

const Json& ObjectReader::member(std::string_view key) {
    asked_.emplace(key);
    const auto found = object_.find(key);
    if (found != object_.end()) return *found;
    wrong(key, "missing");
    return kNull;
}

const Json& ObjectReader::list(std::string_view key) {
    const Json& value = member(key);
    if (value.is_array()) return value;
    wrong(key, format("{}; expected a list", value.type_name()));
    return kEmptyList;
}

std::string ObjectReader::text(std::string_view key) {
    const Json& value = member(key);
    if (value.is_string()) return value.get<std::string>();
    wrong(key, format("{}; expected text", value.type_name()));
    return {};
}

std::vector<std::string> ObjectReader::texts(std::string_view key) {
    std::vector<std::string> result;
    for (const Json& item : list(key)) {
        if (item.is_string())
            result.push_back(item.get<std::string>());
        else
            wrong(key, format("a list with {} in it; expected texts", item.type_name()));
    }
    return result;
}

std::int64_t ObjectReader::count(std::string_view key) {
    const Json& value = member(key);
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    if (value.is_number_unsigned() && value.get<std::uint64_t>() <= kMost)
        return value.get<std::int64_t>();
    wrong(key, format("{}; expected a whole number from 0", value.dump()));
    return 0;
}

int ObjectReader::smallCount(std::string_view key) {
    const std::int64_t value = count(key);
    if (value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
    wrong(key, format("{}; expected at most {}", value, std::numeric_limits<int>::max()));
    return 0;
}

std::uint64_t ObjectReader::bits(std::string_view key) {
    const Json& value = member(key);
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    wrong(key, format("{}; expected a whole number from 0", value.dump()));
    return 0;
}

bool ObjectReader::flag(std::string_view key) {
    const Json& value = member(key);
    if (value.is_boolean()) return value.get<bool>();
    wrong(key, format("{}; expected true or false", value.dump()));
    return false;
}

double ObjectReader::amount(std::string_view key) {
    const Json& value = member(key);
    if (value.is_number() && std::isfinite(value.get<double>()) && value.get<double>() >= 0)
        return value.get<double>();
    wrong(key, format("{}; expected a number from 0", value.dump()));
    return 0;
}

std::optional<double> ObjectReader::optionalAmount(std::string_view key) {
    const Json& value = member(key);
    if (value.is_null()) return std::nullopt;
    return amount(key);
}

std::string itemPath(const std::string& list, std::size_t index) {
    return format("{}[{}]", list, index);
}

}  // namespace lacuna
