#pragma once
/// \file
/// The conversation as a column of messages; follows a ChatModel and keeps to the end while text
/// streams, unless the person has scrolled away. Only the messages in sight and a little around
/// them have widgets, so that a conversation costs the same at any length; the heights of the
/// others are estimated and set right once they come near. GUI thread.

#include <QAbstractScrollArea>
#include <QPointer>
#include <QVector>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "app/state/pinned_words.h"
#include "app/state/retention_rows.h"

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
    /// Nothing can be asked again, gone on with or changed in it.
    void setReadOnly(bool readOnly);
    /// What stands in an empty conversation.
    void setEmptyText(const QString& text);
    /// Tints every message by what the cache holds of its words; the next answer is plain until the
    /// next call.
    void showRetention(const app::RetentionView& view);
    /// Takes the tint away.
    void showPlain();
    /// Tokens of the words that were selected last, in a tinted message.
    struct MarkedTokens {
        qsizetype first = 0, count = 0;  ///< places in the cache; count 0: no word is selected
        qsizetype forgotten = 0;         ///< of them, those that some head has lost
    };
    [[nodiscard]] MarkedTokens markedTokens() const;
    /// Whether messages are tinted by what the cache holds of them.
    [[nodiscard]] bool tinted() const { return m_retention != nullptr; }
    /// Stands in the menu of every message's words, after those that were offered before.
    void offer(QAction* action);
    /// The message that has the keyboard or selected words; -1: none has.
    [[nodiscard]] int chosenRow() const;
    /// Selected words of a message, as it is sent; nothing: none are selected.
    [[nodiscard]] std::optional<app::PinnedWords> markedWords() const;
    /// Whether any words are selected; cheaper than asking for them.
    [[nodiscard]] bool hasMarkedWords() const;
    /// Marks these words in their messages, and none else.
    void setPins(const QVector<app::PinRow>& pins);
    /// Comes to the message at `row` and puts a field in place of its words.
    void beginEdit(int row);
    [[nodiscard]] bool editing() const;
    /// What is being edited would read so many tokens, where it is this message.
    void showEditCost(qint64 line, qint64 tokens);
    /// Scrolls to the beginning of a message.
    void showMessage(int row);
    /// Scrolls to the place of a message that has these words for the `number`-th time, counted
    /// from 0, and selects them. A folded message opens.
    void showWords(int row, const QString& words, int number);
    /// What showWords selected is not selected any more.
    void forgetWords();
    [[nodiscard]] int messageCount() const { return static_cast<int>(m_rows.size()); }
    /// Null for a message that is far from what is in sight.
    [[nodiscard]] MessageView* messageAt(int row) const;
    /// The message at the upper edge; -1: none.
    [[nodiscard]] int firstInSight() const;

  Q_SIGNALS:
    void regenerateWanted(int row);
    void continueWanted();
    void editWanted(int row);
    /// This is to stand in place of the words of the message at `row`.
    void editSent(int row, const QString& text);
    void editEnded();
    void branchWanted(int row, int number);
    void branchDeleteWanted(int row);
    /// Other words are selected, or they are tinted otherwise.
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
        bool open = false;   ///< a long message that is shown whole
        int fitted = 0;      ///< width the view was measured at; 0: it is to be measured
        std::optional<QVector<app::TokenSpan>> spans;  ///< of a tinted message
        MessageView* view = nullptr;
    };
    /// A place that stays where it is while heights around it change.
    struct Place {
        int row = 0;
        int below = 0;  ///< px from the upper edge of the row down to that of the page
    };
    struct Rows {
        int first = 0, last = -1;
    };

    void rebuild();
    void insertRows(int first, int last);
    void removeRows(int first, int last);
    void changeRows(int first, int last);
    void textAppended(const QString& text);
    void forgetHeight(Row& row, const app::ChatLine& line) const;
    void messageGrew(const MessageView* view);
    void showSelection(const MessageView* view);
    [[nodiscard]] int rowOf(const MessageView* view) const;
    [[nodiscard]] QVector<app::PinRow> pinsAt(int row) const;
    void connectWishes(MessageView* view);

    /// Does something to every view there is, then arranges them once.
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
    QPointer<MessageView> m_sought;  ///< the message that showWords() went to
    QPointer<MessageView> m_marked;  ///< in which words were selected last
    QList<QAction*> m_offered;
    QVector<app::PinRow> m_pins;
    Place m_anchor;  ///< what stays in place while m_follow is false
    bool m_follow = true;
    int m_width = 0;  ///< px of a message
    bool m_arranging = false;
    bool m_readOnly = false;
};

}  // namespace lacuna::ui
