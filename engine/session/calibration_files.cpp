#include "engine/session/calibration_files.h"

#include <utility>

#include "engine/compress/head_profile.h"
#include "engine/format/model_container.h"
#include "engine/generate/compaction_inputs.h"
#include "engine/generate/query_centres_file.h"
#include "engine/generate/surrogate_file.h"
#include "engine/generate/transform_file.h"
#include "engine/model/layer_loss_file.h"
#include "engine/model/rotation_file.h"

namespace lacuna {
namespace {

template <class T>
CalibrationFile fileOf(const char* kind, const Result<T>& loaded) {
    if (!loaded) return {kind, false, loaded.error().what};
    return {kind, *loaded != nullptr, {}};
}

}  // namespace

Result<std::vector<CalibrationFile>> calibrationsOf(const std::filesystem::path& model,
                                                    const std::filesystem::path& kept) {
    LACUNA_TRY(const ModelContainer container, openModel(model));
    const ModelSpec& spec = container.spec;
    std::vector<CalibrationFile> files;
    const auto heads = loadHeadProfiles(model, profiledModelOf(spec), kept);
    files.push_back(heads ? CalibrationFile{"heads", heads->taskFree != nullptr, {}}
                          : CalibrationFile{"heads", false, heads.error().what});
    files.push_back(fileOf("rotations", loadRotations(model, spec, kept)));
    files.push_back(fileOf("layers", loadLayerLoss(model, spec, kept)));
    files.push_back(fileOf("transform", loadTransform(model, spec, kept)));
    files.push_back(fileOf("surrogate", loadSurrogate(model, spec, kept)));
    files.push_back(fileOf("centres", loadQueryCentres(model, spec, kept)));
    return files;
}

}  // namespace lacuna
