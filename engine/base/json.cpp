#include "engine/base/json.h"

#include <set>
#include <vector>

#include "engine/base/json_complaint.h"
#include "engine/base/ordered_json.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

template <class Tree>
Result<Tree> parsed(std::string_view text, int maxDepth) {
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

Result<Json> parseJson(std::string_view text, int maxDepth) {
    return parsed<Json>(text, maxDepth);
}

Result<OrderedJson> parseOrderedJson(std::string_view text, int maxDepth) {
    return parsed<OrderedJson>(text, maxDepth);
}

std::string dumpJson(const OrderedJson& value, int indent) {
    return value.dump(indent, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace lacuna
