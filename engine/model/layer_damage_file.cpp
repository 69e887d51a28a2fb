#include "engine/model/layer_damage_file.h"

#include <utility>

#include "engine/base/file.h"
#include "engine/base/json_reader.h"
#include "engine/base/string_format.h"
#include "engine/model/tensor_bundle.h"

namespace lacuna {
namespace {

constexpr std::string_view kFormat = "lacuna layer damage 1";
constexpr std::size_t kFileLimit = std::size_t{16} << 20;

/// Errors: as loadLayerDamage, without the file's name.
Result<std::shared_ptr<const LayerDamage>> damageFor(const ModelSpec& spec,
                                                     const std::string& text) {
    LACUNA_TRY(const Json json, parseJson(text));
    LACUNA_TRY(LayerDamage damage, layerDamageFromJson(json));
    if (damage.fingerprint != spec.fingerprint || damage.layers() != spec.layers)
        return fail(ErrorCode::Incompatible,
                    format("measured on another model (fingerprint {}, {} layers; this one is {}, "
                           "{}); measure again with lacuna calibrate-kv --layers",
                           damage.fingerprint, damage.layers(), spec.fingerprint, spec.layers));
    return std::make_shared<const LayerDamage>(std::move(damage));
}

}  // namespace

std::filesystem::path layerDamagePath(const std::filesystem::path& model) {
    return pathNextTo(model, ".layers.json");
}

std::filesystem::path keptLayerDamagePath(const std::filesystem::path& folder,
                                          const std::string& fingerprint) {
    return folder / "layers" / (fingerprint + ".layers.json");
}

OrderedJson layerDamageJson(const LayerDamage& damage) {
    return {{"format", kFormat},      {"how", damage.how},
            {"model", damage.model},  {"fingerprint", damage.fingerprint},
            {"bits", damage.bits},    {"keys", damage.keys},
            {"values", damage.values}};
}

Result<LayerDamage> layerDamageFromJson(const Json& json) {
    JsonReading reading;
    LayerDamage damage;
    {
        ObjectReader reader({json, {}, {}, reading});
        const std::string version = reader.member("format").text();
        LACUNA_TRY_STATUS(reading.status());
        if (version != kFormat)
            return fail(ErrorCode::Config,
                        format("format is '{}'; expected '{}'", version, kFormat));
        damage.how = reader.member("how").text();
        damage.model = reader.member("model").text();
        damage.fingerprint = reader.member("fingerprint").text();
        damage.bits = reader.member("bits").smallCount();
        damage.keys = reader.member("keys").numbers();
        damage.values = reader.member("values").numbers();
    }
    LACUNA_TRY_STATUS(reading.status());
    if (const Status sound = checkDamage(damage); !sound)
        return fail(ErrorCode::Config, sound.error().what);
    return damage;
}

Result<std::filesystem::path> keepLayerDamage(const std::filesystem::path& model,
                                              const LayerDamage& damage,
                                              const std::filesystem::path& own) {
    return writeNextTo(layerDamagePath(model),
                       own.empty() ? own : keptLayerDamagePath(own, damage.fingerprint),
                       dumpJson(layerDamageJson(damage), 1) + "\n");
}

Result<std::shared_ptr<const LayerDamage>> loadLayerDamage(const std::filesystem::path& model,
                                                           const ModelSpec& spec,
                                                           const std::filesystem::path& kept) {
    const std::filesystem::path found = lyingAt(
        layerDamagePath(model), kept.empty() ? kept : keptLayerDamagePath(kept, spec.fingerprint));
    if (found.empty()) return std::shared_ptr<const LayerDamage>();
    LACUNA_TRY(const std::string text, readFile(found, kFileLimit));
    auto damage = damageFor(spec, text);
    if (!damage) return tl::unexpected<Error>(withPrefix(damage.error(), found.string()));
    return damage;
}

}  // namespace lacuna
