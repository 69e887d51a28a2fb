#include "ui/panels/settings_panel.h"

#include <QApplication>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "ui/panels/setting_row.h"
#include "ui/style/theme.h"
#include "ui/style/widget_roles.h"

namespace lacuna::ui {

namespace {

using app::ChangeState;

QString closedTitle(const QString& title) {
    return QChar(0x25B8) + QStringLiteral("  ") + title;
}
QString openTitle(const QString& title) {
    return QChar(0x25BE) + QStringLiteral("  ") + title;
}

QString statusText(const app::ConfigStatus& status, app::SendPolicy sending) {
    switch (status.state) {
        case ChangeState::Settled:
            return SettingsPanel::tr("All settings applied");
        case ChangeState::Draft:
            return sending == app::SendPolicy::WhenTold
                       ? SettingsPanel::tr("Draft: waiting for Apply")
                       : SettingsPanel::tr("Draft: about to be sent");
        case ChangeState::Submitted:
            return SettingsPanel::tr("Sent to the engine");
        case ChangeState::Pending:
            return status.sentence.isEmpty() ? SettingsPanel::tr("Pending: next token")
                                             : status.sentence;
        case ChangeState::Applied:
            return SettingsPanel::tr("Applied after %1")
                .arg(app::durationText(status.acknowledgeMs / 1e3));
        case ChangeState::Rejected:
            return SettingsPanel::tr("Rejected: see the setting");
        case ChangeState::Superseded:
            return SettingsPanel::tr("Superseded by a newer change");
        case ChangeState::RolledBack:
            return SettingsPanel::tr("Rolled back");
    }
    return {};
}

}  // namespace

SettingsPanel::SettingsPanel(app::ConfigController& config, const Notes& notes, QWidget* parent)
    : QWidget(parent), m_config(config) {
    auto* outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    buildHead(outer, notes);
    auto* area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    auto* page = new QWidget(area);
    page->setAutoFillBackground(false);
    auto* layout = new QVBoxLayout(page);
    m_page = layout;
    layout->setContentsMargins(12, 8, 12, 12);
    layout->setSpacing(4);
    buildGroups(layout, notes);
    layout->addStretch(1);
    area->setWidget(page);
    outer->addWidget(area, 1);
    // Focusing the panel focuses a setting, not the button that resets them all.
    if (m_first != nullptr) setFocusProxy(m_first->input());
    connect(&config, &app::ConfigController::statusChanged, this, &SettingsPanel::refreshStatus);
    refreshStatus();
    qApp->installEventFilter(this);
}

/// Postpones layout changes while a mouse button is pressed, so the panel does not move under the
/// pointer.
bool SettingsPanel::eventFilter(QObject* watched, QEvent* event) {
    const QEvent::Type type = event->type();
    if (type == QEvent::MouseButtonPress) {
        auto* widget = qobject_cast<QWidget*>(watched);
        if (widget != nullptr && isAncestorOf(widget)) hold(true);
    } else if (m_held &&
               (type == QEvent::MouseButtonRelease || type == QEvent::ApplicationStateChange)) {
        // After the widget has handled the release.
        QTimer::singleShot(0, this, [this] { hold(QApplication::mouseButtons() != Qt::NoButton); });
    }
    return QWidget::eventFilter(watched, event);
}

void SettingsPanel::hold(bool held) {
    if (std::exchange(m_held, held) == held) return;
    for (QLayout* one : {layout(), m_page}) {
        one->setEnabled(!held);
        if (held) continue;
        one->invalidate();
        one->activate();
    }
    for (SettingRow* row : std::as_const(m_rows)) row->setHeld(held);
}

void SettingsPanel::buildHead(QVBoxLayout* layout, const Notes& notes) {
    auto* head = new QHBoxLayout;
    head->setContentsMargins(12, 4, 8, 4);
    head->setSpacing(6);
    m_status = yieldingCaption(this);
    m_revision = captionLabel({}, this);
    auto* reset = m_reset = new QToolButton(this);
    reset->setText(tr("Reset"));
    reset->setToolTip(tipText(tr("Restore the values that all settings had at program start")));
    setAccessible(reset, tr("Reset all settings"));
    setRole(reset, QStringLiteral("quiet"));
    connect(reset, &QToolButton::clicked, &m_config, &app::ConfigController::resetAll);
    m_undo = new QToolButton(this);
    m_undo->setText(tr("Undo"));
    setRole(m_undo, QStringLiteral("quiet"));
    connect(m_undo, &QToolButton::clicked, &m_config, &app::ConfigController::undo);
    connect(&m_config, &app::ConfigController::undoChanged, this, &SettingsPanel::refreshUndo);
    refreshUndo();
    auto* state = new QVBoxLayout;  // stacked, so both fit without truncation
    state->setSpacing(0);
    state->addWidget(m_status);
    state->addWidget(m_revision);
    head->addLayout(state, 1);
    head->addWidget(m_undo);
    head->addWidget(reset);
    layout->addLayout(head);
    m_profiles = notes.profiles;
    if (m_profiles != nullptr) layout->addWidget(m_profiles);
    buildOwn(layout);
    layout->addWidget(hairline(this));
}

void SettingsPanel::refreshUndo() {
    const QString text = m_config.undoText();
    const QString tip =
        text.isEmpty() ? tr("No setting change to undo") : tr("Back to: %1").arg(text);
    m_undo->setEnabled(!text.isEmpty());
    m_undo->setToolTip(tipText(tip));
    setAccessible(m_undo, tr("Undo setting"), tip);
}

void SettingsPanel::buildOwn(QVBoxLayout* layout) {
    auto* line = new QHBoxLayout;
    line->setContentsMargins(12, 0, 8, 6);
    m_own = new QCheckBox(tr("Cache settings for this conversation only"), this);
    m_own->setToolTip(
        tipText(tr("Gives this conversation its own method, ratio, budget and other cache "
                   "settings: changes here do not affect other conversations, and their changes do "
                   "not affect this one. Sampling and run settings stay shared.")));
    connect(m_own, &QCheckBox::toggled, &m_config, &app::ConfigController::setOwn);
    line->addWidget(m_own);
    line->addStretch(1);
    layout->addLayout(line);
}

void SettingsPanel::buildGroups(QVBoxLayout* layout, const Notes& notes) {
    for (const QString& key : m_config.keys()) {
        if (!m_config.spec(key).first) continue;
        addRow(key, layout);
        if (notes.predictedLoss != nullptr && key == QLatin1String("am_ratio"))
            layout->addWidget(notes.predictedLoss);
        if (notes.whatIf != nullptr && key == QLatin1String("budget"))
            layout->addWidget(notes.whatIf);
    }
    struct Fold {
        QString title;
        QList<SettingGroup> groups;
        FoldState state;
    };
    const QList<Fold> folds{
        {tr("Sampling"), {SettingGroup::Sampling}, FoldState::Open},
        {tr("More compression settings"), {SettingGroup::Compression}, FoldState::Closed},
        {tr("Cache and run"), {SettingGroup::Cache, SettingGroup::Run}, FoldState::Closed}};
    for (const auto& [title, groups, state] : folds) {
        QVBoxLayout* inner = addFold(title, state, layout);
        for (const QString& key : m_config.keys()) {
            if (!m_rows.contains(key) && groups.contains(m_config.spec(key).group))
                addRow(key, inner);
        }
    }
}

void SettingsPanel::addRow(const QString& key, QVBoxLayout* layout) {
    SettingRow* row = settingRow(m_config, key, this);
    m_rows.insert(key, row);
    if (m_first == nullptr) m_first = row;
    layout->addWidget(row);
}

QVBoxLayout* SettingsPanel::addFold(const QString& title, FoldState openAtStart,
                                    QVBoxLayout* layout) {
    auto* button = new QPushButton(closedTitle(title), this);
    button->setCheckable(true);
    button->setFont(Theme::font(FontRole::Title));
    setRole(button, QStringLiteral("fold"));
    setAccessible(button, tr("%1, show or hide").arg(title));
    auto* body = new QWidget(this);
    auto* inner = new QVBoxLayout(body);
    inner->setContentsMargins(0, 0, 0, 0);
    inner->setSpacing(4);
    body->hide();
    layout->addWidget(button);
    layout->addWidget(body);
    connect(button, &QPushButton::toggled, body, [button, body, title](bool open) {
        button->setText(open ? openTitle(title) : closedTitle(title));
        body->setVisible(open);
    });
    button->setChecked(openAtStart == FoldState::Open);
    return inner;
}

void SettingsPanel::setReason(const QString& reason,
                              const std::function<bool(const QString& key)>& stays) {
    for (auto row = m_rows.begin(); row != m_rows.end(); ++row) {
        const bool rests = !reason.isEmpty() && !stays(row.key());
        row.value()->setReason(rests ? reason : QString());
    }
    for (QWidget* widget :
         {static_cast<QWidget*>(m_own), static_cast<QWidget*>(m_reset), m_profiles})
        if (widget != nullptr) widget->setEnabled(reason.isEmpty());
}

void SettingsPanel::refreshStatus() {
    const app::ConfigStatus& status = m_config.status();
    const QString said = statusText(status, m_config.sending());
    const bool applied = status.state == ChangeState::Applied;
    m_status->setForms(applied ? QStringList{said, tr("Applied")} : QStringList{said});
    m_status->setToolTip(tipText(status.sentence.isEmpty() ? said : status.sentence));
    setRole(m_status, changeRole(status.state));
    m_own->setChecked(m_config.own());
    m_revision->setText(tr("generation %1").arg(status.effectiveRevision));
}

}  // namespace lacuna::ui
