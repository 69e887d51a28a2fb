#include "ui/panels/profile_panel.h"

#include <QAbstractItemView>
#include <QAction>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QSignalBlocker>
#include <QStandardItemModel>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/state/chat/chat_controller.h"
#include "app/state/settings/profile_controller.h"
#include "ui/panels/setting_row.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

/// Index of the entry for settings that match no profile.
constexpr int kNone = 0;

QToolButton* profileButton(const QString& text, const QString& tip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tipText(tip));
    setRole(button, QStringLiteral("quiet"));
    setAccessible(button, tip);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

}  // namespace

ProfilePanel::ProfilePanel(app::ProfileController& profiles, app::ChatController& chat,
                           QWidget* parent)
    : QWidget(parent),
      m_profiles(profiles),
      m_chat(chat),
      m_choice(new SettingComboBox(this)),
      m_save(profileButton(tr("Save..."), tr("Save these settings as your own profile"), this)),
      m_more(profileButton(tr("More"), tr("Rename or delete this profile"), this)),
      m_sentence(new SteadyCaption(2, this)) {
    QHBoxLayout* line = rowLayout(nullptr, Spacing::half);
    QLabel* name = plainLabel(tr("Profile"), this);
    name->setBuddy(m_choice);
    setAccessible(m_choice, tr("Profile of cache settings"));
    m_choice->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_choice->setMinimumContentsLength(8);
    line->addWidget(name);
    line->addWidget(m_choice, 1);
    line->addWidget(m_save);
    line->addWidget(m_more);
    m_more->setPopupMode(QToolButton::InstantPopup);
    m_more->setMenu(new QMenu(m_more));
    m_rename = m_more->menu()->addAction(tr("Rename..."), this, &ProfilePanel::promptForRename);
    m_remove = m_more->menu()->addAction(tr("Delete"), this, &ProfilePanel::remove);
    QVBoxLayout* layout = columnLayout(this, Spacing::half);
    layout->setContentsMargins(Spacing::wide, Spacing::half, Spacing::unit, Spacing::unit);
    layout->addLayout(line);
    layout->addWidget(m_sentence);
    connect(m_choice, &QComboBox::activated, this, &ProfilePanel::choose);
    connect(m_save, &QToolButton::clicked, this, &ProfilePanel::promptForSave);
    connect(&profiles, &app::ProfileController::changed, this, &ProfilePanel::refresh);
    connect(&chat, &app::ChatController::stateChanged, this, &ProfilePanel::refresh);
    refresh();
}

void ProfilePanel::refresh() {
    if (m_choice->view() != nullptr && m_choice->view()->isVisible())
        return;  // the user is choosing
    const QSignalBlocker quiet(m_choice);
    m_choice->clear();
    m_choice->addItem(tr("Custom"));
    const auto all = m_profiles.profiles();
    auto* rows = qobject_cast<QStandardItemModel*>(m_choice->model());
    const app::ProfileView* active = nullptr;
    for (const app::ProfileView& one : all) {
        m_choice->addItem(one.label, one.name);
        const QString tip =
            one.refused.isEmpty() ? one.help + QLatin1Char('\n') + one.cost : one.refused;
        m_choice->setItemData(m_choice->count() - 1, tipText(tip), Qt::ToolTipRole);
        if (!one.refused.isEmpty()) rows->item(m_choice->count() - 1)->setEnabled(false);
        // If two profiles have the same settings, the one applied here is shown.
        const bool first = active == nullptr || one.name == m_applied;
        if (one.active && first) {
            active = &one;
            m_choice->setCurrentIndex(m_choice->count() - 1);
        }
    }
    if (active == nullptr) m_choice->setCurrentIndex(kNone);
    const bool own = active != nullptr && active->own;
    const QString why = own ? QString() : tr("Only your own profiles can be changed.");
    m_more->setEnabled(own);
    m_more->setToolTip(tipText(own ? tr("Rename or delete this profile") : why));
    QStringList said;
    if (!m_problem.isEmpty()) said << m_problem;
    if (active != nullptr) said << active->cost;
    if (active != nullptr && active->name == m_applied) said << effect();
    if (said.isEmpty() && !all.isEmpty() && !all.front().refused.isEmpty())
        said << all.front().refused;
    m_sentence->setText(said.join(QLatin1Char(' ')));
    m_sentence->setToolTip(tipText(active != nullptr ? active->help : QString()));
    setAccessible(m_choice, tr("Profile of cache settings"), m_sentence->text());
}

QString ProfilePanel::effect() const {
    if (m_chat.answering()) return tr("In effect from the next token of this answer.");
    return m_chat.isEmpty() ? QString()
                            : tr("In effect; this conversation is compacted when its next answer "
                                 "needs it, or now with Compact now.");
}

void ProfilePanel::choose(int index) {
    m_problem.clear();
    m_applied = m_choice->itemData(index).toString();
    if (index != kNone) m_profiles.apply(m_applied);
    refresh();
}

void ProfilePanel::showMessage(const QString& sentence) {
    m_problem = sentence;
    refresh();
}

void ProfilePanel::promptForName(const QString& title, const QString& proposed,
                                 const std::function<QString(const QString& name)>& take) {
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(tr("Name"));
    dialog->setTextValue(proposed);
    connect(dialog, &QInputDialog::textValueSelected, this, [this, take](const QString& name) {
        const QString problem = take(name);
        if (problem.isEmpty()) m_applied = name.trimmed();
        showMessage(problem);
    });
    dialog->open();
}

void ProfilePanel::promptForSave() {
    promptForName(tr("Save profile"), tr("My profile"),
                  [this](const QString& name) { return m_profiles.save(name); });
}

void ProfilePanel::promptForRename() {
    const QString name = m_choice->currentData().toString();
    promptForName(tr("Rename profile"), name,
                  [this, name](const QString& to) { return m_profiles.rename(name, to); });
}

void ProfilePanel::remove() {
    showMessage(m_profiles.remove(m_choice->currentData().toString()));
}

QString ProfilePanel::sentence() const {
    return m_sentence->text();
}

}  // namespace lacuna::ui
