#pragma once
/// \file
/// One message of the chat: author, text, a line of figures under an answer, and actions that
/// appear on hover and keyboard focus. The height follows the text. Long texts are folded, and
/// unfolded text is written in slices to keep the window responsive.

#include <QFrame>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "app/state/chat/chat_branches.h"
#include "app/state/chat/pinned_words.h"
#include "app/state/view_types.h"
#include "ui/charts/retention_text.h"
#include "ui/chat/message_text.h"
#include "ui/style/text_position_map.h"

class QAction;
class QHBoxLayout;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace lacuna::ui {

class BranchSwitch;
class ElidingLabel;
class MarkdownWriter;
class MessageEditor;
class ThemeSource;
class ThoughtView;

/// Number of characters visible in the folded state; the full length for a short text.
[[nodiscard]] qsizetype foldedLength(const QString& text);

class MessageView final : public QFrame {
    Q_OBJECT

  public:
    MessageView(const app::ChatLine& line, const ThemeSource& themes, QWidget* parent);
    ~MessageView() override;
    /// Sets the width and the resulting height; returns the height.
    int fit(int width);
    void appendText(const QString& text);
    /// Shows the reasoning, which is still being written.
    void showThought(const app::Thought& thought);
    void show(const app::ChatLine& line);
    void applyTheme();
    /// Unfolds or folds a long text. Views are created folded.
    void setOpen(bool open);
    /// True while slices of the text remain to be written.
    [[nodiscard]] bool writing() const { return m_written < targetLength(); }
    /// Selects occurrence `number` (from 0) of these words as soon as it is written, then emits
    /// `searchFinished`.
    void seek(const QString& words, int number);
    /// Clears the selection.
    void deselect();
    /// px from the upper edge down to the selection; nullopt if there is none.
    [[nodiscard]] std::optional<int> selectionTop() const;
    /// True if the message has the focus or selected words.
    [[nodiscard]] bool inUse() const;
    /// Focusable children in tab order.
    [[nodiscard]] QWidgetList tabChain() const;
    /// Maximum width of a comfortably readable line.
    [[nodiscard]] static int widest(const QFontMetrics& letters);
    /// Tints the words. A tinted question also shows the texts attached to it.
    void setTint(std::optional<MessageTint> tint);
    /// Only the last message of a conversation can be continued, and the cost of regenerating is
    /// known only for it.
    void setLast(bool last);
    /// Disables regenerating and editing.
    void setReadOnly(bool readOnly);
    /// Sets the position among the branches that diverge at this message.
    void setBranch(const app::BranchPosition& place);
    /// Replaces the words by an editor and gives it the focus.
    void beginEdit();
    /// Shows how many tokens sending the edited text would make the model read.
    void showEditCost(qint64 tokens);
    [[nodiscard]] bool editing() const { return m_editor != nullptr; }
    /// Marks the pinned words of the message, which compaction never evicts.
    void setPins(QVector<app::PinRow> pins);
    /// Sets the actions appended to the context menu of the text.
    void offer(const QList<QAction*>& actions) { m_text->offered = actions; }
    /// Selected range in the message as sent, whether it is shown formatted or not; empty if
    /// nothing is selected.
    [[nodiscard]] TextRange selectedLetters() const;
    /// True if the words are tinted.
    [[nodiscard]] bool tinted() const { return m_tint.has_value(); }

  Q_SIGNALS:
    /// Emitted when the selection changes.
    void markedChanged();
    void regenerateRequested();
    void continueRequested();
    void editRequested();
    void editSent(const QString& text);
    void editEnded();
    void branchRequested(int number);
    void branchDeleteRequested();
    /// Emitted when the user folds or unfolds the message.
    void openChanged(bool open);
    /// Emitted when the height may have changed; call fit().
    void heightChanged();
    /// Emitted when the searched words are selected or were not found.
    void searchFinished();

  protected:
    bool event(QEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void buildHead(QVBoxLayout* layout);
    void buildAttachments(QVBoxLayout* layout);
    void showAttached(const app::AttachedPart& part);
    void buildFoot(QVBoxLayout* layout);
    void showFigures();
    void showRereadingCost();
    void showText();
    void showThought(bool running);
    void endEdit();
    void markPins();
    [[nodiscard]] TextPositionMap places() const;
    [[nodiscard]] QString tipOf(int place) const;
    void showActions();
    void showFold();
    void copyText() const;
    void writeText();
    void writeMore();
    void findSearchedWords();
    /// The complete text, which is written in slices.
    [[nodiscard]] const QString& whole() const { return m_tint ? m_tinted : m_line.text; }
    /// Number of its characters to be written in the current state.
    [[nodiscard]] qsizetype targetLength() const;

    const ThemeSource& m_themes;
    app::ChatLine m_line;
    ElidingLabel* m_roleLabel = nullptr;
    QWidgetList m_chips;  ///< one per attached text
    QWidget* m_actions = nullptr;
    ThoughtView* m_thought = nullptr;  ///< answers with reasoning only
    MessageText* m_text = nullptr;
    QLabel* m_figures = nullptr;
    BranchSwitch* m_branches = nullptr;
    QToolButton* m_deleteBranch = nullptr;
    QToolButton* m_edit = nullptr;  ///< null for the system prompt, which has a dialog of its own
    MessageEditor* m_editor = nullptr;  ///< null unless the message is being edited
    QVector<app::PinRow> m_pins;
    QVector<TextRange> m_pinRanges;     ///< ranges in the document, one per pin
    QToolButton* m_again = nullptr;     ///< answers only
    QToolButton* m_continue = nullptr;  ///< answers only
    QLabel* m_problem = nullptr;
    QToolButton* m_fold = nullptr;             ///< texts that were long at some point only
    std::unique_ptr<MarkdownWriter> m_writer;  ///< answers only
    QString m_tinted;                          ///< the message as sent, while tinted
    qsizetype m_written = 0;                   ///< characters of whole() that are in the document
    struct SearchTarget {
        QString words;
        int number = 0;
    };
    std::optional<SearchTarget> m_searchTarget;  ///< words still to be found
    bool m_last = false;
    bool m_open = false;
    bool m_stale = true;  ///< nothing was written since text, theme or tint changed
    QTimer m_more;
    std::optional<MessageTint> m_tint;
    QVector<TintRun> m_runs;  ///< runs as last written
};

}  // namespace lacuna::ui
