#pragma once
/// \file
/// The reasoning of a model above its answer: one line with its time and number of tokens, which
/// unfolds to the text. GUI thread.

#include <QTimer>
#include <QWidget>
#include <memory>

#include "app/state/view_types.h"
#include "ui/style/theme.h"

class QToolButton;

namespace lacuna::ui {

class MarkdownWriter;
class MessageText;

class ThoughtView final : public QWidget {
    Q_OBJECT

  public:
    ThoughtView(const ThemeSource& themes, QWidget* parent);
    ~ThoughtView() override;
    /// Shows the reasoning, which the model is still writing if `running`.
    void show(const app::Thought& thought, bool running);
    void applyTheme();
    [[nodiscard]] QToolButton* button() const { return m_head; }

  Q_SIGNALS:
    /// Emitted when the height may have changed.
    void heightChanged();

  private:
    void setOpen(bool open);
    void writeMore();

    const ThemeSource& m_themes;
    Theme m_muted;  ///< referred to by the writer
    app::Thought m_thought;
    QToolButton* m_head;
    MessageText* m_text = nullptr;             ///< null until it is unfolded
    std::unique_ptr<MarkdownWriter> m_writer;  ///< null unless it is unfolded
    qsizetype m_written = 0;                   ///< characters that are in the document
    QTimer m_more;
};

}  // namespace lacuna::ui
