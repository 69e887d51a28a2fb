#include "app/state/models/memory_plan_view.h"

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>

#include "app/state/list_text.h"
#include "app/state/number_format.h"

namespace lacuna::app {

namespace {

struct PlanTexts {
    Q_DECLARE_TR_FUNCTIONS(MemoryPlan)
};

QString amount(qint64 bytes) {
    return bytes < 0 ? QString(QChar(0x2013)) : bytesText(bytes);
}

}  // namespace

qint64 MemoryBar::total() const {
    qint64 sum = 0;
    for (const qint64 one : bytes) sum += std::max<qint64>(one, 0);
    return sum;
}

QString partName(MemoryPart part) {
    switch (part) {
        case MemoryPart::Weights:
            return PlanTexts::tr("Weights");
        case MemoryPart::Live:
            return PlanTexts::tr("Cache, live");
        case MemoryPart::States:
            return PlanTexts::tr("States");
        case MemoryPart::Checkpoints:
            return PlanTexts::tr("Checkpoints");
        case MemoryPart::Slack:
            return PlanTexts::tr("Cache, reserved");
        case MemoryPart::Activations:
            return PlanTexts::tr("Activations");
        case MemoryPart::Shadow:
            return PlanTexts::tr("Shadow");
        case MemoryPart::Kept:
            return PlanTexts::tr("Prefix cache");
        case MemoryPart::Passing:
            return PlanTexts::tr("Compactions");
        case MemoryPart::Rest:
            return PlanTexts::tr("Rest of the program");
    }
    return {};
}

QString partHelp(MemoryPart part) {
    switch (part) {
        case MemoryPart::Weights:
            return PlanTexts::tr("Weights of the model.");
        case MemoryPart::Live:
            return PlanTexts::tr("Keys and values of the tokens in the cache.");
        case MemoryPart::States:
            return PlanTexts::tr("States of recurrent layers; they do not grow with the text.");
        case MemoryPart::Checkpoints:
            return PlanTexts::tr(
                "Earlier states, from which an edit or another answer continues (maximum).");
        case MemoryPart::Slack:
            return PlanTexts::tr("Reserved for future tokens.");
        case MemoryPart::Activations:
            return PlanTexts::tr("Working memory of one prefill step.");
        case MemoryPart::Shadow:
            return PlanTexts::tr("The uncompressed cache that live quality compares with.");
        case MemoryPart::Kept:
            return PlanTexts::tr(
                "Text already read, kept for texts that share a prefix (maximum).");
        case MemoryPart::Passing:
            return PlanTexts::tr("Copies and readings during compactions (maximum).");
        case MemoryPart::Rest:
            return PlanTexts::tr(
                "Measured: window, vocabulary, session recording, and working memory of "
                "compactions and estimates.");
    }
    return {};
}

QString planText(const MemoryPlanView& plan) {
    QStringList parts;
    for (int i = 0; i < kMemoryParts; ++i) {
        const auto part = static_cast<MemoryPart>(i);
        if (plan.planned.of(part) > 0)
            parts << PlanTexts::tr("%1 %2").arg(partName(part), bytesText(plan.planned.of(part)));
    }
    QString text = PlanTexts::tr("Planned for %1 at %2 tokens with a cache of %3: %4 in all, %5.")
                       .arg(plan.model, countText(plan.context), plan.cacheType,
                            bytesText(plan.planned.total()), listed(parts));
    if (plan.limit > 0 && plan.fits)
        text += QLatin1Char(' ') +
                PlanTexts::tr("It fits into the free %1.").arg(bytesText(plan.limit));
    else if (plan.limit > 0)
        text += QLatin1Char(' ') + PlanTexts::tr("It does not fit into the free %1; %2 tokens do.")
                                       .arg(bytesText(plan.limit), countText(plan.largest));
    if (plan.measured)
        text += QLatin1Char(' ') +
                PlanTexts::tr("Measured now: %1.").arg(bytesText(plan.measured->total()));
    return text;
}

QVector<PlanRow> planRows(const MemoryPlanView& plan) {
    QVector<PlanRow> rows;
    const auto add = [&](const QString& name, qint64 planned, qint64 measured) {
        rows << PlanRow{name, amount(planned), plan.measured ? amount(measured) : QString()};
    };
    for (int i = 0; i < kMemoryParts; ++i) {
        const auto part = static_cast<MemoryPart>(i);
        const bool recurrent = part == MemoryPart::States || part == MemoryPart::Checkpoints;
        if (recurrent && plan.planned.of(MemoryPart::States) <= 0) continue;
        add(partName(part), plan.planned.of(part), plan.measured ? plan.measured->of(part) : -1);
    }
    add(PlanTexts::tr("All"), plan.planned.total(), plan.measured ? plan.measured->total() : -1);
    if (plan.oneCheckpoint > 0)
        add(PlanTexts::tr("One more checkpoint costs"), plan.oneCheckpoint, -1);
    add(PlanTexts::tr("Available"), plan.limit > 0 ? plan.limit : -1, -1);
    return rows;
}

}  // namespace lacuna::app
