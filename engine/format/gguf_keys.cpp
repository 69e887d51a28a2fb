#include "engine/format/gguf_keys.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <variant>

#include "engine/base/string_format.h"
#include "engine/format/model_spec.h"
#include "engine/format/printable.h"

namespace lacuna {

std::string GgufKeys::key(std::string_view suffix) const {
    std::string name = format("{}.{}", prefix_, suffix);
    used_.insert(name);
    return name;
}

Result<std::optional<int>> GgufKeys::optionalInt(std::string_view suffix,
                                                 ErrorCode tooLarge) const {
    LACUNA_TRY(const auto value, file_.getUnsigned(key(suffix)));
    if (!value) return std::nullopt;
    if (*value > static_cast<std::uint64_t>(std::numeric_limits<int>::max()))
        return fail(tooLarge, format("{} is {}, which is far too large", key(suffix), *value));
    return static_cast<int>(*value);
}

Result<int> GgufKeys::requiredInt(std::string_view suffix, ErrorCode tooLarge) const {
    return needed(optionalInt(suffix, tooLarge), key(suffix));
}

Result<std::optional<int>> GgufKeys::sameInAllLayers(std::string_view suffix, int layers,
                                                     ErrorCode wrong) const {
    LACUNA_TRY(const auto items, perLayer(suffix, layers, wrong));
    if (items.empty()) return std::nullopt;
    if (std::ranges::adjacent_find(items, std::ranges::not_equal_to()) != items.end())
        return fail(wrong, format("{} differs from layer to layer, which {} models do not support",
                                  key(suffix), printable(prefix_)));
    return items.front();
}

Result<std::vector<int>> GgufKeys::perLayer(std::string_view suffix, int layers,
                                            ErrorCode wrong) const {
    const GgufValue* value = file_.findValue(key(suffix));
    if (value == nullptr || value->type != GgufType::Array) {
        LACUNA_TRY(const auto one, optionalInt(suffix, wrong));
        if (!one) return std::vector<int>();
        return std::vector<int>(static_cast<std::size_t>(std::clamp(layers, 1, kMaxLayers)), *one);
    }
    const auto* array = std::get_if<GgufArray>(&value->value);
    if (array->elementType == GgufType::Array)
        return fail(wrong, format("{} is a list of lists; one number for each layer expected",
                                  key(suffix)));
    LACUNA_TRY(const auto items, needed(file_.getInts(key(suffix)), key(suffix)));
    if (items.empty() || items.size() != static_cast<std::size_t>(layers))
        return fail(wrong, format("{} lists {} layers; the model has {}", key(suffix), items.size(),
                                  layers));
    return std::vector<int>(items.begin(), items.end());
}

Result<std::optional<double>> GgufKeys::number(std::string_view suffix) const {
    return file_.getFloat(key(suffix));
}

Result<std::optional<bool>> GgufKeys::flag(std::string_view suffix) const {
    return file_.getBool(key(suffix));
}

Result<std::optional<std::string_view>> GgufKeys::text(std::string_view suffix) const {
    return file_.getText(key(suffix));
}

}  // namespace lacuna
