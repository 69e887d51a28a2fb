#pragma once
/// \file
/// What a compaction of the current conversation would leave, asked before the settings are
/// applied, and what it then left. One estimate for each conversation, the newest. Owned by the GUI
/// thread; the estimate is made by the engine between two steps.

#include <QHash>
#include <QObject>
#include <memory>

#include "app/state/measure_views.h"

namespace lacuna {
struct CompactionPreviewed;
struct EngineConfig;
struct PreviewOutcome;
}  // namespace lacuna

namespace lacuna::app {

class EngineHost;

class PreviewController final : public QObject {
    Q_OBJECT

  public:
    explicit PreviewController(EngineHost& engine, QObject* parent = nullptr);
    ~PreviewController() override;

    /// Of the conversation shown.
    [[nodiscard]] const PreviewView& view() const;
    /// Asks the engine for an estimate with the settings asked for.
    void estimate();

    // From the other controllers.
    void showConversation(qint64 conversation);
    /// Settings in force with everything that is about to be.
    void setAsked(const EngineConfig& config);
    /// Estimates of a cache that is gone mean nothing.
    void clear();

    // From the engine.
    void onPreviewed(const CompactionPreviewed& event);
    void onOutcome(const PreviewOutcome& event);

  Q_SIGNALS:
    void changed();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl;
};

}  // namespace lacuna::app
