#include "ui/style/message_bar.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <algorithm>

#include "ui/style/page_kit.h"

namespace lacuna::ui {

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent),
      m_grid(new QGridLayout(this)),
      m_title(plainLabel({}, this)),
      m_sentence(plainLabel({}, this)),
      m_row(new QWidget(this)),
      m_buttons(new QHBoxLayout(m_row)) {
    m_title->setFont(Theme::font(FontRole::Title));
    m_title->hide();
    m_sentence->setWordWrap(true);
    // A path without a possible line break must not push the panels aside.
    m_sentence->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_buttons->setContentsMargins(0, 0, 0, 0);
    m_grid->setContentsMargins(Spacing::wide, Spacing::unit, Spacing::unit, Spacing::unit);
    m_grid->setHorizontalSpacing(Spacing::unit);
    m_grid->setVerticalSpacing(Spacing::half);
    m_grid->setColumnStretch(1, 1);
    arrange(Form::Background);
}

void MessageBar::addButton(QPushButton* button) {
    m_buttons->addWidget(button);
}

bool MessageBar::event(QEvent* event) {
    // The sentence or the set of buttons has changed.
    if (event->type() == QEvent::LayoutRequest) fit();
    return QFrame::event(event);
}

void MessageBar::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    fit();
}

/// If stacked, the title is on the line of the buttons.
void MessageBar::arrange(Form form) {
    m_form = form;
    for (QWidget* widget :
         {static_cast<QWidget*>(m_title), static_cast<QWidget*>(m_sentence), m_row})
        m_grid->removeWidget(widget);
    const bool apart = form == Form::Apart;
    m_titled = !m_title->isHidden();
    const int words = apart && m_titled ? 1 : 0;
    const int row = apart && !m_titled ? 1 : 0;
    m_grid->addWidget(m_title, 0, 0);
    m_grid->addWidget(m_sentence, words, apart ? 0 : 1, 1, apart ? 3 : 1);
    m_grid->addWidget(m_row, row, 2, Qt::AlignRight | Qt::AlignVCenter);
}

void MessageBar::fit() {
    const QMargins around = m_grid->contentsMargins();
    const int room = width() - around.left() - around.right();
    const QSize row = m_row->sizeHint();
    const int title =
        m_title->isHidden() ? 0 : m_title->sizeHint().width() + m_grid->horizontalSpacing();
    const int beside = room - title - row.width() - m_grid->horizontalSpacing();
    const int high = std::max(row.height(), m_sentence->heightForWidth(std::max(beside, 1)));
    const int apart =
        m_sentence->heightForWidth(std::max(room, 1)) + m_grid->verticalSpacing() + row.height();
    const Form form = beside <= 0 || apart < high ? Form::Apart : Form::Background;
    if (form != m_form || m_titled == m_title->isHidden()) arrange(form);
}

}  // namespace lacuna::ui
