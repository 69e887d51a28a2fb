#pragma once
/// \file
/// Conversations and their running answers: submit, stop, regenerate, edit, branches, pinned words,
/// rename, delete. Owned by the GUI thread. Each conversation has at most one running answer; a
/// second submission is refused with a reason. Answers of different conversations run concurrently
/// up to the limit in the settings, and further ones wait.

#include <QMap>
#include <QObject>
#include <QString>
#include <QVector>
#include <memory>
#include <optional>
#include <vector>

#include "app/state/chat/chat_branches.h"
#include "app/state/chat/pinned_words.h"
#include "app/state/view_types.h"
#include "engine/session/thought_form.h"

namespace lacuna {
class CommandSink;
struct ChatMessage;
struct TurnStarted;
struct TokenText;
struct TurnFinished;
struct PrefillProgress;
struct ReadingEstimated;
struct TextPinned;
}  // namespace lacuna

namespace lacuna::app {

class ChatModel;
class ConversationListModel;
struct ConversationRecord;

/// User input: the typed text and, separately, attached or pasted text.
struct PromptDraft {
    QString text;
    QString attachmentName;
    QString attachmentText;
    QVector<AttachedPart> parts = {};  ///< parts of the attachment if it contains several texts;
                                       ///< otherwise empty
    [[nodiscard]] bool isEmpty() const {
        return text.trimmed().isEmpty() && attachmentText.isEmpty();
    }
};

class ChatController final : public QObject {
    Q_OBJECT

  public:
    explicit ChatController(CommandSink& engine, QObject* parent = nullptr);
    ~ChatController() override;

    [[nodiscard]] ConversationListModel& conversations();
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
    /// Prefill progress of the current conversation.
    [[nodiscard]] std::optional<PrefillView> prefill() const;
    /// Sets a conversation's own cache settings (key and text), which are stored with it.
    void setOwnSettings(qint64 conversation, const QMap<QString, QString>& settings);
    /// Excludes the conversation from the shared prefix cache for later turns, both for reading and
    /// writing. Entries stored before are kept.
    void setPrivate(qint64 conversation, bool isPrivate);
    /// Returns the reason why nothing can be submitted; empty if a submission is sent, or queued
    /// while a model is loading.
    [[nodiscard]] QString submitBlocker() const;
    /// Returns true if the current conversation's submission waits for the model to load.
    [[nodiscard]] bool queued() const;
    [[nodiscard]] bool canRegenerate() const;
    /// Returns the reason why the message at `row` cannot be edited or regenerated; empty if it
    /// can.
    [[nodiscard]] QString editBlocker(int row) const;
    [[nodiscard]] QString regenerateBlocker(int row) const;
    /// Returns the reason why branches cannot be switched or deleted; empty if they can.
    [[nodiscard]] QString branchBlocker() const;
    /// Row of the last user message in the current conversation; -1 if there is none.
    [[nodiscard]] int lastQuestionRow() const;
    /// Returns the reason why the last answer cannot be continued; empty if it ended early and can.
    [[nodiscard]] QString continueBlocker() const;
    /// System prompt of the current conversation; empty if there is none.
    [[nodiscard]] QString systemPrompt() const;
    /// Returns the reason why the system prompt cannot be changed; empty if it can.
    [[nodiscard]] QString systemPromptBlocker() const;
    /// Changes the system prompt. The next turn uses it and reads the whole text again.
    void setSystemPrompt(const QString& text);
    /// Sets the default system prompt of conversations without messages; empty for none.
    void setDefaultPrompt(const QString& text);
    /// Returns the editable content of the message at `row`.
    [[nodiscard]] PromptDraft draftOf(int row) const;

    qint64 newConversation();
    void select(qint64 conversation);
    void rename(qint64 conversation, const QString& title);
    void remove(qint64 conversation);
    /// Restores the conversation that was removed last. Its cache is rebuilt with the next turn.
    void undoRemove();
    [[nodiscard]] bool canUndoRemove() const;
    /// Adds stored conversations, least recently changed first. The newest becomes current unless
    /// the user has already started a conversation. Missing lines are requested (linesRequested)
    /// when the conversation is first shown.
    void restore(const QVector<ConversationRecord>& records);
    void fill(qint64 conversation, const QVector<ChatLine>& lines,
              const QVector<HiddenLine>& hidden = {});

    void submit(const PromptDraft& draft);
    /// Stops the answer of the current conversation, or withdraws its queued submission.
    void stop();
    /// Cancels a background compaction of the current conversation.
    void stopCompaction();
    /// Regenerates the last answer; the previous one stays as another branch.
    void regenerate();
    /// Regenerates the last answer after restoring evicted tokens that are relevant to it. A
    /// running answer is stopped first.
    void regenerateRestored();
    /// Regenerates the answer at `row`.
    void regenerate(int row);
    /// Continues the last answer from its end. @pre continueBlocker() is empty
    void continueAnswer();
    /// Starts a conversation with the system prompt and the newer half of this one, which is kept.
    /// Returns its id.
    qint64 continueWithNewerHalf();
    /// Replaces the message at `row`; the old message and its successors stay as another branch. An
    /// edited user message is submitted, an edited answer can be continued. Does nothing if the
    /// text is unchanged.
    void edit(int row, const PromptDraft& draft);
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
    /// Estimates how many tokens regenerating would read: for a user message its answer, for an
    /// answer the answer itself. The result is reported by `rereadingEstimated`.
    void estimateRereading(int row);

    // --- pinned words (pinned_words.h) ---
    /// Pins on the shown lines, in order.
    [[nodiscard]] QVector<PinRow> pins() const;
    /// Protects these words from compactions unless the engine refuses (pinRefused).
    void pin(const PinnedWords& words);
    void unpin(const PinnedWords& words);
    void unpinAll();
    void compactNow();
    /// Restores evicted tokens of the current conversation, given by position in its cache.
    void bringBack(qint64 first, qint64 count);
    /// Drops the cache of the current conversation; its next turn reads the whole text again.
    void releaseCache();
    void requestRetention();

    // Input from the model and the engine:
    /// Sets the reason why no model can answer; empty if one can. Submissions are queued while
    /// `loading`.
    void setModelProblem(const QString& reason, bool loading = false);
    /// Sends the queued submissions after the model was loaded.
    void sendQueued();
    /// Withdraws the queued submissions because the model was not loaded.
    void returnQueued();
    /// Sets the name of the model that answers later turns.
    void setModelName(const QString& name);
    /// Sets how that model separates reasoning from its answer.
    void setThoughtForm(ThoughtForm form);
    /// Refuses submissions while `reason` is not empty.
    void hold(const QString& reason);
    void onTurnStarted(const TurnStarted& event);
    void onPrefill(const PrefillProgress& event);
    /// Adds a token to the running answer; it is shown with the next flushText().
    void onText(const TokenText& event);
    /// Shows the added tokens.
    void flushText();
    /// Adds and shows text whose tokens are unknown.
    void onText(qint64 conversation, const QString& text);
    /// `figures` is nullopt if the engine does not report them.
    void onTurnFinished(const TurnFinished& event, const std::optional<TurnRow>& figures);
    void onPinned(const TextPinned& event);
    void onEstimated(const ReadingEstimated& event);

  Q_SIGNALS:
    void currentChanged();
    /// Emitted when answering, readiness, or what can be regenerated has changed.
    void stateChanged();
    void prefillChanged();
    void titleChanged(qint64 conversation);
    /// Emitted when a conversation has changes to be stored.
    void conversationTouched(qint64 conversation);
    void conversationRemoved(qint64 conversation);
    void conversationRestored(qint64 conversation);
    void linesRequested(qint64 conversation);
    /// Emitted when the engine was requested to drop the conversation's cache.
    void cacheReleased(qint64 conversation);
    /// Emitted when the engine was requested to compact the conversation's cache.
    void compactionRequested(qint64 conversation);
    void answerFinished(qint64 conversation);
    /// Emitted when the context has no room for the prompt or for more of the answer; `sentence`
    /// describes it.
    void contextFull(qint64 conversation, const QString& sentence);
    /// Emitted when pins were added, removed, or their tokens counted.
    void pinsChanged(qint64 conversation);
    /// Emitted when words could not be pinned; `sentence` is the reason.
    void pinRefused(const QString& sentence);
    /// Emitted if `tokens` of the words just pinned in the current conversation had been evicted
    /// before. They are the `count` tokens from `first` on.
    void pinnedEvicted(qint64 tokens, qint64 first, qint64 count);
    /// Reports that regenerating the message with this id would read `tokens` tokens.
    void rereadingEstimated(qint64 line, qint64 tokens);
    /// Emitted when a user message of the current conversation was not sent, or refused for lack of
    /// space. It is removed from the conversation.
    void questionReturned(const lacuna::app::PromptDraft& draft);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
