#pragma once
/// \file
/// Questions and their running answers: submit, stop, regenerate, continue, edit. Owned by the GUI
/// thread. Each conversation has at most one running answer; a second submission is refused with a
/// reason. Answers of different conversations run concurrently up to the limit in the settings, and
/// further ones wait.

#include <QElapsedTimer>
#include <QObject>
#include <QString>
#include <QVector>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "app/state/chat/prompt_draft.h"
#include "app/state/chat/thought_reader.h"
#include "app/state/view_types.h"
#include "engine/session/thought_form.h"

namespace lacuna {
class CommandSink;
enum class BringBackMode;
struct ChatMessage;
struct TurnStarted;
struct TokenText;
struct TurnFinished;
struct PrefillProgress;
struct ReadingEstimated;
}  // namespace lacuna

namespace lacuna::app {

class ConversationList;
class ConversationPins;
class EventDispatcher;

class ConversationTurns final : public QObject {
    Q_OBJECT

  public:
    ConversationTurns(CommandSink& engine, ConversationList& list, ConversationPins& pins,
                      QObject* parent = nullptr);
    ~ConversationTurns() override;

    /// Prefill progress of the current conversation.
    [[nodiscard]] std::optional<PrefillView> prefill() const;
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
    /// Returns the reason why the last answer cannot be continued; empty if it ended early and can.
    [[nodiscard]] QString continueBlocker() const;
    /// Returns the editable content of the message at `row`.
    [[nodiscard]] PromptDraft draftOf(int row) const;

    void submit(const PromptDraft& draft);
    /// Stops the answer of the current conversation, or withdraws its queued submission.
    void stop();
    /// Regenerates the last answer; the previous one stays as another branch.
    void regenerate();
    /// Regenerates the last answer after restoring evicted tokens that are relevant to it. A
    /// running answer is stopped first.
    void regenerateRestored();
    /// Regenerates the answer at `row`.
    void regenerate(int row);
    /// Continues the last answer from its end. @pre continueBlocker() is empty
    void continueAnswer();
    /// Replaces the message at `row`; the old message and its successors stay as another branch. An
    /// edited user message is submitted, an edited answer can be continued. Does nothing if the
    /// text is unchanged.
    void edit(int row, const PromptDraft& draft);
    /// Estimates how many tokens regenerating would read: for a user message its answer, for an
    /// answer the answer itself. The result is reported by `rereadingEstimated`.
    void estimateRereading(int row);

    // Input from the model and the engine:
    /// Subscribes to the events that only this object handles.
    void subscribeTo(EventDispatcher& events);
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
    void onEstimated(const ReadingEstimated& event);

  Q_SIGNALS:
    /// Emitted when answering, readiness, or what can be regenerated has changed. Includes
    /// ConversationList::stateChanged.
    void stateChanged();
    void prefillChanged();
    void answerFinished(qint64 conversation);
    /// Emitted when the context has no room for the prompt or for more of the answer; `sentence`
    /// describes it.
    void contextFull(qint64 conversation, const QString& sentence);
    /// Reports that regenerating the message with this id would read `tokens` tokens.
    void rereadingEstimated(qint64 line, qint64 tokens);
    /// Emitted when a user message of the current conversation was not sent, or refused for lack of
    /// space. It is removed from the conversation.
    void questionReturned(const lacuna::app::PromptDraft& draft);

  private:
    /// A requested answer that has not ended.
    struct Answer {
        std::optional<PrefillView> prefill = {};  ///< set during prefill
        QElapsedTimer prefillClock = {};
        QString begun = {};  ///< existing text of an answer that is being continued
        std::optional<TurnRow> begunFigures = {};  ///< figures of that text
        bool queued = false;                       ///< waits for the model to load
        ThoughtReader reader = {};
        bool dirty = false;  ///< the reader holds text that is not shown yet
    };

    [[nodiscard]] Answer* answerOf(qint64 conversation);
    [[nodiscard]] const Answer* answerOf(qint64 conversation) const;
    [[nodiscard]] std::vector<qint64> queuedIds() const;
    [[nodiscard]] QString busyReason() const;
    [[nodiscard]] Answer newAnswer() const;
    void begin(qint64 conversation, Answer answer);
    std::optional<Answer> end(qint64 conversation);
    void cancelRemoved(qint64 conversation);
    void ask(qint64 conversation, std::optional<BringBackMode> bringBack = std::nullopt);
    void requeue(int row, std::optional<BringBackMode> bringBack);
    void queue(qint64 conversation);
    void send(qint64 conversation, std::vector<ChatMessage> messages, Answer answer,
              std::optional<BringBackMode> bringBack = std::nullopt);
    void show(qint64 conversation, Answer& answer);
    void returnQuestion(qint64 conversation);
    void returnUnsent(qint64 conversation);

    CommandSink& m_engine;
    ConversationList& m_list;
    ConversationPins& m_pins;
    std::map<qint64, Answer> m_answers;    ///< by conversation id
    std::optional<qint64> m_restoredNext;  ///< conversation to regenerate with restored tokens
                                           ///< once its answer has ended
    std::map<qint64, std::pair<qint64, qint64>> m_estimates;  ///< (conversation, line) by request
                                                              ///< number
    qint64 m_lastEstimate = 0;
    QString m_modelProblem;
    bool m_loading = false;  ///< true if m_modelProblem is temporary because a model is loading
    QString m_modelName;
    ThoughtForm m_thoughtForm;
    QString m_held;  ///< reason for refusing submissions, or empty
};

}  // namespace lacuna::app
