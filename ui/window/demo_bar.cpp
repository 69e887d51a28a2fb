#include "ui/window/demo_bar.h"

#include <QLabel>
#include <QPushButton>

#include "ui/style/widget_roles.h"
#include "ui/window/guided_demo.h"

namespace lacuna::ui {

DemoBar::DemoBar(QWidget* parent)
    : MessageBar(parent),
      m_next(new QPushButton(tr("Next"), this)),
      m_end(new QPushButton(tr("End the demo"), this)),
      m_again(new QPushButton(tr("Run again"), this)),
      m_suggestions(new QPushButton(tr("What now?"), this)) {
    setRole(this, QStringLiteral("infoBar"));
    m_next->setToolTip(tipText(tr("Go to the next step when this one is done.")));
    m_suggestions->setToolTip(tipText(tr("Ways to continue: chat, load a model, tune.")));
    for (QPushButton* button : {m_next, m_again, m_suggestions, m_end}) addButton(button);
    connect(m_next, &QPushButton::clicked, this, [this] {
        if (m_demo) m_demo->skip();
    });
    connect(m_end, &QPushButton::clicked, this, [this] {
        if (m_demo) m_demo->cancel();
        hide();
    });
    connect(m_again, &QPushButton::clicked, this, &DemoBar::repeatRequested);
    connect(m_suggestions, &QPushButton::clicked, this, [this] {
        hide();
        Q_EMIT suggestionsRequested();
    });
    hide();
}

void DemoBar::follow(GuidedDemo& demo) {
    m_demo = &demo;
    connect(&demo, &GuidedDemo::stepChanged, this, &DemoBar::showStep);
    connect(&demo, &GuidedDemo::finished, this,
            [this](const QString& sentence) { showEnd(sentence, true); });
    connect(&demo, &GuidedDemo::failed, this,
            [this](const QString& sentence) { showEnd(sentence, false); });
}

void DemoBar::showStep(const QString& sentence) {
    if (!m_demo) return;
    title().setText(tr("Demo %1 of %2").arg(m_demo->step()).arg(m_demo->steps()));
    title().show();
    QString shown = sentence;
    if (!shown.isEmpty()) shown[0] = shown.at(0).toUpper();
    words().setText(shown);
    setAccessible(this, title().text(), shown);
    m_next->show();
    m_again->hide();
    m_suggestions->hide();
    m_end->setText(tr("End the demo"));
    show();
}

void DemoBar::showEnd(const QString& sentence, bool whole) {
    title().setVisible(!whole);
    title().setText(tr("Problem"));
    words().setText(sentence);
    setAccessible(this, tr("The demo is over"), sentence);
    m_next->hide();
    m_again->show();
    m_suggestions->show();
    m_end->setText(tr("Close"));
    show();
    const bool toItsEnd = whole && m_demo && !m_demo->cancelled();
    if (toItsEnd && m_demo->length() == DemoLength::Short) Q_EMIT ended();
}

QString DemoBar::sentence() const {
    return words().text();
}

}  // namespace lacuna::ui
