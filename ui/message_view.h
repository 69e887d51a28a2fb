#pragma once
/// \file
/// One message of the chat: who, text, a strip of figures under an answer, and actions that appear
/// on hover and on keyboard focus. Height follows the text. A long text is folded, and what is
/// unfolded is written in slices, so that no message holds the window.

#include <QFrame>
#include <QTextBrowser>
#include <QTimer>
#include <functional>
#include <memory>
#include <optional>

#include "app/state/chat_branches.h"
#include "app/state/pinned_words.h"
#include "app/state/view_types.h"
#include "ui/retention_text.h"
#include "ui/text_places.h"

class QAction;
class QHBoxLayout;
class QLabel;
class QToolButton;
class QVBoxLayout;

namespace lacuna::ui {

class BranchSwitch;
class MarkdownWriter;
class MessageEditor;
class ThemeSource;

/// How much of a text is shown at first: all of it, or the beginning of one that is long.
[[nodiscard]] qsizetype foldedLength(const QString& text);

/// Text as high as it needs to be, without scroll bars of its own. Nothing that the text names is
/// ever loaded.
class MessageText final : public QTextBrowser {
    Q_OBJECT

  public:
    explicit MessageText(QWidget* parent);
    /// What the tool tip says about the letter at a place of the text; empty function: nothing.
    std::function<QString(int place)> tipAt;
    /// Stand in the menu of the text after what can be done with any.
    QList<QAction*> offered;
    QVariant loadResource(int type, const QUrl& name) override;

  protected:
    QMimeData* createMimeDataFromSelection() const override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    void paintQuoteBars(const QRect& area);
    void fitHeight();
    void offerCode(const QPoint& at);
    void copyCode();

    QToolButton* m_copyCode = nullptr;  ///< over the block of code under the mouse
    int m_codePlace = 0;                ///< document position in that block
};

class MessageView final : public QFrame {
    Q_OBJECT

  public:
    MessageView(const app::ChatLine& line, const ThemeSource& themes, QWidget* parent);
    ~MessageView() override;
    /// Takes that width and the height that goes with it, and tells that one.
    int fit(int width);
    void appendText(const QString& text);
    void show(const app::ChatLine& line);
    void applyTheme();
    /// Shows all of a long text, or its beginning only. Folded is how a view begins.
    void setOpen(bool open);
    /// Slices of the text are still to be written.
    [[nodiscard]] bool writing() const { return m_written < goal(); }
    /// Selects the place that has these words for the `number`-th time, counted from 0, as soon as
    /// it is written; `sought` tells.
    void seek(const QString& words, int number);
    /// Nothing is selected any more.
    void deselect();
    /// px from the upper edge down to what is selected; nothing: nothing is.
    [[nodiscard]] std::optional<int> selectionTop() const;
    /// It has the keyboard, or words of it are selected.
    [[nodiscard]] bool inUse() const;
    /// What the tab key visits, in its order.
    [[nodiscard]] QWidgetList tabChain() const;
    /// Lines are not read well at any width.
    [[nodiscard]] static int widest(const QFontMetrics& letters);
    /// Tints the words. A question shows what was attached to it as well then.
    void setTint(std::optional<MessageTint> tint);
    /// Only the last message of a conversation can be gone on with, and what another answer reads
    /// is known of it.
    void setLast(bool last);
    /// Nothing of it can be asked again or changed.
    void setReadOnly(bool readOnly);
    /// Which of the branches that part here it stands in.
    void setBranch(const app::BranchPlace& place);
    /// Puts a field in place of the words, with the keyboard in it.
    void beginEdit();
    /// Tokens that asking what is being edited would read.
    void showEditCost(qint64 tokens);
    [[nodiscard]] bool editing() const { return m_editor != nullptr; }
    /// Marks words of it that no compaction forgets.
    void setPins(QVector<app::PinRow> pins);
    /// Stand in the menu of the words.
    void offer(const QList<QAction*>& actions) { m_text->offered = actions; }
    /// Letters of the message as it was sent that are selected, formatted or not; empty: none are.
    [[nodiscard]] TextRange selectedLetters() const;
    /// Whether its words are tinted.
    [[nodiscard]] bool tinted() const { return m_tint.has_value(); }

  Q_SIGNALS:
    /// Other words are selected.
    void markedChanged();
    void regenerateWanted();
    void continueWanted();
    void editWanted();
    void editSent(const QString& text);
    void editEnded();
    void branchWanted(int number);
    void branchDeleteWanted();
    /// A person folded or unfolded it.
    void openChanged(bool open);
    /// Another height may be due; fit() tells.
    void heightChanged();
    /// What was sought is selected, or is not there.
    void sought();

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
    void showCostOfAsking();
    void showText();
    void endEdit();
    void markPins();
    [[nodiscard]] TextPlaces places() const;
    [[nodiscard]] QString tipOf(int place) const;
    void showActions();
    void showFold();
    void copyText() const;
    void writeText();
    void writeMore();
    void findSought();
    /// What is written in slices.
    [[nodiscard]] const QString& whole() const { return m_tint ? m_tinted : m_line.text; }
    /// So many of its signs are wanted now.
    [[nodiscard]] qsizetype goal() const;

    const ThemeSource& m_themes;
    app::ChatLine m_line;
    QLabel* m_who = nullptr;
    QWidgetList m_chips;  ///< one for each attached text
    QWidget* m_actions = nullptr;
    MessageText* m_text = nullptr;
    QLabel* m_figures = nullptr;
    BranchSwitch* m_branches = nullptr;
    QToolButton* m_deleteBranch = nullptr;
    QToolButton* m_edit = nullptr;      ///< null: the system prompt has a window of its own
    MessageEditor* m_editor = nullptr;  ///< while it is edited
    QVector<app::PinRow> m_pins;
    QVector<TextRange> m_pinPlaces;  ///< in the document, one for each
    QToolButton* m_again = nullptr;  ///< of an answer
    QToolButton* m_goOn = nullptr;   ///< of an answer
    QLabel* m_problem = nullptr;
    QToolButton* m_fold = nullptr;             ///< of a text that was long once
    std::unique_ptr<MarkdownWriter> m_writer;  ///< of an answer
    QString m_tinted;                          ///< the message as it was sent, while it is tinted
    qsizetype m_written = 0;                   ///< signs of whole() that are in the document
    struct Sought {
        QString words;
        int number = 0;
    };
    std::optional<Sought> m_sought;  ///< and not found yet
    bool m_last = false;
    bool m_open = false;
    bool m_stale = true;  ///< nothing was written since the text, its look or its tint changed
    QTimer m_more;
    std::optional<MessageTint> m_tint;
    QVector<TintRun> m_runs;  ///< as written
};

}  // namespace lacuna::ui
