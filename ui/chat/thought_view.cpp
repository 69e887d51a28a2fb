#include "ui/chat/thought_view.h"

#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "app/state/chat/conversation_export.h"
#include "ui/chat/markdown_writer.h"
#include "ui/chat/message_text.h"
#include "ui/style/long_lines.h"
#include "ui/style/page_kit.h"

namespace lacuna::ui {

namespace {

constexpr qsizetype kSlice = 8'000;  ///< characters written per turn of the event loop

}  // namespace

ThoughtView::ThoughtView(const ThemeSource& themes, QWidget* parent)
    : QWidget(parent),
      m_themes(themes),
      m_head(quietButton({}, tr("Show or hide the reasoning of the model"), this)) {
    m_head->setCheckable(true);
    m_head->setArrowType(Qt::RightArrow);
    m_head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    QVBoxLayout* column = columnLayout(this, Spacing::half);
    column->setContentsMargins(0, 0, 0, Spacing::half);
    column->addWidget(m_head, 0, Qt::AlignLeft);
    m_more.setSingleShot(true);
    m_more.setInterval(0);
    connect(&m_more, &QTimer::timeout, this, &ThoughtView::writeMore);
    connect(m_head, &QToolButton::toggled, this, &ThoughtView::setOpen);
}

ThoughtView::~ThoughtView() = default;

void ThoughtView::show(const app::Thought& thought, bool running) {
    const bool another = !thought.text.startsWith(m_thought.text);
    m_thought = thought;
    m_head->setText(app::thoughtText(thought, running));
    m_head->setAccessibleName(m_head->text());
    setVisible(!thought.text.isEmpty());
    if (m_writer == nullptr) return;
    if (another) return applyTheme();
    m_more.start();
}

void ThoughtView::applyTheme() {
    if (m_writer == nullptr) return;
    m_muted = m_themes.theme();
    m_muted.text = m_muted.secondary;
    m_writer->reset({}, m_muted);
    m_written = 0;
    writeMore();
}

void ThoughtView::setOpen(bool open) {
    m_head->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
    if (open && m_text == nullptr) {
        m_text = new MessageText(this);
        setAccessible(m_text, tr("Reasoning of the model"));
        static_cast<QVBoxLayout*>(layout())->addWidget(m_text);
    }
    if (open) {
        m_writer = std::make_unique<MarkdownWriter>(*m_text->document(), m_muted);
        applyTheme();
    } else {
        m_more.stop();
        m_writer.reset();
    }
    if (m_text != nullptr) m_text->setVisible(open);
    layout()->activate();
    updateGeometry();
    Q_EMIT heightChanged();
}

void ThoughtView::writeMore() {
    const qsizetype left = m_thought.text.size() - m_written;
    const qsizetype length = left <= kSlice ? left : cutOfLine(m_thought.text, m_written, kSlice);
    m_writer->append(m_thought.text.mid(m_written, length));
    m_written += length;
    if (m_written < m_thought.text.size()) m_more.start();
    Q_EMIT heightChanged();
}

}  // namespace lacuna::ui
