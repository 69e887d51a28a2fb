#include "engine/model/weight_placement.h"

#include <cstdlib>
#include <string_view>
#include <utility>

#include "engine/base/string_format.h"
#include "engine/kernels/cpu_features.h"
#include "engine/model/layer_loss_file.h"
#include "engine/model/rotation_file.h"

namespace lacuna {
namespace {

constexpr const char* kChoice = "LACUNA_WEIGHTS";

bool readsGroups(const KernelTable& kernels, std::size_t type) {
    return kernels.dotGroupsInteger[type] != nullptr || kernels.dotGroups[type] != nullptr;
}

}  // namespace

Result<WeightPlacement> placementFor(const KernelTable& kernels) {
    const char* const chosen = std::getenv(kChoice);
    const std::string_view choice = chosen != nullptr ? chosen : "";
    WeightPlacement placement;
    if (choice == "mapped") return placement;
    placement.resident = true;
    if (choice == "copied") return placement;
    for (std::size_t type = 0; type < kDTypeCount; ++type)
        placement.grouped[type] = readsGroups(kernels, type);
    if (choice == "grouped") placement.keepFree = 0;
    if (choice.empty() || choice == "grouped") return placement;
    return fail(ErrorCode::InvalidArgument,
                format("{} is \"{}\"; it can be mapped, copied or grouped", kChoice, choice));
}

Result<std::shared_ptr<const LoadedModel>> loadToRun(const std::filesystem::path& path,
                                                     LoadOptions options) {
    LACUNA_TRY(options.placement, placementFor(bestKernels()));
    options.finish = [measured = options.measured,
                      before = std::move(options.finish)](LoadedModel& model) {
        if (before) before(model);
        auto found = loadRotations(model.path, model.spec, measured);
        if (found)
            model.rotations = std::move(*found);
        else
            model.rotationsNote = describe(found.error());
        auto loss = loadLayerLoss(model.path, model.spec, measured);
        if (loss)
            model.layerLoss = std::move(*loss);
        else
            model.layerLossNote = describe(loss.error());
    };
    return loadModel(path, options);
}

}  // namespace lacuna
