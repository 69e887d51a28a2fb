#include "engine/model/layer_loss_file.h"

#include <utility>

#include "engine/base/file.h"
#include "engine/base/json_reader.h"
#include "engine/base/string_format.h"
#include "engine/model/tensor_bundle.h"

namespace lacuna {
namespace {

constexpr std::string_view kFormat = "lacuna layer damage 1";
constexpr std::size_t kFileLimit = std::size_t{16} << 20;

/// Errors: as loadLayerLoss, without the file's name.
Result<std::shared_ptr<const LayerLoss>> lossFor(const ModelSpec& spec, const std::string& text) {
    LACUNA_TRY(const Json json, parseJson(text));
    LACUNA_TRY(LayerLoss loss, layerLossFromJson(json));
    if (loss.fingerprint != spec.fingerprint || loss.layers() != spec.layers)
        return fail(ErrorCode::Incompatible,
                    format("measured on another model (fingerprint {}, {} layers; this one is {}, "
                           "{}); measure again with lacuna calibrate-kv --layers",
                           loss.fingerprint, loss.layers(), spec.fingerprint, spec.layers));
    return std::make_shared<const LayerLoss>(std::move(loss));
}

}  // namespace

std::filesystem::path layerLossPath(const std::filesystem::path& model) {
    return pathNextTo(model, ".layers.json");
}

std::filesystem::path savedLayerLossPath(const std::filesystem::path& folder,
                                         const std::string& fingerprint) {
    return folder / "layers" / (fingerprint + ".layers.json");
}

OrderedJson layerLossJson(const LayerLoss& loss) {
    return {{"format", kFormat},    {"how", loss.how},
            {"model", loss.model},  {"fingerprint", loss.fingerprint},
            {"bits", loss.bits},    {"keys", loss.keys},
            {"values", loss.values}};
}

Result<LayerLoss> layerLossFromJson(const Json& json) {
    JsonReading reading;
    LayerLoss loss;
    {
        ObjectReader reader({json, {}, {}, reading});
        const std::string version = reader.member("format").text();
        LACUNA_TRY_STATUS(reading.status());
        if (version != kFormat)
            return fail(ErrorCode::Config,
                        format("format is '{}'; expected '{}'", version, kFormat));
        loss.how = reader.member("how").text();
        loss.model = reader.member("model").text();
        loss.fingerprint = reader.member("fingerprint").text();
        loss.bits = reader.member("bits").smallCount();
        loss.keys = reader.member("keys").numbers();
        loss.values = reader.member("values").numbers();
    }
    LACUNA_TRY_STATUS(reading.status());
    if (const Status sound = checkLayerLoss(loss); !sound)
        return fail(ErrorCode::Config, sound.error().what);
    return loss;
}

Result<std::filesystem::path> saveLayerLoss(const std::filesystem::path& model,
                                            const LayerLoss& loss,
                                            const std::filesystem::path& own) {
    return writeNextTo(layerLossPath(model),
                       own.empty() ? own : savedLayerLossPath(own, loss.fingerprint),
                       dumpJson(layerLossJson(loss), 1) + "\n");
}

Result<std::shared_ptr<const LayerLoss>> loadLayerLoss(const std::filesystem::path& model,
                                                       const ModelSpec& spec,
                                                       const std::filesystem::path& kept) {
    const std::filesystem::path found = firstExisting(
        layerLossPath(model), kept.empty() ? kept : savedLayerLossPath(kept, spec.fingerprint));
    if (found.empty()) return std::shared_ptr<const LayerLoss>();
    LACUNA_TRY(const std::string text, readFile(found, kFileLimit));
    auto loss = lossFor(spec, text);
    if (!loss) return tl::unexpected<Error>(withPrefix(loss.error(), found.string()));
    return loss;
}

}  // namespace lacuna
