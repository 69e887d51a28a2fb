#pragma once
/// \file
/// Where a person writes: text field, attachment chips, send and stop. Enter sends, Shift+Enter
/// breaks the line. A pasted text over `kLongPaste` bytes becomes a chip above the field, so that
/// typing stays quick. Every chip says how many tokens it is, once they are counted.

#include <QFrame>
#include <QPlainTextEdit>
#include <QStringList>
#include <QVector>
#include <optional>

#include "app/state/chat_controller.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QScrollArea;
class QToolButton;

namespace lacuna::ui {

class YieldingLabel;

enum class PromptState { Writing, Answering };

/// The text field alone.
class PromptEdit final : public QPlainTextEdit {
    Q_OBJECT

  public:
    static constexpr qsizetype kLongPaste = 16 * 1024;  ///< bytes of UTF-8

    explicit PromptEdit(QWidget* parent);

  Q_SIGNALS:
    void sendWanted();
    void longTextPasted(const QString& text);
    /// Files were dropped on it or pasted.
    void filesGiven(const QStringList& paths);

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    [[nodiscard]] bool canInsertFromMimeData(const QMimeData* source) const override;
    void insertFromMimeData(const QMimeData* source) override;

  private:
    void fitHeight();
};

/// Paths of the local files in it; empty: it has none.
[[nodiscard]] QStringList filesIn(const QMimeData& data);

class PromptBox final : public QFrame {
    Q_OBJECT

  public:
    explicit PromptBox(QWidget* parent = nullptr);
    /// With several texts attached, each begins with its name in what is sent.
    [[nodiscard]] app::PromptDraft draft() const;
    void setText(const QString& text);
    void attach(const QString& name, const QString& text);
    /// Puts a question that was refused back, before what was written meanwhile.
    void giveBack(const app::PromptDraft& refused);
    void clear();
    /// `reason` why sending is impossible now, or empty.
    void setState(PromptState state, const QString& reason);
    /// `reason` why what stands here has no room, or empty: it has, or is not counted yet.
    void setNoRoom(const QString& reason);
    /// Why nothing can be sent now, a sentence; empty: something can.
    [[nodiscard]] QString whyNoSend() const;
    /// A line above the field: what goes on that a question here has to do with; empty: none.
    void showLine(const QString& sentence);
    void focusText();
    [[nodiscard]] PromptEdit* edit() const { return m_edit; }

    /// What is to be sent: the words, then each attached text.
    [[nodiscard]] QStringList texts() const;
    /// Of texts(), in their order.
    void showTokens(const QVector<qint64>& tokens);
    /// The attached text of most tokens, as far as they are counted; empty: there is none.
    [[nodiscard]] QString longestAttached() const;
    /// Of all texts; nothing: not counted, or none are there.
    [[nodiscard]] std::optional<qint64> tokens() const;

  Q_SIGNALS:
    void sendWanted();
    void stopWanted();
    void attachWanted();
    void filesGiven(const QStringList& paths);
    /// texts() is another, and tokens() not known.
    void textsChanged();

  private:
    struct Attachment {
        QString name, text;
        std::optional<qint64> tokens;
        QFrame* chip = nullptr;
        YieldingLabel* label = nullptr;
    };

    void addChip(Attachment& attachment);
    void remove(const QFrame* chip);
    void showChip(const Attachment& attachment) const;
    void changed();
    void showButtons();

    PromptEdit* m_edit;
    QScrollArea* m_chips;  ///< one row, however many there are
    QHBoxLayout* m_chipRow;
    QToolButton* m_attach;
    QLabel* m_line;
    QPushButton* m_send;
    QPushButton* m_stop;
    QVector<Attachment> m_attachments;
    std::optional<qint64> m_wordTokens;  ///< of what stands in the field
    QString m_reason, m_noRoom;
    PromptState m_state = PromptState::Writing;
};

}  // namespace lacuna::ui
