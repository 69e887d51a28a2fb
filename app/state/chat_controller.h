#pragma once
/// \file
/// Conversations and the answers that are being written: submit, stop, regenerate, edit, branches,
/// pinned words, rename, delete.
/// Owned by the GUI thread. Each conversation has one answer at a time: a second question in it is
/// refused with the reason while that one runs. Others are asked meanwhile; the engine answers as
/// many side by side as its settings say, and further ones wait.

#include <QMap>
#include <QObject>
#include <QString>
#include <QVector>
#include <memory>
#include <optional>
#include <vector>

#include "app/state/chat_branches.h"
#include "app/state/pinned_words.h"
#include "app/state/view_types.h"

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

/// What a person sends: their words and, apart from them, a long text they pasted.
struct PromptDraft {
    QString text;
    QString attachmentName;
    QString attachmentText;
    QVector<AttachedPart> parts = {};  ///< of several attached texts; else empty
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
    /// There is always a current conversation.
    [[nodiscard]] qint64 current() const;
    [[nodiscard]] ChatModel& currentModel();
    [[nodiscard]] QString title(qint64 conversation) const;
    [[nodiscard]] ConversationRecord record(qint64 conversation) const;
    /// In the current conversation.
    [[nodiscard]] bool answering() const;
    [[nodiscard]] bool answering(qint64 conversation) const;
    [[nodiscard]] bool anyAnswering() const;
    /// Other conversations than the current one that are being answered or wait for it.
    [[nodiscard]] QVector<qint64> answeringElsewhere() const;
    /// The current conversation has no message.
    [[nodiscard]] bool isEmpty() const;
    /// Of the current conversation, as the model is told them.
    [[nodiscard]] std::vector<ChatMessage> messages() const;
    /// Of the current conversation.
    [[nodiscard]] std::optional<PrefillView> prefill() const;
    /// Cache settings that a conversation has of its own (key and text), to be kept with it.
    void setOwnSettings(qint64 conversation, const QMap<QString, QString>& settings);
    /// What is said in a private conversation from now on is stored nowhere for others that begin
    /// alike, and takes nothing from there. What was stored of it before stays.
    void setPrivate(qint64 conversation, bool isPrivate);
    /// Why no question is taken now, as a sentence; empty: one is sent, or queued while a model is
    /// being loaded.
    [[nodiscard]] QString whyNoSubmit() const;
    /// The question of the current conversation waits for the model that is being loaded.
    [[nodiscard]] bool queued() const;
    [[nodiscard]] bool canRegenerate() const;
    /// Why the message at `row` cannot be edited, or answered again, now, as a sentence; empty: it
    /// can.
    [[nodiscard]] QString whyNoEdit(int row) const;
    [[nodiscard]] QString whyNoRegenerate(int row) const;
    /// Why another branch cannot be shown, or one deleted, now, as a sentence; empty: it can.
    [[nodiscard]] QString whyNoBranch() const;
    /// Row of the last question of the current conversation; -1: there is none.
    [[nodiscard]] int lastQuestionRow() const;
    /// Why the last answer cannot be gone on with, as a sentence; empty: it ended early and can.
    [[nodiscard]] QString whyNoContinue() const;
    /// What the model is told before the conversation; empty: nothing.
    [[nodiscard]] QString systemPrompt() const;
    /// Why it cannot be changed now, as a sentence; empty: it can.
    [[nodiscard]] QString whyNoSystemPrompt() const;
    /// The next question is asked with it; the text is read again from its start then.
    void setSystemPrompt(const QString& text);
    /// What conversations that have no message yet begin with, unless another is set, or none;
    /// empty: nothing.
    void setStandardPrompt(const QString& text);
    /// What a person may change of the message at `row`.
    [[nodiscard]] PromptDraft draftOf(int row) const;

    qint64 newConversation();
    void select(qint64 conversation);
    void rename(qint64 conversation, const QString& title);
    void remove(qint64 conversation);
    /// Takes the last removal back; its cache is rebuilt with the next question.
    void undoRemove();
    [[nodiscard]] bool canUndoRemove() const;
    /// Adds stored conversations, longest untouched first; the newest becomes current unless
    /// something was written here meanwhile. Lines that are not there are asked for (linesWanted)
    /// when the conversation is first looked at.
    void restore(const QVector<ConversationRecord>& records);
    void fill(qint64 conversation, const QVector<ChatLine>& lines,
              const QVector<HiddenLine>& hidden = {});

    void submit(const PromptDraft& draft);
    /// Stops the answer of the current conversation, or takes its queued question back.
    void stop();
    /// Breaks off a compaction of the current conversation that is at work in the background.
    void stopCompaction();
    /// Answers the last question again; what stood there stays as another branch.
    void regenerate();
    /// The same, after what it looks for among forgotten tokens was brought back; an answer that is
    /// being written is stopped first.
    void regenerateBroughtBack();
    /// The same for the answer at `row`.
    void regenerate(int row);
    /// Writes the last answer on from where it ended. @pre whyNoContinue() is empty
    void continueAnswer();
    /// Begins a conversation with the system prompt and the newer half of this one, which stays.
    qint64 goOnWithNewerHalf();
    /// Puts this in place of the message at `row`. What stood there, with all that follows it,
    /// stays as another branch. A question is asked; an answer can be gone on with. What is the
    /// same changes nothing.
    void edit(int row, const PromptDraft& draft);
    /// Shows branch `number`, from 1, of those at `row`.
    void showBranch(int row, int number);
    /// Shows the branch that has this line; false: it is in none, or cannot be shown now.
    bool showLine(qint64 line);
    /// Deletes the branch that is shown at `row`, and shows the one before it. Can be taken back
    /// until the next one.
    void removeBranch(int row);
    void undoRemoveBranch();
    [[nodiscard]] bool canUndoRemoveBranch() const;
    /// Asks how many tokens another answer to the message at `row` would read; a question itself,
    /// or the one that an answer is to. `askingEstimated` answers.
    void estimateAsking(int row);

    // --- pinned words (pinned_words.h) ---
    /// On the lines that are shown, in their order.
    [[nodiscard]] QVector<PinRow> pins() const;
    /// No compaction forgets them from now on, unless the engine says why not (pinRefused).
    void pin(const PinnedWords& words);
    void unpin(const PinnedWords& words);
    void unpinAll();
    void compactNow();
    /// Brings tokens of the current conversation back that its compactions forgot, by their places
    /// in its cache.
    void bringBack(qint64 first, qint64 count);
    /// Gives the cache of the current conversation up: its next question reads the whole text
    /// again.
    void giveCacheUp();
    void requestRetention();

    // From the model and the engine.
    /// `reason` why no model can answer, as a sentence; empty: one can. Questions are queued while
    /// one is being loaded.
    void setModelProblem(const QString& reason, bool loading = false);
    /// Sends the queued questions: the model is loaded.
    void sendQueued();
    /// Gives them back: it was not loaded.
    void returnQueued();
    /// Name of the model that answers from now on.
    void setModelName(const QString& name);
    /// No question is taken while there is a reason.
    void hold(const QString& reason);
    void onTurnStarted(const TurnStarted& event);
    void onPrefill(const PrefillProgress& event);
    /// `text` of one or more tokens, in order.
    void onText(qint64 conversation, const QString& text);
    /// `figures`: nothing where whoever answered does not tell them.
    void onTurnFinished(const TurnFinished& event, const std::optional<TurnRow>& figures);
    void onPinned(const TextPinned& event);
    void onEstimated(const ReadingEstimated& event);

  Q_SIGNALS:
    void currentChanged();
    /// Answering, readiness or what can be regenerated changed.
    void stateChanged();
    void prefillChanged();
    void titleChanged(qint64 conversation);
    /// Something worth storing happened to it.
    void conversationTouched(qint64 conversation);
    void conversationRemoved(qint64 conversation);
    void conversationReturned(qint64 conversation);
    void linesWanted(qint64 conversation);
    /// The engine was told to forget what it holds of it.
    void cacheGivenUp(qint64 conversation);
    /// The engine was told to compact its cache.
    void compactionAsked(qint64 conversation);
    void answerFinished(qint64 conversation);
    /// The context has no room for what was asked, or for more of the answer; `sentence` says it.
    void contextFull(qint64 conversation, const QString& sentence);
    /// Words of it are pinned or not any more, or their tokens were counted.
    void pinsChanged(qint64 conversation);
    /// Words were not pinned, and why, a sentence.
    void pinRefused(const QString& sentence);
    /// Of words of the current conversation that were pinned just now, so many tokens had been
    /// forgotten before. They are the `count` tokens from `first` on.
    void pinnedForgotten(qint64 tokens, qint64 first, qint64 count);
    /// Another answer to the message with this id would read `tokens` tokens.
    void askingEstimated(qint64 line, qint64 tokens);
    /// A question of the current conversation that was not sent, or refused for want of room: it
    /// stands there no more.
    void questionReturned(const lacuna::app::PromptDraft& draft);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
