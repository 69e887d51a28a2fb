#include "ui/notice_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <utility>

#include "ui/widget_roles.h"

namespace lacuna::ui {

namespace {

constexpr qsizetype kMaxNoticeLength = 2000;  ///< signs

}  // namespace

NoticeBar::NoticeBar(QWidget* parent)
    : QFrame(parent), m_sentence(plainLabel({}, this)), m_button(new QPushButton(this)) {
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* close = new QPushButton(tr("Dismiss"), this);
    setRole(close, QStringLiteral("quiet"));
    setAccessible(close, tr("Dismiss this notice"));
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(12, 6, 8, 6);
    layout->addWidget(m_sentence, 1);
    layout->addWidget(m_button);
    layout->addWidget(close);
    connect(close, &QPushButton::clicked, this, &QWidget::hide);
    connect(m_button, &QPushButton::clicked, this, [this] {
        hide();
        if (m_action) m_action();
    });
    setAccessible(m_button, tr("Do what the notice offers"));
    hide();
}

void NoticeBar::tell(NoticeKind kind, const QString& sentence) {
    tell(kind, sentence, {}, {});
}

void NoticeBar::tell(NoticeKind kind, const QString& sentence, const QString& button,
                     std::function<void()> action) {
    setRole(this,
            kind == NoticeKind::Problem ? QStringLiteral("problemBar") : QStringLiteral("infoBar"));
    const QString shown = sentence.left(kMaxNoticeLength);
    m_sentence->setText(kind == NoticeKind::Problem ? tr("Problem: %1").arg(shown) : shown);
    setAccessible(this, tr("Notice"), shown);
    m_button->setText(button);
    m_button->setVisible(!button.isEmpty());
    setAccessible(m_button, button);
    m_action = std::move(action);
    m_told = sentence;
    setVisible(!sentence.isEmpty());
}

void NoticeBar::withdraw(const QString& sentence) {
    if (sentence == m_told) hide();
}

QString NoticeBar::sentence() const {
    return isHidden() ? QString() : m_sentence->text();
}

}  // namespace lacuna::ui
