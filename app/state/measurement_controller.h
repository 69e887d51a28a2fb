#pragma once
/// \file
/// What is measured on request: what a compaction would leave, two settings compared on one prompt,
/// and many swept over a conversation. Owned by the GUI thread.

#include <QHash>
#include <QObject>
#include <functional>
#include <memory>
#include <vector>

#include "app/state/measure_views.h"
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

/// What a compaction of the current conversation would leave, asked before the settings are
/// applied, and what it then left. One estimate for each conversation, the newest. Besides, what
/// each doubling of the AM ratio would cost the text shown, and the ratio asked for where it is
/// none of them, tried by itself while nothing is answered, one after another, so that an answer
/// waits for one at most. Owned by the GUI thread;
/// what is estimated the engine estimates between two steps.
class PreviewController final : public QObject {
    Q_OBJECT

  public:
    explicit PreviewController(CommandSink& engine, QObject* parent = nullptr);
    ~PreviewController() override;

    /// Of the conversation shown.
    [[nodiscard]] const PreviewView& view() const;
    /// Asks the engine for an estimate with the settings asked for.
    void estimate();
    /// What ratios would cost the conversation shown.
    [[nodiscard]] const DamageView& damage() const;
    /// What the engine estimates now; None: nothing was requested that it has not answered.
    [[nodiscard]] EngineJob job() const;
    /// Finds that out where it is not known, also while nothing is to be compacted: the slider is
    /// being moved.
    void foresee();

    // From the other controllers.
    void showConversation(qint64 conversation);
    /// Settings in force with everything that is about to be.
    void setAsked(const EngineConfig& config);
    /// Estimates of a cache that is gone mean nothing.
    void clear();
    /// No ratio is tried while anything is answered.
    void setAnswering(bool answering);
    /// A text that has grown is tried again.
    void onGrown(qint64 conversation);
    /// What is known of the model's heads divides slots otherwise: all texts are tried again.
    void onHeadProfiles();

    // From the engine.
    void onPreviewed(const CompactionPreviewed& event);
    void onOutcome(const PreviewOutcome& event);

  Q_SIGNALS:
    void changed();
    void damageChanged();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

/// Two settings compared on one prompt, and many swept over a conversation: what is asked, progress
/// and cancel, and the answer. One measurement at a time, since the engine answers nothing else
/// meanwhile. Owned by the GUI thread.
class MeasurementController final : public QObject {
    Q_OBJECT

  public:
    /// What it needs of the rest: the conversation on screen as the model is told it, how many
    /// tokens its cache covers (0: not known), and the settings in force.
    struct Ports {
        std::function<std::vector<ChatMessage>()> messages;
        std::function<qint64()> conversation;
        std::function<qint64()> contextTokens;
        std::function<const EngineConfig&()> inForce;
    };

    MeasurementController(CommandSink& engine, const MachineFacts& machine, Ports ports,
                          QObject* parent = nullptr);
    ~MeasurementController() override;

    [[nodiscard]] const MeasuringView& view() const;
    /// Why no measurement can begin, as a sentence; empty: one can.
    [[nodiscard]] QString whyNot() const;
    /// Settings of A (0) and B (1); changes of them apply at once, since nothing runs under them.
    [[nodiscard]] ConfigController& side(int number);
    /// A as in force but uncompressed; B as in force, or with attention matching where that
    /// compresses nothing.
    void takeSidesFromSettings();
    /// Answers the last question of the conversation under both settings, or `question` as a
    /// further one. Ends with `compared`.
    void compare(const QString& question);
    /// Methods a sweep can try: name and what it is.
    [[nodiscard]] static QVector<std::pair<QString, QString>> methods();
    /// Such a name, or that of a row of a quality table, as people read it.
    [[nodiscard]] static QString methodLabel(const QString& name);
    /// Tries every method at every size on the answers of the conversation; sweptSoFar says what
    /// is known after each. Ends with `swept`.
    void sweep(const SweepAsk& ask);
    /// Ends what runs; its answer says so.
    void cancel();

    // From the other controllers.
    void setModel(const ModelFacts* facts);
    /// `reason` an answer or a load that is running, as a sentence; empty: none.
    void setBusy(const QString& reason);

    // From the engine.
    void onProgress(const QualityJobProgress& event);
    void onText(const ComparedText& event);
    void onCompared(const SettingsCompared& event);
    void onSwept(const SettingsSwept& event);
    /// The engine thread has ended; nothing will be answered any more.
    void onEngineGone(const QString& reason);

  Q_SIGNALS:
    /// Progress, or whether one can begin.
    void changed();
    /// One answer of the comparison that runs has grown; 0 is A, answered first.
    void wrote(int side, const QString& text);
    void compared(const lacuna::app::ComparisonView& view);
    void swept(const lacuna::app::SweepView& view);
    /// A row for every setting of the sweep that runs, tried or not.
    void sweptSoFar(const lacuna::app::SweepView& view);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
