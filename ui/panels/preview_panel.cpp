#include "ui/panels/preview_panel.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>
#include <cmath>
#include <optional>

#include "app/state/chat/chat_controller.h"
#include "app/state/experiments/measurement_controller.h"
#include "app/state/experiments/quality_controller.h"
#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

using app::PreviewStage;
using app::PreviewView;

constexpr int kRestMs = 400;
enum Figure { Bytes, Slots, OutputError, Information };
enum Moment { Now, Estimated, Carried };

QString errorText(const std::optional<double>& error, double spread = 0) {
    if (!error) return QString(QChar(0x2013));
    const QString text = app::realText(*error, 3);
    return spread > 0 ? QStringLiteral("%1 \u00b1 %2").arg(text, app::realText(spread, 3)) : text;
}

/// "97 %", or a dash if it was not measured.
QString keptText(const std::optional<PreviewView::Kept>& kept) {
    return kept ? app::percentText(kept->all) : QString(QChar(0x2013));
}

/// "1.2 % above", "as estimated", "8.8 times the estimate".
QString apartText(double came, double estimated) {
    if (estimated <= 0) return PreviewPanel::tr("not comparable with the estimate");
    const double apart = came / estimated - 1;
    if (std::abs(apart) < 0.0005) return PreviewPanel::tr("as estimated");
    if (apart >= 1)
        return PreviewPanel::tr("%1 times the estimate").arg(app::realText(came / estimated, 1));
    const QString percent = app::realText(std::abs(apart) * 100, 1);
    return apart > 0 ? PreviewPanel::tr("%1 % above the estimate").arg(percent)
                     : PreviewPanel::tr("%1 % below the estimate").arg(percent);
}

QString cameText(const PreviewView& view) {
    QString text = PreviewPanel::tr("Compacted in %1. Live bytes are %2")
                       .arg(app::durationText(view.result->seconds),
                            apartText(static_cast<double>(view.result->liveBytes),
                                      static_cast<double>(view.liveBytesEstimated)));
    if (view.result->error && view.errorEstimated)
        text += PreviewPanel::tr(", the error is %1")
                    .arg(apartText(*view.result->error, *view.errorEstimated));
    return text + QLatin1Char('.');
}

QString estimateText(const PreviewView& view) {
    if (!view.problem.isEmpty()) return PreviewPanel::tr("No estimate: %1.").arg(view.problem);
    if (!view.compacts) return PreviewPanel::tr("Nothing would be evicted: %1.").arg(view.reason);
    const QString time = app::durationText(view.seconds);
    QString text = PreviewPanel::tr("Tried on a copy of the cache, in %1.").arg(time);
    if (view.headsFitted < view.heads)
        text = PreviewPanel::tr("Tried on %1 of %2 heads of a copy of the cache, in %3.")
                   .arg(view.headsFitted)
                   .arg(view.heads)
                   .arg(time);
    if (view.keptFollows)
        text += PreviewPanel::tr(" Measuring how much of its information the text keeps.");
    if (view.keptEstimated)
        text += PreviewPanel::tr(" The weakest passage keeps %1 of its information.")
                    .arg(app::percentText(view.keptEstimated->worst));
    if (view.stale) text += PreviewPanel::tr(" Settings have changed since.");
    return text;
}

}  // namespace

PreviewPanel::PreviewPanel(app::PreviewController& preview, app::ConfigController& config,
                           app::ChatController& chat, app::QualityController& quality,
                           QWidget* parent)
    : QFrame(parent), m_preview(preview), m_config(config), m_chat(chat), m_quality(quality) {
    setRole(this, QStringLiteral("info"));
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(Spacing::unit, Spacing::unit, Spacing::unit, Spacing::unit);
    buildHead(layout);
    buildFigures(layout);
    m_sentence = new SteadyCaption(2, this);
    layout->addWidget(m_sentence);
    m_citation = new SteadyCaption(1, this);
    m_citation->setToolTip(
        tipText(tr("From the quality table of this model (Tools > Quality of this model), measured "
                   "with all other settings as at program start.")));
    layout->addWidget(m_citation);
    buildButtons(layout);
    m_rest.setSingleShot(true);
    m_rest.setInterval(kRestMs);
    connect(&m_rest, &QTimer::timeout, &m_preview, &app::PreviewController::estimate);
    connect(&preview, &app::PreviewController::changed, this, &PreviewPanel::settingsMoved);
    connect(&config, &app::ConfigController::statusChanged, this, &PreviewPanel::settingsMoved);
    connect(&chat, &app::ChatController::stateChanged, this, &PreviewPanel::refresh);
    connect(&quality, &app::QualityController::changed, this, &PreviewPanel::showCitation);
    refresh();
}

void PreviewPanel::buildHead(QVBoxLayout* layout) {
    QHBoxLayout* head = rowLayout();
    QLabel* title = plainLabel(tr("What if"), this);
    title->setFont(Theme::font(FontRole::Title));
    m_tryFirst = new QCheckBox(tr("Try before applying"), this);
    m_tryFirst->setToolTip(
        tipText(tr("Changed settings wait here: they are estimated first and applied when you "
                   "choose Apply.")));
    setAccessible(m_tryFirst, m_tryFirst->text(), m_tryFirst->toolTip().simplified());
    connect(m_tryFirst, &QCheckBox::toggled, this, [this](bool first) {
        m_config.setSending(first ? app::SendPolicy::OnSubmit : app::SendPolicy::AfterRest);
    });
    head->addWidget(title);
    head->addStretch(1);
    head->addWidget(m_tryFirst);
    layout->addLayout(head);
}

void PreviewPanel::buildFigures(QVBoxLayout* layout) {
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(Spacing::unit);
    grid->setVerticalSpacing(Spacing::half);
    const QStringList moments{tr("before"), tr("estimate"), tr("actual")};
    const QStringList names{tr("Live bytes"), tr("Slots, all heads"), tr("Output error"),
                            tr("Information kept")};
    for (int moment = 0; moment < kMoments; ++moment) {
        QLabel* head = captionLabel(moments[moment], this);
        head->setAlignment(Qt::AlignRight);
        grid->addWidget(head, 0, moment + 1);
        grid->setColumnStretch(moment + 1, 1);
    }
    for (int row = 0; row < kFigures; ++row) {
        grid->addWidget(captionLabel(names[row], this), row + 1, 0);
        for (int moment = 0; moment < kMoments; ++moment) {
            QLabel* label = plainLabel({}, this);
            label->setAlignment(Qt::AlignRight);
            m_figures.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(moment)) =
                label;
            grid->addWidget(label, row + 1, moment + 1);
        }
    }
    layout->addLayout(grid);
}

void PreviewPanel::buildButtons(QVBoxLayout* layout) {
    QHBoxLayout* row = rowLayout(nullptr, Spacing::half);
    const auto add = [&](const QString& text, const QString& tip) {
        auto* button = new QPushButton(text, this);
        button->setToolTip(tipText(tip));
        setAccessible(button, text, tip);
        row->addWidget(button);
        return button;
    };
    m_estimate = add(
        tr("Estimate"),
        tr("Try a compaction with the requested settings on a copy of this conversation's cache"));
    m_apply = add(tr("Apply"), tr("Apply the waiting settings and compact as estimated"));
    m_revert = add(tr("Revert"), tr("Discard the waiting settings"));
    m_compact = add(tr("Compact now"), tr("Compact with the current settings (F9)"));
    row->addStretch(1);
    layout->addLayout(row);
    setRole(m_apply, QStringLiteral("primary"));
    connect(m_estimate, &QPushButton::clicked, &m_preview, &app::PreviewController::estimate);
    connect(m_apply, &QPushButton::clicked, this, &PreviewPanel::apply);
    connect(m_revert, &QPushButton::clicked, &m_config, &app::ConfigController::revert);
    connect(m_compact, &QPushButton::clicked, &m_chat, &app::ChatController::compactNow);
}

/// Compacts as estimated immediately unless an answer is being written; otherwise states when it
/// will happen.
void PreviewPanel::apply() {
    const PreviewView& view = m_preview.view();
    const bool promised = view.stage == PreviewStage::Estimated && !view.stale && view.compacts;
    m_config.submitNow();
    if (m_chat.isEmpty()) {
        m_message.clear();
    } else if (m_chat.answering()) {
        m_message = tr("Applied from the next token of this answer; the cache is compacted then.");
    } else if (promised) {
        m_chat.compactNow();
        m_message = tr("Applied; the cache is being compacted.");
    } else {
        m_message =
            tr("Applied; the cache is compacted when the next answer needs it, or now with Compact "
               "now.");
    }
    refresh();
}

void PreviewPanel::settingsMoved() {
    if (m_config.hasDrafts() || m_preview.view().stage == PreviewStage::Carried) m_message.clear();
    // An estimate is made once an answer has ended.
    const bool tries = m_config.sending() == app::SendPolicy::OnSubmit && m_config.hasDrafts();
    const PreviewView& view = m_preview.view();
    const bool older = view.stage == PreviewStage::None || view.stage == PreviewStage::Carried ||
                       (view.stage == PreviewStage::Estimated && view.stale);
    if (tries && older && !m_chat.anyAnswering() && !m_chat.isEmpty())
        m_rest.start();
    else
        m_rest.stop();
    refresh();
}

void PreviewPanel::refresh() {
    showFigures();
    showSentence();
    showButtons();
    showCitation();
}

void PreviewPanel::showCitation() {
    const QString text = m_quality.citation(m_config.asked());
    m_citation->setText(text);
}

void PreviewPanel::showFigures() {
    const PreviewView& view = m_preview.view();
    const QString none(QChar(0x2013));
    const auto set = [this](Figure row, Moment moment, const QString& text) {
        m_figures.at(row).at(moment)->setText(text);
    };
    for (auto& row : m_figures)
        for (QLabel* label : row) label->setText(none);
    const bool made = view.stage == PreviewStage::Estimated || view.stage == PreviewStage::Carried;
    if (!made || !view.problem.isEmpty()) return;
    set(Bytes, Now, app::bytesText(view.liveBytesNow));
    set(Slots, Now, app::countText(view.slotsNow));
    if (!view.compacts) return;
    set(Bytes, Estimated, app::bytesText(view.liveBytesEstimated));
    set(Slots, Estimated, app::countText(view.slotsEstimated));
    set(OutputError, Estimated, errorText(view.errorEstimated, view.errorSpread));
    set(Information, Estimated, keptText(view.keptEstimated));
    for (auto& row : m_figures)
        setRole(row.at(Estimated), view.stale ? QStringLiteral("secondary") : QString());
    if (!view.result) return;
    set(Bytes, Carried, app::bytesText(view.result->liveBytes));
    set(Slots, Carried, app::countText(view.result->slots));
    set(OutputError, Carried, errorText(view.result->error));
    set(Information, Carried, keptText(view.result->kept));
}

void PreviewPanel::showSentence() {
    const PreviewView& view = m_preview.view();
    QString text;
    switch (view.stage) {
        case PreviewStage::None:
            text = tr("Estimates what a compaction would leave of this conversation's cache.");
            break;
        case PreviewStage::Asked:
            text = tr("Estimating\u2026");
            break;
        case PreviewStage::Estimated:
            text = estimateText(view);
            break;
        case PreviewStage::Carried:
            text = cameText(view);
            break;
    }
    if (!m_message.isEmpty()) text = m_message;
    m_sentence->setText(text);
    QStringList more;
    if (!view.settings.isEmpty()) more << tr("Made for: %1").arg(view.settings);
    if (view.compacts && !view.reason.isEmpty()) more << view.reason;
    m_sentence->setToolTip(tipText(more.join(QLatin1Char('\n'))));
    setRole(m_sentence,
            view.problem.isEmpty() ? QStringLiteral("secondary") : QStringLiteral("bad"));
    setAccessible(this, tr("What if"), text);
}

void PreviewPanel::showButtons() {
    const bool first = m_config.sending() == app::SendPolicy::OnSubmit;
    const bool drafts = m_config.hasDrafts();
    const QSignalBlocker quiet(m_tryFirst);
    m_tryFirst->setChecked(first);
    m_apply->setVisible(first);
    m_revert->setVisible(first);
    m_compact->setVisible(!first);
    const auto use = [this](QPushButton* button, bool usable) {
        // Otherwise Qt passes the focus to the next button, possibly Compact now, which another
        // Enter would trigger.
        if (!usable && button->hasFocus()) setFocus(Qt::OtherFocusReason);
        button->setEnabled(usable);
    };
    use(m_apply, drafts);
    use(m_revert, drafts);
    const bool anything = !m_chat.isEmpty();
    const QString nothing = tr("Nothing is cached in this conversation yet.");
    use(m_estimate, anything && m_preview.view().stage != PreviewStage::Asked);
    use(m_compact, anything);
    setAccessible(m_estimate, m_estimate->text(),
                  anything ? m_estimate->toolTip().simplified() : nothing);
}

QString PreviewPanel::figure(int row, int moment) const {
    return m_figures.at(static_cast<std::size_t>(row)).at(static_cast<std::size_t>(moment))->text();
}

QString PreviewPanel::citation() const {
    return m_citation->text();
}

QString PreviewPanel::sentence() const {
    return m_sentence->text();
}

}  // namespace lacuna::ui
