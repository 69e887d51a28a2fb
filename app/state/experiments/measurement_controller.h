#pragma once
/// \file
/// Measurements on request: the predicted result of a compaction, a comparison of two settings on
/// one prompt, and a sweep of many settings over a conversation. Owned by the GUI thread.

#include <QHash>
#include <QObject>
#include <functional>
#include <memory>
#include <vector>

#include "app/state/experiments/measure_views.h"
#include "app/state/view_types.h"

namespace lacuna {
class CommandSink;
struct ChatMessage;
struct CompactionPreviewed;
struct ComparedText;
struct EngineConfig;
struct MachineFacts;
struct ModelFacts;
struct PreviewOutcome;
struct QualityJobProgress;
struct SettingsCompared;
struct SettingsSwept;
}  // namespace lacuna

namespace lacuna::app {

class ConfigController;

/// Predicts the result of compacting the current conversation before settings are applied, and
/// shows the actual result afterwards. Keeps the latest prediction per conversation. While no
/// answer is running, also measures the predicted loss of the doublings of the AM ratio and of the
/// requested ratio, one at a time, so that an answer waits for at most one trial. The engine
/// computes predictions between two steps. Owned by the GUI thread.
class PreviewController final : public QObject {
    Q_OBJECT

  public:
    explicit PreviewController(CommandSink& engine, QObject* parent = nullptr);
    ~PreviewController() override;

    /// Prediction for the shown conversation.
    [[nodiscard]] const PreviewView& view() const;
    /// Requests a prediction for the requested settings.
    void estimate();
    /// Predicted losses of all ratios for the shown conversation.
    [[nodiscard]] const PredictedLossView& predictedLoss() const;
    /// Kind of the pending request; None if there is none.
    [[nodiscard]] EngineJob job() const;
    /// Measures missing losses even if the method currently compacts nothing; called while the
    /// slider moves.
    void predictLoss();

    // Input from the other controllers:
    void showConversation(qint64 conversation);
    /// Sets the active settings plus all pending changes.
    void setRequested(const EngineConfig& config);
    /// Discards predictions when the caches are dropped.
    void clear();
    /// Suspends ratio trials while an answer is running.
    void setAnswering(bool answering);
    /// Discards the losses of a conversation whose text has grown.
    void onGrown(qint64 conversation);
    /// Discards all losses, because new head profiles change the budgets of the heads.
    void onHeadProfiles();

    // Input from the engine:
    void onPreviewed(const CompactionPreviewed& event);
    void onOutcome(const PreviewOutcome& event);

  Q_SIGNALS:
    void changed();
    void predictedLossChanged();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Comparisons and sweeps: requests, progress, cancellation and results. Only one measurement runs
/// at a time, because the engine computes no answers meanwhile. Owned by the GUI thread.
class MeasurementController final : public QObject {
    Q_OBJECT

  public:
    /// Dependencies: the messages of the shown conversation as sent to the model, its id, the
    /// number of tokens in its cache (0 if unknown), and the active settings.
    struct Ports {
        std::function<std::vector<ChatMessage>()> messages;
        std::function<qint64()> conversation;
        std::function<qint64()> contextTokens;
        std::function<const EngineConfig&()> inEffect;
    };

    MeasurementController(CommandSink& engine, const MachineFacts& machine, Ports ports,
                          QObject* parent = nullptr);
    ~MeasurementController() override;

    [[nodiscard]] const MeasuringView& view() const;
    /// Returns the reason why no measurement can start; empty if one can.
    [[nodiscard]] QString disabledReason() const;
    /// Settings of A (0) and B (1). Changes are effective immediately, because no engine uses them.
    [[nodiscard]] ConfigController& side(int number);
    /// Sets A to the active settings without compression, and B to the active settings, or to
    /// attention matching if they do not compress.
    void resetSidesToSettings();
    /// Answers the last user message, or `question` as a further one, under both settings. Emits
    /// `compared` at the end.
    void compare(const QString& question);
    /// Methods available for a sweep, as (name, description).
    [[nodiscard]] static QVector<std::pair<QString, QString>> methods();
    /// Returns the display name of a method or of a row in a quality table.
    [[nodiscard]] static QString methodLabel(const QString& name);
    /// Applies every method at every size to the answers of the conversation. Emits `sweptSoFar`
    /// with intermediate results and `swept` at the end.
    void sweep(const SweepAsk& ask);
    /// Cancels the running measurement; its result reports the cancellation.
    void cancel();

    // Input from the other controllers:
    void setModel(const ModelFacts* facts);
    /// Sets the reason (a running answer or load) why no measurement can start; empty if there is
    /// none.
    void setBusy(const QString& reason);

    // Input from the engine:
    void onProgress(const QualityJobProgress& event);
    void onText(const ComparedText& event);
    void onCompared(const SettingsCompared& event);
    void onSwept(const SettingsSwept& event);
    /// Called when the engine thread has ended, so that no results follow.
    void onEngineEnded(const QString& reason);

  Q_SIGNALS:
    /// Emitted when the progress or the ability to start has changed.
    void changed();
    /// Emitted when an answer of the running comparison has grown; side 0 is A, answered first.
    void wrote(int side, const QString& text);
    void compared(const lacuna::app::ComparisonView& view);
    void swept(const lacuna::app::SweepView& view);
    /// Reports a row for every setting of the running sweep, including those not tried yet.
    void sweptSoFar(const lacuna::app::SweepView& view);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
