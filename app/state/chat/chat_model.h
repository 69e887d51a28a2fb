#pragma once
/// \file
/// Item models of the chat view: the messages of one conversation, and the list of conversations.
/// Owned by the GUI thread; written by ChatController.

#include <QAbstractListModel>
#include <QVector>
#include <optional>

#include "app/state/chat/chat_branches.h"
#include "app/state/view_types.h"

namespace lacuna::app {

/// The messages of one conversation. Text of a running answer is appended as it arrives. Owned by
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

    /// Adds a line and returns its id, which is unique within the model.
    qint64 append(ChatLine line);
    /// Appends `text` to the last line and marks it as streaming. Emits textAppended instead of
    /// dataChanged.
    void appendText(const QString& text);
    /// Appends to the reasoning of the last line, whose time and tokens are `seconds` and `tokens`
    /// so far. Emits thoughtAppended instead of dataChanged.
    void appendThought(const QString& text, double seconds, qint64 tokens);
    /// Updates the last line except its id and text.
    void finishLast(LineState state, const QString& problem, const std::optional<TurnRow>& figures);
    void replaceLastText(const QString& text, const Thought& thought = {});
    /// Reopens the last answer for continuation: its text is kept, its figures and problem are
    /// cleared.
    void reopenLast();
    /// Records the model that begins or continues the last answer.
    void noteModel(const QString& name);
    /// Returns the system prompt, which is the first line; empty if there is none.
    [[nodiscard]] QString systemPrompt() const;
    void setSystemPrompt(const QString& text);
    void removeLast();
    /// Replaces all lines. Ids are kept; lines with a missing or duplicate id get a new one.
    void setLines(QVector<ChatLine> lines, QVector<HiddenLine> hidden = {});

    /// Records how many tokens regenerating `line` would read, if it is the last line.
    void noteAskingAgain(qint64 line, qint64 tokens);

    // --- branches (chat_branches.h) ---
    [[nodiscard]] const QVector<HiddenLine>& hidden() const { return m_hidden; }
    [[nodiscard]] BranchPosition branchAt(int row) const {
        return app::branchAt(m_lines, m_hidden, row);
    }
    /// Hides the lines from `row` on as a branch.
    void hideFrom(int row);
    /// Shows branch `number` (from 1) at `row` and hides the current one. At later branching
    /// points, the branches shown last are restored.
    void showBranch(int row, int number);
    /// Shows the branch with this line; returns false if there is no such line.
    bool showLine(qint64 id);
    /// If the last line has only hidden successors, shows the branch hidden last.
    void showNewestSuccessor();
    /// Removes the branch shown at `row` with all its descendants and shows the previous branch.
    /// @pre branchAt(row).count > 1
    QVector<HiddenLine> removeBranchAt(int row);
    /// Restores a removed branch and shows its line `line`.
    void releaseBranch(const QVector<HiddenLine>& branch, qint64 line);
    /// Replaces the lines but reuses those that are already present; for incremental changes.
    /// Hidden lines are not affected.
    void become(const QVector<ChatLine>& lines);

  Q_SIGNALS:
    /// Emitted when `text` was appended to the last line; cheaper to handle than dataChanged.
    void textAppended(const QString& text);
    /// Emitted when `text`, which may be empty, was appended to the reasoning of the last line.
    void thoughtAppended(const QString& text);

  private:
    void startStreaming();
    void lastChanged();
    void showHidden(int row, qint64 id);

    QVector<ChatLine> m_lines;
    QVector<HiddenLine> m_hidden;
    qint64 m_nextId = 1;
};

/// The list of conversations, newest first. Owned by the GUI thread; written by ChatController.
class ConversationListModel final : public QAbstractListModel {
    Q_OBJECT

  public:
    enum Role {
        TitleRole = Qt::DisplayRole,
        IdRole = Qt::UserRole,
        AnsweringRole,
        OwnSettingsRole,
        ChangedRole  ///< ms since 1970; 0 if unknown
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
