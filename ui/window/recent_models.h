#pragma once
/// \file
/// The models loaded last as entries of the File menu. GUI thread.

#include <QObject>

namespace lacuna::app {
class ApplicationState;
}

namespace lacuna::ui {

class ActionRegistry;

class RecentModels final : public QObject {
    Q_OBJECT

  public:
    static constexpr int kMaxRecent = 5;

    /// Registers one action per entry; both references must outlive this object.
    RecentModels(ActionRegistry& actions, app::ApplicationState& state);

  private:
    void refresh();

    ActionRegistry& m_actions;
    app::ApplicationState& m_state;
};

}  // namespace lacuna::ui
