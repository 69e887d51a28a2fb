#include "app/state/setting_hints.h"

#include <QCoreApplication>

#include "app/state/view_rows.h"
#include "engine/settings/compaction_reach.h"
#include "engine/settings/knob_spec.h"

namespace lacuna::app {

namespace {

QString hint(const char* text) {
    return QCoreApplication::translate("SettingHints", text);
}

}  // namespace

QString noEffectReason(const EngineConfig& config, const ModelFacts* model, const QString& key) {
    // What brings its method with it says so before it is moved.
    if (const QString brought = methodNeeded(config, key, QStringLiteral("1")); !brought.isEmpty())
        return hint("method is none; moving it sets %1").arg(brought);
    const KnobSpec* spec = findKnob(fromQt(key));
    if (spec == nullptr) return {};
    const std::string_view reason = idleReason(*spec, config, model);
    return reason.empty() ? QString() : hint("no effect while %1").arg(toQt(std::string(reason)));
}

QString meaningOf(const EngineConfig& config, const ModelFacts* model, const QString& key) {
    if (key == QLatin1String("cache_limit") && config.cacheLimitMiB <= 0) return hint("no limit");
    if (key == QLatin1String("method") && model != nullptr) return toQt(reachNote(config, *model));
    const bool policy = key == QLatin1String("norm_policy");
    if (!policy || model == nullptr || config.kv.normPolicy != NormPolicy::Auto) return {};
    return toQt(automaticPolicy(*model));
}

QString deferredSentence(KnobWhenView when) {
    switch (when) {
        case KnobWhenView::Live:
            return hint("Takes effect at the next token.");
        case KnobWhenView::NextTurn:
            return hint("Takes effect with the next answer.");
        case KnobWhenView::NewCache:
            return hint("Takes effect when a conversation's cache is built anew.");
    }
    return {};
}

QString methodNeeded(const EngineConfig& config, const QString& key, const QString& text) {
    if (config.kv.method != CompactionMethod::None) return {};
    if (key == QLatin1String("am_ratio")) return QStringLiteral("am");
    const bool off =
        text.isEmpty() || text == QLatin1String("off") || text == QLatin1String("none");
    return key == QLatin1String("budget") && !off ? QStringLiteral("l2") : QString();
}

}  // namespace lacuna::app
