#include "ui/panels/cache_format_panel.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>

#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "app/state/telemetry/session_feed.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kProgressWidth = 120;

QString exclusionText(const app::RecodingView& view) {
    if (view.ended) return view.outcome;
    return CacheFormatPanel::tr(
               "The cache is converted from %1 to %2 between steps; %3 of its rows are done.")
        .arg(view.from, view.to, app::percentText(view.share));
}

}  // namespace

CacheFormatPanel::CacheFormatPanel(app::SessionFeed& feed, app::ConfigController& config,
                                   QWidget* parent)
    : QFrame(parent),
      m_feed(feed),
      m_config(config),
      m_sentence(plainLabel({}, this)),
      m_progress(shareBar(kProgressWidth, this)),
      m_cancel(new QPushButton(tr("Cancel the change"), this)) {
    setRole(this, QStringLiteral("info"));
    QHBoxLayout* row = rowLayout(this);
    row->setContentsMargins(Spacing::unit, Spacing::unit, Spacing::unit, Spacing::unit);
    m_sentence->setWordWrap(true);
    row->addWidget(m_sentence, 1);
    setAccessible(m_progress, tr("Rows converted"));
    row->addWidget(m_progress);
    m_cancel->setAutoDefault(false);
    row->addWidget(m_cancel);
    connect(m_cancel, &QPushButton::clicked, this, &CacheFormatPanel::cancel);
    connect(&feed, &app::SessionFeed::engineChanged, this, &CacheFormatPanel::refresh);
    refresh();
}

QString CacheFormatPanel::text() const {
    return m_sentence->text();
}

/// Restores the previous format for all conversations that the change applied to.
void CacheFormatPanel::cancel() {
    if (const auto& view = m_feed.recoding()) m_config.cancelRecoding(*view);
}

void CacheFormatPanel::refresh() {
    const std::optional<app::RecodingView>& view = m_feed.recoding();
    setVisible(view.has_value());
    if (!view) return;
    m_sentence->setText(exclusionText(*view));
    setRole(m_sentence, view->problem ? QStringLiteral("bad") : QString());
    m_progress->setVisible(!view->ended);
    showShare(*m_progress, view->share);
    m_progress->setAccessibleDescription(m_sentence->text());
    m_cancel->setVisible(!view->ended);
    m_cancel->setEnabled(!view->back.isEmpty());
    const QString tip = view->back.isEmpty()
                            ? tr("The previous format was not chosen by settings, so there is "
                                 "nothing to go back to.")
                            : tr("Back to %1. The cache keeps its format until all of its rows are "
                                 "converted, so nothing is lost.")
                                  .arg(view->from);
    explain(m_cancel, tip);
}

}  // namespace lacuna::ui
