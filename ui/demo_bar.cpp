#include "ui/demo_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "ui/guided_demo.h"
#include "ui/theme.h"
#include "ui/widget_roles.h"

namespace lacuna::ui {

DemoBar::DemoBar(QWidget* parent)
    : QFrame(parent),
      m_step(plainLabel({}, this)),
      m_sentence(plainLabel({}, this)),
      m_next(new QPushButton(tr("Next"), this)),
      m_end(new QPushButton(tr("End the demo"), this)),
      m_again(new QPushButton(tr("Once more"), this)),
      m_onward(new QPushButton(tr("What now?"), this)) {
    setRole(this, QStringLiteral("infoBar"));
    m_step->setFont(Theme::font(FontRole::Title));
    m_sentence->setWordWrap(true);
    m_next->setToolTip(tipText(tr("On to the next step as soon as this one is done.")));
    m_onward->setToolTip(tipText(tr("Ways to go on: talk, load a model, tune.")));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    row->addWidget(m_step);
    row->addWidget(m_sentence, 1);
    for (QPushButton* button : {m_next, m_again, m_onward, m_end}) row->addWidget(button);
    connect(m_next, &QPushButton::clicked, this, [this] {
        if (m_demo) m_demo->skip();
    });
    connect(m_end, &QPushButton::clicked, this, [this] {
        if (m_demo) m_demo->cancel();
        hide();
    });
    connect(m_again, &QPushButton::clicked, this, &DemoBar::againWanted);
    connect(m_onward, &QPushButton::clicked, this, [this] {
        hide();
        Q_EMIT onwardWanted();
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
    m_step->setText(tr("Demo %1 of %2").arg(m_demo->step()).arg(m_demo->steps()));
    m_step->show();
    QString shown = sentence;
    if (!shown.isEmpty()) shown[0] = shown.at(0).toUpper();
    m_sentence->setText(shown);
    setAccessible(this, m_step->text(), shown);
    m_next->show();
    m_again->hide();
    m_onward->hide();
    m_end->setText(tr("End the demo"));
    show();
}

void DemoBar::showEnd(const QString& sentence, bool whole) {
    m_step->setVisible(!whole);
    m_step->setText(tr("Problem"));
    m_sentence->setText(sentence);
    setAccessible(this, tr("The demo is over"), sentence);
    m_next->hide();
    m_again->show();
    m_onward->show();
    m_end->setText(tr("Close"));
    show();
    const bool toItsEnd = whole && m_demo && !m_demo->cancelled();
    if (toItsEnd && m_demo->length() == DemoLength::Short) Q_EMIT ended();
}

QString DemoBar::sentence() const {
    return m_sentence->text();
}

}  // namespace lacuna::ui
