#pragma once
/// \file
/// The rows of the chat: the messages of one conversation, and the list of conversations. Owned by
/// the GUI thread; ChatController writes them.

#include <QAbstractListModel>
#include <QVector>
#include <optional>

#include "app/state/chat_branches.h"
#include "app/state/view_types.h"

namespace lacuna::app {

/// The messages of one conversation as rows. Text of an answer is appended as it streams. Owned by
/// the GUI thread.
class ChatModel final : public QAbstractListModel {
    Q_OBJECT

  public:
    enum Role { TextRole = Qt::DisplayRole, SpeakerRole = Qt::UserRole, StateRole, IdRole };

    using QAbstractListModel::QAbstractListModel;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QHash<int, QByteArray> roleNames() const override;

    [[nodiscard]] const QVector<ChatLine>& lines() const { return m_lines; }
    [[nodiscard]] const ChatLine& line(int row) const { return m_lines.at(row); }
    [[nodiscard]] bool isEmpty() const { return m_lines.isEmpty(); }

    /// Adds a line and gives its id, unique within the model.
    qint64 append(ChatLine line);
    /// Streams `text` onto the last line and marks it as streaming. Emits textAppended, not
    /// dataChanged.
    void appendText(const QString& text);
    /// Replaces everything but id and text of the last line.
    void finishLast(LineState state, const QString& problem, const std::optional<TurnRow>& figures);
    void replaceLastText(const QString& text);
    /// The last answer is written on: what stands there stays, its figures and problem go.
    void reopenLast();
    /// The last line is an answer that this model begins, or continues.
    void noteModel(const QString& name);
    /// The system prompt: the first line, where there is one; empty: none.
    [[nodiscard]] QString systemPrompt() const;
    void setSystemPrompt(const QString& text);
    void removeLast();
    /// Lines keep the ids they have; those without one, or with one that another has, get one.
    void setLines(QVector<ChatLine> lines, QVector<HiddenLine> hidden = {});

    /// What another answer in place of this line would read, where it is the last one.
    void noteAskingAgain(qint64 line, qint64 tokens);

    // --- branches (chat_branches.h) ---
    [[nodiscard]] const QVector<HiddenLine>& hidden() const { return m_hidden; }
    [[nodiscard]] BranchPlace branchAt(int row) const {
        return app::branchAt(m_lines, m_hidden, row);
    }
    /// The lines from `row` on become a branch that is not shown.
    void hideFrom(int row);
    /// Shows branch `number` (from 1) of those at `row`; the one that was shown is hidden. What
    /// follows it is as it was left.
    void showBranch(int row, int number);
    /// Shows the branch with this line; false: there is no such line.
    bool showLine(qint64 id);
    /// Where nothing follows the last line, but something hidden did: shows what was hidden last.
    void showWhatFollowed();
    /// Takes the branch that is shown at `row` out, with all that follows it in any branch, and
    /// shows the one before it. @pre branchAt(row).count > 1
    QVector<HiddenLine> takeBranchAt(int row);
    /// Takes that back and shows `line` of it.
    void giveBranchBack(const QVector<HiddenLine>& branch, qint64 line);
    /// Other lines, of which those that stand there already stay: for lines that change a little at
    /// a time. Nothing hidden is touched.
    void become(const QVector<ChatLine>& lines);

  Q_SIGNALS:
    /// `text` was added to the end of the last line; cheaper to follow than dataChanged.
    void textAppended(const QString& text);

  private:
    void lastChanged();
    void showHidden(int row, qint64 id);

    QVector<ChatLine> m_lines;
    QVector<HiddenLine> m_hidden;
    qint64 m_nextId = 1;
};

/// The conversations of the session list, newest first. Owned by the GUI thread; ChatController
/// writes it.
class ConversationListModel final : public QAbstractListModel {
    Q_OBJECT

  public:
    enum Role {
        TitleRole = Qt::DisplayRole,
        IdRole = Qt::UserRole,
        AnsweringRole,
        OwnSettingsRole,
        ChangedRole  ///< ms since 1970; 0: not known
    };

    using QAbstractListModel::QAbstractListModel;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] const QVector<ConversationRow>& rows() const { return m_rows; }
    [[nodiscard]] std::optional<int> rowOf(qint64 id) const;

    void prepend(const ConversationRow& row);
    void update(const ConversationRow& row);
    void remove(qint64 id);

  private:
    QVector<ConversationRow> m_rows;
};

}  // namespace lacuna::app
