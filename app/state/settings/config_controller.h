#pragma once
/// \file
/// Settings as edited in the window: a thin layer around the state machine of config_machine.h that
/// provides timers, the connection to the engine, and the data for widgets.
///
/// An edit is first checked by the engine's own rules; invalid edits are shown with their error and
/// never sent. Valid ones are sent with a new revision after `kRestMs` without further edits, or at
/// once when settled. The effective value changes only when the engine confirms it. With
/// SendPolicy::OnSubmit, drafts wait for submitNow.
///
/// The settings shown and edited are those of one conversation (showConversation). A conversation
/// may have its own cache settings (setOwn); everything else is shared. Owned by the GUI thread.

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

/// One setting of the shown conversation, for the widget that displays it.
class SettingModel final : public QObject {
    Q_OBJECT

  public:
    [[nodiscard]] const SettingView& view() const { return m_view; }

  Q_SIGNALS:
    /// Emitted once per change of value, state, range or reason.
    void changed();

  private:
    friend class ConfigController;
    explicit SettingModel(SettingView view) : m_view(std::move(view)) {}

    SettingView m_view;
};

class ConfigController final : public QObject {
    Q_OBJECT

  public:
    /// Dependencies. `send` passes a command to the engine; `now` returns nanoseconds of the
    /// monotonic clock; `rejectedLocally` is called for edits rejected before sending.
    struct Ports {
        std::function<void(const SetConfig&)> send;
        std::function<qint64()> now;
        std::function<void(const ConfigRejected&)> rejectedLocally;
        /// Sends a change for one conversation; empty if there is only one configuration.
        std::function<void(const SetCacheSettings&)> sendOwn = {};
    };

    ConfigController(const MachineFacts& machine, const EngineConfig& initial, Ports ports,
                     QObject* parent = nullptr);
    ~ConfigController() override;

    /// Keys in the order of the settings table.
    [[nodiscard]] QStringList keys() const;
    /// @pre `key` is one of keys()
    [[nodiscard]] SettingModel& setting(const QString& key) const;
    /// Returns an empty view for unknown keys. The reference is valid as long as the controller.
    [[nodiscard]] const SettingView& spec(const QString& key) const;
    [[nodiscard]] const ConfigStatus& status() const;
    /// Returns the active value as text.
    [[nodiscard]] QString effective(const QString& key) const;

    /// Sets one setting from text in command-line syntax. As on the command line, setting a ratio
    /// or budget while the method is none also sets a method (impliedMethod).
    void edit(const QString& key, const QString& text, EditPace pace);
    /// Sets one setting from a slider, number field or choice list. @pre `value` is of this
    /// setting's kind
    void edit(const QString& key, SettingValue value, EditPace pace);
    /// Edits several settings, all or nothing ("method" and "budget" together).
    void editAll(const QVector<std::pair<QString, QString>>& values);
    /// Requests every setting as in `config`, all or nothing.
    void adopt(const EngineConfig& config);
    /// Cancels a recoding by requesting the previous settings for the same audience. If the
    /// recoding has already finished, the request is rejected and the new format stays.
    void cancelRecoding(const RecodingView& view);
    /// Sends pending drafts.
    void submitNow();
    /// Discards pending drafts and returns every setting to its last sent value.
    void revert();
    /// Returning to AfterRest sends pending drafts.
    void setSending(SendPolicy policy);
    [[nodiscard]] SendPolicy sending() const;
    [[nodiscard]] bool hasDrafts() const;
    /// Sets the mean number of slots that a head of the shown conversation holds. An offered budget
    /// keeps at least half of them.
    void setHeldSlots(int held);
    /// Accepts the nearest valid value offered for a rejected setting.
    void useNearest(const QString& key);
    /// Discards a rejected edit and shows the last valid request again.
    void discard(const QString& key);
    /// Resets all settings to the values at program start.
    void resetAll();
    /// Like editAll, for settings of an earlier run; cannot be undone.
    void restore(const QVector<std::pair<QString, QString>>& values);

    /// Undoes the latest applied change from any source: one setting, or all that were reset at
    /// once. Does nothing if there is none.
    void undo();
    /// Describes what undo() would restore, "AM ratio 4, Method none". Empty if there is no change,
    /// or if it affected another conversation.
    [[nodiscard]] QString undoText() const;

    /// Selects the conversation whose settings are shown and edited. With AfterRest, drafts are
    /// sent first; with OnSubmit they are kept until the conversation is shown again.
    void showConversation(qint64 conversation);
    /// Returns true if the shown conversation has its own cache settings, as last requested.
    [[nodiscard]] bool own() const;
    /// Gives the conversation its current settings as its own, or returns it to the shared ones.
    void setOwn(bool own);
    /// Active own cache settings of a conversation, by key; empty if it has none.
    [[nodiscard]] QMap<QString, QString> ownSettings(qint64 conversation) const;
    /// Sends own settings of an earlier run. Returns an error message if they are invalid; the
    /// conversation then uses the shared settings.
    [[nodiscard]] QString restoreOwn(qint64 conversation, const QMap<QString, QString>& settings);

    // Input from the engine:
    void setModel(const ModelFacts* facts);
    void onApplied(const ConfigApplied& event);
    void onRejected(const ConfigRejected& event);
    void onSuperseded(const ConfigSuperseded& event);
    void onDropped(const CacheSettingsDropped& event);
    void onTurnStarted(const TurnStarted& event);
    [[nodiscard]] const EngineConfig& inEffect() const;
    /// Settings of all conversations. The reference is valid as long as the controller.
    [[nodiscard]] const ConversationSettings& settingsInEffect() const;
    /// Active settings plus all sent changes and all valid drafts.
    [[nodiscard]] const EngineConfig& asked() const;

  Q_SIGNALS:
    void statusChanged();
    void undoChanged();
    /// Emitted when the own settings of a conversation have changed.
    void ownChanged(qint64 conversation);
    /// Emitted when `method` was set because `key` has no effect without one.
    void impliedMethod(const QString& key, const QString& method);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
