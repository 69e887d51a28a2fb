#include "ui/chat/system_prompt_dialog.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QInputDialog>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr QSize kDialogSize(560, 360);
constexpr qsizetype kMaxName = 60;  ///< characters

}  // namespace

SystemPromptDialog::SystemPromptDialog(app::SystemPrompts& kept, const QString& text,
                                       const QString& cost, QWidget* parent)
    : QDialog(parent),
      m_kept(kept),
      m_names(new QComboBox(this)),
      m_text(new QPlainTextEdit(text, this)),
      m_keep(new QPushButton(tr("Save as..."), this)),
      m_remove(new QPushButton(tr("Remove"), this)),
      m_default(new QCheckBox(tr("Use the selected prompt for new conversations"), this)),
      m_problem(captionLabel({}, this)) {
    setWindowTitle(tr("System prompt"));
    resize(kDialogSize);
    setAccessible(m_names, tr("Saved system prompts"));
    setRole(m_text, QStringLiteral("input"));
    m_text->setPlaceholderText(tr("No system prompt"));
    m_text->setTabChangesFocus(true);
    setAccessible(m_text, tr("System prompt of this conversation"));
    m_keep->setToolTip(tipText(tr("Save this text under a name, for other conversations")));
    m_remove->setToolTip(tipText(tr("Remove the selected saved prompt")));
    m_problem->setWordWrap(true);
    setRole(m_problem, QStringLiteral("bad"));
    m_problem->hide();
    auto* kindly = plainLabel(tr("Instructions that the model reads before this conversation. "
                                 "Other conversations keep theirs."),
                              this);
    kindly->setWordWrap(true);
    auto* says = captionLabel(cost, this);
    says->setWordWrap(true);
    says->setVisible(!cost.isEmpty());
    auto* buttons = new QDialogButtonBox(this);
    QPushButton* use = buttons->addButton(tr("Use"), QDialogButtonBox::AcceptRole);
    use->setDefault(true);
    buttons->addButton(QDialogButtonBox::Cancel);
    QHBoxLayout* row = rowLayout();
    row->addWidget(m_names, 1);
    row->addWidget(m_keep);
    row->addWidget(m_remove);
    QVBoxLayout* layout = pageLayout(this);
    layout->addWidget(kindly);
    layout->addLayout(row);
    layout->addWidget(m_text, 1);
    layout->addWidget(m_default);
    layout->addWidget(says);
    layout->addWidget(m_problem);
    layout->addWidget(buttons);
    connect(m_names, &QComboBox::activated, this, &SystemPromptDialog::useSavedPrompt);
    connect(m_text, &QPlainTextEdit::textChanged, this, &SystemPromptDialog::showButtons);
    connect(m_keep, &QPushButton::clicked, this, &SystemPromptDialog::keep);
    connect(m_remove, &QPushButton::clicked, this, &SystemPromptDialog::removeKept);
    connect(m_default, &QCheckBox::clicked, this, &SystemPromptDialog::setDefault);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT chosen(m_text->toPlainText());
        accept();
    });
    fillSavedPrompts(m_kept.all().key(text));
    m_text->setFocus();
}

/// The first entry represents a text that is not saved.
void SystemPromptDialog::fillSavedPrompts(const QString& current) {
    m_names->clear();
    m_names->addItem(m_kept.all().isEmpty() ? tr("None saved yet") : tr("Saved prompts"));
    for (const QString& name : m_kept.all().keys()) m_names->addItem(name);
    const int at = current.isEmpty() ? 0 : m_names->findText(current, Qt::MatchExactly);
    m_names->setCurrentIndex(at < 1 ? 0 : at);
    showButtons();
}

void SystemPromptDialog::useSavedPrompt(int index) {
    if (index > 0) m_text->setPlainText(m_kept.all().value(m_names->itemText(index)));
    showButtons();
}

void SystemPromptDialog::keep() {
    auto* ask = new QInputDialog(this);
    ask->setAttribute(Qt::WA_DeleteOnClose);
    ask->setWindowTitle(tr("Save as"));
    ask->setLabelText(tr("Name"));
    if (m_names->currentIndex() > 0) ask->setTextValue(m_names->currentText());
    connect(ask, &QInputDialog::textValueSelected, this, [this](const QString& typed) {
        const QString name = oneLine(typed.simplified(), kMaxName);
        if (name.isEmpty()) return;
        showMessage(m_kept.keep(name, m_text->toPlainText().trimmed()));
        fillSavedPrompts(name);
        Q_EMIT defaultChanged();
    });
    ask->open();
}

void SystemPromptDialog::removeKept() {
    if (m_names->currentIndex() < 1) return;
    showMessage(m_kept.remove(m_names->currentText()));
    fillSavedPrompts({});
    Q_EMIT defaultChanged();
}

void SystemPromptDialog::setDefault(bool standard) {
    showMessage(m_kept.setDefault(standard ? m_names->currentText() : QString()));
    Q_EMIT defaultChanged();
}

void SystemPromptDialog::showButtons() {
    m_keep->setEnabled(!m_text->toPlainText().trimmed().isEmpty());
    const bool kept = m_names->currentIndex() > 0;
    m_remove->setEnabled(kept);
    m_default->setEnabled(kept);
    m_default->setChecked(kept && m_names->currentText() == m_kept.defaultName());
    m_default->setToolTip(tipText(kept ? tr("Existing conversations are not changed.")
                                       : tr("Choose a saved prompt first, or save this one.")));
}

void SystemPromptDialog::showMessage(const QString& problem) {
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
}

}  // namespace lacuna::ui
