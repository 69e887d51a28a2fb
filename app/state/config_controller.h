#pragma once
/// \file
/// Settings as the window edits them: a thin shell around the machine of config_machine.h, which
/// holds what is asked for, sent and in force and decides what follows from an edit or an answer.
/// Here are the timers, the way to the engine, and what widgets read.
///
/// An edit is checked first by the same rules the engine uses; what breaks one is shown with its
/// sentence and never sent. What passes is sent after `kRestMs` of rest (or at once when the edit
/// is settled) under a new revision number. Requested and effective values are kept apart: the
/// effective one changes only on the engine's word. Where changes are tried before they are applied
/// (SendPolicy::WhenTold), drafts wait for submitNow.
///
/// What is shown and edited are the settings of one conversation (showConversation). A conversation
/// may have cache settings of its own (setOwn); all other settings, and those of conversations
/// without their own, are shared. Owned by the GUI thread.

#include <QMap>
#include <QObject>
#include <QString>
#include <QVector>
#include <functional>
#include <memory>

#include "app/state/view_types.h"

namespace lacuna {
class ConversationSettings;
struct EngineConfig;
struct ModelFacts;
struct MachineFacts;
struct ConfigApplied;
struct ConfigRejected;
struct ConfigSuperseded;
struct TurnStarted;
struct SetConfig;
struct SetCacheSettings;
struct CacheSettingsDropped;
}  // namespace lacuna

namespace lacuna::app {

struct RecodingView;

/// One setting of the conversation on screen, for the widget that shows it.
class SettingModel final : public QObject {
    Q_OBJECT

  public:
    [[nodiscard]] const KnobView& view() const { return m_view; }

  Q_SIGNALS:
    /// It is not as it was: value, state, range or reason. Once for each change.
    void changed();

  private:
    friend class ConfigController;
    explicit SettingModel(KnobView view) : m_view(std::move(view)) {}

    KnobView m_view;
};

class ConfigController final : public QObject {
    Q_OBJECT

  public:
    /// What the controller needs of the world. `send` takes the command to the engine; `now` is the
    /// monotonic clock in nanoseconds; `refusedHere` hears of edits refused before they were sent.
    struct Ports {
        std::function<void(const SetConfig&)> send;
        std::function<qint64()> now;
        std::function<void(const ConfigRejected&)> refusedHere;
        /// Takes a change for one conversation; empty where there is only one to set for.
        std::function<void(const SetCacheSettings&)> sendOwn = {};
    };

    ConfigController(const MachineFacts& machine, const EngineConfig& initial, Ports ports,
                     QObject* parent = nullptr);
    ~ConfigController() override;

    /// In the order of the knob table.
    [[nodiscard]] QStringList keys() const;
    /// @pre key is one of them
    [[nodiscard]] SettingModel& setting(const QString& key) const;
    /// An empty view for any other key. Valid as long as the controller.
    [[nodiscard]] const KnobView& knob(const QString& key) const;
    [[nodiscard]] const ConfigStatus& status() const;
    /// Text of the value in force.
    [[nodiscard]] QString effective(const QString& key) const;

    /// Sets one knob from text in the form the command line takes. As on the command line, a ratio
    /// or a budget set while the method is none brings its method with it (methodBrought).
    void edit(const QString& key, const QString& text, EditPace pace);
    /// From a slider, a number field or a list of choices. @pre it is a value of this setting
    void edit(const QString& key, SettingValue value, EditPace pace);
    /// Several at once, all or nothing ("method" and "budget" together).
    void editAll(const QVector<std::pair<QString, QString>>& values);
    /// Asks for every setting as in `config`, all or nothing.
    void adopt(const EngineConfig& config);
    /// The settings that the cache on its way to another format still has, for everybody whom the
    /// change was for. Too late, they are not applied, and the format stays the new one.
    void cancelRecoding(const RecodingView& view);
    /// Sends what waits.
    void submitNow();
    /// Gives what waits up: every setting as it was sent last.
    void revert();
    /// Going back to AfterRest sends what waits.
    void setSending(SendPolicy policy);
    [[nodiscard]] SendPolicy sending() const;
    [[nodiscard]] bool hasDrafts() const;
    /// Slots that a head of the shown conversation holds, mean over all of them: a budget that is
    /// offered keeps half of them at least.
    void setHeldSlots(int held);
    /// Takes the offered nearest valid value of a rejected knob.
    void useNearest(const QString& key);
    /// Gives a rejected edit up: the knob shows the value in force again.
    void discard(const QString& key);
    /// Back to the values the program starts with.
    void resetAll();
    /// The same as editAll, for what was kept of an earlier run: no change to take back.
    void restore(const QVector<std::pair<QString, QString>>& values);

    /// Takes the newest change that came into force back, whoever asked for it: one setting, or all
    /// that were reset at once. Nothing where there is none.
    void undo();
    /// What undo() would bring back, "AM ratio 4, Method none"; empty: nothing, or it was a change
    /// for a conversation that is not the one shown.
    [[nodiscard]] QString undoText() const;

    /// Whose settings are shown and edited. Drafts that were to be sent are; those that wait to be
    /// told are kept until the conversation is shown again.
    void showConversation(qint64 conversation);
    /// Whether the shown conversation has cache settings of its own, as asked for last.
    [[nodiscard]] bool own() const;
    /// Gives it those it has now as its own, or the shared ones again.
    void setOwn(bool own);
    /// In force for a conversation: key and text of each cache setting; none: it has none of its
    /// own.
    [[nodiscard]] QMap<QString, QString> ownSettings(qint64 conversation) const;
    /// Sends what was kept of an earlier run. A sentence when it cannot be: the conversation then
    /// follows the shared ones.
    [[nodiscard]] QString restoreOwn(qint64 conversation, const QMap<QString, QString>& settings);

    // From the engine.
    void setModel(const ModelFacts* facts);
    void onApplied(const ConfigApplied& event);
    void onRejected(const ConfigRejected& event);
    void onSuperseded(const ConfigSuperseded& event);
    void onDropped(const CacheSettingsDropped& event);
    void onTurnStarted(const TurnStarted& event);
    [[nodiscard]] const EngineConfig& inForce() const;
    /// Of all conversations. The reference is valid as long as the controller.
    [[nodiscard]] const ConversationSettings& settingsInForce() const;
    /// In force with all that was sent and all drafts that break no rule.
    [[nodiscard]] const EngineConfig& asked() const;

  Q_SIGNALS:
    void statusChanged();
    void undoChanged();
    /// What a conversation has of its own changed.
    void ownChanged(qint64 conversation);
    /// `method` was set because `key` has no effect without one.
    void methodBrought(const QString& key, const QString& method);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
