#pragma once
/// \file
/// The conversations: the current one, titles, system prompts, branches, deletion and its undo.
/// Knows which conversations are being answered, but not how. Owned by the GUI thread.

#include <QMap>
#include <QObject>
#include <QString>
#include <QVector>
#include <memory>
#include <optional>
#include <vector>

#include "app/state/chat/chat_branches.h"
#include "app/state/chat/chat_model.h"
#include "app/state/chat/pinned_words.h"
#include "app/state/view_types.h"

namespace lacuna {
struct ChatMessage;
}

namespace lacuna::app {

struct ConversationRecord;

class ConversationList final : public QObject {
    Q_OBJECT

  public:
    explicit ConversationList(QObject* parent = nullptr);
    ~ConversationList() override;

    [[nodiscard]] ConversationListModel& itemModel();
    /// Id of the current conversation, which always exists.
    [[nodiscard]] qint64 current() const;
    [[nodiscard]] ChatModel& currentModel();
    [[nodiscard]] QString title(qint64 conversation) const;
    [[nodiscard]] ConversationRecord record(qint64 conversation) const;
    /// Returns true while the current conversation is being answered.
    [[nodiscard]] bool answering() const;
    [[nodiscard]] bool answering(qint64 conversation) const;
    [[nodiscard]] bool anyAnswering() const;
    /// Returns the other conversations with a running or waiting answer.
    [[nodiscard]] QVector<qint64> otherAnswering() const;
    /// Returns true if the current conversation has no message.
    [[nodiscard]] bool isEmpty() const;
    /// Messages of the current conversation as sent to the model.
    [[nodiscard]] std::vector<ChatMessage> messages() const;
    /// Row of the last user message in the current conversation; -1 if there is none.
    [[nodiscard]] int lastQuestionRow() const;

    qint64 newConversation();
    void select(qint64 conversation);
    void rename(qint64 conversation, const QString& title);
    void remove(qint64 conversation);
    /// Restores the conversation that was removed last. Its cache is rebuilt with the next turn.
    void undoRemove();
    [[nodiscard]] bool canUndoRemove() const;
    /// Starts a conversation with the system prompt and the newer half of this one, which is kept.
    /// Returns its id.
    qint64 continueWithNewerHalf();
    /// Sets a conversation's own cache settings (key and text), which are stored with it.
    void setOwnSettings(qint64 conversation, const QMap<QString, QString>& settings);
    /// Excludes the conversation from the shared prefix cache for later turns, both for reading and
    /// writing. Entries stored before are kept.
    void setPrivate(qint64 conversation, bool isPrivate);

    /// Adds stored conversations, least recently changed first. The newest becomes current unless
    /// the user has already started a conversation. Missing lines are requested (linesRequested)
    /// when the conversation is first shown.
    void restore(const QVector<ConversationRecord>& records);
    void fill(qint64 conversation, const QVector<ChatLine>& lines,
              const QVector<HiddenLine>& hidden = {});

    // --- system prompts ---
    /// System prompt of the current conversation; empty if there is none.
    [[nodiscard]] QString systemPrompt() const;
    /// Changes the system prompt unless changeBlocker() is set. The next turn uses it and reads the
    /// whole text again.
    void setSystemPrompt(const QString& text);
    /// Sets the default system prompt of conversations without messages; empty for none.
    void setDefaultPrompt(const QString& text);

    // --- branches of the current conversation (chat_branches.h) ---
    /// Returns the reason why the system prompt and the shown branches cannot be changed; empty if
    /// they can.
    [[nodiscard]] QString changeBlocker() const;
    /// Shows branch `number` (from 1) at `row`.
    void showBranch(int row, int number);
    /// Shows the branch that contains this line. Returns false if there is none, or if branches
    /// cannot be switched.
    bool showLine(qint64 line);
    /// Deletes the branch shown at `row` and shows the previous one. Can be undone until the next
    /// deletion.
    void removeBranch(int row);
    void undoRemoveBranch();
    [[nodiscard]] bool canUndoRemoveBranch() const;

    // --- for the parts that change conversations; unknown ids are ignored ---
    /// Lines of a conversation; null if it does not exist.
    [[nodiscard]] ChatModel* modelOf(qint64 conversation);
    [[nodiscard]] const ChatModel* modelOf(qint64 conversation) const;
    /// Returns the lines without an answer that is still being written.
    [[nodiscard]] QVector<ChatLine> finishedLines(qint64 conversation) const;
    [[nodiscard]] bool isPrivate(qint64 conversation) const;
    [[nodiscard]] QVector<PinnedWords> pinsOf(qint64 conversation) const;
    void setPins(qint64 conversation, const QVector<PinnedWords>& pins);
    /// Sets the title unless the user has chosen one.
    void suggestTitle(qint64 conversation, const QString& title);
    /// Sets the description of the settings at the last answer.
    void setUsedSettings(qint64 conversation, const QString& settings);
    /// Sets whether an answer is running or waiting; publish() shows it.
    void setAnswering(qint64 conversation, bool answering);
    /// Publishes that the conversation has changes to be stored.
    void touch(qint64 conversation);
    /// Publishes a changed conversation.
    void publish(qint64 conversation);
    /// Publishes a conversation that was changed now by a message.
    void publishChanged(qint64 conversation);
    /// Publishes edited lines.
    void publishLines(qint64 conversation);

  Q_SIGNALS:
    void currentChanged();
    /// Emitted when answering, the current conversation or its lines have changed.
    void stateChanged();
    void titleChanged(qint64 conversation);
    /// Emitted when lines were loaded, edited, or exchanged for those of another branch.
    void linesChanged(qint64 conversation);
    /// Emitted when another branch of the current conversation was chosen.
    void branchShown();
    /// Emitted when a conversation has changes to be stored.
    void touched(qint64 conversation);
    /// Emitted while the conversation still exists.
    void aboutToBeRemoved(qint64 conversation);
    void removed(qint64 conversation);
    void returned(qint64 conversation);
    void linesRequested(qint64 conversation);

  private:
    struct Conversation;
    /// The branch that was deleted last.
    struct RemovedBranch {
        qint64 conversation = 0;
        qint64 line = 0;  ///< id of its first line
        QVector<HiddenLine> lines;
    };

    [[nodiscard]] Conversation* find(qint64 id) const;
    [[nodiscard]] Conversation& here() const;
    Conversation& add(ConversationRecord record);

    ConversationListModel m_items;
    std::vector<std::unique_ptr<Conversation>> m_conversations;
    std::unique_ptr<Conversation> m_removed;  ///< conversation that was removed last
    std::optional<RemovedBranch> m_removedBranch;
    QString m_standardPrompt;  ///< system prompt of conversations without messages
    qint64 m_nextId;           ///< unique across runs, because stored conversations keep their ids
    qint64 m_current = 0;
};

}  // namespace lacuna::app
