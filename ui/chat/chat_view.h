#pragma once
/// \file
/// The conversation as a column of messages. It follows a ChatModel and scrolls with streaming text
/// unless the user has scrolled away. Only visible messages and a few around them have widgets, so
/// the cost does not depend on the length of the conversation; other heights are estimated and
/// corrected when they come near. GUI thread.

#include <QAbstractScrollArea>
#include <QPointer>
#include <QVector>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/state/chat/pinned_words.h"
#include "app/state/telemetry/retention_rows.h"

class QAction;
class QLabel;

namespace lacuna::app {
class ChatModel;
struct ChatLine;
struct RetentionView;
}  // namespace lacuna::app

namespace lacuna::ui {

class MessageView;
class ThemeSource;

class ChatView final : public QAbstractScrollArea {
    Q_OBJECT

  public:
    explicit ChatView(const ThemeSource& themes, QWidget* parent = nullptr);
    void setModel(app::ChatModel* model);
    /// Disables regenerating, continuing and editing.
    void setReadOnly(bool readOnly);
    /// Sets the text shown in an empty conversation.
    void setEmptyText(const QString& text);
    /// Tints every message by how much of it the cache holds; the next answer stays untinted until
    /// the next call.
    void showRetention(const app::RetentionView& view);
    /// Removes the tint.
    void showPlain();
    /// Tokens of the most recent selection in a tinted message.
    struct MarkedTokens {
        qsizetype first = 0, count = 0;  ///< positions in the cache; count 0: no word is selected
        qsizetype evicted = 0;           ///< selected tokens that at least one head has lost
    };
    [[nodiscard]] MarkedTokens markedTokens() const;
    /// True if messages are tinted by how much of them the cache holds.
    [[nodiscard]] bool tinted() const { return m_retention != nullptr; }
    /// Appends an action to the context menu of every message's text.
    void offer(QAction* action);
    /// Row of the message with keyboard focus or selected words; -1 if there is none.
    [[nodiscard]] int chosenRow() const;
    /// Selected words of a message as sent to the model; nullopt if none are selected.
    [[nodiscard]] std::optional<app::PinnedWords> markedWords() const;
    /// True if any words are selected; cheaper than markedWords().
    [[nodiscard]] bool hasMarkedWords() const;
    /// Marks exactly these words in their messages.
    void setPins(const QVector<app::PinRow>& pins);
    /// Scrolls to the message at `row` and replaces its text by an editor.
    void beginEdit(int row);
    [[nodiscard]] bool editing() const;
    /// Shows how many tokens the edited message would make the model read, if `line` is that
    /// message.
    void showEditCost(qint64 line, qint64 tokens);
    /// Scrolls to the beginning of a message.
    void showMessage(int row);
    /// Scrolls to occurrence `number` (from 0) of these words in a message and selects it. A folded
    /// message is unfolded.
    void showWords(int row, const QString& words, int number);
    /// Clears the selection made by showWords().
    void clearFoundWords();
    [[nodiscard]] int messageCount() const { return static_cast<int>(m_rows.size()); }
    /// Null for a message that is far from the visible area.
    [[nodiscard]] MessageView* messageAt(int row) const;
    /// Row of the message at the upper edge; -1 if there is none.
    [[nodiscard]] int firstVisible() const;

  Q_SIGNALS:
    void regenerateRequested(int row);
    void continueRequested();
    void editRequested(int row);
    /// Requests to replace the text of the message at `row`.
    void editSent(int row, const QString& text);
    void editEnded();
    void branchRequested(int row, int number);
    void branchDeleteRequested(int row);
    /// Emitted when the selection or its tint changes.
    void markedChanged();

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool focusNextPrevChild(bool next) override;

  private:
    struct Row {
        int height = 0;      ///< px
        bool known = false;  ///< measured, not estimated
        bool open = false;   ///< a long message that is unfolded
        int fitted = 0;      ///< width at which the view was measured; 0: measurement is due
        std::optional<QVector<app::TokenSpan>> spans;  ///< tinted messages only
        MessageView* view = nullptr;
    };
    /// A scroll position that stays fixed while heights around it change.
    struct Place {
        int row = 0;
        int below = 0;  ///< px from the upper edge of the row down to that of the viewport
    };
    struct Rows {
        int first = 0, last = -1;
    };

    void rebuild();
    void insertRows(int first, int last);
    void removeRows(int first, int last);
    void changeRows(int first, int last);
    void textAppended(const QString& text);
    void invalidateHeight(Row& row, const app::ChatLine& line) const;
    void messageGrew(const MessageView* view);
    void showSelection(const MessageView* view);
    [[nodiscard]] int rowOf(const MessageView* view) const;
    [[nodiscard]] QVector<app::PinRow> pinsAt(int row) const;
    void connectSignals(MessageView* view);

    /// Applies a change to every existing view, then lays them out once.
    void withViews(const std::function<void(Row& row)>& change);
    void arrange();
    void arrangeAt(int width);
    [[nodiscard]] Rows layOutFromEnd(int room);
    [[nodiscard]] Rows layOutAround(int room);
    int fit(int row);
    [[nodiscard]] MessageView* make(int row);
    void drop(Row& row);
    void dropBeyond(Rows near);
    void placeViews(int value);
    void orderTabs() const;
    void markLast() const;
    void showEmpty();

    [[nodiscard]] int columnWidth() const;
    [[nodiscard]] int contentHeight() const;
    [[nodiscard]] int topOf(int row) const;
    [[nodiscard]] Place placeAt(int value) const;
    [[nodiscard]] bool atEnd() const;

    const ThemeSource& m_themes;
    QPointer<app::ChatModel> m_model;
    QLabel* m_empty;
    std::vector<Row> m_rows;
    std::shared_ptr<const app::RetentionView> m_retention;
    QPointer<MessageView> m_searchTarget;  ///< target of showWords()
    QPointer<MessageView> m_marked;        ///< message with the most recent selection
    QList<QAction*> m_offered;
    QVector<app::PinRow> m_pins;
    Place m_anchor;  ///< scroll anchor while m_follow is false
    bool m_follow = true;
    int m_width = 0;  ///< px; width of a message
    bool m_arranging = false;
    bool m_readOnly = false;
};

}  // namespace lacuna::ui
