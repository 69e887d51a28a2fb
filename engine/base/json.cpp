#include "engine/base/json.h"

#include <set>
#include <vector>

#include "engine/base/string_format.h"

namespace lacuna {

Result<Json> parseJson(std::string_view text, int maxDepth) {
    std::vector<std::set<std::string>> keys;
    std::string complaint;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (!complaint.empty()) return false;
        switch (event) {
            case Json::parse_event_t::object_start:
            case Json::parse_event_t::array_start:
                if (depth >= maxDepth) complaint = format("nested deeper than {}", maxDepth);
                keys.emplace_back();
                break;
            case Json::parse_event_t::object_end:
            case Json::parse_event_t::array_end:
                if (!keys.empty()) keys.pop_back();
                break;
            case Json::parse_event_t::key:
                if (!keys.empty() && !keys.back().insert(parsed.get<std::string>()).second)
                    complaint = format("key \"{}\" appears twice", parsed.get<std::string>());
                break;
            case Json::parse_event_t::value:
                break;
        }
        return complaint.empty();
    };
    try {
        Json value = Json::parse(text.begin(), text.end(), watch, true);
        if (!complaint.empty()) return fail(ErrorCode::Json, complaint);
        return value;
    } catch (const Json::parse_error& e) {
        return fail(ErrorCode::Json, format("not valid JSON at byte {}: {}", e.byte, e.what()));
    } catch (const Json::exception& e) {
        return fail(ErrorCode::Json, e.what());
    }
}

std::string dumpJson(const OrderedJson& value, int indent) {
    return value.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace lacuna
