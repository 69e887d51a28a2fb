#include "engine/compress/head_profile.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/json_reader.h"
#include "engine/base/string_format.h"
#include "engine/kv/eviction/layer_heads.h"

namespace lacuna {
namespace {

constexpr std::string_view kFormat = "lacuna head profile 2";
// Format from before the two kinds existed: all profiles were measured with questions.
constexpr std::string_view kQuestionsFormat = "lacuna head profile 1";
constexpr std::size_t kFileLimit = std::size_t{16} << 20;
constexpr int kMaxProfileHeads = 1 << 20;

std::vector<float> lossesOf(const LocatedValue& from, std::int64_t heads) {
    std::vector<float> losses;
    const Json& list = from.list();
    if (static_cast<std::int64_t>(list.size()) != heads)
        from.wrong(format("a list of {}; expected {} numbers, one for each head of each layer",
                          list.size(), heads));
    readItems(from, [&losses](const LocatedValue& item) {
        const double loss = item.amount();
        if (loss > 1e6) item.wrong(format("{}; expected at most 1000000", loss));
        losses.push_back(static_cast<float>(loss));
    });
    return losses;
}

constexpr std::array kKinds{ProfileKind::TaskFree, ProfileKind::Questions, ProfileKind::CopyScores};

ProfileKind kindOf(const LocatedValue& from) {
    const std::string name = from.text();
    for (const ProfileKind kind : kKinds)
        if (name == profileKindName(kind)) return kind;
    from.wrong(format("'{}'; expected {}, {} or {}", name, profileKindName(kKinds[0]),
                      profileKindName(kKinds[1]), profileKindName(kKinds[2])));
    return ProfileKind::TaskFree;
}

/// Reads the number of heads of every layer, or a list of those of each, and returns the number of
/// all heads. Errors: Config.
Result<std::int64_t> readHeads(const LocatedValue& from, std::int64_t layers,
                               HeadProfile& profile) {
    if (!from.json.is_array()) {
        const std::int64_t heads = from.count();
        LACUNA_TRY_STATUS(from.reading.status());
        if (layers < 1 || heads < 1 || layers > kMaxProfileHeads || heads > kMaxProfileHeads ||
            layers * heads > kMaxProfileHeads)
            return fail(ErrorCode::Config,
                        format("{} layers of {} heads are out of range", layers, heads));
        profile.kvHeads = static_cast<int>(heads);
        return layers * heads;
    }
    std::int64_t all = 0;
    readItems(from, [&](const LocatedValue& item) {
        profile.layerHeads.push_back(item.smallCount());
        all += profile.layerHeads.back();
    });
    LACUNA_TRY_STATUS(from.reading.status());
    if (std::cmp_not_equal(profile.layerHeads.size(), layers) || all < 1 || all > kMaxProfileHeads)
        return fail(ErrorCode::Config, format("kv_heads is a list of {} with {} heads; expected {} "
                                              "numbers, one for each layer",
                                              profile.layerHeads.size(), all, layers));
    return all;
}

/// The same for two models whose heads may be described in either way.
bool sameHeads(const HeadProfile& profile, const ProfiledModel& model) {
    if (profile.layers != model.layers) return false;
    for (int layer = 0; layer < model.layers; ++layer)
        if (headsOfLayer(profile.kvHeads, profile.layerHeads, layer) !=
            headsOfLayer(model.kvHeads, model.layerHeads, layer))
            return false;
    return true;
}

/// "8", or "8, 8, 2" if the layers differ.
std::string headsText(int kvHeads, const std::vector<int>& layerHeads) {
    if (layerHeads.empty()) return format("{}", kvHeads);
    std::string text;
    for (const int heads : layerHeads) text += format("{}{}", text.empty() ? "" : ", ", heads);
    return text;
}

}  // namespace

std::string_view profileKindName(ProfileKind kind) {
    switch (kind) {
        case ProfileKind::TaskFree:
            return "task_free";
        case ProfileKind::Questions:
            return "questions";
        case ProfileKind::CopyScores:
            break;
    }
    return "copy_scores";
}

std::shared_ptr<const HeadProfile> HeadProfiles::of(HeadBudgets budgets) const {
    switch (budgets) {
        case HeadBudgets::Auto:
        case HeadBudgets::TaskFree:
        case HeadBudgets::Reconstruction:
            return taskFree != nullptr ? taskFree : copyScores;
        case HeadBudgets::Questions:
            return questions;
        case HeadBudgets::Uniform:
        case HeadBudgets::Entropy:
        case HeadBudgets::Coverage:
            break;
    }
    return nullptr;
}

void HeadProfiles::add(HeadProfile profile) {
    auto& place = profile.kind == ProfileKind::TaskFree    ? taskFree
                  : profile.kind == ProfileKind::Questions ? questions
                                                           : copyScores;
    place = std::make_shared<const HeadProfile>(std::move(profile));
}

OrderedJson headProfileJson(const HeadProfile& profile) {
    const OrderedJson heads =
        profile.layerHeads.empty() ? OrderedJson(profile.kvHeads) : OrderedJson(profile.layerHeads);
    return {{"format", kFormat},
            {"kind", profileKindName(profile.kind)},
            {"how", profile.how},
            {"model", profile.model},
            {"fingerprint", profile.fingerprint},
            {"layers", profile.layers},
            {"kv_heads", heads},
            {"answers", profile.answers},
            {"answer_tokens", profile.answerTokens},
            {"text_tokens", profile.textTokens},
            {"loss", profile.loss}};
}

Result<HeadProfile> headProfileFromJson(const Json& json) {
    JsonReading reading;
    ObjectReader reader({json, {}, {}, reading}, UnknownMembers::Allowed);
    const std::string version = reader.member("format").text();
    LACUNA_TRY_STATUS(reading.status());
    if (version != kFormat && version != kQuestionsFormat)
        return fail(ErrorCode::Config, format("format is '{}'; expected '{}'", version, kFormat));
    HeadProfile profile;
    if (version == kFormat) {
        profile.kind = kindOf(reader.member("kind"));
        profile.how = reader.member("how").text();
    } else {
        profile.kind = ProfileKind::Questions;
    }
    profile.model = reader.member("model").text();
    profile.fingerprint = reader.member("fingerprint").text();
    const std::int64_t layers = reader.member("layers").count();
    LACUNA_TRY(const std::int64_t heads, readHeads(reader.member("kv_heads"), layers, profile));
    profile.layers = static_cast<int>(layers);
    profile.loss = lossesOf(reader.member("loss"), heads);
    profile.answers = reader.member("answers").count();
    profile.answerTokens = reader.member("answer_tokens").count();
    profile.textTokens = reader.member("text_tokens").count();
    LACUNA_TRY_STATUS(reading.status());
    return profile;
}

std::filesystem::path headProfilePath(const std::filesystem::path& model, ProfileKind kind) {
    const char* const ending =
        kind == ProfileKind::TaskFree ? ".heads.json" : ".questions.heads.json";
    std::error_code ignored;
    if (std::filesystem::is_directory(model, ignored))
        return model / ("model" + std::string(ending));
    std::filesystem::path path = model;
    return path.replace_extension(ending);
}

std::filesystem::path storedProfilePath(const std::filesystem::path& folder,
                                        const std::string& fingerprint) {
    return folder / "heads" / (fingerprint + ".heads.json");
}

namespace {

/// Returns nullopt if the file does not exist.
Result<std::optional<HeadProfile>> loadOne(const std::filesystem::path& path,
                                           const ProfiledModel& fits) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) return std::optional<HeadProfile>();
    LACUNA_TRY(const std::string text, readFile(path, kFileLimit));
    auto profile = [&]() -> Result<HeadProfile> {
        LACUNA_TRY(const Json json, parseJson(text));
        return headProfileFromJson(json);
    }();
    if (!profile) return tl::unexpected<Error>(withPrefix(profile.error(), path.string()));
    if (profile->fingerprint != fits.fingerprint || !sameHeads(*profile, fits))
        return fail(ErrorCode::Incompatible,
                    format("{}: measured on another model (fingerprint {}, {} layers of {} heads; "
                           "this one is {}, {} of {}); measure again with lacuna calibrate-kv",
                           path.string(), profile->fingerprint, profile->layers,
                           headsText(profile->kvHeads, profile->layerHeads), fits.fingerprint,
                           fits.layers, headsText(fits.kvHeads, fits.layerHeads)));
    return std::optional<HeadProfile>(std::move(*profile));
}

}  // namespace

Result<HeadProfiles> loadHeadProfiles(const std::filesystem::path& model, const ProfiledModel& fits,
                                      const std::filesystem::path& kept) {
    HeadProfiles found;
    // The plain name comes last: an old file of that name was measured with questions.
    for (const ProfileKind kind : {ProfileKind::Questions, ProfileKind::TaskFree}) {
        LACUNA_TRY(auto one, loadOne(headProfilePath(model, kind), fits));
        if (one && (one->kind == ProfileKind::TaskFree || found.questions == nullptr))
            found.add(std::move(*one));
    }
    if (found.taskFree != nullptr || kept.empty()) return found;
    LACUNA_TRY(auto one, loadOne(storedProfilePath(kept, fits.fingerprint), fits));
    if (one) found.add(std::move(*one));
    return found;
}

}  // namespace lacuna
