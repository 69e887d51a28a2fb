#include "engine/format/json_fields.h"

namespace lacuna {
namespace {

const Json kNull;

}  // namespace

const Json& memberAt(const Json& object, const char* key) {
    if (!object.is_object()) return kNull;
    const auto found = object.find(key);
    return found == object.end() ? kNull : *found;
}

std::string textAt(const Json& object, const char* key) {
    const Json& value = memberAt(object, key);
    return value.is_string() ? value.get<std::string>() : std::string();
}

bool flagAt(const Json& object, const char* key, bool otherwise) {
    const Json& value = memberAt(object, key);
    return value.is_boolean() ? value.get<bool>() : otherwise;
}

std::vector<const Json*> stepsAt(const Json& part, const char* listKey) {
    std::vector<const Json*> out;
    std::vector<const Json*> open = {&part};
    while (!open.empty()) {
        const Json* step = open.back();
        open.pop_back();
        if (!step->is_object()) continue;
        if (textAt(*step, "type") != "Sequence") {
            out.push_back(step);
            continue;
        }
        const Json& list = memberAt(*step, listKey);
        if (!list.is_array()) continue;
        for (auto one = list.rbegin(); one != list.rend(); ++one) open.push_back(&*one);
    }
    return out;
}

}  // namespace lacuna
