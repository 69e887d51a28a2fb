#include "ui/panels/settings_panel.h"

#include <QApplication>
#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "app/state/number_format.h"
#include "app/state/settings/config_controller.h"
#include "ui/panels/setting_row.h"
#include "ui/style/page_kit.h"

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
            return sending == app::SendPolicy::OnSubmit
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
    QVBoxLayout* outer = columnLayout(this, 0);
    buildHead(outer, notes);
    auto* area = m_area = new QScrollArea(this);
    area->setWidgetResizable(true);
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    area->setFocusPolicy(Qt::NoFocus);
    auto* page = new QWidget(area);
    page->setAutoFillBackground(false);
    auto* layout = new QVBoxLayout(page);
    m_page = layout;
    layout->setContentsMargins(Spacing::wide, Spacing::unit, Spacing::wide, Spacing::wide);
    layout->setSpacing(Spacing::unit);
    buildFirst(layout, notes);
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
    QHBoxLayout* head = rowLayout(nullptr, Spacing::half);
    head->setContentsMargins(Spacing::wide, Spacing::unit, Spacing::unit, Spacing::half);
    QLabel* title = plainLabel(tr("Memory"), this);
    title->setFont(Theme::font(FontRole::Title));
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
    head->addWidget(title);
    head->addStretch(1);
    head->addWidget(m_undo);
    head->addWidget(reset);
    layout->addLayout(head);
    m_profiles = notes.profiles;
    if (m_profiles != nullptr) layout->addWidget(m_profiles);
    layout->addWidget(hairline(this));
}

/// State of the settings as a whole; a line that appears nowhere else while all are applied.
void SettingsPanel::buildStatus(QVBoxLayout* layout) {
    QHBoxLayout* line = rowLayout();
    m_status = shrinkingCaption(this);
    m_revision = captionLabel({}, this);
    line->addWidget(m_status, 1);
    line->addWidget(m_revision);
    layout->addLayout(line);
}

void SettingsPanel::refreshUndo() {
    const QString text = m_config.undoText();
    const QString tip =
        text.isEmpty() ? tr("No setting change to undo") : tr("Back to: %1").arg(text);
    m_undo->setEnabled(!text.isEmpty());
    explain(m_undo, tr("Undo setting"), tip);
}

void SettingsPanel::buildOwn(QVBoxLayout* layout) {
    QHBoxLayout* line = rowLayout();
    m_own = new QCheckBox(tr("For this conversation only"), this);
    m_own->setToolTip(
        tipText(tr("Gives this conversation its own method, ratio, budget and other cache "
                   "settings: changes here do not affect other conversations, and their changes do "
                   "not affect this one. Sampling and run settings stay shared.")));
    connect(m_own, &QCheckBox::toggled, &m_config, &app::ConfigController::setOwn);
    line->addWidget(m_own);
    line->addStretch(1);
    layout->addLayout(line);
}

void SettingsPanel::buildFirst(QVBoxLayout* layout, const Notes& notes) {
    for (const QString& key :
         {QStringLiteral("am_ratio"), QStringLiteral("budget"), QStringLiteral("loss_limit")}) {
        addRow(key, layout);
        if (notes.predictedLoss != nullptr && m_rows.size() == 1)
            layout->addWidget(notes.predictedLoss);
    }
    if (notes.cache != nullptr) layout->addWidget(notes.cache);
    buildOwn(layout);
}

void SettingsPanel::buildGroups(QVBoxLayout* layout, const Notes& notes) {
    qsizetype others = 0;
    for (const QString& key : m_config.keys())
        if (m_config.spec(key).group != SettingGroup::Sampling && !m_rows.contains(key)) ++others;
    QVBoxLayout* inner = addFold(tr("Advanced (%1 settings)").arg(others), layout);
    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(tr("Search settings"));
    m_search->setClearButtonEnabled(true);
    setAccessible(m_search, tr("Search settings"), tr("Name, key or explanation of a setting"));
    connect(m_search, &QLineEdit::textChanged, this, &SettingsPanel::find);
    inner->addWidget(m_search);
    buildStatus(inner);
    if (notes.whatIf != nullptr) inner->addWidget(notes.whatIf);
    struct Group {
        QString title;
        QList<SettingGroup> groups;
    };
    const QList<Group> groups{{tr("Compression"), {SettingGroup::Compression}},
                              {tr("Cache and run"), {SettingGroup::Cache, SettingGroup::Run}},
                              {tr("Sampling"), {SettingGroup::Sampling}}};
    for (const auto& [title, members] : groups) {
        const bool apart = members.contains(SettingGroup::Sampling);
        if (apart) inner = addFold(title, layout);
        QLabel* heading = apart ? nullptr : plainLabel(title, this);
        if (heading != nullptr) {
            heading->setFont(Theme::font(FontRole::Title));
            inner->addWidget(heading);
        }
        for (const QString& key : m_config.keys()) {
            if (m_rows.contains(key) || !members.contains(m_config.spec(key).group)) continue;
            addRow(key, inner);
            m_foldOf.insert(key, m_folds.back());
            if (heading != nullptr) m_headings[heading] << key;
        }
    }
}

/// Shows the settings that contain every typed word in their name, key or explanation.
void SettingsPanel::find(const QString& typed) {
    const QStringList words = typed.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const auto found = [&](const QString& key) {
        const app::SettingView& spec = m_config.spec(key);
        const QString text = spec.label + QLatin1Char(' ') + key + QLatin1Char(' ') + spec.help;
        return std::all_of(words.begin(), words.end(), [&text](const QString& word) {
            return text.contains(word, Qt::CaseInsensitive);
        });
    };
    for (auto fold = m_foldOf.cbegin(); fold != m_foldOf.cend(); ++fold) {
        const bool shown = found(fold.key());
        m_rows.value(fold.key())->setVisible(shown);
        if (shown && !words.isEmpty()) fold.value()->setChecked(true);
    }
    for (auto heading = m_headings.cbegin(); heading != m_headings.cend(); ++heading)
        heading.key()->setVisible(std::any_of(heading->begin(), heading->end(), found));
}

void SettingsPanel::reveal(const QString& key) {
    if (QPushButton* fold = m_foldOf.value(key)) fold->setChecked(true);
    m_page->activate();
    m_area->ensureWidgetVisible(m_rows.value(key));
}

void SettingsPanel::addRow(const QString& key, QVBoxLayout* layout) {
    SettingRow* row = settingRow(m_config, key, this);
    m_rows.insert(key, row);
    if (m_first == nullptr) m_first = row;
    layout->addWidget(row);
}

QVBoxLayout* SettingsPanel::addFold(const QString& title, QVBoxLayout* layout) {
    auto* button = new QPushButton(closedTitle(title), this);
    button->setCheckable(true);
    button->setFont(Theme::font(FontRole::Title));
    setRole(button, QStringLiteral("fold"));
    setAccessible(button, tr("%1, show or hide").arg(title));
    auto* body = new QWidget(this);
    QVBoxLayout* inner = columnLayout(body);
    body->hide();
    layout->addWidget(button);
    layout->addWidget(body);
    connect(button, &QPushButton::toggled, body, [button, body, title](bool open) {
        button->setText(open ? openTitle(title) : closedTitle(title));
        body->setVisible(open);
    });
    m_folds << button;
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
