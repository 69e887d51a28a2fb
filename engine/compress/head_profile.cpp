#include "engine/compress/head_profile.h"

#include <cmath>
#include <limits>

#include "engine/base/file.h"
#include "engine/base/string_format.h"

namespace lacuna {
namespace {

constexpr std::string_view kFormat = "lacuna head profile 1";
constexpr std::size_t kFileLimit = std::size_t{16} << 20;
constexpr int kMaxProfileHeads = 1 << 20;

Result<std::string> textOf(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string())
        return fail(ErrorCode::Config, format("{} is no text", key));
    return found->get<std::string>();
}

Result<std::int64_t> countOf(const Json& json, const char* key) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number_integer() || found->get<double>() < 0 ||
        found->get<double>() > 9e15)
        return fail(ErrorCode::Config, format("{} is no whole number from 0", key));
    return found->get<std::int64_t>();
}

Result<std::vector<float>> lossesOf(const Json& json, std::int64_t heads) {
    const auto found = json.find("loss");
    if (found == json.end() || !found->is_array() ||
        static_cast<std::int64_t>(found->size()) != heads)
        return fail(ErrorCode::Config, format("loss is no list of {} numbers, one for each head "
                                              "of each layer",
                                              heads));
    std::vector<float> losses;
    for (const Json& item : *found) {
        const double value =
            item.is_number() ? item.get<double>() : std::numeric_limits<double>::quiet_NaN();
        if (!(value >= 0 && value <= 1e6))
            return fail(ErrorCode::Config, format("loss[{}] is {}; expected a number from 0",
                                                  losses.size(), item.dump()));
        losses.push_back(static_cast<float>(value));
    }
    return losses;
}

}  // namespace

OrderedJson headProfileJson(const HeadProfile& profile) {
    return {{"format", kFormat},
            {"model", profile.model},
            {"fingerprint", profile.fingerprint},
            {"layers", profile.layers},
            {"kv_heads", profile.kvHeads},
            {"answers", profile.answers},
            {"answer_tokens", profile.answerTokens},
            {"text_tokens", profile.textTokens},
            {"loss", profile.loss}};
}

Result<HeadProfile> headProfileFromJson(const Json& json) {
    if (!json.is_object()) return fail(ErrorCode::Config, "a head profile is one JSON object");
    LACUNA_TRY(const std::string kind, textOf(json, "format"));
    if (kind != kFormat)
        return fail(ErrorCode::Config, format("format is '{}'; expected '{}'", kind, kFormat));
    HeadProfile profile;
    LACUNA_TRY(profile.model, textOf(json, "model"));
    LACUNA_TRY(profile.fingerprint, textOf(json, "fingerprint"));
    LACUNA_TRY(const std::int64_t layers, countOf(json, "layers"));
    LACUNA_TRY(const std::int64_t heads, countOf(json, "kv_heads"));
    if (layers < 1 || heads < 1 || layers > kMaxProfileHeads || heads > kMaxProfileHeads ||
        layers * heads > kMaxProfileHeads)
        return fail(ErrorCode::Config,
                    format("{} layers of {} heads are out of range", layers, heads));
    profile.layers = static_cast<int>(layers);
    profile.kvHeads = static_cast<int>(heads);
    LACUNA_TRY(profile.loss, lossesOf(json, layers * heads));
    LACUNA_TRY(profile.answers, countOf(json, "answers"));
    LACUNA_TRY(profile.answerTokens, countOf(json, "answer_tokens"));
    LACUNA_TRY(profile.textTokens, countOf(json, "text_tokens"));
    return profile;
}

std::filesystem::path headProfilePath(const std::filesystem::path& model) {
    std::error_code ignored;
    if (std::filesystem::is_directory(model, ignored)) return model / "model.heads.json";
    std::filesystem::path path = model;
    return path.replace_extension(".heads.json");
}

Result<std::optional<HeadProfile>> loadHeadProfile(const std::filesystem::path& model,
                                                   const ProfiledModel& fits) {
    const std::filesystem::path path = headProfilePath(model);
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return std::optional<HeadProfile>();
    LACUNA_TRY(const std::string text, readFile(path, kFileLimit));
    auto profile = [&]() -> Result<HeadProfile> {
        LACUNA_TRY(const Json json, parseJson(text));
        return headProfileFromJson(json);
    }();
    if (!profile) return tl::unexpected<Error>(withPrefix(profile.error(), path.string()));
    if (profile->fingerprint != fits.fingerprint || profile->layers != fits.layers ||
        profile->kvHeads != fits.kvHeads)
        return fail(ErrorCode::Incompatible,
                    format("{}: measured on another model (fingerprint {}, {} layers of {} heads; "
                           "this one is {}, {} of {}); measure again with lacuna calibrate-kv",
                           path.string(), profile->fingerprint, profile->layers, profile->kvHeads,
                           fits.fingerprint, fits.layers, fits.kvHeads));
    return std::optional<HeadProfile>(std::move(*profile));
}

}  // namespace lacuna
