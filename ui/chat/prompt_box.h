#pragma once
/// \file
/// Prompt input: text field, attachment chips, send and stop. Enter sends, Shift+Enter breaks the
/// line. A pasted text over `kLongPaste` bytes becomes a chip above the field to keep typing fast.
/// Each chip shows its token count once it is known.

#include <QFrame>
#include <QPlainTextEdit>
#include <QStringList>
#include <QVector>
#include <optional>

#include "app/state/chat/chat_controller.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace lacuna::ui {

class ElidingLabel;

enum class PromptState { Writing, Answering };

/// The text field alone.
class PromptEdit final : public QPlainTextEdit {
    Q_OBJECT

  public:
    static constexpr qsizetype kLongPaste = 16 * 1024;  ///< bytes of UTF-8

    explicit PromptEdit(QWidget* parent);

  Q_SIGNALS:
    void sendRequested();
    void longTextPasted(const QString& text);
    /// Emitted when files are dropped or pasted.
    void filesDropped(const QStringList& paths);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    [[nodiscard]] bool canInsertFromMimeData(const QMimeData* source) const override;
    void insertFromMimeData(const QMimeData* source) override;

  private:
    void fitHeight();
};

/// Paths of the local files in `data`; empty if there are none.
[[nodiscard]] QStringList filesIn(const QMimeData& data);

class PromptBox final : public QFrame {
    Q_OBJECT

  public:
    explicit PromptBox(QWidget* parent = nullptr);
    /// Content to send. With several attachments, each begins with its name.
    [[nodiscard]] app::PromptDraft draft() const;
    void setText(const QString& text);
    void attach(const QString& name, const QString& text);
    /// Restores a refused question in front of anything written since.
    void restoreDraft(const app::PromptDraft& refused);
    void clear();
    /// `reason` states why sending is impossible; empty if it is possible.
    void setState(PromptState state, const QString& reason);
    /// `reason` states why the content does not fit; empty if it does or is not counted yet.
    void setNoRoom(const QString& reason);
    /// Sentence that states why nothing can be sent; empty if sending is possible.
    [[nodiscard]] QString sendBlocker() const;
    /// Shows a line above the field about work in progress that affects a question; empty hides it.
    void showLine(const QString& sentence);
    void focusText();
    [[nodiscard]] PromptEdit* edit() const { return m_edit; }

    /// Texts to be sent: the words, then each attachment.
    [[nodiscard]] QStringList texts() const;
    /// Token counts of texts(), in the same order.
    void showTokens(const QVector<qint64>& tokens);
    /// Name of the attachment with the most tokens among those counted; empty if there is none.
    [[nodiscard]] QString longestAttached() const;
    /// Total of all texts; nullopt if not counted or there are none.
    [[nodiscard]] std::optional<qint64> tokens() const;

  Q_SIGNALS:
    void sendRequested();
    void stopRequested();
    void attachRequested();
    void filesDropped(const QStringList& paths);
    /// Emitted when texts() has changed and tokens() is unknown.
    void textsChanged();

  private:
    struct Attachment {
        QString name, text;
        std::optional<qint64> tokens;
        QFrame* chip = nullptr;
        ElidingLabel* label = nullptr;
    };

    void addChip(Attachment& attachment);
    void remove(const QFrame* chip);
    void showChip(const Attachment& attachment) const;
    void changed();
    void showButtons();

    PromptEdit* m_edit;
    QScrollArea* m_chips;  ///< a single scrolling row
    QHBoxLayout* m_chipRow;
    QToolButton* m_attach;
    QLabel* m_line;
    QPushButton* m_send;
    QPushButton* m_stop;
    QVector<Attachment> m_attachments;
    std::optional<qint64> m_wordTokens;  ///< tokens of the text field
    QString m_reason, m_noRoom;
    PromptState m_state = PromptState::Writing;
};

}  // namespace lacuna::ui
