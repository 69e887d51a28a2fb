#include "ui/window/welcome_page.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/style/page_kit.h"
#include "ui/window/action_registry.h"

namespace lacuna::ui {

namespace {

constexpr int kWidth = 620;

QLabel* wrapped(const QString& text, QWidget* parent) {
    QLabel* label = plainLabel(text, parent);
    label->setWordWrap(true);
    return label;
}

}  // namespace

WelcomePage::WelcomePage(ActionRegistry& actions, QWidget* parent)
    : QDialog(parent), m_actions(actions), m_outcome(wrapped({}, this)) {
    setWindowTitle(tr("What now?"));
    auto* layout = new QVBoxLayout(this);
    layout->setSpacing(Spacing::wide);
    layout->addWidget(m_outcome);
    m_outcome->hide();
    // Questions that the model answers well (resources/models/talk.md); in English, its only
    // language.
    QList<QWidget*> questions;
    for (const QString& question : {QStringLiteral("What is a KV cache?"),
                                    QStringLiteral("Write a short story about a fox.")}) {
        auto* button = new QPushButton(question, this);
        button->setAutoDefault(false);
        connect(button, &QPushButton::clicked, this, [this, question] {
            hide();
            Q_EMIT questionChosen(question);
        });
        questions << button;
    }
    addChoice(
        layout, tr("Chat"),
        tr("Type below and press Enter. You can paste or drop a long text and then ask about it."),
        questions);
    addChoice(
        layout, tr("Load a model"),
        tr("Any GGUF file, or a folder with safetensors. Your conversations stay. You can also "
           "connect to a remote engine."),
        {actionButton(tr("Load model..."), "model.load"),
         actionButton(tr("Connect to an engine..."), "remote.connect")});
    auto* tune = new QPushButton(tr("Show the settings"), this);
    tune->setAutoDefault(false);
    connect(tune, &QPushButton::clicked, this, [this] {
        hide();
        Q_EMIT settingsRequested();
    });
    addChoice(layout, tr("Tune"),
              tr("Choose a profile (Full, Balanced or Frugal), or move the ratio and see in the "
                 "charts what it costs and saves."),
              {tune, actionButton(tr("Compare two settings..."), "measure.compare")});
    QLabel* model = wrapped(
        tr("The bundled model is small (135 million parameters). It can chat a little in English, "
           "answer simple questions, write a short story or a small function, and find facts in up "
           "to 8,000 tokens of your text. It speaks no other languages and knows few facts: treat "
           "what it says as a guess, and load a larger model for more."),
        this);
    setRole(model, QStringLiteral("secondary"));
    layout->addWidget(model);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    auto* demo = qobject_cast<QPushButton*>(actionButton(tr("Demo in 20 seconds"), "demo.short"));
    buttons->addButton(demo, QDialogButtonBox::ActionRole);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::hide);
    layout->addWidget(buttons);
    fit();
}

/// The height of wrapped lines depends on the width.
void WelcomePage::fit() {
    resize(kWidth, layout()->totalHeightForWidth(kWidth));
}

void WelcomePage::showMessage(const QString& outcome) {
    m_outcome->setText(outcome);
    m_outcome->setVisible(!outcome.isEmpty());
    fit();
}

void WelcomePage::addChoice(QVBoxLayout* layout, const QString& title, const QString& text,
                            const QList<QWidget*>& buttons) {
    QLabel* head = plainLabel(title, this);
    head->setFont(Theme::font(FontRole::Headline));
    layout->addWidget(head);
    layout->addWidget(wrapped(text, this));
    QHBoxLayout* row = rowLayout();
    for (QWidget* button : buttons) row->addWidget(button);
    row->addStretch(1);
    layout->addLayout(row);
    layout->addWidget(hairline(this));
}

QWidget* WelcomePage::actionButton(const QString& text, const char* action) {
    auto* button = new QPushButton(text, this);
    button->setAutoDefault(false);
    QAction* does = m_actions.find(QString::fromLatin1(action));
    const auto show = [button, does] {
        button->setEnabled(does->isEnabled());
        button->setToolTip(
            tipText(does->isEnabled() ? does->statusTip() : ActionRegistry::reasonOf(does)));
    };
    connect(does, &QAction::changed, button, show);
    connect(button, &QPushButton::clicked, this, [this, does] {
        hide();
        does->trigger();
    });
    show();
    return button;
}

void WelcomePage::open() {
    show();
    raise();
    activateWindow();
}

}  // namespace lacuna::ui
