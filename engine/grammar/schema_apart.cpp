#include "engine/grammar/schema_apart.h"

#include <algorithm>

namespace lacuna {
namespace {

constexpr int kDeepest = 6;

constexpr std::uint64_t kStepsOfAPair = 32;

/// Listed values are copied and compared.
std::uint64_t listedSize(const OrderedJson& schema) {
    const auto list = schema.find("enum");
    return list == schema.end() ? 1 : list->size() + 1;
}

const OrderedJson& resolved(const OrderedJson& schema, const OrderedJson& document,
                            WorkBudget& work) {
    const OrderedJson* at = &schema;
    for (int hops = 0; hops < kDeepest && at->is_object(); ++hops) {
        const auto reference = at->find("$ref");
        if (reference == at->end() || !reference->is_string()) break;
        const OrderedJson* target = schemaAt(document, reference->get<std::string>(), work);
        if (target == nullptr) break;
        at = target;
    }
    return *at;
}

/// Types that a schema accepts, as far as it says so itself.
unsigned accepted(const OrderedJson& schema) {
    if (!schema.is_object()) return kAnyType;
    if (const auto values = listedValues(schema)) {
        unsigned bits = 0;
        for (const OrderedJson& value : *values) bits |= typeOf(value);
        return bits;
    }
    const auto type = schema.find("type");
    if (type == schema.end()) return kAnyType;
    const auto bits = typesOf({schema, "#"});
    return bits ? *bits : unsigned{kAnyType};
}

bool requires_(const OrderedJson& schema, const std::string& name) {
    const auto required = schema.find("required");
    return required != schema.end() && required->is_array() &&
           std::ranges::find(*required, OrderedJson(name)) != required->end();
}

std::uint64_t requiredSize(const OrderedJson& schema) {
    const auto required = schema.find("required");
    return required == schema.end() ? 0 : required->size();
}

bool apart(const OrderedJson& left, const OrderedJson& right, const OrderedJson& document,
           WorkBudget& work, int depth) {
    if (depth > kDeepest || !work.spend(kStepsOfAPair)) return false;
    const OrderedJson& a = resolved(left, document, work);
    const OrderedJson& b = resolved(right, document, work);
    if (!a.is_object() || !b.is_object()) return false;
    if (!work.spend(a.size() + b.size() + 8 * (listedSize(a) + listedSize(b)))) return false;
    if ((accepted(a) & accepted(b)) == 0) return true;
    const auto valuesOfA = listedValues(a);
    const auto valuesOfB = listedValues(b);
    if (valuesOfA && valuesOfB) {
        if (!work.spend(valuesOfA->size() * valuesOfB->size())) return false;
        return std::ranges::none_of(*valuesOfA, [&](const OrderedJson& value) {
            return std::ranges::find(*valuesOfB, value) != valuesOfB->end();
        });
    }
    if (accepted(a) != kObjectType || accepted(b) != kObjectType) return false;
    const auto propertiesOfA = a.find("properties");
    const auto propertiesOfB = b.find("properties");
    if (propertiesOfA == a.end() || propertiesOfB == b.end()) return false;
    for (const auto& [name, schema] : propertiesOfA->items()) {
        if (!work.spend(propertiesOfB->size() + kStepsOfAPair)) return false;
        const auto other = propertiesOfB->find(name);
        if (other == propertiesOfB->end()) continue;
        if (!work.spend(requiredSize(a) + requiredSize(b))) return false;
        if (!requires_(a, name) && !requires_(b, name)) continue;
        if (apart(schema, *other, document, work, depth + 1)) return true;
    }
    return false;
}

}  // namespace

bool schemasApart(const OrderedJson& a, const OrderedJson& b, const OrderedJson& document,
                  WorkBudget& work) {
    return apart(a, b, document, work, 0);
}

const OrderedJson* schemaAt(const OrderedJson& document, std::string_view reference,
                            WorkBudget& work) {
    if (!reference.starts_with('#')) return nullptr;
    const OrderedJson* at = &document;
    reference.remove_prefix(1);
    while (!reference.empty()) {
        if (!reference.starts_with('/')) return nullptr;
        if (at->is_object() && !work.spend(at->size())) return nullptr;
        reference.remove_prefix(1);
        const std::size_t end = std::min(reference.find('/'), reference.size());
        std::string step(reference.substr(0, end));
        reference.remove_prefix(end);
        for (const auto& [code, character] : {std::pair{"~1", "/"}, std::pair{"~0", "~"}})
            for (std::size_t i = step.find(code); i != std::string::npos;
                 i = step.find(code, i + 1))
                step.replace(i, 2, character);
        if (at->is_array()) {
            const bool number =
                !step.empty() && step.size() < 6 &&
                std::ranges::all_of(step, [](char c) { return c >= '0' && c <= '9'; });
            if (!number || std::stoul(step) >= at->size()) return nullptr;
            at = &(*at)[std::stoul(step)];
        } else {
            if (!at->is_object() || !at->contains(step)) return nullptr;
            at = &(*at)[step];
        }
    }
    return at;
}

}  // namespace lacuna
