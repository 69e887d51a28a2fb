#include "engine/settings/loss_share.h"

#include "engine/compress/driver/ratio_search.h"

namespace lacuna {

double usedLossShare(const EngineConfig& config, const KeptInformation& kept) {
    const LossLimit& limit = config.kv.lossLimit;
    return lossShare(thresholdsOf(limit.on() ? limit : LossLimit{LossLimit::Level::Balanced}),
                     kept);
}

}  // namespace lacuna
