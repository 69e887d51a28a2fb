#include "app/state/measure_rows.h"

#include "app/state/view_rows.h"

namespace lacuna::app {

namespace {

ComparedSide sideOf(const ComparedRun& run, const EngineConfig& config) {
    ComparedSide side;
    side.settings = settingsText(config);
    side.text = toQt(run.text);
    side.finish = finishText(run.finish);
    side.tokens = static_cast<qint64>(run.tokens.size());
    side.compactions = run.compactions;
    side.evictions = run.evictions;
    side.compactionMs = run.compactionMs;
    side.liveBytes = run.kv.liveBytes;
    side.logicalBytes = run.kv.logicalBytes;
    side.allocatedBytes = run.kv.allocatedBytes;
    side.ratio = run.ratio();
    side.prefillSeconds = run.prefillSeconds;
    side.decodeSeconds = run.decodeSeconds;
    side.decodeRate = run.decodeTokensPerSecond();
    side.whyNoDivergence = toQt(run.whyNoDivergence);
    if (!run.divergence) return side;
    side.klMean = run.divergence->klMean;
    side.klP99 = run.divergence->klP99;
    side.top1 = run.divergence->top1;
    side.positions = run.divergence->positions;
    return side;
}

}  // namespace

PreviewView viewOf(const CompactionPreviewed& event) {
    const CompactionPreview& preview = event.preview;
    PreviewView view;
    view.stage = PreviewStage::Estimated;
    view.conversation = event.conversation.value;
    if (event.error) {
        view.problem = toQt(event.error->what);
        return view;
    }
    view.compacts = preview.compacts;
    view.reason = toQt(preview.reason);
    view.layersTried = preview.layersTried;
    view.layers = preview.layers;
    view.seconds = preview.seconds;
    view.slotsNow = preview.slotsNow;
    view.slotsEstimated = preview.slotsAfter;
    view.liveBytesNow = preview.liveBytesNow;
    view.liveBytesEstimated = preview.liveBytesAfter;
    view.errorEstimated = preview.outputError;
    return view;
}

PreviewView::Outcome outcomeOf(const PreviewOutcome& event) {
    return {.slots = event.report.slotsAfter,
            .liveBytes = event.report.liveBytesAfter,
            .error = event.report.heldOutError,
            .seconds = event.report.totalMs / 1e3};
}

ComparisonView viewOf(const SettingsCompared& event) {
    ComparisonView view;
    if (event.error) {
        view.problem = toQt(event.error->what);
        view.cancelled = event.error->code == ErrorCode::Cancelled;
        return view;
    }
    view.promptTokens = event.comparison.promptTokens;
    for (std::size_t i = 0; i < view.sides.size(); ++i)
        view.sides[i] = sideOf(event.comparison.runs[i], event.sides[i]);
    if (const auto& parted = event.comparison.parted) {
        view.parted = ComparisonView::Parting{parted->index,
                                              {toQt(parted->pieces[0]), toQt(parted->pieces[1])}};
    }
    return view;
}

SweptSetting rowOf(const GridRow& row) {
    SweptSetting setting;
    setting.method = toQt(row.method);
    setting.asked = toQt(row.asked);
    setting.answers = row.items;
    setting.refused = row.refused;
    setting.liveShare = row.liveShare;
    setting.klMean = row.divergence.klMean;
    setting.klP99 = row.divergence.klP99;
    setting.top1 = row.divergence.top1;
    setting.perplexityChange = row.perplexityChange;
    setting.outputError = row.outputError;
    setting.compactionMs = row.compactionMs;
    setting.onFront = row.onFront;
    return setting;
}

}  // namespace lacuna::app
