#include "ui/chat/context_full_dialog.h"

#include <QCommandLinkButton>
#include <QDialogButtonBox>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <functional>

#include "app/state/number_format.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr int kWidth = 520;  ///< px

}  // namespace

ContextFullDialog::ContextFullDialog(QWidget* parent)
    : QDialog(parent), m_sentence(plainLabel({}, this)) {
    setWindowTitle(tr("The context is full"));
    m_sentence->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    QVBoxLayout* layout = pageLayout(this);
    layout->addWidget(m_sentence);
    layout->addStretch(1);
    layout->addWidget(buttons);
    setMinimumWidth(kWidth);
}

void ContextFullDialog::show(const QString& sentence, const Choices& choices) {
    delete m_choices;
    m_choices = new QWidget(this);
    QVBoxLayout* column = columnLayout(m_choices, Spacing::half);
    const auto add = [&](const QString& title, const QString& cost, const QString& closed,
                         const std::function<void()>& wanted) {
        auto* way = new QCommandLinkButton(title, closed.isEmpty() ? cost : closed, m_choices);
        way->setIcon({});
        way->setEnabled(closed.isEmpty());
        setAccessible(way, title, closed.isEmpty() ? cost : closed);
        connect(way, &QCommandLinkButton::clicked, this, [this, wanted] {
            accept();
            wanted();
        });
        column->addWidget(way);
    };
    add(tr("Continue without the older half"),
        tr("Whenever the cache is full, its oldest tokens are dropped, except the first few; the "
           "page still shows them. Compression is turned off."),
        choices.noShift, [this] { Q_EMIT shiftRequested(); });
    if (choices.largerContext > 0)
        add(tr("Raise the context to %1 tokens").arg(app::countText(choices.largerContext)),
            tr("The largest context this model was trained for. Nothing is dropped; the cache "
               "grows with the text."),
            {}, [this, tokens = choices.largerContext] { Q_EMIT largerContextRequested(tokens); });
    add(tr("New conversation with the newer half"),
        tr("The older messages stay in this conversation; in the new one the model does not see "
           "them."),
        choices.noNewerHalf, [this] { Q_EMIT newerHalfRequested(); });
    QLabel* compacting = captionLabel(tr("Compaction does not help here: it saves memory, but the "
                                         "context limit counts the tokens of the text."),
                                      m_choices);
    compacting->setWordWrap(true);
    column->addWidget(compacting);
    static_cast<QVBoxLayout*>(layout())->insertWidget(1, m_choices);
    m_sentence->setText(sentence);
    layout()->activate();
    resize(width(), layout()->totalHeightForWidth(std::max(width(), kWidth)));
    QDialog::show();
    raise();
    activateWindow();
}

}  // namespace lacuna::ui
