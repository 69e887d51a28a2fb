#include "app/state/settings/predicted_memory.h"

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

#include "app/state/number_format.h"
#include "engine/settings/loss_share.h"

namespace lacuna::app {

namespace {

struct PredictedTexts {
    Q_DECLARE_TR_FUNCTIONS(PredictedMemory)
};

}  // namespace

PredictedMemory predictedMemory(const EngineView& engine, const PredictedLossView& losses,
                                double ratio, const EngineConfig& config) {
    PredictedMemory predicted;
    predicted.bytes = std::llround(static_cast<double>(engine.logicalBytes) / std::max(ratio, 1.0));
    const auto figure = losses.figureAt(ratio);
    if (!figure || !figure->kept) return predicted;
    predicted.kept = figure->kept->all;
    predicted.effect =
        effectOf(usedLossShare(config, {.all = figure->kept->all, .worst = figure->kept->worst}));
    return predicted;
}

QString predictedText(const PredictedMemory& predicted) {
    if (predicted.bytes == 0) return PredictedTexts::tr("A prediction appears with the first text");
    const QString size = bytesText(predicted.bytes);
    return predicted.kept ? PredictedTexts::tr("Predicted %1, %2 of the text kept")
                                .arg(size, keptText(*predicted.kept))
                          : PredictedTexts::tr("Predicted %1, loss not measured").arg(size);
}

}  // namespace lacuna::app
